/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cluster-on-die: what goes from one cluster's ring to the other's passes a pair of SBos.  Counted by hand: with one pair SBo 0
 * puts onto the ring of the first cluster, SBo 1 onto that of the second; with two pairs 0 and 1, 2 and 3.
 *
 * Read of the other cluster's memory	request (AD) over, data (BL) back twice: to the core, and to the slice
 * Write-back there			request and data over, completion (AK) back
 * Ownership without data		request over, completion back
 * Line in the home's own caches	request over; data back twice from the slice, completion from the home agent
 */
#include "probe.h"

enum { LINES = 16384 };		/* of 1 MB */

/* A clock of the rings is 400 ps, without a rest. */
#define LARGE "hsx,snoop=cod,uclk_mhz=2500"
#define SMALL LARGE ",cores=4"

enum { AD_CRD, AD_BNC, BL_CRD, BL_BNC, AK, IV, AD_STAY, BL_STAY, COUNTS };

static const char *const events[COUNTS][2] = {
	[AD_CRD] = { "TxR_INSERTS", "AD_CRD" }, [AD_BNC] = { "TxR_INSERTS", "AD_BNC" },
	[BL_CRD] = { "TxR_INSERTS", "BL_CRD" }, [BL_BNC] = { "TxR_INSERTS", "BL_BNC" },
	[AK] = { "TxR_INSERTS", "AK" }, [IV] = { "TxR_INSERTS", "IV" },
	[AD_STAY] = { "TxR_OCCUPANCY", "AD_CRD" }, [BL_STAY] = { "TxR_OCCUPANCY", "BL_CRD" },
};

/* Messages onto the first cluster's ring, and onto the second's, in lines. */
static const struct row {
	int line;
	const char *spec, *before, *kernel;
	unsigned ad[2], bl[2], ak[2];
	bool alone;		/* one request at a time */
} rows[] = {
	{ LINE, SMALL, NULL, "chase:size=1M,core=0,node=0", .alone = true },
	{ LINE, SMALL, NULL, "chase:size=1M,core=0,node=2", .alone = true },
	{ LINE, SMALL, NULL, "chase:size=1M,core=0,node=1", { 0, 1 }, { 2, 0 }, .alone = true },
	{ LINE, SMALL, NULL, "chase:size=1M,core=3,node=0", { 1, 0 }, { 0, 2 }, .alone = true },
	{ LINE, SMALL, "chase:size=1M,core=0,node=0,data=1", "chase:size=1M,core=2,node=0,data=1",
	  { 1, 0 }, { 0, 2 }, { 0, 1 }, true },
	/* Read, then InvItoE and a write past the caches. */
	{ LINE, SMALL, NULL, "stream:size=1M,op=copy,nt=1,core=0,node=1,prefetch=0", { 0, 3 }, { 2, 1 }, { 2, 0 } },
	{ LINE, LARGE, NULL, "chase:size=1M,core=8,node=1", { 0, 1 }, { 2, 0 }, .alone = true },
	{ LINE, LARGE, NULL, "chase:size=1M,core=9,node=0", { 1, 0 }, { 0, 2 }, .alone = true },
};

/* Four counters at a time; the machine does the same again. */
static void count(const struct row *r, unsigned pairs, uint64_t got[COUNTS][4])
{
	for (unsigned first = 0; first < COUNTS; first += 4) {
		struct probes p = { .m = make_machine(r->spec) };
		unsigned n[4];

		p.family = machine_spec(p.m)->family;
		for (unsigned i = 0; i < 4; i++)
			n[i] = probe_add(&p, "sbo", events[first + i][0], events[first + i][1], i);
		if (r->before)
			probe_run(p.m, r->before);
		probe_count(&p, r->kernel);
		for (unsigned i = 0; i < 4; i++) {
			for (unsigned box = 0; box < 2 * pairs; box++)
				got[first + i][box] = probe_box(&p, n[i], 0, box);
			CHECK_EQ(r->line, probe_socket(&p, n[i], 1), 0);
		}
		machine_free(p.m);
	}
}

static void check_row(const struct row *r)
{
	unsigned pairs = strstr(r->spec, "cores=") ? 1 : 2;
	uint64_t got[COUNTS][4] = { { 0 } };

	count(r, pairs, got);
	for (unsigned box = 0; box < 2 * pairs; box++) {
		unsigned ring = box / pairs;

		/* Neighbouring lines take turns with the pairs. */
		CHECK_EQ(r->line, got[AD_CRD][box] + got[AD_BNC][box], r->ad[ring] * LINES / pairs);
		CHECK_EQ(r->line, got[BL_CRD][box] + got[BL_BNC][box], r->bl[ring] * LINES / pairs);
		CHECK_EQ(r->line, got[AK][box], r->ak[ring] * LINES / pairs);
		CHECK_EQ(r->line, got[IV][box], 0);
		if (!r->alone)
			continue;
		/* Each has a credit, and is in the switch for four clocks; the slice's line follows the core's two clocks later. */
		CHECK_EQ(r->line, got[AD_BNC][box] + got[BL_BNC][box], 0);
		CHECK_EQ(r->line, got[AD_STAY][box], 4 * r->ad[ring] * LINES / pairs);
		CHECK_EQ(r->line, got[BL_STAY][box], (4 + 6) * r->bl[ring] / 2 * LINES / pairs);
	}
}

#define WRITES "random:size=8M,count=60000,writes=50,core=0,node=1"

/* How many of the lines of such a run go straight to a core. */
static uint64_t direct(void)
{
	struct probes p = { .m = make_machine(LARGE ",cores=2") };
	uint64_t lines;
	unsigned n;

	p.family = machine_spec(p.m)->family;
	n = probe_add(&p, "ha", "TxR_BL", "DRS_CORE", 0);
	probe_count(&p, WRITES);
	lines = probe_box(&p, n, 0, 1);
	machine_free(p.m);
	return lines;
}

/*
 * A slice of 2.5 MB and 8 MB that are read and written at random, of the other cluster's: what its home agent is asked for has gone
 * over, and all that came back and went was for that.
 */
static void check_writes(void)
{
	struct probes p = { .m = make_machine(LARGE ",cores=2") };
	unsigned ad[2], bl[2], reads, writes, own, credits;

	p.family = machine_spec(p.m)->family;
	ad[0] = probe_add(&p, "sbo", "TxR_INSERTS", "AD_CRD", 0);
	ad[1] = probe_add(&p, "sbo", "TxR_INSERTS", "AD_BNC", 1);
	bl[0] = probe_add(&p, "sbo", "TxR_INSERTS", "BL_CRD", 2);
	bl[1] = probe_add(&p, "sbo", "TxR_INSERTS", "BL_BNC", 3);
	reads = probe_add(&p, "ha", "REQUESTS", "READS", 0);
	writes = probe_add(&p, "ha", "REQUESTS", "WRITES", 1);
	own = probe_add(&p, "ha", "REQUESTS", "INVITOE_REMOTE", 2);
	credits = probe_add(&p, "ha", "SBO0_CREDITS_ACQUIRED", "BL", 3);
	probe_count(&p, WRITES);

	uint64_t r = probe_box(&p, reads, 0, 1), w = probe_box(&p, writes, 0, 1), o = probe_box(&p, own, 0, 1);
	uint64_t lines = r + direct();

	CHECK(r > 40000 && w > 10000 && lines > r + r / 2);
	CHECK_EQ(__LINE__, probe_box(&p, ad[0], 0, 1) + probe_box(&p, ad[1], 0, 1), r + w + o);
	CHECK_EQ(__LINE__, probe_box(&p, bl[0], 0, 1) + probe_box(&p, bl[1], 0, 1), w);
	CHECK_EQ(__LINE__, probe_box(&p, ad[0], 0, 0) + probe_box(&p, ad[1], 0, 0), 0);
	CHECK_EQ(__LINE__, probe_box(&p, bl[0], 0, 0) + probe_box(&p, bl[1], 0, 0), lines);
	/* A home agent waits for its credit, and so has one for each line. */
	CHECK_EQ(__LINE__, probe_box(&p, credits, 0, 1), lines);
	CHECK_EQ(__LINE__, probe_box(&p, bl[1], 0, 0), 0);
	CHECK_EQ(__LINE__, probe_socket(&p, reads, 0), r);
	machine_free(p.m);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		check_row(r);
	check_writes();
	return check_done();
}
