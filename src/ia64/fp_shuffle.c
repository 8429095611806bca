/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions on the bits of registers, and the integer multiply-add (vol. 3: fmerge, fmix, fsxt, fswap, fpack, fand, xma). */
#include "ia64/fp_private.h"

#define SIGNS UINT64_C(0x8000000080000000)		/* of the singles of a pair */
#define SIGNS_EXPS UINT64_C(0xff800000ff800000)

static uint64_t join(uint64_t high, uint64_t low)
{
	return high << 32 | (low & UINT32_MAX);
}

static uint64_t extend_sign(uint64_t of, unsigned bit)
{
	return of >> bit & 1 ? UINT32_MAX : 0;
}

static uint64_t shuffled(enum fp_shuffle op, const struct fp_reg *f2, const struct fp_reg *f3)
{
	uint64_t a = f2->sig, b = f3->sig;

	switch (op) {
	case FP_PMERGE_S:
		return (a & SIGNS) | (b & ~SIGNS);
	case FP_PMERGE_NS:
		return (~a & SIGNS) | (b & ~SIGNS);
	case FP_PMERGE_SE:
		return (a & SIGNS_EXPS) | (b & ~SIGNS_EXPS);
	case FP_MIX_L:
		return join(a >> 32, b >> 32);
	case FP_MIX_R:
		return join(a, b);
	case FP_MIX_LR:
		return join(a >> 32, b);
	case FP_SXT_L:
		return join(extend_sign(a, 63), b >> 32);
	case FP_SXT_R:
		return join(extend_sign(a, 31), b);
	case FP_SWAP:
		return join(b, a >> 32);
	case FP_SWAP_NL:
		return join(b, a >> 32) ^ UINT64_C(1) << 63;
	case FP_SWAP_NR:
		return join(b, a >> 32) ^ UINT64_C(1) << 31;
	case FP_AND:
		return a & b;
	case FP_ANDCM:
		return a & ~b;
	case FP_OR:
		return a | b;
	case FP_XOR:
		return a ^ b;
	case FP_PACK:
		return join(fp_to_single(f2), fp_to_single(f3));
	default:
		return b;
	}
}

struct fp_reg fp_shuffle(enum fp_shuffle op, const struct fp_reg *f2, const struct fp_reg *f3)
{
	if (fp_is_natval(f2) || fp_is_natval(f3))
		return FP_NATVAL;
	switch (op) {
	case FP_MERGE_S:
		return (struct fp_reg){ f3->sig, (f2->se & FP_SIGN) | (f3->se & FP_EXP_ONES) };
	case FP_MERGE_NS:
		return (struct fp_reg){ f3->sig, (~f2->se & FP_SIGN) | (f3->se & FP_EXP_ONES) };
	case FP_MERGE_SE:
		return (struct fp_reg){ f3->sig, f2->se };
	default:
		return fp_from_int(shuffled(op, f2, f3));
	}
}

struct fp_reg fp_select(const struct fp_reg *f3, const struct fp_reg *f4, const struct fp_reg *f2)
{
	if (fp_is_natval(f3) || fp_is_natval(f4) || fp_is_natval(f2))
		return FP_NATVAL;
	return fp_from_int((f3->sig & f2->sig) | (f4->sig & ~f2->sig));
}

struct fp_reg fp_xma(enum fp_xma op, const struct fp_reg *f3, const struct fp_reg *f4, const struct fp_reg *f2)
{
	bits_u128 sum = (bits_u128)f3->sig * f4->sig + f2->sig;	/* at most 2^128 - 2^64 */
	uint64_t high = (uint64_t)(sum >> 64);

	if (fp_is_natval(f3) || fp_is_natval(f4) || fp_is_natval(f2))
		return FP_NATVAL;
	if (op == FP_XMA_L)
		return fp_from_int((uint64_t)sum);
	if (op == FP_XMA_H) {	/* a negative factor was taken 2^64 too large */
		high -= f3->sig >> 63 ? f4->sig : 0;
		high -= f4->sig >> 63 ? f3->sig : 0;
	}
	return fp_from_int(high);
}
