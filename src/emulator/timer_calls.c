/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls about timers, as Linux answers them, where the program's clocks are the machine's. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "emulator/clock.h"
#include "emulator/timer.h"
#include "emulator/turns.h"

#define BILLION UINT64_C(1000000000)
#define LONGEST (UINT64_C(1) << 33)	/* seconds: as far as a number of ns reaches, and beyond is as good as never */

/* Two times in memory, seconds and parts: from one expiration to the next, and until the first.  0, -EFAULT, -EINVAL. */
static int64_t get_times(uint64_t at, uint64_t part, uint64_t *left, uint64_t *every)
{
	int64_t t[4];
	uint64_t ns[2];

	if (!native_get(t, at, sizeof t))
		return -EFAULT;
	for (unsigned i = 0; i < 2; i++) {
		if (t[2 * i] < 0 || t[2 * i + 1] < 0 || (uint64_t)t[2 * i + 1] >= BILLION / part)
			return -EINVAL;
		ns[i] = (uint64_t)t[2 * i] > LONGEST ? LONGEST * BILLION : (uint64_t)t[2 * i] * BILLION + (uint64_t)t[2 * i + 1] * part;
	}
	*every = ns[0];
	*left = ns[1];
	return 0;
}

static uint64_t left_of(const struct plugin_core *c, const struct native_timer *t)
{
	uint64_t now = native_timer_now(c, t);

	return !t->due ? 0 : t->due > now ? t->due - now : 1;
}

/* Interval first, as struct itimerval and struct itimerspec have them. */
static int64_t put_times(uint64_t at, uint64_t left, uint64_t every, uint64_t part)
{
	/* What is left of less than a part is not nothing. */
	uint64_t up = left ? left + part - 1 : 0;
	int64_t t[4] = { (int64_t)(every / BILLION), (int64_t)(every % BILLION / part),
			 (int64_t)(up / BILLION), (int64_t)(up % BILLION / part) };

	return !at || native_put(at, t, sizeof t) ? 0 : -EFAULT;
}

static struct native_timer *interval_timer(int32_t which)
{
	struct native_timer *t = native_timer_find(NATIVE_TIMER_INTERVAL, which);

	if (t || !(t = native_timer_new(NATIVE_TIMER_INTERVAL, which)))
		return t;
	t->by_work = which != ITIMER_REAL;
	t->clock = CLOCK_MONOTONIC;
	t->notify = SIGEV_SIGNAL;
	return t;
}

static void set(struct plugin_core *c, struct native_timer *t, uint64_t left, uint64_t every)
{
	native_timer_set(c, t, left ? native_timer_now(c, t) + left : 0, every);
}

/* Without new times it stops. */
static int64_t set_interval(struct plugin_core *c, const uint64_t arg[6])
{
	struct native_timer *t = arg[0] <= ITIMER_PROF ? interval_timer((int32_t)arg[0]) : NULL;
	uint64_t left = 0, every = 0, old_left, old_every;
	int64_t result;

	if (!t)
		return -EINVAL;
	result = arg[1] ? get_times(arg[1], 1000, &left, &every) : 0;
	if (result < 0)
		return result;
	old_left = left_of(c, t);
	old_every = t->every;
	set(c, t, left, every);
	return put_times(arg[2], old_left, old_every, 1000);
}

static int64_t get_interval(const struct plugin_core *c, const uint64_t arg[6])
{
	struct native_timer *t = arg[0] <= ITIMER_PROF ? interval_timer((int32_t)arg[0]) : NULL;

	if (!t)
		return -EINVAL;
	return arg[1] ? put_times(arg[1], left_of(c, t), t->every, 1000) : -EFAULT;
}

/* Seconds to the nearest, but one that runs has not none. */
static int64_t set_alarm(struct plugin_core *c, uint32_t seconds)
{
	struct native_timer *t = interval_timer(ITIMER_REAL);
	uint64_t left = t ? left_of(c, t) : 0, whole = left / BILLION + (left % BILLION >= BILLION / 2);

	if (t)
		set(c, t, seconds * BILLION, 0);
	return (int64_t)(left && !whole ? 1 : whole);
}

static int64_t set_by(struct native_env *env, struct plugin_core *c, struct native_timer *t, bool absolute, uint64_t at, uint64_t old)
{
	uint64_t left, every, old_left = left_of(c, t), old_every = t->every;
	int64_t result = get_times(at, 1, &left, &every);

	if (result < 0)
		return result;
	if (absolute && left) {
		uint64_t due = native_clock_when(env, t->clock, left);

		native_timer_set(c, t, due ? due : 1, every);
	} else {
		set(c, t, left, every);
	}
	return put_times(old, old_left, old_every, 1);
}

/* The kernel says whether there can be such a timer, and gives it its number. */
static int64_t make(struct native_env *env, const uint64_t arg[6])
{
	int64_t result = native_call_kernel(env, SYS_timer_create, arg);
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct native_timer *t;
	int32_t number;

	if (result < 0 || !native_get(&number, arg[2], sizeof number))
		return result;
	t = native_clock_runs((int32_t)arg[0]) || arg[0] == CLOCK_PROCESS_CPUTIME_ID ? native_timer_new(NATIVE_TIMER_POSIX, number) : NULL;
	if (!t) {
		plugin_note(RING_NOTE_HOST_CLOCK);
		return result;
	}
	how.sigev_value.sival_int = number;
	if (arg[1])
		native_get(&how, arg[1], sizeof how);
	t->clock = (int32_t)arg[0];
	t->by_work = arg[0] == CLOCK_PROCESS_CPUTIME_ID;
	t->signal = how.sigev_signo;
	t->notify = how.sigev_notify;
	t->thread = how._sigev_un._tid;
	t->value = (uintptr_t)how.sigev_value.sival_ptr;
	return result;
}

static int64_t end(struct native_env *env, struct plugin_core *c, const uint64_t arg[6], struct native_timer *t)
{
	int64_t result = native_call_kernel(env, SYS_timer_delete, arg);

	if (result == 0) {
		native_timer_end(t);
		native_timer_set(c, t, 0, 0);
	}
	return result;
}

/* The file's own clock is one that goes back far enough; which one the program wants is the kernel's to check. */
static int64_t make_file(struct native_env *env, const uint64_t arg[6])
{
	bool timed = native_clock_runs((int32_t)arg[0]) && arg[0] != CLOCK_TAI;
	const uint64_t real[6] = { timed ? CLOCK_REALTIME : arg[0], arg[1] };
	int64_t result = native_call_kernel(env, SYS_timerfd_create, real);
	struct native_timer *t = result >= 0 && timed ? native_timer_new(NATIVE_TIMER_FILE, (int32_t)result) : NULL;

	if (t)
		t->clock = (int32_t)arg[0];
	if (t && !native_timer_file_mark(t))
		native_timer_end(t);
	return result;
}

static bool file_call(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	struct native_timer *t = native_timer_file((int)arg[0]);
	bool gets = num == SYS_timerfd_gettime;

	if (!t || (!gets && (arg[1] & ~(uint64_t)(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))))
		return false;
	if (gets) {
		*result = put_times(arg[1], left_of(c, t), t->every, 1);
		return true;
	}
	t->number = (int32_t)arg[0];
	*result = set_by(env, c, t, arg[1] & TFD_TIMER_ABSTIME, arg[2], arg[3]);
	if (*result == 0)
		native_timer_file_stop(t);
	return true;
}

static bool posix_call(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	struct native_timer *t = native_timer_find(NATIVE_TIMER_POSIX, (int32_t)arg[0]);

	if (!t)
		return false;
	switch (num) {
	case SYS_timer_settime:
		*result = arg[2] ? set_by(env, c, t, arg[1] & TIMER_ABSTIME, arg[2], arg[3]) : -EINVAL;
		return true;
	case SYS_timer_gettime:
		*result = arg[1] ? put_times(arg[1], left_of(c, t), t->every, 1) : -EFAULT;
		return true;
	case SYS_timer_getoverrun:
		*result = (int64_t)t->missed;
		return true;
	default:
		*result = end(env, c, arg, t);
		return true;
	}
}

bool native_is_timer_call(uint64_t num)
{
	switch (num) {
	case SYS_alarm: case SYS_setitimer: case SYS_getitimer: case SYS_timer_create: case SYS_timer_settime: case SYS_timer_gettime:
	case SYS_timer_getoverrun: case SYS_timer_delete: case SYS_timerfd_create: case SYS_timerfd_settime: case SYS_timerfd_gettime:
		return true;
	default:
		return false;
	}
}

/* With the turn, and the time just looked at. */
static bool timed_call(struct native_env *env, struct plugin_core *c, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	switch (num) {
	case SYS_alarm:
		*result = set_alarm(c, (uint32_t)arg[0]);
		return true;
	case SYS_setitimer:
		*result = set_interval(c, arg);
		return true;
	case SYS_getitimer:
		*result = get_interval(c, arg);
		return true;
	case SYS_timer_create:
		*result = make(env, arg);
		return true;
	case SYS_timer_settime: case SYS_timer_gettime: case SYS_timer_getoverrun: case SYS_timer_delete:
		return posix_call(env, c, num, arg, result);
	case SYS_timerfd_create:
		*result = make_file(env, arg);
		return true;
	case SYS_timerfd_settime: case SYS_timerfd_gettime:
		return file_call(env, c, num, arg, result);
	default:
		return false;
	}
}

bool native_timer_call(struct native_env *env, uint64_t num, const uint64_t arg[6], int64_t *result)
{
	struct plugin_core *c = native_has_clock() && !env->shares && native_is_timer_call(num) ? native_turns(env) : NULL;
	bool ours;

	if (!c)
		return false;
	native_clock(env);
	ours = timed_call(env, c, num, arg, result);
	/* One that has run out already is told now. */
	plugin_turn_yield(c);
	return ours;
}
