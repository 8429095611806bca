/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which clocks of a bus are booked, one bit a clock.  Requests book ahead of each other:
 * a later one may take clocks that an earlier one, waiting for its row, has left free.
 * Clocks that have left the window count as free.
 */
#ifndef BXS_UNCORE_IMC_BUS_H
#define BXS_UNCORE_IMC_BUS_H

#include <stdint.h>

#include "base/bits.h"

enum { IMC_BUS_WORDS = 64 };	/* 4096 clocks, near 4 us */

/* Words base .. base + IMC_BUS_WORDS - 1 of 64 clocks each; all later ones are free. */
struct imc_bus {
	uint64_t base;
	uint64_t taken[IMC_BUS_WORDS];
};

static inline uint64_t imc_bus_word(const struct imc_bus *b, uint64_t number)
{
	return number - b->base < IMC_BUS_WORDS ? b->taken[number % IMC_BUS_WORDS] : 0;
}

/* Bit i: clock at + i is booked. */
static inline uint64_t imc_bus_look(const struct imc_bus *b, uint64_t at)
{
	uint64_t number = at / 64;
	uint64_t low = imc_bus_word(b, number), high = imc_bus_word(b, number + 1);

	/* Two shifts: at % 64 may be 0. */
	return low >> at % 64 | high << 1 << (63 - at % 64);
}

/* The window moves on until it has word `number`. */
static inline void imc_bus_reach(struct imc_bus *b, uint64_t number)
{
	uint64_t end = b->base + IMC_BUS_WORDS;

	if (number < end)
		return;
	if (number >= end + IMC_BUS_WORDS)
		end = number + 1 - IMC_BUS_WORDS;
	for (; end <= number; end++)
		b->taken[end % IMC_BUS_WORDS] = 0;
	b->base = number + 1 - IMC_BUS_WORDS;
}

/* Book clocks from .. to - 1. */
static inline void imc_bus_book(struct imc_bus *b, uint64_t from, uint64_t to)
{
	for (uint64_t number = from / 64; from < to; number++, from = number * 64) {
		uint64_t end = to < (number + 1) * 64 ? to : (number + 1) * 64;

		imc_bus_reach(b, number);
		if (number >= b->base)
			b->taken[number % IMC_BUS_WORDS] |= UINT64_MAX >> (64 - (end - from))
							    << from % 64;
	}
}

/* First clock at or after `at` that is free. */
static inline uint64_t imc_bus_one(const struct imc_bus *b, uint64_t at)
{
	for (;; at += 64) {
		uint64_t free = ~imc_bus_look(b, at);

		if (free)
			return at + (unsigned)__builtin_ctzll(free);
	}
}

/* First clock at or after `at` from which four are free. */
static inline uint64_t imc_bus_four(const struct imc_bus *b, uint64_t at)
{
	for (;; at += 61) {
		uint64_t free = ~imc_bus_look(b, at);

		free &= free >> 1;
		free &= free >> 2;
		if (free)
			return at + (unsigned)__builtin_ctzll(free);
	}
}

#endif
