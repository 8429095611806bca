/* SPDX-License-Identifier: BSD-2-Clause */
/* The time of a living machine: the thread that runs it in slices. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/bits.h"
#include "base/error.h"
#include "feed/feed.h"
#include "feed/scenario.h"
#include "machine/machine.h"
#include "virtual/cpuid.h"
#include "virtual/virtual_private.h"

enum {
	SLICE_NS = 15000,		/* wall time that a slice should take: what a client waits for at most */
	REST_NS = 1000000,		/* sleep when the machine is where it should be */
	LONG_REST_NS = 20000000,	/* when it need not be: whoever reads takes it there, or wakes it */
	MOST_MAKING_GOOD_NS = 50000000,	/* who takes longer than that, and than the world, does not rest */
	STARVED_NS = 100000000,		/* then a program that tells nothing is taken for asleep */
	YIELDS = 200,
};

#define LEAST_SLICE UINT64_C(20000)		/* picoseconds */
#define MOST_SLICE UINT64_C(100000000)
#define MOST_REST UINT64_C(10000000000)		/* at once, of a machine that rests */
#define MOST_LAG UINT64_C(50000000000)		/* what a load is further behind is given up, not made good */
#define MOST_SHOWN UINT64_C(10000000000000)	/* how far clocks may run ahead of a machine that rests */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t virtual_wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Time. */

/* Where machine time should be by the clock on the wall. */
static uint64_t due(const struct virtual *v, uint64_t wall)
{
	return v->anchor + (uint64_t)((double)(wall - v->anchor_wall) * 1000 * v->config.ratio);
}

static void anchor(struct virtual *v, uint64_t wall)
{
	v->anchor = v->told;
	v->anchor_wall = wall;
}

static uint64_t tsc_at(uint64_t ps, uint64_t mhz)
{
	return (uint64_t)((bits_u128)ps * mhz / 1000000);
}

/*
 * Run up to `until`; the state of the load.  While cores run, time is closed when somebody reads a register (and
 * by the machine now and then): doing so after every slice would cost more than the slices.
 */
static int run_to(struct virtual *v, uint64_t until)
{
	int state = v->load ? feed_run(v->load, until) : FEED_ASLEEP;

	if (state == FEED_ASLEEP)
		machine_advance(v->machine, until);
	if (state == FEED_MORE || state == FEED_ASLEEP)
		v->told = until;
	/* A load that is started again goes on from where it ended, whenever that is noticed, and so does a machine without one. */
	if (state <= FEED_ENDED && machine_horizon(v->machine) > v->told)
		v->told = machine_horizon(v->machine);
	return state;
}

/*
 * Nothing runs on it, so that any stretch of time costs next to nothing: then the machine is where the world is whenever somebody
 * looks, and however long this process was kept from running.
 */
static bool rests(const struct virtual *v)
{
	return !v->load && !(v->scenario && v->scenario->lists[SCENARIO_DMA]) && !v->slow;
}

/*
 * The clocks of clients: from what the machine has reached at `wall` on they go with the world as far as `limit`, or stand there.
 * Where they go on, the machine has to be at due(v, wall), so that whoever reads a register finds it where the clock is, not behind.
 */
static void show_clock(struct virtual *v, uint64_t wall, uint64_t limit)
{
	uint64_t mhz = machine_spec(v->machine)->value[SPEC_BASE_MHZ], tsc, shown;

	if (!v->page)
		return;
	tsc = tsc_at(machine_horizon(v->machine), mhz);
	shown = cpuid_clock_read(v->page, wall);
	if (tsc < shown)
		tsc = shown;
	limit = tsc_at(limit, mhz);
	cpuid_clock(v->page, tsc, wall, (uint64_t)(v->config.ratio * (double)mhz / 1000 * 4294967296.0), limit > tsc ? limit : tsc);
}

/*
 * Faults that come and go without end take more time than the world: the clocks soon stand, as under a load, and stay where they are
 * until the machine is there as well; it rests again when its slices are quick.
 */
static void give_up_rest(struct virtual *v)
{
	uint64_t now = virtual_wall_ns();

	v->promised = due(v, now + MOST_MAKING_GOOD_NS);
	show_clock(v, now, v->promised);
	anchor(v, now);
	v->slow = true;
	v->slice = LEAST_SLICE;
}

/* At rest: on to where the world is at `wall`. */
static void rest_until(struct virtual *v, uint64_t wall)
{
	uint64_t until = due(v, wall), since = wall - v->rested, began;
	bool slow = false;

	v->rested = wall;
	/* A load that has ended may have left the machine ahead. */
	if (until < v->told)
		anchor(v, wall);
	/* What other processes take of this one's time meanwhile is not the machine's. */
	began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while (v->told < until && !slow) {
		uint64_t took;

		run_to(v, until - v->told < MOST_REST ? until : v->told + MOST_REST);
		took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
		slow = took > MOST_MAKING_GOOD_NS && took > since;
	}
	if (slow)
		give_up_rest(v);
}

void virtual_catch_up(struct virtual *v)
{
	if (v->running && rests(v))
		rest_until(v, virtual_wall_ns());
}

/* A machine that would do twice what is due in that time may rest again. */
static void adapt(struct virtual *v, uint64_t took)
{
	if (took < SLICE_NS / 2 && v->slice < MOST_SLICE)
		v->slice += v->slice / 4;
	else if (took > SLICE_NS && v->slice > LEAST_SLICE)
		v->slice -= v->slice / 4;
	if (v->told >= v->promised && (v->slice >= MOST_SLICE || (double)v->slice >= 2000 * SLICE_NS * v->config.ratio))
		v->slow = false;
}

/* Clients go first, but not for ever. */
static void let_clients_in(struct virtual *v)
{
	for (unsigned i = 0; i < YIELDS && atomic_load(&v->waiting); i++)
		sched_yield();
}

static void nap(uint64_t ns)
{
	struct timespec t = { .tv_nsec = (long)ns };

	nanosleep(&t, NULL);
}

/* One slice with the lock; how many nanoseconds to sleep after it. */
static uint64_t slice(struct virtual *v, int *state)
{
	uint64_t began = virtual_wall_ns(), target = due(v, began), until = v->told + v->slice, end;

	if (rests(v)) {
		rest_until(v, began);
		show_clock(v, began, rests(v) ? v->told + MOST_SHOWN : 0);
		return rests(v) ? LONG_REST_NS : REST_NS;
	}
	if (virtual_stands(v, began)) {
		anchor(v, began);
		show_clock(v, began, virtual_stop(v));
		return REST_NS / 4;
	}
	if (virtual_stop(v) > v->told && virtual_stop(v) < until)
		until = virtual_stop(v);
	if (target > v->told + MOST_LAG) {
		anchor(v, began);
		target = v->told + v->slice;
	}
	if (target <= v->told) {
		show_clock(v, began, 0);
		return REST_NS;
	}
	*state = run_to(v, until < target ? until : target);
	end = virtual_wall_ns();
	adapt(v, end - began);
	show_clock(v, end, 0);
	return v->told >= due(v, end) ? REST_NS : 0;
}

/* A program that tells nothing for long does not hold up time. */
static void starved(struct virtual *v, uint64_t *since)
{
	uint64_t now = virtual_wall_ns();

	if (!*since)
		*since = now;
	if (now - *since < STARVED_NS)
		return;
	pthread_mutex_lock(&v->lock);
	v->told += REST_NS * UINT64_C(1000);
	machine_advance(v->machine, v->told);
	pthread_mutex_unlock(&v->lock);
}

/* Nobody is interested: what the load would do meanwhile is left out, as what is further behind than MOST_LAG is. */
static bool is_left_alone(const struct virtual *v)
{
	return v->config.patience && v->load && virtual_wall_ns() - atomic_load(&v->asked) > v->config.patience;
}

static void *live(void *ctx)
{
	struct virtual *v = ctx;
	uint64_t since = 0;

	while (!atomic_load(&v->stop)) {
		int state = FEED_MORE;
		uint64_t sleep;

		if (is_left_alone(v)) {
			nap(LONG_REST_NS);
			continue;
		}
		let_clients_in(v);
		pthread_mutex_lock(&v->lock);
		sleep = slice(v, &state);
		pthread_mutex_unlock(&v->lock);
		if (state != FEED_STARVED)
			since = 0;
		else
			starved(v, &since);
		if (state <= FEED_ENDED)
			virtual_load_ended(v, state);
		else if (v->load && (state == FEED_STARVED || (state == FEED_ASLEEP && sleep)))
			feed_rest(v->load);
		else if (sleep)
			nap(sleep);
	}
	return NULL;
}

int virtual_start(struct virtual *v)
{
	sigset_t all, old;
	int err;

	anchor(v, virtual_wall_ns());
	v->rested = v->anchor_wall;
	v->asked = v->anchor_wall;
	v->running = true;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = pthread_create(&v->thread, NULL, live, v);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	v->running = err == 0;
	return err ? BXS_EIO : 0;
}

void virtual_run_to(struct virtual *v, uint64_t run, uint64_t time)
{
	while (v->told < run) {
		int state = run_to(v, run);

		if (state <= FEED_ENDED)
			virtual_load_ended(v, state);
		else if (state == FEED_STARVED)
			feed_rest(v->load);
	}
	machine_advance(v->machine, time);
}

void virtual_keep_clock(struct virtual *v, struct cpu_page *page)
{
	v->page = page;
}

void virtual_free(struct virtual *v)
{
	if (!v)
		return;
	if (v->running) {
		atomic_store(&v->stop, true);
		pthread_join(v->thread, NULL);
	}
	feed_close(v->load);
	scenario_free(v->scenario);
	pthread_mutex_destroy(&v->lock);
	free(v->load_text);
	free(v);
}
