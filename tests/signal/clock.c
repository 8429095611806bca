/* SPDX-License-Identifier: BSD-2-Clause */
/* Clock domains: exact at every boundary, through changes and after long runs. */
#include "check.h"
#include "signal/signal.h"

static const struct row {
	int line;
	uint32_t khz;
	uint64_t clocks;
	uint64_t time;		/* the first picosecond at which they are complete */
} rows[] = {
	{ LINE, 1000000, 0, 0 },
	{ LINE, 1000000, 1, 1000 },
	{ LINE, 1000000, 7, 7000 },
	{ LINE, 800000, 1, 1250 },
	{ LINE, 800000, 3, 3750 },
	{ LINE, 2300000, 1, 435 },		/* 434.78 */
	{ LINE, 2300000, 2, 870 },		/* 869.57 */
	{ LINE, 2300000, 23, 10000 },
	{ LINE, 2300000, 2300000, 1000000000 },
	{ LINE, 1066667, 1, 938 },		/* 937.4997 */
	{ LINE, 1066667, 1066667, 1000000000 },
	{ LINE, 2400000, 3, 1250 },
};

/* Time to clocks and clocks to time agree, one picosecond early and on time. */
static void boundary(int line, const struct signal_clock *c, uint64_t clocks, uint64_t time)
{
	CHECK_EQ(line, signal_clock_time(c, clocks), time);
	CHECK_EQ(line, signal_clocks(c, time), clocks);
	if (time > c->t0)
		CHECK_EQ(line, signal_clocks(c, time - 1), clocks - 1);
}

static void changes(void)
{
	struct signal_clock c;

	/* 10 clocks of 1 GHz, then 2 GHz: exactly at a boundary. */
	signal_clock_init(&c, 1000000);
	signal_clock_change(&c, 10000, 2000000);
	CHECK_EQ(__LINE__, signal_clocks(&c, 10000), 10);
	boundary(__LINE__, &c, 11, 10500);
	boundary(__LINE__, &c, 20, 15000);

	/* In the middle of a clock: its second half takes half a clock of the new frequency. */
	signal_clock_init(&c, 1000000);
	signal_clock_change(&c, 10500, 2000000);
	CHECK_EQ(__LINE__, signal_clocks(&c, 10500), 10);
	boundary(__LINE__, &c, 11, 10750);

	/* The same frequency again changes nothing. */
	signal_clock_change(&c, 20750, 2000000);
	boundary(__LINE__, &c, 31, 20750);

	/* Before anything has run. */
	signal_clock_init(&c, 2300000);
	signal_clock_change(&c, 0, 800000);
	boundary(__LINE__, &c, 1, 1250);
}

/* An hour of clocks, settled every millisecond, is exact to the clock. */
static void long_run(void)
{
	struct signal_clock c;
	uint64_t ms = UINT64_C(1000000000);

	signal_clock_init(&c, 2300000);
	for (uint64_t t = 0; t < 3600 * 1000; t += 100)
		signal_clock_settle(&c, t * ms + 12345);
	CHECK_EQ(__LINE__, signal_clocks(&c, 3600 * 1000 * ms), UINT64_C(8280000000000));
	CHECK_EQ(__LINE__, signal_clocks(&c, 3600 * 1000 * ms - 1), UINT64_C(8279999999999));
	/* Times before the origin count as the origin. */
	CHECK_EQ(__LINE__, signal_clocks(&c, 0), c.k0);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct signal_clock c;

		signal_clock_init(&c, r->khz);
		boundary(r->line, &c, r->clocks, r->time);
	}
	changes();
	long_run();
	return check_done();
}
