/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a queue or a set of credits: who comes when none is free waits for
 * the first that frees up.  Two rings of the times at which entries become free, earliest first: those
 * given back in order of these times are in the first, the others, such as writes among
 * reads, in the second.  Behind the last of each stands a time that never comes.
 */
#ifndef BXS_UNCORE_POOL_H
#define BXS_UNCORE_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct pool {
	uint64_t *free;		/* two rings of mask + 1 each */
	unsigned mask;		/* a power of two less one */
	unsigned n;		/* entries not taken */
	unsigned head[2], tail[2];
};

/* All `size` entries are free from time 0 on.  false: out of memory. */
static inline bool pool_init(struct pool *p, unsigned size)
{
	unsigned room = 1;

	while (room <= size)
		room *= 2;
	*p = (struct pool){ .free = calloc(room, 2 * sizeof *p->free), .mask = room - 1 };
	if (!p->free)
		return false;
	p->n = p->tail[0] = size;
	p->free[size] = p->free[room] = UINT64_MAX;
	return true;
}

static inline void pool_free(struct pool *p)
{
	free(p->free);
}

/* Take the entry that is free first, n must not be 0.  Returns from when on it is. */
static inline uint64_t pool_take(struct pool *p)
{
	uint64_t a = p->free[p->head[0] & p->mask], b = p->free[p->mask + 1 + (p->head[1] & p->mask)];

	p->n--;
	if (a <= b) {
		p->head[0]++;
		return a;
	}
	p->head[1]++;
	return b;
}

/* An entry that was taken is free again from `when` on. */
static inline void pool_give(struct pool *p, uint64_t when)
{
	uint64_t *ring = p->free;
	unsigned i = p->tail[0], lane = 0;

	if (i != p->head[0] && ring[(i - 1) & p->mask] > when) {
		lane = 1;
		ring += p->mask + 1;
		for (i = p->tail[1]; i != p->head[1] && ring[(i - 1) & p->mask] > when; i--)
			ring[i & p->mask] = ring[(i - 1) & p->mask];
	}
	ring[i & p->mask] = when;
	ring[++p->tail[lane] & p->mask] = UINT64_MAX;
	p->n++;
}

#endif
