/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logical CPUs of Xeons: architectural performance monitoring, version 3 (SDM volume 3, chapter 18), and registers around it.
 *
 * Nobody tells these boxes of anything.  A counter is a total that the source of the PMU knows (struct pmu_source): what it
 * was when the counter last was right, and the counter's value then.  So a register that nobody reads costs nothing while
 * the machine runs; and what happens in one clock is not known, so an edge, an inversion or a counter mask other than
 * the one that belongs to an encoding counts nothing.
 */
#ifndef BXS_PMU_CPU_H
#define BXS_PMU_CPU_H

#include "pmu/ops.h"

/* cpu.c: the registers. */
int cpu_init(struct box *b);
void cpu_release(struct box *b);
void cpu_restart(struct box *b);
bool cpu_there(const struct box *b, uint32_t slot);
bool cpu_locked(const struct box *b, uint32_t slot, uint64_t written);
void cpu_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
uint64_t cpu_shown(struct box *b, uint32_t slot, uint64_t value);

/* cpu_count.c: what counters count. */
void cpu_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s);
void cpu_bind(struct box *b, struct counter *c);
uint64_t cpu_since(const struct box *b, const struct counter *c);
/* Bring a counter, or all of a box, up to date: before one is read, or what they count changes. */
void cpu_settle(struct box *b, struct counter *c);
void cpu_settle_all(struct box *b);
/* The console raises an event: whatever counts it adds n, also what nobody knows a total of. */
int cpu_raise(struct box *b, const struct cat_event *e, const struct cat_umask *u, bool level, uint64_t n);

enum { CPU_FIXED = 3 };		/* fixed counters */

/* What all counters look at: slots within the box, and the bits there of each fixed counter. */
struct cpu_own {
	uint32_t fixed_ctrl, global_ctrl;
	struct cpu_fixed {
		uint8_t usr, any, enable;	/* the last in the global registers */
	} fixed[CPU_FIXED];
};

#endif
