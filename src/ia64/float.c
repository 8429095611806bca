// SPDX-License-Identifier: BSD-2-Clause
/* F-unit instructions: registers, status fields and predicates around the arithmetic of fp.h. */
#include "machine.h"

void fpsr_changed(struct ia64 *m)
{
	for (unsigned sf = 0; sf < 4; sf++)
		for (unsigned pc = 0; pc < FP_PCS; pc++)
			m->mode[sf][pc] = fp_mode(m->ar[40], sf, (enum fp_pc)pc);
}

/* Flags and interruptions of an operation; false if it stopped. */
static bool settle(struct ia64 *m, const struct ia64_op *op, unsigned sf, uint32_t status)
{
	if (status & (FP_FAULT | FP_TRAP)) {
		machine_stop(m, op, "raises a floating-point exception that is enabled", fp_isr_code(status));
		return false;
	}
	if (status & FP_TINY) {
		m->tiny++;
		m->flushed += (status & FP_FLUSHED) != 0;
	}
	m->ar[40] = fp_fpsr_raise(m->ar[40], sf, status);
	return true;
}

static const struct ia64_op *finish(struct ia64 *m, const struct ia64_op *op, unsigned sf, struct fp_out out)
{
	if (!settle(m, op, sf, out.status))
		return NULL;
	*fr_at(m, op->r1) = fp_value(out);
	return op + 1;
}

/* fma's major opcodes go in pairs: 8 fma, 10 fms, 12 fnma; k has the kind and where the precision comes from. */
const struct ia64_op *run_fma(struct ia64 *m, const struct ia64_op *op)
{
	unsigned sf = op->x[3];
	struct fp_out out = fp_fma((enum fp_multiply_add)(op->k >> 4), &m->mode[sf][op->k & 15], fr_at(m, op->r3),
				   fr_at(m, op->r4), op->r2 ? fr_at(m, op->r2) : NULL);

	return finish(m, op, sf, out);
}

const struct ia64_op *run_fpma(struct ia64 *m, const struct ia64_op *op)
{
	unsigned sf = op->x[3];
	struct fp_out out = fp_pma((enum fp_multiply_add)(op->k >> 4), &m->mode[sf][FP_PC_PAIR], fr_at(m, op->r3),
				   fr_at(m, op->r4), op->r2 ? fr_at(m, op->r2) : NULL);

	return finish(m, op, sf, out);
}

const struct ia64_op *run_fselect(struct ia64 *m, const struct ia64_op *op)
{
	*fr_at(m, op->r1) = fp_select(fr_at(m, op->r3), fr_at(m, op->r4), fr_at(m, op->r2));
	return op + 1;
}

const struct ia64_op *run_xma(struct ia64 *m, const struct ia64_op *op)
{
	static const enum fp_xma kinds[3] = { FP_XMA_L, FP_XMA_HU, FP_XMA_H };

	*fr_at(m, op->r1) = fp_xma(kinds[op->x[0]], fr_at(m, op->r3), fr_at(m, op->r4), fr_at(m, op->r2));
	return op + 1;
}

static const struct ia64_op *predicates(struct ia64 *m, const struct ia64_op *op, bool one, bool two)
{
	set_pr(m, op->p1, one);
	set_pr(m, op->p2, two);
	return op + 1;
}

const struct ia64_op *run_fcmp(struct ia64 *m, const struct ia64_op *op)
{
	uint32_t status;

	if (op->x[1] && !(m->pr >> op->k & 1))
		return predicates(m, op, false, false);
	status = fp_compare((enum fp_rel)op->x[0], &m->mode[op->x[2]][FP_PC_DYN], fr_at(m, op->r2), fr_at(m, op->r3));
	if (!settle(m, op, op->x[2], status))
		return NULL;
	return predicates(m, op, status & FP_P1, status & FP_P2);
}

const struct ia64_op *run_fclass(struct ia64 *m, const struct ia64_op *op)
{
	uint32_t status;

	if (op->x[0] && !(m->pr >> op->k & 1))
		return predicates(m, op, false, false);
	status = fp_class((unsigned)op->imm, fr_at(m, op->r2));
	return predicates(m, op, status & FP_P1, status & FP_P2);
}

static const struct ia64_op *approximate(struct ia64 *m, const struct ia64_op *op, struct fp_out out)
{
	if (!finish(m, op, op->x[0], out))
		return NULL;
	set_pr(m, op->p2, out.status & FP_P2);
	return op + 1;
}

/* The major opcode's lowest bit, in r4, chooses pairs. */
const struct ia64_op *run_frcpa(struct ia64 *m, const struct ia64_op *op)
{
	const struct fp_reg *a = fr_at(m, op->r2), *b = fr_at(m, op->r3);

	if (!(m->pr >> op->k & 1)) {
		set_pr(m, op->p2, false);
		return op + 1;
	}
	return approximate(m, op, op->r4 ? fp_prcpa(&m->mode[op->x[0]][FP_PC_PAIR], a, b) :
			   fp_rcpa(&m->mode[op->x[0]][FP_PC_DYN], a, b));
}

const struct ia64_op *run_frsqrta(struct ia64 *m, const struct ia64_op *op)
{
	const struct fp_reg *b = fr_at(m, op->r3);

	if (!(m->pr >> op->k & 1)) {
		set_pr(m, op->p2, false);
		return op + 1;
	}
	return approximate(m, op, op->r4 ? fp_prsqrta(&m->mode[op->x[0]][FP_PC_PAIR], b) :
			   fp_rsqrta(&m->mode[op->x[0]][FP_PC_DYN], b));
}

const struct ia64_op *run_fminmax(struct ia64 *m, const struct ia64_op *op)
{
	return finish(m, op, op->x[1], fp_minmax((enum fp_minmax)op->x[0], &m->mode[op->x[1]][FP_PC_DYN],
						 fr_at(m, op->r2), fr_at(m, op->r3)));
}

const struct ia64_op *run_fpminmax(struct ia64 *m, const struct ia64_op *op)
{
	return finish(m, op, op->x[1], fp_pminmax((enum fp_minmax)op->x[0], &m->mode[op->x[1]][FP_PC_PAIR],
						  fr_at(m, op->r2), fr_at(m, op->r3)));
}

const struct ia64_op *run_fpcmp(struct ia64 *m, const struct ia64_op *op)
{
	return finish(m, op, op->x[1], fp_pcompare((enum fp_rel)op->x[0], &m->mode[op->x[1]][FP_PC_PAIR],
						   fr_at(m, op->r2), fr_at(m, op->r3)));
}

const struct ia64_op *run_fcvt_fx(struct ia64 *m, const struct ia64_op *op)
{
	return finish(m, op, op->x[1], fp_cvt_fx((enum fp_convert)op->x[0], &m->mode[op->x[1]][FP_PC_DYN], fr_at(m, op->r2)));
}

const struct ia64_op *run_fpcvt_fx(struct ia64 *m, const struct ia64_op *op)
{
	return finish(m, op, op->x[1], fp_pcvt_fx((enum fp_convert)op->x[0], &m->mode[op->x[1]][FP_PC_PAIR],
						  fr_at(m, op->r2)));
}

const struct ia64_op *run_fcvt_xf(struct ia64 *m, const struct ia64_op *op)
{
	*fr_at(m, op->r1) = fp_cvt_xf(fr_at(m, op->r2));
	return op + 1;
}

static const struct ia64_op *shuffle(struct ia64 *m, const struct ia64_op *op, unsigned kind)
{
	*fr_at(m, op->r1) = fp_shuffle((enum fp_shuffle)kind, fr_at(m, op->r2), fr_at(m, op->r3));
	return op + 1;
}

const struct ia64_op *run_fmerge(struct ia64 *m, const struct ia64_op *op) { return shuffle(m, op, FP_MERGE_S + op->x[0]); }
const struct ia64_op *run_fpmerge(struct ia64 *m, const struct ia64_op *op) { return shuffle(m, op, FP_PMERGE_S + op->x[0]); }
const struct ia64_op *run_fmix(struct ia64 *m, const struct ia64_op *op) { return shuffle(m, op, FP_MIX_L + op->x[0]); }
const struct ia64_op *run_fsxt(struct ia64 *m, const struct ia64_op *op) { return shuffle(m, op, FP_SXT_L + op->x[0]); }
const struct ia64_op *run_fswap(struct ia64 *m, const struct ia64_op *op) { return shuffle(m, op, FP_SWAP + op->x[0]); }
const struct ia64_op *run_flogical(struct ia64 *m, const struct ia64_op *op) { return shuffle(m, op, FP_AND + op->x[0]); }
const struct ia64_op *run_fpack(struct ia64 *m, const struct ia64_op *op) { return shuffle(m, op, FP_PACK); }

const struct ia64_op *run_fsetc(struct ia64 *m, const struct ia64_op *op)
{
	uint64_t fpsr = fp_fsetc(m->ar[40], op->x[0], (unsigned)op->imm, op->k);

	if (!fp_fpsr_valid(fpsr))
		return machine_stop(m, op, "sets reserved bits of FPSR", fpsr);
	m->ar[40] = fpsr;
	fpsr_changed(m);
	return op + 1;
}

const struct ia64_op *run_fclrf(struct ia64 *m, const struct ia64_op *op)
{
	m->ar[40] = fp_fclrf(m->ar[40], op->x[0]);
	return op + 1;
}

const struct ia64_op *run_fchkf(struct ia64 *m, const struct ia64_op *op)
{
	return fp_fchkf(m->ar[40], op->x[0]) ? machine_jump(m, op, machine_ip(m, op) + (uint64_t)op->imm) : op + 1;
}
