// SPDX-License-Identifier: BSD-2-Clause
/* Threads of a program begin and end (Linux 6.1, arch/ia64/kernel/process.c: copy_thread()). */
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>

#include "linux.h"
#include "user.h"

enum { STACK_SPARE = 16, ROBUST_MOST = 2048 };

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

void linux_thread_gone(struct linux_state *l, struct linux_thread *t)
{
	struct linux_thread *before = t;

	while (before->next != t)
		before = before->next;
	before->next = t->next;
	free_thread(l, t);
}

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
	t->processor = linux_emptiest(l);
	t->since = m->itc;
	linux_put_aside(m, l->thread);
	set_registers(m, n);
	linux_put_aside(m, t);
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
	linux_give_way(l);
	return 0;
}
