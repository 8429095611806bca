/* SPDX-License-Identifier: BSD-2-Clause */
/* Unmodified tools: the machine as files.  Part of boxscore.h. */
#ifndef BOXSCORE_TOOLS_H
#define BOXSCORE_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boxscore/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a machine lives while tools look at it.  All zero but load_output = -1: idle, in step with the clock on the wall. */
struct bxs_tools {
	/* What keeps it busy, again and again unless `once`: a kernel "stream:threads=4", a trace "FILE.bxt", a scenario
	 * "locks.scenario", a program "./prog args"; NULL: nothing. */
	const char *load;
	bool once;
	double ratio;			/* seconds of the machine a second of wall time, at most; 0: 1 */
	int load_output;		/* descriptor for what a program prints; -1: nowhere */
	const char *qemu, *plugin, *cpu_library;	/* NULL: where they belong */
	/* Every register access to this file, a line each; spec: as given to bxs_machine_new().  NULL: no log. */
	const char *log, *spec;
	const char *faults;		/* "hide=D20:F0,gp=0x606": see docs/guide/clients.md; NULL: none */
	bool check;			/* tell say() of each access that the manual forbids or warns of */
	uint64_t *findings;		/* gets how many such accesses there were when all has ended; NULL: nobody asks */
	bool allow_other;		/* other users may read and write, as the owner may */
	bool machine_time;		/* bxs_with(): the tool sleeps in the machine's time, not in the world's */
	bool world_date;		/* bxs_with(): the date and time of day that the tool sees are this computer's, not the machine's */
	bool likwid;			/* bxs_with(): registers through LIKWID's access daemon only, which needs no FUSE */
	bool native;			/* the client sees the processor it runs on, not the machine's */
	/* A sentence for people, from another thread or process; NULL: nobody listens. */
	void (*say)(void *ctx, const char *line);
	void *say_ctx;
};

/* The machine that a load wants: of a scenario its specification, else "".  The errors of bxs_scenario_open(). */
int bxs_load_machine(const char *load, char *spec, size_t spec_size, char *why, size_t size);

/*
 * Mount dev/cpu/N/msr, proc/bus/pci and what else tools read on directory dir, and answer until it is unmounted or one
 * of INT, TERM, HUP, QUIT comes.  ready, which may be NULL, is called when the files are there.  The machine
 * is in use until then.  BXS_ENOENT (directory, load), BXS_EINVAL (load), BXS_ENOTSUP (no FUSE, or no such files on this family).
 */
int bxs_mount(bxs_machine *m, const struct bxs_tools *tools, const char *dir, void (*ready)(void *ctx),
	      void *ctx);

/*
 * Run a command with the machine's files over the system's, in a mount namespace that this process, which must have
 * no threads, enters for good.  *status: how the command ended, as waitpid() tells.  BXS_ENOENT (no such
 * command), BXS_EIO (the process that serves the files was killed), and as above.
 */
int bxs_with(bxs_machine *m, const struct bxs_tools *tools, char *const *argv, int *status);

/* What a log says of itself: the machine, its load and faults ("": none), cut to size.  BXS_ENOENT, BXS_EINVAL. */
struct bxs_logged {
	char spec[512], load[512], faults[512];
};
int bxs_log_machine(const char *path, struct bxs_logged *out, char *why, size_t why_size);

struct bxs_replayed {
	uint64_t accesses, reads;
	uint64_t differ;		/* came out differently */
};

/*
 * Do on m what a log says, at the same moments of machine time, with the load of tools.  differ, which may be NULL, is
 * called with each line that came out differently, and how ("0x1f", "#GP").  BXS_ENOENT, BXS_EINVAL (a line that cannot be
 * understood, a load that cannot be).
 */
int bxs_replay_log(bxs_machine *m, const struct bxs_tools *tools, const char *path, struct bxs_replayed *out,
		   void (*differ)(void *ctx, uint64_t number, const char *line, const char *got), void *ctx);

/*
 * Walk the errata that bxs_tools.faults can switch on: name as in "erratum=NAME", the family that has it, a sentence for
 * people; all are constant.  Until fn returns other than 0; that value is returned.
 */
int bxs_each_erratum(int (*fn)(void *ctx, const char *name, const char *family, const char *text), void *ctx);

#ifdef __cplusplus
}
#endif

#endif
