/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program wants done about signals, as sigaction() has it, and which of them the kernel therefore sends here. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/frame.h"

#define RESTORER 0x04000000u

struct native_action native_actions[NATIVE_SIGNALS];

/* It would have been this process's end without us. */
void native_die_of(int sig)
{
	struct native_action none = { 0 };

	syscall(SYS_rt_sigaction, sig, &none, NULL, 8);
}

/*
 * Not by sigaction(): the C library keeps two signals for itself, and the program's has a right to them.  The kernel says
 * which calls may be made again (SA_RESTART), see leave_call().
 */
static void listen(int sig, uint64_t flags)
{
	struct native_action a = { .flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | RESTORER, .mask = UINT64_MAX };

	a.handler = (uintptr_t)native_catch;
	a.restorer = (uintptr_t)native_restorer;
	a.flags |= flags & (SA_NOCLDSTOP | SA_NOCLDWAIT);
	syscall(SYS_rt_sigaction, sig, &a, NULL, 8);
}

static void *nothing(void *arg)
{
	return arg;
}

void native_signals_init(void)
{
	pthread_t first;

	/* With its first thread the C library takes a signal: have that behind us. */
	if (pthread_create(&first, NULL, nothing, NULL) == 0)
		pthread_join(first, NULL);
	/* A thread has what semaphores are to get back in common with others: kcmp() is to see none of that. */
	unshare(CLONE_SYSVSEM);
	for (int sig = 1; sig < NATIVE_SIGNALS; sig++) {
		struct native_action now;

		if (syscall(SYS_rt_sigaction, sig, NULL, &now, 8) == 0 && now.handler == 1)
			native_actions[sig].handler = 1;
		if (native_bit(sig) & native_faults())
			listen(sig, 0);
	}
}

bool native_own_actions(struct native_env *env, const struct native_env *of)
{
	if (!env->own_actions)
		env->own_actions = malloc(sizeof native_actions);
	if (!env->own_actions)
		return false;
	env->actions = memcpy(env->own_actions, of->actions, sizeof native_actions);
	return true;
}

int64_t native_sigaction(struct native_env *env, const uint64_t arg[6])
{
	int sig = (int)arg[0];
	struct native_action old, new;

	if (sig < 1 || sig >= NATIVE_SIGNALS || arg[3] != 8)
		return -EINVAL;
	old = env->actions[sig];
	if (arg[1]) {
		if (!native_get(&new, arg[1], sizeof new))
			return -EFAULT;
		if (sig == SIGKILL || sig == SIGSTOP)
			return -EINVAL;
		env->actions[sig] = new;
		if (native_is_handled(env, sig) || (native_bit(sig) & native_faults())) {
			listen(sig, new.flags);
		} else {
			new.flags &= ~(uint64_t)RESTORER;
			syscall(SYS_rt_sigaction, sig, &new, NULL, 8);
		}
	}
	return arg[2] && !native_put(arg[2], &old, sizeof old) ? -EFAULT : 0;
}

/* What the kernel keeps back, and what is kept back here because the kernel must not. */
int64_t native_sigpending(const struct native_env *env, const uint64_t arg[6])
{
	uint64_t set = 0;

	if (arg[1] > sizeof set)
		return -EINVAL;
	syscall(SYS_rt_sigpending, &set, sizeof set);
	set &= env->mask;
	if (env->later.si_signo)
		set |= native_bit(env->later.si_signo);
	return native_put(arg[0], &set, arg[1]) ? 0 : -EFAULT;
}
