// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads of a program (Linux 6.1, arch/ia64/kernel/process.c: copy_thread()).  They take turns on one processor: a thread goes on
 * until it waits, gives way or has had its slice of instructions, and then it is the turn of the next one in the ring that can go on.
 * Nothing of that depends on this computer, so that a program takes the same course in every run.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/futex.h>

#include "linux.h"
#include "user.h"

enum { SLICE = 1 << 16, STACK_SPARE = 16, ROBUST_MOST = 2048 };

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

static void free_thread(struct linux_state *l, struct linux_thread *t)
{
	linux_signals_end(t);
	free(t->saved);
	t->saved = NULL;
	if (t != &l->main)
		free(t);
}

void linux_threads_end(struct linux_state *l)
{
	struct linux_thread *t = l->thread ? l->thread->next : NULL;

	while (t && t != l->thread) {
		struct linux_thread *next = t->next;

		free_thread(l, t);
		t = next;
	}
	if (t)
		free_thread(l, t);
}

/* --- Turns --- */

static void give_way(struct linux_state *l)
{
	l->look = l->gives_way = true;
}

int64_t linux_yield(struct ia64 *m, const uint64_t *a)
{
	(void)a;
	if (!linux_alone(m))
		give_way(&m->linux_state);
	return 0;
}

static int64_t stuck(struct ia64 *m)
{
	m->stop = (struct ia64_stop){ .why = IA64_FAULTED, .signal = SIGKILL, .ip = m->stop.ip, .slot = m->stop.slot };
	snprintf(m->stop.reason, sizeof m->stop.reason, linux_alone(m) ?
		 "the program waits for a futex, and has no other thread to wake it" :
		 "all threads of the program wait, and none is left to wake them");
	return CALL_ENDS;
}

int64_t linux_wait(struct ia64 *m, uint64_t futex, uint64_t bits, uint64_t until, int64_t late)
{
	struct linux_state *l = &m->linux_state;
	uint64_t now = linux_now(m);

	if (until <= now)
		return late;
	if (linux_alone(m)) {
		if (until == NEVER)
			return stuck(m);
		l->slept += until - now;
		return late;
	}
	l->thread->waits = true;
	l->thread->futex = futex;
	l->thread->bits = bits;
	l->thread->until = until;
	l->thread->late = late;
	give_way(l);
	return CALL_WAITS;
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

/* The next one that can go on.  If none can, time passes to where the first wait ends; NULL: none ever will. */
static struct linux_thread *pick(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;
	struct linux_thread *first = NULL, *t = l->thread;
	uint64_t now = linux_now(m);

	do {
		t = t->next;
		if (t->ended)
			continue;
		if (t->waits && t->until <= now)
			linux_wake(t, t->late);
		if (!t->waits)
			return t;
		if (t->until != NEVER && (!first || t->until < first->until))
			first = t;
	} while (t != l->thread);
	if (first) {
		l->slept += first->until - now;
		linux_wake(first, first->late);
	}
	return first;
}

static void put_aside(struct ia64 *m, struct linux_thread *t)
{
	t->saved->ip = m->stop.ip;
	t->saved->slot = m->stop.slot;
	memcpy(t->saved->registers, m, sizeof t->saved->registers);
}

/* Hints and the ALAT do not outlive a switch. */
static void take_up(struct ia64 *m, struct linux_thread *t)
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

static void take_out(struct linux_state *l, struct linux_thread *t)
{
	struct linux_thread *before = t;

	while (before->next != t)
		before = before->next;
	before->next = t->next;
	free_thread(l, t);
}

static bool change(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;
	struct linux_thread *from = l->thread, *to;

	if (!from->ended)
		put_aside(m, from);
	to = pick(m);
	if (!to) {
		stuck(m);
		return false;
	}
	if (to != from || !from->ended)
		take_up(m, to);
	if (from->ended)
		take_out(l, from);
	return linux_signals(m, to->saved->ip, to->saved->slot);
}

bool linux_turn(struct ia64 *m)
{
	struct linux_state *l = &m->linux_state;
	bool over = l->gives_way || m->retired >= l->slice_end, on = l->look || over;

	l->look = l->gives_way = false;
	if (over && !linux_alone(m) && !change(m))
		return false;
	if (on)
		l->slice_end = linux_alone(m) ? NEVER : m->retired + SLICE;
	return on;
}

/* --- Threads begin and end --- */

static bool has_registers(struct linux_thread *t)
{
	if (!t->saved)
		t->saved = calloc(1, sizeof *t->saved);
	return t->saved;
}

static struct linux_thread *new_thread(struct linux_state *l)
{
	struct linux_thread *t = calloc(1, sizeof *t);

	if (!t || !has_registers(l->thread) || !has_registers(t)) {
		free(t);
		return NULL;
	}
	t->id = ++l->last_id;
	t->mask = l->thread->mask;
	t->until = NEVER;
	return t;
}

/* The last in the ring: the one at hand, whose turn it is, comes after it. */
static void add(struct linux_state *l, struct linux_thread *t)
{
	struct linux_thread *last = l->thread;

	while (last->next != l->thread)
		last = last->next;
	t->next = l->thread;
	last->next = t;
}

struct new { uint64_t flags, stack, size, parent_id, child_id, tls; };

/* It goes on behind the call with this frame, above an empty register stack at the bottom of its stack; the other grows down. */
static void set_registers(struct ia64 *m, const struct new *n)
{
	m->dirty = 0;
	m->rnat = 0;
	m->bsp = m->bspstore = (n->stack + 7) & ~7ull;
	m->gr[12] = (struct gr){ (n->stack + n->size - STACK_SPARE) & ~15ull, 0 };
	if (n->flags & CLONE_SETTLS)
		m->gr[13] = (struct gr){ n->tls, 0 };
	linux_put_answer(m, 0);
}

static bool tell_id(struct ia64 *m, const struct new *n, int32_t id)
{
	return (!(n->flags & CLONE_PARENT_SETTID) || user_write(m, n->parent_id, &id, sizeof id)) &&
	       (!(n->flags & CLONE_CHILD_SETTID) || user_write(m, n->child_id, &id, sizeof id));
}

static int64_t make_thread(struct ia64 *m, const struct new *n)
{
	const uint64_t needs = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
	struct linux_state *l = &m->linux_state;
	struct linux_thread *t;

	if ((n->flags & needs) != needs) {
		linux_note(m, "another process (fork, vfork, system, popen) is not there");
		return -ENOSYS;
	}
	if (!n->stack)
		return -EINVAL;
	t = new_thread(l);
	if (!t)
		return -ENOMEM;
	if (!tell_id(m, n, t->id)) {
		free_thread(l, t);
		return -EFAULT;
	}
	t->clear_id = n->flags & CLONE_CHILD_CLEARTID ? n->child_id : 0;
	put_aside(m, l->thread);
	set_registers(m, n);
	put_aside(m, t);
	memcpy(m, l->thread->saved->registers, sizeof t->saved->registers);
	add(l, t);
	l->look = true;
	return t->id;
}

int64_t linux_clone2(struct ia64 *m, const uint64_t *a)
{
	return make_thread(m, &(struct new){ a[0], a[1], a[2], a[3], a[4], a[5] });
}

/* Its stack is the stack pointer alone. */
int64_t linux_clone(struct ia64 *m, const uint64_t *a)
{
	return make_thread(m, &(struct new){ a[0], a[1], STACK_SPARE, a[2], a[3], a[4] });
}

int64_t linux_gettid(struct ia64 *m, const uint64_t *a)
{
	(void)a;
	return m->linux_state.thread->id;
}

int64_t linux_set_tid_address(struct ia64 *m, const uint64_t *a)
{
	m->linux_state.thread->clear_id = a[0];
	return m->linux_state.thread->id;
}

int64_t linux_robust_list(struct ia64 *m, const uint64_t *a)
{
	if (a[1] != sizeof(struct robust_list_head))
		return -EINVAL;
	m->linux_state.thread->robust = a[0];
	return 0;
}

/* A lock that a thread has taken to its grave (Linux 6.1, kernel/futex/core.c: handle_futex_death()). */
static void leave_lock(struct ia64 *m, uint64_t address)
{
	uint32_t word;

	if (!user_read(m, &word, address, sizeof word) || (word & FUTEX_TID_MASK) != (uint32_t)m->linux_state.thread->id)
		return;
	word = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	user_write(m, address, &word, sizeof word);
	if (word & FUTEX_WAITERS)
		linux_futex_wake(m, address, 1, UINT32_MAX);
}

/* The list's links have a flag in bit 0. */
static void leave_locks(struct ia64 *m, uint64_t head)
{
	uint64_t list[3], at;	/* the first, where its futex lies from it, one that is about to be in the list */

	if (!head || !user_read(m, list, head, sizeof list))
		return;
	at = list[0] & ~1ull;
	for (unsigned i = 0; at != head && i < ROBUST_MOST; i++) {
		uint64_t next;

		if (!user_read(m, &next, at, sizeof next))
			return;
		if (at != (list[2] & ~1ull))
			leave_lock(m, at + list[1]);
		at = next & ~1ull;
	}
	if (list[2] & ~1ull)
		leave_lock(m, (list[2] & ~1ull) + list[1]);
}

/* The program ends with its last thread, and with the status of its first. */
int64_t linux_thread_exit(struct ia64 *m, const uint64_t *a)
{
	static const int32_t none;
	struct linux_state *l = &m->linux_state;
	struct linux_thread *t = l->thread;

	if (t == &l->main)
		l->status = (int)a[0] & 255;
	if (linux_alone(m))
		return linux_exit(m, (const uint64_t[]){ (uint64_t)l->status });
	leave_locks(m, t->robust);
	if (t->clear_id && user_write(m, t->clear_id, &none, sizeof none))
		linux_futex_wake(m, t->clear_id, 1, UINT32_MAX);
	t->ended = true;
	t->mask = ~UINT64_C(0);
	give_way(l);
	return 0;
}
