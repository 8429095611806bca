/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a real program on the machine: the program runs under an emulator in a process of
 * its own, the machine in ours.
 *
 *	program --> boxscore-native, or qemu-x86_64 + boxscore-plugin.so --> rings --> run.c --> machine
 *
 * The program has our standard input, output and error, our working directory and environment
 * (less QEMU_*), and belongs to our process group.  Signals that ask us to end (INT, QUIT, TERM,
 * HUP, USR1, USR2, and the like) are held back from the thread that called run_open() until
 * feed_close(), and passed on to the program unless the terminal has sent them to both.
 * When we die, the program is killed.
 *
 * Its threads, and the processes it forks or executes, are all traced; each thread has a core
 * of its own as long as there are enough.  When the program itself has ended, processes that it
 * left in the background go on without being traced; where feed_close() ends it, it ends them as well.
 */
#ifndef BXS_RUN_H
#define BXS_RUN_H

#include <stdbool.h>

#include "feed/feed.h"

struct run_config {
	char *const *argv;	/* the program and its arguments, NULL at the end */
	/* The emulator; NULL: boxscore-native beside the executable or where it is installed, or if there is none or `plugin`
	 * is given, qemu-x86_64 in PATH. */
	const char *qemu;
	const char *plugin;	/* of QEMU; NULL: beside the executable, or where it is installed */
	bool compact;		/* threads fill one socket first; else they take sockets in turn */
	/* The program's clocks, and its waits for a time, are the machine's where that can be had: of one program under our own emulator.
	 * machine_time: it must be had, BXS_ENOTSUP otherwise; host_world: not at all. */
	bool machine_time, host_world;
	/* Random numbers come from `seed`, and the program's date begins at a fixed one.  BXS_ENOTSUP unless its clocks are the machine's. */
	bool seeded;
	uint64_t seed;
	/* How far, in ns of machine time, a thread may run ahead of the others, up to RING_QUANTUM_MOST instructions; 0: some 2 us while
	 * it shares memory, and the maximum while it does not. */
	uint64_t quantum;
	/* Out of the way of whoever uses the terminal: input is empty, output goes to `output` (RUN_NOWHERE,
	 * RUN_OURS: where ours goes), and signals to us are not the program's.  feed_run() does not wait
	 * for it (struct feed, live). */
	bool background;
	int output;
	/* Programs beside each other: this is number `place` of `places` that share the machine (0: one alone). Each has
	 * every places-th core. */
	unsigned place, places;
	/* The text of what the program sees of the machine's CPUs (feed/files.h), in memory that the caller frees; 0 or an error.  Called if
	 * its clocks are the machine's; NULL: its CPUs are this computer's all the same. */
	int (*files)(const struct machine *m, char **text, size_t *size);
	/* Tell of the marks of this region (feed_mark()); NULL: of none. */
	const char *region;
	/* Look at what its accesses do besides (witness.h): run_witness() tells. */
	bool witness;
	/* Of a program for IA-64: instructions and time that it may have; 0: no limit. */
	uint64_t instructions, picoseconds;
};

enum { RUN_NOWHERE = -1, RUN_OURS = -2, RUN_PLACES = 16 };

/*
 * Start the program and stop it at its first instructions, until feed_run().  On error
 * *why gets a sentence for people: BXS_ENOENT (no such program), BXS_EIO (cannot be
 * executed), BXS_ENOTSUP (not for the machine's cores; no emulator, no plugin), BXS_ENOMEM.
 */
int run_open(struct machine *m, const struct run_config *cfg, struct feed **out, char *why,
	     size_t size);

/* How the program ended, as waitpid() tells; -1: it has not ended yet. */
int run_status(const struct feed *f);

/* Why a program for IA-64 ended other than by itself, a sentence; "": it did not. */
const char *run_ending(const struct feed *f);

/* What a program for IA-64 asked of Linux and did not get, a sentence; "": nothing. */
const char *run_note(const struct feed *f);

/* Threads that were not traced because 256 were running. */
unsigned run_lost_threads(const struct feed *f);

/* Of enum ring_note: what the program asked for in vain. */
unsigned run_notes(const struct feed *f);

/* What its accesses did, as far as they have been fed.  False: nobody has looked. */
struct witness_totals;
bool run_witness(const struct feed *f, struct witness_totals *out);

/* Threads that were at work when a signal ended their process: what they did since they last told is lost, at most a turn's. */
unsigned run_killed(const struct feed *f);

/* Was it ended before all that it had done was fed?  (By a fault of what it sent, or by somebody in a hurry.) */
bool run_cut_off(const struct feed *f);

/* How often the program, or a process of its, went on as one that cannot be traced. */
unsigned run_untraced(const struct feed *f);

#endif
