/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the built-in kernels share: parameters, and threads that each run on a core
 * with its private caches.
 */
#ifndef BXS_FEED_KERNEL_H
#define BXS_FEED_KERNEL_H

#include <stdbool.h>

#include "feed/feed.h"
#include "machine/arrays.h"
#include "machine/machine.h"
#include "xcore/xcore.h"

/* name, default, least, most, words, text; as SPEC_KEYS in machine/spec.h */
#define KERNEL_KEYS(X) \
	X(SIZE, "size", 64ULL << 20, 64, 1ULL << 40, NULL, "bytes of an array") \
	X(THREADS, "threads", 1, 1, 1024, NULL, "threads, one a core") \
	X(CORE, "core", 0, 0, 1023, NULL, "core of the first thread") \
	X(STEP, "step", 1, 1, 1024, NULL, "cores from one thread to the next") \
	X(NODE, "node", SPEC_NONE, 0, 7, NULL, "node that the memory is bound to") \
	X(OP, "op", 3, 0, 4, "copy scale add triad read", "what a stream does with its arrays") \
	X(PASSES, "passes", 1, 1, 1ULL << 40, NULL, "times over the arrays") \
	X(COUNT, "count", 1000000, 1, 1ULL << 60, NULL, "accesses of a thread") \
	X(WRITES, "writes", 0, 0, 100, NULL, "percentage of accesses that write") \
	X(NT, "nt", 0, 0, 1, NULL, "1: streaming stores, which go past the caches") \
	X(PREFETCH, "prefetch", 1, 0, 1, NULL, "0: hardware prefetchers off") \
	X(SEED, "seed", 1, 1, UINT64_MAX - 1, NULL, "start of the random numbers") \
	X(STRIDE, "stride", 8192, 64, 1ULL << 30, NULL, "bytes from one access to the next") \
	X(BYTES, "bytes", 8, 1, 63, NULL, "bytes of a line that are stored") \
	X(DATA, "data", 0, 0, ARRAYS_DATA, NULL, "kernels with the same number use the same arrays") \
	X(TIME, "time", 1000, 1, 1ULL << 50, NULL, "nanoseconds")

enum kernel_key {
#define X(id, name, def, least, most, words, text) KERNEL_##id,
	KERNEL_KEYS(X)
#undef X
	KERNEL_KEY_COUNT,
};

enum {
	KERNEL_LINE = 64,
	KERNEL_ROUND = 8,		/* lines of a step() */
};

#define KERNEL_ARRAY(n) ARRAYS_START(n)

struct kernel_feed;

struct kernel_thread {
	struct kernel_feed *feed;
	unsigned index, core;
	struct xcore *x;
	bool done;
	uint64_t wakes;			/* it sleeps until then; 0: it runs */
	bool decides;			/* what it does next follows from what it has read last, and waits for that */
	uint64_t at, left;		/* the kernel's own: where it is, what is to be done */
	uint64_t random;
};

struct kernel {
	const char *name, *about;
	uint32_t keys;			/* which of KERNEL_KEYS it knows: bit KERNEL_xxx */
	/* Some keys have another default here; all zero is none. */
	struct { uint8_t key; uint64_t def; } defaults[4];
	/* Prepare thread t; 0 or a negative enum bxs_err.  NULL: nothing to prepare. */
	int (*start)(struct kernel_thread *t);
	/* A few hundred instructions or less; false: the thread has ended. */
	bool (*step)(struct kernel_thread *t);
};

struct kernel_feed {
	struct feed feed;
	const struct kernel *kernel;
	uint64_t value[KERNEL_KEY_COUNT];
	unsigned threads;
	bool awake;			/* the threads run */
	struct kernel_thread *thread;
	uint32_t *chain;		/* chase: the line after each line */
	uint64_t turn;			/* ping-pong: whose it is */
};

/* The table, ended by a kernel without a name. */
extern const struct kernel kernel_table[];

/* Address space of the kernel's arrays: one for each node that memory is bound to and each number of
 * `data`, so that a second kernel finds the arrays of the first only when it means the same ones. */
uint8_t kernel_space(const struct kernel_feed *f);

/* The thread's own random numbers; 0 .. n - 1, evenly enough for n far below 2^64. */
void kernel_seed(struct kernel_thread *t);
uint64_t kernel_draw_below(uint64_t *state, uint64_t n);

/* The thread sleeps for so many picoseconds: the last thing that it does in a step(). */
void kernel_sleep(struct kernel_thread *t, uint64_t length);

/* kernels_rare.c */
int kernel_count_start(struct kernel_thread *t);
int kernel_passes_start(struct kernel_thread *t);
bool kernel_code_step(struct kernel_thread *t);
bool kernel_stride_step(struct kernel_thread *t);
bool kernel_burst_step(struct kernel_thread *t);
bool kernel_mmio_step(struct kernel_thread *t);
bool kernel_lock_step(struct kernel_thread *t);
bool kernel_flush_step(struct kernel_thread *t);
bool kernel_scatter_step(struct kernel_thread *t);

#endif
