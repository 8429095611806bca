/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between signal.c, which catches signals and says who gets them, action.c, which knows what the program wants done about
 * them, and frame.c, which makes what a handler finds.
 */
#ifndef BXS_NATIVE_FRAME_H
#define BXS_NATIVE_FRAME_H

#include "emulator/native.h"

/* As the kernel has it. */
struct native_action {
	uint64_t handler, flags, restorer, mask;
};

static inline uint64_t native_bit(int sig)
{
	return UINT64_C(1) << (sig - 1);
}

/* Faults that only the program's own instructions make. */
static inline uint64_t native_faults(void)
{
	return native_bit(SIGSEGV) | native_bit(SIGBUS) | native_bit(SIGILL) | native_bit(SIGFPE) | native_bit(SIGTRAP);
}

/* signal.c: what the kernel calls. */
/* Signals that the kernel holds for the thread or its process. */
uint64_t native_pending(void);
void native_catch(int sig, siginfo_t *info, void *context);

/* action.c: of the process that began the program. */
extern struct native_action native_actions[NATIVE_SIGNALS];

static inline bool native_is_handled(const struct native_env *env, int sig)
{
	return env->actions[sig].handler > 1;
}

/* Nobody handles it any more: when it comes again it has its way. */
void native_die_of(int sig);

extern const uint8_t native_places[16];	/* of registers in a context, by number as encoded */

/* A frame for the handler, which the program goes on with; false: there is no stack for it. */
bool native_put_frame(struct native_env *env, const struct native_action *a, const siginfo_t *info);
/* ... and what was before, when it returns.  False: there is none. */
bool native_take_frame(struct native_env *env, uint64_t *mask);

#endif
