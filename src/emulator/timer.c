/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulator/timer.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "plugin/life.h"
#include "emulator/frame.h"
#include "emulator/turns.h"

#define BILLION UINT64_C(1000000000)
#define PS UINT64_C(1000)		/* a nanosecond */
#define NEVER UINT64_MAX

enum { MOST = 128 };

static struct {
	struct native_timer timer[MOST];
	unsigned used;
	bool busy;			/* expirations are being told */
} all;

static void begun(struct plugin_core *c);

struct native_timer *native_timer_find(enum native_timer_kind kind, int32_t number)
{
	for (unsigned i = 0; i < all.used; i++) {
		if (all.timer[i].kind == kind && all.timer[i].number == number)
			return all.timer + i;
	}
	return NULL;
}

struct native_timer *native_timer_marked(uint64_t mark)
{
	for (unsigned i = 0; i < all.used; i++) {
		if (all.timer[i].kind == NATIVE_TIMER_FILE && all.timer[i].value == mark)
			return all.timer + i;
	}
	return NULL;
}

struct native_timer *native_timer_new(enum native_timer_kind kind, int32_t number)
{
	struct native_timer *t = native_timer_find(NATIVE_TIMER_NONE, 0);

	plugin_turn_begun = begun;
	if (!t && all.used < MOST)
		t = all.timer + all.used++;
	if (t)
		*t = (struct native_timer){ .kind = kind, .number = number };
	return t;
}

void native_timer_end(struct native_timer *t)
{
	*t = (struct native_timer){ .kind = NATIVE_TIMER_NONE };
}

static uint64_t time_of(const struct plugin_core *c)
{
	return (c->writer.ring->time + PS - 1) / PS;
}

uint64_t native_timer_now(const struct plugin_core *c, const struct native_timer *t)
{
	return t->by_work ? c->writer.ring->process_ran / PS : time_of(c);
}

bool native_timers_run(void)
{
	for (unsigned i = 0; i < all.used; i++) {
		if (all.timer[i].due)
			return true;
	}
	return false;
}

/* Tell the machine when to wake a waiting thread for the first timer, and this thread within what time to look again. */
static void show_first(struct plugin_core *c)
{
	uint64_t first = NEVER, look = NEVER;

	for (unsigned i = 0; i < all.used; i++) {
		const struct native_timer *t = all.timer + i;
		uint64_t now = native_timer_now(c, t), left = t->due > now ? t->due - now : 0;

		if (!t->due)
			continue;
		look = left < look ? left : look;
		if (!t->by_work && t->due < first)
			first = t->due;
	}
	c->writer.segment->clock.timer[plugin_life.space] = first > RING_FAR / PS ? 0 : first * PS;
	c->look_within = look;
}

void native_timer_set(struct plugin_core *c, struct native_timer *t, uint64_t due, uint64_t every)
{
	t->due = due;
	t->every = every;
	t->missed = 0;
	show_first(c);
}

/* Send the signal with the siginfo that the kernel would give it. */
static void send(const struct native_timer *t)
{
	static const int signals[] = { [ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF };
	siginfo_t info = { .si_signo = t->signal, .si_code = SI_TIMER };

	if (t->kind == NATIVE_TIMER_INTERVAL) {
		info.si_signo = signals[t->number];
		info.si_code = SI_KERNEL;
	} else {
		info.si_timerid = t->number;
		info.si_overrun = (int)t->missed;
		info.si_value.sival_ptr = (void *)(uintptr_t)t->value;
	}
	if (t->notify == SIGEV_THREAD_ID)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), t->thread, info.si_signo, &info);
	else
		syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info);
}

/* Does its signal still wait to be taken?  Another one is then only counted. */
static bool is_pending(const struct native_timer *t)
{
	return t->kind == NATIVE_TIMER_POSIX && (native_pending() & native_bit(t->signal));
}

void native_timer_taken(siginfo_t *info)
{
	const struct native_timer *t = info->si_code == SI_TIMER ? native_timer_find(NATIVE_TIMER_POSIX, info->si_timerid) : NULL;

	if (t)
		info->si_overrun = (int)t->missed;
}

static void tell(struct native_timer *t, uint64_t n)
{
	if (t->kind == NATIVE_TIMER_FILE) {
		if (!native_timer_file_tell(t, n))
			t->kind = NATIVE_TIMER_NONE;
	} else if (is_pending(t)) {
		t->missed += n;
	} else if (t->notify != SIGEV_NONE) {
		t->missed = n - 1;
		send(t);
	}
}

static bool expire(const struct plugin_core *c, struct native_timer *t)
{
	uint64_t now = native_timer_now(c, t), n;

	if (!t->due || t->due > now)
		return false;
	n = t->every ? (now - t->due) / t->every + 1 : 1;
	t->due = t->every ? t->due + n * t->every : 0;
	tell(t, n);
	if (t->kind == NATIVE_TIMER_NONE)
		native_timer_end(t);
	return true;
}

/* A call that waits looks at them itself. */
static void begun(struct plugin_core *c)
{
	if (all.used && (c->waits || all.busy))
		show_first(c);
	else if (all.used)
		native_timers_expire(c);
}

void native_timers_expire(struct plugin_core *c)
{
	bool told = false;

	for (unsigned i = 0; i < all.used; i++)
		told |= expire(c, all.timer + i);
	show_first(c);
	if (!told)
		return;
	/* Whoever waits for that goes on from this moment. */
	all.busy = true;
	atomic_fetch_add(&c->writer.segment->clock.kills, 1);
	plugin_turn_event(c, RING_IO);
	plugin_turn_yield(c);
	all.busy = false;
}

static bool lend(const struct native_timer *t, uint64_t left)
{
	struct itimerspec spec = { .it_value = { .tv_sec = (time_t)(left / BILLION), .tv_nsec = (long)(left % BILLION) + !left } };
	struct itimerval val = { .it_value = { .tv_sec = (time_t)(left / BILLION), .tv_usec = (suseconds_t)(left % BILLION / 1000) + 1 } };

	if (t->kind == NATIVE_TIMER_FILE)
		return native_timer_file_lend(t, left);
	if (t->kind == NATIVE_TIMER_POSIX)
		return syscall(SYS_timer_settime, t->number, 0, &spec, NULL) == 0;
	return t->number == ITIMER_REAL && setitimer(ITIMER_REAL, &val, NULL) == 0;
}

void native_timers_lend(const struct plugin_core *c)
{
	for (unsigned i = 0; i < all.used; i++) {
		struct native_timer *t = all.timer + i;
		uint64_t now = native_timer_now(c, t);

		t->lent = t->due && !t->by_work && lend(t, t->due > now ? t->due - now : 0);
	}
}

/* Stopped; had it run out? */
static bool end_loan(const struct native_timer *t)
{
	struct itimerspec spec = { 0 }, left_spec = { 0 };
	struct itimerval val = { 0 }, left_val = { 0 };

	if (t->kind == NATIVE_TIMER_FILE)
		return native_timer_file_ran(t);
	if (t->kind == NATIVE_TIMER_POSIX) {
		syscall(SYS_timer_settime, t->number, 0, &spec, &left_spec);
		return !left_spec.it_value.tv_sec && !left_spec.it_value.tv_nsec;
	}
	setitimer(ITIMER_REAL, &val, &left_val);
	return !left_val.it_value.tv_sec && !left_val.it_value.tv_usec;
}

void native_timers_take_back(const struct plugin_core *c)
{
	for (unsigned i = 0; i < all.used; i++) {
		struct native_timer *t = all.timer + i;

		if (t->lent && end_loan(t))
			t->due = t->every ? native_timer_now(c, t) + t->every : 0;
		t->lent = false;
	}
}

void native_timers_forget(void)
{
	for (unsigned i = 0; i < all.used; i++) {
		all.timer[i].due = 0;
		if (all.timer[i].kind != NATIVE_TIMER_FILE)
			native_timer_end(all.timer + i);
	}
}

/* The place of process `from` among those whose programs change becomes `to`'s; 0: nobody's. */
static struct ring_alarm *kept(int32_t from, int32_t to)
{
	struct ring_clock *clock = &plugin_life.segment->clock;

	for (unsigned i = 0; i < LEN(clock->alarm); i++) {
		int32_t is = from;

		if (atomic_compare_exchange_strong(&clock->alarm[i].pid, &is, to))
			return clock->alarm + i;
	}
	return NULL;
}

void native_timers_keep(void)
{
	const struct native_timer *t = native_timer_find(NATIVE_TIMER_INTERVAL, ITIMER_REAL);
	struct ring_alarm *a = t && t->due ? kept(0, getpid()) : NULL;

	if (!a)
		return;
	a->due = t->due;
	a->every = t->every;
}

bool native_timers_adopt(bool goes_on)
{
	struct ring_alarm *a = plugin_life.segment ? kept(getpid(), 0) : NULL;
	struct native_timer *t = a && !goes_on ? native_timer_new(NATIVE_TIMER_INTERVAL, ITIMER_REAL) : NULL;

	if (!t)
		return false;
	t->notify = SIGEV_SIGNAL;
	t->due = a->due;
	t->every = a->every;
	return true;
}
