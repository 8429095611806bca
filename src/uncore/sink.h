/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of a queue that takes messages off a ring.  Who need not wait takes none; who finds none free cannot leave
 * the ring: it bounces, goes round, and comes by again a lap later.  A place that frees up meanwhile is kept for it.
 *
 *	three places, taken until	10 12 30	a message at 5, laps of 4
 *	it comes by at			5 9 13		and gets the place that is free from 10 on
 */
#ifndef BXS_UNCORE_SINK_H
#define BXS_UNCORE_SINK_H

#include <stdbool.h>
#include <stdint.h>

enum { SINK_PLACES = 20 };	/* at most */

struct sink {
	uint64_t last;			/* when all places are free */
	unsigned next;			/* the one that was taken longest ago, if all went in order */
	uint64_t until[SINK_PLACES];	/* when each place is free */
};

/* Is a look at all places worth while?  false: one is free. */
static inline bool sink_crowded(const struct sink *s, uint64_t when)
{
	return __builtin_expect(s->last > when && s->until[s->next] > when, 0);
}

/* Which of n places is free at `when`, or if none is, free first. */
static inline unsigned sink_free(const struct sink *s, unsigned n, uint64_t when)
{
	unsigned first = s->next;

	for (unsigned i = first; i < n; i++)
		if (s->until[i] <= when)
			return i;
	for (unsigned i = 0; i < n && s->until[first] > when; i++)
		if (s->until[i] < s->until[first])
			first = i;
	return first;
}

/* How many laps a message goes that comes by at `when` first. */
static inline uint64_t sink_laps(const struct sink *s, unsigned n, uint64_t when, uint64_t lap)
{
	uint64_t free = s->until[sink_free(s, n, when)];

	return free > when ? (free - when + lap - 1) / lap : 0;
}

/* A message waits in a place from `when` until `until`. */
static inline void sink_take(struct sink *s, unsigned n, uint64_t when, uint64_t until)
{
	unsigned i = sink_free(s, n, when);

	s->until[i] = until;
	s->last = until > s->last ? until : s->last;
	s->next = i + 1 == n ? 0 : i + 1;
}

/* Until when `mark` or more of n places are taken, after one was taken at `when`; `when`: fewer are. */
static inline uint64_t sink_above(const struct sink *s, unsigned n, unsigned mark, uint64_t when)
{
	uint64_t above = when;

	/* The usual case: who took a place `mark` messages ago has left it. */
	if (s->until[(s->next + n - mark) % n] <= when)
		return when;
	/* Otherwise the latest time that so many of them reach. */
	for (unsigned i = 0; i < n; i++) {
		unsigned reach = 0;

		for (unsigned j = 0; j < n; j++)
			reach += s->until[j] >= s->until[i];
		if (reach >= mark && s->until[i] > above)
			above = s->until[i];
	}
	return above;
}

#endif
