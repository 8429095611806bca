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

#define RUN_BATCH 512			/* records between looks at signals and other rings */
#define RUN_BLOCK 16			/* records; while one block is fed, the host prefetches for the next */
#define RUN_TAKEN (2 * RUN_BLOCK)	/* records copied at a time */
#define RUN_SPACES 256

/* What came out of the segment that no emulator writes. */
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
	bool placed;			/* it has a core, chosen when its ring's `asks` was this: */
	uint32_t asks;
	struct map_wish wish;		/* where its memory is to lie */
	uint64_t tail;			/* records consumed: ours, since that in the ring is anybody's */
	uint64_t expected;		/* machine_expect() knows of the records below this number */
	uint32_t lives;			/* which of the threads that have had the ring */
	bool halted;			/* its last record was LEAVE_HALT */
	bool woken;			/* a LEAVE_WAKE has named it since it had the turn */
	bool in_turn;			/* its last turn was one among others' */
	bool astray;			/* it had the turn, and was lost from sight; */
	uint64_t astray_at;		/* ... with so many records written */
	uint64_t cut;			/* while its thread spun: the line may have been taken then; 0: it has not been */
	uint64_t wake_at;		/* a core that is halted begins again then; UINT64_MAX: when it has something to do */
	uint32_t events;		/* enum ring_event that have happened since it had the turn */
	uint64_t due;			/* our copy of what its ring says, as long as it waits or tries; 0: it waits for others alone */
	uint64_t ran;			/* ps for which cores have run for it */
};

struct witness;

struct run {
	struct feed feed;
	struct witness *witness;	/* NULL: nobody asks for a second opinion */
	struct ring_segment *segment;
	int fd;				/* of the segment */
	int files;			/* the program's view of the CPUs; 0: none */
	int signals;			/* signalfd */
	bool holds_signals;
	bool background;
	int output;			/* of a program in the background */
	sigset_t old_mask;
	pid_t pid;
	bool ended;			/* the program; its rings may still hold records */
	int status;
	unsigned missed;		/* a thread that has the turn and sends nothing, */
	uint64_t missed_since;		/* ms: ... since when; 0: there is none */
	uint64_t missed_switches;	/* ... how often it had left a processor by then */
	uint64_t arriving_since;	/* ms: threads that have been announced are waited for; 0: there are none */
	uint64_t announcer_ran;		/* ms: when who announced them was last known to be at work, and */
	uint64_t announcer_switches;	/* ... how often it had left a processor by then */
	bool was_still;			/* no thread had the turn, or was on its way, at the last survey */
	unsigned chosen;		/* the thread that was fed last, */
	uint64_t chosen_until;		/* ... and is fed until its core has come so far */
	bool spins;			/* others spin until a line of theirs is taken */
	bool in_step;			/* with programs beside it */
	bool world;			/* the program's clocks are the machine's */
	unsigned cores;			/* that it has: every `step`-th from `first` on, counted as `compact` says */
	unsigned first, step;
	bool compact;
	unsigned cpus;			/* logical CPUs that the program sees and its threads can ask for; 0: this computer's */
	bool wishes;			/* some thread has said where its memory is to lie */
	bool crowded;			/* some threads have shared a core */
	uint64_t reached;		/* by its cores, when they were last fed */
	uint64_t woken;			/* ... when one was last woken */
	unsigned dozes;			/* in a row: all its threads were in the kernel */
	bool tells_marks;		/* feed_mark() is asked for them; otherwise they are nothing */
	bool marked;			/* the last record that was fed was a mark, of which nobody has been told: */
	bool mark_begins;
	unsigned rings;			/* in use when they were last looked at */
	enum run_fault fault;
	unsigned killed;		/* threads that were at work when their process died */
	unsigned terms;			/* SIGTERMs to us */
	bool cut;			/* somebody wanted an end: what the program has sent and is not fed yet is left out */
	/* While all that can be done is to let time pass, and the host's has to pass as well: since when. */
	bool paced;
	uint64_t paced_at, paced_from;	/* ps of the machine, ns of the host */
	uint32_t kills;			/* signals that threads have sent, and that have arrived; */
	uint64_t stirs_since;		/* ... ms of the host: the next ones are waited for; 0: there are none */
	uint64_t ran[RUN_SPACES];	/* ps for which cores have run for each process */
	char why[240];
	/* Copies of the records that are fed, which the machine may look at more than once: number n at n % RUN_TAKEN. */
	struct leave_record taken[RUN_TAKEN];
	struct run_thread thread[RING_SLOTS];
};

/* run_place.c */

/* The first thread runs on core 0, later ones on other sockets in turn, or nearby; of several programs each
 * leaves the others' out. */
void run_map_cores(struct run *r, const struct run_config *cfg);
/* The core of the n-th thread, if it asks for nothing. */
unsigned run_home(const struct run *r, unsigned n);
/* The program sees the machine's CPUs; files: as in struct run_config.  0 or its error; without memory to share, nothing is shown. */
int run_show_cpus(struct run *r, int (*files)(const struct machine *m, char **text, size_t *size));
/* Close and remove what run_show_cpus() has made. */
void run_hide_cpus(struct run *r);
/* Thread i is about to run: apply what it has asked for since its last turn (CPUs, memory). */
void run_place(struct run *r, unsigned i);
/* Thread i does nothing: its core goes on when the machine's time has passed over it. */
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

/* Records that wait; none where the ring makes no sense. */
static inline uint64_t run_waiting(const struct run *r, unsigned i)
{
	uint64_t n = atomic_load_explicit(&run_ring(r, i)->head, memory_order_acquire) - r->thread[i].tail;

	return n <= RING_RECORDS ? n : 0;
}

/* How many rings have been used; never fewer than before. */
unsigned run_rings(struct run *r);
/* Does all that ring i says about itself make sense?  Where not, the fault is noted. */
bool run_check(struct run *r, unsigned i);
/* A copy of record n of ring i.  False, and a fault: it is none, and *out a record of nothing. */
bool run_record(struct run *r, unsigned i, uint64_t n, struct leave_record *out);
/* Copy the records from number `from` up to but not including `to` into r->taken, which has room for them.  It ends behind a record that
 * wakes another thread while there are several, and behind a region mark; *end is then the first record that is not copied. */
void run_take(struct run *r, unsigned i, uint64_t from, uint64_t to, uint64_t *end);
/* All is over: was there a program at all?  Where not, that is noted as a fault. */
bool run_has_run(struct run *r);
/* After a fault: nothing of the program stays.  Returns the error of feed_run(). */
int run_give_up(struct run *r);
/* feed_ops.why */
const char *run_why(struct feed *f);

/* Another thread may have taken ring i: its core sleeps until its maker wakes it. */
void run_meet(struct run *r, unsigned i);
/* Feed some of the records that thread i has written, while its core is before `limit`. */
void run_feed_thread(struct run *r, unsigned i, uint64_t limit);
/* The one record that it has written says that it spins: its turn was as long as nobody touches its line. */
bool run_spins(struct run *r, unsigned i);
/* When that is over, and as much of it. */
uint64_t run_spin_end(struct run *r, unsigned i);
void run_feed_spin(struct run *r, unsigned i);
/* A core that has come so far may have taken lines from threads that spin. */
void run_cut_spins(struct run *r, uint64_t when);
/* Machine time so far.  A core that has just been woken may be ahead of what the machine has been told. */
uint64_t run_latest(const struct run *r);
/* What others have asked of its core. */
void run_send_snoops(struct run *r, unsigned i);

/* The state of a thread's turn, whatever its ring says. */
enum ring_turn run_turn_of(const struct ring *ring);

/* feed_ops.run, rest, mark and stop */
int run_feed(struct feed *f, uint64_t until);
void run_rest(struct feed *f);
bool run_mark(struct feed *f, bool *begins);
void run_stop(struct feed *f);

/* run_world.c: the program's clocks are the machine's. */
void run_world_init(struct run *r, const struct run_config *cfg);
static inline bool run_world(const struct run *r)
{
	return r->world;
}
/* Thread i waits or tries: when does it go on by itself?  0: it does not. */
uint64_t run_due(struct run *r, unsigned i);
/* Thread i's core has run from machine time `from` on. */
void run_count(struct run *r, unsigned i, uint64_t from);
/* Thread i gets the turn: what its clocks show. */
void run_show_time(struct run *r, unsigned i);
/* No thread runs, but some wait for what comes from outside: has the host's time come as far as machine time `until`? */
bool run_pace(struct run *r, uint64_t until);

/* run_life.c */

/* Have threads been announced that are still to come?  A thread that died before it had a ring is not waited for. */
bool run_arriving(struct run *r);
/* Free the rings of threads that have ended; what they wrote has been fed.  Only while no thread runs, so that it does not depend on the
 * host which ring the next thread finds free. */
void run_free_finished(struct run *r);
/* Take processes that were killed for ended: they leave their rings as they were. */
void run_bury_dead(struct run *r);

/* run_host.c: what the kernel knows of the program's threads. */

uint64_t run_host_ms(void);
/* The process has ended with all its threads, though its parent may not have asked for it yet. */
bool run_is_dead(int32_t pid);
/* Does the task run, or has it since *switches was set?  Sets that to how often it has left a processor. */
bool run_is_at_work(int32_t id, uint64_t *switches);
/* Thread i has the turn and sends nothing: from now on it is not waited for, if it cannot go on by itself. */
void run_look_after(struct run *r, unsigned i);
/* A thread has sent a signal: is it still on its way to another one? */
bool run_stirs(struct run *r);

/* To the program: the signals that came to us alone. */
void run_pass_signals(struct run *r);
/* Note how the program ended, if it has. */
void run_reap(struct run *r);

#endif
