/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in kernels.  A thread works line by line: the accesses to a line after the
 * first would hit L1, so only their instructions are counted.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "feed/kernel.h"

enum { LINE = KERNEL_LINE, ROUND = KERNEL_ROUND };

#define LINE_STEPS 2			/* AVX: a line is two registers */
#define ARRAY(n) KERNEL_ARRAY(n)

/* xorshift64*: the same numbers on every machine. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

uint64_t kernel_draw_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)(((bits_u128)draw(state) * n) >> 64);
}

void kernel_seed(struct kernel_thread *t)
{
	t->random = t->feed->value[KERNEL_SEED] + t->index * UINT64_C(0x9e3779b97f4a7c15);
	if (t->random == 0)
		t->random = 1;
}

static uint64_t lines_of(const struct kernel_feed *f)
{
	return f->value[KERNEL_SIZE] / LINE;
}

/* The part of the arrays that is thread t's. */
static uint64_t share_start(const struct kernel_thread *t, unsigned index)
{
	return (uint64_t)((bits_u128)lines_of(t->feed) * index / t->feed->threads);
}

/* stream: a[i] = f(b[i], c[i]) */

static int stream_start(struct kernel_thread *t)
{
	t->at = share_start(t, t->index);
	t->left = t->feed->value[KERNEL_PASSES];
	if (share_start(t, t->index + 1) == t->at)
		t->left = 0;		/* more threads than lines: nothing for this one */
	return 0;
}

static bool stream_step(struct kernel_thread *t)
{
	/* Arrays read, and instructions for a register's worth: loads, arithmetic, store,
	 * and a share of the loop. */
	static const struct { uint8_t reads, writes, work; } ops[] = {
		{ 1, 1, 3 }, { 1, 1, 4 }, { 2, 1, 5 }, { 2, 1, 5 }, { 1, 0, 3 },
	};
	const uint64_t *v = t->feed->value;
	unsigned op = (unsigned)v[KERNEL_OP];
	uint64_t end = share_start(t, t->index + 1);

	for (unsigned i = 0; i < ROUND && t->at < end; i++, t->at++) {
		for (unsigned n = 0; n < ops[op].reads; n++)
			xcore_load(t->x, ARRAY(1 + n) + t->at * LINE, n, 0);
		if (ops[op].writes && v[KERNEL_NT])
			xcore_stream(t->x, ARRAY(0) + t->at * LINE, LINE);
		else if (ops[op].writes)
			xcore_store(t->x, ARRAY(0) + t->at * LINE, 0);
		xcore_retire(t->x, ops[op].work * LINE_STEPS);
	}
	if (t->at == end && t->left) {
		t->at = share_start(t, t->index);
		t->left--;
	}
	return t->left > 0;
}

/* chase: each load's address is the datum of the load before */

/* Many lines take seconds to lay out; nobody runs through what an interrupt leaves of them. */
static bool gives_up(const struct kernel_feed *f, uint64_t line)
{
	return (line & 0xfff) == 0 && machine_interrupted(f->feed.machine);
}

/* One cycle through all lines in random order (Sattolo's algorithm). */
static int chase_prepare(struct kernel_feed *f)
{
	uint64_t lines = lines_of(f), random = f->value[KERNEL_SEED];

	if (lines > UINT32_MAX)
		return BXS_EINVAL;
	f->chain = malloc(lines * sizeof *f->chain);
	if (!f->chain)
		return BXS_ENOMEM;
	for (uint64_t i = 0; i < lines && !gives_up(f, i); i++)
		f->chain[i] = (uint32_t)i;
	for (uint64_t i = lines - 1; i > 0 && !gives_up(f, i); i--) {
		uint64_t j = kernel_draw_below(&random, i);
		uint32_t other = f->chain[j];

		f->chain[j] = f->chain[i];
		f->chain[i] = other;
	}
	return 0;
}

static int chase_start(struct kernel_thread *t)
{
	t->left = t->feed->value[KERNEL_PASSES] * lines_of(t->feed);
	return t->feed->chain ? 0 : chase_prepare(t->feed);
}

static bool chase_step(struct kernel_thread *t)
{
	uint32_t hits[XCORE_UNCORE + 1] = { 0 };

	for (unsigned i = 0; i < ROUND && t->left; i++, t->left--) {
		hits[xcore_load(t->x, ARRAY(t->index) + t->at * LINE, 0, LEAVE_DEPENDENT)]++;
		xcore_retire(t->x, 3);
		t->at = t->feed->chain[t->at];
	}
	xcore_chained(t->x, hits[XCORE_L1], hits[XCORE_L2]);
	return t->left > 0;
}

/* random: loads and stores anywhere in one array that all threads share */

static int random_start(struct kernel_thread *t)
{
	t->left = t->feed->value[KERNEL_COUNT];
	kernel_seed(t);
	return 0;
}

static bool random_step(struct kernel_thread *t)
{
	for (unsigned i = 0; i < ROUND && t->left; i++, t->left--) {
		uint64_t addr = ARRAY(0) + kernel_draw_below(&t->random, lines_of(t->feed)) * LINE;

		if (kernel_draw_below(&t->random, 100) < t->feed->value[KERNEL_WRITES])
			xcore_store(t->x, addr, 0);
		else
			xcore_load(t->x, addr, 0, 0);
		xcore_retire(t->x, 8);
	}
	return t->left > 0;
}

/* pingpong: threads take turns to read and write one line; who waits spins on it */

static int pingpong_start(struct kernel_thread *t)
{
	t->left = t->feed->value[KERNEL_COUNT];
	return 0;
}

static bool pingpong_step(struct kernel_thread *t)
{
	struct kernel_feed *f = t->feed;

	if (t->decides) {
		t->decides = false;
		xcore_store(t->x, ARRAY(0), LEAVE_DEPENDENT);
		f->turn++;
		t->left--;
	} else {
		xcore_load(t->x, ARRAY(0), 0, 0);
		xcore_retire(t->x, 16);
		t->decides = f->turn % f->threads == t->index;
	}
	return t->left > 0;
}

/* idle: a core that sleeps */

static int idle_start(struct kernel_thread *t)
{
	t->left = 1;
	return 0;
}

static bool idle_step(struct kernel_thread *t)
{
	if (t->left == 0)
		return false;
	kernel_sleep(t, t->feed->value[KERNEL_TIME] * 1000);
	t->left--;
	return true;
}

#define KEY(id) (1U << KERNEL_##id)
#define THREADED (KEY(THREADS) | KEY(CORE) | KEY(STEP))
#define PLACED (THREADED | KEY(NODE) | KEY(DATA))

const struct kernel kernel_table[] = {
	{
		.name = "stream", .about = "arrays from end to end: a = b + s * c and its simpler kin",
		.keys = PLACED | KEY(SIZE) | KEY(OP) | KEY(PASSES) | KEY(NT) |
			KEY(PREFETCH),
		.start = stream_start, .step = stream_step,
	},
	{
		.name = "remote", .about = "reads an array that lies on another node",
		.keys = PLACED | KEY(SIZE) | KEY(OP) | KEY(PASSES) | KEY(NT) |
			KEY(PREFETCH),
		.defaults = { { KERNEL_OP, 4 }, { KERNEL_NODE, 1 } },
		.start = stream_start, .step = stream_step,
	},
	{
		.name = "chase", .about = "follows pointers in random order; nothing overlaps",
		.keys = PLACED | KEY(SIZE) | KEY(PASSES) | KEY(SEED) | KEY(PREFETCH),
		.defaults = { { KERNEL_PREFETCH, 0 }, { KERNEL_SIZE, 8 << 20 } },
		.start = chase_start, .step = chase_step,
	},
	{
		.name = "random", .about = "independent loads and stores all over one array",
		.keys = PLACED | KEY(SIZE) | KEY(COUNT) | KEY(WRITES) | KEY(SEED) |
			KEY(PREFETCH),
		.start = random_start, .step = random_step,
	},
	{
		.name = "pingpong", .about = "threads write one line in turn",
		.keys = PLACED | KEY(COUNT),
		.defaults = { { KERNEL_THREADS, 2 }, { KERNEL_COUNT, 10000 } },
		.start = pingpong_start, .step = pingpong_step,
	},
	{
		.name = "idle", .about = "sleeps, then ends",
		.keys = THREADED | KEY(TIME),
		.start = idle_start, .step = idle_step,
	},
	{
		.name = "code", .about = "jumps about in its own instructions",
		.keys = PLACED | KEY(SIZE) | KEY(COUNT) | KEY(SEED) | KEY(PREFETCH),
		.defaults = { { KERNEL_SIZE, 8 << 20 } },
		.start = kernel_count_start, .step = kernel_code_step,
	},
	{
		.name = "stride", .about = "goes through an array of its own in steps, which meet in DRAM banks",
		.keys = PLACED | KEY(SIZE) | KEY(STRIDE) | KEY(COUNT) | KEY(WRITES) | KEY(SEED) | KEY(PREFETCH),
		.defaults = { { KERNEL_PREFETCH, 0 } },
		.start = kernel_count_start, .step = kernel_stride_step,
	},
	{
		.name = "burst", .about = "loads at random, then sleeps, and again",
		.keys = PLACED | KEY(SIZE) | KEY(COUNT) | KEY(PASSES) | KEY(TIME) | KEY(SEED) | KEY(PREFETCH),
		.defaults = { { KERNEL_COUNT, 1000 }, { KERNEL_PASSES, 10 }, { KERNEL_TIME, 100000 } },
		.start = kernel_passes_start, .step = kernel_burst_step,
	},
	{
		.name = "mmio", .about = "reads and writes registers of a device, one after the other",
		.keys = PLACED | KEY(COUNT) | KEY(WRITES) | KEY(SEED),
		.defaults = { { KERNEL_COUNT, 1000 }, { KERNEL_WRITES, 50 } },
		.start = kernel_count_start, .step = kernel_mmio_step,
	},
	{
		.name = "lock", .about = "locks the bus",
		.keys = PLACED | KEY(COUNT),
		.defaults = { { KERNEL_COUNT, 100 } },
		.start = kernel_count_start, .step = kernel_lock_step,
	},
	{
		.name = "flush", .about = "writes lines of its own and drives them out of all caches",
		.keys = PLACED | KEY(SIZE) | KEY(PASSES),
		.defaults = { { KERNEL_SIZE, 1 << 20 } },
		.start = kernel_passes_start, .step = kernel_flush_step,
	},
	{
		.name = "scatter", .about = "streaming stores of a few bytes in each line of an array of its own",
		.keys = PLACED | KEY(SIZE) | KEY(PASSES) | KEY(BYTES),
		.start = kernel_passes_start, .step = kernel_scatter_step,
	},
	{ .name = NULL },
};
