/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast a memory channel is simulated, and what it would have delivered: streams,
 * mixes of reads and writes, random lines, with as many requests in flight as given.
 *
 * usage: imc_bench [NUMBER [REQUESTS]], all runs or one of them; the difference that more requests
 * make to `valgrind --tool=callgrind` is what one costs in instructions.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "../tests/uncore/meter.h"
#include "signal_ids.h"
#include "uncore/imc/imc.h"

enum { REQUESTS = 2000000, FLIGHT_MAX = 128 };

enum { RD, WR, ACT, WRITE_MODE };	/* counters, as count() hangs them */

struct run {
	const char *name;
	unsigned flight;	/* requests under way at a time */
	unsigned write;		/* percent of the requests */
	unsigned streams;	/* 0: random */
	bool watched;
};

static const struct run runs[] = {
	{ "one read at a time, random", 1, 0, 0, true },
	{ "stream of reads", 48, 0, 1, false },
	{ "stream of reads, counted", 48, 0, 1, true },
	{ "9 streams of reads, counted", 48, 0, 9, true },
	{ "9 streams, a third writes, counted", 48, 33, 9, true },
	{ "9 streams, half writes, counted", 48, 50, 9, true },
	{ "random reads, counted", 48, 0, 0, true },
	{ "random, a third writes, counted", 48, 33, 0, true },
	{ "9 streams of writes, counted", 48, 100, 9, true },
	{ "9 streams of reads", 48, 0, 9, false },
	{ "9 streams, half writes", 48, 50, 9, false },
	{ "9 streams of writes", 48, 100, 9, false },
	{ "random reads", 48, 0, 0, false },
	{ "random, half writes", 48, 50, 0, false },
	{ "random writes", 48, 100, 0, false },
};

static uint64_t step(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* As many counters as a channel has. */
static void count(struct meter *m)
{
	meter_add(m, SIG_IMC_CAS, IMC_CAS_RD_REG);
	meter_add(m, SIG_IMC_CAS, IMC_CAS_WR);
	meter_add(m, SIG_IMC_ACT, 0);
	meter_add(m, SIG_IMC_MODE, IMC_MODE_WRITE);
}

static void run(unsigned number, unsigned requests)
{
	const struct run *r = &runs[number];
	struct imc_config config;
	struct imc *imc;
	struct meter m;
	uint64_t slot[FLIGHT_MAX] = { 0 }, seed = 88172645463325252, t = 0, waited = 0, reads = 0;
	uint64_t next[16];
	double start;

	imc_config_ddr4(&config, 2133, 2);
	meter_init(&m, config.dram.dclk_khz, SIG_IMC_COUNT);
	if (imc_new(&config, &imc) < 0)
		return;
	imc_port(imc, &m.port);
	if (r->watched)
		count(&m);
	imc_rewatch(imc, !r->watched);
	for (unsigned i = 0; i < 16; i++)
		next[i] = (step(&seed) & 0xffffff) << 3;
	start = bench_seconds();
	for (unsigned i = 0; i < requests; i++) {
		uint64_t line = r->streams ? next[i % r->streams]++ : step(&seed) & 0xfffffff;

		/* Each request starts when the one `flight` before it is done. */
		t = slot[i % r->flight] > t ? slot[i % r->flight] : t;
		if (step(&seed) % 100 < r->write) {
			slot[i % r->flight] = imc_write(imc, line, t, false).issued;
		} else {
			slot[i % r->flight] = imc_read(imc, line, t).data;
			waited += slot[i % r->flight] - t;
			reads++;
		}
		if (i % 4096 == 0) {
			imc_advance(imc, t);
			meter_close(&m, t);
		}
	}
	imc_advance(imc, t);
	meter_close(&m, t);
	start = bench_seconds() - start;
	printf("%-34s %5.1f M requests/s of host time; %5.2f GB/s, %5.1f ns", r->name,
	       requests / start / 1e6, requests * 64e3 / (double)t,
	       reads ? (double)waited / (double)reads / 1000 : 0.0);
	if (r->watched)
		printf("  %4.1f %% row hits, %4.1f %% of clocks draining writes",
		       100 - 100 * (double)m.sum[ACT] / (double)(m.sum[RD] + m.sum[WR]),
		       100 * (double)m.sum[WRITE_MODE] / (double)signal_clocks(&m.clock, t));
	printf("\n");
	imc_free(imc);
	meter_free(&m);
}

int main(int argc, char **argv)
{
	bench_run(argc, argv, LEN(runs), REQUESTS, run);
	return 0;
}
