/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers run in the world's time; one that is set to a moment of the machine's clock gets the world's that is as far away. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "virtual/preload/preload.h"

/* The clocks of the timers that timer_create() has made; those beyond the last are taken for CLOCK_REALTIME's. */
static struct {
	_Atomic uintptr_t timer;
	_Atomic int clock;
} timers[256];
static atomic_uint made;

struct itimerspec preload_timer(clockid_t clock, const struct itimerspec *wanted)
{
	struct itimerspec world = *wanted;
	struct timespec real;
	uint64_t now, when = preload_ns(&wanted->it_value);

	if (when == 0 || !preload_is_time(&wanted->it_value) || !preload_clock(clock, &now))
		return world;
	preload_real_clock(clock, &real);
	world.it_value = preload_time(preload_ns(&real) + (when > now ? when - now : 0));
	return world;
}

PRELOAD_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
	int err = PRELOAD_NEXT(timer_create)(clock, event, timer);
	unsigned i = err == 0 ? made++ % (sizeof timers / sizeof *timers) : 0;

	if (err == 0) {
		timers[i].clock = clock;
		timers[i].timer = (uintptr_t)*timer + 1;
	}
	return err;
}

static clockid_t clock_of_timer(timer_t timer)
{
	for (unsigned i = 0; i < sizeof timers / sizeof *timers; i++)
		if (timers[i].timer == (uintptr_t)timer + 1)
			return timers[i].clock;
	return CLOCK_REALTIME;
}

PRELOAD_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict wanted, struct itimerspec *restrict old)
{
	struct itimerspec world = flags & TIMER_ABSTIME ? preload_timer(clock_of_timer(timer), wanted) : *wanted;

	return PRELOAD_NEXT(timer_settime)(timer, flags, &world, old);
}

/* The kernel shows it among what is known of the descriptor. */
clockid_t preload_timer_file_clock(int fd)
{
	char path[40], text[400];
	const char *line;
	ssize_t n;
	int info;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY | O_CLOEXEC);
	n = info < 0 ? -1 : read(info, text, sizeof text - 1);
	if (info >= 0)
		close(info);
	text[n < 0 ? 0 : n] = '\0';
	line = strstr(text, "clockid:");
	return line ? atoi(line + 8) : CLOCK_REALTIME;
}

PRELOAD_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *wanted, struct itimerspec *old)
{
	struct itimerspec world = flags & TFD_TIMER_ABSTIME ? preload_timer(preload_timer_file_clock(fd), wanted) : *wanted;

	return PRELOAD_NEXT(timerfd_settime)(fd, flags, &world, old);
}
