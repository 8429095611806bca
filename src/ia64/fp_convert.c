/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers from and to integers in the significand (vol. 3: fcvt.fx, fcvt.xf, fpcvt.fx). */
#include "ia64/fp_private.h"

/* A magnitude rounded to an integer, or too large for 64 bits. */
struct whole {
	uint64_t value;
	bool inexact, up, too_large;
};

/* half: 0 if the fraction is below one half, 1 if it is one half, 2 if above. */
static bool rounds_up(unsigned rc, uint32_t sign, bool odd, bool inexact, unsigned half)
{
	switch (rc) {
	case FP_RC_NEAREST:
		return half == 2 || (half == 1 && odd);
	case FP_RC_DOWN:
		return inexact && sign;
	case FP_RC_UP:
		return inexact && !sign;
	default:
		return false;
	}
}

static struct whole round_whole(const struct fp_num *n, unsigned rc)
{
	int32_t exp = n->exp - FP_EXP_BIAS;	/* of the integer bit */
	struct whole w = { 0 };
	uint64_t fraction;
	unsigned half;

	if (n->sig == 0)
		return w;
	w.too_large = exp > 63;
	if (w.too_large)
		return w;
	w.value = exp < 0 ? 0 : n->sig >> (63 - exp);
	fraction = exp == 63 ? 0 : exp >= 0 ? n->sig << (exp + 1) : exp == -1 ? n->sig : 1;
	w.inexact = fraction != 0;
	half = fraction >> 63 ? 1 + (fraction << 1 != 0) : 0;
	w.up = rounds_up(rc, n->sign, w.value & 1, w.inexact, half);
	w.value += w.up;	/* there are 64 bits only if the fraction has none: no carry */
	return w;
}

/* Whether the rounded magnitude is an integer of the given width. */
static bool fits(const struct whole *w, bool is_unsigned, uint32_t sign, unsigned width)
{
	uint64_t most = is_unsigned ? (sign ? 0 : bits_low(width)) : bits_low(width - 1) + (sign != 0);

	return !w->too_large && w->value <= most;
}

static struct fp_out invalid_integer(const struct fp_mode *mode, unsigned width)
{
	if (!(mode->disabled & FP_V))
		return fp_fault(FP_V);
	return fp_out(UINT64_C(1) << (width - 1), FP_EXP_INT, FP_V);
}

struct fp_out fp_to_integer(enum fp_convert op, const struct fp_mode *mode, const struct fp_reg *f2, unsigned width)
{
	enum fp_kind kind = fp_kind(f2);
	uint32_t status = kind == FP_KIND_UNORM ? FP_D : 0;
	struct fp_num n = fp_number(f2);
	struct whole w = round_whole(&n, op & FP_FX_TRUNC ? FP_RC_ZERO : mode->rc);

	if (kind == FP_KIND_NAT)
		return fp_natval();
	if (!fp_kind_finite(kind) || !fits(&w, op & FP_FXU, n.sign, width))
		return invalid_integer(mode, width);
	if (status & ~mode->disabled)
		return fp_fault(FP_D);
	if (w.inexact)
		status |= FP_I;
	if (w.inexact && !(mode->disabled & FP_I))
		status |= FP_TRAP | (FP_ISR_I | (w.up ? FP_ISR_FPA : 0)) << FP_ISR_SHIFT;
	return fp_out((n.sign ? -w.value : w.value) & bits_low(width), FP_EXP_INT, status);
}

struct fp_out fp_cvt_fx(enum fp_convert op, const struct fp_mode *mode, const struct fp_reg *f2)
{
	return fp_to_integer(op, mode, f2, 64);
}

struct fp_reg fp_cvt_xf(const struct fp_reg *f2)
{
	uint32_t sign = f2->sig >> 63 ? FP_SIGN : 0;
	uint64_t magnitude = sign ? -f2->sig : f2->sig;
	unsigned zeros;

	if (magnitude == 0)
		return fp_is_natval(f2) ? FP_NATVAL : FP_ZERO;
	zeros = (unsigned)__builtin_clzll(magnitude);
	return (struct fp_reg){ magnitude << zeros, sign | (FP_EXP_INT - zeros) };
}
