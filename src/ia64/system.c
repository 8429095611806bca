// SPDX-License-Identifier: BSD-2-Clause
/* Moves to and from special registers, and breaks (vol. 3, chapter 2). */
#include "machine.h"

const struct ia64_op *run_nop(struct ia64 *m, const struct ia64_op *op)
{
	(void)m;
	return next_op(op);
}

const struct ia64_op *run_privileged(struct ia64 *m, const struct ia64_op *op)
{
	return machine_stop(m, op, "is privileged", 0);
}

const struct ia64_op *run_epc(struct ia64 *m, const struct ia64_op *op)
{
	return machine_stop(m, op, "enters privileged code, of which there is none", 0);
}

const struct ia64_op *run_break(struct ia64 *m, const struct ia64_op *op)
{
	if (op->imm == 0x100000)
		return system_call(m, op);
	return machine_stop(m, op, "is a break that no one handles", (uint64_t)op->imm);
}

static const struct ia64_op *put(struct ia64 *m, const struct ia64_op *op, uint64_t v)
{
	*gr_at(m, op->r1) = (struct gr){ v, 0 };
	return op + 1;
}

static bool nat(struct ia64 *m, const struct ia64_op *op)
{
	if (gr_at(m, op->r2)->nat)
		machine_stop(m, op, "consumes a NaT", 0);
	return gr_at(m, op->r2)->nat;
}

const struct ia64_op *run_mov_to_br(struct ia64 *m, const struct ia64_op *op)
{
	if (nat(m, op))
		return NULL;
	m->br[op->r1] = gr(m, op->r2);
	return op + 1;
}

const struct ia64_op *run_mov_from_br(struct ia64 *m, const struct ia64_op *op) { return put(m, op, m->br[op->r2]); }
const struct ia64_op *run_mov_ip(struct ia64 *m, const struct ia64_op *op) { return put(m, op, machine_ip(m, op)); }

/* pr moves see predicates without rotation (vol. 3, mov pr). */
static uint64_t unrotated(const struct ia64 *m)
{
	uint64_t high = m->pr >> 16, all = (UINT64_C(1) << 48) - 1;

	return (m->pr & 0xffff) | ((high << m->rrb_pr | high >> (48 - m->rrb_pr)) & all) << 16;
}

static const struct ia64_op *set_all(struct ia64 *m, const struct ia64_op *op, uint64_t v, uint64_t mask)
{
	unsigned rrb = m->rrb_pr;

	frame_set_rrb_pr(m, 0);
	m->pr = (m->pr & ~mask) | (v & mask) | 1;
	frame_set_rrb_pr(m, rrb);
	return op + 1;
}

const struct ia64_op *run_mov_pr(struct ia64 *m, const struct ia64_op *op) { return put(m, op, unrotated(m)); }

const struct ia64_op *run_mov_to_pr(struct ia64 *m, const struct ia64_op *op)
{
	return nat(m, op) ? NULL : set_all(m, op, gr(m, op->r2), (uint64_t)op->imm);
}

const struct ia64_op *run_mov_to_pr_rot(struct ia64 *m, const struct ia64_op *op)
{
	return set_all(m, op, (uint64_t)op->imm, ~UINT64_C(0xffff));
}

const struct ia64_op *run_mov_from_ar(struct ia64 *m, const struct ia64_op *op)
{
	switch (op->k) {
	case 17: return put(m, op, m->bsp);
	case 18: return put(m, op, m->bspstore);
	case 19: return put(m, op, m->rnat);
	case 44: case 45: return put(m, op, m->itc);
	default: return put(m, op, m->ar[op->k]);
	}
}

static void set_bspstore(struct ia64 *m, uint64_t v)
{
	m->bspstore = m->bsp = v & ~7ull;
	for (unsigned i = 0; i < m->dirty; i++, m->bsp += 8)
		if ((m->bsp >> 3 & 63) == 63)
			m->bsp += 8;
	if (m->dirty && (m->bsp >> 3 & 63) == 63)
		m->bsp += 8;
}

static const struct ia64_op *set_ar(struct ia64 *m, const struct ia64_op *op, uint64_t v)
{
	bool reserved = (op->k >= 8 && op->k < 16) || op->k == 17 || op->k == 20 || op->k == 44;

	if (reserved || (op->k == 40 && !fp_fpsr_valid(v)) || (op->k == 64 && (v >> 38 & 0x3fff || v >> 58 & 15)))
		return machine_stop(m, op, "writes what is reserved", v);
	if ((op->k == 18 || op->k == 19) && m->ar[16] & 3)
		return machine_stop(m, op, "needs ar.rsc.mode to be 0", m->ar[16]);
	if (op->k == 18) {
		set_bspstore(m, v);
		hints_reset(&m->hints);		/* a context switch */
	} else if (op->k == 19)
		m->rnat = v & ~(UINT64_C(1) << 63);
	else
		m->ar[op->k] = op->k == 66 ? v & 63 : op->k == 16 ? v & 0x3fff001f : v;
	if (op->k == 40)
		fpsr_changed(m);
	return op + 1;
}

const struct ia64_op *run_mov_to_ar(struct ia64 *m, const struct ia64_op *op)
{
	return nat(m, op) ? NULL : set_ar(m, op, gr(m, op->r2));
}

const struct ia64_op *run_mov_to_ar_imm(struct ia64 *m, const struct ia64_op *op)
{
	return set_ar(m, op, (uint64_t)op->imm);
}

const struct ia64_op *run_mov_to_um(struct ia64 *m, const struct ia64_op *op)
{
	m->user_mask = gr(m, op->r2) & 0x3e;
	return op + 1;
}

const struct ia64_op *run_mov_from_um(struct ia64 *m, const struct ia64_op *op) { return put(m, op, m->user_mask); }

const struct ia64_op *run_user_mask(struct ia64 *m, const struct ia64_op *op)
{
	if (op->x[0] > 1 || op->imm & ~INT64_C(0x3e))
		return machine_stop(m, op, "is privileged", (uint64_t)op->imm);
	m->user_mask = op->x[0] ? m->user_mask & ~(uint64_t)op->imm : m->user_mask | (uint64_t)op->imm;
	return op + 1;
}

const struct ia64_op *run_mov_to_dahr(struct ia64 *m, const struct ia64_op *op)
{
	m->hints.dahr[op->k & 7] = (uint16_t)op->imm;
	return op + 1;
}

/* An index that is a NaT. */
static bool index_nat(struct ia64 *m, const struct ia64_op *op)
{
	if (gr_at(m, op->r3)->nat)
		machine_stop(m, op, "consumes a NaT", 0);
	return gr_at(m, op->r3)->nat;
}

const struct ia64_op *run_mov_from_dahr(struct ia64 *m, const struct ia64_op *op)
{
	if (index_nat(m, op))
		return NULL;
	return put(m, op, m->hints.dahr[gr(m, op->r3) & 7]);
}

/* The counters of a monitor that nobody has connected read as zero (vol. 3, mov pmd, in user mode without psr.sp's leave). */
const struct ia64_op *run_mov_pmd(struct ia64 *m, const struct ia64_op *op)
{
	return index_nat(m, op) ? NULL : put(m, op, 0);
}

const struct ia64_op *run_mov_cpuid(struct ia64 *m, const struct ia64_op *op)
{
	/* "GenuineIntel"; family 0x21, model 0; features: long branch, spontaneous deferral, 16-byte atomics, clz, mpy4. */
	static const uint64_t words[5] = { 0x49656e69756e6547, 0x6c65746e, 0, 0x21000004, 0x300000007 };
	uint64_t index = gr(m, op->r3);

	if (index_nat(m, op))
		return NULL;
	if (index > 4)
		return machine_stop(m, op, "reads a CPUID register that is reserved", index);
	return put(m, op, words[index]);
}

const struct ia64_op *run_fc(struct ia64 *m, const struct ia64_op *op)
{
	struct page *page = memory_page(m, gr(m, op->r3), 0);

	if (page && page->code)
		machine_forget_code(page);
	/* What comes next may be in that page; it is decoded anew where it was. */
	return page ? op + 1 : machine_stop(m, op, "flushes memory that is not mapped", gr(m, op->r3));
}

const struct ia64_op *run_probe(struct ia64 *m, const struct ia64_op *op)
{
	return put(m, op, memory_page(m, gr(m, op->r3), op->x[0] ? IA64_WRITE : IA64_READ) != NULL);
}

const struct ia64_op *run_probe_fault(struct ia64 *m, const struct ia64_op *op)
{
	static const uint8_t prot[3] = { IA64_READ | IA64_WRITE, IA64_READ, IA64_WRITE };

	if (memory_page(m, gr(m, op->r3), prot[op->x[0]]))
		return op + 1;
	return machine_stop(m, op, "probes memory that is not mapped so", gr(m, op->r3));
}
