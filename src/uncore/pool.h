/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a queue or a set of credits: who comes when none is free waits for
 * the first that frees up.  A heap of the times at which entries become free.
 */
#ifndef BXS_UNCORE_POOL_H
#define BXS_UNCORE_POOL_H

#include <stdint.h>
#include <stdlib.h>

struct pool {
	uint64_t *free;		/* free[0] is the earliest; free[i] <= free[2i+1], free[2i+2] */
	unsigned n;		/* entries not taken */
};

/* All `size` entries are free from time 0 on.  false: out of memory. */
static inline bool pool_init(struct pool *p, unsigned size)
{
	p->free = calloc(size, sizeof *p->free);
	p->n = p->free ? size : 0;
	return p->free != NULL;
}

static inline void pool_free(struct pool *p)
{
	free(p->free);
}

/* Take an entry at `when` or as soon as one is free; n must not be 0.  Returns when. */
static inline uint64_t pool_take(struct pool *p, uint64_t when)
{
	uint64_t first = p->free[0], last = p->free[--p->n];
	unsigned i = 0, child;

	while ((child = 2 * i + 1) < p->n) {
		child += child + 1 < p->n && p->free[child + 1] < p->free[child];
		if (last <= p->free[child])
			break;
		p->free[i] = p->free[child];
		i = child;
	}
	p->free[i] = last;
	return first > when ? first : when;
}

/* An entry that was taken is free again from `when` on. */
static inline void pool_give(struct pool *p, uint64_t when)
{
	unsigned i = p->n++;

	while (i && p->free[(i - 1) / 2] > when) {
		p->free[i] = p->free[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	p->free[i] = when;
}

#endif
