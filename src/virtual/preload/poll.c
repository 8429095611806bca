/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for input, signals and others for so long: as waits of wait.c, from now on.  A time of 0 asks only, and none waits for
 * ever; both go to the C library as they are.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/time.h>

#include "virtual/preload/preload.h"

/* Begin a wait of so many nanoseconds; false: the C library waits by itself. */
static bool begin(struct preload_wait *w, uint64_t ns)
{
	uint64_t now;

	return ns && preload_clock(CLOCK_MONOTONIC, &now) && preload_wait_begin(w, CLOCK_MONOTONIC, now + ns);
}

static bool begin_time(struct preload_wait *w, const struct timespec *t)
{
	return t && preload_is_time(t) && begin(w, preload_ns(t));
}

static bool begin_ms(struct preload_wait *w, int ms)
{
	return ms > 0 && begin(w, (uint64_t)ms * 1000000);
}

static int ms_of(uint64_t step)
{
	uint64_t ms = (step + 999999) / 1000000;

	return ms > INT_MAX ? INT_MAX : (int)ms;
}

PRELOAD_EXPORT int poll(struct pollfd *files, nfds_t n, int ms)
{
	struct preload_wait w;
	uint64_t step;
	int got;

	if (!begin_ms(&w, ms))
		return PRELOAD_NEXT(poll)(files, n, ms);
	do {
		step = preload_wait_step(&w);
		got = PRELOAD_NEXT(poll)(files, n, ms_of(step));
	} while (got == 0 && step);
	return got;
}

/* What programs call that were compiled with checks: the array has room for so many bytes. */
int __poll_chk(struct pollfd *files, nfds_t n, int ms, size_t room);
int __ppoll_chk(struct pollfd *files, nfds_t n, const struct timespec *time, const sigset_t *mask, size_t room);

PRELOAD_EXPORT int __poll_chk(struct pollfd *files, nfds_t n, int ms, size_t room)
{
	if (room / sizeof *files < n)
		__builtin_trap();
	return poll(files, n, ms);
}

PRELOAD_EXPORT int ppoll(struct pollfd *files, nfds_t n, const struct timespec *time, const sigset_t *mask)
{
	struct preload_wait w;
	struct timespec t;
	uint64_t step;
	int got;

	if (!begin_time(&w, time))
		return PRELOAD_NEXT(ppoll)(files, n, time, mask);
	do {
		step = preload_wait_step(&w);
		t = preload_time(step);
		got = PRELOAD_NEXT(ppoll)(files, n, &t, mask);
	} while (got == 0 && step);
	return got;
}

PRELOAD_EXPORT int __ppoll_chk(struct pollfd *files, nfds_t n, const struct timespec *time, const sigset_t *mask, size_t room)
{
	if (room / sizeof *files < n)
		__builtin_trap();
	return ppoll(files, n, time, mask);
}

/* The sets that a select() begins with, which it overwrites. */
struct sets {
	fd_set *of[3], first[3];
};

static void keep(struct sets *s, fd_set *in, fd_set *out, fd_set *except)
{
	s->of[0] = in, s->of[1] = out, s->of[2] = except;
	for (unsigned i = 0; i < 3; i++)
		if (s->of[i])
			s->first[i] = *s->of[i];
}

static void put_back(const struct sets *s)
{
	for (unsigned i = 0; i < 3; i++)
		if (s->of[i])
			*s->of[i] = s->first[i];
}

PRELOAD_EXPORT int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
			   const struct timespec *restrict time, const sigset_t *restrict mask)
{
	struct preload_wait w;
	struct timespec t;
	struct sets sets;
	uint64_t step;
	int got;

	/* Sets of more descriptors than the type has room for cannot be kept here. */
	if (n > FD_SETSIZE || !begin_time(&w, time))
		return PRELOAD_NEXT(pselect)(n, in, out, except, time, mask);
	keep(&sets, in, out, except);
	do {
		step = preload_wait_step(&w);
		t = preload_time(step);
		put_back(&sets);
		got = PRELOAD_NEXT(pselect)(n, in, out, except, &t, mask);
	} while (got == 0 && step);
	return got;
}

/* Linux leaves what remains of the time; some clients sleep so. */
PRELOAD_EXPORT int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except, struct timeval *restrict time)
{
	uint64_t begun, now, all;
	struct timespec t;
	int got;

	if (!time || time->tv_sec < 0 || time->tv_usec < 0 || !preload_clock(CLOCK_MONOTONIC, &begun))
		return PRELOAD_NEXT(select)(n, in, out, except, time);
	all = (uint64_t)time->tv_sec * PRELOAD_SECOND + (uint64_t)time->tv_usec * 1000;
	t = preload_time(all);
	got = pselect(n, in, out, except, &t, NULL);
	preload_clock(CLOCK_MONOTONIC, &now);
	all = got != 0 && all > now - begun ? all - (now - begun) : 0;
	*time = (struct timeval){ (time_t)(all / PRELOAD_SECOND), (suseconds_t)(all % PRELOAD_SECOND / 1000) };
	return got;
}

PRELOAD_EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int most, int ms, const sigset_t *mask)
{
	struct preload_wait w;
	uint64_t step;
	int got;

	if (!begin_ms(&w, ms))
		return PRELOAD_NEXT(epoll_pwait)(epoll, events, most, ms, mask);
	do {
		step = preload_wait_step(&w);
		got = PRELOAD_NEXT(epoll_pwait)(epoll, events, most, ms_of(step), mask);
	} while (got == 0 && step);
	return got;
}

PRELOAD_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int most, int ms)
{
	return epoll_pwait(epoll, events, most, ms, NULL);
}

PRELOAD_EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int most, const struct timespec *time,
				const sigset_t *mask)
{
	struct preload_wait w;
	struct timespec t;
	uint64_t step;
	int got;

	if (!begin_time(&w, time))
		return PRELOAD_NEXT(epoll_pwait2)(epoll, events, most, time, mask);
	do {
		step = preload_wait_step(&w);
		t = preload_time(step);
		got = PRELOAD_NEXT(epoll_pwait2)(epoll, events, most, &t, mask);
	} while (got == 0 && step);
	return got;
}

PRELOAD_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict time)
{
	struct preload_wait w;
	struct timespec t;
	uint64_t step;
	int got;

	if (!begin_time(&w, time))
		return PRELOAD_NEXT(sigtimedwait)(set, info, time);
	do {
		step = preload_wait_step(&w);
		t = preload_time(step);
		got = PRELOAD_NEXT(sigtimedwait)(set, info, &t);
	} while (got < 0 && errno == EAGAIN && step);
	return got;
}

PRELOAD_EXPORT int semtimedop(int sem, struct sembuf *operations, size_t n, const struct timespec *time)
{
	struct preload_wait w;
	struct timespec t;
	uint64_t step;
	int got;

	if (!begin_time(&w, time))
		return PRELOAD_NEXT(semtimedop)(sem, operations, n, time);
	do {
		step = preload_wait_step(&w);
		t = preload_time(step);
		got = PRELOAD_NEXT(semtimedop)(sem, operations, n, &t);
	} while (got < 0 && errno == EAGAIN && step);
	return got;
}
