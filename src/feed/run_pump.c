/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the rings of a running program into the machine, in the order of the cores' times, and
 * snoops back.
 */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "feed/run_private.h"
#include "machine/machine.h"

#define EXPECT 16			/* records a block: while it is fed, the host loads what the next one looks at */
#define BATCH 512			/* records between looks at signals and other rings */
#define AHEAD UINT64_C(1000000)		/* ps that a thread may be ahead of one with records waiting */
#define WINDOW UINT64_C(20000000)	/* ps ... of one that is running and has sent none */
#define WAIT_US 200
#define WAITS 10			/* then go on without the one that lags */
#define BRIEFLY UINT64_C(2000000)	/* ns that all others look out for one that has sent none, before they sleep */
#define MISSED UINT64_C(200000000)	/* ns: then it has been stopped */
#define DOZES 500			/* then it sleeps */

void run_map_cores(struct run *r, const struct run_config *cfg)
{
	unsigned cores = machine_cores(r->feed.machine);
	unsigned sockets = machine_sockets(r->feed.machine);
	unsigned each = cores / sockets, places = cfg->places ? cfg->places : 1;
	unsigned mine = (cores - cfg->place + places - 1) / places;

	r->cores = mine;
	for (unsigned i = 0; i < RING_SLOTS; i++) {
		unsigned n = cfg->place + i % mine * places;

		r->thread[i].core = cfg->compact ? n : n % sockets * each + n / sockets;
	}
}

static struct ring *ring_of(const struct run *r, unsigned i)
{
	return r->segment->ring + i;
}

/* Threads that share thread i's core have private caches of their own: each hears what the core is asked for. */
static void send_to_others(struct run *r, unsigned i, const struct ring_snoop *some, unsigned n)
{
	unsigned used = atomic_load_explicit(&r->segment->used, memory_order_relaxed);
	struct ring_snoop now[EXPECT];

	if (used <= r->cores)
		return;
	for (unsigned k = 0; k < n; k++)
		now[k] = (struct ring_snoop){ .due = RING_NOW, .snoop = some[k].snoop };
	for (unsigned k = i % r->cores; k < used; k += r->cores) {
		struct ring *ring = ring_of(r, k);

		if (k != i && atomic_load(&ring->state) == RING_LIVE && !ring_send_snoops(ring, now, n))
			atomic_store(&ring->flood, 1);
	}
}

/*
 * Hand on what the machine asks of the private caches of thread i's core.  While the program has a
 * single thread, in step with its records (see ring.h): `tail` is the number of the one at `first`, which
 * was fed with all that followed; NULL: others have asked, and tail is to be fed next.
 */
static void send_snoops(struct run *r, unsigned i, const struct leave_record *first, uint64_t tail)
{
	bool several = atomic_load_explicit(&r->segment->several, memory_order_relaxed);
	struct ring *ring = ring_of(r, i);
	const struct machine_snoop *snoop;
	unsigned n = machine_snoops(r->feed.machine, r->thread[i].core, &snoop);

	for (unsigned k = 0; k < n; ) {
		struct ring_snoop some[EXPECT];
		unsigned out = 0;

		for (; out < LEN(some) && k < n; k++) {
			uint64_t by = tail + (first ? (uint64_t)(snoop[k].record - first) : 0);

			some[out++] = (struct ring_snoop){ .due = several ? RING_NOW : by + RING_RECORDS, .snoop = snoop[k].snoop };
		}
		/* A sleeping thread does not take them; it will forget all instead. */
		if (!ring_send_snoops(ring, some, out))
			atomic_store(&ring->flood, 1);
		send_to_others(r, i, some, out);
	}
}

/* A block of EXPECT records is about to be fed: the host begins to load what those behind it look at. */
static void expect(struct machine *m, unsigned core, const struct ring *ring, uint64_t next, uint64_t end)
{
	const struct leave_record *rec = ring_at(ring, next);

	if (next < end)
		machine_expect(m, core, rec, rec + (end - next < EXPECT ? end - next : EXPECT));
}

/* Feed up to BATCH records of thread i while its core is before `limit`. */
static void feed_thread(struct run *r, unsigned i, uint64_t limit)
{
	struct machine *m = r->feed.machine;
	struct ring *ring = ring_of(r, i);
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	uint64_t n = ring_waiting(ring), end = tail + (n < BATCH ? n : BATCH), block = 0;
	unsigned core = r->thread[i].core;

	_Static_assert(RING_RECORDS % EXPECT == 0, "no block goes round the ring's end");
	if (machine_snoops_pending(m, core))
		send_snoops(r, i, NULL, tail);
	do {
		const struct leave_record *rec = ring_at(ring, tail), *next;
		uint64_t stop = tail - tail % EXPECT + EXPECT;

		if (stop != block)
			expect(m, core, ring, block = stop, end);
		next = machine_feed(m, core, rec, rec + ((stop < end ? stop : end) - tail), limit);
		if (machine_snoops_pending(m, core))
			send_snoops(r, i, rec, tail);
		tail += (uint64_t)(next - rec);
		r->thread[i].halted = next[-1].kind == LEAVE_HALT;
	} while (tail < end && machine_core_time(m, core) < limit);
	ring_consume(ring, tail);
	if (machine_core_time(m, core) > r->reached)
		r->reached = machine_core_time(m, core);
}

/* It takes a core a while to wake, in which others go on. */
static void wake(struct run *r, unsigned i)
{
	machine_idle(r->feed.machine, r->thread[i].core, 0);
	r->thread[i].halted = false;
}

/* One look at all rings. */
struct survey {
	unsigned live;			/* rings in use */
	unsigned asleep;		/* of those, whose threads sleep in the kernel and have told so */
	unsigned waiting;		/* with records before `until` */
	unsigned first;			/* of those, the one whose core is furthest behind */
	uint64_t first_time, second_time;
	unsigned past;			/* already at `until` */
	unsigned owing;			/* running threads before `until` without records */
	uint64_t owing_time;		/* the earliest of them */
	unsigned owing_first;
};

static void survey_ring(struct run *r, unsigned i, uint64_t until, struct survey *s)
{
	struct ring *ring = ring_of(r, i);
	uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);
	uint64_t time = machine_core_time(r->feed.machine, r->thread[i].core);

	if (state == RING_FREE)
		return;
	if (!ring_waiting(ring)) {
		if (state == RING_DONE) {
			ring_free(ring);
			return;
		}
		s->live++;
		s->asleep += r->thread[i].halted && atomic_load(&ring->idle);
		s->past += time >= until;
		if (time >= until || r->thread[i].halted || atomic_load(&ring->idle))
			return;
		s->owing++;
		if (time < s->owing_time) {
			s->owing_time = time;
			s->owing_first = i;
		}
		return;
	}
	s->live++;
	/* A halted core starts again now, not where it stopped. */
	if (r->thread[i].halted && time < machine_time(r->feed.machine))
		time = machine_time(r->feed.machine);
	if (time >= until) {
		s->past++;
		return;
	}
	s->waiting++;
	if (time < s->first_time) {
		s->second_time = s->first_time;
		s->first_time = time;
		s->first = i;
	} else if (time < s->second_time) {
		s->second_time = time;
	}
}

static struct survey survey(struct run *r, uint64_t until)
{
	struct survey s = {
		.first_time = UINT64_MAX, .second_time = UINT64_MAX, .owing_time = UINT64_MAX,
	};
	unsigned used = atomic_load(&r->segment->used);

	for (unsigned i = 0; i < used; i++)
		survey_ring(r, i, until, &s);
	return s;
}

/* Snoops that other threads' accesses caused. */
static void send_all_snoops(struct run *r)
{
	unsigned used = atomic_load(&r->segment->used);

	for (unsigned i = 0; i < used; i++) {
		if (machine_snoops_pending(r->feed.machine, r->thread[i].core) &&
		    atomic_load(&ring_of(r, i)->state) == RING_LIVE)
			send_snoops(r, i, NULL, atomic_load(&ring_of(r, i)->tail));
	}
}

/* Processes of the program that were killed leave their rings as they were. */
static void bury_dead(struct run *r)
{
	unsigned used = atomic_load(&r->segment->used);

	for (unsigned i = 0; i < used; i++) {
		struct ring *ring = ring_of(r, i);
		int32_t pid = atomic_load(&ring->holder);

		if (pid == RING_NOBODY || pid == RING_FOREIGN)
			continue;
		if (pid == r->pid ? r->ended : kill(pid, 0) < 0 && errno == ESRCH)
			ring_bury(ring);
	}
}

/* Are there records left, after the program has ended? */
static bool has_rest(const struct run *r)
{
	for (unsigned i = 0; i < atomic_load(&r->segment->used); i++) {
		if (atomic_load(&ring_of(r, i)->state) != RING_FREE && ring_waiting(ring_of(r, i)))
			return true;
	}
	return false;
}

/* Thread i does nothing: its core goes on when the machine's time has passed over it. */
static void halt(struct run *r, unsigned i)
{
	struct leave_record rec = { .kind = LEAVE_HALT };

	machine_access(r->feed.machine, r->thread[i].core, &rec);
	r->thread[i].halted = true;
}

/* The program is over: no core of it works any more. */
static void end(struct run *r)
{
	for (unsigned i = 0; i < atomic_load(&r->segment->used); i++) {
		if (!r->thread[i].halted)
			halt(r, i);
	}
}

void run_stop(struct feed *f)
{
	struct run *r = (struct run *)f;

	if (!r->ended)
		atomic_store(&r->segment->detached, RING_OVER);
	end(r);
}

/* Threads in a system call do nothing. */
static void halt_sleepers(struct run *r)
{
	unsigned used = atomic_load(&r->segment->used);

	for (unsigned i = 0; i < used; i++) {
		struct ring *ring = ring_of(r, i);

		if (atomic_load(&ring->state) != RING_LIVE || r->thread[i].halted || ring_waiting(ring) ||
		    !atomic_load(&ring->idle))
			continue;
		halt(r, i);
	}
}

/*
 * All others are as far as they may be, and one that runs sends nothing: a signal may have stopped its process, which
 * only the others can end.
 */
static void wait_for_missing(struct run *r, unsigned i)
{
	struct timespec ts;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	if (!r->missed_since)
		r->missed_since = now;
	if (now - r->missed_since > MISSED)
		halt(r, i);
	else if (now - r->missed_since > BRIEFLY)
		usleep(WAIT_US);
}

void run_rest(struct feed *f)
{
	ring_sleep(((struct run *)f)->segment, WAIT_US);
}

/*
 * Nothing came out of a live program: is it at work, or asleep?  Who has not begun yet, or has left its last thread, is
 * not asleep.  Programs beside it wait for a short system call, so that in every run they come as far meanwhile.
 */
static int live_state(struct run *r, const struct survey *s)
{
	if (s->waiting || s->owing || s->live == 0) {
		r->dozes = 0;
		return FEED_STARVED;
	}
	if (r->in_step && s->live > s->asleep && r->dozes++ < DOZES)
		return FEED_STARVED;
	halt_sleepers(r);
	return FEED_ASLEEP;
}

int run_feed(struct feed *f, uint64_t until)
{
	struct run *r = (struct run *)f;

	for (;;) {
		struct survey s = survey(r, until);
		bool lags = s.owing && s.first_time > s.owing_time + WINDOW;

		run_pass_signals(r);
		if (s.waiting && (!lags || r->waits >= WAITS)) {
			uint64_t limit = s.second_time < UINT64_MAX - AHEAD ?
					 s.second_time + AHEAD : UINT64_MAX;

			if (!lags)
				r->waits = 0;
			r->dozes = 0;
			r->missed_since = 0;
			if (r->thread[s.first].halted) {
				wake(r, s.first);
				continue;
			}
			feed_thread(r, s.first, limit < until ? limit : until);
			if (s.live > 1)
				send_all_snoops(r);
			continue;
		}
		if (!s.waiting && !s.owing && s.past)
			return 1;
		if (s.waiting)
			r->waits++;
		run_reap(r);
		bury_dead(r);
		if (r->ended && !has_rest(r)) {
			/* When its end is noticed must not matter: it has come when its last access is over. */
			if (r->in_step && r->reached >= until)
				return FEED_MORE;
			end(r);
			return FEED_ENDED;
		}
		if (!s.waiting && s.owing && s.past)
			wait_for_missing(r, s.owing_first);
		if (f->live)
			return live_state(r, &s);
		if (!r->ended)
			ring_sleep(r->segment, s.waiting ? WAIT_US : 1000);
	}
}
