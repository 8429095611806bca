/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory of a home agent: a word for each line of its memory, kept with the line, and a cache of such words.  It
 * says which caching agents of other sockets may have the line; the socket's own is always asked.
 */
#ifndef BXS_UNCORE_POULSON_DCACHE_H
#define BXS_UNCORE_POULSON_DCACHE_H

#include <stdbool.h>
#include <stdint.h>

enum dcache_state { DCACHE_I, DCACHE_S, DCACHE_E };

enum {
	DCACHE_SETS = 512, DCACHE_WAYS = 16,
	DCACHE_STATE_SHIFT = 10,	/* of 12 bits: state 11:10, sockets 7:0 */
	DCACHE_SOCKETS = 0xff,
	DCACHE_BLOCK = 1 << 16,		/* lines whose words are kept together */
};

struct dcache {
	uint16_t **block;		/* of the memory; NULL: all words are 0 */
	uint64_t blocks;
	uint64_t tag[DCACHE_SETS][DCACHE_WAYS];	/* line + 1; 0: free */
	uint8_t turn[DCACHE_SETS];
	bool lost;			/* out of memory: a word was not kept */
};

/* lines: of the memory that the agent is home of, as the socket numbers them.  0 or BXS_ENOMEM. */
int dcache_init(struct dcache *d, uint64_t lines);
void dcache_free(struct dcache *d);

static inline unsigned dcache_word(enum dcache_state state, unsigned sockets)
{
	return sockets ? (unsigned)state << DCACHE_STATE_SHIFT | sockets : 0;
}

static inline enum dcache_state dcache_state(unsigned word)
{
	return (enum dcache_state)(word >> DCACHE_STATE_SHIFT & 3);
}

/* What memory holds; line is counted from the start of the socket's memory. */
unsigned dcache_get(const struct dcache *d, uint64_t line);
void dcache_put(struct dcache *d, uint64_t line, unsigned word);

/* The way of the cache that holds the line's word; -1: none does. */
int dcache_find(const struct dcache *d, uint64_t line);
/* Take it in; returns its way, *evicted: another had to go. */
unsigned dcache_alloc(struct dcache *d, uint64_t line, bool *evicted);
void dcache_drop(struct dcache *d, uint64_t line, int way);

#endif
