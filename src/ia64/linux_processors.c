// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads of a program on several processors.  Always the processor goes on that is furthest behind in machine time, until it is
 * some cycles ahead of the next one: what one does reaches no other sooner than a line would.  Among equals the lowest number is
 * first, so that a program takes the same course in every run.
 *
 * A thread begins on the processor that has the fewest, and goes on where it ran last, or where nobody else does if somebody does
 * there.  Threads of one processor take turns.
 */
#include "linux.h"

enum { WINDOW = 50, SLICE = 1 << 16 };

static void put_aside(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;

	linux_put_aside(m, l->thread);
	memcpy(l->thread->saved->speculation, m->alat, sizeof l->thread->saved->speculation);
	l->alats_aside += m->alat_valid;
}

/* One that runs already: its ALAT is as it was, but for what others have stored to. */
static void take_up_running(struct ia64 *m, struct linux_thread *t)
{
	memcpy(m, t->saved->registers, sizeof t->saved->registers);
	memcpy(m->alat, t->saved->speculation, sizeof t->saved->speculation);
	m->linux_state.alats_aside -= m->alat_valid;
	m->linux_state.thread = t;
}

static struct alat *alat_of(struct linux_thread *t)
{
	return (struct alat *)(void *)t->saved->speculation;
}

static unsigned *alat_valid_of(struct linux_thread *t)
{
	return (unsigned *)(void *)(t->saved->speculation + offsetof(struct ia64, alat_valid) - offsetof(struct ia64, alat));
}

/* By the line, as snoops have it. */
void linux_processors_store(struct ia64 *m, uint64_t address, unsigned size)
{
	struct linux_state *l = &m->linux_state;
	uint64_t first = address >> 6, last = (address + size - 1) >> 6;

	for (struct linux_thread *t = l->thread->next; t != l->thread; t = t->next)
		for (unsigned i = 0; t->runs && i < ALAT_ENTRIES; i++) {
			struct alat *a = &alat_of(t)[i];

			if (!a->valid || (a->address + a->size - 1) >> 6 < first || a->address >> 6 > last)
				continue;
			a->valid = false;
			--*alat_valid_of(t);
			l->alats_aside--;
		}
}

/* The thread at hand leaves its processor. */
static void leave(struct ia64 *m, struct linux_processor *p)
{
	struct linux_state *l = &m->linux_state;
	struct linux_thread *t = l->thread;

	if (!t->ended) {
		linux_put_aside(m, t);
		memset(t->saved->speculation, 0, sizeof t->saved->speculation);
	}
	t->runs = false;
	t->since = p->cycle;
	p->thread = NULL;
}

static bool is_ready(struct linux_thread *t)
{
	return !t->runs && !t->waits && !t->ended;
}

/* What a processor without a thread runs next: of its own the next in the ring, or any. */
static struct linux_thread *ready_for(struct linux_state *l, unsigned p, bool own)
{
	struct linux_thread *t = l->thread;

	do {
		t = t->next;
		if (is_ready(t) && (!own || t->processor == p))
			return t;
	} while (t != l->thread);
	return NULL;
}

static void put_on(struct ia64 *m, unsigned number, struct linux_thread *t)
{
	struct linux_state *l = &m->linux_state;
	struct linux_processor *p = &l->processor[number];

	if (t->since > p->cycle)
		p->cycle = t->since;
	if (!p->on)
		p->cycle = l->on->wakes(l->on->context, number, p->cycle);
	p->on = p->fresh = true;
	p->thread = t;
	p->ran = 0;
	t->runs = true;
	t->processor = number;
}

/* Threads that can go on find processors; those without one halt. */
static void fill(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;
	struct linux_thread *t;

	for (unsigned own = 2; own-- > 0;)
		for (unsigned i = 0; i < l->on->n; i++)
			if (!l->processor[i].thread && (t = ready_for(l, i, own)))
				put_on(m, i, t);
	for (unsigned i = 0; i < l->on->n; i++)
		if (!l->processor[i].thread && l->processor[i].on) {
			l->processor[i].on = false;
			l->on->halts(l->on->context, i);
		}
}

void linux_ready(struct ia64 *m, struct linux_thread *t)
{
	struct linux_state *l = &m->linux_state;

	if (m->itc > t->since)
		t->since = m->itc;
	if (l->on)
		l->look = true;
}

/* Where a new thread begins. */
unsigned linux_emptiest(const struct linux_state *l)
{
	unsigned threads[IA64_PROCESSORS] = { 0 }, best = 0;
	const struct linux_thread *t = l->thread;

	do {
		threads[t->processor] += !t->ended;
		t = t->next;
	} while (t != l->thread);
	for (unsigned i = 1; l->on && i < l->on->n; i++)
		if (threads[i] < threads[best])
			best = i;
	return best;
}

/* The running processor that is furthest behind, beside one; NULL: none runs. */
static struct linux_processor *slowest(struct linux_state *l, const struct linux_processor *beside)
{
	struct linux_processor *first = NULL;

	for (unsigned i = 0; i < l->on->n; i++) {
		struct linux_processor *p = &l->processor[i];

		if (p->thread && p != beside && (!first || p->cycle < first->cycle))
			first = p;
	}
	return first;
}

/* The cycle of a time in nanoseconds. */
static uint64_t cycle_of(const struct ia64 *m, uint64_t ns)
{
	uint64_t slept = m->linux_state.slept, after = ns > slept ? ns - slept : 0, khz = m->itc_khz;

	if (after / 1000000 > NEVER / 4 / khz)
		return NEVER - 1;
	return after / 1000000 * khz + (after % 1000000 * khz + 999999) / 1000000;
}

static struct linux_thread *first_timed(struct linux_state *l)
{
	struct linux_thread *t = l->thread, *first = NULL;

	do {
		if (!t->ended && t->waits && t->until != NEVER && (!first || t->until < first->until))
			first = t;
		t = t->next;
	} while (t != l->thread);
	return first;
}

/* Waits for files that are over. */
static void look_at_files(struct linux_state *l, uint64_t cycle)
{
	struct linux_thread *t = l->thread;

	do {
		if (!t->ended && t->waits && t->events && linux_can_go_on(t, 0))
			t->since = cycle;
		t = t->next;
	} while (t != l->thread);
}

/* Nobody can go on: time passes to the first that ends its wait.  False: none ever will. */
static bool wait_for_one(struct ia64 *m, uint64_t cycle)
{
	struct linux_state *l = &m->linux_state;
	struct linux_thread *t = first_timed(l);

	if (!t) {
		t = linux_wait_outside(l);
		if (t)
			t->since = cycle;
		return t;
	}
	m->itc = cycle;
	if (t->until > linux_now(m))
		l->slept += t->until - linux_now(m);
	linux_wake(t, t->late);
	t->since = cycle;
	return true;
}

/* Waits whose time comes before a cycle are over. */
static void end_waits(struct ia64 *m, uint64_t cycle)
{
	struct linux_thread *t;

	while ((t = first_timed(&m->linux_state)) && cycle_of(m, t->until) <= cycle) {
		t->since = cycle_of(m, t->until);
		linux_wake(t, t->late);
	}
}

/* Which processor goes on; NULL: none ever will. */
static struct linux_processor *choose(struct ia64 *m, uint64_t cycle)
{
	struct linux_state *l = &m->linux_state;
	struct linux_processor *p;

	look_at_files(l, cycle);
	fill(m);
	while (!(p = slowest(l, NULL))) {
		if (!wait_for_one(m, cycle))
			return NULL;
		fill(m);
	}
	end_waits(m, p->cycle);
	fill(m);
	return slowest(l, NULL);
}

/* Until when it goes on: no further ahead of the next one, and not beyond where a wait ends. */
static uint64_t turn_end(struct ia64 *m, const struct linux_processor *p)
{
	const struct linux_processor *next = slowest(&m->linux_state, p);
	const struct linux_thread *timed = first_timed(&m->linux_state);
	uint64_t end = next ? next->cycle + WINDOW : NEVER;

	if (timed && cycle_of(m, timed->until) < end)
		end = cycle_of(m, timed->until);
	return end;
}

static bool change(struct ia64 *m, struct linux_processor *p, struct linux_thread *from)
{
	struct linux_state *l = &m->linux_state;

	l->here = (unsigned)(p - l->processor);
	if (p->fresh)
		linux_take_up(m, p->thread);
	else
		take_up_running(m, p->thread);
	p->fresh = false;
	if (from->ended)
		linux_thread_gone(l, from);
	return linux_signals(m, p->thread->saved->ip, p->thread->saved->slot);
}

bool linux_processors_turn(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;
	struct linux_processor *here = &l->processor[l->here], *next;
	struct linux_thread *from = l->thread;
	bool left = false, goes = true;

	here->cycle = m->itc;
	here->ran += m->retired - l->turn_began;
	if (l->gives_way || (here->ran >= SLICE && ready_for(l, l->here, true))) {
		leave(m, here);
		left = true;
	}
	l->look = l->gives_way = false;
	next = choose(m, here->cycle);
	if (!next) {
		linux_stuck(m);
		return false;
	}
	if (left || next->thread != from) {
		if (!left)
			put_aside(m);
		goes = change(m, next, from);
	}
	m->itc = next->cycle;
	l->turn_began = m->retired;
	l->turn_end = turn_end(m, next);
	return goes;
}
