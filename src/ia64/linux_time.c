// SPDX-License-Identifier: BSD-2-Clause
/*
 * The program's clocks.  They go by the machine: the cycles of ar.itc, and what sleeps have skipped.  The date is this computer's
 * at the start of the program.
 */
#include <errno.h>
#include <sys/times.h>
#include <time.h>

#include "linux.h"
#include "user.h"

enum { NS = 1000000000, CLOCK_TICKS = 100 };

uint64_t linux_now(const struct ia64 *m)
{
	uint64_t itc = m->itc, khz = m->itc_khz;

	return m->linux_state.slept + itc / khz * 1000000 + itc % khz * 1000000 / khz;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS), (long)(ns % NS) };
}

static bool is_date(uint64_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

/* Nanoseconds by a clock. */
static uint64_t read_clock(const struct ia64 *m, uint64_t clock)
{
	const struct linux_state *l = &m->linux_state;
	bool cpu = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;

	return linux_now(m) - (cpu ? l->slept : 0) + (is_date(clock) ? l->started_s * NS + l->started_ns : 0);
}

int64_t linux_clock_gettime(struct ia64 *m, const uint64_t *a)
{
	struct timespec now;

	if (a[0] > CLOCK_TAI)
		return -EINVAL;
	now = to_timespec(read_clock(m, a[0]));
	return user_write(m, a[1], &now, sizeof now) ? 0 : -EFAULT;
}

int64_t linux_clock_getres(struct ia64 *m, const uint64_t *a)
{
	static const struct timespec one = { 0, 1 };

	if (a[0] > CLOCK_TAI)
		return -EINVAL;
	return !a[1] || user_write(m, a[1], &one, sizeof one) ? 0 : -EFAULT;
}

int64_t linux_gettimeofday(struct ia64 *m, const uint64_t *a)
{
	uint64_t ns = read_clock(m, CLOCK_REALTIME);
	const uint64_t now[2] = { ns / NS, ns % NS / 1000 };
	static const int zone[2];

	if ((a[0] && !user_write(m, a[0], now, sizeof now)) || (a[1] && !user_write(m, a[1], zone, sizeof zone)))
		return -EFAULT;
	return 0;
}

uint64_t linux_moment(const struct ia64 *m, uint64_t clock, uint64_t ns)
{
	uint64_t now = read_clock(m, clock);

	return linux_now(m) + (ns > now ? ns - now : 0);
}

int64_t linux_timespec(struct ia64 *m, uint64_t address, uint64_t *ns)
{
	struct timespec t;

	if (!user_read(m, &t, address, sizeof t))
		return -EFAULT;
	if (t.tv_sec < 0 || t.tv_nsec < 0 || t.tv_nsec >= NS)
		return -EINVAL;
	*ns = (uint64_t)t.tv_sec > UINT64_MAX / NS / 2 ? UINT64_MAX / 2 : (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
	return 0;
}

static int64_t sleep_for(struct ia64 *m, uint64_t request, uint64_t clock, bool until)
{
	uint64_t ns;
	int64_t err = linux_timespec(m, request, &ns);

	return err < 0 ? err : linux_wait(m, 0, 0, until ? linux_moment(m, clock, ns) : linux_now(m) + ns, 0);
}

int64_t linux_nanosleep(struct ia64 *m, const uint64_t *a)
{
	return sleep_for(m, a[0], CLOCK_MONOTONIC, false);
}

int64_t linux_clock_nanosleep(struct ia64 *m, const uint64_t *a)
{
	if (a[0] > CLOCK_TAI || a[0] == CLOCK_THREAD_CPUTIME_ID)
		return -EINVAL;
	return sleep_for(m, a[2], a[0], a[1] & TIMER_ABSTIME);
}

int64_t linux_times(struct ia64 *m, const uint64_t *a)
{
	uint64_t ns = linux_now(m);
	const uint64_t spent[4] = { (ns - m->linux_state.slept) / (NS / CLOCK_TICKS) };

	if (a[0] && !user_write(m, a[0], spent, sizeof spent))
		return -EFAULT;
	return (int64_t)(ns / (NS / CLOCK_TICKS));
}
