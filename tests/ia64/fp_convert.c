/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversions to and from integers of 64 bits, and the integer multiply-add. */
#include "fp_rows.h"

#define INT_MIN64 SIG_1
#define BAD RAW(0x1003e, INT_MIN64)	/* the integer of an invalid conversion */
#define INT(i) RAW(0x1003e, (uint64_t)(i))

static const struct row {
	int line;
	struct fp_reg f2;
	/* By rc: nearest, down, up, zero (.trunc, whatever rc). */
	struct fp_reg fx[4], fxu[4];
	uint32_t fx_status[4], fxu_status[4];
} rows[] = {
	{ LINE, PLUS_0, { INT(0), INT(0), INT(0), INT(0) }, { INT(0), INT(0), INT(0), INT(0) }, { 0 }, { 0 } },
	{ LINE, MINUS_0, { INT(0), INT(0), INT(0), INT(0) }, { INT(0), INT(0), INT(0), INT(0) }, { 0 }, { 0 } },
	{ LINE, ONE, { INT(1), INT(1), INT(1), INT(1) }, { INT(1), INT(1), INT(1), INT(1) }, { 0 }, { 0 } },
	{ LINE, MINUS_ONE, { INT(-1), INT(-1), INT(-1), INT(-1) }, { BAD, BAD, BAD, BAD }, { 0 }, { FP_V, FP_V, FP_V, FP_V } },
	/* 1.5 and 2.5: ties go to the even integer. */
	{ LINE, REG(0, 0, SIG_15), { INT(2), INT(1), INT(2), INT(1) }, { INT(2), INT(1), INT(2), INT(1) },
	  { FP_I, FP_I, FP_I, FP_I }, { FP_I, FP_I, FP_I, FP_I } },
	{ LINE, REG(0, 1, 0xa000000000000000), { INT(2), INT(2), INT(3), INT(2) }, { INT(2), INT(2), INT(3), INT(2) },
	  { FP_I, FP_I, FP_I, FP_I }, { FP_I, FP_I, FP_I, FP_I } },
	{ LINE, REG(1, 1, 0xa000000000000000), { INT(-2), INT(-3), INT(-2), INT(-2) }, { BAD, BAD, BAD, BAD },
	  { FP_I, FP_I, FP_I, FP_I }, { FP_V, FP_V, FP_V, FP_V } },
	/* 0.5, one above it, and far below: what rounds to zero is no invalid unsigned integer. */
	{ LINE, REG(0, -1, SIG_1), { INT(0), INT(0), INT(1), INT(0) }, { INT(0), INT(0), INT(1), INT(0) },
	  { FP_I, FP_I, FP_I, FP_I }, { FP_I, FP_I, FP_I, FP_I } },
	{ LINE, REG(1, -1, SIG_1), { INT(0), INT(-1), INT(0), INT(0) }, { INT(0), BAD, INT(0), INT(0) },
	  { FP_I, FP_I, FP_I, FP_I }, { FP_I, FP_V, FP_I, FP_I } },
	{ LINE, REG(0, -1, SIG_1 | 1), { INT(1), INT(0), INT(1), INT(0) }, { INT(1), INT(0), INT(1), INT(0) },
	  { FP_I, FP_I, FP_I, FP_I }, { FP_I, FP_I, FP_I, FP_I } },
	{ LINE, RAW(1, SIG_1), { INT(0), INT(0), INT(1), INT(0) }, { INT(0), INT(0), INT(1), INT(0) },
	  { FP_I, FP_I, FP_I, FP_I }, { FP_I, FP_I, FP_I, FP_I } },
	/* The limits: 2^63 - 1, 2^63 - 1/2, 2^63, -2^63, -(2^63 + 1/2 ulp of above), 2^64 - 1, 2^64. */
	{ LINE, REG(0, 62, SIG_MAX - 1), { INT(INT64_MAX), INT(INT64_MAX), INT(INT64_MAX), INT(INT64_MAX) },
	  { INT(INT64_MAX), INT(INT64_MAX), INT(INT64_MAX), INT(INT64_MAX) }, { 0 }, { 0 } },
	{ LINE, REG(0, 62, SIG_MAX), { BAD, INT(INT64_MAX), BAD, INT(INT64_MAX) },
	  { INT(INT_MIN64), INT(INT64_MAX), INT(INT_MIN64), INT(INT64_MAX) },
	  { FP_V, FP_I, FP_V, FP_I }, { FP_I, FP_I, FP_I, FP_I } },
	{ LINE, REG(0, 63, SIG_1), { BAD, BAD, BAD, BAD }, { INT(SIG_1), INT(SIG_1), INT(SIG_1), INT(SIG_1) },
	  { FP_V, FP_V, FP_V, FP_V }, { 0 } },
	{ LINE, REG(1, 63, SIG_1), { INT(SIG_1), INT(SIG_1), INT(SIG_1), INT(SIG_1) }, { BAD, BAD, BAD, BAD },
	  { 0 }, { FP_V, FP_V, FP_V, FP_V } },
	{ LINE, REG(1, 63, SIG_1 | 1), { BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD },
	  { FP_V, FP_V, FP_V, FP_V }, { FP_V, FP_V, FP_V, FP_V } },
	{ LINE, REG(0, 63, SIG_MAX), { BAD, BAD, BAD, BAD }, { INT(SIG_MAX), INT(SIG_MAX), INT(SIG_MAX), INT(SIG_MAX) },
	  { FP_V, FP_V, FP_V, FP_V }, { 0 } },
	{ LINE, REG(0, 64, SIG_1), { BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD },
	  { FP_V, FP_V, FP_V, FP_V }, { FP_V, FP_V, FP_V, FP_V } },
	/* Unnormals; a large pseudo-zero is zero, an unnormal out of range only invalid. */
	{ LINE, RAW(0x1003e, 7), { INT(7), INT(7), INT(7), INT(7) }, { INT(7), INT(7), INT(7), INT(7) },
	  { FP_D, FP_D, FP_D, FP_D }, { FP_D, FP_D, FP_D, FP_D } },
	{ LINE, RAW(0x1fffd, 0), { INT(0), INT(0), INT(0), INT(0) }, { INT(0), INT(0), INT(0), INT(0) },
	  { FP_D, FP_D, FP_D, FP_D }, { FP_D, FP_D, FP_D, FP_D } },
	{ LINE, RAW(0x1fffd, 1), { BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD },
	  { FP_V, FP_V, FP_V, FP_V }, { FP_V, FP_V, FP_V, FP_V } },
	{ LINE, INF, { BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD },
	  { FP_V, FP_V, FP_V, FP_V }, { FP_V, FP_V, FP_V, FP_V } },
	{ LINE, QNAN(9), { BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD },
	  { FP_V, FP_V, FP_V, FP_V }, { FP_V, FP_V, FP_V, FP_V } },
	{ LINE, UNSUPPORTED, { BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD },
	  { FP_V, FP_V, FP_V, FP_V }, { FP_V, FP_V, FP_V, FP_V } },
	{ LINE, NATVAL, { NATVAL, NATVAL, NATVAL, NATVAL }, { NATVAL, NATVAL, NATVAL, NATVAL }, { 0 }, { 0 } },
};

/* All enabled: what is invalid or unnormal faults, what is inexact traps, up if the magnitude grew. */
static uint32_t enabled_status(const struct row *r, const struct fp_reg *got, uint32_t status)
{
	uint64_t magnitude = r->f2.se & FP_SIGN ? -got->sig : got->sig;
	int exp = (int)(r->f2.se & FP_EXP_ONES) - FP_EXP_BIAS;
	uint64_t floor = exp < 0 || exp > 63 ? 0 : r->f2.sig >> (63 - exp);

	if (status & (FP_V | FP_D))
		return FAULT(status & (FP_V | FP_D));
	if (status & FP_I)
		return FP_I | TRAP(FP_ISR_I | (magnitude > floor ? FP_ISR_FPA : 0));
	return status;
}

static void check_conversion(const struct row *r, enum fp_convert op, unsigned rc, const struct fp_reg *want, uint32_t status)
{
	struct fp_mode masked = fp_mode(fpsr_of(OFF, 0, rc << 4), 0, FP_PC_DYN);
	struct fp_mode enabled = fp_mode(fpsr_of(0, 0, rc << 4), 0, FP_PC_DYN);
	uint32_t e = enabled_status(r, want, status);

	check_out(r->line, fp_cvt_fx(op, &masked, &r->f2), *want, status);
	check_out(r->line, fp_cvt_fx(op, &enabled, &r->f2), e & FP_FAULT ? FP_ZERO : *want, e);
}

static const struct xf_row {
	int line;
	uint64_t integer;
	struct fp_reg want;
} xfs[] = {
	{ LINE, 0, PLUS_0 },
	{ LINE, 1, ONE },
	{ LINE, UINT64_MAX, MINUS_ONE },
	{ LINE, 5, REG(0, 2, 0xa000000000000000) },
	{ LINE, INT64_MAX, REG(0, 62, SIG_MAX - 1) },
	{ LINE, SIG_1, REG(1, 63, SIG_1) },
	{ LINE, SIG_1 | 1, REG(1, 62, SIG_MAX - 1) },
};

static const struct xma_row {
	int line;
	uint64_t f3, f4, f2, low, high, high_unsigned;
} xmas[] = {
	{ LINE, 3, 5, 7, 22, 0, 0 },
	{ LINE, UINT64_MAX, UINT64_MAX, 0, 1, 0, UINT64_MAX - 1 },
	{ LINE, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 1, UINT64_MAX },
	{ LINE, UINT64_MAX, 2, 0, UINT64_MAX - 1, UINT64_MAX, 1 },
	{ LINE, UINT64_MAX, 2, 2, 0, 0, 2 },
	{ LINE, SIG_1, SIG_1, 0, 0, UINT64_C(1) << 62, UINT64_C(1) << 62 },
	{ LINE, SIG_1, 3, SIG_1, 0, UINT64_MAX, 2 },
};

static void check_integers(void)
{
	static const struct fp_reg nat = NATVAL, one = INT(1);

	for (const struct xf_row *r = xfs; r < xfs + LEN(xfs); r++) {
		struct fp_reg f = fp_from_int(r->integer), elsewhere = RAW(0x2abcd, r->integer);

		check_reg(r->line, fp_cvt_xf(&f), r->want);
		check_reg(r->line, fp_cvt_xf(&elsewhere), r->want);	/* only the significand counts */
	}
	for (const struct xma_row *r = xmas; r < xmas + LEN(xmas); r++) {
		struct fp_reg f3 = fp_from_int(r->f3), f4 = RAW(0x20001, r->f4), f2 = fp_from_int(r->f2);

		check_reg(r->line, fp_xma(FP_XMA_L, &f3, &f4, &f2), fp_from_int(r->low));
		check_reg(r->line, fp_xma(FP_XMA_H, &f3, &f4, &f2), fp_from_int(r->high));
		check_reg(r->line, fp_xma(FP_XMA_HU, &f3, &f4, &f2), fp_from_int(r->high_unsigned));
	}
	check_reg(__LINE__, fp_cvt_xf(&nat), nat);
	check_reg(__LINE__, fp_xma(FP_XMA_L, &nat, &one, &one), nat);
	check_reg(__LINE__, fp_xma(FP_XMA_H, &one, &nat, &one), nat);
	check_reg(__LINE__, fp_xma(FP_XMA_HU, &one, &one, &nat), nat);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		for (unsigned rc = 0; rc < 4; rc++) {
			check_conversion(r, FP_FX, rc, &r->fx[rc], r->fx_status[rc]);
			check_conversion(r, FP_FXU, rc, &r->fxu[rc], r->fxu_status[rc]);
			check_conversion(r, FP_FX_TRUNC, rc, &r->fx[FP_RC_ZERO], r->fx_status[FP_RC_ZERO]);
			check_conversion(r, FP_FXU_TRUNC, rc, &r->fxu[FP_RC_ZERO], r->fxu_status[FP_RC_ZERO]);
		}
	}
	check_integers();
	return check_done();
}
