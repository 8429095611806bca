/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The world of a program whose clocks are the machine's: what they show, when a thread goes on that waits for a time, and
 * how fast machine time passes while nothing happens but outside.
 */
#include <sys/stat.h>
#include <time.h>

#include "base/bits.h"
#include "feed/run_private.h"
#include "machine/machine.h"

#define BILLION UINT64_C(1000000000)
#define SEEDED_DATE UINT64_C(1767225600)	/* 2026-01-01 00:00:00 UTC */

static uint64_t host_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * BILLION + (uint64_t)t.tv_nsec;
}

/* The standard files that the program gets of us: a pipe among them comes from somebody else. */
static void note_outside(struct ring_clock *c)
{
	struct stat st;

	for (int fd = 0; fd < RING_OUTSIDE; fd++) {
		if (fstat(fd, &st) == 0) {
			c->outside[fd].device = st.st_dev;
			c->outside[fd].inode = st.st_ino;
		}
	}
}

void run_world_init(struct run *r, const struct run_config *cfg)
{
	struct ring_clock *c = &r->segment->clock;

	r->world = true;
	c->machine = 1;
	c->tsc_mhz = (uint32_t)machine_spec(r->feed.machine)->value[SPEC_BASE_MHZ];
	c->shown = machine_latest(r->feed.machine);
	c->real = (int64_t)((cfg->seeded ? SEEDED_DATE * BILLION : host_ns(CLOCK_REALTIME)) - c->shown / 1000);
	r->segment->chance.seeded = cfg->seeded;
	r->segment->chance.seed = cfg->seed;
	note_outside(c);
}

/* The first of a process's threads that gets the turn for its timers sees to them, and others have then nothing to wake for. */
static uint64_t timer_of(const struct run *r, unsigned i)
{
	uint8_t space = run_ring(r, i)->space;

	return space < RING_SPACES ? *(volatile uint64_t *)&r->segment->clock.timer[space] : 0;
}

uint64_t run_due(struct run *r, unsigned i)
{
	/* Looked at by run_check() in this survey, but it may have changed since. */
	uint64_t due = *(volatile uint64_t *)&run_ring(r, i)->due, timer;

	if (!r->world)
		return r->thread[i].due = 0;
	due = due <= RING_FAR ? due : 0;
	timer = timer_of(r, i);
	if (timer && timer <= RING_FAR && (!due || timer < due))
		due = timer;
	return r->thread[i].due = due;
}

void run_count(struct run *r, unsigned i, uint64_t from)
{
	uint64_t ran = machine_core_time(r->feed.machine, r->thread[i].core) - from;

	r->thread[i].ran += ran;
	r->ran[run_ring(r, i)->space] += ran;
}

void run_show_time(struct run *r, unsigned i)
{
	struct ring *ring = run_ring(r, i);
	uint64_t time = machine_core_time(r->feed.machine, r->thread[i].core);
	uint64_t answered = machine_core_answered(r->feed.machine, r->thread[i].core);

	/* To look at a clock waits for all loads before it, as RDTSCP does. */
	ring->time = answered > time ? answered : time;
	ring->ran = r->thread[i].ran;
	ring->process_ran = r->ran[ring->space];
}

bool run_pace(struct run *r, uint64_t until)
{
	uint64_t now = host_ns(CLOCK_MONOTONIC), wants;

	if (!r->paced) {
		r->paced = true;
		r->paced_at = machine_latest(r->feed.machine);
		r->paced_from = now;
	}
	wants = until > r->paced_at ? (until - r->paced_at) / 1000 : 0;
	return now - r->paced_from >= wants;
}
