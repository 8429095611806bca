/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HitME cache of a home agent: which nodes may have a line that caches have passed from one to
 * another.  ("Hotly contested lines": US patents 8392665, 8631210; its size after Molka and others, ICPP
 * 2015: 14 KB and of use up to 256 KB of lines, which makes 4096 entries of 28 bits.)
 *
 * An entry is made when a cache forwards the line, and its bits in memory then say "any": an entry
 * that is driven out costs nothing and leaves the home agent to ask everybody.
 */
#ifndef BXS_UNCORE_HA_HITME_H
#define BXS_UNCORE_HA_HITME_H

#include <stdbool.h>
#include <stdint.h>

enum { HITME_WAYS = 8 };

struct hitme_entry {
	uint64_t line;		/* + 1; 0: free */
	uint8_t present;	/* nodes that may have it, a bit each */
	bool shared;		/* nobody has it to himself: memory is up to date */
};

struct hitme {
	struct hitme_entry (*set)[HITME_WAYS];	/* latest used first; NULL: there is none */
	unsigned sets;		/* a power of two */
};

/* entries: HITME_WAYS times a power of two, or 0 for none.  false: wrong, or out of memory. */
bool hitme_init(struct hitme *h, unsigned entries);
void hitme_free(struct hitme *h);

/* The entry of a line, NULL if there is none; it is now the one used last. */
struct hitme_entry *hitme_find(struct hitme *h, uint64_t line);
/* Make one for a line that has none, in place of the one not used for longest. */
struct hitme_entry *hitme_add(struct hitme *h, uint64_t line);
/* The line's entry is free again; e is the one that hitme_find() or hitme_add() gave last. */
void hitme_drop(struct hitme *h, struct hitme_entry *e);

#endif
