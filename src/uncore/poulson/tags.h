/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tags of an Itanium 9500's last-level cache (manual 2.3.4.2.3, 5.1.2, table 5-2): eight slices of 2048 sets of 32
 * ways of 64 bytes.  A line has a MESI state and a core-valid bit for each core, and goes when it is not recently used
 * (NRU).  No time, no signals.
 */
#ifndef BXS_UNCORE_POULSON_TAGS_H
#define BXS_UNCORE_POULSON_TAGS_H

#include <stdbool.h>
#include <stdint.h>

enum { TAGS_SETS = 2048, TAGS_WAYS = 32, TAGS_SLICES = 8 };

enum tags_state { TAGS_I, TAGS_S, TAGS_E, TAGS_M };

/* A way's word: line << 20 | flags | core-valid bits. */
enum {
	TAGS_CORES = 0xff,
	TAGS_STATE_SHIFT = 8,		/* two bits: enum tags_state */
	TAGS_OWNED = 1 << 10,		/* one core got the line exclusive: the one core-valid bit */
	TAGS_DIRTY = 1 << 11,		/* and has written it */
	TAGS_USED = 1 << 12,		/* recently */
	TAGS_LINE_SHIFT = 20,		/* lines have 44 bits: 50 of a physical address */
};

struct tags {
	uint64_t *way;			/* [slices * TAGS_SETS][TAGS_WAYS] */
	unsigned slices, slice_mask;
};

/* slices: 1 to TAGS_SLICES.  0 or BXS_ENOMEM, BXS_EINVAL. */
int tags_init(struct tags *t, unsigned slices);
void tags_free(struct tags *t);

/* Which slice, and which of its sets, hold a line: a hash of all address bits, as 5.1.2 has it; which one is ours. */
unsigned tags_slice(const struct tags *t, uint64_t line);

/* The word of a line; NULL: the line is not there. */
uint64_t *tags_find(const struct tags *t, unsigned slice, uint64_t line);

/* Makes a hit recently used. */
void tags_touch(const struct tags *t, unsigned slice, uint64_t *word);

/* Puts a line that is not there into its set, with these flags; returns the word that had to go, its state TAGS_I: none. */
uint64_t tags_fill(const struct tags *t, unsigned slice, uint64_t line, uint64_t flags);

/* Host addresses that a look-up will touch are loaded ahead. */
void tags_prefetch(const struct tags *t, unsigned slice, uint64_t line);

static inline enum tags_state tags_state(const uint64_t *word)
{
	return word ? (enum tags_state)(*word >> TAGS_STATE_SHIFT & 3) : TAGS_I;
}

static inline uint64_t tags_with(enum tags_state state, uint64_t flags)
{
	return (uint64_t)state << TAGS_STATE_SHIFT | flags;
}

/* Replaces state, flags and core-valid bits; the line and how recent it is stay. */
static inline void tags_set(uint64_t *word, enum tags_state state, uint64_t flags)
{
	*word = (*word & (~UINT64_C(0) << TAGS_LINE_SHIFT | TAGS_USED)) | tags_with(state, flags);
}

static inline unsigned tags_cores(uint64_t word)
{
	return (unsigned)(word & TAGS_CORES);
}

#endif
