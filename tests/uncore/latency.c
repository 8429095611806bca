/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latencies of an idle machine at 2.5 GHz, averages over all cores of one socket: what
 * Molka and others measured (ICPP 2015), within a few percent.  A core's own look-ups, 12
 * clocks until L2 has missed, are added to what the fabric takes.
 */
#include "whole.h"

enum { CORE_NS100 = 480, LINES = 1800, A = 0, B = 1 << 20 };

/* Hundredths of nanoseconds for a core of socket 0; each line by another core than the
 * one that the same call with another `shift` uses. */
static unsigned mean(struct whole *w, uint64_t *now, uint64_t first, enum leave_kind kind, unsigned socket,
		     unsigned shift)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < LINES; i++) {
		struct fabric_request rq = {
			.line = first + (uint64_t)i * 5, .when = *now, .socket = (uint8_t)socket,
			.core = (uint8_t)((i + shift) % 18), .kind = (uint8_t)kind,
		};

		sum += fabric_request(w->f, &rq).when - *now;
		*now += 1234567;
	}
	return (unsigned)(sum / LINES / 10) + CORE_NS100;
}

static void check(int line, const char *what, unsigned got, unsigned want, unsigned tolerance)
{
	printf("%-32s %5.1f ns, measured %5.1f\n", what, got / 100.0, want / 100.0);
	CHECK_EQ(line, got * 100ull >= want * (100ull - tolerance), 1);
	CHECK_EQ(line, got * 100ull <= want * (100ull + tolerance), 1);
}

int main(void)
{
	struct whole w;
	uint64_t now = 1000000;

	whole_open(&w, 2, 18, 20, FABRIC_SNOOP_SOURCE, 2500000);
	check(__LINE__, "local memory", mean(&w, &now, A, LEAVE_DRD, 0, 0), 9640, 3);
	check(__LINE__, "clean in another core", mean(&w, &now, A, LEAVE_DRD, 0, 5), 4440, 8);
	check(__LINE__, "own socket's cache", mean(&w, &now, A, LEAVE_DRD, 0, 8), 2120, 3);
	mean(&w, &now, B, LEAVE_RFO, 0, 0);
	check(__LINE__, "modified in another core", mean(&w, &now, B, LEAVE_DRD, 0, 5), 5100, 8);
	check(__LINE__, "remote memory", mean(&w, &now, WHOLE_REMOTE, LEAVE_DRD, 0, 0), 14600, 3);
	mean(&w, &now, WHOLE_REMOTE | B, LEAVE_PF_LLC_DRD, 1, 0);
	check(__LINE__, "clean in the other socket's cache",
	      mean(&w, &now, WHOLE_REMOTE | B, LEAVE_DRD, 0, 0), 8600, 15);
	whole_close(&w);
	whole_open(&w, 2, 18, 20, FABRIC_SNOOP_HOME, 2500000);
	check(__LINE__, "local memory, home snoop", mean(&w, &now, A, LEAVE_DRD, 0, 0), 10800, 3);
	check(__LINE__, "remote memory, home snoop", mean(&w, &now, WHOLE_REMOTE, LEAVE_DRD, 0, 0), 14600, 3);
	whole_close(&w);
	return check_done();
}
