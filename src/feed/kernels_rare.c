/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Built-in kernels that do what few programs do much of: fetch code, conflict in DRAM banks, sleep
 * between bursts, talk to devices, lock, flush, scatter.
 */
#include "feed/kernel.h"

static uint64_t lines_of(const struct kernel_thread *t)
{
	return t->feed->value[KERNEL_SIZE] / KERNEL_LINE;
}

/* Bytes and counts are for each thread; so is the array, where threads do not share it. */
static uint64_t own_array(const struct kernel_thread *t)
{
	return KERNEL_ARRAY(t->index);
}

int kernel_count_start(struct kernel_thread *t)
{
	t->left = t->feed->value[KERNEL_COUNT];
	kernel_seed(t);
	return 0;
}

int kernel_passes_start(struct kernel_thread *t)
{
	t->left = t->feed->value[KERNEL_PASSES];
	kernel_seed(t);
	return 0;
}

/* code: jumps about in its own instructions */
bool kernel_code_step(struct kernel_thread *t)
{
	enum { LINE_INSTRUCTIONS = 16 };

	for (unsigned i = 0; i < KERNEL_ROUND && t->left; i++, t->left--) {
		xcore_fetch(t->x, KERNEL_ARRAY(0) + kernel_draw_below(&t->random, lines_of(t)) * KERNEL_LINE);
		xcore_retire(t->x, LINE_INSTRUCTIONS);
	}
	return t->left > 0;
}

/* stride: every stride-th byte, round and round */
bool kernel_stride_step(struct kernel_thread *t)
{
	const uint64_t *v = t->feed->value;

	for (unsigned i = 0; i < KERNEL_ROUND && t->left; i++, t->left--) {
		uint64_t addr = own_array(t) + t->at;

		if (kernel_draw_below(&t->random, 100) < v[KERNEL_WRITES])
			xcore_store(t->x, addr, 0);
		else
			xcore_load(t->x, addr, 0, 0);
		xcore_retire(t->x, 8);
		t->at += v[KERNEL_STRIDE];
		/* The next round begins one line further on. */
		if (t->at >= v[KERNEL_SIZE])
			t->at = (t->at % v[KERNEL_STRIDE] + KERNEL_LINE) % v[KERNEL_STRIDE] % v[KERNEL_SIZE];
	}
	return t->left > 0;
}

/* burst: loads, then sleep, and again */
bool kernel_burst_step(struct kernel_thread *t)
{
	const uint64_t *v = t->feed->value;

	if (t->left == 0)
		return false;
	for (unsigned i = 0; i < KERNEL_ROUND && t->at < v[KERNEL_COUNT]; i++, t->at++) {
		xcore_load(t->x, own_array(t) + kernel_draw_below(&t->random, lines_of(t)) * KERNEL_LINE, 0, 0);
		xcore_retire(t->x, 8);
	}
	if (t->at < v[KERNEL_COUNT])
		return true;
	t->at = 0;
	t->left--;
	kernel_sleep(t, v[KERNEL_TIME] * 1000);
	return true;
}

/* mmio: registers of a device, one access after the other */
bool kernel_mmio_step(struct kernel_thread *t)
{
	const uint64_t *v = t->feed->value;
	struct leave_record rec = {
		.kind = kernel_draw_below(&t->random, 100) < v[KERNEL_WRITES] ? LEAVE_UC_WRITE : LEAVE_UC_READ,
		.line = (own_array(t) + (t->left % 64) * KERNEL_LINE) / KERNEL_LINE,
		.space = kernel_space(t->feed), .instructions = 8,
	};

	machine_access(t->feed->feed.machine, t->core, &rec);
	return --t->left > 0;
}

/* lock: bus locks, with some work between */
bool kernel_lock_step(struct kernel_thread *t)
{
	xcore_lock(t->x, KERNEL_ARRAY(0) + KERNEL_LINE - 4);
	xcore_retire(t->x, 400);
	return --t->left > 0;
}

/* flush: writes a line and drives it out of all caches */
bool kernel_flush_step(struct kernel_thread *t)
{
	for (unsigned i = 0; i < KERNEL_ROUND && t->at < lines_of(t); i++, t->at++) {
		uint64_t addr = own_array(t) + t->at * KERNEL_LINE;

		xcore_store(t->x, addr, 0);
		xcore_evict(t->x, addr);
		xcore_retire(t->x, 12);
	}
	if (t->at < lines_of(t))
		return true;
	t->at = 0;
	return --t->left > 0;
}

/* scatter: streaming stores of a few bytes in each line */
bool kernel_scatter_step(struct kernel_thread *t)
{
	for (unsigned i = 0; i < KERNEL_ROUND && t->at < lines_of(t); i++, t->at++) {
		xcore_stream(t->x, own_array(t) + t->at * KERNEL_LINE, (unsigned)t->feed->value[KERNEL_BYTES]);
		xcore_retire(t->x, 4);
	}
	if (t->at < lines_of(t))
		return true;
	t->at = 0;
	return --t->left > 0;
}
