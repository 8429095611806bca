/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a core and what stands behind them, for the files of this layer.
 *
 *	machine_access() --> ledger: what left the core, by kind and where it found its line
 *	core_source.c        answers the PMU, which has the registers: totals of the ledger, values
 *	core_value.c         what registers beside counters show: clocks, ratios, sleep
 *	core_heat.c          what slows cores down
 *	core_power.c         energy, temperature: out of times and the ledger
 *
 * So a register that nobody reads costs nothing while the machine runs.
 */
#ifndef BXS_MACHINE_CORE_H
#define BXS_MACHINE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "uncore/fabric.h"
#include "uncore/power/pcu.h"
#include "xcore/leave.h"

struct machine;

enum {
	CORE_COUNTERS = 8,		/* programmable ones, with one thread a core; else half */
	CORE_TDP_WATTS = 145,		/* of a socket whose part does not say */
	CORE_SPECULATIVE = LEAVE_KINDS,	/* row of the ledger: demand reads of L1D's prefetchers */
	CORE_KINDS,
	CORE_FOUND = 4,			/* enum fabric_found */
	CORE_RESULTS = (FABRIC_FROM_DEVICE + 1) * CORE_FOUND,
	CORE_HEAT = 3,			/* registers that tell of causes of slowness */
};

/* What a core did, since reset. */
struct core_ledger {
	uint64_t sent[CORE_KINDS][CORE_RESULTS];
	uint64_t l2_hits, l1_misses;	/* as in struct leave_record */
};

/* Column of the ledger. */
static inline unsigned core_result(unsigned source, unsigned found)
{
	return source * CORE_FOUND + found;
}

struct core_heat {
	uint64_t at, awake;		/* picoseconds: as of when, and how long the core had run */
	uint32_t millidegrees;
};

/* What writes have changed of a logical CPU's values; those of a core are the first thread's, those of a socket its first
 * core's. */
struct core_registers {
	uint64_t aperf, mperf, tsc;	/* added to what the core has done */
	uint64_t visited;		/* when core_visit() was last about it */
	/* How often each cause of slowness had begun when software last cleared its log in a register of core_heat.c. */
	uint32_t cleared[CORE_HEAT][PCU_CAUSES];
};

/* A logical CPU. */
struct core_place {
	unsigned cpu, core, socket;	/* core of the machine */
	bool second;			/* a second thread: it never runs */
};
struct core_place core_place(const struct machine *m, unsigned cpu);

/* The PMU asks the cores from now on; once the machine's cores and sockets are there. */
void core_reset(struct machine *m);

/* The CPU itself executes what accesses a register of its own: when it sleeps, its APERF and MPERF see that. */
void core_visit(struct machine *m, const struct core_place *at);

/* How long a core ran, in picoseconds, and that in clocks of a frequency. */
uint64_t core_awake(const struct machine *m, unsigned core);
uint64_t core_clocks(uint64_t ps, uint64_t mhz);
uint32_t core_bus_khz(const struct machine *m);	/* cores run at multiples of it */
/* In the clocks that it had, whatever its frequency was. */
uint64_t core_cycles(const struct machine *m, unsigned core);
uint64_t core_waited(const struct machine *m, unsigned core);	/* of `waited` of its timing, likewise */
/* A core runs at khz from now on, after its clock has stood still for `pause` picoseconds. */
void core_frequency(struct machine *m, unsigned core, uint32_t khz, uint64_t pause);
/* The highest frequency with that many cores active, in MHz. */
uint64_t core_turbo(const struct machine *m, unsigned active);

/* core_power.c, in the units that the registers count in. */
uint32_t core_package_energy(const struct machine *m, unsigned socket);
uint32_t core_cores_energy(const struct machine *m, unsigned socket);	/* its cores' share */
uint32_t core_dram_energy(const struct machine *m, unsigned socket);
unsigned core_temperature(struct machine *m, unsigned core);	/* degrees Celsius */
uint64_t core_part(const struct machine *m, const char *key, uint64_t otherwise);

#endif
