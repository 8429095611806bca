/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast transactions are walked through the whole uncore of two sockets, from the slice to
 * DRAM and back: host nanoseconds each, with nobody watching and with the usual sums.
 *
 * usage: fabric_bench [NUMBER [REQUESTS]], all runs or one of them; the difference that more requests
 * make to `valgrind --tool=callgrind` is what one costs in instructions.
 */
#include <stdio.h>

#include "bench.h"
#include "../tests/uncore/whole.h"

enum { REQUESTS = 3000000, FLIGHT = 10, AHEAD = 8, CACHED = 16 << 14 };

struct run {
	const char *name;
	enum leave_kind kind;
	uint64_t lines;		/* footprint */
	uint64_t first;
	unsigned cores;
	bool random, watched, rings;
};

static const struct run runs[] = {
	{ "LLC hits, random 16 MB", LEAVE_DRD, 16 << 14, 0, 18, true, false, false },
	{ "LLC hits, random 16 MB, watched", LEAVE_DRD, 16 << 14, 0, 18, true, true, false },
	{ "write-backs that hit, watched", LEAVE_WB_M, 16 << 14, 0, 18, true, true, false },
	{ "local misses, stream", LEAVE_DRD, 4096 << 14, 0, 18, false, false, false },
	{ "local misses, stream, watched", LEAVE_DRD, 4096 << 14, 0, 18, false, true, false },
	{ "local misses, random 4 GB, watched", LEAVE_DRD, 4096 << 14, 0, 18, true, true, false },
	{ "local stores, stream, watched", LEAVE_RFO, 4096 << 14, 0, 18, false, true, false },
	{ "remote misses, stream, watched", LEAVE_DRD, 4096 << 14, WHOLE_REMOTE, 18, false, true, false },
	{ "local misses, one core, watched", LEAVE_DRD, 4096 << 14, 0, 1, true, true, false },
	{ "local misses, stream, rings too", LEAVE_DRD, 4096 << 14, 0, 18, false, true, true },
};

static void watch(struct whole *w, bool rings)
{
	whole_sum(w, "cbo", SIG_CBO_LOOKUP, CBO_LOOKUP_ANY);
	whole_sum(w, "cbo", SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_MISS);
	whole_sum(w, "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_DATA);
	whole_sum(w, "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_DATA);
	whole_sum(w, "imc", SIG_IMC_CAS, 0);
	if (rings)
		whole_sum(w, "cbo", SIG_CBO_RING_BL, 0);
}

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 24;
}

/* What fits the cache is in it when the clock is started.  Returns the simulated time. */
static uint64_t warm(struct whole *w, const struct run *r)
{
	uint64_t now = 0;

	for (uint64_t line = 0; r->lines <= CACHED && line < r->lines; line++, now += 20000) {
		struct fabric_request rq = {
			.line = r->first + line, .when = now, .core = (uint8_t)(line % r->cores),
			.kind = LEAVE_DRD,
		};

		fabric_request(w->f, &rq);
	}
	return now;
}

/* Every core keeps FLIGHT requests under way. */
static void run(unsigned number, unsigned requests)
{
	const struct run *r = &runs[number];
	static struct whole w;
	uint64_t state = 1, queue[AHEAD], back[18][FLIGHT], waited = 0, last, begun;
	uint8_t slice[AHEAD];
	double start;

	whole_open(&w, 2, 18, 20, FABRIC_SNOOP_SOURCE, 2300000);
	if (r->watched)
		watch(&w, r->rings);
	for (unsigned i = 0; i < AHEAD; i++) {
		queue[i] = r->first + (r->random ? next(&state) % r->lines : i);
		slice[i] = (uint8_t)fabric_slice(w.f, 0, queue[i]);
	}
	begun = last = warm(&w, r);
	for (unsigned i = 0; i < 18; i++)
		for (unsigned k = 0; k < FLIGHT; k++)
			back[i][k] = begun;
	start = bench_seconds();
	for (unsigned i = 0; i < requests; i++) {
		unsigned core = i % r->cores, slot = i / r->cores % FLIGHT;
		struct fabric_request rq = {
			.line = queue[i % AHEAD], .when = back[core][slot], .core = (uint8_t)core,
			.kind = (uint8_t)r->kind,
		};
		uint64_t when, ahead = r->random ? next(&state) % r->lines : i + AHEAD;
		struct fabric_page page;

		rq.slice = slice[i % AHEAD];
		queue[i % AHEAD] = r->first + ahead % r->lines;
		page = fabric_page(w.f, queue[i % AHEAD]);
		slice[i % AHEAD] = (uint8_t)fabric_prefetch(w.f, 0, &page, (unsigned)(queue[i % AHEAD] - page.line));
		when = fabric_request_at(w.f, &rq).when;
		waited += when - rq.when;
		back[core][slot] = when;
		last = when > last ? when : last;
		if (i % 4096 == 0)
			for (unsigned h = 0; h < 4; h++)
				ha_advance(w.ha[h], rq.when > 2000000 ? rq.when - 2000000 : 0);
	}
	start = bench_seconds() - start;
	printf("%-36s %6.1f ns each; simulated: %6.1f ns, %6.1f GB/s\n", r->name, start * 1e9 / requests,
	       (double)waited / requests / 1000, 64.0 * requests / ((double)(last - begun) / 1000));
	whole_close(&w);
}

int main(int argc, char **argv)
{
	bench_run(argc, argv, LEN(runs), REQUESTS, run);
	return 0;
}
