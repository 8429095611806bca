/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulator/wait_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "base/bits.h"
#include "emulator/clock.h"
#include "emulator/wait_for.h"

#define BILLION UINT64_C(1000000000)
#define FOREVER UINT64_MAX
#define SET_BYTES 128			/* of a set of files as select() has it, for 1024 of them */

static const struct timespec no_time;

static bool is_ready(int file, short events)
{
	struct pollfd p = { .fd = file, .events = events };

	return poll(&p, 1, 0) != 0;
}

static bool is_fifo(int file)
{
	struct stat st;

	return fstat(file, &st) == 0 && S_ISFIFO(st.st_mode);
}

static bool never_blocks(uint64_t num, const uint64_t arg[6])
{
	bool asks = (num == SYS_recvfrom || num == SYS_sendto) ? arg[3] & MSG_DONTWAIT :
		    (num == SYS_recvmsg || num == SYS_sendmsg) && (arg[2] & MSG_DONTWAIT);
	int flags = fcntl((int)arg[0], F_GETFL);

	return asks || flags < 0 || (flags & O_NONBLOCK);
}

/* A socket may have been told how long its calls may wait. */
static uint64_t file_deadline(const struct native_env *env, int file, short events)
{
	struct timeval t = { 0 };
	socklen_t size = sizeof t;

	if (!native_has_clock() || getsockopt(file, SOL_SOCKET, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &t, &size) < 0 ||
	    (!t.tv_sec && !t.tv_usec))
		return FOREVER;
	return native_clock(env) + (uint64_t)t.tv_sec * BILLION + (uint64_t)t.tv_usec * 1000;
}

/* Wait until the file can be used.  True: the call is to be made now, by native_go_away() if *nobody; else *result is its answer. */
static bool await_file(struct native_env *env, struct plugin_core *c, int file, short events, bool *nobody, int64_t *result)
{
	uint64_t deadline = FOREVER;

	*nobody = false;
	for (bool first = true; !is_ready(file, events); first = false) {
		enum native_wait how;

		if (first)
			deadline = file_deadline(env, file, events);
		how = native_is_outside(file) ? NATIVE_NOBODY : native_await_event(env, c, RING_IO, deadline);
		if (how == NATIVE_NOBODY) {
			*nobody = true;
			return true;
		}
		if (how == NATIVE_SIGNALLED || how == NATIVE_TIMED_OUT) {
			/* Where there is a timeout, the kernel makes no such call again (socket(7)). */
			*result = how == NATIVE_TIMED_OUT ? -EAGAIN : deadline == FOREVER ? NATIVE_BROKEN : -EINTR;
			return false;
		}
	}
	return true;
}

int64_t native_use_file(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], short events)
{
	int64_t result;
	bool nobody;

	if (never_blocks(num, arg))
		return native_call_kernel(env, num, arg);
	if (!await_file(env, c, (int)arg[0], events, &nobody, &result))
		return result;
	return nobody ? native_go_away(env, c, num, arg) : native_call_kernel(env, num, arg);
}

/* A pipe that can be written has room for a page: more is written page by page, as there is room. */
static int64_t fill_pipe(struct native_env *env, struct plugin_core *c, const uint64_t arg[6])
{
	uint64_t done = 0;

	while (done < arg[2]) {
		uint64_t n = arg[2] - done < PIPE_BUF ? arg[2] - done : PIPE_BUF;
		int64_t result;
		bool nobody;

		if (!await_file(env, c, (int)arg[0], POLLOUT, &nobody, &result))
			return done ? (int64_t)done : result;
		if (nobody) {
			result = native_go_away(env, c, SYS_write, (const uint64_t[6]){ arg[0], arg[1] + done, arg[2] - done });
			return result > 0 ? (int64_t)done + result : done ? (int64_t)done : result;
		}
		result = native_call_kernel(env, SYS_write, (const uint64_t[6]){ arg[0], arg[1] + done, n });
		if (result <= 0)
			return done ? (int64_t)done : result;
		done += (uint64_t)result;
		plugin_turn_event(c, RING_IO);
	}
	return (int64_t)done;
}

/* More than a little may block in the midst of the call. */
int64_t native_write_file(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	struct stat st;
	bool little = (num == SYS_write || num == SYS_sendto) && arg[2] <= PIPE_BUF;

	if (little || never_blocks(num, arg) || fstat((int)arg[0], &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return native_use_file(env, c, num, arg, POLLOUT);
	if (num == SYS_write && is_fifo((int)arg[0]))
		return fill_pipe(env, c, arg);
	return native_go_away(env, c, num, arg);
}

/* When a call with a time of this kind is to end.  *now: it asks to look only. */
static uint64_t deadline_of(const struct native_env *env, int64_t seconds, int64_t ns, bool *now)
{
	*now = seconds == 0 && ns == 0;
	if (*now || seconds < 0 || (uint64_t)seconds > UINT32_MAX)
		return FOREVER;
	return native_clock(env) + (uint64_t)seconds * BILLION + (uint64_t)ns;
}

static uint64_t deadline_ms(const struct native_env *env, uint64_t ms, bool *now)
{
	return deadline_of(env, (int32_t)ms < 0 ? -1 : (int32_t)ms / 1000, (int32_t)ms % 1000 * 1000000, now);
}

uint64_t native_deadline_at(const struct native_env *env, uint64_t at, int64_t part, bool *now)
{
	int64_t t[2];

	*now = false;
	if (!at)
		return FOREVER;
	if (!native_get(t, at, sizeof t)) {
		*now = true;		/* the kernel says what is wrong */
		return 0;
	}
	return deadline_of(env, t[0], t[1] * part, now);
}

/* What is waited for comes in the host's time; that it has not come, in both. */
static int64_t look_outside(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], uint64_t deadline)
{
	int64_t result = native_go_away(env, c, num, arg);

	if (result == 0 && deadline != FOREVER)
		native_sleep_until(env, c, deadline);
	return result;
}

/*
 * A call that looks at files and waits until one is ready: looks only, again and again.  look: the call without a
 * wait; call: as the program makes it.
 */
static int64_t look_often(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t call[6],
			  const uint64_t look[6], uint64_t deadline, void (*again)(void *), void *what)
{
	if (native_looks_outside(num, call))
		return look_outside(env, c, num, call, deadline);
	for (;;) {
		int64_t result = native_call_kernel(env, num, look);
		enum native_wait how;

		if (result != 0)
			return result;
		how = native_await_event(env, c, RING_IO, deadline);
		if (how == NATIVE_TIMED_OUT)
			return 0;
		if (how == NATIVE_SIGNALLED)
			return -EINTR;
		if (again)
			again(what);
		if (how == NATIVE_NOBODY)
			return native_go_away(env, c, num, call);
	}
}

int64_t native_poll_files(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	uint64_t look[6] = { arg[0], arg[1], arg[2], arg[3], arg[4], arg[5] };
	bool now;
	uint64_t deadline = num == SYS_poll ? deadline_ms(env, arg[2], &now) : native_deadline_at(env, arg[2], 1, &now);

	if (now)
		return native_call_kernel(env, num, arg);
	look[2] = num == SYS_poll ? 0 : (uintptr_t)&no_time;
	return look_often(env, c, num, arg, look, deadline, NULL, NULL);
}

int64_t native_poll_epoll(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	uint64_t look[6] = { arg[0], arg[1], arg[2], 0, arg[4], arg[5] };
	bool now;
	uint64_t deadline = deadline_ms(env, arg[3], &now);

	if (now)
		return native_call_kernel(env, num, arg);
	return look_often(env, c, num, arg, look, deadline, NULL, NULL);
}

/* The sets that select() has emptied. */
struct sets {
	const uint64_t *arg;
	uint64_t bytes;
	uint8_t set[3][SET_BYTES];
};

static void put_sets(void *what)
{
	const struct sets *s = what;

	for (unsigned i = 0; i < LEN(s->set); i++) {
		if (s->arg[1 + i])
			native_put(s->arg[1 + i], s->set[i], s->bytes);
	}
}

int64_t native_select_files(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6])
{
	uint64_t look[6] = { arg[0], arg[1], arg[2], arg[3], (uintptr_t)&(struct timespec){ 0 }, arg[5] };
	struct sets s = { .arg = arg, .bytes = (arg[0] + 63) / 64 * 8 };
	bool now;
	uint64_t deadline = native_deadline_at(env, arg[4], num == SYS_select ? 1000 : 1, &now);
	int64_t result;

	if (now || s.bytes > SET_BYTES)
		return now ? native_call_kernel(env, num, arg) : native_go_away(env, c, num, arg);
	for (unsigned i = 0; i < LEN(s.set); i++) {
		if (arg[1 + i] && !native_get(s.set[i], arg[1 + i], s.bytes))
			return -EFAULT;
	}
	result = look_often(env, c, num, arg, look, deadline, put_sets, &s);
	if (result == -EINTR)
		put_sets(&s);
	return result;
}
