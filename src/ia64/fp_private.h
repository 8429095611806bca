/* SPDX-License-Identifier: BSD-2-Clause */
/* What the floating-point files share: kinds of operands, numbers taken apart, interruptions, rounding. */
#ifndef BXS_FP_PRIVATE_H
#define BXS_FP_PRIVATE_H

#include "base/bits.h"
#include "ia64/fp.h"

/* Classes of register encodings (vol. 1, table 5-2). */
enum fp_kind {
	FP_KIND_ZERO, FP_KIND_NORM, FP_KIND_UNORM, FP_KIND_INF, FP_KIND_QNAN, FP_KIND_SNAN, FP_KIND_UNSUPPORTED,
	FP_KIND_NAT
};

#define FP_QUIET_BIT (UINT64_C(1) << 62)
#define FP_INDEFINITE (FP_INTEGER_BIT | FP_QUIET_BIT)	/* with sign 1 the QNaN of a masked invalid operation */

/* The exponent of the numbers whose field is zero: double-extended denormals (vol. 1, 5.1.2). */
enum { FP_EXP_DENORMAL = 0xc001 };

/* A finite number: sig has its integer bit set, or is zero for a zero. */
struct fp_num {
	uint64_t sig;
	int32_t exp;		/* biased by 0xffff, any value */
	uint32_t sign;		/* 0 or FP_SIGN */
};

static inline bool fp_is_normal(const struct fp_reg *f)
{
	return f->sig >> 63 && (f->se & FP_EXP_ONES) - 1 < FP_EXP_ONES - 1;
}

static inline enum fp_kind fp_kind_special(const struct fp_reg *f)
{
	if (!(f->sig >> 63))
		return FP_KIND_UNSUPPORTED;
	if (f->sig == FP_INTEGER_BIT)
		return FP_KIND_INF;
	return f->sig & FP_QUIET_BIT ? FP_KIND_QNAN : FP_KIND_SNAN;
}

static inline enum fp_kind fp_kind(const struct fp_reg *f)
{
	uint32_t exp = f->se & FP_EXP_ONES;

	if (fp_is_normal(f))
		return FP_KIND_NORM;
	if (exp == FP_EXP_ONES)
		return fp_kind_special(f);
	if (f->sig == 0 && exp == 0)
		return FP_KIND_ZERO;
	return fp_is_natval(f) ? FP_KIND_NAT : FP_KIND_UNORM;
}

static inline bool fp_kind_finite(enum fp_kind kind)
{
	return kind <= FP_KIND_UNORM;
}

static inline bool fp_kind_nan(enum fp_kind kind)
{
	return kind == FP_KIND_QNAN || kind == FP_KIND_SNAN;
}

/* The number in a finite register, normalised.  Pseudo-zeros are zeros. */
static inline struct fp_num fp_number(const struct fp_reg *f)
{
	int32_t exp = f->se & FP_EXP_ONES;
	unsigned zeros = f->sig ? (unsigned)__builtin_clzll(f->sig) : 0;

	if (exp == 0)
		exp = FP_EXP_DENORMAL;
	return (struct fp_num){ f->sig << zeros, exp - (int32_t)zeros, f->se & FP_SIGN };
}

/* --- Values with a status --- */

static inline struct fp_out fp_out(uint64_t sig, uint32_t se, uint32_t status)
{
	return (struct fp_out){ sig, se, status };
}

static inline struct fp_out fp_natval(void)
{
	return fp_out(0, FP_EXP_NATVAL, 0);
}

/* flag is one of FP_V, FP_D, FP_Z: their order is that of the bits of ISR.code. */
static inline struct fp_out fp_fault(uint32_t flag)
{
	return fp_out(0, 0, FP_FAULT | flag << FP_ISR_SHIFT);
}

/* The response to an operation without a value. */
static inline struct fp_out fp_invalid(const struct fp_mode *mode)
{
	if (!(mode->disabled & FP_V))
		return fp_fault(FP_V);
	return fp_out(FP_INDEFINITE, FP_SIGN | FP_EXP_ONES, FP_V);
}

static inline struct fp_out fp_infinity(uint32_t sign, uint32_t status)
{
	return fp_out(FP_INTEGER_BIT, sign | FP_EXP_ONES, status);
}

/*
 * The value that several operands' NaNs give: the first of them, quiet, in the order of the array; an unsupported operand
 * comes before any NaN.  Returns false if no operand is of these kinds.
 */
bool fp_nan(const struct fp_mode *mode, const struct fp_reg *const *f, const enum fp_kind *kind, unsigned n,
	    struct fp_out *out);

/* --- Shared between the forms for one value and for pairs --- */

extern const uint16_t fp_recip[256], fp_recip_sqrt[256];

/* An integer of `width` bits. */
struct fp_out fp_to_integer(enum fp_convert op, const struct fp_mode *mode, const struct fp_reg *f2, unsigned width);

/*
 * The quotient f2 / f3 where it needs no division: operands that are NaN, infinite or zero, and faults.  Returns whether
 * *out is it; if not, out->status has the flags so far.
 */
bool fp_quotient_special(const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3,
			 struct fp_out *out);

/* What the tables say for a number that is not zero: 1/n and, whatever n's sign, 1/sqrt(n). */
struct fp_out fp_recip_of(const struct fp_num *n, uint32_t status);
struct fp_out fp_recip_sqrt_of(const struct fp_num *n, uint32_t status);

/* A quotient and the square root of a positive number, neither operand zero, rounded once. */
struct fp_out fp_divide(const struct fp_mode *mode, const struct fp_num *f2, const struct fp_num *f3, uint32_t status);
struct fp_out fp_sqrt(const struct fp_mode *mode, const struct fp_num *f3, uint32_t status);

/* --- Rounding (vol. 1, 5.4.2 and 5.4.3) --- */

/* The results that overflow, are tiny or interrupt.  exp and v are those before rounding. */
struct fp_out fp_round_rare(const struct fp_mode *mode, uint32_t sign, int32_t exp, bits_u128 v, uint32_t status);

/*
 * Round a number once: bit 127 of v is its integer bit, bit 0 stands for all bits below as well, and status has the flags
 * so far.
 */
static inline struct fp_out fp_round(const struct fp_mode *mode, uint32_t sign, int32_t exp, bits_u128 v,
				     uint32_t status)
{
	unsigned s = sign != 0;
	uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v, kept;
	bits_u128 add = (bits_u128)mode->high[s] << 64 | mode->low[s];
	bool carry = __builtin_add_overflow(v, add + (high >> mode->drop & mode->even), &add);
	bool inexact = ((high & mode->lost) | low) != 0;

	kept = (uint64_t)(add >> 64) & ~mode->lost;
	kept = carry ? FP_INTEGER_BIT : kept;
	if ((exp + carry < mode->emin) | (exp + carry > mode->emax) | (inexact & !(mode->disabled & FP_I)))
		return fp_round_rare(mode, sign, exp, v, status);
	return fp_out(kept, sign | (uint32_t)(exp + carry), status | (inexact ? FP_I : 0));
}

#endif
