/* SPDX-License-Identifier: BSD-2-Clause */
/* Which home agent serves what of memory, as the specification says, counted through PMU registers. */
#include "probe.h"

/* A memory of 64 MB in four regions, pages handed out in order: 24 MB fill one and a half of them. */
static void check_regions(void)
{
	static const char *const names[] = { "REGION0", "REGION1", "REGION2", "REGION3" };
	static const unsigned want[] = { 4096, 2048, 0, 0 };
	struct probes p = { .m = make_machine("hsx,sockets=1,cores=1,memory=64M,tads=4") };
	unsigned n[4];

	p.family = machine_spec(p.m)->family;
	for (unsigned i = 0; i < LEN(n); i++)
		n[i] = probe_add(&p, "ha", "TAD_REQUESTS_G0", names[i], i);
	probe_count(&p, "stride:size=24M,stride=4096,count=6144");
	for (unsigned i = 0; i < LEN(n); i++)
		CHECK_EQ(__LINE__, probe_read(&p, n[i]), want[i]);
	machine_free(p.m);
}

/*
 * Cluster-on-die: four nodes of two cores each.  A core reads 1 MB of every node in turn: its own slices look up all of it, the
 * home agent of the node gets the requests, and only what lies in the other socket crosses a link, in nine flits a line.
 */
static void check_clusters(void)
{
	enum { LINES = 16384 };

	for (unsigned core = 0; core < 8; core++)
		for (unsigned node = 0; node < 4; node++) {
			struct probes p = { .m = make_machine("hsx,cores=4,snoop=cod") };
			unsigned reads, lookups, flits, remote, mine = core / 2;
			char kernel[80];

			p.family = machine_spec(p.m)->family;
			CHECK_EQ(__LINE__, machine_nodes(p.m), 4);
			probe_filter(&p, "cbo", UINT64_C(0x7f) << 17);
			reads = probe_add(&p, "ha", "REQUESTS", "READS", 0);
			lookups = probe_add(&p, "cbo", "LLC_LOOKUP", "DATA_READ", 0);
			remote = probe_add(&p, "cbo", "TOR_INSERTS", "MISS_REMOTE", 1);
			flits = probe_add(&p, "qpi", "RxL_FLITS_G1", "DRS_DATA", 0);
			snprintf(kernel, sizeof kernel, "chase:size=1M,core=%u,node=%u", core, node);
			probe_count(&p, kernel);
			for (unsigned n = 0; n < 4; n++) {
				unsigned found = (unsigned)(probe_box(&p, lookups, n / 2, n % 2 * 2) +
							    probe_box(&p, lookups, n / 2, n % 2 * 2 + 1));

				CHECK_EQ(__LINE__, probe_box(&p, reads, n / 2, n % 2), n == node ? LINES : 0);
				CHECK_EQ(__LINE__, found, n == mine ? LINES : 0);
			}
			CHECK_EQ(__LINE__, probe_read(&p, remote), node == mine ? 0 : LINES);
			CHECK_EQ(__LINE__, probe_socket(&p, flits, mine / 2), node / 2 == mine / 2 ? 0 : LINES * 8);
			machine_free(p.m);
		}
}

/* Who listens to queues makes the walk tell everything; what happens is the same. */
static void check_told(void)
{
	static const char kernel[] = "random:size=2M,count=4000,threads=8,writes=30";
	uint64_t end[2], counts[2][3];

	for (unsigned told = 0; told < 2; told++) {
		struct probes p = { .m = make_machine("hsx,cores=4,snoop=cod,pages=interleave") };
		unsigned n[3];

		p.family = machine_spec(p.m)->family;
		n[0] = probe_add(&p, "cbo", "TOR_INSERTS", "MISS_LOCAL", 1);
		n[1] = probe_add(&p, "qpi", "TxL_FLITS_G0", "DATA", 0);
		n[2] = probe_add(&p, "imc", "CAS_COUNT", "RD", 0);
		if (told) {
			probe_add(&p, "cbo", "TOR_OCCUPANCY", "ALL", 0);
			probe_add(&p, "ha", "TRACKER_OCCUPANCY", "READS_LOCAL", 0);
			probe_add(&p, "imc", "RPQ_CYCLES_NE", NULL, 1);
		}
		probe_count(&p, kernel);
		end[told] = machine_core_time(p.m, 5);
		for (unsigned i = 0; i < LEN(n); i++)
			counts[told][i] = probe_read(&p, n[i]);
		machine_free(p.m);
	}
	CHECK_EQ(__LINE__, end[1], end[0]);
	for (unsigned i = 0; i < LEN(counts[0]); i++) {
		CHECK(counts[0][i] > 1000);
		CHECK_EQ(__LINE__, counts[1][i], counts[0][i]);
	}
}

/* A page goes to the node of the core that touches it first. */
static void check_first_touch(void)
{
	struct machine *m = make_machine("hsx,cores=4,snoop=cod,memory=64M");
	uint64_t node = UINT64_C(32) << 20;

	for (unsigned core = 0; core < 8; core++)
		CHECK_EQ(__LINE__, machine_translate(m, core, 7, 4096 * (core + 1)) / node, core / 2);
	machine_free(m);
}

/* A module has four numbers for its ranks, used from the first on; all ranks of a channel are read. */
static void check_ranks(void)
{
	static const struct { int line; const char *memory; unsigned numbers; } rows[] = {
		{ LINE, "dimms_per_channel=1,ranks=1", 0x01 }, { LINE, "dimms_per_channel=2,ranks=1", 0x11 },
		{ LINE, "dimms_per_channel=1,ranks=2", 0x03 }, { LINE, "dimms_per_channel=2,ranks=2", 0x33 },
		{ LINE, "dimms_per_channel=1,ranks=4", 0x0f }, { LINE, "dimms_per_channel=2,ranks=4", 0xff },
	};

	for (unsigned i = 0; i < 2 * LEN(rows); i++) {
		unsigned first = i % 2 * 4, n[4];
		char text[80];
		struct probes p;

		snprintf(text, sizeof text, "hsx,sockets=1,cores=1,%s", rows[i / 2].memory);
		p = (struct probes){ .m = make_machine(text) };
		p.family = machine_spec(p.m)->family;
		for (unsigned k = 0; k < 4; k++) {
			snprintf(text, sizeof text, "RD_CAS_RANK%u", first + k);
			n[k] = probe_add(&p, "imc", text, "ALLBANKS", k);
		}
		probe_count(&p, "random:size=64M,count=4000");
		for (unsigned k = 0; k < 4; k++)
			CHECK_EQ(rows[i / 2].line, probe_read(&p, n[k]) > 100, rows[i / 2].numbers >> (first + k) & 1);
		machine_free(p.m);
	}
}

static void check_refused(void)
{
	static const char needs[] = "snoop=cod: needs sockets with two home agents", never[] = "snoop=cod: a socket of snbep cannot";
	static const struct { int line; const char *spec, *why; } rows[] = {
		{ LINE, "hsx,cores=3,snoop=cod", needs }, { LINE, "hsx,has=1,snoop=cod", needs },
		{ LINE, "hsx,sockets=8,snoop=cod", needs }, { LINE, "hsx:e5-2407v3,snoop=cod", needs },
		{ LINE, "snbep,snoop=cod", never },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct spec spec;
		char why[300] = "";

		CHECK_EQ(rows[i].line, spec_parse(rows[i].spec, &spec, why, sizeof why), BXS_EINVAL);
		CHECK_EQ(rows[i].line, strncmp(why, rows[i].why, strlen(rows[i].why)), 0);
	}
}

int main(void)
{
	check_regions();
	check_clusters();
	check_told();
	check_first_touch();
	check_ranks();
	check_refused();
	return check_done();
}
