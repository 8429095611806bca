// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads of a program take turns on one processor: a thread goes on until it waits, gives way or has had its slice of instructions,
 * and then it is the turn of the next one in the ring that can go on.  Nothing of that depends on this computer, so that a program
 * takes the same course in every run.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include "linux.h"

enum { SLICE = 1 << 16 };

bool linux_alone(const struct ia64 *m)
{
	return m->linux_state.thread->next == m->linux_state.thread;
}

struct linux_thread *linux_thread(struct ia64 *m, int32_t id)
{
	struct linux_thread *here = m->linux_state.thread, *t = here;

	do {
		if (t->id == id)
			return t;
		t = t->next;
	} while (t != here);
	return NULL;
}

void linux_give_way(struct linux_state *l)
{
	l->look = l->gives_way = true;
}

int64_t linux_yield(struct ia64 *m, const uint64_t *a)
{
	(void)a;
	if (!linux_alone(m))
		linux_give_way(&m->linux_state);
	return 0;
}

int64_t linux_stuck(struct ia64 *m)
{
	m->stop = (struct ia64_stop){ .why = IA64_FAULTED, .signal = SIGKILL, .ip = m->stop.ip, .slot = m->stop.slot };
	snprintf(m->stop.reason, sizeof m->stop.reason, linux_alone(m) ?
		 "the program waits for a futex, and has no other thread to wake it" :
		 "all threads of the program wait, and none is left to wake them");
	return CALL_ENDS;
}

static void wait_for(struct linux_state *l, uint64_t futex, uint64_t until)
{
	l->thread->waits = true;
	l->thread->futex = futex;
	l->thread->until = until;
	l->thread->events = 0;
	linux_give_way(l);
}

int64_t linux_wait(struct ia64 *m, uint64_t futex, uint64_t bits, uint64_t until, int64_t late)
{
	struct linux_state *l = &m->linux_state;
	uint64_t now = linux_now(m);

	if (until <= now)
		return late;
	if (linux_alone(m)) {
		if (until == NEVER)
			return linux_stuck(m);
		l->slept += until - now;
		return late;
	}
	wait_for(l, futex, until);
	l->thread->bits = bits;
	l->thread->late = late;
	return CALL_WAITS;
}

/* Files are always ready, pipes and terminals are not. */
static bool is_ready(int file, int events)
{
	struct pollfd p = { file, (short)events, 0 };

	return poll(&p, 1, 0) != 0;
}

bool linux_wait_for_file(struct ia64 *m, int file, int events)
{
	struct linux_state *l = &m->linux_state;

	if (linux_alone(m) || is_ready(file, events))
		return false;
	wait_for(l, 0, NEVER);
	l->thread->file = file;
	l->thread->events = events;
	return true;
}

void linux_wake(struct linux_thread *t, int64_t answer)
{
	t->answer = answer;
	t->answers = true;
	t->waits = false;
}

void linux_call_again(struct linux_thread *t)
{
	t->saved->ip = t->call_ip;
	t->saved->slot = t->call_slot;
	t->waits = false;
}

bool linux_can_go_on(struct linux_thread *t, uint64_t now)
{
	if (t->waits && t->until <= now)
		linux_wake(t, t->late);
	if (t->waits && t->events && is_ready(t->file, t->events))
		linux_call_again(t);
	return !t->waits && !t->ended;
}

struct linux_thread *linux_wait_outside(struct linux_state *l)
{
	struct linux_thread *t = l->thread;

	do {
		t = t->next;
		if (!t->ended && t->waits && t->events) {
			struct pollfd p = { t->file, (short)t->events, 0 };

			poll(&p, 1, -1);
			linux_call_again(t);
			return t;
		}
	} while (t != l->thread);
	return NULL;
}

/* The next one that can go on.  If none can, time passes to where the first wait ends; NULL: none ever will. */
static struct linux_thread *pick(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;
	struct linux_thread *first = NULL, *t = l->thread;
	uint64_t now = linux_now(m);

	do {
		t = t->next;
		if (linux_can_go_on(t, now))
			return t;
		if (!t->ended && t->until != NEVER && (!first || t->until < first->until))
			first = t;
	} while (t != l->thread);
	if (!first)
		return linux_wait_outside(l);
	l->slept += first->until - now;
	linux_wake(first, first->late);
	return first;
}

void linux_put_aside(struct ia64 *m, struct linux_thread *t)
{
	t->saved->ip = m->stop.ip;
	t->saved->slot = m->stop.slot;
	memcpy(t->saved->registers, m, sizeof t->saved->registers);
}

void linux_take_up(struct ia64 *m, struct linux_thread *t)
{
	memcpy(m, t->saved->registers, sizeof t->saved->registers);
	memset(m->alat, 0, sizeof m->alat);
	m->alat_valid = 0;
	hints_reset(&m->hints);
	m->linux_state.thread = t;
	if (t->answers)
		linux_put_answer(m, t->answer);
	t->answers = false;
}

static bool change(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;
	struct linux_thread *from = l->thread, *to;

	if (!from->ended)
		linux_put_aside(m, from);
	to = pick(m);
	if (!to) {
		linux_stuck(m);
		return false;
	}
	if (to != from || !from->ended)
		linux_take_up(m, to);
	if (from->ended)
		linux_thread_gone(l, from);
	return linux_signals(m, to->saved->ip, to->saved->slot);
}

bool linux_turn(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;
	bool over, on;

	if (l->on)
		return linux_processors_turn(m);
	over = l->gives_way || m->retired >= l->slice_end;
	on = l->look || over;
	l->look = l->gives_way = false;
	if (over && !linux_alone(m) && !change(m))
		return false;
	if (on)
		l->slice_end = linux_alone(m) ? NEVER : m->retired + SLICE;
	return on;
}
