/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is in whose way at a queue's places. */
#include "uncore/ring/sink.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* When those that came by `when` and are still there go, in order; returns how many they are. */
static unsigned leaving(const struct sink *s, uint64_t when, uint64_t *until)
{
	unsigned there = 0;

	for (unsigned i = 0; i < SINK_KNOWN; i++)
		if (s->came[i] <= when && s->until[i] > when)
			until[there++] = s->until[i];
	qsort(until, there, sizeof *until, by_time);
	return there;
}

uint64_t sink_free(const struct sink *s, unsigned n, uint64_t when)
{
	uint64_t until[SINK_KNOWN];
	unsigned there = leaving(s, when, until);

	return there < n ? when : until[there - n];
}

uint64_t sink_above(const struct sink *s, unsigned mark, uint64_t when)
{
	uint64_t until[SINK_KNOWN];
	unsigned there;

	if (!sink_crowded(s, mark, when))
		return when;
	there = leaving(s, when, until);
	return there < mark ? when : until[there - mark];
}
