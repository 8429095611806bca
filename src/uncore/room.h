/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many entries of a queue are taken around a time, coarsely: for who comes so late
 * that all entries have been given to others of the future since (see pool.h).
 */
#ifndef BXS_UNCORE_ROOM_H
#define BXS_UNCORE_ROOM_H

#include <stdint.h>
#include <string.h>

enum { ROOM_STEPS = 256 };

/* Steps base .. base + ROOM_STEPS - 1 of 2^shift units of time each. */
struct room {
	uint64_t base;
	unsigned shift;
	uint16_t taken[ROOM_STEPS];
};

/* The first time at or after `when` at which less than `size` entries are taken. */
static inline uint64_t room_find(const struct room *r, uint64_t when, unsigned size)
{
	uint64_t step = when >> r->shift;

	while (step - r->base < ROOM_STEPS && r->taken[step % ROOM_STEPS] >= size)
		step++;
	return step == when >> r->shift ? when : step << r->shift;
}

/* One is taken between two times. */
static inline void room_stay(struct room *r, uint64_t from, uint64_t to)
{
	uint64_t step = from >> r->shift, end = to >> r->shift;

	if (end >= r->base + ROOM_STEPS) {
		uint64_t next = r->base + ROOM_STEPS;

		if (end - next >= ROOM_STEPS)
			next = end + 1 - ROOM_STEPS;
		for (; next <= end; next++)
			r->taken[next % ROOM_STEPS] = 0;
		r->base = end + 1 - ROOM_STEPS;
	}
	if (step < r->base)
		step = r->base;
	for (; step < end; step++)
		r->taken[step % ROOM_STEPS]++;
}

#endif
