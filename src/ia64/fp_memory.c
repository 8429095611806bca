/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers from and to the formats of memory and general registers (vol. 1, 5.3.1 and 5.3.2). */
#include "ia64/fp_private.h"

/* The parameters of a format of memory without an explicit integer bit. */
struct format {
	uint8_t exp_bits, fraction_bits;
};

static const struct format single_format = { 8, 23 }, double_format = { 11, 52 };

static struct fp_reg load(const struct format *f, uint64_t word)
{
	uint32_t sign = word >> (f->exp_bits + f->fraction_bits) & 1 ? FP_SIGN : 0;
	uint32_t ones = (uint32_t)bits_low(f->exp_bits), rebias = FP_EXP_BIAS - (ones >> 1);
	uint32_t exp = (uint32_t)(word >> f->fraction_bits) & ones;
	uint64_t fraction = word << (63 - f->fraction_bits) & ~FP_INTEGER_BIT;

	if (exp == 0)	/* a denormal has the exponent of the least normal number */
		return (struct fp_reg){ fraction, sign | (fraction ? rebias + 1 : 0) };
	return (struct fp_reg){ FP_INTEGER_BIT | fraction, sign | (exp == ones ? FP_EXP_ONES : exp + rebias) };
}

struct fp_reg fp_from_single(uint32_t word)
{
	return load(&single_format, word);
}

struct fp_reg fp_from_double(uint64_t word)
{
	return load(&double_format, word);
}

struct fp_reg fp_from_extended(uint64_t low, uint16_t high)
{
	uint32_t sign = high >> 15 ? FP_SIGN : 0, exp = high & 0x7fff;

	if (exp == 0x7fff)
		exp = FP_EXP_ONES;
	else if (exp)
		exp += FP_EXP_BIAS - 0x3fff;
	return (struct fp_reg){ low, sign | exp };
}

/* The exponent's top bit and as many low ones as the format has; what lies between is dropped unseen. */
static uint32_t cut_exponent(const struct fp_reg *f, unsigned exp_bits)
{
	return (f->se >> 16 & 1) << (exp_bits - 1) | (f->se & (uint32_t)bits_low(exp_bits - 1));
}

static uint64_t store(const struct format *fmt, const struct fp_reg *f)
{
	uint64_t sign = f->se >> 17 & 1;
	uint64_t exp = f->sig >> 63 ? cut_exponent(f, fmt->exp_bits) : 0;
	uint64_t fraction = (f->sig & ~FP_INTEGER_BIT) >> (63 - fmt->fraction_bits);

	return sign << (fmt->exp_bits + fmt->fraction_bits) | exp << fmt->fraction_bits | fraction;
}

uint32_t fp_to_single(const struct fp_reg *f)
{
	return (uint32_t)store(&single_format, f);
}

uint64_t fp_to_double(const struct fp_reg *f)
{
	return store(&double_format, f);
}

uint16_t fp_to_extended_high(const struct fp_reg *f)
{
	return (uint16_t)((f->se >> 17 & 1) << 15 | cut_exponent(f, 15));
}
