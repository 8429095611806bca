/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread beside the emulator's, in each process.  When the process that runs the machine is gone, it ends its own, even
 * while the program sleeps.  And it keeps the segment open, for those that come after: it has files of its own, so the
 * program finds no other numbers in use than it is used to, and may close all, drop its rights, or hide /proc/PID/fd.
 */
#ifndef BXS_PLUGIN_WATCH_H
#define BXS_PLUGIN_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "feed/ring.h"

struct plugin_watch {
	const struct ring_segment *segment;
	int thread;			/* 0: none */
	int file;			/* the segment, in its own table of files; -1: not there */
	uint64_t inode;			/* of that */
	int end;			/* of a pipe, in its own table, too: what is written there ends it */
	_Alignas(64) uint8_t stack[8192];
};

/* Of the calling thread's process. */
extern _Thread_local struct plugin_watch *plugin_watching;

/* Begins with the segment open as `file` (or -1), which is closed for the caller. */
void plugin_watch_start(struct plugin_watch *w, const struct ring_segment *s, int file);
/* It ends; the segment is open for the caller as *file then, or that is -1.  False: there is none, or it cannot be reached. */
bool plugin_watch_stop(struct plugin_watch *w, int *file);
/* The segment, opened for the caller, closed on exec; -1: it cannot be. */
int plugin_watch_file(const struct plugin_watch *w);

#endif
