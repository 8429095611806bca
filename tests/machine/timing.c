/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window model of a core, on a clock and with costs that are easy to count: 1 GHz, an
 * instruction a clock, so time in nanoseconds is instructions plus waiting.
 */
#include "machine/timing.h"

#include <string.h>

#include "catalog/find.h"
#include "catalog/product.h"
#include "check.h"

#define NS 1000
#define LATENCY (UINT64_C(100) * NS)

static const struct timing_design design = {
	.fill_buffers = 4, .super_queue = 6, .reorder = 50, .store_reach = 80,
	.base_cpi = 256, .l2_hit = 256 * 5, .l1_load = 4, .l2_load = 12,
};


/* Steps: instructions, then (unless class is none) a request of a class. */
static const struct row {
	int line;
	struct step {
		unsigned instructions, l2_hits;
		enum timing_class class;
		bool dependent;
		unsigned times;
	} step[4];
	unsigned want;			/* ns at the end */
} rows[] = {
	{ LINE, { { 100, 0, TIMING_NONE, 0, 1 } }, 100 },
	{ LINE, { { 100, 2, TIMING_NONE, 0, 1 } }, 110 },
	/* A load lets 50 instructions pass, then holds the rest until it is back at 100. */
	{ LINE, { { 0, 0, TIMING_LOAD, 0, 1 }, { 50, 0, TIMING_NONE, 0, 1 } }, 50 },
	{ LINE, { { 0, 0, TIMING_LOAD, 0, 1 }, { 51, 0, TIMING_NONE, 0, 1 } }, 101 },
	{ LINE, { { 0, 0, TIMING_LOAD, 0, 1 }, { 60, 0, TIMING_NONE, 0, 1 } }, 110 },
	/* A store lets 80 pass. */
	{ LINE, { { 0, 0, TIMING_STORE, 0, 1 }, { 80, 0, TIMING_NONE, 0, 1 } }, 80 },
	{ LINE, { { 0, 0, TIMING_STORE, 0, 1 }, { 90, 0, TIMING_NONE, 0, 1 } }, 110 },
	/* Four loads overlap; behind the fifth the fill buffers are full until 100. */
	{ LINE, { { 0, 0, TIMING_LOAD, 0, 4 } }, 0 },
	{ LINE, { { 0, 0, TIMING_LOAD, 0, 5 } }, 100 },
	{ LINE, { { 0, 0, TIMING_LOAD, 0, 9 } }, 200 },
	/* Six prefetches fill the super queue; the core itself is never held by them. */
	{ LINE, { { 0, 0, TIMING_ASIDE, 0, 6 }, { 99, 0, TIMING_NONE, 0, 1 } }, 99 },
	{ LINE, { { 0, 0, TIMING_ASIDE, 0, 7 } }, 100 },
	/* A load shares the queue with them. */
	{ LINE, { { 0, 0, TIMING_ASIDE, 0, 6 }, { 0, 0, TIMING_LOAD, 0, 1 } }, 100 },
	/* What the program asks for ahead needs a fill buffer, but no instruction is held up. */
	{ LINE, { { 0, 0, TIMING_AHEAD, 0, 4 }, { 99, 0, TIMING_NONE, 0, 1 } }, 99 },
	{ LINE, { { 0, 0, TIMING_AHEAD, 0, 5 } }, 100 },
	{ LINE, { { 0, 0, TIMING_AHEAD, 0, 4 }, { 0, 0, TIMING_LOAD, 0, 1 } }, 100 },
	/* Code is waited for, devices and locks wait for all and are waited for. */
	{ LINE, { { 10, 0, TIMING_FETCH, 0, 1 } }, 110 },
	{ LINE, { { 0, 0, TIMING_ASIDE, 0, 1 }, { 10, 0, TIMING_ALONE, 0, 1 } }, 200 },
	/* A chain: the last of four starts when the third is back, at 300, and is back at 400;
	 * one instruction each, so the window is not what holds. */
	{ LINE, { { 0, 0, TIMING_LOAD, 1, 4 }, { 60, 0, TIMING_NONE, 0, 1 } }, 410 },
	/* Nothing is waited for twice: two loads together, then the rest. */
	{ LINE, { { 0, 0, TIMING_LOAD, 0, 1 }, { 10, 0, TIMING_LOAD, 0, 1 },
		  { 60, 0, TIMING_NONE, 0, 1 } }, 120 },
};

static void send(struct timing *t, enum timing_class class, bool dependent)
{
	uint64_t start = timing_start(t, class, dependent);

	timing_sent(t, class, start, start + LATENCY);
}

static void run_step(struct timing *t, const struct step *s)
{
	for (unsigned i = 0; i < s->times; i++) {
		timing_work(t, s->instructions, s->l2_hits);
		if (s->class != TIMING_NONE)
			send(t, s->class, s->dependent);
	}
}

/* Latencies that come back out of order: the pools and the window keep their order. */
static void check_out_of_order(void)
{
	struct timing t;

	timing_init(&t, &design, 1000000);
	for (unsigned i = 0; i < 4; i++)
		timing_sent(&t, TIMING_LOAD, 0, (400 - i * 100) * NS);
	/* The fifth takes the buffer of the one that is back first, at 100. */
	CHECK_EQ(__LINE__, timing_start(&t, TIMING_LOAD, false), 100 * NS);
	timing_sent(&t, TIMING_LOAD, 100 * NS, 150 * NS);
	/* Retirement waits for the oldest, which is back last. */
	timing_work(&t, 51, 0);
	CHECK_EQ(__LINE__, t.now, 401 * NS);
	CHECK_EQ(__LINE__, t.retired, 51);
	/* All that passed is work or waiting. */
	CHECK_EQ(__LINE__, t.stalled, t.now - 51 * NS);
	/* And all that the loads took, together. */
	CHECK_EQ(__LINE__, t.waited, (400 + 300 + 200 + 100 + 50) * NS);
	/* A store, a prefetch, code are no loads. */
	for (unsigned i = 0; i < 3; i++)
		send(&t, i == 0 ? TIMING_STORE : i == 1 ? TIMING_ASIDE : TIMING_FETCH, false);
	CHECK_EQ(__LINE__, t.waited, 1050 * NS);
	timing_settle(&t);
	CHECK_EQ(__LINE__, t.now, 501 * NS);
}

/* Times in any order, against six entries of which the first to come free is looked for. */
static void check_any_order(void)
{
	uint64_t until[6] = { 0 }, seed = 1;
	struct timing t;

	timing_init(&t, &design, 1000000);
	for (unsigned i = 0; i < 5000; i++) {
		unsigned first = 0;
		uint64_t start, want;

		for (unsigned n = 1; n < LEN(until); n++)
			if (until[n] < until[first])
				first = n;
		want = until[first] > t.now ? until[first] : t.now;
		start = timing_start(&t, TIMING_ASIDE, false);
		CHECK_EQ(__LINE__, start, want);
		seed = seed * 6364136223846793005 + 1442695040888963407;
		until[first] = start + (seed >> 33) % (200 * NS);
		timing_sent(&t, TIMING_ASIDE, start, until[first]);
		timing_work(&t, (uint32_t)(seed >> 60), 0);
	}
}

static struct timing_design design_of(const char *family)
{
	return timing_of_core(&cat_design_of(cat_find_family(family, strlen(family)))->core);
}

/* Fractions of a picosecond are kept: 2.3 GHz and a third of a clock an instruction. */
static void check_exact(void)
{
	struct timing one, many;

	const struct timing_design haswell = design_of("hsx");

	timing_init(&one, &haswell, 2300000);
	timing_init(&many, &haswell, 2300000);
	timing_work(&one, 1000000, 0);
	for (unsigned i = 0; i < 1000000; i++)
		timing_work(&many, 1, 0);
	CHECK_EQ(__LINE__, one.now, many.now);
	/* 85/256 clock of 434.78 ps: 144.36 us; the cost is rounded to 2^-16 ps. */
	CHECK_EQ(__LINE__, one.now / 100000, 1443);
}

/*
 * Loads that wait for each other: what they take by themselves, or what the core does meanwhile, whichever is longer;
 * what hits comes after the misses of the chain.
 */
static void check_chain(void)
{
	struct timing t;

	timing_init(&t, &design, 1000000);
	timing_work(&t, 6, 0);
	timing_chain(&t, 2, 0);
	CHECK_EQ(__LINE__, t.now, 8 * NS);
	timing_work(&t, 6, 1);
	timing_chain(&t, 1, 1);
	CHECK_EQ(__LINE__, t.now, (8 + 16) * NS);
	timing_work(&t, 30, 0);
	timing_chain(&t, 2, 1);
	CHECK_EQ(__LINE__, t.now, (24 + 30) * NS);
	send(&t, TIMING_LOAD, true);
	timing_work(&t, 6, 0);
	timing_chain(&t, 1, 0);
	CHECK_EQ(__LINE__, t.now, (54 + 100 + 4) * NS);
	CHECK_EQ(__LINE__, timing_start(&t, TIMING_LOAD, true), t.now);
}

/* Locked instructions take their time besides all else. */
static void check_locked(void)
{
	static const struct {
		int line;
		const char *family;
		unsigned n, want;	/* ns at 1 GHz */
	} of[] = {
		{ LINE, "poulson", 10, 0 }, { LINE, "hsx", 0, 0 }, { LINE, "hsx", 10, 200 }, { LINE, "snbep", 10, 240 },
		{ LINE, "nhmex", 10, 200 },
	};

	for (unsigned i = 0; i < LEN(of); i++) {
		const struct timing_design of_family = design_of(of[i].family);
		struct timing t;

		timing_init(&t, &of_family, 1000000);
		timing_locked(&t, of[i].n);
		CHECK_EQ(of[i].line, t.now / NS, of[i].want);
		CHECK_EQ(of[i].line, t.retired, 0);
	}
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct timing t;

		timing_init(&t, &design, 1000000);
		for (unsigned i = 0; i < LEN(r->step); i++)
			run_step(&t, &r->step[i]);
		CHECK_EQ(r->line, t.now / NS, r->want);
	}
	check_out_of_order();
	check_any_order();
	check_exact();
	check_chain();
	check_locked();
	for (unsigned k = 0; k < LEAVE_KINDS; k++)
		CHECK_EQ(__LINE__, timing_class(k) == TIMING_NONE,
			 k == LEAVE_TICK || k == LEAVE_DIRTY || k == LEAVE_HALT || k == LEAVE_WAKE ||
			 k == LEAVE_REGION);
	return check_done();
}
