/* SPDX-License-Identifier: BSD-2-Clause */
/* A running program, between run.c (its life) and run_pump.c (what it sends). */
#ifndef BXS_RUN_PRIVATE_H
#define BXS_RUN_PRIVATE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "feed/feed.h"
#include "feed/ring.h"
#include "feed/run.h"

struct run_thread {
	uint32_t core;
	bool halted;			/* its last record was LEAVE_HALT */
};

struct run {
	struct feed feed;
	struct ring_segment *segment;
	int fd;				/* of the segment */
	int signals;			/* signalfd */
	bool holds_signals;
	bool background;
	int output;			/* of a program in the background */
	sigset_t old_mask;
	pid_t pid;
	bool ended;			/* the program; its rings may still hold records */
	int status;
	uint64_t waits;			/* in a row, for threads that lag behind */
	uint64_t missed_since;		/* ns: since when the others have nothing to do but wait for one; 0: they have */
	bool in_step;			/* with programs beside it */
	unsigned cores;			/* that it has: threads i, i + cores, ... share one */
	uint64_t reached;		/* by its cores, when they were last fed */
	unsigned dozes;			/* in a row: all its threads were in the kernel */
	struct run_thread thread[RING_SLOTS];
};

/* The first thread runs on core 0, later ones on other sockets in turn, or nearby; of several programs each
 * leaves the others' out. */
void run_map_cores(struct run *r, const struct run_config *cfg);

/* feed_ops.run, rest and stop */
int run_feed(struct feed *f, uint64_t until);
void run_rest(struct feed *f);
void run_stop(struct feed *f);

/* To the program: the signals that came to us alone. */
void run_pass_signals(struct run *r);
/* Note how the program ended, if it has. */
void run_reap(struct run *r);

#endif
