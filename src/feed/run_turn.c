/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In which order the threads of a running program run, and what they send is fed: always the one whose core is
 * furthest behind in machine time.  If that one has written records, these are fed; if it waits for its turn, it is
 * given; if it has the turn, its records are waited for.  All decisions follow from records and times, and none
 * from what the host did meanwhile, so the same program makes the same ones in every run (ring.h).
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "feed/run_private.h"
#include "feed/witness.h"
#include "machine/machine.h"

#define AHEAD UINT64_C(1000000)		/* ps by which one program's core may be ahead of another one while it is fed */
#define AHEAD_IN_TURN UINT64_C(50000)	/* ... of one of the same program */
#define WAIT_US 200
#define DOZES 500			/* looks at threads that are all in short calls, before they count as asleep */
#define LOOKS_AT_SIGNALS 32		/* steps from one to the next */
#define LOOKS 2000			/* polls of the thread that has the turn, before the consumer yields its processor */
#define NOT_YET UINT64_MAX

enum act {
	ACT_NONE,	/* no thread can do anything */
	ACT_FEED,	/* it has written records */
	ACT_SPIN,	/* one, which says that it spins */
	ACT_WAIT,	/* it has the turn, and has written none yet */
	ACT_GIVE,	/* it waits for the turn */
	ACT_DUE,	/* it waits, and may go on at this time at the latest */
};

/* One look at all rings. */
struct survey {
	bool answered;			/* threads that wait for their turns do so until what they have asked for has come */
	unsigned live;			/* rings in use */
	unsigned asleep;		/* of those, whose threads sleep in the kernel and have told so */
	unsigned can;			/* that have something to do */
	unsigned past;			/* of those, at `until` already */
	unsigned due;			/* of those past, that wait until then */
	unsigned away;			/* whose threads are in the kernel, and nobody here can end that */
	unsigned finished;		/* whose threads have ended, and all is fed */
	int rest;			/* one whose thread has ended, but not all is fed, or -1 */
	bool arriving;			/* threads that have been announced have no ring yet */
	bool still;			/* nothing has changed since the survey before this one */
	int runs;			/* the one that has the turn, or -1 */
	int tries;			/* the first that waits for an event, or -1; */
	int event;			/* ... for one that has happened, or -1 */
	enum act act;
	unsigned next;			/* what is furthest behind, and when it is */
	uint64_t time, second;		/* ... the one after it */
};

/* When thread i goes on: a core that sleeps begins again when it is woken, not where it stopped. */
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

/* ... one that waits for others until a certain time. */
static uint64_t due_at(const struct run *r, unsigned i)
{
	return machine_wakes_at(r->feed.machine, r->thread[i].core, r->thread[i].due);
}

/* When a thread that waits for its turn goes on: what it does next may follow from what it has asked for, and not have come yet. */
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
	/* What has been done comes before what another thread may do at the same moment. */
	if (s->act != ACT_NONE && (time > s->time || (time == s->time && !(act == ACT_FEED && s->act == ACT_GIVE)))) {
		s->second = time < s->second ? time : s->second;
		return;
	}
	s->second = s->time;
	s->act = act;
	s->next = i;
	s->time = time;
}

/* One that has the turn, but has been stopped or is caught in the kernel, is not waited for until it stirs. */
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
	/* A thread that had the turn while the others were looked at may have changed what they are. */
	s.still = s.runs < 0 && !s.arriving && r->was_still;
	r->was_still = s.runs < 0 && !s.arriving;
	return s;
}

/* It takes a core a while to wake, in which others go on. */
static void wake(struct run *r, unsigned i)
{
	struct run_thread *t = &r->thread[i];
	uint64_t time = machine_core_time(r->feed.machine, t->core);

	/* A core wakes after it has gone to sleep. */
	machine_idle(r->feed.machine, t->core, t->wake_at == NOT_YET ? 0 : t->wake_at > time ? t->wake_at : time + 1);
	t->halted = false;
	t->wake_at = NOT_YET;
	time = machine_core_time(r->feed.machine, t->core);
	if (time > r->woken)
		r->woken = time;
}

/* The instructions that thread i can run before it may be ahead of the next one. */
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

/* Threads whose calls may succeed now, or never will, come first: they have done nothing yet since they asked. */
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

/* Are there records left, after the program has ended? */
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

/* The program is over: no core of it works any more. */
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

/* Threads in a system call do nothing. */
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
 * Nothing came out of a live program: is it at work, or asleep?  One that has not begun yet, or has left its last thread, is
 * not asleep.  Programs beside it wait for a short system call, so that in every run they come as far meanwhile.
 */
static int live_state(struct run *r, const struct survey *s)
{
	if (s->act == ACT_WAIT || s->runs >= 0 || s->live == 0) {
		r->dozes = 0;
		return FEED_STARVED;
	}
	if (r->in_step && s->live > s->asleep && r->dozes++ < DOZES)
		return FEED_STARVED;
	halt_sleepers(r);
	return FEED_ASLEEP;
}

/* The thread that was chosen is fed until it has come as far as it may, whenever its records arrive. */
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

/* The program's other processes, and its end. */
static bool is_over(struct run *r)
{
	run_reap(r);
	run_bury_dead(r);
	return r->ended && (r->cut || !has_rest(r));
}

/* Nothing can be done before thread `runs` has written something, or ended its turn. */
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

/* The one that runs alone is to make room for others. */
static void ask_running(struct run *r, const struct survey *s)
{
	if (s->runs >= 0 && s->can > 1 && !r->thread[s->runs].in_turn)
		atomic_store(&run_ring(r, (unsigned)s->runs)->asked, 1);
}

/* Machine time passes in no time while nothing happens in it, but not while what comes from outside may happen. */
static bool may_pass(struct run *r, const struct survey *s, uint64_t until)
{
	return !s->away || run_pace(r, until);
}

/* The thread furthest behind has written what it did: feed that. */
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
 * Does the thread that has the turn need room in its ring before it can stop for others?  One that ran alone may: it writes as long as it
 * is not asked to stop.  What a turn among others writes fits into the ring, and is fed in the order of machine time.
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
	/* A process that executes another program takes a ring again once its old one is fed; nothing else can go on meanwhile. */
	else if (s->runs < 0 && s->arriving && s->rest >= 0)
		run_feed_thread(r, (unsigned)s->rest, UINT64_MAX);
	else if (s->runs < 0 && s->finished)
		run_free_finished(r);
	else
		return false;
	return true;
}

/*
 * Whose turn is it when no thread runs?  One that waits for its turn may act only on what it has already asked for, so its turn
 * comes when the answer does.  This is decided only here: while a thread runs, nobody knows yet what it will have asked for.
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

/* Threads that have come back by themselves do so now, when all that was done before has been fed.  Were there any? */
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

/* No thread runs: let one.  False: none can; otherwise *state is an enum feed_state, or -1: look again. */
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

/* Do what the survey calls for.  An enum feed_state, or -1: look again. */
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
		/* When its end is noticed must not matter: it has come when its last access is over. */
		if (r->in_step && r->reached >= until)
			return FEED_MORE;
		end(r);
		return run_has_run(r) ? FEED_ENDED : run_give_up(r);
	}
	/* The threads that wait for a time still do: a program that has ended was noticed just now.  One that is on its way comes first. */
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
			/* Its next records come first. */
			s.act = ACT_WAIT;
			s.runs = (int)r->chosen;
		}
		/* One that has the turn need not be the one furthest behind any more: it is missed all the same. */
		if (s.runs < 0 || s.act == ACT_FEED || s.act == ACT_SPIN)
			r->missed_since = 0;
		state = act(r, &s, until);
	}
	return state;
}
