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
	int output;			/* of a program in the background; -1: nowhere */
	sigset_t old_mask;
	pid_t pid;
	bool ended;			/* the program; its rings may still hold records */
	int status;
	uint64_t waits;			/* in a row, for threads that lag behind */
	struct run_thread thread[RING_SLOTS];
};

/* The first thread runs on core 0, later ones on other sockets in turn, or nearby. */
void run_map_cores(struct run *r, bool compact);

/* feed_ops.run and rest */
int run_feed(struct feed *f, uint64_t until);
void run_rest(struct feed *f);

void run_pass_signals(struct run *r);
void run_reap(struct run *r);

#endif
