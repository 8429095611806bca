/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a load costs by where it ends: a pointer chase through arrays of several sizes, on
 * the local and the other node, alone on a machine with 2.5 GHz cores.  Beside it what was measured
 * on Haswell-EP (published: L1 1.6 ns, L2 4.8 ns, L3 21 ns, local memory 96 ns, remote memory 146 ns), and how
 * fast the simulation is.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"
#include "bench.h"
#include "feed/feed.h"
#include "machine/machine.h"

#define SPEC "hsx:e5-2680v3"

static const struct row {
	const char *what, *kernel;
	uint64_t loads;
	double published;		/* ns */
} rows[] = {
	{ "L1, 16 KB", "chase:size=16K", 256, 1.6 },
	{ "L2, 128 KB", "chase:size=128K", 2048, 4.8 },
	{ "L3, 8 MB", "chase:size=8M", 131072, 21 },
	{ "local memory, 256 MB", "chase:size=256M", 4194304, 96 },
	{ "remote memory, 256 MB", "chase:size=256M,node=1", 4194304, 146 },
};

/* Run a kernel; how long core 0 was busy with it, in ns. */
static double run(struct machine *m, const char *kernel)
{
	struct feed *feed;
	char why[200] = "";
	uint64_t from;

	if (kernel_open(m, kernel, &feed, why, sizeof why) < 0) {
		fprintf(stderr, "latency: %s\n", why);
		return 0;
	}
	from = machine_core_time(m, 0);
	feed_run(feed, UINT64_MAX);
	feed_close(feed);
	return (double)(machine_core_time(m, 0) - from) / 1000;
}

int main(void)
{
	char why[200] = "";
	struct spec spec;

	if (spec_parse(SPEC, &spec, why, sizeof why) < 0) {
		fprintf(stderr, "latency: %s\n", why);
		return 70;
	}
	printf("%-24s %8s %10s %14s\n", "", "ns", "published", "loads a second");
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		char kernel[80];
		struct machine *m;
		double once, twice, start;

		/* The second pass alone: the difference of one pass and two. */
		if (machine_new(&spec, &m) < 0)
			return 70;
		once = run(m, r->kernel);
		machine_free(m);
		if (machine_new(&spec, &m) < 0)
			return 70;
		snprintf(kernel, sizeof kernel, "%s,passes=2", r->kernel);
		start = bench_seconds();
		twice = run(m, kernel);
		start = bench_seconds() - start;
		machine_free(m);
		printf("%-24s %8.1f %10.1f %14.0f\n", r->what, (twice - once) / (double)r->loads, r->published,
		       2 * (double)r->loads / start);
	}
	return 0;
}
