/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profiler on an Itanium 9500: which loads of one array are slow?
 *
 *	sampling FILE [LOADS]
 *
 * First a program is made up and written to FILE, an event file (docs/reference/events.md) that `boxscore replay` takes
 * as well.  Then the monitors are programmed as a profiler in an operating system would: the data event address
 * register (D-EAR) captures integer loads (by opcode) from the array (by data address) that take 64 cycles or
 * more; a counter counts its captures and interrupts at every 1000th; the handler reads the capture, starts
 * counting anew and lets the monitors go on.  The profile is printed beside the truth, which the program's maker
 * knows: the 1000th, 2000th, ... of such loads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "boxscore.h"

enum { THREAD = 0, PERIOD = 1000, SITES = 6, LEAST = 64 };

/* Registers by their numbers, manual table 3-5. */
enum {
	PMC_FREEZE = 0, PMC_COUNTER = 5, PMC_DEAR_CFG = 34, PMC_OPM0_MSK = 40, PMC_OPM0_MAT = 41,
	PMC_IAM_CFG = 48, PMC_DAM_CFG = 50,
	PMD_COUNTER = 5, PMD_DEAR_STAT = 34, PMD_DEAR_DADDR = 35, PMD_DEAR_IADDR = 36,
};

#define ARRAY UINT64_C(0x6000000000000000)	/* 1 MB, to which DBR0 and DBR1 point */
#define CODE UINT64_C(0x4000000000000000)
#define LD8 UINT64_C(0x0c0c0000000)		/* as the bits 40:30 and 27:0 that are compared have it */

/* The program's instructions: what they are, where they go, how long they take. */
static const struct site {
	const char *text, *type;
	uint64_t op, base;
	unsigned latency[4];
} sites[SITES] = {
	{ "ld8 array, random", "load_int", LD8, ARRAY, { 9, 180, 310, 64 } },
	{ "ld8 array, in order", "load_int", LD8, ARRAY, { 1, 1, 1, 90 } },
	{ "ld8 elsewhere", "load_int", LD8, ARRAY + (1 << 24), { 200, 200, 200, 200 } },
	{ "ldfd array", "load_fp", LD8 | UINT64_C(1) << 37, ARRAY, { 13, 150, 13, 13 } },
	{ "st8 array", "store_int", LD8 | UINT64_C(1) << 36, ARRAY, { 1, 1, 1, 1 } },
	{ "ld8 array, 63 cycles", "load_int", LD8, ARRAY, { 63, 63, 63, 63 } },
};

static uint64_t site_ip(unsigned site)
{
	return CODE + 16 * site;
}

/* A generator of our own, so that the program is the same everywhere. */
static uint32_t chance(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*state >> 33);
}

/* Write the program; *truth: how many of the samples fall on each site. */
static int make_program(const char *path, unsigned loads, unsigned truth[SITES])
{
	FILE *out = fopen(path, "w");
	uint64_t state = 9500, captures = 0;

	if (!out)
		return -1;
	fprintf(out, "boxscore-events 1\nmachine poulson\n"
		     "thread %d every=load cpl=3 dbr0=%#" PRIx64 " dbr1=0x08fffffffff00000\n", THREAD, ARRAY);
	for (unsigned i = 0; i < loads; i++) {
		unsigned which = chance(&state) % SITES;
		const struct site *s = &sites[which];
		unsigned latency = s->latency[chance(&state) % 4];
		uint64_t addr = s->base + chance(&state) % 0x100000 / 8 * 8;

		/* It follows one load at a time, for eight cycles at least: the next comes after that. */
		fprintf(out, "dataref %d type=%s op=%#" PRIx64 " addr=%#" PRIx64 " latency=%u ip=%#" PRIx64
			     "\n+%u ", THREAD, s->type, s->op, addr, latency, site_ip(which),
			latency < 8 ? 8 : latency);
		captures += which < 2 && latency >= LEAST;
		if (which < 2 && latency >= LEAST && captures % PERIOD == 0)
			truth[which]++;
	}
	fprintf(out, "end\n");
	return fclose(out);
}

static void wrpmc(bxs_machine *m, unsigned n, uint64_t value)
{
	bxs_wrreg(m, BXS_PMC, THREAD, n, value);
}

static void wrpmd(bxs_machine *m, unsigned n, uint64_t value)
{
	bxs_wrreg(m, BXS_PMD, THREAD, n, value);
}

static uint64_t rdpmd(bxs_machine *m, unsigned n)
{
	uint64_t value = 0;

	bxs_rdreg(m, BXS_PMD, THREAD, n, &value);
	return value;
}

static void program_monitors(bxs_machine *m)
{
	wrpmc(m, PMC_IAM_CFG, 0x492);				/* instructions anywhere */
	wrpmc(m, PMC_OPM0_MSK, 0x0208000000000000 | 0x30000000);	/* ig_ad; M slots; bits 29:28 are open */
	wrpmc(m, PMC_OPM0_MAT, LD8);
	wrpmc(m, PMC_DAM_CFG, 0x00020000000000a0);		/* load_int; pair 0: en, reads */
	wrpmc(m, PMC_DEAR_CFG, 0x4 << 16 | 2 << 8 | 0x8);	/* 64 cycles and more; loads; level 3 */
	wrpmd(m, PMD_COUNTER, (UINT64_C(1) << 47) - PERIOD);
	wrpmc(m, PMC_COUNTER, 0x9012f);				/* EAR_EVENT_DATA, oi, all levels */
}

/* The handler: the capture that made the counter overflow, then on. */
static void take_sample(bxs_machine *m, unsigned profile[SITES])
{
	uint64_t iaddr = rdpmd(m, PMD_DEAR_IADDR), ip = iaddr & ~UINT64_C(0xf);
	uint64_t stat = rdpmd(m, PMD_DEAR_STAT);

	if (profile[0] + profile[1] < 5)
		printf("ip %#" PRIx64 "  data %#" PRIx64 "  latency %" PRIu64 "\n", ip,
		       rdpmd(m, PMD_DEAR_DADDR), stat & 0x1fff);
	if (ip - CODE < 16 * SITES)
		profile[(ip - CODE) / 16]++;
	wrpmd(m, PMD_DEAR_STAT, 0);
	wrpmd(m, PMD_COUNTER, (UINT64_C(1) << 47) - PERIOD);
	wrpmc(m, PMC_FREEZE, 0);
}

static int sample(bxs_machine *m, const char *path, unsigned profile[SITES])
{
	struct bxs_interrupt one;
	bxs_events *events;
	int more = bxs_events_open(m, path, &events);

	if (more < 0)
		return more;
	do {
		more = bxs_events_run(events);
		while (bxs_take_interrupt(m, &one))
			take_sample(m, profile);
	} while (more > 0);
	bxs_events_close(events);
	return more;
}

int main(int argc, char **argv)
{
	unsigned truth[SITES] = { 0 }, profile[SITES] = { 0 };
	bxs_machine *m;
	char why[200];
	int wrong = 0;

	if (argc < 2 || make_program(argv[1], argc > 2 ? (unsigned)atoi(argv[2]) : 60000, truth) != 0) {
		fprintf(stderr, "usage: sampling FILE [LOADS]; FILE is written\n");
		return 2;
	}
	if (bxs_machine_new("poulson", 0, &m, why, sizeof why) < 0) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	program_monitors(m);
	if (sample(m, argv[1], profile) < 0) {
		fprintf(stderr, "%s\n", bxs_why(m));
		wrong = 1;
	}
	printf("\n%-24s %8s %8s\n", "instruction", "samples", "truth");
	for (unsigned i = 0; i < SITES; i++) {
		printf("%-24s %8u %8u\n", sites[i].text, profile[i], truth[i]);
		wrong |= profile[i] != truth[i];
	}
	bxs_machine_free(m);
	return wrong;
}
