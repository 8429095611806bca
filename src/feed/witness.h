/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second opinion on what threads that share memory do to each other, made of the records of their private caches alone and
 * not of what the machine's directory says (run with --truth).
 *
 *	records --> who holds each line --> requests, forwards
 *	                |
 *	                +--> lines that a thread has lost --> the thread looks whether it has them still
 *
 * If a message that takes a line from a core gets lost, or comes too late, the machine's counters all agree with each
 * other, and are wrong: the thread goes on hitting in its own caches.  It is noticed here, when the thread's next turn begins.
 */
#ifndef BXS_FEED_WITNESS_H
#define BXS_FEED_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "xcore/leave.h"

#define WITNESS_THREADS 64		/* rings from here on are not watched: a line's holders are one word */
#define WITNESS_LOST 65536		/* lines that wait for a thread's next turn; further ones are not looked for */

struct witness;

/* What the program's accesses did. */
struct witness_totals {
	uint64_t requests;		/* for data, code or ownership that left private caches, prefetches included */
	uint64_t forwards;		/* of those: another core had modified the line */
	uint64_t lost;			/* lines that threads were to have lost, or to share, when their turns began; */
	uint64_t kept;			/* ... and that they held as before */
	bool blind;			/* threads beyond WITNESS_THREADS, or no memory: not all was seen */
};

/* together: cores that share a last-level cache.  NULL: out of memory. */
struct witness *witness_new(unsigned together);
void witness_free(struct witness *w);	/* NULL is allowed */

/* A record of thread `ring`, which runs on `core`, is about to be fed. */
void witness_record(struct witness *w, unsigned ring, unsigned core, const struct leave_record *rec);
/* The last-level cache has driven a line out of that core: nobody has to forward it any more. */
void witness_evicted(struct witness *w, unsigned core, const struct leave_snoop *snoop);
/* The ring has another thread, whose caches are empty. */
void witness_forget(struct witness *w, unsigned ring);
/*
 * Up to n lines that the thread must not hold as it did: of kind LEAVE_SNOOP_INVALIDATE not at all, of LEAVE_SNOOP_SHARE neither
 * exclusive nor modified.  Those that it has asked for since are left out.  Returns how many.
 */
unsigned witness_lost(struct witness *w, unsigned ring, struct leave_snoop *out, unsigned n);

struct witness_totals witness_totals(const struct witness *w);

#endif
