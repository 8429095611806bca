/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared memory between a traced program and the machine: for each thread a ring of leave
 * records one way and of snoops the other.  One producer and one consumer a ring.
 *
 *	thread --> record ring --> machine
 *	       <-- snoop ring  <--
 *
 * Determinism.  A snoop that the machine made of record n carries n.  The thread applies
 * it exactly when it is about to write record n + RING_RECORDS, no sooner and no later: before
 * it may reuse a place in the ring it has to wait anyway until the old record has been
 * consumed, and then its snoops are there.  So what a single-threaded program sends does not
 * depend on when the host runs which process.
 *
 * Turns.  Once a second thread has appeared (ring_segment.several), one thread of them all runs at a time: the one whose
 * core is furthest behind in machine time.  The consumer gives the turn when it has fed all that the thread has written, and
 * the thread begins its turn by applying all snoops that other cores' requests have caused by then.  So what a core
 * has lost is lost before its next access, and the order of accesses does not depend on the host.
 *
 *	FREELY --several--> WANTS --given--> RUNS --quantum, contended line--> WANTS
 *	                      ^               +------futex wait--> WAITS --LEAVE_WAKE--+
 *	                      |               +------would block--> TRIES --event------+--given--> RUNS
 *	                      +--call over----+------other waits--> AWAY
 *
 * Death.  A producer that waits for a consumer that no longer exists kills itself, and so does one that finds its program
 * ended by the consumer; a
 * consumer sees the death of the program by itself (waitpid).  The segment is a memfd:
 * nothing stays behind.
 */
#ifndef BXS_RING_H
#define BXS_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "xcore/leave.h"

#define RING_RECORDS 2048		/* powers of two */
#define RING_SNOOPS 8192
#define RING_SLOTS 256
#define RING_ALARMS 16
#define RING_LOST 512			/* lines that a thread looks for at the start of a turn */
#define RING_INSTRUCTIONS_NS 7		/* that a core retires in a nanosecond while it hits its caches */
#define RING_SPACES 240			/* address spaces of processes; those behind are files' and devices' */
#define RING_MAGIC 0x6278732d72696e67	/* "bxs-ring" */

#define RING_CPUS 1024			/* logical CPUs, as many as a cpu_set_t holds */
#define RING_CPU_WORDS (RING_CPUS / 64)

#define RING_QUANTUM_MOST 98304		/* instructions: the longest turn whose records fit into a ring */

#define RING_REGION 64			/* bytes for the name of a region */

#define RING_NOW 0
#define RING_FAR (UINT64_C(1) << 62)	/* ps, 53 days: who waits for longer waits for ever */

/* Holders of a ring that are no process to the consumer: none at all, and one whose number means another to him. */
enum { RING_NOBODY = 0, RING_FOREIGN = -1 };

enum { RING_OUTSIDE = 3 };

enum ring_state {
	RING_FREE,	/* nobody's, or one that a thread is just taking: then it has a holder */
	RING_LIVE,	/* a thread's */
	RING_DONE,	/* the thread has ended; the consumer frees it when it is empty */
};

/* Nobody reads any more. */
enum ring_end {
	RING_ALONE = 1,	/* the program has ended: what it has left behind goes on */
	RING_OVER,	/* the program has been ended, and all that it has started with it */
};

/* Written by the thread, but for RUNS, which the consumer writes when it gives the turn. */
enum ring_turn {
	RING_FREELY,	/* there are no turns yet */
	RING_RUNS,	/* has the turn */
	RING_WANTS,	/* can run, and waits for the turn */
	RING_WAITS,	/* until another thread's LEAVE_WAKE names its ring */
	RING_TRIES,	/* a call would block; it is tried again after the next event of ring.tries */
	RING_AWAY,	/* in the kernel, for as long as that takes */
};

/* What may let a call that would block succeed; of a LEAVE_WAKE that names no ring, in the line below RING_EVENTS. */
enum ring_event { RING_IO = 1, RING_CHILD = 2 };
#define RING_EVENTS UINT64_C(0x10000)

/* With the turn. */
enum ring_given {
	RING_ALONE_NOW = 1,	/* no other thread can run: the turn lasts until this thread changes that */
	RING_NOBODY_ELSE = 2,	/* to one that tries: nothing will happen here, so it may block */
	RING_DUE = 4,		/* to one that waits or tries: its time has come */
};

struct ring_snoop {
	uint64_t due;			/* number of the record before which it is applied, or RING_NOW */
	struct leave_snoop snoop;
};

/* What a thread has asked for; threads and processes that it makes inherit it. */
struct ring_wishes {
	uint64_t cpus[RING_CPU_WORDS];	/* logical CPUs on which it may run, a bit each; none: on any */
	uint32_t policy, nodes;		/* of its memory: enum ring_memory, a bit for each node; */
	uint32_t mode;			/* ... as the program said it, for the program */
};

/* Where a new page goes: to the node of the core that touches it, if that is among the nodes, else to the first; or to each in turn. */
enum ring_memory { RING_MEMORY_NEAR, RING_MEMORY_IN_TURN };

enum ring_ask { RING_ASKS_NOTHING, RING_ASKS_RANGE, RING_ASKS_NODE };

/* A request about a part of its memory: set where new pages go (no nodes: as the thread's wishes say), or ask for the node of `first`. */
struct ring_range {
	uint32_t ask;			/* enum ring_ask */
	uint32_t space;
	uint64_t first, last;		/* lines */
	uint32_t policy, nodes;
};

/* A thread in a system call is not waited for.  It may not come back from one that ends its process. */
enum ring_idle { RING_NOT_IDLE, RING_IDLE, RING_IDLE_TOLD /* all that it has done */ };

struct ring {
	_Alignas(64) _Atomic uint32_t state;	/* enum ring_state */
	_Atomic uint32_t idle;		/* enum ring_idle */
	_Atomic uint32_t flood;		/* snoops were lost: forget all lines */
	/* The process whose thread has it.  Who puts himself here in the place of RING_NOBODY takes the ring, so that it is known
	 * whose it is even if he dies the next moment. */
	_Atomic int32_t holder;
	_Atomic uint32_t lives;		/* threads that have had it */
	_Atomic int32_t thread;		/* of that process: the kernel's number */
	/* Written by the producer. */
	_Alignas(64) _Atomic uint64_t head;	/* records written */
	_Atomic uint64_t snoop_tail;	/* snoops taken */
	_Atomic uint32_t starved;	/* the producer sleeps on `wake` */
	_Atomic uint32_t turn;		/* enum ring_turn */
	_Atomic uint32_t looks;		/* the producer polls for its turn, so it need not be woken */
	/* Of the thread's own calls, read and written with the turn only. */
	uint32_t tries;			/* enum ring_event */
	uint32_t bits;			/* of the futex that it waits for, as FUTEX_WAIT_BITSET has them */
	uint64_t futex;			/* 0: none */
	uint64_t since;			/* which waiter was first */
	uint64_t due;			/* ps of machine time: one that WAITS or TRIES goes on then, whatever happens; 0: it does not */
	uint8_t space;			/* address space of its process */
	struct ring_wishes wishes;	/* by any thread that has the turn; */
	_Atomic uint32_t asks;		/* ... how often */
	struct ring_range range;	/* what it asks for now, if anything */
	/* Written by the consumer. */
	_Alignas(64) _Atomic uint64_t tail;	/* records consumed */
	_Atomic uint64_t snoop_head;	/* snoops sent */
	_Atomic uint32_t wake;
	_Atomic uint32_t turns;		/* given so far: futex */
	uint32_t given;			/* enum ring_given */
	_Atomic uint32_t asked;		/* another thread can run: a turn alone is to end */
	uint64_t ahead;			/* instructions after which the thread may have passed the next one */
	/* When the turn was given, in ps: the core's time, and for how long cores have run for this thread and its process. */
	uint64_t time, ran, process_ran;
	uint32_t node;			/* of the line it asked about; UINT32_MAX: of none */
	uint32_t cpu;			/* that it runs on, */
	uint32_t moves;			/* ... and how often it came to another core: its private caches are empty then */
	/* With the turn: lines that other threads have taken or read since the last one; see witness.h. */
	uint32_t lost;
	struct leave_snoop lost_line[RING_LOST];
	_Atomic uint64_t kept;		/* written by the thread: how many of all these its caches held as before */
	_Alignas(64) struct leave_record record[RING_RECORDS];
	_Alignas(64) struct ring_snoop snoop[RING_SNOOPS];
};

/*
 * What a program asked for, and did not get as it would without an emulator; and where its clocks are the machine's: that it has
 * waited for what comes from outside; that a part of it has gone on with the host's; that it has taken random numbers.
 */
enum ring_note { RING_NOTE_FILTER = 1, RING_NOTE_DEBUGGER = 2, RING_NOTE_OUTSIDE = 4, RING_NOTE_HOST_CLOCK = 8, RING_NOTE_CHANCE = 16 };

/* An alarm of a process that goes on as another program; ns of machine time. */
struct ring_alarm {
	_Atomic int32_t pid;		/* 0: none */
	uint64_t due, every;
};

/* What a program has of its clocks. */
struct ring_clock {
	uint32_t machine;		/* they are the machine's; all below is of use only then */
	uint32_t tsc_mhz;
	int64_t real;			/* ns: CLOCK_REALTIME at machine time 0 */
	_Atomic uint32_t kills;		/* calls that have sent signals */
	uint64_t shown;			/* ps: the latest that a thread has been shown; with the turn only */
	uint64_t timer[RING_SPACES];	/* ps: when a process's first timer runs out, for one of its threads that wait; 0: none; likewise */
	struct ring_alarm alarm[RING_ALARMS];
	struct { uint64_t device, inode; } outside[RING_OUTSIDE];	/* files that the program was given: who is at the other end is not traced */
};

/* Random numbers that the program takes from the kernel and the processor. */
struct ring_chance {
	uint32_t seeded;		/* they come from the seed below, not from the kernel and the processor */
	uint64_t seed;
	_Atomic uint64_t taken;		/* words so far */
};

/*
 * The CPUs that a program sees, numbered as Linux does: core c of socket s is s * (cores of a socket) + c, second threads come behind
 * all cores.
 */
struct ring_cpus {
	uint32_t number;		/* logical ones; 0: it sees this computer's */
	uint32_t cores;			/* of all sockets */
	uint32_t nodes;			/* of memory, an equal number for each socket */
	int32_t files;			/* descriptor of the consumer's: what the program sees of them (files.h); 0: none */
};

struct ring_segment {
	uint64_t magic;
	int32_t consumer;		/* process that reads the rings */
	uint64_t pids;			/* the namespace in which it has that number */
	_Atomic uint32_t several;	/* a second thread or process has appeared */
	_Atomic uint32_t spaces;	/* the next address space to be given out */
	uint32_t last_space;
	_Atomic uint32_t detached;	/* enum ring_end */
	_Atomic uint32_t used;		/* rings from here on have never been used */
	_Atomic uint32_t lost;		/* threads that found no free ring */
	_Atomic uint32_t untraced;	/* processes that went on as a program that cannot be traced */
	_Atomic uint32_t newest;	/* ring that was taken last */
	_Atomic uint32_t arriving;	/* threads being made, or programs being executed, that have no ring yet: no turn is given */
	_Atomic int32_t announcer;	/* task that announced the last of them, for the consumer; 0: it has no number there */
	uint32_t quantum;		/* instructions: longest turn of a thread that shares memory, */
	uint32_t quantum_most;		/* ... and of one that has shared none for a while */
	uint64_t futexes;		/* waits so far; with the turn only */
	struct ring_clock clock;
	struct ring_chance chance;
	struct ring_cpus cpus;
	_Atomic uint32_t tries;		/* threads that have TRIES: who causes an event then ends its turn */
	_Atomic uint32_t notes;		/* enum ring_note */
	char region[RING_REGION];	/* marks of this one are told of; "": of none */
	_Alignas(64) _Atomic uint32_t bell;	/* futex: something has been written */
	_Atomic uint32_t sleeping;	/* the consumer sleeps on bell */
	uint32_t processors;		/* of this computer, on which consumer and producers may run */
	_Alignas(64) _Atomic uint32_t handed;	/* 1 + the ring whose thread has been given the turn, for a polling thread to wake; 0: none */
	_Atomic uint32_t looking;	/* threads that poll for their turns */
	struct ring ring[RING_SLOTS];
};

/* Consumer's side. */

/* A new segment in a memfd, without rings in use.  0, BXS_ENOMEM, or BXS_EIO with errno: a limit is in the way.  *fd closes on
 * exec. */
int ring_create(int *fd, struct ring_segment **out);
/* Give out address spaces `first` to `last` only; otherwise it is all RING_SPACES. */
void ring_spaces(struct ring_segment *s, uint8_t first, uint8_t last);
void ring_unmap(struct ring_segment *s);

/* Records that wait. */
static inline uint64_t ring_waiting(const struct ring *r)
{
	return atomic_load_explicit(&r->head, memory_order_acquire) -
	       atomic_load_explicit(&r->tail, memory_order_relaxed);
}

static inline const struct leave_record *ring_at(const struct ring *r, uint64_t n)
{
	return r->record + n % RING_RECORDS;
}

/* The ring is empty and its thread has ended, or its holder has died before he had it: the next one may take it. */
void ring_free(struct ring *r);

/* The holder has died: what he wrote remains to be read. */
void ring_bury(struct ring *r);

/* Send n snoops; false: no room for them now. */
bool ring_send_snoops(struct ring *r, const struct ring_snoop *snoop, unsigned n);

/* Records below `tail` are consumed. */
void ring_consume(struct ring *r, uint64_t tail);

/* Give the turn to the thread of ring number `ring`: `given` of enum ring_given. */
void ring_give(struct ring_segment *s, unsigned ring, unsigned given, uint64_t ahead);
/* The thread that was given the turn has written nothing for a while: wake it, unless another thread has done so. */
void ring_give_again(struct ring_segment *s);

/* The same for one ring, whose thread has the turn and has written `head` records. */
bool ring_sleep_for(struct ring_segment *s, const struct ring *r, uint64_t head, unsigned us);

/* Sleep until a producer rings the bell, at most `us` microseconds.  Did none? */
bool ring_sleep(struct ring_segment *s, unsigned us);

/* Producer's side. */

/* What a producer knows about its ring without looking at shared memory. */
struct ring_writer {
	struct ring_segment *segment;
	struct ring *_Atomic ring;	/* NULL: released */
	uint64_t head;			/* records written */
	uint64_t tail;			/* consumed, as last seen */
	uint64_t limit;			/* records below it have a place, and no snoop is due before them */
	uint64_t snoop_tail;
	uint64_t snoop_head;		/* sent, as last seen */
	uint64_t shown;			/* head as the consumer sees it */
	uint64_t told;			/* ... when the bell was last rung */
	unsigned in_vain, skip;		/* turns that it does not poll for after polling in vain; how many of these are left */
};

/* Map the segment that is open as fd.  0, BXS_EIO, BXS_EINVAL (not a segment). */
int ring_map(int fd, struct ring_segment **out);

/* Take a free ring, for a thread with these wishes (NULL: none).  0, or BXS_ENOMEM: all are in use. */
int ring_claim(struct ring_segment *s, const struct ring_wishes *wishes, struct ring_writer *out);

/* Does nobody read any more?  Does not return where the caller is to end. */
bool ring_detached(const struct ring_segment *s);

/* The next address space number; when all are given out, the last one again. */
uint8_t ring_space(struct ring_segment *s);

/* The thread ends. */
void ring_release(struct ring_writer *w);

/* Wait until the consumer has emptied and freed all rings that process `pid` released. */
void ring_settle(struct ring_segment *s, int pid);

/* May n records be written right away?  Else ring_wait() and ring_take_snoop() come before each. */
static inline bool ring_ready(const struct ring_writer *w, unsigned n)
{
	return w->head + n <= w->limit;
}

/* Wait for a place for one more record. */
void ring_wait(struct ring_writer *w);

/*
 * The next snoop to apply before the record that is to be written, in order.  Call after
 * ring_wait(), until it says false.
 */
bool ring_take_snoop(struct ring_writer *w, struct leave_snoop *out);

/* The next snoop of all that are there, whenever they are due; false: there is none. */
bool ring_take_any(struct ring_writer *w, struct leave_snoop *out);

/* Nothing more is written in this turn.  The consumer is woken if it sleeps. */
void ring_end_turn(struct ring_writer *w, enum ring_turn next);

/* Will nobody give it a turn any more?  Nobody reads, or the program has damaged its ring.  (One that another thread has released waits
 * for the end of its process.) */
bool ring_lost(const struct ring_writer *w);

/* For a thread that has waited long: the program may have overwritten the state in the thread's ring, so write it again. */
void ring_say_again(struct ring_writer *w, enum ring_turn turn);

/* Poll for the turn while it can be expected soon. */
void ring_look_for_turn(struct ring_writer *w);

/* Wait for the turn.  False: nobody gives any more. */
bool ring_await_turn(struct ring_writer *w);

/* Announce n threads, or a program, in `arriving`. */
void ring_announce(struct ring_segment *s, unsigned n);

/* One of those that have been announced is there, or will never be. */
void ring_arrive(struct ring_segment *s);
/* Wait until all of them but `but` are: those that the caller has announced and its new task is among.  However long a busy host
 * keeps that task from running, it is waited for; one that is stopped or has died is not for more than a second or two. */
void ring_await_arrivals(const struct ring_segment *s, unsigned but, int task);

/* Were snoops lost?  Once; those that still wait are dropped. */
bool ring_flooded(struct ring_writer *w);

/* Write one record, for which ring_ready() is so or ring_wait() has been called. */
static inline void ring_write(struct ring_writer *w, const struct leave_record *rec)
{
	w->ring->record[w->head++ % RING_RECORDS] = *rec;
}

/* Let the consumer see what has been written; wake it if it sleeps and there is much, or if
 * `now`. */
void ring_publish(struct ring_writer *w, bool now);

#endif
