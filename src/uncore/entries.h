/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a queue in which there is nearly always room: who comes when none is free waits for
 * the first that frees up.  A ring of the times at which entries become free, as they were given back: as long as
 * the oldest of them is free, any will do, and nobody needs to know which is free first.  Only who finds that one
 * taken sorts what was given back since somebody last did.
 */
#ifndef BXS_UNCORE_ENTRIES_H
#define BXS_UNCORE_ENTRIES_H

#include <stdint.h>

enum { ENTRIES_MOST = 128 };	/* a power of two */

struct entries {
	unsigned head, tail;
	unsigned sorted;	/* head to here they are in order, if head is not past it */
	uint64_t free[ENTRIES_MOST];
};

/* All `size` entries are free from time 0 on. */
static inline void entries_init(struct entries *e, unsigned size)
{
	*e = (struct entries){ .tail = size };
}

/* Slow path of entries_take(): the first that is free becomes the oldest. */
static __attribute__((noinline, unused)) uint64_t entries_first(struct entries *e)
{
	unsigned from = e->tail - e->sorted <= e->tail - e->head ? e->sorted : e->head;

	for (; from != e->tail; from++) {
		uint64_t free = e->free[from % ENTRIES_MOST];
		unsigned i = from;

		for (; i != e->head && e->free[(i - 1) % ENTRIES_MOST] > free; i--)
			e->free[i % ENTRIES_MOST] = e->free[(i - 1) % ENTRIES_MOST];
		e->free[i % ENTRIES_MOST] = free;
	}
	e->sorted = e->tail;
	return e->free[e->head % ENTRIES_MOST];
}

/* Take an entry, not all may be taken.  Returns from when on it is free: some time that is not after
 * `when`, or the first there is. */
static inline uint64_t entries_take(struct entries *e, uint64_t when)
{
	uint64_t free = e->free[e->head % ENTRIES_MOST];

	if (__builtin_expect(free > when, 0))
		free = entries_first(e);
	e->head++;
	return free;
}

/* An entry that was taken is free again from `when` on. */
static inline void entries_give(struct entries *e, uint64_t when)
{
	e->free[e->tail++ % ENTRIES_MOST] = when;
}

/* How many are not free yet at `when`, those left out that somebody holds now. */
static inline unsigned entries_taken(const struct entries *e, uint64_t when)
{
	unsigned n = 0;

	for (unsigned i = e->head; i != e->tail; i++)
		n += e->free[i % ENTRIES_MOST] > when;
	return n;
}

#endif
