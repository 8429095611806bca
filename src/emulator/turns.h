/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of a thread that takes turns with others (plugin/turn.h): one that may block gives its turn
 * up, and in such a way that the order in which threads go on does not depend on the host.
 */
#ifndef BXS_NATIVE_TURNS_H
#define BXS_NATIVE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/turn.h"
#include "emulator/native.h"

/* How the time in which a thread waited for its turn came to an end. */
enum native_wait {
	NATIVE_GIVEN,		/* what it waited for may have come */
	NATIVE_NOBODY,		/* no thread of the program can bring it: the call may block */
	NATIVE_TIMED_OUT,
	NATIVE_SIGNALLED,	/* a signal is to be delivered */
};

/* The calling thread's core, if the thread is traced; else NULL. */
struct plugin_core *native_core(const struct native_env *env);
/* The same if it takes turns. */
struct plugin_core *native_turns(const struct native_env *env);
/* From here on the calling thread takes turns, if it is traced. */
void native_take_turns(const struct native_env *env);

/*
 * Pass the turn on as `why` (RING_WAITS, RING_TRIES) until it is given again, which it is when this returns.
 * deadline: ns of native_clock(), or UINT64_MAX.
 */
enum native_wait native_wait_turn(struct native_env *env, struct plugin_core *c, enum ring_turn why, uint64_t deadline);

/* Make the call, if it is one that may block; false: it is not, or the thread takes no turns. */
bool native_turn_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result);

/* A call has been made: those of other threads may now succeed. */
void native_turn_made(struct native_env *env, uint64_t num);

/* futex.c: the program's futexes among threads that take turns.  False: the kernel sees to this one. */
bool native_futex(struct native_env *env, struct plugin_core *c, const uint64_t arg[6], int64_t *result);
/* A thread that found no ring is about to make this call: those that take turns hear of it, too. */
void native_futex_outside(const uint64_t arg[6]);
/* Wake n threads that wait for the word at `at`; how many there were. */
unsigned native_futex_wake(struct plugin_core *c, uint64_t at, bool shared, unsigned n, uint32_t bits);

/* syscall.c: the kernel makes the call. */
int64_t native_call_kernel(struct native_env *env, uint64_t num, const uint64_t arg[6]);

#endif
