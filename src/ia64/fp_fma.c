/* SPDX-License-Identifier: BSD-2-Clause */
/* fma, fms, fnma: a product of 128 bits and a sum that keeps all of it, rounded once (vol. 3, fma; vol. 1, 5.3.3). */
#include "ia64/fp_private.h"

/* A number of 192 bits, which no sum or difference of operands less than 64 places apart exceeds. */
struct wide {
	uint64_t high, mid, low;
};

/* Shifts by n < 64 in words: the compiler's own for 128 bits mind counts up to 127. */
static inline struct wide shift_right(struct wide w, unsigned n)
{
	return (struct wide){
		w.high >> n,
		w.mid >> n | w.high << 1 << (63 - n),
		w.low >> n | w.mid << 1 << (63 - n),
	};
}

static inline struct wide shift_left(struct wide w, unsigned n)
{
	return (struct wide){
		w.high << n | w.mid >> 1 >> (63 - n),
		w.mid << n | w.low >> 1 >> (63 - n),
		w.low << n,
	};
}

/* a plus or minus b; *carry: out of the top of a sum. */
static inline struct wide add(struct wide a, struct wide b, bool subtract, bool *carry)
{
	uint64_t negate = -(uint64_t)subtract;
	bits_u128 sum, addend = (bits_u128)(b.high ^ negate) << 64 | (b.mid ^ negate);
	uint64_t low;
	bool from_low = __builtin_add_overflow(b.low ^ negate, (uint64_t)subtract, &low);

	/* a.low is zero: only a complement carries out of the low word, when b.low is zero too. */
	*carry = __builtin_add_overflow((bits_u128)a.high << 64 | a.mid, addend + from_low, &sum) & !subtract;
	return (struct wide){ (uint64_t)(sum >> 64), (uint64_t)sum, low };
}

static inline struct fp_out round_wide(const struct fp_mode *mode, uint32_t sign, int32_t exp, struct wide w,
				       uint32_t status)
{
	return fp_round(mode, sign, exp, (bits_u128)w.high << 64 | w.mid | (w.low != 0), status);
}

/* A difference whose high word is empty. */
static struct fp_out round_low(const struct fp_mode *mode, uint32_t sign, int32_t exp, struct wide w, uint32_t status)
{
	if ((w.mid | w.low) == 0)
		return fp_out(0, mode->rc == FP_RC_DOWN ? FP_SIGN : 0, status);
	while (w.high == 0) {
		w = (struct wide){ w.mid, w.low, 0 };
		exp -= 64;
	}
	exp -= __builtin_clzll(w.high);
	return round_wide(mode, sign, exp, shift_left(w, (unsigned)__builtin_clzll(w.high)), status);
}

/* Exponents n >= 64 apart: all of small lies so low that the sum keeps its integer bit within one place of large's. */
static struct fp_out sum_far(const struct fp_mode *mode, uint32_t sign, int32_t exp, struct wide l, struct wide s,
			     bool subtract, uint32_t n, uint32_t status)
{
	bits_u128 large = (bits_u128)l.high << 64 | l.mid, small = (bits_u128)s.high << 64 | s.mid;
	bits_u128 moved = n < 128 ? small >> n : 0;
	bool lost = n >= 128 || moved << n != small, carry;
	unsigned zeros;

	if (subtract) {
		large = (large - moved - lost) | lost;
		zeros = !(large >> 127);
		return fp_round(mode, sign, exp - (int32_t)zeros, large << zeros, status);
	}
	carry = __builtin_add_overflow(large, moved, &large);
	if (carry)
		large = large >> 1 | (large & 1) | (bits_u128)1 << 127;
	return fp_round(mode, sign, exp + carry, large | lost, status);
}

/*
 * The product p (bit 127 set, exponent and sign beside it) plus f2, neither of them zero.  Which is larger, and their signs, are
 * as good as random in programs: the common case, exponents less than 64 apart, has no branch on them.
 */
static inline struct fp_out sum(const struct fp_mode *mode, struct wide p, int32_t exp, uint32_t sign, struct fp_num f2,
				uint32_t status)
{
	int32_t n = exp - f2.exp;
	uint64_t swap = -(uint64_t)((n < 0) | ((n == 0) & (p.high < f2.sig))), high = p.high ^ f2.sig;
	bool subtract = sign != f2.sign, carry;
	struct wide w, small;
	unsigned zeros;

	KEEP(swap);	/* a mask, not a branch */
	w = (struct wide){ p.high ^ (high & swap), p.mid & ~swap, 0 };
	small = (struct wide){ f2.sig ^ (high & swap), p.mid & swap, 0 };
	exp -= n & (int32_t)swap;
	sign ^= (sign ^ f2.sign) & (uint32_t)swap;
	n = n < 0 ? -n : n;
	if (n >= 64)
		return sum_far(mode, sign, exp, w, small, subtract, (uint32_t)n, status);
	w = add(w, shift_right(small, (unsigned)n), subtract, &carry);
	w.low |= w.mid & carry;		/* only what it stands for matters after a carry */
	w.mid = w.mid >> carry | (w.high & carry) << 63;
	w.high = w.high >> carry | (uint64_t)carry << 63;
	if (w.high == 0)
		return round_low(mode, sign, exp, w, status);
	zeros = (unsigned)__builtin_clzll(w.high);
	return round_wide(mode, sign, exp + carry - (int32_t)zeros, shift_left(w, zeros), status);
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
	bits_u128 product = (bits_u128)f3.sig * f4.sig;
	struct wide p = { (uint64_t)(product >> 64), (uint64_t)product, 0 };
	unsigned zeros = !(p.high >> 63);	/* of two significands' product there is one at most */

	if (product == 0)
		return zero_product(mode, sign, f2, adds, status);
	p = shift_left(p, zeros);
	if (f2.sig == 0)
		return round_wide(mode, sign, f3.exp + f4.exp - FP_EXP_BIAS + 1 - (int32_t)zeros, p, status);
	return sum(mode, p, f3.exp + f4.exp - FP_EXP_BIAS + 1 - (int32_t)zeros, sign, f2, status);
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
