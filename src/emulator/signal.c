/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals.  The kernel calls native_catch(), wherever the thread is:
 *
 *	in the cache, by a fault of the program's instruction	registers are as they should be: leave the cache at once
 *	in the cache, from outside				keep it; the next block's first store faults, leave there
 *	in C code						keep it; the run loop comes by
 *
 * Out of the cache the run loop makes the frame on the program's stack that the kernel would have made.  Until then the
 * kernel holds all others back: they come in its order, and none while the handler's mask keeps it off.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "emulator/frame.h"
#include "emulator/timer.h"

enum { WRITES = 2 };			/* of a page fault's error code: the access was to write */

/* By no way that code leads out. */
static struct native_link interrupted = { .kind = NATIVE_SIGNAL };

/* Those that must come through to us: faults of the poll page, and where code changes. */
static uint64_t never_blocked(void)
{
	return native_bit(SIGSEGV);
}

/* What a mask of the program can block. */
static uint64_t maskable(uint64_t mask)
{
	return mask & ~(native_bit(SIGKILL) | native_bit(SIGSTOP));
}

/* What the kernel blocks while a signal waits: all that may. */
static uint64_t held(const struct native_env *env)
{
	return (env->mask | ~native_faults()) & ~never_blocked();
}

/* The kernel's own mask: 8 bytes. */
static uint64_t set_mask(int how, uint64_t mask)
{
	uint64_t old = 0;

	syscall(SYS_rt_sigprocmask, how, &mask, &old, 8);
	return old;
}

uint64_t native_pending(void)
{
	uint64_t waits = 0;

	syscall(SYS_rt_sigpending, &waits, sizeof waits);
	return waits;
}

/* A fault comes before what waits: the other's handler returns to the fault's. */
static void enqueue(struct native_env *env, const siginfo_t *info, bool first)
{
	if (env->queued == NATIVE_QUEUE)
		return;
	if (first)
		memmove(env->queue + 1, env->queue, env->queued * sizeof *info);
	env->queue[first ? 0 : env->queued] = *info;
	env->queued++;
}

static siginfo_t dequeue(struct native_env *env)
{
	siginfo_t info = env->queue[0];

	memmove(env->queue, env->queue + 1, --env->queued * sizeof info);
	return info;
}

/* From now on the program's mask, with no signal on its way in. */
void native_set_mask(struct native_env *env, uint64_t mask)
{
	set_mask(SIG_SETMASK, held(env));
	env->mask = maskable(mask);
	if (env->later.si_signo && !(env->mask & native_bit(env->later.si_signo))) {
		enqueue(env, &env->later, false);
		env->later.si_signo = 0;
		native_arm(env);
	}
	set_mask(SIG_SETMASK, env->queued || env->shares ? held(env) : env->mask & ~never_blocked());
}

bool native_heed(struct native_env *env)
{
	uint64_t mask = env->mask & ~never_blocked();

	if (env->queued || mask == held(env))
		return false;
	set_mask(SIG_SETMASK, mask);
	return true;
}

void native_inherit_mask(struct native_env *env)
{
	native_set_mask(env, set_mask(SIG_BLOCK, 0));
}

bool native_hold(struct native_env *env)
{
	set_mask(SIG_SETMASK, held(env));
	return !env->queued;
}

void native_arm(struct native_env *env)
{
	mprotect((char *)env - NATIVE_PAGE, NATIVE_PAGE, PROT_NONE);
}

static void disarm(struct native_env *env)
{
	mprotect((char *)env - NATIVE_PAGE, NATIVE_PAGE, PROT_READ | PROT_WRITE);
}

void native_forget_signals(struct native_env *env)
{
	env->queued = 0;
	env->later.si_signo = 0;
	disarm(env);
}

/* The program's state is what the kernel has saved: take it, and go back to the run loop. */
static void leave_cache(struct native_env *env, ucontext_t *uc, uint64_t pc)
{
	const char *vectors = (const char *)uc->uc_mcontext.fpregs;
	uint64_t states;

	for (unsigned reg = 0; reg < 16; reg++)
		env->general[reg] = (uint64_t)uc->uc_mcontext.gregs[native_places[reg]];
	env->flags = (uint64_t)uc->uc_mcontext.gregs[REG_EFL];
	memcpy(env->vector, vectors, NATIVE_STATES);
	memcpy(&states, vectors + 512, sizeof states);
	states &= 7;
	memcpy(env->vector + 512, &states, sizeof states);
	memset(env->vector + 520, 0, 56);
	env->pointer = pc;
	env->link = &interrupted;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)native_leave;
	uc->uc_mcontext.gregs[REG_EFL] &= ~0x500;
}

/* The program's address of the instruction that a place in a block belongs to; puts its registers right. */
static uint64_t place_of(struct native_env *env, const struct native_block *b, const uint8_t *code, ucontext_t *uc)
{
	const struct native_place *p = native_place_at(b, code);

	if (p->scratch != NATIVE_NO_REGISTER && code > b->indirect + p->code)
		uc->uc_mcontext.gregs[native_places[p->scratch]] = (greg_t)env->scratch[0];
	return b->pc + p->from;
}

static bool at_poll(const struct native_env *env, uint64_t address)
{
	return address >= (uintptr_t)env - NATIVE_PAGE && address < (uintptr_t)env;
}

static void take_default(struct native_env *env, int sig)
{
	native_die_of(sig);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
	set_mask(SIG_UNBLOCK, native_bit(sig));
	set_mask(SIG_SETMASK, held(env));
}

static void hold_back(const struct native_env *env, ucontext_t *uc)
{
	uint64_t mask = held(env);

	memcpy(&uc->uc_sigmask, &mask, sizeof mask);
}

static void fault(struct native_env *env, int sig, siginfo_t *info, ucontext_t *uc)
{
	const uint8_t *code = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP];
	struct native_block *b = env && env->in_cache ? native_block_at(code) : NULL;

	if (sig == SIGSEGV && b && at_poll(env, (uint64_t)info->si_addr)) {
		disarm(env);
		leave_cache(env, uc, b->pc);
		return;
	}
	if (sig == SIGSEGV && b && native_is_stop(b, code)) {
		leave_cache(env, uc, native_behind_stop(b, code));
		return;
	}
	if (sig == SIGSEGV && info->si_code == SEGV_ACCERR && env && (uc->uc_mcontext.gregs[REG_ERR] & WRITES) &&
	    native_watch_hit((uint64_t)info->si_addr)) {
		if (b && b->gone)
			native_stop_behind(b, code);
		return;
	}
	if (code == (const uint8_t *)native_copy_begin) {
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)native_copy_end;
		return;
	}
	if (!b || !native_is_handled(env, sig)) {
		native_die_of(sig);
		return;
	}
	enqueue(env, info, true);
	hold_back(env, uc);
	leave_cache(env, uc, place_of(env, b, code, uc));
}

/*
 * In a system call: one that had not begun is not made, and of one that the kernel would make again if the handler let
 * it, that is said.  Only `syscall` sets rcx to where it returns.
 */
static void leave_call(ucontext_t *uc)
{
	uint64_t at = (uint64_t)uc->uc_mcontext.gregs[REG_RIP], end = (uintptr_t)native_system_end;

	if (at < (uintptr_t)native_system_begin || at > end - 2)
		return;
	uc->uc_mcontext.gregs[REG_RAX] = (uint64_t)uc->uc_mcontext.gregs[REG_RCX] == end ? NATIVE_BROKEN : NATIVE_UNMADE;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)end;
}

void native_catch(int sig, siginfo_t *info, void *context)
{
	struct native_env *env = native_here();
	ucontext_t *uc = context;

	if ((native_bit(sig) & native_faults()) && info->si_code > 0) {
		fault(env, sig, info, uc);
		return;
	}
	if (!env)
		return;
	enqueue(env, info, false);
	hold_back(env, uc);
	leave_call(uc);
	native_arm(env);
}

int64_t native_sigprocmask(struct native_env *env, const uint64_t arg[6])
{
	uint64_t set, old = env->mask;

	if (arg[3] != 8)
		return -EINVAL;
	if (arg[1]) {
		if (!native_get(&set, arg[1], sizeof set))
			return -EFAULT;
		if ((uint32_t)arg[0] > SIG_SETMASK)
			return -EINVAL;
		native_set_mask(env, arg[0] == SIG_BLOCK ? old | set : arg[0] == SIG_UNBLOCK ? old & ~set : set);
	}
	return arg[2] && !native_put(arg[2], &old, sizeof old) ? -EFAULT : 0;
}

void native_sigreturn(struct native_env *env)
{
	uint64_t mask;

	if (!native_take_frame(env, &mask)) {
		take_default(env, SIGSEGV);
		return;
	}
	native_set_mask(env, mask);
}

/* The program is at the call again. */
static void make_again(struct native_env *env)
{
	env->pointer -= 2;
	env->general[NATIVE_RAX] = env->address[0];
}

/* One signal's frame, on top of what is there; false: nobody handles it. */
static bool deliver_one(struct native_env *env, const siginfo_t *info, uint64_t during)
{
	int sig = info->si_signo;
	struct native_action a = env->actions[sig];
	bool forced = (native_bit(sig) & native_faults()) && info->si_code > 0;

	if (!forced && (env->mask & native_bit(sig) & never_blocked())) {
		env->later = *info;
		return false;
	}
	if (a.handler <= 1 || (forced && (env->mask & native_bit(sig)))) {
		if (forced || a.handler != 1)
			take_default(env, sig);
		return false;
	}
	if (a.flags & SA_RESETHAND)
		env->actions[sig].handler = 0;
	if (!native_put_frame(env, &a, info))
		take_default(env, SIGSEGV);
	env->mask = maskable(during | a.mask | (a.flags & SA_NODEFER ? 0 : native_bit(sig)));
	return true;
}

void native_deliver(struct native_env *env, bool broken, const uint64_t *during)
{
	while (env->queued) {
		siginfo_t info = dequeue(env);
		bool restarts = env->actions[info.si_signo].flags & SA_RESTART, handled = native_is_handled(env, info.si_signo);

		native_timer_taken(&info);
		/* The frame goes back to the system call. */
		if (broken && (restarts || !handled))
			make_again(env);
		if (deliver_one(env, &info, during ? *during : env->mask))
			during = NULL;
		broken = false;
	}
	disarm(env);
	native_set_mask(env, env->mask);
}

void native_raise(struct native_env *env, int sig, int code, uint64_t address)
{
	siginfo_t info = { .si_signo = sig, .si_code = code };

	info.si_addr = (void *)address;
	native_hold(env);
	enqueue(env, &info, true);
	native_deliver(env, false, NULL);
}

/* What was caught by a thread that ends is for another one. */
void native_pass_on(struct native_env *env)
{
	while (env->queued) {
		siginfo_t info = dequeue(env);

		if (info.si_code != SI_TKILL)
			syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info);
	}
}
