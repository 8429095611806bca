/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many entries of a queue are taken around a time, coarsely: for who comes so late
 * that all entries have been given to others of the future since (see entries.h).
 */
#ifndef BXS_UNCORE_ROOM_H
#define BXS_UNCORE_ROOM_H

#include <stdint.h>
#include <string.h>

enum { ROOM_STEPS = 256 };

/* Steps base .. base + ROOM_STEPS - 1 of 2^shift units of time each; how many more are taken in
 * a step than in the one before, and in the step before the first. */
struct room {
	uint64_t base;
	unsigned shift;
	int32_t before;
	int16_t more[ROOM_STEPS];
};

/* The first time at or after `when` at which less than `size` entries are taken. */
static inline uint64_t room_find(const struct room *r, uint64_t when, unsigned size)
{
	uint64_t step = when >> r->shift, at = r->base;
	int32_t taken = r->before;

	if (step - r->base >= ROOM_STEPS)
		return when;
	while (at <= step)
		taken += r->more[at++ % ROOM_STEPS];
	while (step - r->base < ROOM_STEPS && taken >= (int32_t)size)
		taken += r->more[++step % ROOM_STEPS];
	return step == when >> r->shift ? when : step << r->shift;
}

/* Slow path of room_stay(): the window moves on until it holds step `end`. */
static inline void room_move(struct room *r, uint64_t end)
{
	uint64_t base = end + 1 - ROOM_STEPS;

	for (unsigned n = 0; r->base < base && n < ROOM_STEPS; n++, r->base++) {
		r->before += r->more[r->base % ROOM_STEPS];
		r->more[r->base % ROOM_STEPS] = 0;
	}
	r->base = base;
}

/* One is taken between two times. */
static inline void room_stay(struct room *r, uint64_t from, uint64_t to)
{
	uint64_t step = from >> r->shift, end = to >> r->shift;

	if (__builtin_expect(end - r->base >= ROOM_STEPS, 0)) {
		if (end < r->base)
			return;
		room_move(r, end);
	}
	if (step < r->base)
		step = r->base;
	if (step < end) {
		r->more[step % ROOM_STEPS]++;
		r->more[end % ROOM_STEPS]--;
	}
}

#endif
