/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits that C++ and Rust libraries ask of the kernel themselves, by futex(2) through syscall(). */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "virtual/preload/preload.h"

enum { LOCK_PI2 = 13 };		/* FUTEX_LOCK_PI2, since Linux 5.14 */

/* How the fourth argument of an operation is a time: not, from now on, or as a moment. */
static enum { NO_TIME, FROM_NOW, MOMENT } time_of(long operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return FROM_NOW;
	case FUTEX_WAIT_BITSET: case FUTEX_LOCK_PI: case LOCK_PI2: case FUTEX_WAIT_REQUEUE_PI:
		return MOMENT;
	default:
		return NO_TIME;
	}
}

static clockid_t clock_of(long operation)
{
	bool real = operation & FUTEX_CLOCK_REALTIME || (operation & FUTEX_CMD_MASK) == FUTEX_LOCK_PI;

	return real ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

static bool begin(struct preload_wait *w, long operation, const struct timespec *t)
{
	uint64_t from = 0;

	if (time_of(operation) == NO_TIME || !t || !preload_is_time(t))
		return false;
	if (time_of(operation) == FROM_NOW && !preload_clock(CLOCK_MONOTONIC, &from))
		return false;
	return preload_wait_begin(w, clock_of(operation), from + preload_ns(t));
}

/* The kernel compares the word each time, so a wake-up between two waits is not lost: the word has changed then. */
long preload_futex(const long arg[6])
{
	long again[6] = { arg[0], arg[1], arg[2], arg[3], arg[4], arg[5] }, got;
	struct preload_wait w;
	struct timespec t;
	uint64_t step;

	if (!begin(&w, arg[1], (const struct timespec *)arg[3]))
		return preload_kernel(SYS_futex, arg);
	again[3] = (long)&t;
	do {
		step = preload_wait_step(&w);
		if (time_of(arg[1]) == MOMENT)
			preload_real_clock(w.clock, &t);
		else
			t = preload_time(0);
		t = preload_time(preload_ns(&t) + step);
		got = preload_kernel(SYS_futex, again);
	} while (got < 0 && errno == ETIMEDOUT && step);
	return got;
}
