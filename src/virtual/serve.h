/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine that serves tools: mounted on a directory for everybody, or under a single command. */
#ifndef BXS_SERVE_H
#define BXS_SERVE_H

#include <stdbool.h>
#include <stddef.h>

#include "virtual/virtual.h"

struct serve_config {
	struct virtual_config live;
	const char *log, *spec;		/* every access to this file, if any, and what m was made from */
	const char *faults;		/* see fault.h; NULL: none */
	bool check;			/* tell live.say what the manual forbids or warns of */
	uint64_t *findings;		/* gets how often that was; shared by the processes of serve_with(); NULL: nobody asks */
	bool allow_other;
	bool world_date;		/* serve_with(): dates are this computer's, not the machine's */
	bool machine_time;		/* serve_with(): the client sleeps in the machine's time, not mostly in the world's */
	bool likwid;			/* serve_with(): registers through LIKWID's door only, without FUSE */
	bool native;			/* serve_with(): the client sees the processor it runs on */
	const char *cpu_library;	/* serve_with(): NULL: beside the executable, or as installed */
};

/*
 * Mount m's files on dir and answer until they are unmounted or a signal asks us to end (INT, TERM, HUP, QUIT; they
 * are held back from the calling thread meanwhile).  ready, which may be NULL, is called when the files are there.
 * 0, or the errors of virtual_new() and mount_open(), with a sentence in why.
 */
int serve_mount(struct machine *m, const struct serve_config *config, const char *dir, void (*ready)(void *ctx),
		void *ctx, char *why, size_t size);

/*
 * Run the command argv with m's files over the system's, in a mount namespace that this process enters for good.
 * Its input, output, terminal and exit status are untouched, signals to us are passed on to it, and what it leaves
 * behind is killed.  *status: how it ended, as waitpid() tells.
 * 0; BXS_ENOENT (no such command), BXS_ENOTSUP (no namespace, no FUSE), BXS_EIO (the process of the files
 * died), and the errors of virtual_new(), with a sentence in why.
 */
int serve_with(struct machine *m, const struct serve_config *config, char *const *argv, int *status,
	       char *why, size_t size);

#endif
