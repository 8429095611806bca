/* SPDX-License-Identifier: BSD-2-Clause */
/* The session: what is measured, what drives the machine, the readings.  Part of boxscore.h. */
#ifndef BOXSCORE_SESSION_H
#define BOXSCORE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boxscore/machine.h"
#include "boxscore/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bxs_session bxs_session;

/*
 * Measure on m, which outlives the session.  After a call on the session that failed, bxs_why(m)
 * says what was wrong.  BXS_ENOMEM.
 */
int bxs_session_new(bxs_machine *m, bxs_session **out);
/* Ends what is still running.  Before the end of the machine; NULL is allowed. */
void bxs_session_free(bxs_session *s);

/* With true, what cannot be counted at once is counted in turns and scaled, even if the events
 * were asked for one by one.  turn_ns: length of a turn in machine time; 0: as we think best. */
void bxs_session_turns(bxs_session *s, bool always, uint64_t turn_ns);

/*
 * With true, readings also say what each event or metric really was: counted by the machine itself, all
 * events at once, without counters or turns.  Before anything is asked for.
 */
void bxs_session_truth(bxs_session *s, bool on);

/*
 * Measure only the cores of a list such as "0,2-5", numbered through all sockets: their instructions and clocks, boxes that are cores,
 * and of the uncore the boxes of the sockets that they are in.  Before bxs_session_start().  BXS_EINVAL: it is no list, or
 * of a core that is not there; BXS_ENOMEM.
 */
int bxs_session_cores(bxs_session *s, const char *list);

/*
 * Count only while the program that drives the machine is within the region of this name, between marks of
 * boxscore/region.h: readings, and the interval's length, are of that alone.  The name lives as long as s.  Before the program is
 * opened, which is a single one for x86-64 then.  BXS_EINVAL: it is no name of a region.
 */
int bxs_session_region(bxs_session *s, const char *name);
/* How often it has begun so far. */
uint64_t bxs_session_entered(const bxs_session *s);

/*
 * Ask for events, "cbo.LLC_LOOKUP.ANY,imc.CAS_COUNT.*" (docs/guide/measuring.md has the whole notation); for metrics
 * of the catalogue or equations with a name, "imc.MEM_BW_READS,cbo.*,bytes=imc.CAS_COUNT.RD * 64"; for one
 * equation, with its unit and a text; for the set that `boxscore stat` prints by default.  Readings come in
 * the order in which they were asked for.  All before bxs_session_start().  BXS_ENOENT, BXS_EINVAL, BXS_ENOMEM.
 */
int bxs_session_add(bxs_session *s, const char *events);
int bxs_session_add_metrics(bxs_session *s, const char *metrics);
int bxs_session_add_equation(bxs_session *s, const char *name, const char *equation, const char *unit,
			     const char *text);
int bxs_session_add_default(bxs_session *s);

/* Patterns leave out what cannot be measured as they are written, such as an event that compares an opcode
 * when none is given.  A sentence that says what and why, of the last pattern that did so, or "". */
const char *bxs_session_left_out(const bxs_session *s);

enum { BXS_QUANTUM_LEAST = 50, BXS_QUANTUM_MOST = 14000 };

/* What drives the machine; one of these, once, before bxs_session_start(), else BXS_EINVAL. */
struct bxs_program {
	char *const *argv;	/* the program and its arguments, NULL at the end */
	/* The emulator; NULL: boxscore-native beside the executable or as installed; if there is none, or plugin is
	 * given, qemu-x86_64 in PATH. */
	const char *qemu;
	const char *plugin;	/* our part in QEMU; NULL: beside the executable, or as installed */
	bool compact;		/* threads fill one socket first; else sockets in turn */
	/* Its clocks, and its waits for a time, are the machine's where that can be had: of one program alone, under boxscore-native.
	 * machine_time: else BXS_ENOTSUP; host_world: they are this computer's.  Both: BXS_EINVAL. */
	bool machine_time, host_world;
	/* Random numbers that it takes from the kernel and the processor come from `seed`, and its date begins at 2026-01-01.  BXS_ENOTSUP
	 * if its clocks cannot be the machine's, BXS_EINVAL with host_world. */
	bool seeded;
	uint64_t seed;
	/* How far, in ns of machine time, a thread may run ahead of the others: BXS_QUANTUM_LEAST to BXS_QUANTUM_MOST, otherwise BXS_EINVAL;
	 * 0: chosen by what the threads share.  BXS_ENOTSUP for programs of IA-64. */
	uint64_t quantum;
	/* Programs for IA-64: after so many instructions, or nanoseconds of machine time, they end by SIGXCPU; 0: never. */
	uint64_t instructions, ns;
};

/* BXS_ENOENT, BXS_EIO, BXS_ENOTSUP (not for x86-64, there is no emulator, or it cannot do that), BXS_EINVAL. */
int bxs_session_program(bxs_session *s, const struct bxs_program *program);
/*
 * Up to 16 programs at once, each on cores of its own.  With the first all ends; signals and input are
 * its alone, all write where we do.
 */
int bxs_session_programs(bxs_session *s, const struct bxs_program *programs, unsigned count);
/* A built-in kernel, "stream:size=64M,threads=4".  BXS_ENOENT, BXS_EINVAL, BXS_ENOTSUP, BXS_ENOMEM. */
int bxs_session_kernel(bxs_session *s, const char *kernel);
/* A trace that was recorded, or an event file (docs/reference/events.md), which is to come before what is added to the session: it may raise what
 * the machine's hardware never does.  BXS_ENOENT, BXS_EINVAL, BXS_EIO, BXS_ENOTSUP, BXS_ENOMEM. */
int bxs_session_trace(bxs_session *s, const char *path);
/* Write what is fed to the machine to a trace file as well.  spec: as given to bxs_machine_new().  BXS_EIO,
 * BXS_ENOMEM. */
int bxs_session_record(bxs_session *s, const char *path, const char *spec);
/* The specification that a trace or event file names, cut to size; on failure a sentence in why.  BXS_ENOENT, BXS_EINVAL,
 * BXS_EIO, BXS_ENOMEM. */
int bxs_trace_machine(const char *path, char *spec, size_t size, char *why, size_t why_size);

/*
 * A scenario: a text file that says which kernels run on which cores, phase after phase (docs/guide/scenarios.md).
 * name: of one that is shipped, or a file (with a slash, or ending in ".scenario").  BXS_ENOENT; BXS_EINVAL:
 * why says file, line and what is wrong.  Strings live as long as the scenario.
 */
typedef struct bxs_scenario bxs_scenario;

int bxs_scenario_open(const char *name, bxs_scenario **out, char *why, size_t size);
void bxs_scenario_free(bxs_scenario *sc);	/* NULL is allowed */
const char *bxs_scenario_name(const bxs_scenario *sc);
const char *bxs_scenario_about(const bxs_scenario *sc);
const char *bxs_scenario_machine(const bxs_scenario *sc);	/* NULL: any */
/* The n-th line of what is worth measuring there, or of the devices and faults it needs; NULL past the last. */
enum bxs_scenario_kind { BXS_SCENARIO_EVENTS, BXS_SCENARIO_METRICS, BXS_SCENARIO_DMA, BXS_SCENARIO_FAULT };
const char *bxs_scenario_text(const bxs_scenario *sc, enum bxs_scenario_kind kind, unsigned n);
/* "FILE:LINE: " of a text that one of the two above returned, for messages; "" of any other.  Returns where. */
const char *bxs_scenario_where(const bxs_scenario *sc, const char *text, char *where, size_t size);
/* Walk the shipped ones, by name; until fn returns other than 0, or one cannot be read. */
int bxs_each_scenario(int (*fn)(void *ctx, const bxs_scenario *sc), void *ctx, char *why, size_t size);

/* Drive the machine by a scenario, which outlives the session. */
int bxs_session_scenario(bxs_session *s, const bxs_scenario *sc);

/* Walk the built-in kernels: keys is "size threads ...".  Strings live until fn returns.  Until that is other than 0;
 * then it is returned. */
int bxs_each_kernel(int (*fn)(void *ctx, const char *name, const char *text, const char *keys),
		    void *ctx);

/* Program the counters and let them count, once.  BXS_ECONFLICT: events cannot be counted together;
 * BXS_ETURNS: they can in turns, which nobody has allowed; BXS_EINVAL: nothing drives the machine, or it has been started already; BXS_ENOMEM. */
int bxs_session_start(bxs_session *s);
/* After the start: does anything that was asked for have a chance of a value?  Not if all of it is not
 * modelled or about boxes that the machine has not. */
bool bxs_session_measurable(const bxs_session *s);
/* Go on until machine time `until_ns` after the start, UINT64_MAX: to the end.  1: there is more;
 * 0: the program has ended; or an error, after which what was counted can still be read.  BXS_EINVAL: the session
 * has not been started, or nothing drives the machine. */
int bxs_session_run(bxs_session *s, uint64_t until_ns);
/* The call of bxs_session_run() that is under way on m, and all later ones, return as soon as they can and as if there were more: in
 * milliseconds, where a kernel, a trace or a scenario drives the machine.  For signal handlers, and from any thread. */
void bxs_interrupt(bxs_machine *m);
/* Read all counters and go on, or stay stopped: ends the interval that the readings are of.  BXS_EINVAL: there is
 * none, since the session has not been started. */
int bxs_session_read(bxs_session *s);
int bxs_session_stop(bxs_session *s);
/* Begin the next interval; otherwise readings are of all the time since the start. */
void bxs_session_next(bxs_session *s);
/* Machine time since the start, and length of the interval that was read last. */
uint64_t bxs_session_ns(const bxs_session *s);
uint64_t bxs_session_interval_ns(const bxs_session *s);
/* How a program, or one of several (from 0), ended, as waitpid() tells; -1: it has not, or there is none. */
int bxs_session_status(const bxs_session *s);
int bxs_session_status_of(const bxs_session *s, unsigned program);

/*
 * With bxs_session_truth(), what the programs' own accesses did since the start, taken from their private caches and not from the
 * machine's directory or counters: a second opinion on what threads do to lines that they share (docs/guide/measuring.md).
 */
struct bxs_witness {
	double requests;	/* that left private caches: for data, code or ownership, prefetches included */
	double lookups;		/* ... as the last-level caches' events say, if has_lookups */
	double forwards;	/* of the requests, those for a line that another core had modified; */
	double answers;		/* ... that the machine has answered from such a core */
	double lost;		/* lines that others took or read, as threads looked for them in their own caches; */
	double kept;		/* ... and held as before, which they should not */
	bool has_lookups;
	bool blind;		/* not all threads were looked at: there were more than 64, or memory was short */
};
/* False: nothing is known, since no program drives the session, the truth was not asked for, or the session has not been started. */
bool bxs_session_witness(const bxs_session *s, struct bxs_witness *out);

/* Threads of the programs that ran untraced, because 256 others were traced at the time. */
unsigned bxs_session_lost_threads(const bxs_session *s);
/* Threads of the programs that were at work when a signal ended their process: what each did last, some microseconds' worth at most, is
 * not in the readings. */
unsigned bxs_session_killed(const bxs_session *s);
/* How often the programs, or processes of theirs, went on as another program that cannot be traced. */
unsigned bxs_session_untraced(const bxs_session *s);

/*
 * What the programs asked for and the emulator did not give, a bit each: a filter of system calls (seccomp), which would hold
 * for the emulator's own calls; to debug or trace another of them (ptrace), which sees the emulator at work.  And in machine time: that
 * one waited for what comes from outside, which comes in the host's time; that one ran under QEMU, or set a timer that cannot be the
 * machine's, and so goes by the host's clocks; that one took random numbers from the kernel or the processor, and there was no seed.
 */
enum { BXS_NOTE_FILTER = 1, BXS_NOTE_DEBUGGER = 2, BXS_NOTE_OUTSIDE = 4, BXS_NOTE_HOST_CLOCK = 8, BXS_NOTE_CHANCE = 16 };
unsigned bxs_session_notes(const bxs_session *s);
/* Why a program for IA-64 did not end by itself: the instruction and what is wrong with it, or a limit.  "": it did, or is no such one. */
const char *bxs_session_ending(const bxs_session *s);
/* What a program for IA-64 asked of Linux and did not get, a sentence; "" if nothing.  Belongs to the session. */
const char *bxs_session_note(const bxs_session *s);

enum bxs_by { BXS_BY_SUM, BXS_BY_SOCKET, BXS_BY_BOX };

struct bxs_reading {
	const char *name;	/* the event as asked for, or the metric */
	const char *box;	/* "cbo3", "cbo" for all of them, "" for none in particular */
	const char *unit, *text;
	const char *why;	/* what is missing when there is no value; "" */
	double value;		/* 0 when there is none; whole numbers to 2^53 are exact */
	double error;		/* when scaled: the truth lies within, 95 times in 100; in the value's unit */
	double truth;		/* what it really was, if has_truth */
	int socket;		/* -1: summed over all */
	bool metric, has_truth;
	enum bxs_validity validity;
};

/* The readings of the interval.  fn is called until it returns other than 0; that is returned.
 * Strings live until fn returns.  BXS_EINVAL, fn not called: the session has not been started. */
int bxs_session_each(bxs_session *s, enum bxs_by by,
		     int (*fn)(void *ctx, const struct bxs_reading *r), void *ctx);

/* What a validity is called: "exact", "not-modelled", ... */
const char *bxs_validity_name(enum bxs_validity v);

#ifdef __cplusplus
}
#endif

#endif
