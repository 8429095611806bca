/* SPDX-License-Identifier: BSD-2-Clause */
/* The multiply-adds: rounding, ranges, special operands, flags and interruptions, case by case. */
#include "fp_rows.h"

#define TINY_INEXACT (FP_U | FP_I | FP_TINY)

/* An f2 of FR 0: nothing is added. */
#define NO_F2 RAW(0, 1)

static const struct row {
	int line;
	enum fp_multiply_add op;
	enum fp_pc pc;
	unsigned controls, disabled;
	struct fp_reg f3, f4, f2, want;
	uint32_t status;
} rows[] = {
	/* Exact. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, ONE, ONE, ONE, REG(0, 1, SIG_1), 0 },
	{ LINE, FP_FMS, FP_PC_DYN, PC_E, OFF, REG(0, 1, SIG_15), ONE, ONE, REG(0, 1, SIG_1), 0 },
	{ LINE, FP_FNMA, FP_PC_DYN, PC_E, OFF, REG(0, 1, SIG_15), ONE, ONE, REG(1, 1, SIG_1), 0 },
	/* 1.5 * 1.5 = 2.25. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, REG(0, 0, SIG_15), REG(0, 0, SIG_15), NO_F2, REG(0, 1, 0x9000000000000000), 0 },
	/* (1 + 2^-63)(1 - 2^-63) - 1 = -2^-126: the product is not rounded. */
	{ LINE, FP_FMS, FP_PC_DYN, PC_E, OFF, REG(0, 0, SIG_1 | 1), REG(0, -1, SIG_MAX - 1), ONE, REG(1, -126, SIG_1), 0 },

	/* Ties at 64 bits go to the even neighbour; anything more goes up. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, ONE, ONE, REG(0, -64, SIG_1), ONE, FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, ONE, ONE, REG(0, -64, SIG_1 | 1), REG(0, 0, SIG_1 | 1), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, REG(0, 0, SIG_1 | 1), ONE, REG(0, -64, SIG_1), REG(0, 0, SIG_1 | 2), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, REG(0, 0, SIG_MAX), ONE, REG(0, -64, SIG_1), REG(0, 1, SIG_1), FP_I },
	/* The same in 53 and 24 bits, by completer and by pc. */
	{ LINE, FP_FMA, FP_PC_D, PC_E, OFF, ONE, ONE, REG(0, -53, SIG_1), ONE, FP_I },
	{ LINE, FP_FMA, FP_PC_D, PC_E, OFF, REG(0, 0, SIG_1 | 0x800), ONE, REG(0, -53, SIG_1), REG(0, 0, SIG_1 | 0x1000), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_D, OFF, REG(0, 0, SIG_1 | 0x800), ONE, REG(0, -53, SIG_1), REG(0, 0, SIG_1 | 0x1000), FP_I },
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, ONE, ONE, REG(0, -24, SIG_1), ONE, FP_I },
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, REG(0, 0, 0x8000010000000000), ONE, REG(0, -24, SIG_1), REG(0, 0, 0x8000020000000000), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_S, OFF, REG(0, 0, 0x8000010000000000), ONE, REG(0, -24, SIG_1), REG(0, 0, 0x8000020000000000), FP_I },
	/* Just below and above the tie of 53 bits, far below the register's last bit. */
	{ LINE, FP_FMA, FP_PC_D, PC_E, OFF, REG(0, 0, SIG_1 | 0x400), ONE, REG(0, -300, SIG_1), REG(0, 0, SIG_1 | 0x800), FP_I },
	{ LINE, FP_FMA, FP_PC_D, PC_E, OFF, REG(0, 0, SIG_1 | 0xc00), ONE, REG(1, -300, SIG_1), REG(0, 0, SIG_1 | 0x800), FP_I },

	/* Directed rounding of 1 plus or minus something far smaller. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RP, OFF, ONE, ONE, REG(0, -16000, SIG_1), REG(0, 0, SIG_1 | 1), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RM, OFF, ONE, ONE, REG(0, -16000, SIG_1), ONE, FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RM, OFF, ONE, ONE, REG(1, -16000, SIG_1), REG(0, -1, SIG_MAX), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RZ, OFF, MINUS_ONE, ONE, REG(0, -16000, SIG_1), REG(1, -1, SIG_MAX), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RP, OFF, MINUS_ONE, ONE, REG(0, -16000, SIG_1), REG(1, -1, SIG_MAX), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RM, OFF, MINUS_ONE, ONE, REG(1, -16000, SIG_1), REG(1, 0, SIG_1 | 1), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RN, OFF, ONE, ONE, REG(1, -16000, SIG_1), ONE, FP_I },

	/* 4 - (2 - 2^-63)^2 = 2^-126 (2^65 - 1): 65 bits are left of 130, and the last one is a tie. */
	{ LINE, FP_FNMA, FP_PC_DYN, PC_E, OFF, REG(0, 0, SIG_MAX), REG(0, 0, SIG_MAX), REG(0, 2, SIG_1), REG(0, -61, SIG_1), FP_I },
	{ LINE, FP_FNMA, FP_PC_DYN, PC_E | RZ, OFF, REG(0, 0, SIG_MAX), REG(0, 0, SIG_MAX), REG(0, 2, SIG_1), REG(0, -62, SIG_MAX), FP_I },

	/* Overflow: range of the completer, of pc without completer (15 bits), of wre (17 bits). */
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, REG(0, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, INF, FP_O | FP_I },
	{ LINE, FP_FMA, FP_PC_S, PC_E | RZ, OFF, REG(0, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, REG(0, 127, 0xffffff0000000000), FP_O | FP_I },
	{ LINE, FP_FMA, FP_PC_S, PC_E | RM, OFF, REG(0, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, REG(0, 127, 0xffffff0000000000), FP_O | FP_I },
	{ LINE, FP_FMA, FP_PC_S, PC_E | RM, OFF, REG(1, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, MINUS_INF, FP_O | FP_I },
	{ LINE, FP_FMA, FP_PC_S, PC_E | WRE, OFF, REG(0, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, REG(0, 128, SIG_1), 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_S, OFF, REG(0, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, REG(0, 128, SIG_1), 0 },
	{ LINE, FP_FMA, FP_PC_D, PC_E, OFF, REG(0, 1023, 0xfffffffffffff800), ONE, NO_F2, REG(0, 1023, 0xfffffffffffff800), 0 },
	{ LINE, FP_FMA, FP_PC_D, PC_E, OFF, REG(0, 1023, 0xfffffffffffffc00), ONE, NO_F2, INF, FP_O | FP_I },
	{ LINE, FP_FMA, FP_PC_D, PC_E, OFF, REG(0, 1023, 0xfffffffffffffbff), ONE, NO_F2, REG(0, 1023, 0xfffffffffffff800), FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RP, OFF, REG(1, 16383, SIG_1), REG(0, 1, SIG_1), NO_F2, REG(1, 16383, SIG_MAX), FP_O | FP_I },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | WRE, OFF, REG(0, 65534, SIG_1), REG(0, 1, SIG_1), NO_F2, REG(0, 65535, SIG_1), 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | WRE, OFF, REG(0, 65535, SIG_1), REG(0, 1, SIG_1), NO_F2, INF, FP_O | FP_I },
	/* Enabled: the rounded result, in 17 bits of exponent whatever the precision. */
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF & ~FP_O, REG(0, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, REG(0, 128, SIG_1), FP_O | TRAP(FP_ISR_O) },
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF & ~FP_O, REG(0, 127, SIG_MAX), ONE, NO_F2, REG(0, 128, SIG_1), FP_O | FP_I | TRAP(FP_ISR_O | FP_ISR_I | FP_ISR_FPA) },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | WRE, OFF & ~FP_O, REG(0, 65535, SIG_1), REG(0, 65535, SIG_1), NO_F2, RAW(0xfffd, SIG_1), FP_O | TRAP(FP_ISR_O) },
	/* Masked, with inexact enabled: infinity lies above the exact result, the largest number below. */
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF & ~FP_I, REG(0, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, INF, FP_O | FP_I | TRAP(FP_ISR_I | FP_ISR_FPA) },
	{ LINE, FP_FMA, FP_PC_S, PC_E | RZ, OFF & ~FP_I, REG(0, 127, SIG_1), REG(0, 1, SIG_1), NO_F2, REG(0, 127, 0xffffff0000000000), FP_O | FP_I | TRAP(FP_ISR_I) },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_I, ONE, ONE, REG(0, -64, SIG_1), ONE, FP_I | TRAP(FP_ISR_I) },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_I, ONE, ONE, REG(0, -64, SIG_1 | 1), REG(0, 0, SIG_1 | 1), FP_I | TRAP(FP_ISR_I | FP_ISR_FPA) },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_I, ONE, ONE, ONE, REG(0, 1, SIG_1), 0 },

	/* Denormals in each range; those of 15 bits have an exponent field of zero. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, REG(0, -16382, SIG_1), REG(0, -1, SIG_1), NO_F2, RAW(0, SIG_1 >> 1), FP_TINY },
	{ LINE, FP_FMA, FP_PC_D, PC_E, OFF, REG(1, -1022, SIG_1), REG(0, -1, SIG_1), NO_F2, RAW(0x2fc01, SIG_1 >> 1), FP_TINY },
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, REG(0, -126, SIG_1), REG(0, -1, SIG_1), NO_F2, RAW(0xff81, SIG_1 >> 1), FP_TINY },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | WRE, OFF, REG(0, -65534, SIG_1), REG(0, -1, SIG_1), NO_F2, RAW(1, SIG_1 >> 1), FP_TINY },
	/* (1 + 2^-23) 2^-127 in units of 2^-149 ends in a half: even. */
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, REG(0, -126, 0x8000010000000000), REG(0, -1, SIG_1), NO_F2, RAW(0xff81, SIG_1 >> 1), TINY_INEXACT },
	/* Half of the least denormal. */
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, REG(0, -149, SIG_1), REG(0, -1, SIG_1), NO_F2, PLUS_0, TINY_INEXACT },
	{ LINE, FP_FMA, FP_PC_S, PC_E | RP, OFF, REG(0, -149, SIG_1), REG(0, -1, SIG_1), NO_F2, RAW(0xff81, 0x10000000000), TINY_INEXACT },
	{ LINE, FP_FMA, FP_PC_S, PC_E | RM, OFF, REG(1, -149, SIG_1), REG(0, -40000, SIG_1), NO_F2, RAW(0x2ff81, 0x10000000000), TINY_INEXACT },
	/* Tiny is judged after rounding as if exponents had no bounds: 1 - 2^-25 is a tie that goes to 1, 1 - 2^-24 stays. */
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, REG(0, -127, 0xffffff8000000000), ONE, NO_F2, REG(0, -126, SIG_1), FP_I },
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, REG(0, -127, 0xffffff0000000000), ONE, NO_F2, REG(0, -126, SIG_1), TINY_INEXACT },
	/* Flush to zero, unless underflow is enabled. */
	{ LINE, FP_FMA, FP_PC_S, PC_E | FTZ, OFF, REG(1, -126, SIG_1), REG(0, -1, SIG_1), NO_F2, MINUS_0, TINY_INEXACT | FP_FLUSHED },
	{ LINE, FP_FMA, FP_PC_S, PC_E | FTZ, OFF & ~FP_I, REG(1, -126, SIG_1), REG(0, -1, SIG_1), NO_F2, MINUS_0, TINY_INEXACT | FP_FLUSHED | TRAP(FP_ISR_I) },
	{ LINE, FP_FMA, FP_PC_S, PC_E | FTZ, OFF, REG(0, -126, SIG_1), ONE, NO_F2, REG(0, -126, SIG_1), 0 },
	{ LINE, FP_FMA, FP_PC_S, PC_E | FTZ, OFF & ~FP_U, REG(0, -127, SIG_1), ONE, NO_F2, REG(0, -127, SIG_1), FP_U | FP_TINY | TRAP(FP_ISR_U) },
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF & ~FP_U, REG(0, -128, SIG_MAX), ONE, NO_F2, REG(0, -127, SIG_1), TINY_INEXACT | TRAP(FP_ISR_U | FP_ISR_I | FP_ISR_FPA) },
	/* 65535 - 131068, modulo 2^17. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | WRE, OFF & ~FP_U, REG(0, -65534, SIG_1), REG(0, -65534, SIG_1), NO_F2, RAW(0x10003, SIG_1), FP_U | FP_TINY | TRAP(FP_ISR_U) },
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF & ~FP_I, REG(0, -149, SIG_1), REG(0, -1, SIG_15), NO_F2, RAW(0xff81, 0x10000000000), TINY_INEXACT | TRAP(FP_ISR_I | FP_ISR_FPA) },

	/* Unnormal operands count as what they are worth. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, RAW(0x1003e, 1), ONE, NO_F2, ONE, FP_D },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, RAW(0, SIG_1), ONE, NO_F2, REG(0, -16382, SIG_1), FP_D },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, RAW(0, 2), REG(0, 100, SIG_1), NO_F2, REG(0, -16344, SIG_1), FP_D },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, ONE, ONE, RAW(0x10000, 0), ONE, FP_D },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_D, ONE, ONE, RAW(0x10000, 0), NOTHING, FAULT(FP_ISR_D) },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_D, INF, ONE, RAW(0x1003e, 1), NOTHING, FAULT(FP_ISR_D) },

	/* Infinities; only zeros proper make them invalid. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, INF, MINUS_ONE, ONE, MINUS_INF, 0 },
	{ LINE, FP_FMS, FP_PC_DYN, PC_E, OFF, ONE, ONE, INF, MINUS_INF, 0 },
	{ LINE, FP_FNMA, FP_PC_DYN, PC_E, OFF, ONE, INF, MINUS_INF, MINUS_INF, 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, RAW(0x2ffff, 0), INF, ONE, MINUS_INF, FP_D },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, PLUS_0, INF, ONE, INDEFINITE, FP_V },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, MINUS_INF, MINUS_0, RAW(0x1003e, 1), INDEFINITE, FP_V },
	{ LINE, FP_FMS, FP_PC_DYN, PC_E, OFF, INF, ONE, INF, INDEFINITE, FP_V },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_V, INF, ONE, MINUS_INF, NOTHING, FAULT(FP_ISR_V) },

	/* NaNs: f4, then f2, then f3; unsupported encodings before them, NaTVal before all. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, QNAN(3), QNAN(4), QNAN(2), QNAN(4), 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, QNAN(3), ONE, QNAN(2), QNAN(2), 0 },
	{ LINE, FP_FNMA, FP_PC_DYN, PC_E, OFF, QNAN(3), ONE, ONE, QNAN(3), 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, SNAN(3), QNAN(4), ONE, QNAN(4), FP_V },
	{ LINE, FP_FMS, FP_PC_DYN, PC_E, OFF, ONE, ONE, SNAN(2), QNAN(2), FP_V },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_V, ONE, QNAN(4), SNAN(2), NOTHING, FAULT(FP_ISR_V) },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_V, ONE, QNAN(4), ONE, QNAN(4), 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF & ~FP_D, RAW(0x1003e, 1), QNAN(4), ONE, QNAN(4), 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, UNSUPPORTED, QNAN(4), ONE, INDEFINITE, FP_V },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, 0, UNSUPPORTED, SNAN(4), NATVAL, NATVAL, 0 },
	/* The negative twin of NaTVal is a pseudo-zero. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, ONE, ONE, RAW(0x3fffe, 0), ONE, FP_D },

	/* Signs of zeros. */
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, PLUS_0, MINUS_ONE, PLUS_0, PLUS_0, 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E | RM, OFF, PLUS_0, MINUS_ONE, PLUS_0, MINUS_0, 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, PLUS_0, MINUS_ONE, MINUS_0, MINUS_0, 0 },
	{ LINE, FP_FMA, FP_PC_DYN, PC_E, OFF, PLUS_0, MINUS_ONE, NO_F2, MINUS_0, 0 },
	{ LINE, FP_FMS, FP_PC_DYN, PC_E, OFF, MINUS_0, ONE, PLUS_0, MINUS_0, 0 },
	{ LINE, FP_FMS, FP_PC_DYN, PC_E, OFF, ONE, ONE, ONE, PLUS_0, 0 },
	{ LINE, FP_FMS, FP_PC_DYN, PC_E | RM, OFF, ONE, ONE, ONE, MINUS_0, 0 },
	{ LINE, FP_FMA, FP_PC_S, PC_E, OFF, PLUS_0, ONE, REG(0, 0, SIG_1 | 1), ONE, FP_I },
};

static void check_row(const struct row *r, unsigned sf, unsigned disabled, unsigned controls)
{
	struct fp_mode mode = fp_mode(fpsr_of(disabled, sf, controls), sf, r->pc);
	bool adds = !(r->f2.sig == 1 && r->f2.se == 0);

	check_out(r->line, fp_fma(r->op, &mode, &r->f3, &r->f4, adds ? &r->f2 : NULL), r->want, r->status);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		for (unsigned sf = 0; sf < 4; sf++) {
			check_row(r, sf, r->disabled, r->controls);
			/* td masks what the disables do not. */
			if (sf && r->disabled == OFF)
				check_row(r, sf, 0, r->controls | TD);
		}
	return check_done();
}
