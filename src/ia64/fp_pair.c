/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parallel forms: two singles in a significand, each computed as by the form for one value (vol. 1, 5.3.3; vol. 3, fpma and
 * its neighbours).  The 9500 leaves all of them to software assistance (reference manual, 2.2.1.12), so each of them says
 * FP_SWA unless an operand is NaTVal.
 */
#include "ia64/fp_private.h"

/* ISR.code of the low half: its faults lie four bits above, its traps four bits below those of the high half. */
static uint32_t low_isr(uint32_t status)
{
	uint32_t code = fp_isr_code(status);

	return (status & FP_FAULT ? code << 4 : code >> 4) << FP_ISR_SHIFT;
}

/* What both halves' statuses (flags and interruptions) say together; a fault silences the other half's trap. */
static uint32_t join_status(uint32_t high, uint32_t low)
{
	uint32_t both = high | low, code = 0;
	uint32_t kind = both & FP_FAULT ? FP_FAULT : FP_TRAP;

	if (high & kind)
		code |= fp_isr_code(high) << FP_ISR_SHIFT;
	if (low & kind)
		code |= low_isr(low);
	if (kind == FP_FAULT)
		return code | FP_FAULT | FP_SWA;
	return code | (both & (FP_FLAGS | FP_TRAP | FP_TINY | FP_FLUSHED)) | FP_SWA;
}

static struct fp_out join(uint32_t high, uint32_t low, uint32_t status)
{
	if (status & FP_FAULT)
		return fp_out(0, 0, status);
	return fp_out((uint64_t)high << 32 | low, FP_EXP_INT, status);
}

/* Two halves that are numbers; FP_P2 if both have it. */
static struct fp_out join_singles(struct fp_out high, struct fp_out low)
{
	struct fp_reg h = fp_value(high), l = fp_value(low);
	uint32_t status = join_status(high.status, low.status);

	if (!(status & FP_FAULT))
		status |= high.status & low.status & FP_P2;
	return join(fp_to_single(&h), fp_to_single(&l), status);
}

static struct fp_reg half(const struct fp_reg *f, bool high)
{
	return fp_from_single((uint32_t)(high ? f->sig >> 32 : f->sig));
}

static struct fp_out pma_half(enum fp_multiply_add op, const struct fp_mode *mode, const struct fp_reg *f3,
			      const struct fp_reg *f4, const struct fp_reg *f2, bool high)
{
	struct fp_reg h3 = half(f3, high), h4 = half(f4, high), h2 = f2 ? half(f2, high) : FP_ZERO;

	return fp_fma(op, mode, &h3, &h4, f2 ? &h2 : NULL);
}

struct fp_out fp_pma(enum fp_multiply_add op, const struct fp_mode *mode, const struct fp_reg *f3,
		     const struct fp_reg *f4, const struct fp_reg *f2)
{
	if (fp_is_natval(f3) || fp_is_natval(f4) || (f2 && fp_is_natval(f2)))
		return fp_natval();
	return join_singles(pma_half(op, mode, f3, f4, f2, true), pma_half(op, mode, f3, f4, f2, false));
}

static struct fp_out pminmax_half(enum fp_minmax op, const struct fp_mode *mode, const struct fp_reg *f2,
				  const struct fp_reg *f3, bool high)
{
	struct fp_reg h2 = half(f2, high), h3 = half(f3, high);

	return fp_minmax(op, mode, &h2, &h3);
}

struct fp_out fp_pminmax(enum fp_minmax op, const struct fp_mode *mode, const struct fp_reg *f2,
			 const struct fp_reg *f3)
{
	if (fp_is_natval(f2) || fp_is_natval(f3))
		return fp_natval();
	return join_singles(pminmax_half(op, mode, f2, f3, true), pminmax_half(op, mode, f2, f3, false));
}

static uint32_t pcompare_half(enum fp_rel rel, const struct fp_mode *mode, const struct fp_reg *f2,
			      const struct fp_reg *f3, bool high)
{
	struct fp_reg h2 = half(f2, high), h3 = half(f3, high);

	return fp_compare(rel, mode, &h2, &h3);
}

struct fp_out fp_pcompare(enum fp_rel rel, const struct fp_mode *mode, const struct fp_reg *f2,
			  const struct fp_reg *f3)
{
	uint32_t high = pcompare_half(rel, mode, f2, f3, true), low = pcompare_half(rel, mode, f2, f3, false);

	if (fp_is_natval(f2) || fp_is_natval(f3))
		return fp_natval();
	return join(high & FP_P1 ? UINT32_MAX : 0, low & FP_P1 ? UINT32_MAX : 0, join_status(high, low));
}

/*
 * Halves have the limits of frcpa for the exponents of singles.  A reciprocal outside them is an infinity or a zero with the
 * divisor's sign; where only the quotient or remainders would be outside, the approximation is given without the predicate.
 */
static struct fp_out prcpa_half(const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3, bool high)
{
	struct fp_reg h2 = half(f2, high), h3 = half(f3, high);
	int32_t emin = -126, emax = 127, e2, e3;
	struct fp_num n2, n3;
	struct fp_out out;

	if (fp_quotient_special(mode, &h2, &h3, &out))
		return out;
	n2 = fp_number(&h2), n3 = fp_number(&h3);
	e2 = n2.exp - FP_EXP_BIAS, e3 = n3.exp - FP_EXP_BIAS;
	if (e3 <= emin - 1)
		return fp_infinity(n3.sign, out.status);
	if (e3 >= emax - 2)
		return fp_out(0, n3.sign, out.status);
	if (e2 - e3 >= emax || e2 - e3 <= emin + 1 || e2 <= emin + 23)
		return fp_recip_of(&n3, out.status);
	return fp_recip_of(&n3, out.status | FP_P2);
}

struct fp_out fp_prcpa(const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3)
{
	if (fp_is_natval(f2) || fp_is_natval(f3))
		return fp_natval();
	return join_singles(prcpa_half(mode, f2, f3, true), prcpa_half(mode, f2, f3, false));
}

/* Unlike frsqrta's, the special values are those of the reciprocal root: infinity of a zero, zero of an infinity. */
static struct fp_out prsqrta_half(const struct fp_mode *mode, const struct fp_reg *f3, bool high)
{
	struct fp_reg h = half(f3, high);
	const struct fp_reg *f = &h;
	enum fp_kind kind = fp_kind(f);
	struct fp_num n = fp_number(f);
	uint32_t status = kind == FP_KIND_UNORM ? FP_D : 0;
	struct fp_out out;

	if (fp_nan(mode, &f, &kind, 1, &out))
		return out;
	if (n.sign && n.sig)
		return fp_invalid(mode);
	if (status & ~mode->disabled)
		return fp_fault(FP_D);
	if (kind == FP_KIND_INF)
		return fp_out(0, 0, 0);
	if (n.sig == 0)
		return fp_infinity(n.sign, 0);
	return fp_recip_sqrt_of(&n, status | (n.exp - FP_EXP_BIAS > -103 ? FP_P2 : 0));
}

struct fp_out fp_prsqrta(const struct fp_mode *mode, const struct fp_reg *f3)
{
	if (fp_is_natval(f3))
		return fp_natval();
	return join_singles(prsqrta_half(mode, f3, true), prsqrta_half(mode, f3, false));
}

static struct fp_out pcvt_half(enum fp_convert op, const struct fp_mode *mode, const struct fp_reg *f2, bool high)
{
	struct fp_reg h = half(f2, high);

	return fp_to_integer(op, mode, &h, 32);
}

struct fp_out fp_pcvt_fx(enum fp_convert op, const struct fp_mode *mode, const struct fp_reg *f2)
{
	struct fp_out high = pcvt_half(op, mode, f2, true), low = pcvt_half(op, mode, f2, false);

	if (fp_is_natval(f2))
		return fp_natval();
	return join((uint32_t)high.sig, (uint32_t)low.sig, join_status(high.status, low.status));
}
