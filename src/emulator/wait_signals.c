/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits for children and for signals. */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "emulator/timer.h"
#include "emulator/wait_calls.h"

#define FOREVER UINT64_MAX

static const struct timespec no_time;

int64_t native_wait_child(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	unsigned options = num == SYS_wait4 ? 2 : 3;
	uint64_t look[6] = { arg[0], arg[1], arg[2], arg[3], arg[4], arg[5] };

	if (arg[options] & WNOHANG)
		return native_call_kernel(env, num, arg);
	if (num == SYS_waitid && !arg[2])
		return native_go_away(env, c, num, arg);
	look[options] |= WNOHANG;
	for (;;) {
		int64_t result = native_call_kernel(env, num, look);
		siginfo_t info = { .si_pid = 0 };
		enum native_wait how;

		if (num == SYS_waitid && result == 0)
			native_get(&info, arg[2], sizeof info);
		if (result != 0 || info.si_pid != 0)
			return result;
		how = native_await_event(env, c, RING_CHILD, FOREVER);
		if (how == NATIVE_SIGNALLED)
			return NATIVE_BROKEN;
		if (how == NATIVE_NOBODY)
			return native_go_away(env, c, num, arg);
	}
}

int64_t native_await_handler(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	bool masks = num == SYS_rt_sigsuspend;
	const uint64_t look[6] = { 0, 0, (uintptr_t)&no_time, masks ? arg[0] : 0, masks ? arg[1] : 8 };

	for (;;) {
		int64_t result = native_call_kernel(env, SYS_ppoll, look);
		enum native_wait how;

		if (result < 0)
			return result;
		how = native_await_event(env, c, RING_IO | RING_CHILD, FOREVER);
		if (how == NATIVE_SIGNALLED)
			return -EINTR;
		if (how == NATIVE_NOBODY)
			return native_go_away(env, c, num, arg);
	}
}

int64_t native_await_signal(struct native_env *env, struct plugin_core *c, const uint64_t arg[6])
{
	const uint64_t look[6] = { arg[0], arg[1], (uintptr_t)&no_time, arg[3] };
	bool now;
	uint64_t deadline = native_deadline_at(env, arg[2], 1, &now);
	siginfo_t info;

	for (;;) {
		int64_t result = native_call_kernel(env, SYS_rt_sigtimedwait, now ? arg : look);
		enum native_wait how;

		if (result > 0 && arg[1] && native_get(&info, arg[1], sizeof info)) {
			native_timer_taken(&info);
			native_put(arg[1], &info, sizeof info);
		}
		if (result != -EAGAIN || now)
			return result;
		native_get(&env->awaited, arg[0], sizeof env->awaited);
		how = native_await_event(env, c, RING_IO | RING_CHILD, deadline);
		env->awaited = 0;
		if (how == NATIVE_TIMED_OUT)
			return -EAGAIN;
		if (how == NATIVE_SIGNALLED)
			return -EINTR;
		if (how == NATIVE_NOBODY)
			return native_go_away(env, c, SYS_rt_sigtimedwait, arg);
	}
}
