/* SPDX-License-Identifier: BSD-2-Clause */
/* Power control: how cores and packages sink into sleep and wake, and what the uncore's clock makes of it. */
#include "base/error.h"
#include "pcu_rig.h"

/* Frequencies told, as the world sees them. */
static uint64_t told_when;
static uint32_t told_khz;

static void tell(void *ctx, uint64_t when, uint32_t khz)
{
	(void)ctx;
	told_when = when;
	told_khz = khz;
}

static int make(unsigned sockets, unsigned cores, struct pcu **out)
{
	struct pcu_config config = {
		.sockets = sockets, .cores = cores, .work_khz = 2300000, .rest_khz = 1200000,
		.uclk = tell,
	};

	return pcu_new(&config, out);
}

/* Two cores of one socket, never woken: after 100 us C3, after 400 us C6. */
static const struct row {
	int line;
	unsigned sig;
	uint64_t flags;
	uint64_t want;			/* us within the first 500 */
} rows[] = {
	{ LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C0, 2 * 100 },
	{ LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C3, 2 * 300 },
	{ LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C6, 2 * 100 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C0, 0 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C1E, 100 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C2E, 0 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C3, 300 - 5 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C6, 100 - 10 },
	{ LINE, SIG_PCU_TRANSITION, PCU_TRANSITION_CORE0, 5 + 10 },
	{ LINE, SIG_PCU_TRANSITION, 0, 2 * (5 + 10) },
	{ LINE, SIG_PCU_FREQUENCY, 0, 500 },
	{ LINE, SIG_PCU_LIMIT, PCU_LIMIT_OS, 500 },
};

static void check_idle(void)
{
	struct counter counter[LEN(rows)];
	struct signal_clock clock;
	struct signal_port port;
	struct pcu *p;

	signal_clock_init(&clock, 1000000);
	CHECK_EQ(__LINE__, signal_port_init(&port, SIG_PCU_COUNT, &clock), 0);
	CHECK_EQ(__LINE__, make(1, 2, &p), 0);
	for (unsigned i = 0; i < LEN(rows); i++)
		count(&counter[i], &port, rows[i].sig, rows[i].flags);
	pcu_port(p, 0, &port);
	pcu_advance(p, 500 * US);
	for (unsigned i = 0; i < LEN(rows); i++)
		CHECK_EQ(rows[i].line, counted(&counter[i], &port, 500 * US), rows[i].want);
	for (unsigned i = 0; i < LEN(rows); i++)
		drop(&counter[i], &port, rows[i].sig);
	signal_port_free(&port);
	pcu_free(p);
}

/* How long a core takes to run again, by how long it slept. */
static const struct wake {
	int line;
	uint64_t slept, runs;		/* us after halting */
} wakes[] = {
	{ LINE, 0, 2 },
	{ LINE, 99, 101 },
	{ LINE, 100, 133 },		/* sinks to C3 just then */
	{ LINE, 399, 432 },
	{ LINE, 400, 533 },
	{ LINE, 5000, 5133 },
};

static void check_wake(void)
{
	for (const struct wake *w = wakes; w < wakes + LEN(wakes); w++) {
		uint64_t halted, runs;
		struct pcu *p;

		CHECK_EQ(w->line, make(1, 1, &p), 0);
		halted = pcu_wake(p, 0, 10 * US) + 50 * US;
		pcu_halt(p, 0, halted);
		runs = pcu_wake(p, 0, halted + w->slept * US);
		CHECK_EQ(w->line, runs - halted, w->runs * US);
		/* A core that runs is not woken. */
		CHECK_EQ(w->line, pcu_wake(p, 0, runs + US), runs + US);
		pcu_free(p);
	}
}

/*
 * Two sockets of two cores.  One core works for 1 ms while the rest sleep, then it sleeps
 * too: a package may not go deeper than C2 before the other one is as deep as C3.
 */
static const struct package {
	int line;
	unsigned socket;
	uint64_t flag;
	uint64_t want[2];		/* us in the first and the second millisecond */
} packages[] = {
	{ LINE, 0, PCU_PACKAGE_C1E, { 100, 0 } },
	{ LINE, 0, PCU_PACKAGE_C2E, { 900 - 5, 100 } },
	{ LINE, 0, PCU_PACKAGE_C3, { 0, 0 } },
	{ LINE, 0, PCU_PACKAGE_C6, { 0, 900 } },
	{ LINE, 1, PCU_PACKAGE_C0, { 998, 0 } },
	{ LINE, 1, PCU_PACKAGE_C1E, { 2, 100 } },
	{ LINE, 1, PCU_PACKAGE_C2E, { 0, 0 } },
	{ LINE, 1, PCU_PACKAGE_C3, { 0, 300 - 5 } },
	{ LINE, 1, PCU_PACKAGE_C6, { 0, 600 - 10 } },
};

static void check_packages(void)
{
	struct counter counter[LEN(packages)];
	struct signal_port port[2];
	struct signal_clock clock;
	struct pcu *p;

	signal_clock_init(&clock, 1000000);
	CHECK_EQ(__LINE__, make(2, 2, &p), 0);
	for (unsigned s = 0; s < 2; s++) {
		CHECK_EQ(__LINE__, signal_port_init(&port[s], SIG_PCU_COUNT, &clock), 0);
		pcu_port(p, s, &port[s]);
	}
	for (unsigned i = 0; i < LEN(packages); i++)
		count(&counter[i], &port[packages[i].socket], SIG_PCU_PACKAGE, packages[i].flag);
	/* The uncore works from the first core's waking on, until the last one is in C3. */
	CHECK_EQ(__LINE__, pcu_wake(p, 3, 0), 2 * US);
	pcu_advance(p, 2 * US);
	CHECK_EQ(__LINE__, told_khz, 2300000);
	CHECK_EQ(__LINE__, told_when, 2 * US);
	for (unsigned ms = 0; ms < 2; ms++) {
		uint64_t until = (ms + 1) * 1000 * US;

		if (ms == 1)
			pcu_halt(p, 3, 1000 * US);
		pcu_advance(p, until);
		for (unsigned i = 0; i < LEN(packages); i++)
			CHECK_EQ(packages[i].line,
				 counted(&counter[i], &port[packages[i].socket], until),
				 packages[i].want[ms]);
		CHECK_EQ(__LINE__, told_khz, ms ? 1200000 : 2300000);
		CHECK_EQ(__LINE__, told_when, ms ? 1100 * US : 2 * US);
		for (unsigned s = 0; s < 2; s++)
			signal_port_close(&port[s], signal_clocks(&clock, until));
	}
	for (unsigned i = 0; i < LEN(packages); i++)
		drop(&counter[i], &port[packages[i].socket], SIG_PCU_PACKAGE);
	for (unsigned s = 0; s < 2; s++)
		signal_port_free(&port[s]);
	pcu_free(p);
}

int main(void)
{
	struct pcu *p = NULL;

	CHECK_EQ(__LINE__, make(1, PCU_MAX_CORES + 1, &p), BXS_EINVAL);
	CHECK_EQ(__LINE__, make(0, 1, &p), BXS_EINVAL);
	check_idle();
	check_wake();
	check_packages();
	return check_done();
}
