/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the private caches are by themselves: loads in order and at random over
 * footprints that stay in L1, in L2, or leave the core.  Prints accesses and records a second.
 */
#include <stdio.h>

#include "bench.h"
#include "xcore/xcore.h"

enum { ACCESSES = 40000000 };

static void take(void *ctx, const struct leave_record *rec, unsigned n)
{
	(void)rec;
	*(uint64_t *)ctx += n;
}

/* step 0: at random. */
static void run(const char *what, uint64_t bytes, unsigned step)
{
	struct xcore_config cfg = xcore_haswell();
	uint64_t records = 0, state = 1, addr = 0;
	struct xcore *c;
	double start;

	cfg.leave = take;
	cfg.ctx = &records;
	if (xcore_new(&cfg, &c) < 0)
		return;
	start = bench_seconds();
	for (unsigned i = 0; i < ACCESSES; i++) {
		if (step) {
			addr = addr + step < bytes ? addr + step : 0;
		} else {
			state = state * 6364136223846793005u + 1442695040888963407u;
			addr = (state >> 24) % bytes;
		}
		xcore_load(c, 0x7f0000000000 + addr, 1, 0);
		xcore_retire(c, 2);
	}
	start = bench_seconds() - start;
	printf("%-32s %7.1f M accesses/s %7.2f M records/s\n", what, ACCESSES / start / 1e6,
	       (double)records / start / 1e6);
	xcore_free(c);
}

int main(void)
{
	run("one line", 64, 8);
	run("16 KB by 8 bytes", 16 << 10, 8);
	run("16 KB at random", 16 << 10, 0);
	run("128 KB by 8 bytes", 128 << 10, 8);
	run("128 KB at random", 128 << 10, 0);
	run("64 MB by 8 bytes", 64 << 20, 8);
	run("64 MB by 64 bytes", 64 << 20, 64);
	run("64 MB at random", 64 << 20, 0);
	return 0;
}
