/* SPDX-License-Identifier: BSD-2-Clause */
/* fma, fms, fnma: a product of 128 bits and a sum that keeps all of it, rounded once (vol. 3, fma; vol. 1, 5.3.3). */
#include "ia64/fp_private.h"

static struct fp_out round_normalised(const struct fp_mode *mode, uint32_t sign, int32_t exp, bits_u128 v,
				      uint32_t status)
{
	uint64_t high = (uint64_t)(v >> 64);
	unsigned zeros = high ? (unsigned)__builtin_clzll(high) : 64 + (unsigned)__builtin_clzll((uint64_t)v);

	return fp_round(mode, sign, exp - (int32_t)zeros, v << zeros, status);
}

/* v moved down to the place of a number whose exponent is n >= 0 above v's; *lost: whether bits fell out. */
static inline bits_u128 align(bits_u128 v, int32_t n, bool *lost)
{
	if (n >= 128) {
		*lost = true;
		return 0;
	}
	*lost = (v & (((bits_u128)1 << n) - 1)) != 0;
	return v >> n;
}

/* |large| + |small|, large's exponent exp being n >= 0 above small's. */
static inline struct fp_out add(const struct fp_mode *mode, uint32_t sign, int32_t exp, bits_u128 large, bits_u128 small,
				int32_t n, uint32_t status)
{
	bits_u128 sum;
	bool lost;

	if (__builtin_add_overflow(large, align(small, n, &lost), &sum)) {
		sum = sum >> 1 | (sum & 1) | (bits_u128)1 << 127;
		exp++;
	}
	return fp_round(mode, sign, exp, sum | lost, status);
}

/*
 * |large| - |small|.  With exponents one apart all of small's bits count, because the difference may be as small as its last
 * one: there large moves up instead, into a 129th bit.  Farther apart the difference loses at most one bit at the top, so
 * what fell out only has to be known not to be zero: it borrows from bit 0 and leaves something below it.
 */
static inline struct fp_out subtract(const struct fp_mode *mode, uint32_t sign, int32_t exp, bits_u128 large,
				     bits_u128 small, int32_t n, uint32_t status)
{
	bits_u128 difference;
	bool lost;

	if (n != 1) {
		small = align(small, n, &lost);
		return round_normalised(mode, sign, exp, (large - small - lost) | lost, status);
	}
	if (__builtin_sub_overflow(large << 1, small, &difference))
		return round_normalised(mode, sign, exp - 1, difference, status);
	difference = difference >> 1 | (difference & 1) | (bits_u128)1 << 127;
	return fp_round(mode, sign, exp, difference, status);
}

/* The product p (bit 127 set, exponent and sign beside it) plus f2, neither of them zero. */
static inline struct fp_out sum(const struct fp_mode *mode, bits_u128 p, int32_t exp, uint32_t sign, struct fp_num f2,
				uint32_t status)
{
	bits_u128 c = (bits_u128)f2.sig << 64;
	int32_t n = exp - f2.exp;
	bool product_larger = n > 0 || (n == 0 && p >= c);

	if (sign == f2.sign)
		return product_larger ? add(mode, sign, exp, p, c, n, status)
				      : add(mode, sign, f2.exp, c, p, -n, status);
	if (n == 0 && p == c)
		return fp_out(0, mode->rc == FP_RC_DOWN ? FP_SIGN : 0, status);
	return product_larger ? subtract(mode, sign, exp, p, c, n, status)
			      : subtract(mode, f2.sign, f2.exp, c, p, -n, status);
}

/* A product of zero plus f2, or alone. */
static struct fp_out zero_product(const struct fp_mode *mode, uint32_t sign, struct fp_num f2, bool adds, uint32_t status)
{
	if (!adds)
		return fp_out(0, sign, status);
	if (f2.sig)
		return fp_round(mode, f2.sign, f2.exp, (bits_u128)f2.sig << 64, status);
	if (sign != f2.sign)
		sign = mode->rc == FP_RC_DOWN ? FP_SIGN : 0;
	return fp_out(0, sign, status);
}

/* Finite operands.  adds: the instruction names another f2 than FR 0. */
static inline struct fp_out fma_finite(const struct fp_mode *mode, struct fp_num f3, struct fp_num f4, struct fp_num f2,
				       bool adds, uint32_t status)
{
	uint32_t sign = f3.sign ^ f4.sign;
	bits_u128 p = (bits_u128)f3.sig * f4.sig;
	int32_t exp = f3.exp + f4.exp - FP_EXP_BIAS + 1;
	bool short_of_a_bit = !(p >> 127);

	if (p == 0)
		return zero_product(mode, sign, f2, adds, status);
	p <<= short_of_a_bit;
	exp -= short_of_a_bit;
	if (f2.sig == 0)
		return fp_round(mode, sign, exp, p, status);
	return sum(mode, p, exp, sign, f2, status);
}

/*
 * An infinity among f4, f2, f3 (in this order, which is that of NaNs).  Only zeros proper make a product with an infinity
 * invalid; pseudo-zeros do not (vol. 1, 5.1.3).  The signs are those of the product and of f2 as the operation takes them.
 */
static struct fp_out fma_infinite(const struct fp_mode *mode, const enum fp_kind *kind, uint32_t product_sign,
				  uint32_t f2_sign, uint32_t status)
{
	enum fp_kind f4 = kind[0], f2 = kind[1], f3 = kind[2];

	if (f4 != FP_KIND_INF && f3 != FP_KIND_INF)
		return fp_infinity(f2_sign, status);
	if (f4 == FP_KIND_ZERO || f3 == FP_KIND_ZERO || (f2 == FP_KIND_INF && product_sign != f2_sign))
		return fp_invalid(mode);
	return fp_infinity(product_sign, status);
}

/* What an operation does to the signs of its operands. */
static inline uint32_t product_flip(enum fp_multiply_add op)
{
	return op & FP_FNMA ? FP_SIGN : 0;
}

static inline uint32_t f2_flip(enum fp_multiply_add op)
{
	return op & FP_FMS ? FP_SIGN : 0;
}

/* f: f4, f2, f3. */
static struct fp_out fma_rare(enum fp_multiply_add op, const struct fp_mode *mode, const struct fp_reg *const *f,
			      bool adds)
{
	const struct fp_reg *f4 = f[0], *f2 = f[1], *f3 = f[2];
	enum fp_kind kind[3] = { fp_kind(f4), fp_kind(f2), fp_kind(f3) };
	uint32_t status = 0;
	struct fp_num n3, n4, n2;
	bool infinite = false;
	struct fp_out out;

	if (fp_nan(mode, f, kind, 3, &out))
		return out;
	n3 = fp_number(f3), n4 = fp_number(f4), n2 = fp_number(f2);
	n3.sign ^= product_flip(op);
	n2.sign ^= f2_flip(op);
	for (unsigned i = 0; i < 3; i++) {
		status |= kind[i] == FP_KIND_UNORM ? FP_D : 0;
		infinite |= kind[i] == FP_KIND_INF;
	}
	if (infinite) {
		out = fma_infinite(mode, kind, n3.sign ^ n4.sign, n2.sign, status);
		if (out.status & (FP_V | FP_FAULT))
			return out;
	}
	if (status & ~mode->disabled)
		return fp_fault(FP_D);
	return infinite ? out : fma_finite(mode, n3, n4, n2, adds, status);
}

static inline struct fp_num normal(const struct fp_reg *f, uint32_t flip)
{
	return (struct fp_num){ f->sig, (int32_t)(f->se & FP_EXP_ONES), (f->se & FP_SIGN) ^ flip };
}

struct fp_out fp_fma(enum fp_multiply_add op, const struct fp_mode *mode, const struct fp_reg *f3,
		     const struct fp_reg *f4, const struct fp_reg *f2)
{
	static const struct fp_reg zero = { 0, 0 };
	bool adds = f2 != NULL;

	f2 = adds ? f2 : &zero;
	if (!fp_is_normal(f3) || !fp_is_normal(f4) || !(fp_is_normal(f2) || (f2->sig | (f2->se & FP_EXP_ONES)) == 0))
		return fma_rare(op, mode, (const struct fp_reg *const[]){ f4, f2, f3 }, adds);
	return fma_finite(mode, normal(f3, product_flip(op)), normal(f4, 0), normal(f2, f2_flip(op)), adds, 0);
}
