/* SPDX-License-Identifier: BSD-2-Clause */
/* A running program: what the files run*.c share. */
#ifndef BXS_RUN_PRIVATE_H
#define BXS_RUN_PRIVATE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "feed/feed.h"
#include "feed/ring.h"
#include "feed/run.h"

#define RUN_BATCH 512			/* records between looks at signals and other rings */
#define RUN_BLOCK 16			/* records; while one block is fed, the host prefetches for the next */
#define RUN_TAKEN (2 * RUN_BLOCK)	/* records copied at a time */
#define RUN_SPACES 256

/* What is wrong in the segment: values that no emulator writes. */
enum run_fault {
	RUN_SOUND,
	RUN_FAULT_USED,
	RUN_FAULT_STATE,
	RUN_FAULT_TURN,
	RUN_FAULT_EVENT,
	RUN_FAULT_DUE,
	RUN_FAULT_HEAD,
	RUN_FAULT_KIND,
	RUN_FAULT_WORK,
	RUN_NEVER,		/* no fault of the program's: its emulator ended before it began */
};

struct run_thread {
	uint32_t core;
	uint32_t cpu;			/* logical CPU of that core */
	bool placed;			/* it has a core */
	uint32_t asks;			/* its ring's `asks` when the core was chosen */
	struct map_wish wish;		/* where its memory is to be allocated */
	uint64_t tail;			/* records consumed: our copy, since the program can overwrite the ring's */
	uint64_t expected;		/* machine_expect() has been told of the records below this number */
	uint32_t lives;			/* the ring's `lives`: tells which of its threads this is */
	bool halted;			/* its last record was LEAVE_HALT */
	bool woken;			/* a LEAVE_WAKE has named it since its last turn */
	bool in_turn;			/* other threads could run during its last turn */
	bool astray;			/* it has the turn but is stopped, or blocked in the kernel */
	uint64_t astray_at;		/* records that it had written when that was noticed */
	uint64_t cut;			/* ps: when another core may have taken the line on which it spins; 0: none has */
	uint64_t wake_at;		/* ps: when its halted core resumes; UINT64_MAX: when it has something to do */
	uint32_t events;		/* enum ring_event that have happened since its last turn */
	uint64_t due;			/* our copy of the ring's `due` while it waits or tries; 0: it waits for other threads alone */
	uint64_t ran;			/* ps that cores have spent running it */
};

struct witness;

struct run {
	struct feed feed;
	struct witness *witness;	/* NULL: coherence is not checked (witness.h) */
	struct ring_segment *segment;
	int fd;				/* of the segment */
	int files;			/* descriptor of the program's view of the CPUs; 0: none */
	int signals;			/* signalfd */
	bool holds_signals;
	bool background;
	int output;			/* output of a background program */
	sigset_t old_mask;
	pid_t pid;
	bool ended;			/* the program has ended; its rings may still hold records */
	int status;
	unsigned missed;		/* the thread that has the turn and sends nothing */
	uint64_t missed_since;		/* ms: since when it has sent nothing; 0: there is no such thread */
	uint64_t missed_switches;	/* its context switches by then */
	uint64_t arriving_since;	/* ms: since when announced threads are awaited; 0: there are none */
	uint64_t announcer_ran;		/* ms: when their announcer was last known to be at work */
	uint64_t announcer_switches;	/* the announcer's context switches by then */
	bool was_still;			/* at the last survey, no thread had the turn or was arriving */
	unsigned chosen;		/* the thread fed last */
	uint64_t chosen_until;		/* ps: it is fed until its core reaches this time */
	bool spins;			/* some threads spin until another core takes their line */
	bool in_step;			/* it runs in step with other programs */
	bool world;			/* the program's clocks are the machine's */
	unsigned cores;			/* the number of its cores: every `step`-th from `first` on, numbered as `compact` says */
	unsigned first, step;
	bool compact;
	unsigned cpus;			/* logical CPUs that the program sees and its threads can ask for; 0: the host's */
	bool wishes;			/* some thread has said where its memory is to be allocated */
	bool crowded;			/* some threads have shared a core */
	uint64_t reached;		/* ps: the latest time that a core had reached when it was fed */
	uint64_t woken;			/* ps: the latest time at which a core was woken */
	unsigned dozes;			/* looks in a row that found all threads in the kernel */
	bool tells_marks;		/* the caller uses feed_mark(); otherwise region marks are ignored */
	bool marked;			/* the last record fed was a region mark, which run_mark() has not reported yet */
	bool mark_begins;		/* it begins the region */
	unsigned rings;			/* rings in use at the last look */
	enum run_fault fault;
	unsigned killed;		/* threads that were at work when their process died */
	unsigned terms;			/* SIGTERMs that we have received */
	bool cut;			/* the user asked for an end: records that have not been fed yet are dropped */
	bool paced;			/* idle machine time passes only as fast as the host's time, since: */
	uint64_t paced_at, paced_from;	/* ps of machine time, ns of the host's */
	uint32_t kills;			/* signals that threads have sent and that have arrived */
	uint64_t stirs_since;		/* ms of the host's time: since when later signals are awaited; 0: there are none */
	uint64_t ran[RUN_SPACES];	/* ps that cores have spent running each process */
	char why[240];
	/* Copies of the records being fed, which the machine may read more than once: record n is at n % RUN_TAKEN. */
	struct leave_record taken[RUN_TAKEN];
	struct run_thread thread[RING_SLOTS];
};

/* run_place.c */

/* Choose the program's cores.  Its first thread runs on the first of them (core 0 for a single program); later threads run on the sockets
 * in turn, or on neighbouring cores.  A program does not use the cores of programs beside it. */
void run_map_cores(struct run *r, const struct run_config *cfg);
/* The core of the n-th thread unless it asks for certain CPUs. */
unsigned run_home(const struct run *r, unsigned n);
/* Show the program the machine's CPUs.  files: as in struct run_config.  Returns 0 or the error of files(); if no shared memory can be had,
 * shows nothing. */
int run_show_cpus(struct run *r, int (*files)(const struct machine *m, char **text, size_t *size));
/* Undo run_show_cpus(). */
void run_hide_cpus(struct run *r);
/* Thread i is about to run: apply what it has asked for since its last turn (CPUs, memory). */
void run_place(struct run *r, unsigned i);
/* Halt the core of thread i, which has nothing to do. */
void run_halt(struct run *r, unsigned i);

static inline struct ring *run_ring(const struct run *r, unsigned i)
{
	return r->segment->ring + i;
}

/* Rings from here on have never been used. */
static inline unsigned run_used(const struct run *r)
{
	unsigned used = atomic_load_explicit(&r->segment->used, memory_order_relaxed);

	return used < RING_SLOTS ? used : RING_SLOTS;
}

/* Number of records to feed; 0 where the ring's state is invalid. */
static inline uint64_t run_waiting(const struct run *r, unsigned i)
{
	uint64_t n = atomic_load_explicit(&run_ring(r, i)->head, memory_order_acquire) - r->thread[i].tail;

	return n <= RING_RECORDS ? n : 0;
}

/* How many rings have been used; never fewer than at the last call. */
unsigned run_rings(struct run *r);
/* Is the state of ring i valid?  If not, sets r->fault. */
bool run_check(struct run *r, unsigned i);
/* Copy record n of ring i into *out.  False if it is invalid: r->fault is set and *out is an empty record. */
bool run_record(struct run *r, unsigned i, uint64_t n, struct leave_record *out);
/* Copy records `from` to `to` - 1 into r->taken, which has room for them.  Stops after a region mark, and after a record that wakes another
 * thread while there are several; *end is then the first record not copied. */
void run_take(struct run *r, unsigned i, uint64_t from, uint64_t to, uint64_t *end);
/* At the end: did the program start at all?  If not, sets r->fault. */
bool run_has_run(struct run *r);
/* After a fault: end all of the program's processes.  Returns the error for feed_run(). */
int run_give_up(struct run *r);
/* feed_ops.why */
const char *run_why(struct feed *f);

/* If a new thread has taken ring i, start its state afresh; its core sleeps until the thread that created it wakes it. */
void run_meet(struct run *r, unsigned i);
/* Feed up to RUN_BATCH of the records that thread i has written, until its core reaches `limit`. */
void run_feed_thread(struct run *r, unsigned i, uint64_t limit);
/* Has thread i written a single record, which says that it spun?  The record assumes that no other core takes the line. */
bool run_spins(struct run *r, unsigned i);
/* When that spin ends: after the record's instructions, or when another core takes the line. */
uint64_t run_spin_end(struct run *r, unsigned i);
/* Feed the part of that record up to the spin's end. */
void run_feed_spin(struct run *r, unsigned i);
/* Note `when` for the spinning threads whose line a core that has just been fed may have taken. */
void run_cut_spins(struct run *r, uint64_t when);
/* The latest machine time of any core, with cores that have just been woken and have not been fed since. */
uint64_t run_latest(const struct run *r);
/* Send thread i the snoops that other cores' requests have caused. */
void run_send_snoops(struct run *r, unsigned i);

/* The state of a thread's turn.  An invalid value in the ring counts as RING_AWAY. */
enum ring_turn run_turn_of(const struct ring *ring);

/* feed_ops.run, rest, mark and stop */
int run_feed(struct feed *f, uint64_t until);
void run_rest(struct feed *f);
bool run_mark(struct feed *f, bool *begins);
void run_stop(struct feed *f);

/* run_world.c: programs whose clocks are the machine's. */
void run_world_init(struct run *r, const struct run_config *cfg);
static inline bool run_world(const struct run *r)
{
	return r->world;
}
/* When does thread i, which waits or tries, go on by itself?  ps; 0: never. */
uint64_t run_due(struct run *r, unsigned i);
/* Account the time since machine time `from` on thread i's core to the thread and its process. */
void run_count(struct run *r, unsigned i, uint64_t from);
/* Before thread i gets the turn: set what its clocks show. */
void run_show_time(struct run *r, unsigned i);
/* No thread runs, but some wait for input from outside the program: has the host's time caught up with machine time `until`? */
bool run_pace(struct run *r, uint64_t until);

/* run_life.c */

/* Are announced threads still to arrive?  Gives up on a thread that died before it had a ring. */
bool run_arriving(struct run *r);
/* Free the rings of ended threads whose records have all been fed.  Call only while no thread runs: otherwise the host would decide which
 * ring the next thread finds free. */
void run_free_finished(struct run *r);
/* Mark the threads of killed processes as ended, since those left their rings as they were. */
void run_bury_dead(struct run *r);

/* run_host.c: what the kernel knows about the program's threads. */

uint64_t run_host_ms(void);
/* Has the process ended with all its threads?  Its parent need not have waited for it yet. */
bool run_is_dead(int32_t pid);
/* Does the task run, or has it run since *switches was set?  Sets *switches to its number of context switches. */
bool run_is_at_work(int32_t id, uint64_t *switches);
/* Does any thread of the program run, or wait only for a processor or the kernel? */
bool run_any_at_work(struct run *r);
/* Thread i has the turn and sends nothing: stop waiting for it if it cannot go on by itself. */
void run_look_after(struct run *r, unsigned i);
/* Is a signal that a thread has sent still on its way to another thread? */
bool run_stirs(struct run *r);

/* Pass signals on to the program that were sent to us alone. */
void run_pass_signals(struct run *r);
/* Note how the program ended, if it has. */
void run_reap(struct run *r);

#endif
