/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core of an Itanium machine that runs threads of a program: its pipeline (src/icore) between the executor and the machine.  What
 * it asks of the ring goes to the socket's uncore, what it tells of goes to thread 0 of its PMU.  For itanium_core*.c only.
 */
#ifndef BXS_MACHINE_ITANIUM_CORE_H
#define BXS_MACHINE_ITANIUM_CORE_H

#include "ia64/ia64.h"
#include "icore/icore.h"
#include "machine/itanium_cores.h"
#include "pmu/live.h"
#include "pmu/pmu.h"
#include "uncore/poulson/p9500.h"

struct itanium_core {
	struct itanium_cores *set;
	struct machine *m;
	unsigned core;			/* of the machine */
	struct icore *icore;
	struct core_thread *thread;
	const struct signal_clock *clock;
	bool runs;			/* it has an instruction to go on with */
	struct ia64_observer plain, exact;
	struct door retire, data, fetch, branch, check;	/* all attributes at their defaults */
};

struct itanium_cores {
	struct machine *m;
	const struct signal_clock *uclk;
	uint64_t begin;			/* the clock that is cycle 0 of all */
	bool began;
	unsigned n, running;
	struct itanium_core core[P9500_CORES];
	struct ia64_processors processors;
};

/* 0 or BXS_ENOMEM; the set frees its pipeline. */
int itanium_core_begin(struct itanium_core *x, struct itanium_cores *set, unsigned core);
uint64_t itanium_core_time(const struct itanium_core *x, uint64_t cycle);
/* The core's time is that of a cycle. */
void itanium_core_move(struct itanium_core *x, uint64_t cycle);
/* What it has counted reaches the PMU. */
void itanium_core_tell(struct itanium_core *x);
bool itanium_core_snoop(struct itanium_core *x, const struct p9500_snoop *snoop);
/* Does one core alone run? */
bool itanium_cores_alone(const struct itanium_cores *s);

#endif
