/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared memory between a traced program and the machine.  Each thread has a ring of leave records to the machine and a ring of snoops
 * back.  A record ring has one producer (the thread) and one consumer (the machine).
 *
 *	thread --> record ring --> machine
 *	       <-- snoop ring  <--
 *
 * Determinism.  A snoop that record n caused is due at record n + RING_RECORDS: the thread applies it exactly before it writes that
 * record.  To reuse the place of record n, the thread has to wait anyway until the machine has consumed record n, and by then its snoops
 * have been sent.  So the records of a single-threaded program do not depend on when the host runs which process.
 *
 * Turns.  Once a second thread has appeared (ring_segment.several), only one thread runs at a time: the one whose core is furthest
 * behind in machine time.  The consumer gives a thread the turn when it has fed all of the thread's records.  The thread begins its turn
 * by applying all snoops that other cores' requests have caused by then.  So a core loses a line before its next access, and the order
 * of accesses does not depend on the host.
 *
 *	FREELY --several--> WANTS --given--> RUNS --quantum, contended line--> WANTS
 *	                      ^               +------futex wait--> WAITS --LEAVE_WAKE--+
 *	                      |               +------would block--> TRIES --event------+--given--> RUNS
 *	                      +--call over----+------other waits--> AWAY
 *
 * Death.  A producer kills itself when it waits for a consumer that no longer exists, or when the consumer has ended the program.  The
 * consumer learns from waitpid() that the program has died.  The segment is a memfd, so nothing stays behind.
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
#define RING_LOST 512			/* lines that a thread looks up at the start of a turn (witness.h) */
#define RING_INSTRUCTIONS_NS 7		/* instructions that a core retires per nanosecond while it hits its caches */
#define RING_SPACES 240			/* address spaces of processes; higher numbers belong to files and devices */
#define RING_MAGIC 0x6278732d72696e67	/* "bxs-ring" */

#define RING_CPUS 1024			/* logical CPUs, as many as a cpu_set_t holds */
#define RING_CPU_WORDS (RING_CPUS / 64)

#define RING_QUANTUM_MOST 98304		/* instructions: the longest turn whose records fit into a ring */

#define RING_REGION 64			/* bytes for the name of a region */

#define RING_NOW 0
#define RING_FAR (UINT64_C(1) << 62)	/* ps, 53 days: a longer wait counts as endless */

/* Holders of a ring that the consumer cannot look up: none at all, or a process in another PID namespace. */
enum { RING_NOBODY = 0, RING_FOREIGN = -1 };

enum { RING_OUTSIDE = 3 };

enum ring_state {
	RING_FREE,	/* free; if it has a holder, a thread is just taking it */
	RING_LIVE,	/* a thread has it */
	RING_DONE,	/* the thread has ended; the consumer frees it when it is empty */
};

/* Why the consumer has stopped reading. */
enum ring_end {
	RING_ALONE = 1,	/* the program has ended by itself: processes that it left behind go on */
	RING_OVER,	/* the consumer has ended the program: all of its processes end */
};

/* The thread writes all of these except RUNS, which the consumer writes when it gives the turn. */
enum ring_turn {
	RING_FREELY,	/* there are no turns yet */
	RING_RUNS,	/* has the turn */
	RING_WANTS,	/* can run and waits for the turn */
	RING_WAITS,	/* waits until another thread's LEAVE_WAKE names its ring */
	RING_TRIES,	/* its call would block; it tries again after the next event of ring.tries */
	RING_AWAY,	/* is in the kernel for an unknown time */
};

/* Events that may let a blocking call succeed.  A LEAVE_WAKE reports them with RING_EVENTS set in its line, and then names no ring. */
enum ring_event { RING_IO = 1, RING_CHILD = 2 };
#define RING_EVENTS UINT64_C(0x10000)

/* What the consumer says when it gives the turn. */
enum ring_given {
	RING_ALONE_NOW = 1,	/* no other thread can run: the turn lasts until this thread changes that */
	RING_NOBODY_ELSE = 2,	/* to a thread that tries: no other thread can cause the event, so the call may block */
	RING_DUE = 4,		/* to a thread that waits or tries: the time in ring.due has come */
};

struct ring_snoop {
	uint64_t due;			/* number of the record before which it is applied, or RING_NOW */
	struct leave_snoop snoop;
};

/* CPU affinity and memory policy that a thread has asked for.  Threads and processes that it creates inherit them. */
struct ring_wishes {
	uint64_t cpus[RING_CPU_WORDS];	/* logical CPUs on which it may run, one bit each; none set: on any */
	uint32_t policy, nodes;		/* memory policy: enum ring_memory, and one bit for each node */
	uint32_t mode;			/* the memory policy as the program set it, to be returned to it */
};

/*
 * Where a new page is allocated.  NEAR: on the node of the core that touches it if that node is allowed, else on the first allowed node.
 * IN_TURN: on the allowed nodes in turn.
 */
enum ring_memory { RING_MEMORY_NEAR, RING_MEMORY_IN_TURN };

enum ring_ask { RING_ASKS_NOTHING, RING_ASKS_RANGE, RING_ASKS_NODE };

/* A request about an address range: set where its new pages are allocated (no nodes: as the thread's wishes say), or ask for the node of
 * line `first`. */
struct ring_range {
	uint32_t ask;			/* enum ring_ask */
	uint32_t space;
	uint64_t first, last;		/* lines */
	uint32_t policy, nodes;
};

/*
 * Is the thread in a system call?  Then nobody waits for it.  RING_IDLE_TOLD: the call may end the process, so the thread has reported
 * all of its work before.
 */
enum ring_idle { RING_NOT_IDLE, RING_IDLE, RING_IDLE_TOLD };

struct ring {
	_Alignas(64) _Atomic uint32_t state;	/* enum ring_state */
	_Atomic uint32_t idle;		/* enum ring_idle */
	_Atomic uint32_t flood;		/* snoops were lost: the thread has to drop all lines */
	/* The process whose thread has the ring.  A process takes the ring by replacing RING_NOBODY with its number, so the consumer knows
	 * the holder even if it dies at once. */
	_Atomic int32_t holder;
	_Atomic uint32_t lives;		/* number of threads that have had the ring so far */
	_Atomic int32_t thread;		/* the kernel's number of the thread; 0 in another PID namespace */
	/* Written by the producer. */
	_Alignas(64) _Atomic uint64_t head;	/* records written */
	_Atomic uint64_t snoop_tail;	/* snoops taken */
	_Atomic uint32_t starved;	/* the producer sleeps on `wake` */
	_Atomic uint32_t turn;		/* enum ring_turn */
	_Atomic uint32_t looks;		/* the producer polls for its turn and need not be woken */
	/* The state of the thread's system call, which only the thread with the turn reads and writes. */
	uint32_t tries;			/* the events that it waits for: enum ring_event */
	uint32_t bits;			/* the bit set of its futex wait, as in FUTEX_WAIT_BITSET */
	uint64_t futex;			/* the futex that it waits for; 0: none */
	uint64_t since;			/* the number of its wait: the lowest waited first */
	uint64_t due;			/* ps of machine time at which WAITS or TRIES ends in any case; 0: never */
	uint8_t space;			/* address space of its process */
	struct ring_wishes wishes;	/* written by any thread that has the turn */
	_Atomic uint32_t asks;		/* how often the wishes have changed */
	struct ring_range range;	/* its current request, if any */
	/* Written by the consumer. */
	_Alignas(64) _Atomic uint64_t tail;	/* records consumed */
	_Atomic uint64_t snoop_head;	/* snoops sent */
	_Atomic uint32_t wake;
	_Atomic uint32_t turns;		/* turns given so far; a futex */
	uint32_t given;			/* enum ring_given */
	_Atomic uint32_t asked;		/* another thread can run: a turn alone is to end */
	uint64_t ahead;			/* instructions after which the thread may be ahead of the next one */
	/* When the turn was given, in ps: the core's time, and the time that cores have spent running this thread and its process. */
	uint64_t time, ran, process_ran;
	uint32_t node;			/* the node of the line that it asked about; UINT32_MAX: none */
	uint32_t cpu;			/* the logical CPU on which it runs */
	uint32_t moves;			/* how often it has moved to another core, where its private caches are empty */
	/* Given with the turn: lines that other threads have taken or read since the last turn; see witness.h. */
	uint32_t lost;
	struct leave_snoop lost_line[RING_LOST];
	_Atomic uint64_t kept;		/* written by the thread: how many of these lines its caches still held as before */
	_Alignas(64) struct leave_record record[RING_RECORDS];
	_Alignas(64) struct ring_snoop snoop[RING_SNOOPS];
};

/*
 * What a program did that its user should know about.  FILTER, DEBUGGER: it asked for something that the emulator does not do as the
 * kernel does.  Where its clocks are the machine's: OUTSIDE: it waited for input from outside; HOST_CLOCK: a part of it ran with the
 * host's clock; CHANCE: it took random numbers.
 */
enum ring_note { RING_NOTE_FILTER = 1, RING_NOTE_DEBUGGER = 2, RING_NOTE_OUTSIDE = 4, RING_NOTE_HOST_CLOCK = 8, RING_NOTE_CHANCE = 16 };

/* An alarm that a process keeps when it executes another program; times in ns of machine time. */
struct ring_alarm {
	_Atomic int32_t pid;		/* 0: none */
	uint64_t due, every;
};

/* The program's clocks. */
struct ring_clock {
	uint32_t machine;		/* they are the machine's; all other fields are used only then */
	uint32_t tsc_mhz;
	int64_t real;			/* ns: CLOCK_REALTIME at machine time 0 */
	_Atomic uint32_t kills;		/* number of calls that have sent signals */
	uint64_t shown;			/* ps: the latest time shown to a thread; only the thread with the turn uses it */
	uint64_t timer[RING_SPACES];	/* ps: when a process's first timer expires, for one of its waiting threads; 0: none; likewise */
	struct ring_alarm alarm[RING_ALARMS];
	struct { uint64_t device, inode; } outside[RING_OUTSIDE];	/* standard files, whose other ends are not traced */
};

/* Random numbers that the program takes from the kernel and the processor. */
struct ring_chance {
	uint32_t seeded;		/* they are computed from the seed below instead */
	uint64_t seed;
	_Atomic uint64_t taken;		/* words taken so far */
};

/*
 * The CPUs that a program sees, numbered as Linux does: core c of socket s is CPU s * (cores per socket) + c; second hardware threads
 * follow after all cores.
 */
struct ring_cpus {
	uint32_t number;		/* number of logical CPUs; 0: the program sees the host's */
	uint32_t cores;			/* number of cores in all sockets */
	uint32_t nodes;			/* number of memory nodes, the same for each socket */
	int32_t files;			/* the consumer's descriptor of the files that describe them to the program (files.h); 0: none */
};

struct ring_segment {
	uint64_t magic;
	int32_t consumer;		/* PID of the process that reads the rings */
	uint64_t pids;			/* the PID namespace of `consumer` */
	_Atomic uint32_t several;	/* a second thread or process has appeared */
	_Atomic uint32_t spaces;	/* the next address space to be given out */
	uint32_t last_space;
	_Atomic uint32_t detached;	/* enum ring_end */
	_Atomic uint32_t used;		/* rings from here on have never been used */
	_Atomic uint32_t lost;		/* threads that found no free ring */
	_Atomic uint32_t untraced;	/* processes that executed a program that cannot be traced */
	_Atomic uint32_t newest;	/* the ring taken last */
	_Atomic uint32_t arriving;	/* new threads and executed programs that have no ring yet; until then no turn is given */
	_Atomic int32_t announcer;	/* the task that announced the last of them; 0: it has no number in the consumer's PID namespace */
	uint32_t quantum;		/* instructions: the longest turn of a thread that shares memory */
	uint32_t quantum_most;		/* ... of a thread that has shared none for a while */
	uint64_t futexes;		/* futex waits so far; only the thread with the turn uses it */
	struct ring_clock clock;
	struct ring_chance chance;
	struct ring_cpus cpus;
	_Atomic uint32_t tries;		/* threads in RING_TRIES; while there are any, a thread that causes an event ends its turn */
	_Atomic uint32_t notes;		/* enum ring_note */
	char region[RING_REGION];	/* the region whose marks are recorded; "": none */
	_Alignas(64) _Atomic uint32_t bell;	/* futex: something has been written */
	_Atomic uint32_t sleeping;	/* the consumer sleeps on `bell` */
	uint32_t processors;		/* host processors on which consumer and producers may run */
	_Alignas(64) _Atomic uint32_t handed;	/* 1 + the ring that has the turn, whose thread a polling thread is to wake; 0: none */
	_Atomic uint32_t looking;	/* threads that poll for their turns */
	struct ring ring[RING_SLOTS];
};

/* Consumer's side. */

/* Make a segment in a memfd, with no rings in use.  Returns 0, BXS_ENOMEM, or BXS_EIO with errno set, as when a limit forbids it.  *fd is
 * closed on exec. */
int ring_create(int *fd, struct ring_segment **out);
/* Give out only address spaces `first` to `last`.  The default is all RING_SPACES. */
void ring_spaces(struct ring_segment *s, uint8_t first, uint8_t last);
void ring_unmap(struct ring_segment *s);

/* Number of records not consumed yet. */
static inline uint64_t ring_waiting(const struct ring *r)
{
	return atomic_load_explicit(&r->head, memory_order_acquire) -
	       atomic_load_explicit(&r->tail, memory_order_relaxed);
}

static inline const struct leave_record *ring_at(const struct ring *r, uint64_t n)
{
	return r->record + n % RING_RECORDS;
}

/* Let another thread take the ring: it is empty and its thread has ended, or its holder died before the ring was live. */
void ring_free(struct ring *r);

/* The holder has died: mark its ring as done.  Its records remain to be read. */
void ring_bury(struct ring *r);

/* Send n snoops.  False: the snoop ring has no room for them now. */
bool ring_send_snoops(struct ring *r, const struct ring_snoop *snoop, unsigned n);

/* Mark records below `tail` as consumed. */
void ring_consume(struct ring *r, uint64_t tail);

/* Give the turn to the thread of ring number `ring`.  given: bits of enum ring_given; ahead: as in struct ring. */
void ring_give(struct ring_segment *s, unsigned ring, unsigned given, uint64_t ahead);
/* The thread that was given the turn has written nothing for a while: wake it unless another thread has done so. */
void ring_give_again(struct ring_segment *s);

/* As ring_sleep(), for one ring, whose thread has the turn and has written `head` records. */
bool ring_sleep_for(struct ring_segment *s, const struct ring *r, uint64_t head, unsigned us);

/* Sleep until a producer rings the bell, for at most `us` microseconds.  True: none has. */
bool ring_sleep(struct ring_segment *s, unsigned us);

/* Producer's side. */

/* A producer's private state of its ring. */
struct ring_writer {
	struct ring_segment *segment;
	struct ring *_Atomic ring;	/* NULL: released */
	uint64_t head;			/* records written */
	uint64_t tail;			/* records consumed, as last seen */
	uint64_t limit;			/* records below it have a place, and no snoop is due before them */
	uint64_t snoop_tail;		/* snoops taken */
	uint64_t snoop_head;		/* snoops sent, as last seen */
	uint64_t shown;			/* head as the consumer sees it */
	uint64_t told;			/* head when the bell was last rung */
	unsigned in_vain, skip;		/* turns without polling after polling in vain, and how many of them are left */
};

/* Map the segment that is open as fd.  Returns 0, BXS_EIO, or BXS_EINVAL (not a segment). */
int ring_map(int fd, struct ring_segment **out);

/* Take a free ring for a thread with these wishes (NULL: none).  Returns 0, or BXS_ENOMEM: all are in use. */
int ring_claim(struct ring_segment *s, const struct ring_wishes *wishes, struct ring_writer *out);

/* Has the consumer stopped reading?  Does not return if the consumer has ended the program (RING_OVER). */
bool ring_detached(const struct ring_segment *s);

/* Take the next address space number; when all have been given out, the last one again. */
uint8_t ring_space(struct ring_segment *s);

/* Give the ring up because its thread ends. */
void ring_release(struct ring_writer *w);

/* Wait until the consumer has emptied and freed all rings that process `pid` released. */
void ring_settle(struct ring_segment *s, int pid);

/* May n records be written right away?  If not, call ring_wait() and ring_take_snoop() before each. */
static inline bool ring_ready(const struct ring_writer *w, unsigned n)
{
	return w->head + n <= w->limit;
}

/* Wait for a place for one more record. */
void ring_wait(struct ring_writer *w);

/*
 * Take the next snoop that is due before the next record.  After ring_wait(), call it until it returns false.
 */
bool ring_take_snoop(struct ring_writer *w, struct leave_snoop *out);

/* Take the next snoop, whenever it is due.  False: there is none. */
bool ring_take_any(struct ring_writer *w, struct leave_snoop *out);

/* End the turn: publish its records, set the thread's state to `next`, and wake the consumer if it sleeps. */
void ring_end_turn(struct ring_writer *w, enum ring_turn next);

/* Will the thread never get a turn again, because the consumer has stopped reading or the program has damaged the ring?  False for a ring
 * that another thread has released: its thread waits for the end of the process. */
bool ring_lost(const struct ring_writer *w);

/* The thread has waited long: write its state into the ring again, since the program may have overwritten it. */
void ring_say_again(struct ring_writer *w, enum ring_turn turn);

/* Poll for the turn while it can be expected soon. */
void ring_look_for_turn(struct ring_writer *w);

/* Wait for the turn.  False: nobody gives turns any more. */
bool ring_await_turn(struct ring_writer *w);

/* Announce n new threads, or an executed program: add n to `arriving`. */
void ring_announce(struct ring_segment *s, unsigned n);

/* Does the task run, or wait only for a processor or the kernel (/proc/TASK/stat: R or D)?  False as well if /proc does not tell. */
bool ring_is_runnable(int task);

/* One announced thread or program has arrived, or never will: subtract one from `arriving`. */
void ring_arrive(struct ring_segment *s);
/* Wait until at most `but` announced arrivals are left.  `task` is the caller's new task: wait for it as long as a busy host keeps it from
 * running, but for no more than a second or two if it is stopped or has died. */
void ring_await_arrivals(const struct ring_segment *s, unsigned but, int task);

/* Were snoops lost since the last call?  If so, drop those that are still in the ring. */
bool ring_flooded(struct ring_writer *w);

/* Write one record.  Call it only after ring_ready() has returned true, or after ring_wait(). */
static inline void ring_write(struct ring_writer *w, const struct leave_record *rec)
{
	w->ring->record[w->head++ % RING_RECORDS] = *rec;
}

/* Show the consumer the records written so far.  If it sleeps, wake it when there are many or `now` is set. */
void ring_publish(struct ring_writer *w, bool now);

#endif
