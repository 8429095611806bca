/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of a client under the emulator, which do what the intercepted functions in the other files do for a client with the
 * preloaded library.  Waits follow the rules of wait.c: the kernel waits in steps.
 */
#include <errno.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <linux/futex.h>

#include "base/bits.h"
#include "plugin/client.h"
#include "virtual/preload/preload.h"

enum { MICROSECOND = 1000, MILLISECOND = 1000000, LOCK_PI2 = 13 };

/* CPUs. */

static int64_t set_affinity(const struct client_host *host, const uint64_t arg[6])
{
	struct preload_mask mask = { { 0 } };

	if (!host->get(mask.word, arg[2], arg[1] < sizeof mask ? arg[1] : sizeof mask))
		return -EFAULT;
	return -preload_set_mask((pid_t)arg[0], &mask);
}

static int64_t get_affinity(const struct client_host *host, const uint64_t arg[6])
{
	size_t bytes = (preload_page()->cpus + 63) / 64 * sizeof(uint64_t);
	struct preload_mask mask;

	if (arg[1] < bytes || arg[1] % sizeof(uint64_t))
		return -EINVAL;
	if (!preload_get_mask((pid_t)arg[0], &mask))
		return -ESRCH;
	return host->put(arg[2], mask.word, bytes) ? (int64_t)bytes : -EFAULT;
}

static int64_t get_cpu(const struct client_host *host, const uint64_t arg[6])
{
	uint32_t cpu = preload_cpu(), node = cpu_node(preload_page(), cpu);

	return (arg[0] && !host->put(arg[0], &cpu, sizeof cpu)) || (arg[1] && !host->put(arg[1], &node, sizeof node)) ? -EFAULT : 0;
}

/* Clocks. */

static bool clock_time(const struct client_host *host, const uint64_t arg[6], int64_t *result)
{
	struct timespec t;
	uint64_t ns;

	if (!preload_clock((clockid_t)arg[0], &ns))
		return false;
	t = preload_time(ns);
	*result = host->put(arg[1], &t, sizeof t) ? 0 : -EFAULT;
	return true;
}

static bool time_of_day(const struct client_host *host, const uint64_t arg[6], int64_t *result)
{
	struct timeval t;
	uint64_t ns;

	if (!preload_clock(CLOCK_REALTIME, &ns))
		return false;
	*result = host->kernel(SYS_gettimeofday, arg);
	t = (struct timeval){ (time_t)(ns / PRELOAD_SECOND), (suseconds_t)(ns % PRELOAD_SECOND / MICROSECOND) };
	if (*result == 0 && arg[0] && !host->put(arg[0], &t, sizeof t))
		*result = -EFAULT;
	return true;
}

static bool seconds(const struct client_host *host, const uint64_t arg[6], int64_t *result)
{
	uint64_t ns;

	if (!preload_clock(CLOCK_REALTIME, &ns))
		return false;
	*result = (int64_t)(ns / PRELOAD_SECOND);
	if (arg[0] && !host->put(arg[0], result, sizeof *result))
		*result = -EFAULT;
	return true;
}

static bool sleeps(const struct client_host *host, clockid_t asked, int flags, uint64_t when, uint64_t left, int64_t *result)
{
	clockid_t clock = preload_sleep_clock(asked, flags);
	struct timespec t, rest;
	uint64_t now;

	if (!preload_clock(clock, &now) || !host->get(&t, when, sizeof t) || !preload_is_time(&t))
		return false;
	*result = -preload_sleep(clock, flags, &t, &rest);
	if (*result && left && !(flags & TIMER_ABSTIME) && !host->put(left, &rest, sizeof rest))
		*result = -EFAULT;
	return true;
}

/* Waits. */

enum form { MILLISECONDS, TIMESPEC, TIMEVAL, MOMENT };

struct wait_call {
	uint16_t number;
	uint8_t at;			/* index of the time argument */
	uint8_t form;
	int16_t over;			/* the result after a timeout */
	bool tells_rest;		/* overwrites the time with what is left of it */
};

static const struct wait_call wait_calls[] = {
	{ SYS_poll, 2, MILLISECONDS, 0, false },
	{ SYS_epoll_wait, 3, MILLISECONDS, 0, false },
	{ SYS_epoll_pwait, 3, MILLISECONDS, 0, false },
	{ SYS_epoll_pwait2, 3, TIMESPEC, 0, false },
	{ SYS_ppoll, 2, TIMESPEC, 0, true },
	{ SYS_select, 4, TIMEVAL, 0, true },
	{ SYS_pselect6, 4, TIMESPEC, 0, true },
	{ SYS_rt_sigtimedwait, 2, TIMESPEC, -EAGAIN, false },
	{ SYS_semtimedop, 3, TIMESPEC, -EAGAIN, false },
	{ SYS_mq_timedsend, 4, MOMENT, -ETIMEDOUT, false },
	{ SYS_mq_timedreceive, 4, MOMENT, -ETIMEDOUT, false },
};

static const struct wait_call *wait_call_of(uint64_t number, const uint64_t arg[6])
{
	static const struct wait_call futex = { SYS_futex, 3, TIMESPEC, -ETIMEDOUT, false },
				      futex_until = { SYS_futex, 3, MOMENT, -ETIMEDOUT, false };

	if (number == SYS_futex) {
		switch (arg[1] & FUTEX_CMD_MASK) {
		case FUTEX_WAIT:
			return &futex;
		case FUTEX_WAIT_BITSET: case FUTEX_LOCK_PI: case LOCK_PI2: case FUTEX_WAIT_REQUEUE_PI:
			return &futex_until;
		default:
			return NULL;
		}
	}
	for (size_t i = 0; i < LEN(wait_calls); i++)
		if (wait_calls[i].number == number)
			return wait_calls + i;
	return NULL;
}

static clockid_t clock_of(const struct wait_call *c, const uint64_t arg[6])
{
	if (c->form != MOMENT)
		return CLOCK_MONOTONIC;
	if (c->number == SYS_futex && !(arg[1] & FUTEX_CLOCK_REALTIME) && (arg[1] & FUTEX_CMD_MASK) != FUTEX_LOCK_PI)
		return CLOCK_MONOTONIC;
	return CLOCK_REALTIME;
}

/* The timeout of a call; false: it has none, does not wait, or is invalid, for which the kernel has the error. */
static bool read_time(const struct client_host *host, const struct wait_call *c, const uint64_t arg[6], uint64_t *ns)
{
	struct timespec t;

	if (c->form == MILLISECONDS) {
		*ns = (int32_t)arg[c->at] > 0 ? (uint64_t)(uint32_t)arg[c->at] * MILLISECOND : 0;
		return *ns;
	}
	if (!arg[c->at] || !host->get(&t, arg[c->at], sizeof t))
		return false;
	if (c->form == TIMEVAL)
		t.tv_nsec *= MICROSECOND;
	*ns = preload_is_time(&t) ? preload_ns(&t) : 0;
	return *ns;
}

/* A timeout `ns` from now, in the form that the call takes. */
static uint64_t put_step(const struct wait_call *c, clockid_t clock, uint64_t ns, struct timespec *t)
{
	if (c->form == MILLISECONDS)
		return (ns + MILLISECOND - 1) / MILLISECOND;
	*t = preload_time(0);
	if (c->form == MOMENT)
		preload_real_clock(clock, t);
	*t = preload_time(preload_ns(t) + ns);
	if (c->form == TIMEVAL)
		t->tv_nsec /= MICROSECOND;
	return (uintptr_t)t;
}

/* The descriptor sets given to select(), which it clears on a timeout. */
struct sets {
	size_t bytes;
	fd_set first[3];
};

static bool is_select(uint64_t number)
{
	return number == SYS_select || number == SYS_pselect6;
}

static bool keep_sets(const struct client_host *host, const uint64_t arg[6], struct sets *s)
{
	s->bytes = ((size_t)(int32_t)arg[0] + 63) / 64 * sizeof(uint64_t);
	if ((int32_t)arg[0] < 0 || s->bytes > sizeof s->first[0])
		return false;
	for (unsigned i = 0; i < LEN(s->first); i++)
		if (arg[i + 1] && !host->get(&s->first[i], arg[i + 1], s->bytes))
			return false;
	return true;
}

static void put_sets_back(const struct client_host *host, const uint64_t arg[6], const struct sets *s)
{
	for (unsigned i = 0; i < LEN(s->first); i++)
		if (arg[i + 1])
			host->put(arg[i + 1], &s->first[i], s->bytes);
}

static void tell_rest(const struct client_host *host, const struct wait_call *c, const uint64_t arg[6], uint64_t end)
{
	struct timespec t;
	uint64_t now;

	if (!c->tells_rest || !preload_clock(CLOCK_MONOTONIC, &now))
		return;
	t = preload_time(end > now ? end - now : 0);
	if (c->form == TIMEVAL)
		t.tv_nsec /= MICROSECOND;
	host->put(arg[c->at], &t, sizeof t);
}

static int64_t wait_in_steps(const struct client_host *host, const struct wait_call *c, const uint64_t arg[6], struct preload_wait *w,
			     const struct sets *sets)
{
	uint64_t again[6], step;
	struct timespec t;
	int64_t got;

	memcpy(again, arg, sizeof again);
	for (unsigned round = 0; ; round++) {
		step = preload_wait_step(w);
		if (round && is_select(c->number))
			put_sets_back(host, arg, sets);
		again[c->at] = put_step(c, w->clock, step, &t);
		got = host->kernel(c->number, again);
		/* A wait that has begun must not be restarted with its full timeout. */
		if (got == CLIENT_UNMADE && round)
			return -EINTR;
		if (got != c->over || !step)
			return got;
	}
}

static bool waits(const struct client_host *host, uint64_t number, const uint64_t arg[6], int64_t *result)
{
	const struct wait_call *c = wait_call_of(number, arg);
	struct preload_wait w;
	struct sets sets;
	uint64_t ns, now = 0;

	if (!c || !read_time(host, c, arg, &ns) || (is_select(number) && !keep_sets(host, arg, &sets)) ||
	    !preload_clock(clock_of(c, arg), &now))
		return false;
	if (c->form == MOMENT)
		now = 0;
	if (!preload_wait_begin(&w, clock_of(c, arg), now + ns))
		return false;
	*result = wait_in_steps(host, c, arg, &w, &sets);
	tell_rest(host, c, arg, now + ns);
	return true;
}

/* Timers. */

static _Atomic int timer_clocks[256];

static int64_t make_timer(const struct client_host *host, const uint64_t arg[6])
{
	int64_t result = host->kernel(SYS_timer_create, arg);
	int32_t timer;

	if (result == 0 && host->get(&timer, arg[2], sizeof timer))
		timer_clocks[(uint32_t)timer % LEN(timer_clocks)] = (int)arg[0];
	return result;
}

static bool set_timer(const struct client_host *host, uint64_t number, const uint64_t arg[6], int64_t *result)
{
	clockid_t clock;
	struct itimerspec t;
	uint64_t own[6];

	if (!(arg[1] & TIMER_ABSTIME) || !host->get(&t, arg[2], sizeof t))
		return false;
	clock = number == SYS_timer_settime ? timer_clocks[(uint32_t)arg[0] % LEN(timer_clocks)] : preload_timer_file_clock((int)arg[0]);
	t = preload_timer(clock, &t);
	memcpy(own, arg, sizeof own);
	own[2] = (uintptr_t)&t;
	*result = host->kernel((int64_t)number, own);
	return true;
}

/* Others. */

static int64_t memory(const struct client_host *host, const uint64_t arg[6])
{
	int64_t result = host->kernel(SYS_sysinfo, arg);
	struct sysinfo info;

	if (result < 0 || !host->get(&info, arg[0], sizeof info))
		return result;
	preload_fill_sysinfo(&info);
	return host->put(arg[0], &info, sizeof info) ? 0 : -EFAULT;
}

bool preload_call(const struct client_host *host, uint64_t number, const uint64_t arg[6], int64_t *result)
{
	switch (number) {
	case SYS_sched_setaffinity:
		*result = set_affinity(host, arg);
		return true;
	case SYS_sched_getaffinity:
		*result = get_affinity(host, arg);
		return true;
	case SYS_getcpu:
		*result = get_cpu(host, arg);
		return true;
	case SYS_clock_gettime:
		return clock_time(host, arg, result);
	case SYS_gettimeofday:
		return time_of_day(host, arg, result);
	case SYS_time:
		return seconds(host, arg, result);
	case SYS_nanosleep:
		return sleeps(host, CLOCK_REALTIME, 0, arg[0], arg[1], result);
	case SYS_clock_nanosleep:
		return sleeps(host, (clockid_t)arg[0], (int)arg[1], arg[2], arg[3], result);
	case SYS_timer_create:
		*result = make_timer(host, arg);
		return true;
	case SYS_timer_settime: case SYS_timerfd_settime:
		return set_timer(host, number, arg, result);
	case SYS_sysinfo:
		*result = memory(host, arg);
		return true;
	default:
		return waits(host, number, arg, result);
	}
}
