/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random finite operands: multiply-adds in all modes against the slow model, the quotients and roots that assistance delivers
 * against products.
 */
#include "fp_slow.h"

enum { CASES = 20000 };

static uint64_t seed = 88172645463325252;

static uint64_t roll(void)
{
	return check_random(&seed) * UINT64_C(0x9e3779b97f4a7c15) >> 8;
}

static uint64_t any_word(void)
{
	return roll() << 32 ^ roll();
}

/* Significands with few ones, few zeros, runs of them, short precisions; some unnormal. */
static uint64_t any_significand(void)
{
	unsigned n = roll() % 63;

	switch (roll() % 12) {
	case 0:
		return SIG_1;
	case 1:
		return SIG_MAX;
	case 2:
		return SIG_1 | UINT64_C(1) << n;
	case 3:
		return SIG_MAX << n;
	case 4:
		return SIG_1 | bits_low(n);
	case 5:
		return (SIG_1 | any_word()) & SIG_MAX << 40;
	case 6:
		return (SIG_1 | any_word()) & SIG_MAX << 11;
	case 7:
		return any_word() >> n;
	default:
		return SIG_1 | any_word();
	}
}

/* Exponents near those of the ranges' ends, near each other, or anywhere. */
static uint32_t any_exponent(uint32_t near)
{
	static const uint32_t ends[] = { 0, 64, 0xc001, 0xfc01, 0xff81, 0x1003e, 0x1007e, 0x103fe, 0x13ffe, 0x1fffa };

	switch (roll() % 8) {
	case 0:
	case 1:
		return ends[roll() % LEN(ends)] + (uint32_t)(roll() % 5);
	case 2:
		return (uint32_t)(roll() % 0x1ffff);
	case 3:
		return 0xffff - 80 + (uint32_t)(roll() % 160);
	default:
		return (near + (uint32_t)(roll() % 140)) % 0x1ffff;
	}
}

static struct fp_reg any_register(uint32_t near)
{
	struct fp_reg f = { any_significand(), any_exponent(near) | (roll() & 1 ? FP_SIGN : 0) };

	if (roll() % 40 == 0)
		f.sig = 0;
	if (roll() % 20 == 0)
		f.se &= FP_SIGN;
	return fp_is_natval(&f) ? FP_ONE : f;
}

/* An f2 near the product, to cancel it. */
static void near_product(struct fp_reg *f2, const struct fp_reg *f3, const struct fp_reg *f4)
{
	int exp = (int)(f3->se & FP_EXP_ONES) + (int)(f4->se & FP_EXP_ONES) - 0xffff + (int)(roll() % 4) - 1;
	bits_u128 p = (bits_u128)f3->sig * f4->sig;

	if (exp <= 0 || exp >= FP_EXP_NATVAL)
		return;
	f2->se = (f2->se & FP_SIGN) | (uint32_t)exp;
	if (roll() & 1)
		f2->sig = (uint64_t)(p >> (p >> 127 ? 64 : 63)) + roll() % 3 - 1;
}

static uint64_t any_fpsr(unsigned sf)
{
	static const unsigned pcs[] = { PC_S, PC_D, PC_E, PC_E };
	unsigned controls = pcs[roll() % 4] | (unsigned)(roll() % 4) << 4;

	controls |= roll() % 8 == 0 ? FTZ : 0;
	controls |= roll() % 4 == 0 ? WRE : 0;
	controls |= sf && roll() % 8 == 0 ? TD : 0;
	return fpsr_of(roll() % 4 ? OFF : (unsigned)roll() % 64, sf, controls);
}

static void check_one(int at)
{
	unsigned sf = roll() % 4;
	uint64_t fpsr = any_fpsr(sf);
	enum fp_pc pc = roll() % 3;
	enum fp_multiply_add op = roll() % 3;
	uint32_t near = (uint32_t)(roll() % 4 ? 0xffff - 70 + roll() % 140 : roll() % 0x1ffff);
	struct fp_reg f3 = any_register(near), f4 = any_register(0xffff - 70), f2 = any_register(near);
	bool adds = roll() % 10 != 0;
	struct fp_mode mode = fp_mode(fpsr, sf, pc);
	struct slow_mode slow = slow_mode(fpsr, sf, pc);
	struct fp_out want;

	if (roll() % 4 == 0)
		f4 = FP_ONE;
	if (roll() % 2)
		near_product(&f2, &f3, &f4);
	if (fp_is_natval(&f2))
		f2 = FP_ONE;
	want = slow_fma(op, &slow, &f3, &f4, adds ? &f2 : NULL);
	check_out(at, fp_fma(op, &mode, &f3, &f4, adds ? &f2 : NULL), (struct fp_reg){ want.sig, want.se }, want.status);
}

/* A quotient rounded toward zero: q f3 <= f2 < (q + 1) f3, in units of q's last place. */
static void check_quotient(int at, const struct fp_mode *mode)
{
	struct fp_reg f2 = REG(0, -65480, SIG_1 | any_significand()), f3 = REG(0, 3, SIG_1 | any_significand());
	struct fp_out q = fp_rcpa(mode, &f2, &f3);
	bool below_one = f2.sig < f3.sig;
	bits_u128 dividend = (bits_u128)f2.sig << (63 + below_one), product = (bits_u128)q.sig * f3.sig;

	CHECK_EQ(at, q.se, 0xffff - 65483 - below_one);
	CHECK_EQ(at, product <= dividend && dividend - product < f3.sig, true);
	CHECK_EQ(at, q.status, FP_SWA | (product == dividend ? 0 : FP_I));
}

/* A root rounded toward zero: r^2 <= f3 < r^2 + 2r + 1. */
static void check_root(int at, const struct fp_mode *mode)
{
	unsigned odd = roll() & 1;
	struct fp_reg f3 = REG(0, -65490 + (int)odd, SIG_1 | any_significand());
	struct fp_out r = fp_rsqrta(mode, &f3);
	bits_u128 square = (bits_u128)r.sig * r.sig, want = (bits_u128)f3.sig << (63 + odd);

	CHECK_EQ(at, r.se, 0xffff - 32745);
	CHECK_EQ(at, square <= want && want - square <= (bits_u128)2 * r.sig, true);
	CHECK_EQ(at, r.status, FP_SWA | (square == want ? 0 : FP_I));
}

int main(void)
{
	struct fp_mode chop = fp_mode(fpsr_of(OFF, 0, PC_E | WRE | RZ), 0, FP_PC_DYN);

	for (int i = 0; i < CASES && !check_failures; i++)
		check_one(i);
	for (int i = 0; i < CASES && !check_failures; i++) {
		check_quotient(i, &chop);
		check_root(i, &chop);
	}
	return check_done();
}
