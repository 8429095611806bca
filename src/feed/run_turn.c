/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which the threads of a running program run and in which their records are fed.  The thread whose core is furthest behind
 * in machine time always comes first.  If it has written records, the machine is fed with them; if it waits for its turn, it gets the
 * turn; if it has the turn, the consumer waits for its records.  Every decision depends on records and machine time alone and not on
 * what the host did, so each run of a program makes the same decisions (ring.h).
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "feed/run_private.h"
#include "feed/witness.h"
#include "machine/machine.h"

#define AHEAD UINT64_C(1000000)		/* ps by which a core may be ahead of another program's core while it is fed */
#define AHEAD_IN_TURN UINT64_C(50000)	/* ... ahead of a core of the same program */
#define WAIT_US 200
#define DOZES 500			/* looks at threads that are all in short calls before they count as asleep */
#define LOOKS_AT_SIGNALS 32		/* steps of run_feed() from one look at signals to the next */
#define LOOKS 2000			/* polls of the thread that has the turn before the consumer yields its processor */
#define NOT_YET UINT64_MAX

enum act {
	ACT_NONE,	/* no thread can do anything */
	ACT_FEED,	/* the thread has written records */
	ACT_SPIN,	/* it has written one record, which says that it spins */
	ACT_WAIT,	/* it has the turn and has written no record yet */
	ACT_GIVE,	/* it waits for the turn */
	ACT_DUE,	/* it waits, and goes on at this time at the latest */
};

/* One look at all rings. */
struct survey {
	bool answered;			/* a thread that wants the turn waits until its core's requests have been answered */
	unsigned live;			/* rings in use */
	unsigned asleep;		/* ... whose threads have reported that they sleep in the kernel */
	unsigned can;			/* threads that have something to do */
	unsigned past;			/* ... and have already reached `until` */
	unsigned due;			/* ... and wait until a certain time (ACT_DUE) */
	unsigned away;			/* threads in the kernel, in calls that no other thread can end */
	unsigned finished;		/* rings whose thread has ended and whose records have all been fed */
	int rest;			/* a ring whose thread has ended, with records still to feed, or -1 */
	bool arriving;			/* announced threads have no ring yet */
	bool still;			/* nothing has changed since the previous survey */
	int runs;			/* the thread that has the turn, or -1 */
	int tries;			/* the first thread that waits for an event, or -1 */
	int event;			/* the first thread whose event has happened, or -1 */
	enum act act;			/* what the thread furthest behind calls for */
	unsigned next;			/* the thread furthest behind */
	uint64_t time, second;		/* its time, and that of the thread after it */
};

/* When thread i goes on: a sleeping core resumes at the time when it is woken, not at the time when it stopped. */
static uint64_t time_of(const struct run *r, unsigned i)
{
	const struct run_thread *t = &r->thread[i];
	uint64_t time = machine_core_time(r->feed.machine, t->core);

	if (!t->halted)
		return time;
	if (t->wake_at == NOT_YET)
		return run_latest(r);
	return t->wake_at > time ? t->wake_at : time;
}

/* When thread i, which waits for others until a certain time, goes on at the latest. */
static uint64_t due_at(const struct run *r, unsigned i)
{
	return machine_wakes_at(r->feed.machine, r->thread[i].core, r->thread[i].due);
}

/* When a thread that wants the turn can go on: its next step may depend on data that it has requested and that has not arrived yet. */
static uint64_t time_to_give(const struct run *r, unsigned i)
{
	uint64_t time = time_of(r, i), answered = machine_core_answered(r->feed.machine, r->thread[i].core);

	return !r->thread[i].halted && answered > time ? answered : time;
}

enum ring_turn run_turn_of(const struct ring *ring)
{
	uint32_t turn = atomic_load_explicit(&ring->turn, memory_order_acquire);

	if (turn == RING_FREELY)
		return atomic_load(&ring->idle) ? RING_AWAY : RING_RUNS;
	return turn > RING_AWAY ? RING_AWAY : (enum ring_turn)turn;
}

static void consider(struct survey *s, unsigned i, enum act act, uint64_t time, uint64_t until)
{
	s->can++;
	if (time >= until) {
		s->past++;
		s->due += act == ACT_DUE;
		return;
	}
	/* At the same time, records already written come before what another thread may do in its turn. */
	if (s->act != ACT_NONE && (time > s->time || (time == s->time && !(act == ACT_FEED && s->act == ACT_GIVE)))) {
		s->second = time < s->second ? time : s->second;
		return;
	}
	s->second = s->time;
	s->act = act;
	s->next = i;
	s->time = time;
}

/* A thread that has the turn but is stopped or blocked in the kernel is astray until it writes a record; nobody waits for it. */
static bool is_astray(struct run_thread *t, const struct ring *ring)
{
	if (t->astray && atomic_load(&ring->head) != t->astray_at)
		t->astray = false;
	return t->astray;
}

static void survey_ring(struct run *r, unsigned i, uint64_t until, struct survey *s)
{
	struct run_thread *t = &r->thread[i];
	struct ring *ring = run_ring(r, i);
	uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);
	enum ring_turn turn = run_turn_of(ring);

	if (state == RING_FREE || !run_check(r, i))
		return;
	run_meet(r, i);
	if (state == RING_LIVE && turn == RING_RUNS && !r->ended && !is_astray(t, ring))
		s->runs = (int)i;
	if (run_waiting(r, i)) {
		s->live++;
		if (state == RING_DONE)
			s->rest = (int)i;
		if (turn == RING_WANTS && run_spins(r, i)) {
			r->spins = true;
			consider(s, i, ACT_SPIN, run_spin_end(r, i), until);
		} else {
			consider(s, i, ACT_FEED, time_of(r, i), until);
		}
		return;
	}
	s->finished += state == RING_DONE;
	if (state == RING_DONE || r->ended)
		return;
	s->live++;
	s->asleep += t->halted && turn != RING_RUNS && turn != RING_WANTS;
	s->away += turn == RING_AWAY;
	if (turn == RING_RUNS && !t->astray) {
		/* Even if its last record so far says that it sleeps: it may just be about to end its turn, or itself. */
		consider(s, i, ACT_WAIT, machine_core_time(r->feed.machine, t->core), until);
	} else if (turn == RING_WANTS || (turn == RING_WAITS && t->woken)) {
		consider(s, i, ACT_GIVE, s->answered ? time_to_give(r, i) : time_of(r, i), until);
	} else if (turn == RING_TRIES) {
		s->tries = s->tries < 0 ? (int)i : s->tries;
		if (s->event < 0 && (t->events & ring->tries))
			s->event = (int)i;
	}
	if (((turn == RING_WAITS && !t->woken) || turn == RING_TRIES) && run_due(r, i))
		consider(s, i, ACT_DUE, due_at(r, i), until);
}

static struct survey survey(struct run *r, uint64_t until, bool answered)
{
	struct survey s = { .answered = answered, .runs = -1, .rest = -1, .tries = -1, .event = -1, .time = UINT64_MAX,
			    .second = UINT64_MAX };
	unsigned used;

	s.arriving = run_arriving(r);
	used = run_rings(r);
	r->spins = false;
	for (unsigned i = 0; i < used; i++)
		survey_ring(r, i, until, &s);
	/* A thread that had the turn during the survey may have changed the state of rings surveyed before. */
	s.still = s.runs < 0 && !s.arriving && r->was_still;
	r->was_still = s.runs < 0 && !s.arriving;
	return s;
}

/* Waking takes a core some time, in which others go on. */
static void wake(struct run *r, unsigned i)
{
	struct run_thread *t = &r->thread[i];
	uint64_t time = machine_core_time(r->feed.machine, t->core);

	/* A core cannot wake before it has gone to sleep. */
	machine_idle(r->feed.machine, t->core, t->wake_at == NOT_YET ? 0 : t->wake_at > time ? t->wake_at : time + 1);
	t->halted = false;
	t->wake_at = NOT_YET;
	time = machine_core_time(r->feed.machine, t->core);
	if (time > r->woken)
		r->woken = time;
}

/* How many instructions the thread furthest behind can run before it may be ahead of the next one. */
static uint64_t lead(const struct survey *s)
{
	return s->second == UINT64_MAX ? UINT64_MAX / 4 : (s->second - s->time) / 1000 * RING_INSTRUCTIONS_NS;
}

static void give(struct run *r, unsigned i, unsigned given, uint64_t ahead)
{
	struct run_thread *t = &r->thread[i];

	t->in_turn = !(given & RING_ALONE_NOW);
	t->events = 0;
	t->woken = false;
	run_send_snoops(r, i);
	if (r->witness)
		run_ring(r, i)->lost = witness_lost(r->witness, i, run_ring(r, i)->lost_line, RING_LOST);
	t->cut = 0;
	r->paced = false;
	run_show_time(r, i);
	ring_give(r->segment, i, given, ahead);
}

/* Threads whose calls may succeed now, or never will, come first: they have done nothing since they tried. */
static bool give_to_trying(struct run *r, const struct survey *s)
{
	int i = s->event >= 0 ? s->event : s->can == 0 ? s->tries : -1;

	if (i < 0)
		return false;
	run_place(r, (unsigned)i);
	give(r, (unsigned)i, s->event >= 0 ? 0 : RING_NOBODY_ELSE, 0);
	return true;
}

static void give_next(struct run *r, const struct survey *s)
{
	unsigned i = s->next;

	if (s->act == ACT_DUE)
		r->thread[i].wake_at = s->time;
	run_place(r, i);
	if (r->thread[i].halted)
		wake(r, i);
	give(r, i, (s->can == 1 ? RING_ALONE_NOW : 0) | (s->act == ACT_DUE ? RING_DUE : 0), lead(s));
}

/* Has a program that has ended left records? */
static bool has_rest(const struct run *r)
{
	for (unsigned i = 0; i < run_used(r); i++) {
		if (atomic_load(&run_ring(r, i)->state) != RING_FREE && run_waiting(r, i))
			return true;
	}
	return false;
}

void run_halt(struct run *r, unsigned i)
{
	struct leave_record rec = { .kind = LEAVE_HALT };

	machine_access(r->feed.machine, r->thread[i].core, &rec);
	r->thread[i].halted = true;
	r->thread[i].wake_at = NOT_YET;
}

/* The program has ended: halt all of its cores. */
static void end(struct run *r)
{
	for (unsigned i = 0; i < run_used(r); i++) {
		if (!r->thread[i].halted)
			run_halt(r, i);
	}
}

void run_stop(struct feed *f)
{
	struct run *r = (struct run *)f;

	if (!r->ended)
		atomic_store(&r->segment->detached, RING_OVER);
	end(r);
}

/* Halt the cores of threads that are in a system call. */
static void halt_sleepers(struct run *r)
{
	unsigned used = run_used(r);

	for (unsigned i = 0; i < used; i++) {
		struct ring *ring = run_ring(r, i);

		if (atomic_load(&ring->state) == RING_LIVE && !r->thread[i].halted && !run_waiting(r, i) &&
		    run_turn_of(ring) == RING_AWAY)
			run_halt(r, i);
	}
}

void run_rest(struct feed *f)
{
	ring_sleep(((struct run *)f)->segment, WAIT_US);
}

/*
 * All threads are in the kernel, none of them asleep for good.  Programs beside this one wait for a short call, so that in every run
 * they come as far meanwhile, and longer only while a thread of this one runs or waits for the host.
 */
static bool is_in_short_call(struct run *r)
{
	if (r->dozes > DOZES)
		return false;
	if (r->dozes++ < DOZES)
		return true;
	if (run_any_at_work(r))
		r->dozes = 0;
	return r->dozes == 0;
}

/*
 * A live program sent nothing: is it at work or asleep?  A program that has not started yet, or whose last thread has ended, is not
 * asleep.  Programs that run beside it wait during a short system call, so that they get equally far in every run.
 */
static int live_state(struct run *r, const struct survey *s)
{
	if (s->act == ACT_WAIT || s->runs >= 0 || s->live == 0) {
		r->dozes = 0;
		return FEED_STARVED;
	}
	if (r->in_step && s->live > s->asleep && is_in_short_call(r))
		return FEED_STARVED;
	halt_sleepers(r);
	return FEED_ASLEEP;
}

/* The chosen thread is fed until its core has reached its limit, no matter when its records arrive. */
static bool goes_on(struct run *r)
{
	struct ring *ring = run_ring(r, r->chosen);

	return r->chosen_until && !r->thread[r->chosen].astray && machine_core_time(r->feed.machine, r->thread[r->chosen].core) < r->chosen_until &&
	       (run_waiting(r, r->chosen) || (run_turn_of(ring) == RING_RUNS && atomic_load(&ring->state) == RING_LIVE && !r->ended));
}

static void feed_chosen(struct run *r, uint64_t limit)
{
	run_feed_thread(r, r->chosen, limit);
}

static void feed_next(struct run *r, const struct survey *s, uint64_t until)
{
	uint64_t ahead = atomic_load(&r->segment->several) ? AHEAD_IN_TURN : AHEAD;
	uint64_t limit = s->second < UINT64_MAX - ahead ? s->second + ahead : UINT64_MAX;

	if (r->thread[s->next].halted)
		wake(r, s->next);
	r->chosen = s->next;
	r->chosen_until = limit < until ? limit : until;
	feed_chosen(r, r->chosen_until);
}

/* Take note of processes that have died.  Has the program ended, with nothing left to feed? */
static bool is_over(struct run *r)
{
	run_reap(r);
	run_bury_dead(r);
	return r->ended && (r->cut || !has_rest(r));
}

/* Wait until thread i, which has the turn, has written a record or ended its turn: until then there is nothing else to do. */
static void await_running(struct run *r, unsigned i)
{
	struct ring *ring = run_ring(r, i);
	uint64_t head = atomic_load(&ring->head);

	for (unsigned n = 0; n < LOOKS; n++) {
		if (atomic_load_explicit(&ring->head, memory_order_relaxed) != head || run_turn_of(ring) != RING_RUNS)
			return;
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	ring_give_again(r->segment);
	if (!ring_sleep_for(r->segment, ring, head, WAIT_US * 5))
		return;
	run_pass_signals(r);
	run_reap(r);
	run_bury_dead(r);
	run_look_after(r, i);
}

/* Ask a thread that runs alone to end its turn, since others can run. */
static void ask_running(struct run *r, const struct survey *s)
{
	if (s->runs >= 0 && s->can > 1 && !r->thread[s->runs].in_turn)
		atomic_store(&run_ring(r, (unsigned)s->runs)->asked, 1);
}

/* May machine time move on to `until`?  Idle time is skipped at once, unless a thread may get input from outside the program meanwhile. */
static bool may_pass(struct run *r, const struct survey *s, uint64_t until)
{
	return !s->away || run_pace(r, until);
}

/* Feed the records of the thread furthest behind, if it has written any. */
static bool feed_furthest(struct run *r, const struct survey *s, uint64_t until)
{
	if (s->act == ACT_FEED)
		feed_next(r, s, until);
	else if (s->act == ACT_SPIN)
		run_feed_spin(r, s->next);
	else
		return false;
	return true;
}

/*
 * Does the thread that has the turn need room in its ring before it can end its turn?  A thread that ran alone may, since it writes until
 * it is asked to stop.  The records of a turn among others fit into the ring and are fed in the order of machine time.
 */
static bool needs_room(const struct run *r, int runs)
{
	return runs >= 0 && run_waiting(r, (unsigned)runs) >= (r->thread[runs].in_turn ? RING_RECORDS : RING_RECORDS / 2);
}

/* Feed or free a ring that keeps others from going on. */
static bool make_room(struct run *r, const struct survey *s)
{
	if ((s->act == ACT_GIVE || s->act == ACT_DUE) && needs_room(r, s->runs))
		run_feed_thread(r, (unsigned)s->runs, UINT64_MAX);
	/* A process that executes another program takes a new ring once its old one has been fed; until then nothing else can go on. */
	else if (s->runs < 0 && s->arriving && s->rest >= 0)
		run_feed_thread(r, (unsigned)s->rest, UINT64_MAX);
	else if (s->runs < 0 && s->finished)
		run_free_finished(r);
	else
		return false;
	return true;
}

/*
 * Decide whose turn is next when no thread runs.  A thread's next step may depend on data that it has requested, so its turn comes when
 * the data has arrived.  Only this function decides that: while a thread runs, nobody knows what it will have requested at the end.
 */
static int give_in_order(struct run *r, uint64_t until)
{
	struct survey s = survey(r, until, true);

	if (feed_furthest(r, &s, until))
		return -1;
	if (s.act == ACT_GIVE || (s.act == ACT_DUE && may_pass(r, &s, s.time)))
		give_next(r, &s);
	else if (s.act == ACT_NONE && s.past)
		return FEED_MORE;
	return -1;
}

/* Resume threads that have returned from the kernel by themselves, now that all earlier records have been fed.  Were there any? */
static bool take_back(struct run *r)
{
	bool any = false;

	for (unsigned i = 0; i < run_used(r); i++) {
		struct run_thread *t = &r->thread[i];

		if (t->halted && t->wake_at == NOT_YET && atomic_load(&run_ring(r, i)->state) == RING_LIVE && run_turn_of(run_ring(r, i)) == RING_WANTS) {
			t->wake_at = run_latest(r);
			any = true;
		}
	}
	return any;
}

/* No thread runs: give the turn to one.  False if none can run; otherwise *state is an enum feed_state, or -1 for another survey. */
static bool hand_over(struct run *r, const struct survey *s, uint64_t until, int *state)
{
	*state = -1;
	if (take_back(r) || give_to_trying(r, s))
		return true;
	if (s->act == ACT_GIVE) {
		*state = give_in_order(r, until);
		return true;
	}
	if (s->act != ACT_DUE || !may_pass(r, s, s->time))
		return false;
	give_next(r, s);
	return true;
}

/* Do what the survey calls for.  Returns an enum feed_state, or -1 for another survey. */
static int act(struct run *r, const struct survey *s, uint64_t until)
{
	bool stirs;
	int state;

	if (feed_furthest(r, s, until))
		return -1;
	stirs = r->world && s->still && run_stirs(r);
	ask_running(r, s);
	if (make_room(r, s) || (s->runs < 0 && !s->arriving && !s->still))
		return -1;
	if (s->still && !r->ended && !stirs && hand_over(r, s, until, &state))
		return state;
	if (s->act == ACT_NONE && s->past > s->due)
		return FEED_MORE;
	if (is_over(r)) {
		/* The program ends with its last access in machine time, whenever the host's kernel reports the end. */
		if (r->in_step && r->reached >= until)
			return FEED_MORE;
		end(r);
		return run_has_run(r) ? FEED_ENDED : run_give_up(r);
	}
	/* All threads with something to do wait for a time after `until`, and is_over() has just ruled out an ended program.  An arriving
	 * thread would come first. */
	if (s->act == ACT_NONE && s->past && !s->arriving && !stirs && may_pass(r, s, until))
		return FEED_MORE;
	if (r->feed.live)
		return live_state(r, s);
	if (s->runs < 0)
		ring_sleep(r->segment, WAIT_US * 5);
	else
		await_running(r, (unsigned)s->runs);
	return -1;
}

int run_feed(struct feed *f, uint64_t until)
{
	struct run *r = (struct run *)f;
	int state = -1;

	for (unsigned n = 0; state < 0; n++) {
		struct survey s;

		if (r->fault)
			return run_give_up(r);
		if (r->marked)
			return FEED_MORE;
		if (n % LOOKS_AT_SIGNALS == 0)
			run_pass_signals(r);
		if (r->cut && is_over(r)) {
			end(r);
			return FEED_ENDED;
		}
		if (goes_on(r) && run_waiting(r, r->chosen)) {
			feed_chosen(r, r->chosen_until < until ? r->chosen_until : until);
			continue;
		}
		s = survey(r, until, false);
		if (r->fault)
			continue;
		if (s.act != ACT_NONE && s.act != ACT_WAIT && goes_on(r)) {
			/* The next records of the chosen thread come first. */
			s.act = ACT_WAIT;
			s.runs = (int)r->chosen;
		}
		/* A thread that has the turn is missed even if it is no longer the one furthest behind. */
		if (s.runs < 0 || s.act == ACT_FEED || s.act == ACT_SPIN)
			r->missed_since = 0;
		state = act(r, &s, until);
	}
	return state;
}
