/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several feeds at once, each on cores of its own: programs that run beside each other, kernels
 * of a scenario.  They go on by turns, a little of machine time each.
 */
#ifndef BXS_FEED_MIX_H
#define BXS_FEED_MIX_H

#include "feed/feed.h"

/* Ends with the last of its feeds, or if they have a leader with the first: then the others are stopped.  Without any it
 * has ended.  0 or BXS_ENOMEM. */
int mix_new(struct machine *m, bool leader, struct feed **out);

/* One more feed of the same machine, taken over; also after BXS_ENOMEM. */
int mix_add(struct feed *mix, struct feed *part);

#endif
