/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGILL: answers the instructions that sites.c has replaced.  SIGSEGV: does accesses to what memory.c has mapped.
 * All others are the client's own: they go to its handler, if it has one, as if this one were not there.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <x86intrin.h>

#include "base/bits.h"
#include "virtual/cpu_answer.h"
#include "virtual/preload/preload.h"

enum { CPUID_LENGTH = 2, RDTSC_LENGTH = 2, RDTSCP_LENGTH = 3, NODE_SHIFT = 12 };

static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);
static int (*next_sigprocmask)(int, const sigset_t *, sigset_t *);
static int (*next_pthread_sigmask)(int, const sigset_t *, sigset_t *);

/* A signal that we take, and what the client thinks is installed for it. */
static struct own {
	int sig;
	bool taken;
	struct sigaction theirs;
} owns[] = { { .sig = SIGILL }, { .sig = SIGSEGV } };

static struct own *own_of(int sig)
{
	for (size_t i = 0; i < LEN(owns); i++)
		if (owns[i].sig == sig)
			return &owns[i];
	return NULL;
}

static void answer_cpuid(const struct cpu_page *page, greg_t *regs)
{
	struct cpu_leaf out = cpu_answer(page, preload_cpu(), (uint32_t)regs[REG_RAX], (uint32_t)regs[REG_RCX]);

	regs[REG_RAX] = out.eax;
	regs[REG_RBX] = out.ebx;
	regs[REG_RCX] = out.ecx;
	regs[REG_RDX] = out.edx;
}

static void answer_rdtsc(greg_t *regs)
{
	uint64_t tsc;

	if (!preload_tsc(&tsc))
		tsc = __rdtsc();
	regs[REG_RAX] = (uint32_t)tsc;
	regs[REG_RDX] = (greg_t)(tsc >> 32);
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *theirs = &own_of(sig)->theirs;

	if (theirs->sa_flags & SA_SIGINFO) {
		theirs->sa_sigaction(sig, info, context);
	} else if (theirs->sa_handler != SIG_DFL && theirs->sa_handler != SIG_IGN) {
		theirs->sa_handler(sig);
	} else {
		/* The instruction runs once more and ends the program, as without us. */
		struct sigaction fatal = { .sa_handler = SIG_DFL };

		next_sigaction(sig, &fatal, NULL);
	}
}

static void on_sigill(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const struct cpu_page *page = preload_page();
	int kept = errno;

	switch (preload_site((uintptr_t)regs[REG_RIP])) {
	case SITE_CPUID:
		answer_cpuid(page, regs);
		regs[REG_RIP] += CPUID_LENGTH;
		break;
	case SITE_RDTSC:
		answer_rdtsc(regs);
		regs[REG_RIP] += RDTSC_LENGTH;
		break;
	case SITE_RDTSCP: {
		uint32_t cpu = preload_cpu();

		answer_rdtsc(regs);
		regs[REG_RCX] = cpu_node(page, cpu) << NODE_SHIFT | cpu;
		regs[REG_RIP] += RDTSCP_LENGTH;
		break;
	}
	case SITE_LOADED:
		preload_scan();
		/* The function was empty: return from it. */
		regs[REG_RIP] = *(greg_t *)regs[REG_RSP];
		regs[REG_RSP] += 8;
		break;
	case SITE_NONE: case SITE_SYSCALL:
		pass_on(sig, info, context);
		break;
	}
	errno = kept;
}

static void on_sigsegv(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	int kept = errno;

	if (info->si_code <= 0 || !preload_memory((uintptr_t)info->si_addr, regs))
		pass_on(sig, info, context);
	errno = kept;
}

/* Once, while there is one thread; or when something is called still earlier. */
static void find_next(void)
{
	next_sigaction = PRELOAD_NEXT(sigaction);
	next_sigprocmask = PRELOAD_NEXT(sigprocmask);
	next_pthread_sigmask = PRELOAD_NEXT(pthread_sigmask);
}

/* Not held back: the kernel kills a program whose instruction raises a signal that is. */
bool preload_trap(int sig)
{
	struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	struct own *own = own_of(sig);
	sigset_t set;

	ours.sa_sigaction = sig == SIGILL ? on_sigill : on_sigsegv;
	if (!next_sigaction)
		find_next();
	if (!next_sigaction || (!own->taken && next_sigaction(sig, &ours, &own->theirs) < 0))
		return false;
	own->taken = true;
	sigemptyset(&set);
	sigaddset(&set, sig);
	next_pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return true;
}

/* The client's handlers and masks: as it wishes, but what is ours stays ours and is never held back. */

static void leave_ours(sigset_t *set)
{
	for (size_t i = 0; i < LEN(owns); i++)
		sigdelset(set, owns[i].sig);
}

PRELOAD_EXPORT int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct own *own = own_of(sig);
	struct sigaction open;

	if (!next_sigaction)
		find_next();
	if (!preload_page())
		return next_sigaction(sig, new, old);
	if (own && own->taken) {
		struct sigaction before = own->theirs;

		if (new)
			own->theirs = *new;
		if (old)
			*old = before;
		return 0;
	}
	if (!new)
		return next_sigaction(sig, new, old);
	open = *new;
	leave_ours(&open.sa_mask);
	return next_sigaction(sig, &open, old);
}

PRELOAD_EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	struct sigaction new = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	return sigaction(sig, &new, &old) < 0 ? SIG_ERR : old.sa_handler;
}

static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *copy)
{
	if (!set || how == SIG_UNBLOCK || !preload_page())
		return set;
	*copy = *set;
	leave_ours(copy);
	return copy;
}

PRELOAD_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	if (!next_sigprocmask)
		find_next();
	return next_sigprocmask(how, without_ours(how, set, &copy), old);
}

PRELOAD_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	if (!next_pthread_sigmask)
		find_next();
	return next_pthread_sigmask(how, without_ours(how, set, &copy), old);
}
