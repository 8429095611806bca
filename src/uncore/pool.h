/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a queue or a set of credits: who comes when none is free waits for
 * the first that frees up.  A ring of the times at which entries become free, earliest
 * first; entries are given back nearly in order of these times.
 */
#ifndef BXS_UNCORE_POOL_H
#define BXS_UNCORE_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct pool {
	uint64_t *free;
	unsigned mask;		/* room - 1, room a power of two */
	unsigned head, n;	/* the earliest; entries not taken */
};

/* All `size` entries are free from time 0 on.  false: out of memory. */
static inline bool pool_init(struct pool *p, unsigned size)
{
	unsigned room = 1;

	while (room < size)
		room *= 2;
	p->free = calloc(room, sizeof *p->free);
	p->mask = room - 1;
	p->head = 0;
	p->n = p->free ? size : 0;
	return p->free != NULL;
}

static inline void pool_free(struct pool *p)
{
	free(p->free);
}

/* Take the entry that is free first, n must not be 0.  Returns from when on it is. */
static inline uint64_t pool_take(struct pool *p)
{
	p->n--;
	return p->free[p->head++ & p->mask];
}

/* An entry that was taken is free again from `when` on. */
static inline void pool_give(struct pool *p, uint64_t when)
{
	unsigned i = p->head + p->n++;

	for (; i != p->head && p->free[(i - 1) & p->mask] > when; i--)
		p->free[i & p->mask] = p->free[(i - 1) & p->mask];
	p->free[i & p->mask] = when;
}

#endif
