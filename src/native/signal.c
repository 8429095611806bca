// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals.  The kernel calls catch(), wherever the thread is:
 *
 *	in the cache, by a fault of the program's instruction	registers are as they should be: leave the cache at once
 *	in the cache, from outside				keep it; the next block's first store faults, leave there
 *	in C code						keep it; the run loop comes by
 *
 * Out of the cache the run loop makes the frame on the program's stack that the kernel would have made.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "native/native.h"

/* As the kernel has it. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

#define RESTORER 0x04000000u
#define XSTATE_MAGIC1 0x46505853u
#define XSTATE_MAGIC2 0x46505845u

enum { XSTATE_BYTES = 832, REDZONE = 128 };

struct context {
	uint64_t flags, link;
	stack_t stack;
	uint64_t reg[23];
	uint64_t vectors;
	uint64_t reserved[8];
	uint64_t mask;
};

struct frame {
	uint64_t restorer;
	struct context context;
	siginfo_t info;
};

/* Places of registers in a context, by number as encoded. */
static const uint8_t places[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

static struct action actions[NATIVE_SIGNALS];
static struct native_link *interrupted;	/* the way out of who is */

static uint64_t bit_of(int sig)
{
	return UINT64_C(1) << (sig - 1);
}

/* Faults that only the program's own instructions make. */
static uint64_t faults(void)
{
	return bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGILL) | bit_of(SIGFPE) | bit_of(SIGTRAP);
}

/* ... and which must come through to us: the poll page and code that changes. */
static uint64_t never_blocked(void)
{
	return bit_of(SIGSEGV);
}

static bool is_handled(int sig)
{
	return actions[sig].handler > 1;
}

/* The kernel's own mask: 8 bytes. */
static uint64_t set_mask(int how, uint64_t mask)
{
	uint64_t old = 0;

	syscall(SYS_rt_sigprocmask, how, &mask, &old, 8);
	return old;
}

static void enqueue(struct native_env *env, const siginfo_t *info)
{
	if (env->queued < NATIVE_QUEUE)
		env->queue[env->queued++] = *info;
}

void native_arm(struct native_env *env)
{
	mprotect((char *)env - NATIVE_PAGE, NATIVE_PAGE, PROT_NONE);
}

static void disarm(struct native_env *env)
{
	mprotect((char *)env - NATIVE_PAGE, NATIVE_PAGE, PROT_READ | PROT_WRITE);
}

/* The program's state is what the kernel has saved: take it, and go back to the run loop. */
static void leave_cache(struct native_env *env, ucontext_t *uc, uint64_t pc)
{
	const char *vectors = (const char *)uc->uc_mcontext.fpregs;
	uint64_t states;

	for (unsigned reg = 0; reg < 16; reg++)
		env->general[reg] = (uint64_t)uc->uc_mcontext.gregs[places[reg]];
	env->flags = (uint64_t)uc->uc_mcontext.gregs[REG_EFL];
	memcpy(env->vector, vectors, XSTATE_BYTES);
	memcpy(&states, vectors + 512, sizeof states);
	states &= 7;
	memcpy(env->vector + 512, &states, sizeof states);
	memset(env->vector + 520, 0, 56);
	env->pointer = pc;
	env->link = interrupted;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)native_leave;
	uc->uc_mcontext.gregs[REG_EFL] &= ~0x500;
}

/* The program's address of the instruction that a place in a block belongs to; puts its registers right. */
static uint64_t place_of(struct native_env *env, const struct native_block *b, const uint8_t *code, ucontext_t *uc)
{
	const struct native_place *p = native_place_at(b, code);

	if (p->scratch != NATIVE_NO_REGISTER && code > b->indirect + p->code)
		uc->uc_mcontext.gregs[places[p->scratch]] = (greg_t)env->scratch[0];
	return b->pc + p->from;
}

static bool at_poll(const struct native_env *env, uint64_t address)
{
	return address >= (uintptr_t)env - NATIVE_PAGE && address < (uintptr_t)env;
}

/* It would have been this process's end without us. */
static void die_of(int sig)
{
	struct action none = { 0 };

	syscall(SYS_rt_sigaction, sig, &none, NULL, 8);
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
	if (sig == SIGSEGV && info->si_code == SEGV_ACCERR && env && native_watch_hit((uint64_t)info->si_addr)) {
		if (b && b->gone)
			native_stop_behind(b, code);
		return;
	}
	if (!b || !is_handled(sig)) {
		die_of(sig);
		return;
	}
	enqueue(env, info);
	leave_cache(env, uc, place_of(env, b, code, uc));
}

static void catch(int sig, siginfo_t *info, void *context)
{
	struct native_env *env = native_here();
	ucontext_t *uc = context;
	uint64_t at = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];

	if ((bit_of(sig) & faults()) && info->si_code > 0) {
		fault(env, sig, info, uc);
		return;
	}
	if (!env)
		return;
	enqueue(env, info);
	if (at >= (uintptr_t)native_system_begin && at < (uintptr_t)native_system_end - 1) {
		uc->uc_mcontext.gregs[REG_RAX] = NATIVE_UNMADE;
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)native_system_end;
	}
	native_arm(env);
}

static void listen(int sig)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	a.sa_sigaction = catch;
	sigfillset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

void native_signals_init(void)
{
	interrupted = native_keep(sizeof *interrupted);
	*interrupted = (struct native_link){ .kind = NATIVE_SIGNAL };
	for (int sig = 1; sig < NATIVE_SIGNALS; sig++) {
		struct action now;

		if (syscall(SYS_rt_sigaction, sig, NULL, &now, 8) == 0 && now.handler == 1)
			actions[sig].handler = 1;
		if (bit_of(sig) & faults())
			listen(sig);
	}
}

int64_t native_sigaction(const uint64_t arg[6])
{
	int sig = (int)arg[0];
	struct action old, new;

	if (sig < 1 || sig >= NATIVE_SIGNALS || arg[3] != 8)
		return -EINVAL;
	old = actions[sig];
	if (arg[1]) {
		if (sig == SIGKILL || sig == SIGSTOP)
			return -EINVAL;
		memcpy(&new, (const void *)arg[1], sizeof new);
		actions[sig] = new;
		if (is_handled(sig) || (bit_of(sig) & faults())) {
			listen(sig);
		} else {
			new.flags &= ~(uint64_t)RESTORER;
			syscall(SYS_rt_sigaction, sig, &new, NULL, 8);
		}
	}
	if (arg[2])
		memcpy((void *)arg[2], &old, sizeof old);
	return 0;
}

static bool on_alternative(const struct native_env *env, uint64_t sp)
{
	uint64_t from = (uint64_t)env->alternative.ss_sp;

	return !(env->alternative.ss_flags & SS_DISABLE) && sp > from && sp <= from + env->alternative.ss_size;
}

int64_t native_sigaltstack(struct native_env *env, const uint64_t arg[6])
{
	stack_t old = env->alternative;

	if (on_alternative(env, env->general[NATIVE_RSP])) {
		if (arg[0])
			return -EPERM;
		old.ss_flags = SS_ONSTACK;
	}
	if (arg[0])
		memcpy(&env->alternative, (const void *)arg[0], sizeof old);
	if (arg[1])
		memcpy((void *)arg[1], &old, sizeof old);
	return 0;
}

int64_t native_sigprocmask(const uint64_t arg[6])
{
	uint64_t mask = 0, old;

	if (arg[3] != 8)
		return -EINVAL;
	if (arg[1])
		memcpy(&mask, (const void *)arg[1], sizeof mask);
	if ((int)arg[0] != SIG_UNBLOCK)
		mask &= ~never_blocked();
	if (syscall(SYS_rt_sigprocmask, arg[0], arg[1] ? &mask : NULL, &old, 8) < 0)
		return -errno;
	if (arg[2])
		memcpy((void *)arg[2], &old, sizeof old);
	return 0;
}

/* The frame. */

static uint64_t put_vectors(const struct native_env *env, uint64_t sp)
{
	static const uint32_t behind = XSTATE_MAGIC2;
	uint32_t note[12] = { XSTATE_MAGIC1, XSTATE_BYTES + 4, 7, 0, XSTATE_BYTES };

	sp = (sp - XSTATE_BYTES - 64) & ~UINT64_C(63);
	memcpy((void *)sp, env->vector, XSTATE_BYTES);
	memcpy((void *)(sp + 464), note, sizeof note);
	memcpy((void *)(sp + XSTATE_BYTES), &behind, sizeof behind);
	return sp;
}

static void put_frame(struct native_env *env, const siginfo_t *info, uint64_t mask)
{
	const struct action *a = &actions[info->si_signo];
	uint64_t sp = env->general[NATIVE_RSP] - REDZONE, vectors;
	struct frame f = { .restorer = a->restorer, .info = *info };

	if ((a->flags & SA_ONSTACK) && !(env->alternative.ss_flags & SS_DISABLE) && !on_alternative(env, sp))
		sp = (uint64_t)env->alternative.ss_sp + env->alternative.ss_size;
	vectors = put_vectors(env, sp);
	sp = ((vectors - sizeof f) & ~UINT64_C(15)) - 8;
	f.context.flags = 1 | 6;		/* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
	f.context.stack = env->alternative;
	for (unsigned reg = 0; reg < 16; reg++)
		f.context.reg[places[reg]] = env->general[reg];
	f.context.reg[REG_RIP] = env->pointer;
	f.context.reg[REG_EFL] = env->flags;
	f.context.reg[REG_CSGSFS] = 0x2b00000000000033;
	if (info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS))
		f.context.reg[REG_CR2] = (uint64_t)info->si_addr;
	f.context.vectors = vectors;
	f.context.mask = mask;
	memcpy((void *)sp, &f, sizeof f);
	env->general[NATIVE_RSP] = sp;
	env->general[NATIVE_RDI] = (uint64_t)info->si_signo;
	env->general[NATIVE_RSI] = sp + offsetof(struct frame, info);
	env->general[NATIVE_RDX] = sp + offsetof(struct frame, context);
	env->general[NATIVE_RAX] = 0;
	env->flags &= ~UINT64_C(0x500);
	env->pointer = a->handler;
}

void native_sigreturn(struct native_env *env)
{
	struct context c;

	memcpy(&c, (const void *)env->general[NATIVE_RSP], sizeof c);
	for (unsigned reg = 0; reg < 16; reg++)
		env->general[reg] = c.reg[places[reg]];
	env->pointer = c.reg[REG_RIP];
	env->flags = (c.reg[REG_EFL] & 0xdd5) | 0x202;
	if (c.vectors)
		memcpy(env->vector, (const void *)c.vectors, 576 + 256);
	memset(env->vector + 520, 0, 56);
	set_mask(SIG_SETMASK, c.mask & ~never_blocked());
}

/* The default of a signal that was kept for a handler that is no more. */
static void take_default(const siginfo_t *info)
{
	if (actions[info->si_signo].handler == 1)
		return;
	die_of(info->si_signo);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), info->si_signo);
}

bool native_deliver(struct native_env *env, bool was_interrupted)
{
	bool again = false;

	while (env->queued) {
		uint64_t old = set_mask(SIG_BLOCK, ~never_blocked());
		siginfo_t info = env->queue[0];
		struct action a = actions[info.si_signo];
		uint64_t blocks = (a.flags & SA_NODEFER ? 0 : bit_of(info.si_signo)) | a.mask;

		memmove(env->queue, env->queue + 1, --env->queued * sizeof info);
		if (!env->queued)
			disarm(env);
		if (a.handler <= 1) {
			set_mask(SIG_SETMASK, old);
			take_default(&info);
			continue;
		}
		if (was_interrupted && (a.flags & SA_RESTART)) {
			/* The frame goes back to the system call. */
			env->pointer -= 2;
			env->general[NATIVE_RAX] = env->address[0];
			again = true;
		}
		was_interrupted = false;
		if (a.flags & SA_RESETHAND)
			actions[info.si_signo].handler = 0;
		put_frame(env, &info, old);
		set_mask(SIG_SETMASK, (old | blocks) & ~never_blocked());
	}
	return again;
}

void native_raise(struct native_env *env, int sig, int code, uint64_t address)
{
	siginfo_t info = { .si_signo = sig, .si_code = code };

	info.si_addr = (void *)address;
	if (!is_handled(sig)) {
		die_of(sig);
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
		return;
	}
	enqueue(env, &info);
	native_deliver(env, false);
}
