/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole test support: rows with their own line number, all failures reported.
 * A test's main ends with `return check_done();`, which prints how many checks ran.
 */
#ifndef BXS_CHECK_H
#define BXS_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"

#define LINE .line = __LINE__

static unsigned check_failures, check_count;

/* A failure names the row's own line, so an editor jumps to the row. */
#define CHECK_EQ(at, got, want) check_eq(__FILE__, at, #got, (uint64_t)(got), (uint64_t)(want))
#define CHECK_STR(at, got, want) check_str(__FILE__, at, #got, got, want)
#define CHECK(cond) check_eq(__FILE__, __LINE__, #cond, (cond) != 0, 1)

static inline void check_eq(const char *file, int line, const char *what, uint64_t got,
			    uint64_t want)
{
	check_count++;
	if (got == want)
		return;
	printf("%s:%d: %s is %#" PRIx64 ", want %#" PRIx64 "\n", file, line, what, got, want);
	check_failures++;
}

static inline void check_str(const char *file, int line, const char *what, const char *got,
			     const char *want)
{
	check_count++;
	if (got && want && strcmp(got, want) == 0)
		return;
	printf("%s:%d: %s is \"%s\", want \"%s\"\n", file, line, what, got ? got : "(null)",
	       want ? want : "(null)");
	check_failures++;
}

/* The next of a test's numbers without order, from a state that is not 0 (Marsaglia's xorshift64); the same on every run. */
static inline uint64_t check_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline int check_done(void)
{
	printf("%u checks, %u failed\n", check_count, check_failures);
	return check_failures != 0;
}

#endif
