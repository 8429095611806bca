/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The client's clocks follow the machine's time stamp counter.  A sleep is measured either in the world's time or in machine time.  In
 * the world's time, a long sleep is converted to machine time at the pace that the machine had during the client's first long sleep.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "virtual/cpu_clock.h"
#include "virtual/preload/preload.h"

enum {
	NS = 1000000000,
	SHORTEST = 200000, LONGEST = 200000000,	/* ns: pieces of a sleep in machine time */
	PATIENCE = 20,			/* seconds of the world's time to wait for a machine that makes no progress */
	PACED = 50000000,		/* ns: a sleep in the world's time this long measures the machine's pace */
	STOPS = 1000000,		/* ns: the machine stops at the end of a sleep in machine time this long */
	FASTER = 4,			/* a change of speed by this factor calls for a new pace */
};
#define FOREVER (INT64_C(1) << 33)	/* seconds */

static int (*next_clock_gettime)(clockid_t, struct timespec *);

int preload_real_clock(clockid_t clock, struct timespec *t)
{
	if (!next_clock_gettime)
		next_clock_gettime = PRELOAD_NEXT(clock_gettime);
	return next_clock_gettime(clock, t);
}

bool preload_tsc(uint64_t *tsc)
{
	struct timespec now;

	preload_real_clock(CLOCK_MONOTONIC, &now);
	return cpu_clock_read(&preload_page()->clock, preload_ns(&now), tsc);
}

static bool is_date(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

bool preload_clock(clockid_t clock, uint64_t *ns)
{
	const struct cpu_page *page = preload_page();
	uint64_t tsc;

	if (!page || (page->world_date && is_date(clock)))
		return false;
	switch (clock) {
	case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_MONOTONIC_COARSE: case CLOCK_BOOTTIME:
		*ns = page->monotonic;
		break;
	case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_TAI:
		*ns = page->realtime;
		break;
	default:
		return false;
	}
	if (!preload_tsc(&tsc))
		return false;
	*ns += (uint64_t)((bits_u128)tsc * 1000000 / page->tsc_khz);
	return true;
}

PRELOAD_EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
	uint64_t ns;

	if (!preload_clock(clock, &ns))
		return preload_real_clock(clock, t);
	*t = preload_time(ns);
	return 0;
}

PRELOAD_EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	uint64_t ns;

	if (!preload_clock(CLOCK_REALTIME, &ns))
		return PRELOAD_NEXT(gettimeofday)(t, zone);
	*t = (struct timeval){ .tv_sec = (time_t)(ns / NS), .tv_usec = (suseconds_t)(ns % NS / 1000) };
	return 0;
}

PRELOAD_EXPORT time_t time(time_t *t)
{
	uint64_t ns;

	if (!preload_clock(CLOCK_REALTIME, &ns))
		return PRELOAD_NEXT(time)(t);
	if (t)
		*t = (time_t)(ns / NS);
	return (time_t)(ns / NS);
}

PRELOAD_EXPORT int timespec_get(struct timespec *t, int base)
{
	return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, t) == 0 ? base : 0;
}

/* Sleeping. */

static int nap(const struct timespec *time, struct timespec *left, const sigset_t *mask)
{
	if (mask)
		return PRELOAD_NEXT(ppoll)(NULL, 0, time, mask) < 0 ? errno : 0;
	return PRELOAD_NEXT(clock_nanosleep)(CLOCK_MONOTONIC, 0, time, left);
}

preload_nap_fn *preload_nap = nap;

static uint64_t world_now(void)
{
	struct timespec now;

	preload_real_clock(CLOCK_MONOTONIC, &now);
	return preload_ns(&now);
}

/* A sleep ends when the machine's clock reaches `end`, or once the machine has reached `least` and the world `deadline`. */
struct sleep {
	uint64_t end, least, deadline;
};

/*
 * The machine's clock is rarely faster than the world's, so sleep for the remaining machine time in the world's time, and repeat until
 * the sleep is over.  Do not wait for a machine that has stopped.  0, or EINTR with the remaining machine time in *left.
 */
static int sleep_in_pieces(const struct sleep *s, const sigset_t *mask, uint64_t *left)
{
	uint64_t now, before = 0, moved = world_now();

	while (preload_clock(CLOCK_MONOTONIC, &now) && now < s->end && (now < s->least || world_now() < s->deadline)) {
		uint64_t rest = s->end - now;
		struct timespec step = preload_time(rest < SHORTEST ? SHORTEST : rest > LONGEST ? LONGEST : rest);
		int err;

		if (now != before)
			moved = world_now();
		else if (world_now() - moved > (uint64_t)PATIENCE * NS)
			break;
		before = now;
		err = preload_nap(&step, NULL, mask);
		if (err) {
			*left = preload_clock(CLOCK_MONOTONIC, &now) && now < s->end ? s->end - now : 0;
			return err;
		}
	}
	return 0;
}

/*
 * Block signals between the pieces: one handled there would not end the sleep.  The emulator keeps signals that arrive then, and ends
 * the next piece at once.
 */
static int sleep_until(const struct sleep *s, uint64_t *left)
{
	sigset_t all, mask;
	int err, saved = errno;

	if (preload_nap != nap)
		return sleep_in_pieces(s, NULL, left);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	err = sleep_in_pieces(s, &mask, left);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	errno = saved;
	return err;
}

/*
 * While it runs a load, the machine stops at the end of a sleep until the client has made its accesses (virtual_stand.c).  Of several
 * sleeps, the one that ends first counts.
 */
static void ask_for_stop(uint64_t end)
{
	struct cpu_page *page = preload_page();
	uint64_t stop = (uint64_t)(((bits_u128)(end - page->monotonic) * page->tsc_khz + 999999) / 1000000);
	uint64_t now, old = atomic_load(&page->stop);

	if (preload_tsc(&now) && (old <= now || stop < old))
		atomic_compare_exchange_strong(&page->stop, &old, stop);
}

static uint64_t at_pace(uint64_t ns, uint64_t pace)
{
	return (uint64_t)((bits_u128)ns * pace >> 32);
}

/* Set the pace from the machine time that passed during ns nanoseconds of a client's sleep. */
static void keep_pace(uint64_t passed, uint64_t ns)
{
	uint64_t pace = (uint64_t)(((bits_u128)passed << 32) / ns);

	atomic_store(&preload_page()->pace, pace ? pace : 1);
}

/*
 * Sleeps of equal length take equal machine time, although the machine's speed varies.  Otherwise a tool that measures the clock with two
 * sleeps, as LIKWID does, gets a wrong frequency.  A machine whose speed has changed by the factor FASTER gets a new pace.
 */
static int sleep_at_pace(uint64_t ns, uint64_t begin, uint64_t least, uint64_t *left)
{
	uint64_t pace = atomic_load(&preload_page()->pace), world = world_now(), now, passed;
	struct sleep s = { .least = least, .deadline = world + FASTER * ns };
	int err;

	for (;;) {
		s.end = begin + at_pace(ns, pace);
		if (s.end < least)
			s.end = least;
		ask_for_stop(s.end);
		err = sleep_until(&s, left);
		if (err) {
			*left = (uint64_t)((bits_u128)*left * ns / (s.end - begin));
			return err;
		}
		passed = world_now() - world;
		if (passed >= ns / FASTER || pace >= UINT64_MAX / FASTER)
			break;
		pace *= FASTER;
		atomic_store(&preload_page()->pace, pace);
	}
	if (preload_clock(CLOCK_MONOTONIC, &now) && now < s.end)
		keep_pace(now - begin, ns);
	return 0;
}

/* Sleep for ns in the world's time, then until the machine has reached `least`. */
static int sleep_in_world(uint64_t ns, uint64_t begin, uint64_t least, uint64_t *left)
{
	const struct sleep s = { .end = least, .least = least };
	struct timespec time = preload_time(ns), rest = { 0 };
	uint64_t now;
	int err = preload_nap(&time, &rest, NULL);

	if (err) {
		*left = preload_ns(&rest);
		return err;
	}
	err = sleep_until(&s, left);
	if (err == 0 && ns >= PACED && preload_clock(CLOCK_MONOTONIC, &now) && now > begin)
		keep_pace(now - begin, ns);
	return err;
}

/* Sleep for ns nanoseconds of the world's or the machine's time.  0, or an error with the remaining time in *left. */
static int sleep_for(uint64_t ns, uint64_t *left)
{
	uint64_t share = preload_page()->sleeps, begin = 0, least;

	preload_clock(CLOCK_MONOTONIC, &begin);
	least = begin + (uint64_t)((bits_u128)ns * share / CPU_PAGE_WHOLE);
	if (share >= CPU_PAGE_WHOLE) {
		const struct sleep s = { .end = least, .least = least };

		if (ns >= STOPS)
			ask_for_stop(least);
		return sleep_until(&s, left);
	}
	return ns >= PACED && atomic_load(&preload_page()->pace) ? sleep_at_pace(ns, begin, least, left)
								  : sleep_in_world(ns, begin, least, left);
}

bool preload_is_time(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_sec <= FOREVER && t->tv_nsec >= 0 && t->tv_nsec < NS;
}

int preload_sleep(clockid_t clock, int flags, const struct timespec *when, struct timespec *left)
{
	uint64_t now = 0, rest = 0;
	int err;

	if (flags & TIMER_ABSTIME)
		preload_clock(clock, &now);
	err = sleep_for(preload_ns(when) > now ? preload_ns(when) - now : 0, &rest);
	if (err && left && !(flags & TIMER_ABSTIME))
		*left = preload_time(rest);
	return err;
}

/* A relative sleep is the same on both clocks. */
clockid_t preload_sleep_clock(clockid_t clock, int flags)
{
	return clock == CLOCK_REALTIME && !(flags & TIMER_ABSTIME) ? CLOCK_MONOTONIC : clock;
}

PRELOAD_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *when, struct timespec *left)
{
	uint64_t now;

	clock = preload_sleep_clock(clock, flags);
	if (!preload_clock(clock, &now) || !preload_is_time(when))
		return PRELOAD_NEXT(clock_nanosleep)(clock, flags, when, left);
	return preload_sleep(clock, flags, when, left);
}

PRELOAD_EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
	int err = clock_nanosleep(CLOCK_REALTIME, 0, time, left);

	errno = err ? err : errno;
	return err ? -1 : 0;
}

PRELOAD_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
	int err = clock_nanosleep(CLOCK_REALTIME, 0, time, left);

	return err == 0 ? 0 : err == EINTR ? -1 : -2;
}

PRELOAD_EXPORT int usleep(useconds_t us)
{
	struct timespec t = preload_time((uint64_t)us * 1000);

	return nanosleep(&t, NULL);
}

PRELOAD_EXPORT unsigned sleep(unsigned seconds)
{
	struct timespec t = { .tv_sec = seconds }, left = t;

	return nanosleep(&t, &left) == 0 ? 0 : (unsigned)left.tv_sec + (left.tv_nsec >= NS / 2);
}
