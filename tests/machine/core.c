/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of cores and packages: what they hold, what may be written, and what the core's counters count
 * of kernels whose accesses are known.
 */
#include "core_msr.h"

enum {
	PMC0 = 0xc1, SEL0 = 0x186, OFFCORE0 = 0x1a6, FIXED_CTRL = 0x38d, STATUS = 0x38e, GLOBAL = 0x38f, OVF = 0x390,
	A_PMC0 = 0x4c1,
};

#define EN (UINT64_C(1) << 22)
#define USR (UINT64_C(1) << 16)
#define OS (UINT64_C(1) << 17)
#define EDGE (UINT64_C(1) << 18)
#define ANY (UINT64_C(1) << 21)
#define INV (UINT64_C(1) << 23)
#define CMASK(n) ((uint64_t)(n) << 24)

/* Out of reset, on a machine of two cores a socket. */
static const struct reset_row {
	int line;
	const char *machine;
	uint32_t number;
	uint64_t value;
} resets[] = {
	{ LINE, "hsx,cores=2", 0x34, 0 },
	{ LINE, "hsx,cores=2", 0x3a, 5 },
	{ LINE, "hsx,cores=2", 0x8b, UINT64_C(0x49) << 32 },
	{ LINE, "hsx,cores=2", 0xce, UINT64_C(12) << 40 | 23 << 8 },
	{ LINE, "hsx:e5-2680v3,cores=2", 0xce, UINT64_C(12) << 40 | 25 << 8 },
	{ LINE, "hsx,cores=2", 0x198, (UINT64_C(4506) + 102 * 23) << 32 | 23 << 8 },
	{ LINE, "hsx,cores=2,core_mhz=2800", 0x198, (UINT64_C(4506) + 102 * 28) << 32 | 28 << 8 },
	{ LINE, "hsx,cores=2", 0x199, 23 << 8 },
	{ LINE, "hsx,cores=2", 0x19c, UINT64_C(1) << 31 | 1 << 27 | (92 - 36) << 16 },
	{ LINE, "hsx,cores=2", 0x1a0, UINT64_C(1) << 38 | 0x51889 },
	{ LINE, "hsx,cores=2,core_mhz=2800", 0x1a0, 0x51889 },
	{ LINE, "hsx,cores=2", 0x1a2, 92 << 16 },
	/* 3.6 GHz for two cores, 3.4, 3.3 ... 2.9 for eight, 2.8 for all */
	{ LINE, "hsx,cores=2", 0x1ad, UINT64_C(0x1d1e1f2021222424) },
	{ LINE, "hsx,cores=2", 0x1ae, UINT64_C(0x1c1c1c1c1c1c1c1c) },
	{ LINE, "hsx,cores=2", 0x1af, 0x1c1c },
	/* 3.0 for two cores, 2.8, 2.7, 2.6 */
	{ LINE, "hsx:e5-2650v3,cores=2", 0x1ad, UINT64_C(0x1a1a1a1a1b1c1e1e) },
	{ LINE, "hsx:e5-2407v3", 0x1ad, UINT64_C(0x1616161616161616) },
	{ LINE, "hsx,cores=2", 0x1b0, 6 },
	{ LINE, "hsx,cores=2", 0x1b1, UINT64_C(0x88000000) | (92 - 36) << 16 },
	{ LINE, "hsx,cores=2", 0x345, 0x32c4 },
	{ LINE, "hsx,cores=2", GLOBAL, 0xf },
	{ LINE, "hsx,cores=2,threads=1", GLOBAL, 0xff },
	{ LINE, "hsx,cores=2", STATUS, 0 },
	{ LINE, "hsx,cores=2", OVF, 0 },
	{ LINE, "hsx,cores=2", 0x606, 0xa0e03 },
	{ LINE, "hsx,cores=2", 0x614, UINT64_C(2320) << 32 | 580 << 16 | 1160 },	/* 145 W in eighths */
	{ LINE, "hsx,cores=2", 0x610, UINT64_C(0x8570) << 32 | 0x8000 | 1160 },
	{ LINE, "hsx,cores=2", 0x61c, UINT64_C(128) << 32 | 128 },	/* four modules of 4 W */
	/* The uncore's clock, not the cores': 2.3 GHz of each Haswell unless told otherwise, 1.2 at rest */
	{ LINE, "hsx,cores=2", 0x620, 0xc17 },
	{ LINE, "hsx:e7-8890v3,cores=2", 0x620, 0xc17 },
	{ LINE, "hsx,cores=2,uclk_mhz=3000", 0x620, 0xc1e },
	{ LINE, "hsx,cores=2,uclk_mhz=1000", 0x620, 0xa0a },
	/* and what it runs at now: nothing runs, so all but one machine rest */
	{ LINE, "hsx,cores=2", 0x621, 0xc },
	{ LINE, "hsx,cores=2,uclk_mhz=1000", 0x621, 0xa },
	{ LINE, "nhmex,cores=2", 0x621, GP },
	{ LINE, "snbep,cores=2", 0x621, GP },
	{ LINE, "hsx,cores=2", 0x639, 0 },
	/* Registers that turbostat reads of every processor with RAPL, or ends */
	{ LINE, "hsx,cores=2", 0x601, 0 },
	{ LINE, "hsx,cores=2", 0x60a, 0 },
	{ LINE, "hsx,cores=2", 0x60b, 0 },
	{ LINE, "hsx,cores=2", 0x60c, 0 },
	{ LINE, "hsx,cores=2", 0x6b1, 0 },
	{ LINE, "hsx,cores=2", 0x638, GP },
	{ LINE, "hsx,cores=2", 0x63a, GP },
	{ LINE, "snbep,cores=2", 0x601, 0 },
	{ LINE, "snbep,cores=2", 0x60a, 0 },
	{ LINE, "snbep,cores=2", 0x39c, 0 },		/* PCM clears it */
	{ LINE, "hsx,cores=2", 0x39c, GP },
	{ LINE, "nhmex,cores=2", 0x39c, GP },
	{ LINE, "snbep,cores=2", 0x638, 0 },
	{ LINE, "snbep,cores=2", 0x63a, 0 },
	{ LINE, "snbep,cores=2", 0x6b1, GP },
	{ LINE, "nhmex,cores=2", 0x601, GP },
	{ LINE, "nhmex,cores=2", 0x60a, GP },
	{ LINE, "nhmex,cores=2", 0x6b1, GP },
	{ LINE, "hsx,cores=2", 0xc4, 0 },
	{ LINE, "hsx,cores=2", 0xc5, GP },		/* the sibling has the other four */
	{ LINE, "hsx,cores=2,threads=1", 0xc5, 0 },
	{ LINE, "hsx,cores=2,threads=1", 0xc8, 0 },
	{ LINE, "hsx,cores=2,threads=1", 0xc9, GP },
	{ LINE, "hsx,cores=2", 0x18a, GP },
	{ LINE, "hsx,cores=2,threads=1", 0x18d, 0 },
	{ LINE, "hsx,cores=2", 0x4c4, 0 },
	{ LINE, "hsx,cores=2", 0x4c5, GP },
	{ LINE, "hsx,cores=2", 0x1a7, 0 },
	{ LINE, "snbep:e5-2603", 0x18d, 0 },
	{ LINE, "snbep:e5-2603", 0x4c8, 0 },
	{ LINE, "snbep,cores=2", 0x1a7, 0 },
	{ LINE, "snbep,cores=2", 0x345, 0x32c4 },
	/* Nehalem: four counters with one thread as well, no other addresses for them, one offcore response */
	{ LINE, "nhmex:x7542", 0xc4, 0 },
	{ LINE, "nhmex:x7542", 0xc5, GP },
	{ LINE, "nhmex:x7542", 0x18a, GP },
	{ LINE, "nhmex:x7542", GLOBAL, 0xf },
	{ LINE, "nhmex,cores=2", A_PMC0, GP },
	{ LINE, "nhmex,cores=2", 0x345, 0x12c4 },
	{ LINE, "nhmex,cores=2", 0x1a6, 0 },
	{ LINE, "nhmex,cores=2", 0x1a7, GP },
	/* Multiples of 133.3 MHz: 17, at least 9 */
	{ LINE, "nhmex,cores=2", 0xce, UINT64_C(9) << 40 | 17 << 8 },
	{ LINE, "nhmex,cores=2", 0x199, 17 << 8 },
	/* Registers that came with later processors: turbo's and RAPL's, residencies of Sandy Bridge, TSC_ADJUST of Haswell. */
	{ LINE, "nhmex,cores=2", 0x1a2, 92 << 16 },
	{ LINE, "nhmex,cores=2", 0x1ad, GP },
	{ LINE, "nhmex,cores=2", 0x1b0, GP },
	{ LINE, "nhmex,cores=2", 0x1b1, GP },
	{ LINE, "nhmex,cores=2", 0x3b, GP },
	{ LINE, "nhmex,cores=2", 0x3fa, 0 },
	{ LINE, "nhmex,cores=2", 0x3fe, GP },
	{ LINE, "nhmex,cores=2", 0x606, GP },
	{ LINE, "nhmex,cores=2", 0x60d, GP },
	{ LINE, "nhmex,cores=2", 0x611, GP },
	{ LINE, "nhmex,cores=2", 0x619, GP },
	{ LINE, "nhmex,cores=2", 0x620, GP },
	{ LINE, "snbep,cores=2", 0x1b0, 6 },
	{ LINE, "snbep,cores=2", 0x1ae, GP },
	{ LINE, "snbep,cores=2", 0x3b, GP },
	{ LINE, "snbep,cores=2", 0x606, 0xa1003 },
	{ LINE, "snbep,cores=2", 0x620, GP },
	{ LINE, "snbep,cores=2", 0x690, GP },
	{ LINE, "nhmex:x7550", 0xce, UINT64_C(9) << 40 | 15 << 8 },
	{ LINE, "nhmex:l7555", 0xce, UINT64_C(9) << 40 | 14 << 8 },
	{ LINE, "snbep,cores=2", 0xce, UINT64_C(12) << 40 | 29 << 8 },
	/* The operating system keeps node and number there. */
	{ LINE, "hsx,cores=2", 0xc0000103, 1 },
	{ LINE, "hsx,cores=2,snoop=cod", 0xc0000103, 1 << 12 | 1 },
	{ LINE, "hsx,cores=2", 0x48, GP },		/* CPUID announces neither */
	{ LINE, "hsx,cores=2", 0xc8d, GP },
	{ LINE, "hsx,cores=2", 0, GP },
	{ LINE, "hsx,cores=2", 0xffffffff, GP },
};

static const struct write_row {
	int line;
	uint32_t number;
	uint64_t value, back;		/* what is read afterwards; GP: the write faults */
} writes[] = {
	{ LINE, 0x34, 0, GP },
	{ LINE, 0x3a, 5, GP },
	{ LINE, 0x8b, 0, UINT64_C(0x49) << 32 },
	{ LINE, 0x199, 0x1700, 0x1700 },
	{ LINE, 0x199, 0x17, GP },
	{ LINE, 0x19c, 0, UINT64_C(1) << 31 | 1 << 27 | (92 - 36) << 16 },
	{ LINE, 0x1a0, UINT64_C(1) << 38 | 0x51889, UINT64_C(1) << 38 | 0x51889 },
	{ LINE, 0x1a0, 0x51888, 0x51888 },
	{ LINE, 0x1a0, 0x51809, GP },			/* bit 7 says what the processor can */
	{ LINE, 0x1a4, 0xf, 0xf },
	{ LINE, 0x1a4, 0x10, GP },
	{ LINE, 0x1a6, UINT64_C(0x3fc0008fff), UINT64_C(0x3fc0008fff) },
	{ LINE, 0x1a7, UINT64_C(1) << 38, GP },
	{ LINE, 0x1d9, 0x7fc3, 0x7fc3 },
	{ LINE, 0x1d9, 4, GP },
	{ LINE, 0x3f1, 0, 0 },
	{ LINE, 0x3f6, 0x10000, GP },
	{ LINE, 0x610, 0x8400, 0x8400 },
	{ LINE, 0x611, 0, GP },
	{ LINE, PMC0, 0xffffffff, UINT64_C(0xffffffffffff) },	/* signs extend */
	{ LINE, PMC0, UINT64_C(0x1234567800000001), 1 },
	{ LINE, A_PMC0, UINT64_C(0xffffffffffff), UINT64_C(0xffffffffffff) },
	{ LINE, A_PMC0, UINT64_C(1) << 48, GP },
	{ LINE, SEL0, 0xff53ffff, 0xff53ffff },
	{ LINE, SEL0, UINT64_C(1) << 32, GP },
	{ LINE, GLOBAL, UINT64_C(7) << 32 | 0xf, UINT64_C(7) << 32 | 0xf },
	{ LINE, GLOBAL, 0x10, GP },
	{ LINE, STATUS, 0, GP },
	{ LINE, OVF, UINT64_C(0xc00000070000000f), 0 },
	{ LINE, OVF, UINT64_C(1) << 40, GP },
	{ LINE, 0x345, 0, GP },
};

static void check_registers(void)
{
	for (const struct reset_row *r = resets; r < resets + LEN(resets); r++) {
		struct machine *m = make_machine(r->machine);

		CHECK_EQ(r->line, get(m, 1, r->number), r->value);
		machine_free(m);
	}
	for (const struct write_row *r = writes; r < writes + LEN(writes); r++) {
		struct machine *m = make_machine("hsx,cores=2");

		CHECK_EQ(r->line, set(m, 1, r->number, r->value), r->back != GP);
		if (r->back != GP)
			CHECK_EQ(r->line, get(m, 1, r->number), r->back);
		machine_free(m);
	}
}

/* Whose register it is: threads, cores and packages see their own. */
static void check_scopes(void)
{
	struct machine *m = make_machine("hsx,cores=2");

	CHECK(set(m, 1, SEL0, 0x3c) && set(m, 1, 0x1a4, 3) && set(m, 1, 0x618, 7));
	CHECK_EQ(__LINE__, get(m, 1 + 4, SEL0), 0);		/* its sibling */
	CHECK_EQ(__LINE__, get(m, 1 + 4, 0x1a4), 3);
	CHECK_EQ(__LINE__, get(m, 0, 0x1a4), 0);
	CHECK_EQ(__LINE__, get(m, 0, 0x618), 7);
	CHECK_EQ(__LINE__, get(m, 4, 0x618), 7);
	CHECK_EQ(__LINE__, get(m, 2, 0x618), 0);		/* the other package */
	CHECK_EQ(__LINE__, get(m, 3, 0xc0000103), 1 << 12 | 3);
	CHECK_EQ(__LINE__, get(m, 7, 0xc0000103), 1 << 12 | 7);
	/* The time stamp counter and what was added to it. */
	probe_rest(m, 1000, __LINE__);
	CHECK(set(m, 1, 0x3b, 100));
	CHECK_EQ(__LINE__, get(m, 1, 0x10), 2400);
	CHECK_EQ(__LINE__, get(m, 5, 0x10), 2300);
	CHECK(set(m, 1, 0x10, 5000));
	CHECK_EQ(__LINE__, get(m, 1, 0x3b), 2700);
	machine_free(m);
}

/* 1024 lines of 64 KB, read by core 1 (or 3, of the other socket) without prefetching. */
#define ONCE "stream:size=64K,op=read,prefetch=0,core=1"
#define TWICE ONCE ",passes=2"
#define REMOTE "stream:size=64K,op=read,prefetch=0,core=1,node=1"
#define LINES 1024

/*
 * Two cores write one line in turn.  Whoever waits reads it after each turn of the other, which has modified it: core 1 does so in
 * each of its own turns, but for the first one where it begins.  Then it asks for the line, which no load waits for.
 */
#define TURNS 100
#define TOGETHER "pingpong:core=0,threads=2,step=1,count=100"
#define ACROSS "pingpong:core=1,threads=2,step=1,count=100"

static const struct count_row {
	int line;
	const char *kernel;
	uint64_t select, offcore, want;
} counts[] = {
	{ LINE, ONCE, 0xc0 | USR | OS, 0, LINES * 6 },		/* instructions */
	{ LINE, ONCE, 0xc0 | USR, 0, LINES * 6 },
	{ LINE, ONCE, 0xc0 | OS, 0, 0 },
	{ LINE, ONCE, 0xc0 | USR | EDGE, 0, 0 },
	{ LINE, ONCE, 0xc0 | USR | INV, 0, 0 },
	{ LINE, ONCE, 0xc0 | USR | CMASK(1), 0, 0 },
	{ LINE, ONCE, 0x412e | USR, 0, LINES },			/* LLC misses */
	{ LINE, ONCE, 0x4f2e | USR, 0, LINES },
	{ LINE, ONCE, 0x2124 | USR, 0, LINES },
	{ LINE, ONCE, 0x3f24 | USR, 0, LINES },
	{ LINE, ONCE, 0x2224 | USR, 0, 0 },
	{ LINE, TWICE, 0xe724 | USR, 0, 2 * LINES },		/* the second pass finds all in L2 */
	{ LINE, TWICE, 0x02d1 | USR, 0, LINES },
	{ LINE, TWICE, 0x20d1 | USR, 0, LINES },
	{ LINE, TWICE, 0x22d1 | USR, 0, 2 * LINES },
	{ LINE, TWICE, 0x24d1 | USR, 0, LINES },
	{ LINE, TWICE, 0x23d1 | USR, 0, 0 },			/* hits of L1 are not known */
	{ LINE, TWICE, 0x08d1 | USR, 0, 2 * LINES },		/* what missed L1: L2's hits as well */
	{ LINE, TWICE, 0x48d1 | USR, 0, 2 * LINES },
	{ LINE, TWICE, 0x40d1 | USR, 0, 0 },			/* who waits for a line under way is not known */
	{ LINE, TWICE, 0x0148 | CMASK(1) | USR, 0, 0 },
	{ LINE, TWICE, 0x0248 | USR, 0, 0 },
	{ LINE, TWICE, 0x0151 | USR, 0, 2 * LINES },
	{ LINE, ONCE, 0x07f1 | USR, 0, LINES },
	{ LINE, ONCE, 0x40f0 | USR, 0, 0 },
	{ LINE, ONCE, 0x01d3 | USR, 0, LINES },
	{ LINE, ONCE, 0x04d3 | USR, 0, 0 },
	{ LINE, REMOTE, 0x01d3 | USR, 0, 0 },
	{ LINE, REMOTE, 0x04d3 | USR, 0, LINES },
	{ LINE, ONCE, 0x01b0 | USR, 0, LINES },
	{ LINE, ONCE, 0x08b0 | USR, 0, LINES },
	/* found modified in the other core, or in the other socket, from where it comes by way of memory's home */
	{ LINE, TOGETHER, 0x04d2 | USR, 0, TURNS },
	{ LINE, TOGETHER, 0x02d2 | USR, 0, 1 },			/* when it first looks core 0 has read it, too */
	{ LINE, TOGETHER, 0x10d3 | USR, 0, 0 },
	{ LINE, ACROSS, 0x10d3 | USR, 0, TURNS - 1 },
	{ LINE, ACROSS, 0x20d3 | USR, 0, 0 },
	{ LINE, ACROSS, 0x01d3 | USR, 0, 1 },
	{ LINE, ACROSS, 0x04d3 | USR, 0, 0 },
	{ LINE, ACROSS, 0x20d1 | USR, 0, TURNS },
	{ LINE, ACROSS, 0x0fd2 | USR, 0, 0 },
	{ LINE, ACROSS, 0x01b7 | USR, UINT64_C(0x103fc00001), TURNS - 1 },	/* data reads, past the cache, found modified */
	/* any request: any response, local, remote memory, with any snoop; local but modified */
	{ LINE, ONCE, 0x01b7 | USR, 0x18fff, LINES },
	{ LINE, ONCE, 0x01b7 | USR, UINT64_C(0x3f80408fff), LINES },
	{ LINE, ONCE, 0x01b7 | USR, UINT64_C(0x3fb8008fff), 0 },
	{ LINE, REMOTE, 0x01b7 | USR, UINT64_C(0x3fb8008fff), LINES },
	{ LINE, ONCE, 0x01b7 | USR, UINT64_C(0x1000408fff), 0 },
	{ LINE, ONCE, 0x01b7 | USR, UINT64_C(0x3f80400001), LINES },	/* demand data reads */
	{ LINE, ONCE, 0x01b7 | USR, UINT64_C(0x3f80400002), 0 },
	{ LINE, ONCE, 0x02b7 | USR, 0x18fff, 0 },
	{ LINE, ONCE, 0xffff | USR, 0, 0 },
};

/* Sandy Bridge and Nehalem have other codes, and those of Haswell mean something else. */
static const struct other_row {
	const char *machine;
	struct count_row row;
} others[] = {
	{ "snbep,cores=2", { LINE, ONCE, 0x412e | USR, 0, LINES } },
	{ "snbep,cores=2", { LINE, ONCE, 0x20d1 | USR, 0, LINES } },
	{ "snbep,cores=2", { LINE, ONCE, 0x10d1 | USR, 0, 0 } },
	{ "snbep,cores=2", { LINE, ONCE, 0x02d4 | USR, 0, LINES } },
	{ "snbep,cores=2", { LINE, ONCE, 0x01d3 | USR, 0, LINES } },
	{ "snbep,cores=2", { LINE, ONCE, 0x2124 | USR, 0, 0 } },	/* L2_RQSTS 0x21 is half of each of two */
	{ "snbep,cores=2", { LINE, ONCE, 0x2024 | USR, 0, 0 } },
	{ "snbep,cores=2", { LINE, ONCE, 0x01b7 | USR, UINT64_C(0x3f80408fff), LINES } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x4f2e | USR, 0, LINES } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x10cb | USR, 0, LINES } },
	{ "nhmex,cores=2", { LINE, TWICE, 0x12cb | USR, 0, 2 * LINES } },	/* L2_HIT and L3_MISS */
	{ "nhmex,cores=2", { LINE, TWICE, 0x13cb | USR, 0, 0 } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x04cb | USR, 0, 0 } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x20d1 | USR, 0, 0 } },
	{ "nhmex,cores=2", { LINE, ONCE, 0xaa24 | USR, 0, LINES } },	/* all misses */
	{ "nhmex,cores=2", { LINE, ONCE, 0x0224 | USR, 0, LINES } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x2824 | USR, 0, 0 } },
	{ "nhmex,cores=2", { LINE, TWICE, 0xff24 | USR, 0, 2 * LINES } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x01b7 | USR, 0x40ff, LINES } },	/* any request, local memory */
	{ "nhmex,cores=2", { LINE, ONCE, 0x01b7 | USR, 0x4001, LINES } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x01b7 | USR, 0x4002, 0 } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x01b7 | USR, 0x20ff, 0 } },
	{ "nhmex,cores=2", { LINE, REMOTE, 0x01b7 | USR, 0x20ff, LINES } },
	{ "nhmex,cores=2", { LINE, ONCE, 0x01bb | USR, 0x40ff, 0 } },		/* it has one such event */
};

static uint64_t count(const struct count_row *r, unsigned counter, unsigned cpu, const char *machine)
{
	struct machine *m = make_machine(machine);
	uint64_t n;

	CHECK(set(m, cpu, OFFCORE0, r->offcore));
	CHECK(set(m, cpu, SEL0 + counter, r->select | EN));
	probe_run(m, r->kernel);
	n = get(m, cpu, PMC0 + counter);
	CHECK_EQ(r->line, get(m, cpu, A_PMC0 + counter), strncmp(machine, "nhmex", 5) == 0 ? GP : n);
	/* Without its enable it stands still. */
	CHECK(set(m, cpu, SEL0 + counter, r->select));
	probe_run(m, r->kernel);
	CHECK_EQ(r->line, get(m, cpu, PMC0 + counter), n);
	machine_free(m);
	return n;
}

static void check_counts(void)
{
	static const struct count_row sibling = { LINE, ONCE, 0xc0 | USR, 0, 0 };
	static const struct count_row both = { LINE, ONCE, 0xc0 | USR | ANY, 0, 0 };

	for (const struct count_row *r = counts; r < counts + LEN(counts); r++)
		CHECK_EQ(r->line, count(r, (unsigned)(r - counts) % 4, 1, "hsx,cores=2"), r->want);
	for (const struct other_row *r = others; r < others + LEN(others); r++)
		CHECK_EQ(r->row.line, count(&r->row, 0, 1, r->machine), r->row.want);
	CHECK_EQ(__LINE__, count(&counts[0], 7, 1, "hsx,cores=2,threads=1"), counts[0].want);
	CHECK_EQ(__LINE__, count(&sibling, 0, 5, "hsx,cores=2"), 0);
	CHECK_EQ(__LINE__, count(&both, 0, 5, "hsx,cores=2"), LINES * 6);
}

/*
 * Fill buffers that hold loads.  In a chase each load begins when the one before it is back, and looks into L1 first,
 * which takes 4 clocks: in all others a buffer is in use.  From L2 it is back after 12, so its buffer is in use for 8.
 * 10 buffers are in use while independent loads go to memory, except in those 4 clocks of each.
 */
static const struct pending_row {
	int line;
	const char *machine, *kernel;
	uint64_t loads;
} pendings[] = {
	{ LINE, "hsx,cores=2", "chase:size=8M,prefetch=0,core=1", 131072 },
	{ LINE, "hsx,cores=2,core_mhz=1200", "chase:size=8M,prefetch=0,core=1,node=1", 131072 },
	/* the frequency changes on the way */
	{ LINE, "hsx:e5-2680v3,cores=2,turbo=on", "chase:size=8M,prefetch=0,core=1", 131072 },
	{ LINE, "snbep,cores=2", "chase:size=8M,prefetch=0,core=1", 131072 },
};

static uint64_t pending(const char *machine, const char *kernel, uint64_t *clocks)
{
	struct machine *m = make_machine(machine);
	uint64_t n;

	CHECK(set(m, 1, SEL0 + 2, 0x0148 | USR | EN));
	probe_run(m, kernel);
	n = get(m, 1, PMC0 + 2);
	*clocks = get(m, 1, 0xe8);
	machine_free(m);
	return n;
}

static void check_pending(void)
{
	uint64_t clocks, once, twice;

	for (const struct pending_row *r = pendings; r < pendings + LEN(pendings); r++) {
		uint64_t n = pending(r->machine, r->kernel, &clocks);

		CHECK_NEAR(r->line, n, clocks - 4 * r->loads, 1);
	}
	once = pending("hsx,cores=2", "chase:size=128K,prefetch=0,core=1", &clocks);
	twice = pending("hsx,cores=2", "chase:size=128K,prefetch=0,core=1,passes=2", &clocks);
	CHECK_EQ(__LINE__, twice - once, 2048 * 8);
	once = pending("hsx,cores=2", "stream:size=1M,op=read,prefetch=0,core=1", &clocks);
	CHECK_NEAR(__LINE__, once, 10 * clocks - 16384 * 4, 2);
	once = pending("nhmex,cores=2", ONCE, &clocks);
	CHECK_EQ(__LINE__, once, 0);		/* another event there */
}

/* What the program asks for ahead is a request for data, and no load. */
static void check_ahead(void)
{
	static const struct {
		int line;
		uint64_t select;
		unsigned want;			/* of ten */
	} see[] = {
		{ LINE, 0x412e, 10 }, { LINE, 0x2124, 10 }, { LINE, 0x3024, 0 }, { LINE, 0x01b0, 10 }, { LINE, 0x0151, 10 },
		{ LINE, 0x20d1, 0 }, { LINE, 0x01d3, 0 }, { LINE, 0x0148, 0 }, { LINE, 0x48d1, 0 },
	};

	for (size_t i = 0; i < LEN(see); i++) {
		struct machine *m = make_machine("hsx,cores=2");

		CHECK(set(m, 0, SEL0, see[i].select | USR | EN));
		for (unsigned n = 0; n < 10; n++)
			machine_access(m, 0, &(struct leave_record){ .line = 0x5000 + n, .kind = LEAVE_AHEAD });
		CHECK_EQ(see[i].line, get(m, 0, PMC0), see[i].want);
		machine_free(m);
	}
}

/* Stores and sharing: what comes in goes out; who takes a written line finds it modified. */
static void check_sharing(void)
{
	struct machine *m = make_machine("hsx,cores=2");
	uint64_t in, out, hitm;

	CHECK(set(m, 0, SEL0, 0x07f1 | USR | EN) && set(m, 0, SEL0 + 1, 0x40f0 | USR | EN));
	probe_run(m, "stream:size=1M,op=copy,core=0,prefetch=0");
	in = get(m, 0, PMC0);
	out = get(m, 0, PMC0 + 1);
	CHECK_EQ(__LINE__, in, 2 * 16384);		/* two arrays of a megabyte */
	/* All of what was written has left but what still fits in L1 and L2. */
	CHECK(out <= 16384 && out >= 16384 - (256 + 32) * 16);
	machine_free(m);

	m = make_machine("hsx,cores=2");
	CHECK(set(m, 0, SEL0, 0x04d2 | USR | EN) && set(m, 1, SEL0, 0x04d2 | USR | EN));
	CHECK(set(m, 0, SEL0 + 1, 0x08d2 | USR | EN) && set(m, 0, SEL0 + 2, 0x20d1 | USR | EN));
	probe_run(m, "pingpong:count=1000,threads=2");
	hitm = get(m, 0, PMC0) + get(m, 1, PMC0);
	CHECK(hitm >= 900);
	CHECK(get(m, 0, PMC0 + 1) < 10);
	CHECK(get(m, 0, PMC0 + 2) < 10);
	machine_free(m);
}

static void check_overflow(void)
{
	struct machine *m = make_machine("hsx,cores=2");
	uint64_t fixed = UINT64_C(1) << 32;

	CHECK(set(m, 1, SEL0 + 2, 0xc0 | USR | EN) && set(m, 1, FIXED_CTRL, 0x2));
	CHECK(set(m, 1, GLOBAL, fixed | 0xf));
	CHECK(set(m, 1, A_PMC0 + 2, bits_low(48) - 99) && set(m, 1, 0x309, bits_low(48)));
	CHECK_EQ(__LINE__, get(m, 1, STATUS), 0);
	probe_run(m, ONCE);
	CHECK_EQ(__LINE__, get(m, 1, STATUS), fixed | 4);
	CHECK_EQ(__LINE__, get(m, 1, PMC0 + 2), LINES * 6 - 100);
	CHECK_EQ(__LINE__, get(m, 1, 0x309), LINES * 6 - 1);
	CHECK(set(m, 1, OVF, 4));
	CHECK_EQ(__LINE__, get(m, 1, STATUS), fixed);
	CHECK(set(m, 1, OVF, fixed));
	CHECK_EQ(__LINE__, get(m, 1, STATUS), 0);
	CHECK_EQ(__LINE__, get(m, 0, STATUS), 0);
	machine_free(m);
}

/* Cycles close: awake is working and standing; at 2.8 over 2.3 GHz, with a bus clock of 100 MHz. */
static void check_clocks(void)
{
	struct machine *m = make_machine("hsx,cores=2,core_mhz=2800");
	uint64_t awake, core, stalled;

	CHECK(set(m, 1, SEL0, 0x003c | USR | EN) && set(m, 1, SEL0 + 1, 0x013c | USR | EN));
	CHECK(set(m, 1, SEL0 + 2, 0x04a3 | CMASK(4) | USR | EN) && set(m, 1, SEL0 + 3, 0x01a2 | USR | EN));
	probe_run(m, ONCE);
	awake = machine_core_time(m, 1) - 2000000;	/* it takes 2 us to wake */
	core = get(m, 1, PMC0);
	CHECK_EQ(__LINE__, core, awake * 2800 / 1000000);
	CHECK_EQ(__LINE__, get(m, 1, PMC0 + 1), awake * 100 / 1000000);
	CHECK_EQ(__LINE__, get(m, 1, 0xe8), core);
	CHECK_EQ(__LINE__, get(m, 1, 0xe7), awake * 2300 / 1000000);
	stalled = get(m, 1, PMC0 + 2);
	CHECK_EQ(__LINE__, get(m, 1, PMC0 + 3), stalled);
	/* What is not standing retires three instructions a clock. */
	CHECK_NEAR(__LINE__, core - stalled, LINES * 6 / 3, 20);
	machine_free(m);
}

int main(void)
{
	check_registers();
	check_scopes();
	check_counts();
	check_pending();
	check_ahead();
	check_sharing();
	check_overflow();
	check_clocks();
	return check_done();
}
