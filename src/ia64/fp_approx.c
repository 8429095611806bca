/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frcpa and frsqrta (vol. 3).  Where iterations from the approximation could not round the quotient or root right, the
 * instruction asks for software assistance: the result is then the quotient or root itself and the predicate is false.
 */
#include "ia64/fp_private.h"

static bool is_zero(enum fp_kind kind, const struct fp_reg *f)
{
	return fp_kind_finite(kind) && f->sig == 0;
}

static struct fp_out zero_divide(const struct fp_mode *mode, uint32_t sign)
{
	return mode->disabled & FP_Z ? fp_infinity(sign, FP_Z) : fp_fault(FP_Z);
}

bool fp_quotient_special(const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3,
			 struct fp_out *out)
{
	enum fp_kind kind[2] = { fp_kind(f2), fp_kind(f3) };
	bool zero2 = is_zero(kind[0], f2), zero3 = is_zero(kind[1], f3);
	bool infinite2 = kind[0] == FP_KIND_INF, infinite3 = kind[1] == FP_KIND_INF;
	uint32_t sign = (f2->se ^ f3->se) & FP_SIGN;
	uint32_t status = kind[0] == FP_KIND_UNORM || kind[1] == FP_KIND_UNORM ? FP_D : 0;

	if (fp_nan(mode, (const struct fp_reg *const[]){ f2, f3 }, kind, 2, out))
		return true;
	if ((zero2 && zero3) || (infinite2 && infinite3))
		*out = fp_invalid(mode);
	else if (zero3 && !infinite2)
		*out = zero_divide(mode, sign);
	else if (status & ~mode->disabled)
		*out = fp_fault(FP_D);
	else if (infinite2)
		*out = fp_infinity(sign, status);
	else
		*out = fp_out(0, sign, status);
	return (out->status & (FP_V | FP_Z | FP_FAULT)) || infinite2 || infinite3 || zero2;
}

struct fp_out fp_recip_of(const struct fp_num *n, uint32_t status)
{
	uint64_t entry = fp_recip[n->sig >> 55 & 0xff];

	return fp_out(entry << 53, n->sign | (uint32_t)(2 * FP_EXP_BIAS - 1 - n->exp), status);
}

struct fp_out fp_recip_sqrt_of(const struct fp_num *n, uint32_t status)
{
	int32_t exp = n->exp - FP_EXP_BIAS;
	uint64_t entry = fp_recip_sqrt[(exp & 1 ? 0 : 128) + (n->sig >> 56 & 0x7f)];

	exp = (exp - (exp & 1)) / 2;
	return fp_out(entry << 53, (uint32_t)(FP_EXP_BIAS - 1 - exp), status);
}

/*
 * The limits within which every iteration of a division stays inside the exponents of 17 bits, for operands normalised: those
 * of the reciprocal, of the quotient, and of remainders, which lie up to 64 bits below the dividend.
 */
static bool division_needs_assistance(const struct fp_num *f2, const struct fp_num *f3)
{
	int32_t emin = 1 - FP_EXP_BIAS, emax = FP_EXP_BIAS;
	int32_t e2 = f2->exp - FP_EXP_BIAS, e3 = f3->exp - FP_EXP_BIAS;

	return e3 <= emin - 1 || e3 >= emax - 2 || e2 - e3 >= emax || e2 - e3 <= emin + 1 || e2 <= emin + 63;
}

struct fp_out fp_rcpa(const struct fp_mode *mode, const struct fp_reg *f2, const struct fp_reg *f3)
{
	struct fp_num n2, n3;
	struct fp_out out;

	if (fp_quotient_special(mode, f2, f3, &out))
		return out;
	n2 = fp_number(f2), n3 = fp_number(f3);
	if (division_needs_assistance(&n2, &n3))
		return fp_divide(mode, &n2, &n3, out.status | FP_SWA);
	return fp_recip_of(&n3, out.status | FP_P2);
}

struct fp_out fp_rsqrta(const struct fp_mode *mode, const struct fp_reg *f3)
{
	enum fp_kind kind = fp_kind(f3);
	struct fp_num n = fp_number(f3);
	uint32_t status = kind == FP_KIND_UNORM ? FP_D : 0;
	struct fp_out out;

	if (fp_nan(mode, &f3, &kind, 1, &out))
		return out;
	if (n.sign && n.sig)
		return fp_invalid(mode);
	if (status & ~mode->disabled)
		return fp_fault(FP_D);
	if (kind == FP_KIND_INF)
		return fp_infinity(0, 0);
	if (n.sig == 0)
		return fp_out(0, n.sign, status);
	if (n.exp <= 64)	/* remainders could leave the exponents of 17 bits */
		return fp_sqrt(mode, &n, status | FP_SWA);
	return fp_recip_sqrt_of(&n, status | FP_P2);
}
