/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a dependent load costs on Sandy Bridge-EP, Nehalem-EX and clusters of Haswell-EP by where it finds its line, and
 * in the core's own caches on all of them, on an idle machine, against published measurements (docs/reference/sources.md);
 * tests/uncore/latency.c does the same for whole Haswell-EP.  Where nothing is published, the row holds what follows
 * from the DRAM's timing and Haswell's constants.
 */
#include "probe.h"

#define COD "hsx:e5-2680v3,snoop=cod,core_mhz=2500,uclk_mhz=2500"

static const struct row {
	int line;
	const char *machine, *kernel;
	bool again;			/* the second time around */
	unsigned loads, ps, percent;	/* what is wanted, and how near */
} rows[] = {
	/* L1 and L2: 4 and 12 clocks at 2.5 GHz (Molka and others), at 2.9 GHz, 4 and 10 at 2.266 GHz */
	{ LINE, "hsx:e5-2680v3,core_mhz=2500", "chase:size=16K", true, 256, 1600, 1 },
	{ LINE, "hsx:e5-2680v3,core_mhz=2500", "chase:size=128K", true, 2048, 4800, 2 },
	{ LINE, "snbep:e5-2667,core_mhz=2900", "chase:size=16K", true, 256, 1379, 1 },
	{ LINE, "snbep:e5-2667,core_mhz=2900", "chase:size=128K", true, 2048, 4138, 2 },
	{ LINE, "nhmex:x7560,core_mhz=2266", "chase:size=16K", true, 256, 1765, 1 },
	{ LINE, "nhmex:x7560,core_mhz=2266", "chase:size=128K", true, 2048, 4413, 2 },
	/* 30 clocks on a ring of six stops, at 2.9 GHz; two more stops are one more clock on average, each way */
	{ LINE, "snbep:e5-2667", "chase:size=4M,prefetch=0", true, 65536, 10345, 15 },
	{ LINE, "snbep", "chase:size=4M,prefetch=0", true, 65536, 11000, 15 },
	{ LINE, "snbep", "chase:size=8M,prefetch=0", false, 131072, 87000, 5 },
	{ LINE, "snbep", "chase:size=8M,prefetch=0,node=1", false, 131072, 132000, 5 },
	/* Clusters: the own one's memory, the neighbour's on the die, another socket's (Molka and others, 2015) */
	{ LINE, COD, "chase:size=8M,prefetch=0", false, 131072, 89600, 5 },
	{ LINE, COD, "chase:size=8M,prefetch=0,node=1", false, 131072, 96000, 5 },
	{ LINE, COD, "chase:size=8M,prefetch=0,node=2", false, 131072, 141000, 8 },
	{ LINE, "nhmex", "chase:size=4M,prefetch=0", true, 65536, 21000, 5 },
	{ LINE, "nhmex", "chase:size=8M,prefetch=0", false, 131072, 135000, 3 },
	{ LINE, "nhmex", "chase:size=8M,prefetch=0,node=1", false, 131072, 196000, 3 },
};

/* Picoseconds that the first core is busy with a kernel. */
static uint64_t busy(const char *machine, const char *kernel)
{
	struct machine *m = make_machine(machine);
	uint64_t from = machine_core_time(m, 0), took;

	probe_run(m, kernel);
	took = machine_core_time(m, 0) - from;
	machine_free(m);
	return took;
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		uint64_t took = busy(r->machine, r->kernel);

		if (r->again) {
			char twice[80];

			snprintf(twice, sizeof twice, "%s,passes=2", r->kernel);
			took = busy(r->machine, twice) - took;
		}
		printf("%-14s %-34s %6.1f ns, want %6.1f\n", r->machine, r->kernel, (double)took / r->loads / 1000,
		       r->ps / 1000.0);
		CHECK_NEAR(r->line, took / r->loads, r->ps, r->ps * r->percent / 100);
	}
	return check_done();
}
