/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers: what an instruction waits for, and how it finds out (2.4, 4.2.4; tables 2-12 to 2-15). */
#include "icore/private.h"

/* The wait that is longest, and for what. */
struct need { uint64_t until; uint8_t wait; bool address, target; };

static void want(struct need *n, const struct reg *r, bool address, bool target)
{
	uint64_t until = r->ready + (address ? r->bypass : 0);

	if (until > n->until)
		*n = (struct need){ until, r->wait, address, target };
}

static struct reg *gr_of(struct icore *c, const struct ia64 *m, unsigned r)
{
	return &c->gr[m->map[r]];
}

static struct reg *fr_of(struct icore *c, const struct ia64 *m, unsigned f)
{
	return &c->fr[m->fmap[f]];
}

static struct reg *pr_of(struct icore *c, const struct ia64 *m, unsigned p)
{
	return &c->pr[p < 16 ? p : 16 + (p - 16 + m->rrb_pr) % 48];
}

static void want_grs(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, struct need *n)
{
	if (k->gr & 1 << 2)
		want(n, gr_of(c, m, op->r2), false, false);
	if (k->gr & 1 << 3)
		want(n, gr_of(c, m, op->r3), k->address, false);
	/* What an outstanding load will write is not written before. */
	if (k->to_gr && gr_of(c, m, op->r1)->wait == WAIT_LOAD && k->run != RUN_ALLOC)
		want(n, gr_of(c, m, op->r1), false, true);
}

static void want_frs(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, struct need *n)
{
	const uint8_t number[5] = { 0, 0, op->r2, op->r3, op->r4 };

	for (unsigned i = 2; i < 5; i++)
		if (k->fr >> i & 1)
			want(n, fr_of(c, m, number[i]), false, false);
	if (k->to_fr && fr_of(c, m, op->r1)->wait == WAIT_LOAD)
		want(n, fr_of(c, m, op->r1), false, true);
}

static void want_predicate(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, struct need *n)
{
	struct reg r = *pr_of(c, m, op->qp);

	/* Branches see predicates a cycle earlier (table 2-14). */
	if (k->class == CLASS_BRANCH && r.ready)
		r.ready--;
	want(n, &r, false, false);
}

static void replay(struct icore *c, unsigned code, unsigned stall, uint64_t wait)
{
	unsigned left = wait > REPLAY_EXE ? (unsigned)(wait - REPLAY_EXE) : 0;

	icore_lose(c, POULSON_CORE_CYC_BE_EXE_REPLAY_ANY, code, REPLAY_EXE);
	icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, stall, left);
}

/* A use right behind a load that misses is found in DET, later ones in EXE. */
static void wait_load(struct icore *c, const struct need *n, uint64_t wait, bool fp, bool near)
{
	if (!fp && near && !n->target) {
		unsigned left = wait > REPLAY_DET ? (unsigned)(wait - REPLAY_DET) : 0;

		icore_lose(c, POULSON_CORE_CYC_BE_DET_REPLAY_ANY, POULSON_CORE_CYC_BE_DET_REPLAY_GR_LOAD, REPLAY_DET);
		icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_GR_LOAD, left);
	} else if (fp) {
		replay(c, n->target ? POULSON_CORE_CYC_BE_EXE_REPLAY_FR_LOAD_WAW : POULSON_CORE_CYC_BE_EXE_REPLAY_FR_LOAD_RAW,
		       POULSON_CORE_CYC_BE_IBD_STALL_FR_LOAD, wait);
	} else {
		replay(c, n->target ? POULSON_CORE_CYC_BE_EXE_REPLAY_GR_LOAD_WAW : POULSON_CORE_CYC_BE_EXE_REPLAY_GR_LOAD_RAW,
		       POULSON_CORE_CYC_BE_IBD_STALL_GR_LOAD, wait);
	}
}

/* 2.4.1: schedules six cycles between operations; only those one or two apart replay. */
static void wait_fp(struct icore *c, uint64_t wait)
{
	if (wait >= REPLAY_EXE)
		replay(c, POULSON_CORE_CYC_BE_EXE_REPLAY_FR_FR, POULSON_CORE_CYC_BE_IBD_STALL_FTOF, wait);
	else
		icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_FTOF, wait);
}

static void pay(struct icore *c, const struct need *n, bool fp, bool near)
{
	uint64_t wait = n->until - c->cycle;

	switch (n->wait) {
	case WAIT_HIT:
		icore_lose(c, POULSON_CORE_CYC_BE_IBD_STALL_ANY, POULSON_CORE_CYC_BE_IBD_STALL_MTOM, wait);
		break;
	case WAIT_LOAD: wait_load(c, n, wait, fp, near); break;
	case WAIT_FP: wait_fp(c, wait); break;
	case WAIT_FCMP: replay(c, POULSON_CORE_CYC_BE_EXE_REPLAY_FCMP, POULSON_CORE_CYC_BE_IBD_STALL_FTOF, wait); break;
	case WAIT_PR: replay(c, POULSON_CORE_CYC_BE_EXE_REPLAY_PRED, POULSON_CORE_CYC_BE_IBD_STALL_FTOF, wait); break;
	default: replay(c, POULSON_CORE_CYC_BE_EXE_REPLAY_GR_GR, POULSON_CORE_CYC_BE_IBD_STALL_GR_LOAD, wait); break;
	}
}

void icore_wait(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, bool on)
{
	struct need gr = { c->cycle, WAIT_NONE, false, false }, fr = gr, pr = gr;

	if (op->qp)
		want_predicate(c, m, op, k, &pr);
	if (on) {
		want_grs(c, m, op, k, &gr);
		if (k->fr | k->to_fr)
			want_frs(c, m, op, k, &fr);
		if (k->branch_br)
			want(&gr, &c->br[op->r2], false, false);
	}
	if (gr.until > c->cycle)
		pay(c, &gr, false, c->cycle == c->near_load + 1);
	if (fr.until > c->cycle)
		pay(c, &fr, true, false);
	if (pr.until > c->cycle)
		pay(c, &pr, false, false);
}

static void produce_gr(struct icore *c, struct ia64 *m, unsigned r, unsigned latency, uint8_t wait, bool address_later)
{
	if (r)
		*gr_of(c, m, r) = (struct reg){ c->cycle + latency, wait, address_later };
}

static void produce_pr(struct icore *c, struct ia64 *m, const struct ia64_op *op, unsigned latency, uint8_t wait)
{
	if (op->p1)
		*pr_of(c, m, op->p1) = (struct reg){ c->cycle + latency, wait, 0 };
	if (op->p2)
		*pr_of(c, m, op->p2) = (struct reg){ c->cycle + latency, wait, 0 };
}

/* What loads and moves write is memory.c's. */
void icore_produce(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k)
{
	switch (k->class) {
	case CLASS_MMALU: case CLASS_PSMU: case CLASS_IMOVFM:
		produce_gr(c, m, op->r1, LAT_MM, WAIT_GR, true);
		break;
	case CLASS_IMULT: produce_gr(c, m, op->r1, LAT_MULT, WAIT_GR, true); break;
	case CLASS_SLOW: produce_gr(c, m, op->r1, LAT_SLOW, WAIT_LOAD, true); break;
	case CLASS_GETF: produce_gr(c, m, op->r1, LAT_MLD, WAIT_LOAD, true); break;
	case CLASS_SETF: *fr_of(c, m, op->r1) = (struct reg){ c->cycle + LAT_SETF, WAIT_LOAD, 0 }; break;
	case CLASS_FMAC: *fr_of(c, m, op->r1) = (struct reg){ c->cycle + LAT_FP, WAIT_FP, 0 }; break;
	case CLASS_FCMP:
		produce_pr(c, m, op, LAT_FCMP, WAIT_FCMP);
		if (k->to_fr)
			*fr_of(c, m, op->r1) = (struct reg){ c->cycle + LAT_FP, WAIT_FP, 0 };
		break;
	/* A branch may take the predicate in the group of the compare; others a cycle later. */
	case CLASS_CMP: produce_pr(c, m, op, 1, WAIT_PR); break;
	case CLASS_IALU:
		if (k->to_gr)
			produce_gr(c, m, op->r1, 1, WAIT_GR, k->unit == ICORE_I && k->port == PORT_I && k->run != RUN_ZXT &&
							       k->run != RUN_MOVL);
		break;
	default:
		break;
	}
}
