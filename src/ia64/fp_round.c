/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The results that rounding seldom meets: overflow, tiny results, and inexact ones whose interruption is enabled (vol. 1,
 * 5.4.2 and 5.4.3).  Tininess is detected after rounding, loss of accuracy as inexactness.
 */
#include "ia64/fp_private.h"

/* A result rounded as if exponents had no bounds. */
struct rounded {
	uint64_t sig;
	int32_t exp;
	bool inexact, up;	/* up: the magnitude has grown */
};

static struct rounded round_unbounded(const struct fp_mode *mode, uint32_t sign, int32_t exp, bits_u128 v)
{
	unsigned s = sign != 0;
	uint64_t high = (uint64_t)(v >> 64);
	bits_u128 add = (bits_u128)mode->high[s] << 64 | mode->low[s], sum;
	bool carry = __builtin_add_overflow(v, add + (high >> mode->drop & mode->even), &sum);
	uint64_t kept = (uint64_t)(sum >> 64) & ~mode->lost;
	bool up = kept != (high & ~mode->lost);

	return (struct rounded){
		.sig = carry ? FP_INTEGER_BIT : kept,
		.exp = exp + carry,
		.inexact = ((high & mode->lost) | (uint64_t)v) != 0,
		.up = up,
	};
}

/* status with a trap that says code, and fpa if the magnitude delivered is above the exact one. */
static uint32_t trap(uint32_t status, unsigned code, bool up)
{
	return status | FP_TRAP | (code | (up ? FP_ISR_FPA : 0)) << FP_ISR_SHIFT;
}

/* status with an inexact result, which traps if that is enabled. */
static uint32_t inexact(const struct fp_mode *mode, uint32_t status, bool up)
{
	status |= FP_I;
	return mode->disabled & FP_I ? status : trap(status, FP_ISR_I, up);
}

/* The response to enabled overflow and underflow: the rounded result, of its exponent as many bits as there are. */
static struct fp_out wrapped(const struct fp_mode *mode, uint32_t sign, struct rounded r, uint32_t status, unsigned code)
{
	int32_t least = mode->exp_bits == 8 ? FP_EXP_BIAS - 127 : 0;
	uint32_t exp = ((uint32_t)(r.exp - least) & (uint32_t)bits_low(mode->exp_bits)) + (uint32_t)least;

	if (r.inexact) {
		status |= FP_I;
		code |= FP_ISR_I;
	}
	return fp_out(r.sig, sign | exp, trap(status, code, r.up));
}

/* Whether rc takes a magnitude of this sign above the largest number to infinity. */
static bool overflows_to_infinity(const struct fp_mode *mode, uint32_t sign)
{
	return mode->rc == FP_RC_NEAREST || mode->rc == (sign ? FP_RC_DOWN : FP_RC_UP);
}

static struct fp_out overflow(const struct fp_mode *mode, uint32_t sign, struct rounded r, uint32_t status)
{
	bool infinite = overflows_to_infinity(mode, sign);

	status |= FP_O;
	if (!(mode->disabled & FP_O))
		return wrapped(mode, sign, r, status, FP_ISR_O);
	status = inexact(mode, status, infinite);
	if (infinite)
		return fp_infinity(sign, status);
	return fp_out(~mode->lost, sign | (uint32_t)mode->emax, status);
}

/* v shifted right by n >= 0; bit 0 keeps what falls out. */
static bits_u128 shift_sticky(bits_u128 v, int32_t n)
{
	if (n >= 128)
		return v != 0;
	return v >> n | ((v & (((bits_u128)1 << n) - 1)) != 0);
}

/* Round at the place of the least denormal.  Double-extended denormals have a zero in their exponent's field. */
static struct fp_out denormal(const struct fp_mode *mode, uint32_t sign, int32_t exp, bits_u128 v, uint32_t status)
{
	struct rounded r = round_unbounded(mode, sign, mode->emin, shift_sticky(v, mode->emin - exp));
	uint32_t field = mode->emin == FP_EXP_DENORMAL ? 0 : (uint32_t)mode->emin;

	if (r.inexact)
		status = inexact(mode, status | FP_U, r.up);
	if (r.sig == 0)
		return fp_out(0, sign, status);
	return fp_out(r.sig, sign | (r.sig >> 63 ? (uint32_t)r.exp : field), status);
}

static struct fp_out tiny(const struct fp_mode *mode, uint32_t sign, struct rounded r, int32_t exp, bits_u128 v,
			  uint32_t status)
{
	status |= FP_TINY;
	if (!(mode->disabled & FP_U))
		return wrapped(mode, sign, r, status | FP_U, FP_ISR_U);
	if (mode->ftz)
		return fp_out(0, sign, inexact(mode, status | FP_U | FP_FLUSHED, false));
	return denormal(mode, sign, exp, v, status);
}

struct fp_out fp_round_rare(const struct fp_mode *mode, uint32_t sign, int32_t exp, bits_u128 v, uint32_t status)
{
	struct rounded r = round_unbounded(mode, sign, exp, v);

	if (r.exp > mode->emax)
		return overflow(mode, sign, r, status);
	if (r.exp < mode->emin)
		return tiny(mode, sign, r, exp, v, status);
	if (r.inexact)
		status = inexact(mode, status, r.up);
	return fp_out(r.sig, sign | (uint32_t)r.exp, status);
}
