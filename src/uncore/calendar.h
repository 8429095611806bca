/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A calendar: which clocks of a resource are taken.  Walks reach into the future and
 * come back, so a single "next free" time would make an early arrival wait for a late
 * one.  A calendar keeps the recent and near clocks one by one:
 *
 *	clock	... 64 65 66 67 68 69 ...
 *	taken	     x  x  .  .  x  .		an arrival at 65 that needs two clocks
 *						gets 66 and 67
 *
 * Clocks that have left the window are taken to be free.
 */
#ifndef BXS_UNCORE_CALENDAR_H
#define BXS_UNCORE_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

/* 8192 clocks: what the 16 requests of each of 18 cores can put before one another on a link,
 * 9 clocks each, and as much again. */
enum { CALENDAR_WORDS = 128 };

struct calendar {
	struct calendar_word {
		uint64_t number;	/* which 64 clocks the word stands for */
		uint64_t taken;
	} word[CALENDAR_WORDS];
};

/* Turns times into the clocks of calendars; period is rounded, so only differences of
 * few clocks go back into times. */
struct calendar_rate {
	uint64_t mult;			/* clocks = when * mult >> 64 */
	uint32_t period;		/* ps */
};

static inline struct calendar_rate calendar_rate(uint64_t khz)
{
	return (struct calendar_rate){
		/* Rounded up, so that a clock's first picosecond belongs to it. */
		.mult = (uint64_t)(((bits_u128)khz << 64) / 1000000000u) + 1,
		.period = (uint32_t)((1000000000u + khz / 2) / khz),
	};
}

/* Has somebody the clock that holds `when`? */
static inline bool calendar_taken(const struct calendar *c, const struct calendar_rate *rate, uint64_t when)
{
	uint64_t clock = (uint64_t)(((bits_u128)when * rate->mult) >> 64);
	const struct calendar_word *w = &c->word[clock / 64 % CALENDAR_WORDS];

	return w->number == clock / 64 && w->taken >> clock % 64 & 1;
}

/* Out of the fast path: see calendar_book(). */
uint64_t calendar_search(struct calendar *c, uint64_t clock, unsigned n);

/*
 * Take the first n free clocks from `when` on; they need not be neighbours.  Returns how
 * long after `when` the first of them starts if n is 1, else how much longer than n
 * clocks the last one takes to end: 0 when nobody else is there.
 */
static inline __attribute__((always_inline)) uint64_t calendar_book(struct calendar *c, const struct calendar_rate *rate,
				     uint64_t when, unsigned n)
{
	uint64_t clock = (uint64_t)(((bits_u128)when * rate->mult) >> 64);
	uint64_t number = clock / 64, mask = bits_low(n) << clock % 64;
	struct calendar_word *w = &c->word[number % CALENDAR_WORDS];
	uint64_t ahead = w->number - number;	/* as a signed number: 0 in the window, below if it stands for older clocks */
	/* Which of these is chance, and not worth a branch. */
	uint64_t taken = w->taken & -(uint64_t)(ahead < 1);

	KEEP(taken);
	if (__builtin_expect(!(taken & mask) && (int64_t)ahead <= 0 && clock % 64 + n <= 64, 1)) {
		*w = (struct calendar_word){ number, taken | mask };
		return 0;
	}
	return calendar_search(c, clock, n) * rate->period;
}

#endif
