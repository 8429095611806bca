/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timer files.  The program reads and polls the kernel's file.  When our timer has run out n times, the kernel's is set to a time in
 * the past, so many of its own intervals ago that a read gives n.  Those intervals are a day and more, and differ by a microsecond from
 * timer to timer: so the interval tells whose a descriptor is, however often it has been duplicated.
 */
#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>

#include "emulator/timer.h"

#define BILLION UINT64_C(1000000000)

enum {
	INTERVAL_S = 100000,
	MARK_NS = 1000,			/* one timer's intervals are longer than another's */
	MOST_NS = 900000000,
	MOST_TOLD = 10000,		/* expirations at a time: so long ago was 1993 */
};

static uint64_t mark_in(int file)
{
	struct itimerspec now;

	if (file < 0 || timerfd_gettime(file, &now) < 0 || now.it_interval.tv_sec != INTERVAL_S)
		return 0;
	return (uint64_t)now.it_interval.tv_nsec;
}

static struct timespec interval_of(const struct native_timer *t)
{
	return (struct timespec){ .tv_sec = INTERVAL_S, .tv_nsec = (long)t->value };
}

bool native_timer_file_stop(const struct native_timer *t)
{
	struct itimerspec stopped = { .it_interval = interval_of(t) };

	return timerfd_settime(t->number, 0, &stopped, NULL) == 0;
}

bool native_timer_file_mark(struct native_timer *t)
{
	static uint64_t last;

	last += MARK_NS;
	t->value = last % MOST_NS;
	return native_timer_file_stop(t);
}

struct native_timer *native_timer_file(int file)
{
	uint64_t mark = mark_in(file);

	return mark ? native_timer_marked(mark) : NULL;
}

/* The program may have closed the descriptor that it had first, and have others of the file. */
static bool find_file(struct native_timer *t)
{
	DIR *all;
	struct dirent *d;
	bool found = mark_in(t->number) == t->value;

	all = found ? NULL : opendir("/proc/self/fd");
	while (all && !found && (d = readdir(all))) {
		t->number = atoi(d->d_name);
		found = mark_in(t->number) == t->value;
	}
	if (all)
		closedir(all);
	return found;
}

static bool is_unread(int file)
{
	struct pollfd p = { .fd = file, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

bool native_timer_file_tell(struct native_timer *t, uint64_t n)
{
	struct itimerspec ran = { .it_interval = interval_of(t) };
	struct timespec now;

	if (!find_file(t))
		return false;
	t->missed = n + (is_unread(t->number) ? t->missed : 0);
	if (t->missed > MOST_TOLD)
		t->missed = MOST_TOLD;
	clock_gettime(CLOCK_REALTIME, &now);
	ran.it_value.tv_sec = now.tv_sec - (time_t)(t->missed - 1) * INTERVAL_S - INTERVAL_S / 2;
	timerfd_settime(t->number, TFD_TIMER_ABSTIME, &ran, NULL);
	return true;
}

bool native_timer_file_lend(const struct native_timer *t, uint64_t left)
{
	struct itimerspec spec = { .it_interval = interval_of(t), .it_value = { .tv_sec = (time_t)(left / BILLION),
										.tv_nsec = (long)(left % BILLION) } };

	return !is_unread(t->number) && timerfd_settime(t->number, 0, &spec, NULL) == 0;
}

bool native_timer_file_ran(const struct native_timer *t)
{
	struct itimerspec now = { 0 };

	timerfd_gettime(t->number, &now);
	/* What is left of one of the kernel's own long intervals: it has run out, and perhaps been read. */
	if (is_unread(t->number) || now.it_value.tv_sec > INTERVAL_S / 4)
		return true;
	native_timer_file_stop(t);
	return false;
}
