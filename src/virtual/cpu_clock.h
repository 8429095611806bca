/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the clock of a CPU page: for the program that writes it and the library that uses it. */
#ifndef BXS_VIRTUAL_CPU_CLOCK_H
#define BXS_VIRTUAL_CPU_CLOCK_H

#include <stdbool.h>

#include "base/bits.h"
#include "virtual/cpu_page.h"

/* The time stamp counter at `now`, nanoseconds of CLOCK_MONOTONIC; false: nobody keeps the clock. */
static inline bool cpu_clock_read(const struct cpu_clock *c, uint64_t now, uint64_t *tsc)
{
	uint64_t base, from, rate, limit, passed;
	uint64_t version;

	do {
		version = atomic_load_explicit(&c->version, memory_order_acquire);
		const struct cpu_clock_line *l = &c->line[version % 2];

		base = atomic_load_explicit(&l->tsc, memory_order_relaxed);
		from = atomic_load_explicit(&l->from, memory_order_relaxed);
		rate = atomic_load_explicit(&l->rate, memory_order_relaxed);
		limit = atomic_load_explicit(&l->limit, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (version != atomic_load_explicit(&c->version, memory_order_relaxed));
	if (version == 0)
		return false;
	passed = now > from ? (uint64_t)((bits_u128)(now - from) * rate >> 32) : 0;
	if (passed > limit - base)
		passed = limit - base;
	*tsc = base + passed;
	return true;
}

#endif
