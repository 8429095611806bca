/* SPDX-License-Identifier: BSD-2-Clause */
/* frcpa and frsqrta: tables against their definition, error bounds, special operands, software assistance. */
#include "fp_rows.h"

static struct fp_mode mode_of(unsigned disabled, unsigned controls)
{
	return fp_mode(fpsr_of(disabled, 0, controls), 0, FP_PC_DYN);
}

/*
 * A table's entry e of eleven bits is the nearest to 2048/x when (2e - 1) x <= 4096 <= (2e + 1) x.  x is the middle of the
 * operands that the entry stands for, in units of 1/512: 513, 515, ...
 */
static void check_recip(void)
{
	struct fp_mode mode = mode_of(OFF, PC_E);
	struct fp_reg one = ONE;

	for (uint64_t i = 0; i < 256; i++) {
		struct fp_reg low = REG(0, 0, SIG_1 | i << 55), high = REG(1, 0, SIG_1 | i << 55 | ((UINT64_C(1) << 55) - 1));
		struct fp_out out = fp_rcpa(&mode, &one, &low), negative = fp_rcpa(&mode, &one, &high);
		uint64_t entry = out.sig >> 53, x = 513 + 2 * i;

		CHECK((2 * entry - 1) * x <= 4096 * 512 && 4096 * 512 <= (2 * entry + 1) * x);
		check_out((int)i, out, (struct fp_reg)REG(0, -1, entry << 53), FP_P2);
		check_out((int)i, negative, (struct fp_reg)REG(1, -1, entry << 53), FP_P2);
	}
}

/* An entry e is the nearest to 2048/sqrt(x) when (2e - 1)^2 x <= 4096^2 <= (2e + 1)^2 x; x in 1/256: 257, ... and doubled. */
static void check_recip_sqrt(void)
{
	struct fp_mode mode = mode_of(OFF, PC_E);

	for (uint64_t i = 0; i < 256; i++) {
		unsigned odd = i < 128;
		uint64_t fraction = i & 127, x = (257 + 2 * fraction) << odd, square = UINT64_C(4096) * 4096 * 256;
		struct fp_reg low = REG(0, (int)odd, SIG_1 | fraction << 56);
		struct fp_reg high = REG(0, (int)odd - 100, SIG_1 | fraction << 56 | ((UINT64_C(1) << 56) - 1));
		struct fp_out out = fp_rsqrta(&mode, &low);
		uint64_t entry = out.sig >> 53;

		CHECK((2 * entry - 1) * (2 * entry - 1) * x <= square && square <= (2 * entry + 1) * (2 * entry + 1) * x);
		check_out((int)i, out, (struct fp_reg)REG(0, -1, entry << 53), FP_P2);
		check_out((int)i, fp_rsqrta(&mode, &high), (struct fp_reg)REG(0, 49, entry << 53), FP_P2);
	}
}

/* The relative error of a reciprocal stays below 2^-8.886, which is 0.002114. */
static void check_error(void)
{
	struct fp_mode mode = mode_of(OFF, PC_E);
	struct fp_reg one = ONE;
	uint64_t seed = 88172645463325252;

	for (unsigned i = 0; i < 20000; i++) {
		struct fp_reg x = REG(0, 0, SIG_1 | check_random(&seed));
		struct fp_out out = fp_rcpa(&mode, &one, &x);
		/* A significand of 64 bits times an entry of 11, which counts half: 1.0 is 2^74. */
		bits_u128 product = (bits_u128)x.sig * (out.sig >> 53), unit = (bits_u128)1 << 74;
		bits_u128 error = product > unit ? product - unit : unit - product;

		CHECK(error * 10000000 < unit * 21140);
	}
}

static const struct rcpa_row {
	int line;
	unsigned controls, disabled;
	struct fp_reg f2, f3, want;
	uint32_t status;
} rcpas[] = {
	{ LINE, PC_E, OFF, ONE, ONE, RAW(0xfffe, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E, OFF, MINUS_ONE, REG(1, 5, SIG_MAX), RAW(0x2fff9, 0x8020000000000000), FP_P2 },
	{ LINE, PC_E, OFF, RAW(0x1003e, 1), RAW(0x1003e, 1), RAW(0xfffe, 0xff80000000000000), FP_P2 | FP_D },
	/* The quotient itself, without the predicate. */
	{ LINE, PC_E, OFF, INF, MINUS_ONE, MINUS_INF, 0 },
	{ LINE, PC_E, OFF, INF, MINUS_0, MINUS_INF, 0 },
	{ LINE, PC_E, OFF, ONE, MINUS_INF, MINUS_0, 0 },
	{ LINE, PC_E, OFF, MINUS_0, ONE, MINUS_0, 0 },
	{ LINE, PC_E, OFF, RAW(0x10000, 0), ONE, PLUS_0, FP_D },
	{ LINE, PC_E, OFF & ~FP_D, RAW(0x10000, 0), ONE, NOTHING, FAULT(FP_ISR_D) },
	{ LINE, PC_E, OFF, ONE, MINUS_0, MINUS_INF, FP_Z },
	{ LINE, PC_E, OFF, MINUS_ONE, RAW(0x10000, 0), MINUS_INF, FP_Z },
	{ LINE, PC_E, OFF & ~FP_Z, ONE, PLUS_0, NOTHING, FAULT(FP_ISR_Z) },
	{ LINE, PC_E, OFF & ~FP_Z, INF, PLUS_0, INF, 0 },
	{ LINE, PC_E, OFF, PLUS_0, MINUS_0, INDEFINITE, FP_V },
	{ LINE, PC_E, OFF, RAW(0x10000, 0), RAW(0x10000, 0), INDEFINITE, FP_V },
	{ LINE, PC_E, OFF, INF, INF, INDEFINITE, FP_V },
	{ LINE, PC_E, OFF & ~FP_V, INF, INF, NOTHING, FAULT(FP_ISR_V) },
	{ LINE, PC_E, OFF, QNAN(2), SNAN(3), QNAN(2), FP_V },
	{ LINE, PC_E, OFF, ONE, SNAN(3), QNAN(3), FP_V },
	{ LINE, PC_E, OFF, UNSUPPORTED, QNAN(3), INDEFINITE, FP_V },
	{ LINE, PC_E, 0, SNAN(1), NATVAL, NATVAL, 0 },
	/* Assistance, one step inside each limit and on it.  Divisor: exponents above -65535 and below 65533. */
	{ LINE, PC_E | WRE, OFF, REG(0, -100, SIG_1), REG(0, -65534, SIG_1), RAW(0x1fffc, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E | WRE, OFF, REG(0, -100, SIG_1), RAW(1, SIG_1 >> 1), REG(0, 65435, SIG_1), FP_D | FP_SWA },
	{ LINE, PC_E | WRE, OFF, REG(0, 100, SIG_1), REG(0, 65532, SIG_1), RAW(2, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E | WRE, OFF, REG(0, 100, SIG_1), REG(0, 65533, SIG_1), REG(0, -65433, SIG_1), FP_SWA },
	/* Quotient: exponents from -65532 to 65534. */
	{ LINE, PC_E | WRE, OFF, REG(0, 30000, SIG_1), REG(0, -35534, SIG_1), RAW(0x18acc, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E | WRE, OFF, REG(0, 30000, SIG_1), REG(0, -35535, SIG_1), REG(0, 65535, SIG_1), FP_SWA },
	{ LINE, PC_E | WRE, OFF, REG(1, 30000, SIG_1), REG(0, -35536, SIG_1), MINUS_INF, FP_O | FP_I | FP_SWA },
	{ LINE, PC_E | WRE, OFF, REG(0, -30000, SIG_1), REG(0, 35532, SIG_1), RAW(0x7532, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E | WRE, OFF, REG(0, -30000, SIG_1), REG(0, 35533, SIG_1), REG(0, -65533, SIG_1), FP_SWA },
	/* Dividend: exponents above -65471. */
	{ LINE, PC_E | WRE, OFF, REG(0, -65470, SIG_1), ONE, RAW(0xfffe, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E | WRE, OFF, REG(0, -65471, SIG_1), ONE, REG(0, -65471, SIG_1), FP_SWA },
	/* The quotient is rounded as the status field says: 1/3 = 0.10101...b, range of 15 bits without wre. */
	{ LINE, PC_E | WRE, OFF, REG(0, -65500, SIG_1), REG(0, 1, SIG_15), REG(0, -65502, 0xaaaaaaaaaaaaaaab), FP_I | FP_SWA },
	{ LINE, PC_E | WRE | RZ, OFF, REG(0, -65500, SIG_1), REG(0, 1, SIG_15), REG(0, -65502, 0xaaaaaaaaaaaaaaaa), FP_I | FP_SWA },
	{ LINE, PC_S | WRE, OFF, REG(0, -65500, SIG_1), REG(0, 1, SIG_15), REG(0, -65502, 0xaaaaab0000000000), FP_I | FP_SWA },
	{ LINE, PC_E, OFF, REG(0, -65500, SIG_1), REG(0, 1, SIG_15), PLUS_0, FP_U | FP_I | FP_TINY | FP_SWA },
	{ LINE, PC_E, OFF & ~FP_D, REG(0, -65500, SIG_1), RAW(0x1003e, 3), NOTHING, FAULT(FP_ISR_D) },
	{ LINE, PC_E | WRE, OFF & ~FP_I, REG(0, -65500, SIG_1), REG(0, 1, SIG_15), REG(0, -65502, 0xaaaaaaaaaaaaaaab),
	  FP_I | FP_SWA | TRAP(FP_ISR_I | FP_ISR_FPA) },
};

static const struct rsqrta_row {
	int line;
	unsigned controls, disabled;
	struct fp_reg f3, want;
	uint32_t status;
} rsqrtas[] = {
	{ LINE, PC_E, OFF, ONE, RAW(0xfffe, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E, OFF, REG(0, 1, SIG_1), RAW(0xfffe, 0xb4a0000000000000), FP_P2 },
	{ LINE, PC_E, OFF, REG(0, 2, SIG_1), RAW(0xfffd, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E, OFF, REG(0, -1, SIG_1), RAW(0xffff, 0xb4a0000000000000), FP_P2 },
	{ LINE, PC_E, OFF, RAW(0x1003e, 4), RAW(0xfffd, 0xff80000000000000), FP_P2 | FP_D },
	/* The root itself, without the predicate. */
	{ LINE, PC_E, OFF, PLUS_0, PLUS_0, 0 },
	{ LINE, PC_E, OFF, MINUS_0, MINUS_0, 0 },
	{ LINE, PC_E, OFF, RAW(0x3fffe, 0), MINUS_0, FP_D },
	{ LINE, PC_E, OFF, INF, INF, 0 },
	{ LINE, PC_E, OFF, MINUS_INF, INDEFINITE, FP_V },
	{ LINE, PC_E, OFF, MINUS_ONE, INDEFINITE, FP_V },
	{ LINE, PC_E, OFF & ~FP_V, RAW(0x20000, 1), NOTHING, FAULT(FP_ISR_V) },
	{ LINE, PC_E, OFF & ~FP_D, RAW(0x00000, 1), NOTHING, FAULT(FP_ISR_D) },
	{ LINE, PC_E, OFF, SNAN(7), QNAN(7), FP_V },
	{ LINE, PC_E, OFF & ~FP_V, QNAN(7), QNAN(7), 0 },
	{ LINE, PC_E, OFF, UNSUPPORTED, INDEFINITE, FP_V },
	{ LINE, PC_E, 0, NATVAL, NATVAL, 0 },
	/* Assistance up to 2^-65471: sqrt(2^-65472) = 2^-32736; sqrt 2 = 0xb504f333f9de6484|597d...; sqrt 2.25 = 1.5. */
	{ LINE, PC_E | WRE, OFF, REG(0, -65470, SIG_1), REG(0, 32734, 0xff80000000000000), FP_P2 },
	{ LINE, PC_E | WRE, OFF, REG(0, -65472, SIG_1), REG(0, -32736, SIG_1), FP_SWA },
	{ LINE, PC_E | WRE, OFF, REG(0, -65471, SIG_1), REG(0, -32736, 0xb504f333f9de6484), FP_I | FP_SWA },
	{ LINE, PC_E | WRE | RP, OFF, REG(0, -65471, SIG_1), REG(0, -32736, 0xb504f333f9de6485), FP_I | FP_SWA },
	{ LINE, PC_D | WRE, OFF, REG(0, -65471, SIG_1), REG(0, -32736, 0xb504f333f9de6800), FP_I | FP_SWA },
	{ LINE, PC_E | WRE, OFF, REG(0, -65471, 0x9000000000000000), REG(0, -32736, SIG_15), FP_SWA },
	{ LINE, PC_E | WRE, OFF, RAW(1, 1), REG(0, -32799, 0xb504f333f9de6484), FP_I | FP_D | FP_SWA },
	{ LINE, PC_E, OFF, REG(0, -65472, SIG_1), PLUS_0, FP_U | FP_I | FP_TINY | FP_SWA },
};

int main(void)
{
	check_recip();
	check_recip_sqrt();
	check_error();
	for (const struct rcpa_row *r = rcpas; r < rcpas + LEN(rcpas); r++) {
		struct fp_mode mode = mode_of(r->disabled, r->controls);

		check_out(r->line, fp_rcpa(&mode, &r->f2, &r->f3), r->want, r->status);
	}
	for (const struct rsqrta_row *r = rsqrtas; r < rsqrtas + LEN(rsqrtas); r++) {
		struct fp_mode mode = mode_of(r->disabled, r->controls);

		check_out(r->line, fp_rsqrta(&mode, &r->f3), r->want, r->status);
	}
	return check_done();
}
