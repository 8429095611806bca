/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multiply-add of finite operands by the definition: the exact sum as an integer of many words times a power of two, rounded
 * by dividing it by the last place.  Slow, and written apart from what it checks: it decodes FPSR by itself.
 */
#ifndef BXS_TEST_FP_SLOW_H
#define BXS_TEST_FP_SLOW_H

#include "fp_rows.h"

enum { WORDS = 24, FAR = 300 };	/* bits that an addend may lie below the other and still be added as it is */

/* Words of 32 bits, the lowest first. */
struct big {
	uint32_t w[WORDS];
};

static inline struct big big_of(uint64_t v)
{
	return (struct big){ { (uint32_t)v, (uint32_t)(v >> 32) } };
}

static inline int big_length(const struct big *b)
{
	for (int i = WORDS * 32 - 1; i >= 0; i--)
		if (b->w[i / 32] >> i % 32 & 1)
			return i + 1;
	return 0;
}

static inline bool big_bit(const struct big *b, int i)
{
	return i >= 0 && i < WORDS * 32 && b->w[i / 32] >> i % 32 & 1;
}

static inline struct big big_shift(const struct big *b, int left)
{
	struct big r = { { 0 } };

	for (int i = 0; i < WORDS * 32; i++)
		if (big_bit(b, i - left))
			r.w[i / 32] |= 1u << i % 32;
	return r;
}

static inline struct big big_add(const struct big *a, const struct big *b)
{
	uint64_t carry = 0;
	struct big r;

	for (int i = 0; i < WORDS; i++) {
		carry += (uint64_t)a->w[i] + b->w[i];
		r.w[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return r;
}

static inline struct big big_sub(const struct big *a, const struct big *b)
{
	struct big complement, one = big_of(1), sum;

	for (int i = 0; i < WORDS; i++)
		complement.w[i] = ~b->w[i];
	sum = big_add(a, &complement);
	return big_add(&sum, &one);
}

static inline int big_compare(const struct big *a, const struct big *b)
{
	for (int i = WORDS - 1; i >= 0; i--)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return 0;
}

static inline struct big big_mul(uint64_t a, uint64_t b)
{
	struct big r = { { 0 } }, factor = big_of(b);

	for (int i = 0; i < 64; i++)
		if (a >> i & 1) {
			struct big term = big_shift(&factor, i);

			r = big_add(&r, &term);
		}
	return r;
}

/* A number n * 2^exp; exp has no bias. */
struct slow {
	struct big n;
	int exp;
	bool negative;
};

static inline struct slow slow_of(const struct fp_reg *f)
{
	int field = (int)(f->se & FP_EXP_ONES);

	return (struct slow){ big_of(f->sig), (field ? field : 0xc001) - 0xffff - 63, f->se >> 17 };
}

/* What an instruction rounds to and traps on, taken from FPSR. */
struct slow_mode {
	int precision, emin, emax, rc;
	unsigned disabled;
	bool ftz;
};

static inline struct slow_mode slow_mode(uint64_t fpsr, unsigned sf, enum fp_pc pc)
{
	unsigned c = (unsigned)(fpsr >> (6 + 13 * sf)) & 0x7f;
	int precision[] = { 24, 53, (c >> 2 & 3) == 0 ? 24 : (c >> 2 & 3) == 2 ? 53 : 64 }, range[] = { 127, 1023, 16383 };
	int emax = c & 2 ? 65535 : range[pc];

	return (struct slow_mode){ precision[pc], 1 - emax, emax, (int)(c >> 4 & 3), c & 0x40 ? 0x3f : fpsr & 0x3f, c & 1 };
}

/* A number as a multiple of 2^last: q, and what rounding did. */
struct slow_rounded {
	struct big q;
	bool inexact, up;
};

static inline struct slow_rounded slow_round_at(const struct slow *s, int last, int rc)
{
	int drop = last - s->exp;
	struct slow_rounded r = { .q = big_shift(&s->n, -drop) };
	struct big back = big_shift(&r.q, drop), rest, twice, unit = big_of(1);
	int half;

	if (drop <= 0)
		return r;
	rest = big_sub(&s->n, &back);
	twice = big_shift(&rest, 1);
	unit = drop < WORDS * 32 ? big_shift(&unit, drop) : unit;
	half = drop < WORDS * 32 ? big_compare(&twice, &unit) : -1;
	r.inexact = big_length(&rest) > 0;
	r.up = rc == 0 ? half > 0 || (half == 0 && r.inexact && big_bit(&r.q, 0))
		       : r.inexact && rc == (s->negative ? 1 : 2);
	unit = big_of(1);
	if (r.up)
		r.q = big_add(&r.q, &unit);
	return r;
}

static inline uint64_t big_low64(const struct big *b)
{
	return (uint64_t)b->w[1] << 32 | b->w[0];
}

static inline uint32_t slow_trap(uint32_t code, bool up)
{
	return TRAP(code | (up ? FP_ISR_FPA : 0));
}

/* A rounded magnitude q * 2^last of at most p bits, as a register with its exponent in as many bits as there are. */
static inline struct fp_out slow_register(const struct slow_mode *m, const struct slow *s, const struct slow_rounded *r,
					  int last, uint32_t status)
{
	int length = big_length(&r->q);
	uint64_t sig = length ? big_low64(&r->q) << (64 - m->precision) : 0;
	uint32_t exp = (uint32_t)(last + m->precision - 1 + 0xffff) & FP_EXP_ONES;

	if (length > m->precision)	/* carried: one place up */
		sig = SIG_1, exp = (exp + 1) & FP_EXP_ONES;
	return (struct fp_out){ sig, (uint32_t)s->negative << 17 | exp, status };
}

static inline struct fp_out slow_tiny(const struct slow_mode *m, const struct slow *s, uint32_t status)
{
	int last = m->emin - m->precision + 1;
	struct slow_rounded r = slow_round_at(s, last, m->rc);
	struct fp_out out;

	if (r.inexact)
		status |= FP_U | FP_I | (m->disabled & FP_I ? 0 : slow_trap(FP_ISR_I, r.up));
	out = slow_register(m, s, &r, last, status);
	if (out.sig == 0 || (m->emin == -16382 && !(out.sig >> 63)))
		out.se &= FP_SIGN;
	return out;
}

static inline struct fp_out slow_round(const struct slow_mode *m, const struct slow *s, uint32_t status)
{
	int last = s->exp + big_length(&s->n) - m->precision;
	struct slow_rounded r = slow_round_at(s, last, m->rc);
	int exp = last + big_length(&r.q) - 1;
	uint32_t sign = (uint32_t)s->negative << 17, inexact = r.inexact ? FP_I : 0;
	bool infinite = m->rc == 0 || m->rc == (s->negative ? 1 : 2);

	if (exp > m->emax && !(m->disabled & FP_O))
		return slow_register(m, s, &r, last, status | FP_O | inexact | slow_trap(FP_ISR_O | (inexact ? FP_ISR_I : 0), r.up));
	if (exp > m->emax) {
		status |= FP_O | FP_I | (m->disabled & FP_I ? 0 : slow_trap(FP_ISR_I, infinite));
		if (infinite)
			return (struct fp_out){ SIG_1, sign | FP_EXP_ONES, status };
		return (struct fp_out){ SIG_MAX << (64 - m->precision), sign | (uint32_t)(m->emax + 0xffff), status };
	}
	if (exp < m->emin) {
		status |= FP_TINY;
		if (!(m->disabled & FP_U))
			return slow_register(m, s, &r, last, status | FP_U | inexact |
					     slow_trap(FP_ISR_U | (inexact ? FP_ISR_I : 0), r.up));
		if (m->ftz)
			return (struct fp_out){ 0, sign, status | FP_FLUSHED | FP_U | FP_I |
						(m->disabled & FP_I ? 0 : slow_trap(FP_ISR_I, false)) };
		return slow_tiny(m, s, status);
	}
	if (r.inexact)
		status |= FP_I | (m->disabled & FP_I ? 0 : slow_trap(FP_ISR_I, r.up));
	return slow_register(m, s, &r, last, status);
}

/* Where two addends lie too far apart for the words, the lower one as one unit still below all that rounding looks at. */
static inline void slow_near(struct slow *high, struct slow *low)
{
	int top = high->exp + big_length(&high->n), below = low->exp + big_length(&low->n);

	if (top - below <= FAR)
		return;
	low->n = big_of(1);
	low->exp = top - FAR;
}

static inline struct slow slow_add(struct slow a, struct slow b)
{
	struct slow sum, *low, *high;
	bool a_larger;

	slow_near(&a, &b);
	slow_near(&b, &a);
	low = a.exp < b.exp ? &a : &b;
	high = low == &a ? &b : &a;
	high->n = big_shift(&high->n, high->exp - low->exp);
	a_larger = big_compare(&a.n, &b.n) >= 0;
	sum = a_larger ? a : b;
	sum.exp = low->exp;
	if (a.negative == b.negative)
		sum.n = big_add(&a.n, &b.n);
	else
		sum.n = a_larger ? big_sub(&a.n, &b.n) : big_sub(&b.n, &a.n);
	return sum;
}

static inline bool slow_unnormal(const struct fp_reg *f)
{
	uint32_t exp = f->se & FP_EXP_ONES;

	return exp ? !(f->sig >> 63) : f->sig != 0;
}

static inline struct fp_out slow_fma(enum fp_multiply_add op, const struct slow_mode *m, const struct fp_reg *f3,
				     const struct fp_reg *f4, const struct fp_reg *f2)
{
	struct fp_reg zero = { 0, 0 };
	struct slow a = slow_of(f3), b = slow_of(f4), c = slow_of(f2 ? f2 : &zero), sum;
	bool unnormal = slow_unnormal(f3) || slow_unnormal(f4) || (f2 && slow_unnormal(f2));
	struct slow p = { big_mul(f3->sig, f4->sig), a.exp + b.exp, a.negative ^ b.negative ^ (op == FP_FNMA) };
	uint32_t status = unnormal ? FP_D : 0;
	bool zero_p = big_length(&p.n) == 0, zero_c = big_length(&c.n) == 0;

	c.negative ^= op == FP_FMS;
	if (unnormal && !(m->disabled & FP_D))
		return (struct fp_out){ 0, 0, FAULT(FP_ISR_D) };
	if (zero_p && !f2)
		return (struct fp_out){ 0, (uint32_t)p.negative << 17, status };
	if (zero_p && zero_c && p.negative == c.negative)
		return (struct fp_out){ 0, (uint32_t)p.negative << 17, status };
	sum = zero_p ? c : zero_c ? p : slow_add(p, c);
	if (big_length(&sum.n) == 0)
		return (struct fp_out){ 0, m->rc == 1 ? FP_SIGN : 0, status };
	return slow_round(m, &sum, status);
}

#endif
