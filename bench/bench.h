/* SPDX-License-Identifier: BSD-2-Clause */
/* What the benchmarks share: their clock, and which of their runs to make. */
#ifndef BXS_BENCH_BENCH_H
#define BXS_BENCH_BENCH_H

#include <limits.h>
#include <stdlib.h>
#include <time.h>

/* Processor time of this process: a busy machine disturbs it less than the clock. */
static inline double bench_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The command line [NUMBER [REQUESTS]]: one of `runs` runs or all of them, each with so many requests, or `requests`. */
static inline void bench_run(int argc, char **argv, unsigned runs, unsigned requests,
			     void (*run)(unsigned number, unsigned requests))
{
	unsigned only = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : UINT_MAX;

	if (argc > 2)
		requests = (unsigned)strtoul(argv[2], NULL, 0);
	for (unsigned i = 0; i < runs; i++)
		if (only == UINT_MAX || only == i)
			run(i, requests);
}

#endif
