/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of singles: each half as its own operation, both halves' flags and interruptions together. */
#include "fp_rows.h"

/* Singles. */
enum {
	S1 = 0x3f800000, S2 = 0x40000000, S3 = 0x40400000, SMAX = 0x7f7fffff, SMIN = 0x00800000, STINY = 1,
	SINF = 0x7f800000, SQNAN = 0x7fc00001, SSNAN = 0x7f800001, SBAD = (int)0xffc00000, NEG = (int)0x80000000,
};

#define HALVES(high, low) (uint64_t)(uint32_t)(high) << 32 | (uint32_t)(low)

/* Each row's operation is in the high half; the low half computes 1 * 1 + 1 (and so on), then they change places. */
static const struct row {
	int line;
	enum fp_multiply_add op;
	unsigned controls, disabled;
	uint32_t f3, f4, f2, want;
	uint32_t status;		/* of the high half, with its code */
} rows[] = {
	{ LINE, FP_FMA, 0, OFF, S2, S3, S1, 0x40e00000, 0 },
	{ LINE, FP_FMS, 0, OFF, S2, S3, S1, 0x40a00000, 0 },
	{ LINE, FP_FNMA, 0, OFF, S2, S3, S1, 0xc0a00000, 0 },
	/* pc and wre say nothing here: 2^128 is too large, 1 + 2^-24 a tie. */
	{ LINE, FP_FMA, PC_E | WRE, OFF, SMAX, S2, S1, SINF, FP_O | FP_I },
	{ LINE, FP_FMA, PC_E | WRE, OFF, S1, S1, 0x33800000, S1, FP_I },
	{ LINE, FP_FMA, RP, OFF, S1, S1, 0x33800000, 0x3f800001, FP_I },
	{ LINE, FP_FMA, RZ, OFF, SMAX, S2, S1, SMAX, FP_O | FP_I },
	{ LINE, FP_FMA, 0, OFF & ~FP_I, S1, S1, 0x33800000, S1, FP_I | TRAP(FP_ISR_I) },
	/* Enabled overflow keeps eight bits of the exponent: 2^254 has 381 - 256. */
	{ LINE, FP_FMA, 0, OFF & ~FP_O, 0x7f000000, 0x7f000000, 0, 0x3e800000, FP_O | TRAP(FP_ISR_O) },
	{ LINE, FP_FMA, 0, OFF & ~FP_O, 0x7f000000, S2, 0, 0x7f800000, FP_O | TRAP(FP_ISR_O) },
	/* Enabled underflow: 2^-252 has -125 + 256. */
	{ LINE, FP_FMA, 0, OFF & ~FP_U, SMIN, SMIN, 0, 0x41800000, FP_U | FP_TINY | TRAP(FP_ISR_U) },
	/* Denormals. */
	{ LINE, FP_FMA, 0, OFF, SMIN, 0x3f000000, 0, 0x00400000, FP_TINY },
	{ LINE, FP_FMA, FTZ, OFF, SMIN, 0xbf000000, 0, NEG, FP_TINY | FP_U | FP_I | FP_FLUSHED },
	{ LINE, FP_FMA, 0, OFF, STINY, S2, 0, 2, FP_D | FP_TINY },
	{ LINE, FP_FMA, 0, OFF & ~FP_D, STINY, S2, 0, 0, FAULT(FP_ISR_D) },
	/* Special operands. */
	{ LINE, FP_FMA, 0, OFF, SINF, S1, S1, SINF, 0 },
	{ LINE, FP_FMA, 0, OFF, SINF, 0, S1, SBAD, FP_V },
	{ LINE, FP_FMA, 0, OFF, S1, SSNAN, SQNAN, SQNAN, FP_V },
	{ LINE, FP_FMA, 0, OFF & ~FP_V, S1, SSNAN, S1, 0, FAULT(FP_ISR_V) },
	/* The addend of FR 0 is given apart below: here it is +0. */
	{ LINE, FP_FMA, 0, OFF, NEG, S1, 0, 0, 0 },
};

/* The same status with its code where the low half's lies. */
static uint32_t low_status(uint32_t status)
{
	uint32_t code = status >> FP_ISR_SHIFT, flags = status & bits_low(FP_ISR_SHIFT);

	return flags | (status & FP_FAULT ? code << 4 : code >> 4) << FP_ISR_SHIFT;
}

static void check_row(const struct row *r, bool low)
{
	struct fp_mode mode = fp_mode(fpsr_of(r->disabled, 2, r->controls), 2, FP_PC_PAIR);
	uint32_t plain = r->op == FP_FMA ? S2 : 0, status = (low ? low_status(r->status) : r->status) | FP_SWA;
	struct fp_reg f3 = fp_from_int(low ? HALVES(S1, r->f3) : HALVES(r->f3, S1));
	struct fp_reg f4 = fp_from_int(low ? HALVES(S1, r->f4) : HALVES(r->f4, S1));
	struct fp_reg f2 = fp_from_int(low ? HALVES(S1, r->f2) : HALVES(r->f2, S1));
	struct fp_reg want = fp_from_int(low ? HALVES(plain, r->want) : HALVES(r->want, plain));

	check_out(r->line, fp_pma(r->op, &mode, &f3, &f4, &f2), r->status & FP_FAULT ? FP_ZERO : want, status);
}

static struct fp_reg pair(uint32_t high, uint32_t low)
{
	return fp_from_int(HALVES(high, low));
}

/* Both halves interrupt: codes side by side, and a fault silences the other half's trap. */
static void check_both(void)
{
	struct fp_mode all = fp_mode(0, 0, FP_PC_PAIR), masked = fp_mode(OFF, 0, FP_PC_PAIR);
	struct fp_reg one = pair(S1, S1), nans = pair(SSNAN, SSNAN), mixed = pair(SSNAN, STINY), negatives = pair(NEG, NEG);
	struct fp_reg large = pair(SMAX, SMAX), two = pair(S2, S2), trap_fault = pair(SMAX, STINY);

	check_out(__LINE__, fp_pma(FP_FMA, &all, &nans, &one, &one), FP_ZERO, FAULT(FP_ISR_V | FP_ISR_LOW_V) | FP_SWA);
	check_out(__LINE__, fp_pma(FP_FMA, &all, &mixed, &one, &one), FP_ZERO, FAULT(FP_ISR_V | FP_ISR_LOW_D) | FP_SWA);
	check_out(__LINE__, fp_pma(FP_FMA, &all, &large, &two, NULL), pair(0x7fffffff, 0x7fffffff),
		  FP_O | FP_SWA | TRAP(FP_ISR_O | FP_ISR_LOW_O));
	check_out(__LINE__, fp_pma(FP_FMA, &all, &trap_fault, &two, NULL), FP_ZERO, FAULT(FP_ISR_LOW_D) | FP_SWA);
	check_out(__LINE__, fp_pma(FP_FMA, &masked, &negatives, &one, NULL), negatives, FP_SWA);
}

static void check_minmax_compare(void)
{
	struct fp_mode masked = fp_mode(OFF, 0, FP_PC_PAIR), all = fp_mode(0, 0, FP_PC_PAIR);
	struct fp_reg a = pair(S1, NEG | S3), b = pair(S2, S2), nan = pair(SQNAN, S1), den = pair(STINY, SSNAN);

	check_out(__LINE__, fp_pminmax(FP_MIN, &masked, &a, &b), pair(S1, NEG | S3), FP_SWA);
	check_out(__LINE__, fp_pminmax(FP_MAX, &masked, &a, &b), pair(S2, S2), FP_SWA);
	check_out(__LINE__, fp_pminmax(FP_AMIN, &masked, &a, &b), pair(S1, S2), FP_SWA);
	check_out(__LINE__, fp_pminmax(FP_AMAX, &masked, &a, &b), pair(S2, NEG | S3), FP_SWA);
	check_out(__LINE__, fp_pminmax(FP_MIN, &masked, &nan, &b), pair(S2, S1), FP_V | FP_SWA);
	check_out(__LINE__, fp_pminmax(FP_MIN, &masked, &b, &den), den, FP_V | FP_D | FP_SWA);
	check_out(__LINE__, fp_pminmax(FP_MIN, &all, &b, &den), FP_ZERO, FAULT(FP_ISR_D | FP_ISR_LOW_V) | FP_SWA);

	check_out(__LINE__, fp_pcompare(FP_LT, &masked, &a, &b), pair(UINT32_MAX, UINT32_MAX), FP_SWA);
	check_out(__LINE__, fp_pcompare(FP_LE, &masked, &b, &a), pair(0, 0), FP_SWA);
	check_out(__LINE__, fp_pcompare(FP_EQ, &masked, &a, &nan), pair(0, 0), FP_SWA);
	check_out(__LINE__, fp_pcompare(FP_NEQ, &masked, &a, &nan), pair(UINT32_MAX, UINT32_MAX), FP_SWA);
	check_out(__LINE__, fp_pcompare(FP_UNORD, &masked, &a, &nan), pair(UINT32_MAX, 0), FP_SWA);
	check_out(__LINE__, fp_pcompare(FP_NLT, &masked, &nan, &b), pair(UINT32_MAX, 0), FP_V | FP_SWA);
	check_out(__LINE__, fp_pcompare(FP_EQ, &all, &den, &b), FP_ZERO, FAULT(FP_ISR_D | FP_ISR_LOW_V) | FP_SWA);
}

static void check_convert(void)
{
	struct fp_mode masked = fp_mode(OFF, 0, FP_PC_PAIR), all = fp_mode(0, 0, FP_PC_PAIR);
	struct fp_reg a = pair(0x40200000, 0xc0200000);		/* 2.5, -2.5 */
	struct fp_reg limits = pair(0xcf000000, 0x4f000000);	/* -2^31, 2^31 */

	check_out(__LINE__, fp_pcvt_fx(FP_FX, &masked, &a), pair(2, (uint32_t)-2), FP_I | FP_SWA);
	check_out(__LINE__, fp_pcvt_fx(FP_FXU, &masked, &a), pair(2, SIG_1 >> 32), FP_I | FP_V | FP_SWA);
	check_out(__LINE__, fp_pcvt_fx(FP_FX, &masked, &limits), pair(0x80000000, 0x80000000), FP_V | FP_SWA);
	check_out(__LINE__, fp_pcvt_fx(FP_FX, &all, &limits), FP_ZERO, FAULT(FP_ISR_LOW_V) | FP_SWA);
	check_out(__LINE__, fp_pcvt_fx(FP_FXU, &all, &limits), FP_ZERO, FAULT(FP_ISR_V) | FP_SWA);
	check_out(__LINE__, fp_pcvt_fx(FP_FX_TRUNC, &all, &a), pair(2, (uint32_t)-2),
		  FP_I | TRAP(FP_ISR_I | FP_ISR_LOW_I) | FP_SWA);
}

/* Halves of fprcpa: f2 / f3 in the high one; the low one is 1 / 1, an approximation. */
static const struct approx_row {
	int line;
	uint32_t f2, f3, want, status;
} prcpas[] = {
	{ LINE, S1, S1, 0x3f7f8000, FP_P2 },
	{ LINE, S1, NEG | S2, 0xbeff8000, FP_P2 },
	{ LINE, S1, 0, SINF, FP_Z },
	{ LINE, S1, NEG | SINF, NEG, 0 },
	{ LINE, SINF, S1, SINF, 0 },
	{ LINE, 0, 0, SBAD, FP_V },
	{ LINE, S1, SQNAN, SQNAN, 0 },
	/* Divisors: denormals give infinity, 2^125 and above zero. */
	{ LINE, SMIN, NEG | 0x007fffff, NEG | SINF, FP_D },
	{ LINE, S1, SMIN, 0x7e7f8000, FP_P2 },
	{ LINE, S1, 0x7dffffff, 0x01002000, FP_P2 },
	{ LINE, S1, NEG | 0x7e000000, NEG, 0 },
	/* Quotients from 2^-124 to 2^126, dividends from 2^-102: outside the approximation comes without predicate. */
	{ LINE, S1 + (1 << 23), SMIN, 0x7e7f8000, 0 },
	{ LINE, 0x0d000000, 0x4b000000, 0x33ff8000, FP_P2 },
	{ LINE, 0x0d000000, 0x4b800000, 0x337f8000, 0 },
	{ LINE, 0x0c800000, S1, 0x3f7f8000, FP_P2 },
	{ LINE, 0x0c000000, S1, 0x3f7f8000, 0 },
}, prsqrtas[] = {
	{ LINE, 0, S1, 0x3f7f8000, FP_P2 },
	{ LINE, 0, S2, 0x3f34a000, FP_P2 },
	{ LINE, 0, 0, SINF, 0 },
	{ LINE, 0, NEG, NEG | SINF, 0 },
	{ LINE, 0, SINF, 0, 0 },
	{ LINE, 0, NEG | S1, SBAD, FP_V },
	{ LINE, 0, NEG | SINF, SBAD, FP_V },
	{ LINE, 0, SSNAN, SQNAN, FP_V },
	{ LINE, 0, 0x0c800000, 0x58ff8000, FP_P2 },	/* 2^-102 */
	{ LINE, 0, 0x0c000000, 0x5934a000, 0 },		/* 2^-103 */
	{ LINE, 0, STINY, 0x64b4a000, FP_D },		/* 2^-149 */
};

static void check_approximations(void)
{
	struct fp_mode masked = fp_mode(OFF, 0, FP_PC_PAIR);

	for (const struct approx_row *r = prcpas; r < prcpas + LEN(prcpas); r++) {
		struct fp_reg f2 = pair(r->f2, S1), f3 = pair(r->f3, S1);

		check_out(r->line, fp_prcpa(&masked, &f2, &f3), pair(r->want, 0x3f7f8000), r->status | FP_SWA);
	}
	for (const struct approx_row *r = prsqrtas; r < prsqrtas + LEN(prsqrtas); r++) {
		struct fp_reg f3 = pair(S1, r->f3);

		check_out(r->line, fp_prsqrta(&masked, &f3), pair(0x3f7f8000, r->want), r->status | FP_SWA);
	}
}

static void check_natval(void)
{
	struct fp_mode all = fp_mode(0, 0, FP_PC_PAIR);
	struct fp_reg nat = FP_NATVAL, bad = pair(SSNAN, SSNAN);

	check_out(__LINE__, fp_pma(FP_FMA, &all, &nat, &bad, &bad), nat, 0);
	check_out(__LINE__, fp_pma(FP_FMA, &all, &bad, &nat, NULL), nat, 0);
	check_out(__LINE__, fp_pma(FP_FMA, &all, &bad, &bad, &nat), nat, 0);
	check_out(__LINE__, fp_pminmax(FP_MIN, &all, &nat, &bad), nat, 0);
	check_out(__LINE__, fp_pcompare(FP_LT, &all, &bad, &nat), nat, 0);
	check_out(__LINE__, fp_prcpa(&all, &nat, &bad), nat, 0);
	check_out(__LINE__, fp_prcpa(&all, &bad, &nat), nat, 0);
	check_out(__LINE__, fp_prsqrta(&all, &nat), nat, 0);
	check_out(__LINE__, fp_pcvt_fx(FP_FX, &all, &nat), nat, 0);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		check_row(r, false);
		check_row(r, true);
	}
	check_both();
	check_minmax_compare();
	check_convert();
	check_approximations();
	check_natval();
	return check_done();
}
