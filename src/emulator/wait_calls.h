/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that wait for a file, a child or a signal, made by a thread that takes turns: each looks whether it would block, passes the
 * turn until something has happened that may let it succeed, and looks again.  What nobody here can bring is waited for in the kernel.
 */
#ifndef BXS_NATIVE_WAIT_CALLS_H
#define BXS_NATIVE_WAIT_CALLS_H

#include "emulator/turns.h"

/* The call blocks in the kernel while others have the turn. */
int64_t native_go_away(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6]);
/* Wait for one of these events (enum ring_event), after which the caller tries again; at most until `deadline`, as native_wait_turn(). */
enum native_wait native_await_event(struct native_env *env, struct plugin_core *c, unsigned events, uint64_t deadline);

/* When a call ends that has a time in memory at `at` (0: none): seconds, and parts of `part` ns.  *now: it only looks. */
uint64_t native_deadline_at(const struct native_env *env, uint64_t at, int64_t part, bool *now);

/* Of one file, arg[0]: POLLIN, POLLOUT. */
int64_t native_use_file(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], short events);
int64_t native_write_file(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6]);
/* Of many: poll and ppoll; select and pselect6; epoll_wait and epoll_pwait. */
int64_t native_poll_files(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6]);
int64_t native_select_files(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6]);
int64_t native_poll_epoll(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6]);

/* wait4, waitid */
int64_t native_wait_child(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6]);
/* pause, rt_sigsuspend: a signal that the program handles, with the mask that it has meanwhile. */
int64_t native_await_handler(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6]);
/* rt_sigtimedwait: one that it blocks. */
int64_t native_await_signal(struct native_env *env, struct plugin_core *c, const uint64_t arg[6]);

#endif
