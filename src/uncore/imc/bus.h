/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which clocks of a bus are booked, one bit a clock.  Requests book ahead of each other:
 * a later one may take clocks that an earlier one, waiting for its row, has left free.
 * Clocks that have left the window count as free.
 */
#ifndef BXS_UNCORE_IMC_BUS_H
#define BXS_UNCORE_IMC_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

enum { IMC_BUS_WORDS = 64 };	/* 4096 clocks, near 4 us */

struct imc_bus {
	struct imc_bus_word {
		uint64_t number;	/* which 64 clocks the word stands for */
		uint64_t taken;
	} word[IMC_BUS_WORDS];
};

/* What of the word's clocks is booked.  Whether it is a new one is hard to foresee, so no branch. */
static inline uint64_t imc_bus_taken(const struct imc_bus_word *w, uint64_t number)
{
	return w->taken & -(uint64_t)(w->number == number);
}

static inline uint64_t imc_bus_word(const struct imc_bus *b, uint64_t number)
{
	return imc_bus_taken(&b->word[number % IMC_BUS_WORDS], number);
}

/* Bit i: clock at + i is booked. */
static inline uint64_t imc_bus_look(const struct imc_bus *b, uint64_t at)
{
	uint64_t number = at / 64;
	uint64_t low = imc_bus_word(b, number), high = imc_bus_word(b, number + 1);

	/* Two shifts: at % 64 may be 0. */
	return low >> at % 64 | high << 1 << (63 - at % 64);
}

/* Book those clocks of the 64 with this number that are set in the mask. */
static inline void imc_bus_set(struct imc_bus *b, uint64_t number, uint64_t mask)
{
	struct imc_bus_word *w = &b->word[number % IMC_BUS_WORDS];

	if (__builtin_expect(w->number <= number, 1))
		*w = (struct imc_bus_word){ number, imc_bus_taken(w, number) | mask };
}

static inline void imc_bus_take(struct imc_bus *b, uint64_t at)
{
	imc_bus_set(b, at / 64, UINT64_C(1) << at % 64);
}

/* Is this clock free? */
static inline bool imc_bus_free(const struct imc_bus *b, uint64_t at)
{
	const struct imc_bus_word *w = &b->word[at / 64 % IMC_BUS_WORDS];

	return w->number != at / 64 || !(w->taken >> at % 64 & 1);
}

/* First clock at or after `at` that is free. */
static inline uint64_t imc_bus_one(const struct imc_bus *b, uint64_t at)
{
	for (;; at = (at / 64 + 1) * 64) {
		uint64_t free = ~imc_bus_word(b, at / 64) >> at % 64;

		if (__builtin_expect(free != 0, 1))
			return at + (unsigned)__builtin_ctzll(free);
	}
}

/* The same, and book it. */
static inline uint64_t imc_bus_claim(struct imc_bus *b, uint64_t at)
{
	for (;; at = (at / 64 + 1) * 64) {
		struct imc_bus_word *w = &b->word[at / 64 % IMC_BUS_WORDS];
		uint64_t taken = imc_bus_taken(w, at / 64), free = ~taken >> at % 64;

		if (__builtin_expect(free == 0, 0))
			continue;
		at += (unsigned)__builtin_ctzll(free);
		if (__builtin_expect(w->number <= at / 64, 1))
			*w = (struct imc_bus_word){ at / 64, taken | UINT64_C(1) << at % 64 };
		return at;
	}
}

#endif
