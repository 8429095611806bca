// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals that a program sends itself, or that its faults are.
 *
 * A handler is called with a frame of its own on the program's stack, and returns into a page of the kernel's that asks for the
 * interrupted registers again.  Those are kept here, not in the frame: what a handler changes in its context has no effect.  A
 * frame that the program has left by longjmp() is below its stack pointer, and what belongs to it is dropped.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "linux.h"
#include "user.h"

enum { SCRATCH = 16, RETURN_BYTES = 32 };

/* As the page of Linux's that programs may execute; movl r15 = rt_sigreturn, break 0x100000. */
#define GATE UINT64_C(0xa000000000000000)
static const uint8_t gate[RETURN_BYTES] = {
	0x04, 0, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0xe0, 0xd1, 0x01, 0x24, 0x60,
	0x01, 0, 0, 0, 0x01, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0x04, 0,
};

/* What the handler is told: siginfo_t, and of struct sigcontext (Linux 6.1, asm/sigcontext.h) what lies before sc_gr's end. */
struct frame {
	uint64_t scratch[SCRATCH / 8];
	int32_t info[32];
	uint64_t flags, nat, stack[3], ip, cfm, um, rsc, bsp, rnat, ccv, unat, fpsr, pfs, lc, pr, br[8], gr[32];
};

static uint64_t bit(uint64_t signal)
{
	return UINT64_C(1) << (signal - 1);
}

static void drop_below(struct linux_thread *t, uint64_t sp)
{
	while (t->context && t->context->frame < sp) {
		struct linux_context *left = t->context;

		t->context = left->next;
		free(left);
	}
}

void linux_signals_end(struct linux_thread *t)
{
	drop_below(t, UINT64_MAX);
}

/* What siginfo says beside the signal: where it comes from, and the data at fault or the sender. */
struct cause { int32_t code; uint64_t value; };

static bool write_frame(struct ia64 *m, const struct linux_context *c, uint64_t signal, struct cause cause)
{
	struct frame f = {
		.info = { (int32_t)signal, 0, cause.code, 0, (int32_t)cause.value, (int32_t)(cause.value >> 32) },
		.ip = c->ip | c->slot,
		.cfm = frame_cfm(m), .um = m->user_mask, .rsc = m->ar[16], .bsp = m->bsp, .rnat = m->rnat, .ccv = m->ar[32],
		.unat = m->ar[36], .fpsr = m->ar[40], .pfs = m->ar[64], .lc = m->ar[65], .pr = m->pr,
	};

	for (unsigned i = 1; i < 32; i++) {
		f.gr[i] = m->gr[i].v;
		f.nat |= m->gr[i].nat << i;
	}
	memcpy(f.br, m->br, sizeof f.br);
	return user_write(m, c->frame, &f, sizeof f);
}

static bool map_gate(struct ia64 *m)
{
	struct page *page = memory_page(m, GATE, 0);

	if (page)
		return true;
	if (!memory_map(m, GATE, PAGE_SIZE, IA64_READ | IA64_EXEC))
		return false;
	memcpy(memory_page(m, GATE, 0)->data, gate, sizeof gate);
	return true;
}

/* As if the handler were called out of an empty frame: the one that is interrupted is dirty. */
static bool enter(struct ia64 *m, const struct linux_context *c, const uint64_t descriptor[2], uint64_t signal)
{
	const uint64_t arguments[3] = { signal, c->frame + offsetof(struct frame, info), c->frame + offsetof(struct frame, flags) };

	m->sol = m->sof;
	frame_call(m);
	m->ar[64] = 0;
	if (!frame_room(m, 3))
		return false;
	m->sof = 3;
	frame_changed(m);
	for (unsigned i = 0; i < 3; i++)
		*gr_at(m, 32 + i) = (struct gr){ arguments[i], 0 };
	m->gr[1] = (struct gr){ descriptor[1], 0 };
	m->gr[12] = (struct gr){ c->frame, 0 };
	m->br[0] = GATE;
	m->stop = (struct ia64_stop){ .why = IA64_RUNNING, .ip = descriptor[0] };
	return true;
}

static bool call_handler(struct ia64 *m, uint64_t signal, uint64_t ip, unsigned slot, struct cause cause)
{
	struct linux_thread *t = m->linux_state.thread;
	struct linux_action *action = &m->linux_state.action[signal];
	struct linux_context *c = malloc(sizeof *c);
	uint64_t descriptor[2];

	if (!c)
		return false;
	drop_below(t, m->gr[12].v);
	*c = (struct linux_context){ .next = t->context, .frame = (m->gr[12].v - sizeof(struct frame)) & ~15ull, .mask = t->mask,
				     .ip = ip, .slot = slot };
	memcpy(c->registers, m, sizeof c->registers);
	t->context = c;
	if (!user_read(m, descriptor, action->handler, sizeof descriptor) || !map_gate(m) || !write_frame(m, c, signal, cause) ||
	    !enter(m, c, descriptor, signal))
		return false;
	t->mask |= action->mask | (action->flags & SA_NODEFER ? 0 : bit(signal));
	if (action->flags & SA_RESETHAND)
		action->handler = 0;
	return true;
}

int64_t linux_sigreturn(struct ia64 *m, const uint64_t *a)
{
	struct linux_thread *t = m->linux_state.thread;
	struct linux_context *c;

	(void)a;
	drop_below(t, m->gr[12].v);
	c = t->context;
	if (!c || c->frame != m->gr[12].v) {
		m->stop = (struct ia64_stop){ .why = IA64_FAULTED, .signal = SIGSEGV };
		snprintf(m->stop.reason, sizeof m->stop.reason, "the program returns from a signal that it has not got");
		return CALL_ENDS;
	}
	memcpy(m, c->registers, sizeof c->registers);
	m->stop = (struct ia64_stop){ .why = IA64_RUNNING, .ip = c->ip, .slot = c->slot };
	t->mask = c->mask;
	t->context = c->next;
	free(c);
	return CALL_JUMPS;
}

static bool is_ignored(const struct linux_action *action, uint64_t signal)
{
	if (action->handler)
		return action->handler == (uintptr_t)SIG_IGN;
	return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

static bool deliver(struct ia64 *m, uint64_t signal, uint64_t ip, unsigned slot)
{
	const struct linux_action *action = &m->linux_state.action[signal];
	const char *name = sigabbrev_np((int)signal);
	const struct cause sender = { m->linux_state.thread->aimed & bit(signal) ? SI_TKILL : SI_USER,
				      (uint32_t)linux_getpid(m, NULL) | (uint64_t)getuid() << 32 };

	if (is_ignored(action, signal))
		return true;
	if (action->handler && call_handler(m, signal, ip, slot, sender))
		return true;
	m->stop = (struct ia64_stop){ .why = IA64_FAULTED, .signal = (int)signal, .ip = ip, .slot = slot };
	snprintf(m->stop.reason, sizeof m->stop.reason, "the program has sent itself signal %d (%s)%s", (int)signal,
		 name ? name : "real-time", action->handler ? ", and has no stack for its handler" : "");
	return false;
}

/* Each one that waits interrupts the handler of the one before. */
bool linux_signals(struct ia64 *m, uint64_t ip, unsigned slot)
{
	struct linux_thread *t = m->linux_state.thread;

	m->stop = (struct ia64_stop){ .why = IA64_RUNNING, .ip = ip, .slot = slot };
	for (uint64_t signal = 1; signal <= LINUX_SIGNALS; signal++) {
		if (!(t->pending & ~t->mask & bit(signal)))
			continue;
		t->pending &= ~bit(signal);
		if (!deliver(m, signal, m->stop.ip, m->stop.slot))
			return false;
	}
	return true;
}

bool linux_fault(struct ia64 *m)
{
	const struct linux_state *l = &m->linux_state;
	uint64_t signal = m->stop.signal ? (uint64_t)m->stop.signal : SIGSEGV;

	if (l->action[signal].handler <= (uintptr_t)SIG_IGN || l->thread->mask & bit(signal))
		return false;
	return call_handler(m, signal, m->stop.ip, m->stop.slot, (struct cause){
		memory_page(m, m->stop.address, 0) ? SEGV_ACCERR : SEGV_MAPERR, m->stop.address });
}

/* --- The calls --- */

void linux_signal(struct ia64 *m, struct linux_thread *t, uint64_t signal)
{
	const struct linux_action *action = &m->linux_state.action[signal];

	t->pending |= bit(signal);
	t->aimed &= ~bit(signal);
	if (!t->waits || t->mask & bit(signal) || is_ignored(action, signal))
		return;
	if (action->flags & SA_RESTART && t->until == NEVER)
		linux_call_again(t);
	else
		linux_wake(t, -EINTR);
	linux_ready(m, t);
}

/* A signal to the process goes to a thread that does not block it. */
static struct linux_thread *any_of(struct ia64 *m, uint64_t signal)
{
	struct linux_thread *here = m->linux_state.thread, *t = here;

	do {
		if (!(t->mask & bit(signal)))
			return t;
		t = t->next;
	} while (t != here);
	return here;
}

int64_t linux_kill(struct ia64 *m, const uint64_t *a)
{
	if (a[1] > LINUX_SIGNALS)
		return -EINVAL;
	if ((pid_t)a[0] != linux_getpid(m, NULL) && (pid_t)a[0] != 0)
		return -EPERM;
	if (a[1])
		linux_signal(m, any_of(m, a[1]), a[1]);
	return 0;
}

int64_t linux_tkill(struct ia64 *m, const uint64_t *a)
{
	struct linux_thread *t = linux_thread(m, (int32_t)a[0]);

	if (a[1] > LINUX_SIGNALS)
		return -EINVAL;
	if (!t)
		return -ESRCH;
	if (a[1]) {
		linux_signal(m, t, a[1]);
		t->aimed |= bit(a[1]);
	}
	return 0;
}

int64_t linux_tgkill(struct ia64 *m, const uint64_t *a)
{
	return (pid_t)a[0] == linux_getpid(m, NULL) ? linux_tkill(m, a + 1) : -ESRCH;
}

int64_t linux_sigaction(struct ia64 *m, const uint64_t *a)
{
	struct linux_action *action = &m->linux_state.action[a[0] <= LINUX_SIGNALS ? a[0] : 0], was = *action;

	if (a[0] < 1 || a[0] > LINUX_SIGNALS || a[3] != sizeof was.mask)
		return -EINVAL;
	if (a[1] && (a[0] == SIGKILL || a[0] == SIGSTOP))
		return -EINVAL;
	if (a[1] && !user_read(m, action, a[1], sizeof *action))
		return -EFAULT;
	return !a[2] || user_write(m, a[2], &was, sizeof was) ? 0 : -EFAULT;
}

int64_t linux_sigprocmask(struct ia64 *m, const uint64_t *a)
{
	uint64_t *mask = &m->linux_state.thread->mask, was = *mask, set;

	if (a[3] != sizeof was)
		return -EINVAL;
	if (a[1]) {
		if (!user_read(m, &set, a[1], sizeof set))
			return -EFAULT;
		if (a[0] > SIG_SETMASK)
			return -EINVAL;
		*mask = a[0] == SIG_BLOCK ? was | set : a[0] == SIG_UNBLOCK ? was & ~set : set;
		*mask &= ~(bit(SIGKILL) | bit(SIGSTOP));
	}
	return !a[2] || user_write(m, a[2], &was, sizeof was) ? 0 : -EFAULT;
}

int64_t linux_sigpending(struct ia64 *m, const uint64_t *a)
{
	const struct linux_thread *t = m->linux_state.thread;
	const uint64_t pending = t->pending & t->mask;

	if (a[1] != sizeof pending)
		return -EINVAL;
	return user_write(m, a[0], &pending, sizeof pending) ? 0 : -EFAULT;
}
