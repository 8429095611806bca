/* SPDX-License-Identifier: BSD-2-Clause */
/* Quotients and square roots as software assistance delivers them: digits enough for one rounding. */
#include "ia64/fp_private.h"

struct fp_out fp_divide(const struct fp_mode *mode, const struct fp_num *f2, const struct fp_num *f3, uint32_t status)
{
	bool below_one = f2->sig < f3->sig;
	bits_u128 dividend = (bits_u128)f2->sig << (63 + below_one), rest;
	uint64_t high = (uint64_t)(dividend / f3->sig), low;

	rest = dividend % f3->sig << 64;
	low = (uint64_t)(rest / f3->sig) | (rest % f3->sig != 0);
	return fp_round(mode, f2->sign ^ f3->sign, f2->exp - f3->exp + FP_EXP_BIAS - below_one,
			(bits_u128)high << 64 | low, status);
}

/* Bit by bit, two bits of the square a step: 64 bits that are its integer root, and two more for rounding. */
struct fp_out fp_sqrt(const struct fp_mode *mode, const struct fp_num *f3, uint32_t status)
{
	bool odd = (f3->exp - FP_EXP_BIAS) & 1;
	int32_t exp = FP_EXP_BIAS + (f3->exp - FP_EXP_BIAS - odd) / 2;
	bits_u128 square = (bits_u128)f3->sig << (63 + odd), root = 0, rest = 0;

	for (unsigned step = 0; step < 66; step++) {
		bits_u128 trial = root << 2 | 1;

		rest = rest << 2 | square >> 126;
		square <<= 2;
		root <<= 1;
		if (rest >= trial) {
			rest -= trial;
			root |= 1;
		}
	}
	return fp_round(mode, 0, exp, root << 62 | (rest != 0), status);
}
