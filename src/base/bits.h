/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks and fields of 64-bit words. */
#ifndef BXS_BITS_H
#define BXS_BITS_H

#include <stdint.h>

/* For exact products of times and frequencies. */
__extension__ typedef unsigned __int128 bits_u128;

#define LEN(a) (sizeof (a) / sizeof *(a))

/* The compiler shall keep what x has become, and neither compute it again at each use nor make a branch of it. */
#define KEEP(x) __asm__("" : "+r"(x))

/* The low `width` bits, 0..64. */
static inline uint64_t bits_low(unsigned width)
{
	return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static inline uint64_t bits_mask(unsigned hi, unsigned lo)
{
	return bits_low(hi - lo + 1) << lo;
}

static inline uint64_t bits_get(uint64_t word, unsigned hi, unsigned lo)
{
	return word >> lo & bits_low(hi - lo + 1);
}

static inline uint64_t bits_put(uint64_t word, unsigned hi, unsigned lo, uint64_t value)
{
	uint64_t mask = bits_mask(hi, lo);

	return (word & ~mask) | (value << lo & mask);
}

#endif
