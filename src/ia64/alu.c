// SPDX-License-Identifier: BSD-2-Clause
/* Integer arithmetic, logic, shifts and compares (vol. 3, chapter 2). */
#include "machine.h"

static inline const struct ia64_op *put(struct ia64 *m, const struct ia64_op *op, uint64_t v, uint64_t nat)
{
	struct gr *to = gr_at(m, op->r1);

	if (op->r1 == 0 || op->r1 >= 32 + m->sof)
		return machine_stop(m, op, "writes a register outside the frame", op->r1);
	to->v = v;
	to->nat = nat;
	return op + 1 + op->wide;
}

#define TWO(name, expression) \
const struct ia64_op *run_##name(struct ia64 *m, const struct ia64_op *op) \
{ \
	const struct gr a = *gr_at(m, op->r2), b = *gr_at(m, op->r3); \
	(void)a; \
	return put(m, op, (expression), a.nat | b.nat); \
}
#define ONE(name, source, expression) \
const struct ia64_op *run_##name(struct ia64 *m, const struct ia64_op *op) \
{ \
	const struct gr a = *gr_at(m, op->source); \
	const uint64_t imm = (uint64_t)op->imm; \
	(void)imm; \
	return put(m, op, (expression), a.nat); \
}

static inline uint64_t addp4(uint64_t sum, uint64_t region)
{
	return (sum & 0xffffffff) | (region >> 30 & 3) << 61;
}

static inline uint64_t mask_of(unsigned length)
{
	return length >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1;
}

TWO(add, a.v + b.v)
TWO(add_one, a.v + b.v + 1)
TWO(sub, a.v - b.v)
TWO(sub_one, a.v - b.v - 1)
TWO(addp4, addp4(a.v + b.v, b.v))
TWO(and, a.v & b.v)
TWO(andcm, a.v & ~b.v)
TWO(or, a.v | b.v)
TWO(xor, a.v ^ b.v)
TWO(shladd, (a.v << op->imm) + b.v)
TWO(shladdp4, addp4((a.v << op->imm) + b.v, b.v))
TWO(shl, b.v > 63 ? 0 : a.v << b.v)
TWO(mpy4, (a.v & 0xffffffff) * (b.v & 0xffffffff))
TWO(mpyshl4, ((a.v >> 32) * (b.v & 0xffffffff)) << 32)
TWO(shrp, op->imm ? a.v << (64 - op->imm) | b.v >> op->imm : b.v)
ONE(sub_imm, r3, imm - a.v)
ONE(and_imm, r3, imm & a.v)
ONE(andcm_imm, r3, imm & ~a.v)
ONE(or_imm, r3, imm | a.v)
ONE(xor_imm, r3, imm ^ a.v)
ONE(adds, r3, imm + a.v)
ONE(addp4_imm, r3, addp4(imm + a.v, a.v))
ONE(popcnt, r3, (uint64_t)__builtin_popcountll(a.v))
ONE(clz, r3, a.v ? (uint64_t)__builtin_clzll(a.v) : 64)
ONE(zxt, r3, a.v & mask_of(8u << op->x[0]))
ONE(dep_z, r2, (a.v & mask_of(op->k)) << op->p1)

const struct ia64_op *run_sxt(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr *a = gr_at(m, op->r3);
	unsigned shift = 64 - (8u << op->x[0]);

	return put(m, op, (uint64_t)((int64_t)(a->v << shift) >> shift), a->nat);
}

const struct ia64_op *run_shr(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r3), b = *gr_at(m, op->r2);
	unsigned count = b.v > 63 ? 64 : (unsigned)b.v;
	uint64_t v = op->x[0] ? (uint64_t)((int64_t)a.v >> (count > 63 ? 63 : count)) : count > 63 ? 0 : a.v >> count;

	return put(m, op, v, a.nat | b.nat);
}

const struct ia64_op *run_extr(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr *a = gr_at(m, op->r3);
	unsigned length = op->k + op->imm > 64 ? 64 - (unsigned)op->imm : op->k;
	uint64_t v = a->v << (64 - length - (unsigned)op->imm);

	return put(m, op, op->x[0] ? (uint64_t)((int64_t)v >> (64 - length)) : v >> (64 - length), a->nat);
}

const struct ia64_op *run_movl(struct ia64 *m, const struct ia64_op *op)
{
	return put(m, op, (uint64_t)op->imm, 0);
}

/* Deposit forms with an immediate have it in imm; the decoder leaves the position in p1. */
const struct ia64_op *run_dep_z_imm(struct ia64 *m, const struct ia64_op *op)
{
	return put(m, op, ((uint64_t)op->imm & mask_of(op->k)) << op->p1, 0);
}

const struct ia64_op *run_dep_imm(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr *a = gr_at(m, op->r3);
	uint64_t mask = mask_of(op->k) << op->p1;

	return put(m, op, (a->v & ~mask) | ((uint64_t)op->imm & mask), a->nat);
}

const struct ia64_op *run_dep(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr a = *gr_at(m, op->r2), b = *gr_at(m, op->r3);
	uint64_t mask = mask_of(op->k) << op->imm;

	return put(m, op, (b.v & ~mask) | (a.v << op->imm & mask), a.nat | b.nat);
}

/* The first of two predicate targets gets the result; a NaT clears both. */
static inline const struct ia64_op *both(struct ia64 *m, const struct ia64_op *op, bool result, bool nat)
{
	if (op->p1 == op->p2)
		return machine_stop(m, op, "has one predicate as both targets", 0);
	set_pr(m, op->p1, result && !nat);
	set_pr(m, op->p2, !result && !nat);
	return op + 1;
}

/* and, or, or.andcm (0, 1, 2): targets are written only where the result asks for it. */
static const struct ia64_op *parallel(struct ia64 *m, const struct ia64_op *op, unsigned type, bool result, bool nat)
{
	if (type == 0 && (nat || !result)) {
		set_pr(m, op->p1, false);
		set_pr(m, op->p2, false);
	}
	if (type && !nat && result) {
		set_pr(m, op->p1, true);
		set_pr(m, op->p2, type == 1);
	}
	return op + 1;
}

/* Compares .unc clear their targets when their predicate is false (k is their own). */
static inline bool unc_off(struct ia64 *m, const struct ia64_op *op)
{
	if (m->pr >> op->k & 1)
		return false;
	set_pr(m, op->p1, false);
	set_pr(m, op->p2, false);
	return true;
}

static inline bool related(unsigned relation, uint64_t a, uint64_t b)
{
	return relation == 0 ? (int64_t)a < (int64_t)b : relation == 1 ? a < b : a == b;
}

static inline uint64_t narrow(const struct ia64_op *op, unsigned relation, uint64_t v)
{
	return !op->x[0] ? v : relation == 0 ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
}

static inline const struct ia64_op *compare(struct ia64 *m, const struct ia64_op *op, uint64_t a, uint64_t nat)
{
	const struct gr *b = gr_at(m, op->r3);
	unsigned relation = op->x[1];

	if (op->x[2] && unc_off(m, op))
		return op + 1;
	return both(m, op, related(relation, narrow(op, relation, a), narrow(op, relation, b->v)), nat | b->nat);
}

const struct ia64_op *run_cmp(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr *a = gr_at(m, op->r2);

	return compare(m, op, a->v, a->nat);
}

const struct ia64_op *run_cmp_imm(struct ia64 *m, const struct ia64_op *op)
{
	return compare(m, op, (uint64_t)op->imm, 0);
}

static const struct ia64_op *compare_eq(struct ia64 *m, const struct ia64_op *op, uint64_t a, uint64_t nat)
{
	const struct gr *b = gr_at(m, op->r3);
	bool equal = narrow(op, 1, a) == narrow(op, 1, b->v);

	return parallel(m, op, op->x[2], equal != op->x[1], nat | b->nat);
}

const struct ia64_op *run_cmp_eq(struct ia64 *m, const struct ia64_op *op)
{
	return compare_eq(m, op, gr(m, op->r2), gr_at(m, op->r2)->nat);
}

const struct ia64_op *run_cmp_eq_imm(struct ia64 *m, const struct ia64_op *op)
{
	return compare_eq(m, op, (uint64_t)op->imm, 0);
}

const struct ia64_op *run_cmp_zero(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr *b = gr_at(m, op->r3);
	int64_t v = (int64_t)narrow(op, 0, b->v);
	const bool result[4] = { 0 > v, 0 <= v, 0 >= v, 0 < v };

	return parallel(m, op, op->x[2], result[op->x[1]], b->nat);
}

static const struct ia64_op *test(struct ia64 *m, const struct ia64_op *op, bool zero, bool nat)
{
	if (op->x[0] && unc_off(m, op))
		return op + 1;
	return both(m, op, zero, nat);
}

const struct ia64_op *run_tbit(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr *a = gr_at(m, op->r3);

	return test(m, op, !(a->v >> op->imm & 1), a->nat);
}

const struct ia64_op *run_tbit_par(struct ia64 *m, const struct ia64_op *op)
{
	const struct gr *a = gr_at(m, op->r3);

	return parallel(m, op, op->x[1], (a->v >> op->imm & 1) == op->x[0], a->nat);
}

const struct ia64_op *run_tnat(struct ia64 *m, const struct ia64_op *op)
{
	return test(m, op, !gr_at(m, op->r3)->nat, false);
}

const struct ia64_op *run_tnat_par(struct ia64 *m, const struct ia64_op *op)
{
	return parallel(m, op, op->x[1], gr_at(m, op->r3)->nat == op->x[0], false);
}

/* CPUID[4]'s bits from 32 on: clz is 32, mpy4 and mpyshl4 33. */
static bool has_feature(const struct ia64_op *op)
{
	return op->imm == 32 || op->imm == 33;
}

const struct ia64_op *run_tf(struct ia64 *m, const struct ia64_op *op)
{
	return test(m, op, !has_feature(op), false);
}

const struct ia64_op *run_tf_par(struct ia64 *m, const struct ia64_op *op)
{
	return parallel(m, op, op->x[1], has_feature(op) == op->x[0], false);
}
