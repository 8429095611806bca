/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How deep a queue is from clock to clock, for "not empty" and "full" signals.  Walks
 * tell of entries in any order within a window; the window is swept once, in order, and
 * spans go out where the queue starts and ends being not empty or full.
 *
 *	told:	in 3, out 9; in 5, out 7	delta	3:+1 5:+1 7:-1 9:-1
 *	swept:	depth 1 from 3, 2 from 5, 1 from 7, 0 from 9
 */
#ifndef BXS_UNCORE_DEPTH_H
#define BXS_UNCORE_DEPTH_H

#include <stdint.h>

#include "signal/signal.h"

enum { DEPTH_WINDOW = 4096 };	/* clocks */

struct depth {
	uint64_t base;			/* clocks below are swept */
	uint64_t since[2];		/* not empty, full: from when on it is not told */
	uint64_t dirty[DEPTH_WINDOW / 64];
	int16_t delta[DEPTH_WINDOW];
	int level, full;		/* full: depth that counts as full */
	uint16_t signal[2];		/* not empty, full; DEPTH_NONE */
	uint64_t flags[2];
};

#define DEPTH_NONE UINT16_MAX

/* Somebody listens: depth_in and depth_out need not be called otherwise. */
static inline bool depth_watched(const struct depth *d, const struct signal_port *p)
{
	return (d->signal[0] != DEPTH_NONE && signal_watched(p, d->signal[0])) ||
	       (d->signal[1] != DEPTH_NONE && signal_watched(p, d->signal[1]));
}

/* From this clock of p's domain on the queue holds n more (or fewer). */
void depth_change(struct depth *d, struct signal_port *p, uint64_t clock, int n);
/* Tell p of everything below this clock. */
void depth_sweep(struct depth *d, struct signal_port *p, uint64_t clock);

/* An entry's stay; times. */
static inline void depth_stay(struct depth *d, struct signal_port *p, uint64_t from, uint64_t to)
{
	depth_change(d, p, signal_clocks(p->clock, from), 1);
	depth_change(d, p, signal_clocks(p->clock, to), -1);
}

#endif
