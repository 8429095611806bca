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

struct imc_bus {
	struct {
		uint64_t number;	/* stands for clocks number * 64 on */
		uint64_t taken;
	} word[IMC_BUS_WORDS];
};

static inline uint64_t imc_bus_word(const struct imc_bus *b, uint64_t number)
{
	unsigned i = number % IMC_BUS_WORDS;

	return b->word[i].number == number ? b->word[i].taken : 0;
}

/* Bit i: clock at + i is booked. */
static inline uint64_t imc_bus_look(const struct imc_bus *b, uint64_t at)
{
	uint64_t low = imc_bus_word(b, at / 64) >> at % 64;

	/* Two shifts: at % 64 may be 0. */
	return low | imc_bus_word(b, at / 64 + 1) << 1 << (63 - at % 64);
}

/* Book clocks from .. to - 1. */
static inline void imc_bus_book(struct imc_bus *b, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t number = from / 64, next = (number + 1) * 64;
		uint64_t end = to < next ? to : next;
		unsigned i = number % IMC_BUS_WORDS;

		if (b->word[i].number < number) {
			b->word[i].number = number;
			b->word[i].taken = 0;
		}
		if (b->word[i].number == number)
			b->word[i].taken |= bits_low(end - from) << from % 64;
		from = end;
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
