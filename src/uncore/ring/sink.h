/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of a queue that takes messages off a ring.  Who need not wait takes none; who finds none free cannot leave
 * the ring: it bounces, goes round, and comes by again a lap later.  A place that frees up meanwhile is kept for it.
 *
 *	three places, taken until	10 12 30	a message at 5, laps of 4
 *	it comes by at			5 9 13		and gets the place that is free from 10 on
 *
 * Walks do not tell in order of time: whoever comes later than the one that asks, though told before, is not in its way.
 */
#ifndef BXS_UNCORE_RING_SINK_H
#define BXS_UNCORE_RING_SINK_H

#include <stdbool.h>
#include <stdint.h>

enum { SINK_KNOWN = 64 };	/* who has a place, will have one or had one lately */

struct sink {
	unsigned next;
	uint64_t came[SINK_KNOWN], until[SINK_KNOWN];
	uint64_t gone[SINK_KNOWN];	/* when this one and all that were told before it have gone */
};

/* Is a look at all places worth while?  false: one of n is free, for all but less than n have gone. */
static inline bool sink_crowded(const struct sink *s, unsigned n, uint64_t when)
{
	return __builtin_expect(s->gone[(s->next - n) % SINK_KNOWN] > when, 0);
}

/* When a message that comes by at `when` finds one of n places free that is kept for nobody before it. */
uint64_t sink_free(const struct sink *s, unsigned n, uint64_t when);

/* How many laps it goes until then. */
static inline uint64_t sink_laps(const struct sink *s, unsigned n, uint64_t when, uint64_t lap)
{
	return (sink_free(s, n, when) - when + lap - 1) / lap;
}

/* A message that first came by at `came` has, or goes round for, a place until `until`. */
static inline void sink_take(struct sink *s, uint64_t came, uint64_t until)
{
	unsigned i = s->next;
	uint64_t gone = s->gone[(i - 1) % SINK_KNOWN];

	s->came[i] = came;
	s->until[i] = until;
	s->gone[i] = until > gone ? until : gone;
	s->next = (i + 1) % SINK_KNOWN;
}

/* Until when `mark` or more places are taken, after one was taken at `when`; `when`: fewer are. */
uint64_t sink_above(const struct sink *s, unsigned mark, uint64_t when);

#endif
