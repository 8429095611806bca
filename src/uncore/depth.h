/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How deep a queue is from clock to clock, for "not empty" and "full" signals.  Walks
 * tell of entries in any order within a window; the window is swept once, in order, and
 * spans go out where the queue starts and ends being not empty or full.
 *
 *	told:	in 3, out 9; in 5, out 7	delta	3:+1 5:+1 7:-1 9:-1
 *	swept:	depth 1 from 3, 2 from 5, 1 from 7, 0 from 9
 *
 * Clocks that may still be told of when they are closed (signal_port.late) are swept on
 * trial and stay in the window; sweeps after that tell what is new in them.
 *
 * Nothing is kept while nobody listens.
 */
#ifndef BXS_UNCORE_DEPTH_H
#define BXS_UNCORE_DEPTH_H

#include <stdint.h>

#include "signal/signal.h"

enum { DEPTH_WINDOW = 4096 };	/* clocks */

#define DEPTH_NONE UINT16_MAX

struct depth_window {
	uint64_t dirty[DEPTH_WINDOW / 64];
	int16_t delta[DEPTH_WINDOW];
	uint64_t told[2][DEPTH_WINDOW / 64];	/* clocks from base to ahead in which it was told so */
};

/* Set signal, flags and full; leave the rest 0. */
struct depth {
	uint16_t signal[2];		/* not empty, full; DEPTH_NONE */
	bool on;
	int full;			/* depth that counts as full */
	int level;
	uint64_t base;			/* clocks below are swept */
	uint64_t ahead;			/* clocks below, from base on, are swept on trial */
	uint64_t since[2];		/* from when on it is not told */
	uint64_t flags[2];
	const struct signal_tag *tag;	/* of what is told, or NULL */
	struct depth_window *window;
};

void depth_free(struct depth *d);	/* what it owns */

/* Slow path of depth_listen: start with `level` entries.  false: out of memory. */
bool depth_start(struct depth *d, struct signal_port *p, uint64_t clock, int level);

static inline bool depth_heard(const struct depth *d, const struct signal_port *p)
{
	return (d->signal[0] != DEPTH_NONE && signal_watched(p, d->signal[0])) ||
	       (d->signal[1] != DEPTH_NONE && signal_watched(p, d->signal[1]));
}

/*
 * Does somebody listen, so that changes must be told?  When somebody has begun to, the
 * queue holds `level` entries at `clock`, those that are told whole (depth_stay) left out.
 */
static inline bool depth_listen(struct depth *d, struct signal_port *p, uint64_t clock, int level)
{
	bool heard = depth_heard(d, p);

	if (heard != d->on)
		d->on = heard && depth_start(d, p, clock, level);
	return d->on;
}

/* From this clock of p's domain on the queue holds n more (or fewer). */
void depth_change(struct depth *d, struct signal_port *p, uint64_t clock, int n);
/* Tell p of everything below this clock. */
void depth_sweep(struct depth *d, struct signal_port *p, uint64_t clock);

/* Slow path of depth_stay. */
void depth_tell_stay(struct depth *d, struct signal_port *p, uint64_t from, uint64_t to);

/* An entry's stay; times. */
static inline void depth_stay(struct depth *d, struct signal_port *p, uint64_t from, uint64_t to)
{
	if (depth_heard(d, p))
		depth_tell_stay(d, p, from, to);
	else if (d->on)
		d->on = false;
}

#endif
