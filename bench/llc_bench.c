/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the cache model is: random look-ups of one socket's LLC (18 slices of 2.5 MB),
 * with a fill for each miss, over footprints that fit and that do not.  Prints a rate for
 * each, alone and with the host told a few look-ups ahead.
 */
#include <stdio.h>

#include "bench.h"
#include "uncore/cbo/llc.h"

enum { LOOKUPS = 20000000, AHEAD = 8 };

static uint64_t next_line(uint64_t *state, uint64_t lines)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 24) % lines;
}

static void run(struct llc *c, const char *what, uint64_t lines, bool ahead)
{
	uint64_t state = 1, queue[AHEAD], hits = 0;
	double start;

	for (unsigned i = 0; i < AHEAD; i++)
		queue[i] = next_line(&state, lines);
	start = bench_seconds();
	for (unsigned i = 0; i < LOOKUPS; i++) {
		uint64_t line = queue[i % AHEAD], later = next_line(&state, lines);
		unsigned slice = llc_slice(c, line);
		struct llc_place p = llc_find(c, slice, line);

		queue[i % AHEAD] = later;
		if (ahead)
			llc_prefetch(c, llc_slice(c, later), later);
		if (p.way >= 0) {
			hits++;
			llc_touch(&p);
		} else {
			llc_fill(c, &p, line, LLC_E, 1);
		}
	}
	printf("%-28s %6.1f M/s  hits %5.1f %%\n", what, LOOKUPS / (bench_seconds() - start) / 1e6,
	       100.0 * (double)hits / LOOKUPS);
}

int main(void)
{
	static const struct { const char *name; uint64_t lines; } sizes[] = {
		{ "8 MB", 8 << 14 }, { "32 MB", 32 << 14 }, { "1 GB", 1024 << 14 },
	};
	struct llc c;

	if (llc_init(&c, 18, 20) < 0)
		return 1;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char what[64];

		run(&c, sizes[i].name, sizes[i].lines, false);
		snprintf(what, sizeof what, "%s, told ahead", sizes[i].name);
		run(&c, what, sizes[i].lines, true);
	}
	llc_free(&c);
	return 0;
}
