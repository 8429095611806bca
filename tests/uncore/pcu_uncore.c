/* SPDX-License-Identifier: BSD-2-Clause */
/* An uncore without a clock of its own: it follows the cores of the fastest socket, in a schedule worked out by hand. */
#include "pcu_rig.h"

static struct told { uint64_t us; uint32_t mhz; } told[16];
static unsigned tolds;

static void tell(void *ctx, uint64_t when, uint32_t khz)
{
	(void)ctx;
	CHECK_EQ(__LINE__, when % US, 0);
	told[tolds++ % LEN(told)] = (struct told){ when / US, khz / 1000 };
}

/*
 * Core 0 of socket 0 runs, from 600 (out of C6: 733) to 1600 two more do, and their frequency is as in tests/uncore/pcu_told.c:
 * 3.6, at 1000 3.0, at 1500 2.7, at 2000 3.5 and at 2500 3.6, faster ones when the voltage is there, 10 us later.  A core of the
 * other socket wakes at 1200 out of C6 (1333), halts at 1350 and is in C3 from 1450 on: as long that socket's 3.6 count.  Core 0
 * halts at 2700; all are in C3 at 2800.
 */
static const struct row { int line; struct told want; } rows[] = {
	{ LINE, { 2, 3600 } },		/* 2 us to wake; it rested at 1.2 */
	{ LINE, { 1000, 3000 } },
	{ LINE, { 1333, 3600 } },
	{ LINE, { 1450, 3000 } },
	{ LINE, { 1500, 2700 } },
	{ LINE, { 2010, 3500 } },
	{ LINE, { 2510, 3600 } },
	{ LINE, { 2800, 1200 } },
};

int main(void)
{
	struct pcu_config config = {
		.sockets = 2, .cores = 4, .rest_khz = 1200000, .uncore_with_cores = true, .uclk = tell,
		.core_khz = 3600000, .least_khz = 1200000, .turbo = true, .base_khz = 2300000,
		.most_khz = { 3600000, 3600000, 3400000, 3300000 }, .fixed = 25000, .each = 15000,
	};
	struct counter change, same, frequency;
	struct signal_clock clock;
	struct signal_port port;
	struct pcu *p = NULL;

	signal_clock_init(&clock, 1000000);
	CHECK_EQ(__LINE__, signal_port_init(&port, SIG_PCU_COUNT, &clock), 0);
	CHECK_EQ(__LINE__, pcu_new(&config, &p), 0);
	count(&change, &port, SIG_PCU_FREQ_CHANGE, 0);
	count(&frequency, &port, SIG_PCU_FREQUENCY, 0);
	count(&same, &port, SIG_PCU_RING_SAME, 0);
	pcu_port(p, 0, &port);
	pcu_wake(p, 0, 0);
	pcu_wake(p, 1, 600 * US);
	pcu_wake(p, 2, 600 * US);
	CHECK_EQ(__LINE__, pcu_wake(p, 4, 1200 * US), 1333 * US);
	pcu_halt(p, 4, 1350 * US);
	pcu_halt(p, 1, 1600 * US);
	pcu_halt(p, 2, 1600 * US);
	pcu_halt(p, 0, 2700 * US);
	pcu_advance(p, 3000 * US);
	CHECK_EQ(__LINE__, tolds, LEN(rows));
	for (unsigned i = 0; i < LEN(rows); i++) {
		CHECK_EQ(rows[i].line, told[i].us, rows[i].want.us);
		CHECK_EQ(rows[i].line, told[i].mhz, rows[i].want.mhz);
	}
	/* Cores and uncore lock together, and no change leaves the ring as it was. */
	CHECK_EQ(__LINE__, counted(&change, &port, 3000 * US), LEN(rows) * 5);
	CHECK_EQ(__LINE__, counted(&frequency, &port, 3000 * US), 3000 - LEN(rows) * 5);
	CHECK_EQ(__LINE__, counted(&same, &port, 3000 * US), 0);
	drop(&change, &port, SIG_PCU_FREQ_CHANGE);
	drop(&frequency, &port, SIG_PCU_FREQUENCY);
	drop(&same, &port, SIG_PCU_RING_SAME);
	signal_port_free(&port);
	pcu_free(p);
	return check_done();
}
