/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Things that happen now and then: each try hits with the same probability, drawn from a seeded
 * sequence (xorshift64*), so that a run can be repeated.
 */
#ifndef BXS_UNCORE_CHANCE_H
#define BXS_UNCORE_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
	uint64_t below;		/* hits of 2^64 tries; 0: never; UINT64_MAX: always */
	uint64_t state;		/* not 0 */
};

/* Sequences of different seeds and streams have nothing to do with one another. */
static inline struct chance chance_start(uint64_t below, uint64_t seed, uint64_t stream)
{
	uint64_t x = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (stream + 1) * UINT64_C(0xbf58476d1ce4e5b9);

	x ^= x >> 31;
	return (struct chance){ below, x ? x : 1 };
}

static inline bool chance_hits(struct chance *c)
{
	c->state ^= c->state >> 12;
	c->state ^= c->state << 25;
	c->state ^= c->state >> 27;
	return c->state * UINT64_C(0x2545f4914f6cdd1d) < c->below || c->below == UINT64_MAX;
}

#endif
