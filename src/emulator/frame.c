/* SPDX-License-Identifier: BSD-2-Clause */
/* What a handler finds on the program's stack, as the kernel lays it out; the stack that it may have of its own. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "emulator/frame.h"

#define XSTATE_MAGIC1 0x46505853u
#define XSTATE_MAGIC2 0x46505845u
#define AUTODISARM (1 << 31)		/* the stack is not the next handler's, until this one returns */

enum { REDZONE = 128, LEAST_STACK = 2048 };

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

const uint8_t native_places[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

/* The alternative stack. */

static bool within(const stack_t *s, uint64_t sp)
{
	uint64_t from = (uint64_t)s->ss_sp;

	return !(s->ss_flags & SS_DISABLE) && sp > from && sp <= from + s->ss_size;
}

static bool on_alternative(const struct native_env *env, uint64_t sp)
{
	return !(env->alternative.ss_flags & AUTODISARM) && within(&env->alternative, sp);
}

/* The kernel's checks.  0 or a negative errno. */
static int64_t set_alternative(struct native_env *env, stack_t new)
{
	int mode = new.ss_flags & ~AUTODISARM;

	if (on_alternative(env, env->general[NATIVE_RSP]))
		return -EPERM;
	if (mode != 0 && mode != SS_ONSTACK && mode != SS_DISABLE)
		return -EINVAL;
	if (mode == SS_DISABLE) {
		new.ss_sp = NULL;
		new.ss_size = 0;
	} else if (new.ss_size < LEAST_STACK) {
		return -ENOMEM;
	}
	new.ss_flags &= ~SS_ONSTACK;
	env->alternative = new;
	return 0;
}

int64_t native_sigaltstack(struct native_env *env, const uint64_t arg[6])
{
	stack_t old = env->alternative, new;
	int64_t result = 0;

	if (arg[0] && !native_get(&new, arg[0], sizeof new))
		return -EFAULT;
	if (on_alternative(env, env->general[NATIVE_RSP]))
		old.ss_flags |= SS_ONSTACK;
	if (arg[0])
		result = set_alternative(env, new);
	if (!result && arg[1] && !native_put(arg[1], &old, sizeof old))
		return -EFAULT;
	return result;
}

/* The frame. */

static bool put_vectors(const struct native_env *env, uint64_t sp)
{
	static const uint32_t behind = XSTATE_MAGIC2;
	uint32_t note[12] = { XSTATE_MAGIC1, NATIVE_STATES + 4, 7, 0, NATIVE_STATES };

	return native_put(sp, env->vector, NATIVE_STATES) && native_put(sp + 464, note, sizeof note) &&
	       native_put(sp + NATIVE_STATES, &behind, sizeof behind);
}

static struct frame frame_of(const struct native_env *env, const struct native_action *a, const siginfo_t *info,
			     uint64_t vectors)
{
	struct frame f = { .restorer = a->restorer, .info = *info };

	f.context.flags = 1 | 6;		/* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
	f.context.stack = env->alternative;
	for (unsigned reg = 0; reg < 16; reg++)
		f.context.reg[native_places[reg]] = env->general[reg];
	f.context.reg[REG_RIP] = env->pointer;
	f.context.reg[REG_EFL] = env->flags;
	f.context.reg[REG_CSGSFS] = 0x2b00000000000033;
	if (info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS))
		f.context.reg[REG_CR2] = (uint64_t)info->si_addr;
	f.context.vectors = vectors;
	f.context.mask = env->mask;
	return f;
}

bool native_put_frame(struct native_env *env, const struct native_action *a, const siginfo_t *info)
{
	uint64_t sp = env->general[NATIVE_RSP] - REDZONE, vectors;
	bool nested = on_alternative(env, sp), enters = false;
	struct frame f;

	if ((a->flags & SA_ONSTACK) && !(env->alternative.ss_flags & SS_DISABLE) && !nested) {
		sp = (uint64_t)env->alternative.ss_sp + env->alternative.ss_size;
		enters = true;
	}
	vectors = (sp - NATIVE_STATES - 64) & ~UINT64_C(63);
	sp = ((vectors - sizeof f) & ~UINT64_C(15)) - 8;
	/* Never out of it at its lower end, over what lies there. */
	if ((nested || enters) && !within(&env->alternative, sp))
		return false;
	f = frame_of(env, a, info, vectors);
	if (!put_vectors(env, vectors) || !native_put(sp, &f, sizeof f))
		return false;
	if (env->alternative.ss_flags & AUTODISARM)
		env->alternative = (stack_t){ .ss_flags = SS_DISABLE };
	env->general[NATIVE_RSP] = sp;
	env->general[NATIVE_RDI] = (uint64_t)info->si_signo;
	env->general[NATIVE_RSI] = sp + offsetof(struct frame, info);
	env->general[NATIVE_RDX] = sp + offsetof(struct frame, context);
	env->general[NATIVE_RAX] = 0;
	env->flags &= ~UINT64_C(0x500);
	env->pointer = a->handler;
	return true;
}

bool native_take_frame(struct native_env *env, uint64_t *mask)
{
	struct context c;

	if (!native_get(&c, env->general[NATIVE_RSP], sizeof c) ||
	    (c.vectors && !native_get(env->vector, c.vectors, NATIVE_STATES)))
		return false;
	for (unsigned reg = 0; reg < 16; reg++)
		env->general[reg] = c.reg[native_places[reg]];
	env->pointer = c.reg[REG_RIP];
	env->flags = (c.reg[REG_EFL] & 0xdd5) | 0x202;
	/* XSTATE_BV: no states but ours; nothing else is set in the header. */
	env->vector[512] &= 7;
	memset(env->vector + 513, 0, 63);
	set_alternative(env, c.stack);
	*mask = c.mask;
	return true;
}
