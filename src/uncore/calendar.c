/* SPDX-License-Identifier: BSD-2-Clause */
/* The slow path of calendars: a new word of clocks, or clocks that are taken. */
#include <stddef.h>

#include "uncore/calendar.h"

/* The word that stands for clocks number * 64 on, emptied if it stood for older ones;
 * NULL when a later one has its place. */
static uint64_t *word_of(struct calendar *c, uint64_t number)
{
	unsigned i = number % CALENDAR_WORDS;

	if (c->word[i].number < number) {
		c->word[i].number = number;
		c->word[i].taken = 0;
	}
	return c->word[i].number == number ? &c->word[i].taken : NULL;
}

/* Returns how many clocks later than alone the last of the n clocks is. */
uint64_t calendar_search(struct calendar *c, uint64_t clock, unsigned n)
{
	struct calendar_word *w = &c->word[clock / 64 % CALENDAR_WORDS];
	uint64_t at = clock, free = ~w->taken >> clock % 64 << clock % 64, rest = free & (free - 1);
	unsigned left = n;

	/* One or two clocks, and room for them in the same word: the usual case. */
	if (w->number == clock / 64 && n <= 2 && (n == 1 ? free : rest)) {
		uint64_t last = n == 1 ? free : rest;

		w->taken |= free & ~(last & (last - 1));
		return (unsigned)__builtin_ctzll(last) + 1 - (clock % 64 + n);
	}
	for (;;) {
		uint64_t *taken = word_of(c, at / 64);

		if (!taken)	/* before the window: nobody knows better than "free" */
			return at - clock;
		for (free = ~*taken >> at % 64 << at % 64; free; free &= free - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(free);

			*taken |= UINT64_C(1) << bit;
			if (--left == 0)
				return at / 64 * 64 + bit + 1 - (clock + n);
		}
		at = (at / 64 + 1) * 64;
	}
}
