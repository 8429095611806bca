/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks that are the machine's.  A thread knows its core's time when it has told all that it has done and has got the turn
 * again; so looking at a clock ends a turn, and no thread is shown an earlier time than another one was before.
 */
#include "emulator/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "plugin/life.h"
#include "emulator/timer.h"
#include "emulator/turns.h"

#define BILLION UINT64_C(1000000000)
#define PS UINT64_C(1000)		/* a nanosecond */
#define MICROSECOND UINT64_C(1000000)
#define TICK (BILLION / 100)		/* ns: what times() counts in */

/* What it takes to look at a clock: as long as so many locked instructions, RDTSC one, some more what libraries do around it. */
enum { COST_TSC = 1, COST_CALL = 3 };

/* The clocks of processes and threads by their numbers, as the kernel has them: ~number * 8 + CPU_*. */
enum { CPU_OF_THREAD = 4, CPU_SCHED = 2, CPU_KIND = 3 };

bool native_has_clock(void)
{
	return plugin_life.segment && plugin_life.machine_clock;
}

static uint64_t host_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * BILLION + (uint64_t)t.tv_nsec;
}

/* The machine has gone: its time goes on as the host's does. */
static uint64_t time_alone(uint64_t shown)
{
	static uint64_t since;

	if (!since)
		since = host_ns(CLOCK_MONOTONIC);
	return shown + (host_ns(CLOCK_MONOTONIC) - since) * PS;
}

/* ps.  A thread that is not traced knows what others have been shown. */
static uint64_t time_now(const struct native_env *env, unsigned cost)
{
	struct plugin_core *c = native_turns(env);
	const struct ring_segment *s = plugin_life.segment;

	if (c)
		return plugin_turn_time(c, cost);
	return ring_detached(s) ? time_alone(s->clock.shown) : s->clock.shown;
}

static bool waits_on_futex(const uint64_t arg[6])
{
	unsigned command = arg[1] & FUTEX_CMD_MASK;

	return arg[3] && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

static bool needs_time(uint64_t num, const uint64_t arg[6])
{
	switch (num) {
	case SYS_clock_gettime: case SYS_gettimeofday: case SYS_time: case SYS_times: case SYS_getrusage:
	case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6:
	case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_rt_sigtimedwait:
		return true;
	case SYS_futex:
		return waits_on_futex(arg);
	default:
		return native_is_timer_call(num);
	}
}

void native_clock_join(const struct native_env *env, uint64_t num, const uint64_t arg[6])
{
	if (native_has_clock() && needs_time(num, arg))
		native_take_turns(env);
}

void native_clock_start(const struct native_env *env)
{
	if (native_has_clock() && native_timers_adopt(false))
		native_take_turns(env);
}

uint64_t native_clock_tsc(const struct native_env *env)
{
	uint64_t mhz = plugin_life.segment->clock.tsc_mhz, ps;

	native_take_turns(env);
	ps = time_now(env, COST_TSC);
	return ps / MICROSECOND * mhz + ps % MICROSECOND * mhz / MICROSECOND;
}

uint64_t native_clock(const struct native_env *env)
{
	return native_has_clock() ? (time_now(env, COST_CALL) + PS - 1) / PS : host_ns(CLOCK_MONOTONIC);
}

uint64_t native_clock_real(const struct native_env *env)
{
	return native_has_clock() ? native_clock(env) + (uint64_t)plugin_life.segment->clock.real : host_ns(CLOCK_REALTIME);
}

static bool is_real(int32_t id)
{
	return id == CLOCK_REALTIME || id == CLOCK_REALTIME_ALARM || id == CLOCK_TAI;
}

bool native_clock_runs(int32_t id)
{
	return is_real(id) || id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME || id == CLOCK_BOOTTIME_ALARM;
}

uint64_t native_clock_when(const struct native_env *env, int32_t id, uint64_t ns)
{
	uint64_t now;

	if (!is_real(id))
		return ns;
	now = native_clock_real(env);
	return ns > now ? native_clock(env) + (ns - now) : 0;
}

/* For how long cores have run for the thread, or its process; ns. */
static bool ran(const struct native_env *env, bool thread, uint64_t *ns)
{
	struct plugin_core *c = native_turns(env);

	if (!c)
		return false;
	time_now(env, COST_CALL);
	*ns = (thread ? c->writer.ring->ran : c->writer.ring->process_ran) / PS;
	return true;
}

/* Clocks with a number count what a process or thread has run; others than the caller's are the kernel's. */
static bool numbered_clock(const struct native_env *env, int32_t id, uint64_t *ns)
{
	bool thread = id & CPU_OF_THREAD;
	int32_t number = ~(id >> 3);

	if ((id & CPU_KIND) > CPU_SCHED || (number && number != (thread ? gettid() : getpid())))
		return false;
	return ran(env, thread, ns);
}

/* What clock `id` shows; false: the kernel has it. */
static bool read_clock(const struct native_env *env, int32_t id, uint64_t *ns)
{
	switch (id) {
	case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_MONOTONIC_COARSE: case CLOCK_BOOTTIME: case CLOCK_BOOTTIME_ALARM:
		*ns = time_now(env, COST_CALL) / PS;
		return true;
	case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_REALTIME_ALARM: case CLOCK_TAI:
		*ns = time_now(env, COST_CALL) / PS + (uint64_t)plugin_life.segment->clock.real;
		return true;
	case CLOCK_PROCESS_CPUTIME_ID: case CLOCK_THREAD_CPUTIME_ID:
		return ran(env, id == CLOCK_THREAD_CPUTIME_ID, ns);
	default:
		return id < 0 && numbered_clock(env, id, ns);
	}
}

static int64_t put_time(uint64_t at, uint64_t ns, uint64_t part)
{
	int64_t t[2] = { (int64_t)(ns / BILLION), (int64_t)(ns % BILLION / part) };

	return !at || native_put(at, t, sizeof t) ? 0 : -EFAULT;
}

static int64_t time_of_day(struct native_env *env, const uint64_t arg[6])
{
	int64_t result = native_call_kernel(env, SYS_gettimeofday, arg);
	uint64_t ns = 0;

	read_clock(env, CLOCK_REALTIME, &ns);
	return result < 0 ? result : put_time(arg[0], ns, 1000);
}

static int64_t seconds(const struct native_env *env, uint64_t at)
{
	uint64_t ns = 0;
	int64_t now;

	read_clock(env, CLOCK_REALTIME, &ns);
	now = (int64_t)(ns / BILLION);
	return !at || native_put(at, &now, sizeof now) ? now : -EFAULT;
}

/* Of what has run here, all was the program's own. */
static int64_t process_times(struct native_env *env, const uint64_t arg[6])
{
	int64_t result = native_call_kernel(env, SYS_times, arg), used[2] = { 0 };
	uint64_t ns;

	if ((result < 0 && result > -4096) || !ran(env, false, &ns))
		return result;
	used[0] = (int64_t)(ns / TICK);
	if (arg[0] && !native_put(arg[0], used, sizeof used))
		return -EFAULT;
	read_clock(env, CLOCK_MONOTONIC, &ns);
	return (int64_t)(ns / TICK);
}

static int64_t usage(struct native_env *env, const uint64_t arg[6])
{
	int64_t result = native_call_kernel(env, SYS_getrusage, arg);
	uint64_t ns;

	if (result < 0 || (int32_t)arg[0] == RUSAGE_CHILDREN || !ran(env, (int32_t)arg[0] == RUSAGE_THREAD, &ns))
		return result;
	result = put_time(arg[1], ns, 1000);
	return result < 0 ? result : put_time(arg[1] + sizeof(struct timeval), 0, 1000);
}

bool native_clock_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	uint64_t ns;

	if (!native_has_clock())
		return false;
	switch (num) {
	case SYS_clock_gettime:
		if (!read_clock(env, (int32_t)arg[0], &ns))
			return false;
		*result = arg[1] ? put_time(arg[1], ns, 1) : -EFAULT;
		return true;
	case SYS_gettimeofday:
		*result = time_of_day(env, arg);
		return true;
	case SYS_time:
		*result = seconds(env, arg[0]);
		return true;
	case SYS_times:
		*result = process_times(env, arg);
		return true;
	case SYS_getrusage:
		*result = usage(env, arg);
		return true;
	default:
		return false;
	}
}
