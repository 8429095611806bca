/* SPDX-License-Identifier: BSD-2-Clause */
/* Power control: turbo, heat and demotion in schedules worked out by hand, and that the states of each close. */
#include "pcu_rig.h"

/*
 * Schedules by hand on one socket, and for how many microseconds, or how often, signals are told.
 * The uncore goes to work when the first core runs, 2 us after it is woken, which takes 5 us.
 */
struct told {
	int line;
	unsigned sig;
	uint64_t flags, want;
};

static void run_told(struct pcu *p, void (*script)(struct pcu *p), uint64_t until, const struct told *row,
		     size_t n)
{
	struct counter counter[64];
	struct signal_clock clock;
	struct signal_port port;

	signal_clock_init(&clock, 1000000);
	CHECK_EQ(__LINE__, signal_port_init(&port, SIG_PCU_COUNT, &clock), 0);
	for (size_t i = 0; i < n; i++)
		count(&counter[i], &port, row[i].sig, row[i].flags);
	pcu_port(p, 0, &port);
	script(p);
	pcu_advance(p, until * US);
	for (size_t i = 0; i < n; i++) {
		bool pulses = row[i].sig == SIG_PCU_DEMOTION || row[i].sig == SIG_PCU_RING_SAME;
		uint64_t got = (uint64_t)signal_watch_close(&port, &counter[i].watch,
							     signal_clocks(&clock, until * US));

		CHECK_EQ(row[i].line, pulses ? got : got / 1000, row[i].want);
		drop(&counter[i], &port, row[i].sig);
	}
	signal_port_free(&port);
	pcu_free(p);
}

static uint32_t cores_khz[16];
static unsigned changes;

static void tell_core(void *ctx, unsigned socket, uint64_t when, uint32_t khz)
{
	(void)ctx;
	(void)socket;
	(void)when;
	cores_khz[changes++ % LEN(cores_khz)] = khz;
}

static struct pcu *make_turbo(uint32_t fixed, uint32_t each)
{
	struct pcu_config config = {
		.sockets = 1, .cores = 4, .work_khz = 2300000, .rest_khz = 1200000, .core = tell_core,
		.core_khz = 3600000, .least_khz = 1200000, .turbo = true, .base_khz = 2300000,
		.most_khz = { 3600000, 3600000, 3400000, 3300000 }, .fixed = fixed, .each = each,
	};
	struct pcu *p = NULL;

	changes = 0;
	CHECK_EQ(__LINE__, pcu_new(&config, &p), 0);
	return p;
}

/* One core runs; from 600 (out of C6: 733) to 1600 two more do. */
static void three_cores(struct pcu *p)
{
	pcu_wake(p, 0, 0);
	CHECK_EQ(__LINE__, pcu_wake(p, 1, 600 * US), 733 * US);
	CHECK_EQ(__LINE__, pcu_wake(p, 2, 600 * US), 733 * US);
	pcu_halt(p, 1, 1600 * US);
	pcu_halt(p, 2, 1600 * US);
}

/*
 * A quarter of the budget is drawn always, 15 % by a core at 2.3 GHz.  What remains, 75, is for the
 * cores that ran in the tick before, as the cube of f / 2.3:
 *
 *	tick at	ran	f for 75	awake: table	is
 *	 500	0.996	3.93		1: 3.6		3.6	as asked for
 *	1000	2.068	3.09		3: 3.4		3.0	by power
 *	1500	3	2.73		3: 3.4		2.7	by power
 *	2000	1.4	3.52		1: 3.6		3.5	by power
 *	2500	1	3.93		1: 3.6		3.6	as asked for
 *
 * Four changes, 5 us each and 10 us of the voltage.
 */
static const struct told power[] = {
	{ LINE, SIG_PCU_LIMIT, PCU_LIMIT_OS, 1500 }, { LINE, SIG_PCU_LIMIT, PCU_LIMIT_POWER, 1500 },
	{ LINE, SIG_PCU_LIMIT, PCU_LIMIT_CURRENT, 0 }, { LINE, SIG_PCU_LIMIT, PCU_LIMIT_THERMAL, 0 },
	{ LINE, SIG_PCU_FREQ_CHANGE, 0, 5 + 4 * 5 }, { LINE, SIG_PCU_VOLT_CHANGE, 0, 40 },
	{ LINE, SIG_PCU_FREQUENCY, 0, 3000 - 25 }, { LINE, SIG_PCU_RING_SAME, 0, 4 },
};

/* Power is no matter: three cores are awake at the ticks of 1000 and 1500. */
static const struct told current[] = {
	{ LINE, SIG_PCU_LIMIT, PCU_LIMIT_OS, 2000 }, { LINE, SIG_PCU_LIMIT, PCU_LIMIT_CURRENT, 1000 },
	{ LINE, SIG_PCU_LIMIT, PCU_LIMIT_POWER, 0 }, { LINE, SIG_PCU_FREQ_CHANGE, 0, 5 + 2 * 5 },
	{ LINE, SIG_PCU_VOLT_CHANGE, 0, 20 }, { LINE, SIG_PCU_RING_SAME, 0, 2 },
};

static void check_turbo(void)
{
	static const uint32_t want[] = { 3000000, 2700000, 3500000, 3600000 };

	run_told(make_turbo(25000, 15000), three_cores, 3000, power, LEN(power));
	CHECK_EQ(__LINE__, changes, LEN(want));
	for (unsigned i = 0; i < LEN(want); i++)
		CHECK_EQ(__LINE__, cores_khz[i], want[i]);
	run_told(make_turbo(0, 0), three_cores, 3000, current, LEN(current));
	CHECK_EQ(__LINE__, changes, 2);
	CHECK_EQ(__LINE__, cores_khz[0], 3400000);
	CHECK_EQ(__LINE__, cores_khz[1], 3600000);
}

static struct pcu *make_plain(unsigned cores)
{
	struct pcu_config config = {
		.sockets = 1, .cores = cores, .work_khz = 2300000, .rest_khz = 1200000, .core = tell_core,
		.core_khz = 2300000, .least_khz = 1200000,
	};
	struct pcu *p = NULL;

	changes = 0;
	CHECK_EQ(__LINE__, pcu_new(&config, &p), 0);
	return p;
}

/* Too hot from 1000 to 1200 and from 2500 to 2700. */
static void hot(struct pcu *p)
{
	pcu_expect(p, PCU_HOT, 1000 * US, 200 * US, 1500 * US);
	pcu_wake(p, 0, 0);
}

static const struct told heat[] = {
	{ LINE, SIG_PCU_PROCHOT, PCU_PROCHOT_INTERNAL, 400 }, { LINE, SIG_PCU_PROCHOT, PCU_PROCHOT_EXTERNAL, 0 },
	{ LINE, SIG_PCU_LIMIT, PCU_LIMIT_THERMAL, 400 }, { LINE, SIG_PCU_LIMIT, PCU_LIMIT_OS, 2600 },
	{ LINE, SIG_PCU_FREQ_CHANGE, 0, 5 + 4 * 5 }, { LINE, SIG_PCU_VOLT_CHANGE, 0, 40 },
	{ LINE, SIG_PCU_VR_HOT, 0, 0 },
};

static void others_hot(struct pcu *p)
{
	pcu_expect(p, PCU_OUTSIDE_HOT, 500 * US, 100 * US, 0);
	pcu_expect(p, PCU_REGULATOR_HOT, 550 * US, 250 * US, 0);
	pcu_wake(p, 0, 0);
}

static const struct told others_heat[] = {
	{ LINE, SIG_PCU_PROCHOT, PCU_PROCHOT_INTERNAL, 0 }, { LINE, SIG_PCU_PROCHOT, PCU_PROCHOT_EXTERNAL, 100 },
	{ LINE, SIG_PCU_VR_HOT, 0, 250 }, { LINE, SIG_PCU_LIMIT, PCU_LIMIT_THERMAL, 300 },
	{ LINE, SIG_PCU_FREQ_CHANGE, 0, 5 + 2 * 5 },
};

/*
 * Expected anew while the sensor speaks: the spell under way (300 to 500) ends when it was to end, or goes on into the
 * next, and the period of the first (again from 900) is forgotten.
 */
static void again_later(struct pcu *p)
{
	pcu_expect(p, PCU_HOT, 300 * US, 200 * US, 600 * US);
	pcu_wake(p, 0, 0);
	pcu_advance(p, 400 * US);
	pcu_expect(p, PCU_HOT, 700 * US, 100 * US, 400 * US);	/* and from 1100, 1500 */
}

static const struct told later[] = {
	{ LINE, SIG_PCU_PROCHOT, PCU_PROCHOT_INTERNAL, 200 + 3 * 100 }, { LINE, SIG_PCU_LIMIT, PCU_LIMIT_THERMAL, 200 + 3 * 100 },
};

static void again_at_once(struct pcu *p)
{
	pcu_expect(p, PCU_HOT, 300 * US, 200 * US, 600 * US);
	pcu_wake(p, 0, 0);
	pcu_advance(p, 400 * US);
	pcu_expect(p, PCU_HOT, 450 * US, 500 * US, 0);		/* 300 to 950 */
}

static const struct told at_once[] = {
	{ LINE, SIG_PCU_PROCHOT, PCU_PROCHOT_INTERNAL, 650 }, { LINE, SIG_PCU_LIMIT, PCU_LIMIT_THERMAL, 650 },
	{ LINE, SIG_PCU_LIMIT, PCU_LIMIT_OS, 2000 - 650 },
};

/* How often a sensor has begun to speak is what the log registers compare with. */
static void check_begun(void (*script)(struct pcu *p), uint32_t want)
{
	struct pcu *p = make_plain(1);

	script(p);
	pcu_advance(p, 1800 * US);
	CHECK_EQ(__LINE__, pcu_cause(p, 0, PCU_HOT).begun, want);
	CHECK_EQ(__LINE__, pcu_cause(p, 0, PCU_HOT).holds, 0);
	pcu_free(p);
}

static void check_heat(void)
{
	run_told(make_plain(1), again_later, 1800, later, LEN(later));
	CHECK_EQ(__LINE__, changes, 2 * 4);
	check_begun(again_later, 4);
	run_told(make_plain(1), again_at_once, 2000, at_once, LEN(at_once));
	CHECK_EQ(__LINE__, changes, 2);
	check_begun(again_at_once, 1);

	run_told(make_plain(1), hot, 3000, heat, LEN(heat));
	CHECK_EQ(__LINE__, changes, 4);
	CHECK_EQ(__LINE__, cores_khz[0], 1200000);
	CHECK_EQ(__LINE__, cores_khz[1], 2300000);
	run_told(make_plain(1), others_hot, 3000, others_heat, LEN(others_heat));
	CHECK_EQ(__LINE__, changes, 2);
}

/*
 * A stay of 10 us in C3 took 38 to enter and leave: the next two times the core stays in C1,
 * the first of them too short again to be forgiven (110 of 138), the second not (200).
 */
static void naps(struct pcu *p)
{
	static const unsigned sleeps[] = { 20, 200, 400, 700 }, runs[] = { 130, 310, 600 };

	pcu_wake(p, 0, 10 * US);
	for (unsigned i = 0; i < LEN(sleeps); i++) {
		pcu_halt(p, 0, sleeps[i] * US);
		if (i < LEN(runs))
			pcu_wake(p, 0, runs[i] * US);
	}
}

static const struct told demoted[] = {
	{ LINE, SIG_PCU_DEMOTION, PCU_DEMOTION_CORE0, 2 }, { LINE, SIG_PCU_DEMOTION, PCU_DEMOTION_CORE1, 0 },
	{ LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C3, (163 - 120) + (1000 - 800) },
};

/*
 * While core 1 comes out of C6, from 600 to 733, core 0 halts, sinks to C3 (710) and is woken again (750 to 783).  The
 * uncore does not go to rest for the 23 us in which neither runs.
 */
static void meanwhile(struct pcu *p)
{
	CHECK_EQ(__LINE__, pcu_wake(p, 0, 0), 2 * US);
	CHECK_EQ(__LINE__, pcu_wake(p, 1, 600 * US), 733 * US);
	CHECK_EQ(__LINE__, pcu_wake(p, 1, 605 * US), 733 * US);
	pcu_halt(p, 0, 610 * US);
	CHECK_EQ(__LINE__, pcu_wake(p, 0, 750 * US), 783 * US);
}

static const struct told apart[] = {
	{ LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C3, 300 + (783 - 710) },
	{ LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C6, 733 - 400 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C0, (610 - 2) + (1000 - 733) },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C1E, 2 + 100 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C3, 0 },
	{ LINE, SIG_PCU_TRANSITION, PCU_TRANSITION_CORE0, 5 + 33 }, { LINE, SIG_PCU_FREQ_CHANGE, 0, 5 },
};

/*
 * The uncore rests when core 1 is in C3 as well (800).  Core 0 is woken first (850), but has further to come (983): core 1
 * runs from 893 to 900 and is in C3 again when core 0 has run for 17 us.
 */
static void overtaken(struct pcu *p)
{
	pcu_wake(p, 1, 0);
	pcu_halt(p, 1, 700 * US);
	CHECK_EQ(__LINE__, pcu_wake(p, 0, 850 * US), 983 * US);
	CHECK_EQ(__LINE__, pcu_wake(p, 1, 860 * US), 893 * US);
	pcu_halt(p, 1, 900 * US);
}

static const struct told overtook[] = {
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C0, (700 - 2) + (900 - 893) + (1200 - 983) },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C1E, 2 + 100 + (983 - 900) },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C3, 850 - 805 },
	{ LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C3, 300 + (893 - 800) + (1200 - 1000) },
	{ LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C6, 983 - 400 }, { LINE, SIG_PCU_FREQ_CHANGE, 0, 3 * 5 },
};

/* Woken at 930, a core runs at 1063; before that heat slows the clock of cores down, at 1000, and lets it up again, at 1030. */
static void hot_meanwhile(struct pcu *p)
{
	pcu_expect(p, PCU_HOT, 1000 * US, 20 * US, 0);
	pcu_wake(p, 0, 930 * US);
}

static const struct told cooled[] = {
	{ LINE, SIG_PCU_FREQ_CHANGE, 0, 3 * 5 }, { LINE, SIG_PCU_FREQUENCY, 0, 2000 - 15 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C0, 2000 - 1063 },
};

/* Woken 2 us after it began to sink to C3 (120), which takes 5: the core changes its state until it runs, 155. */
static void half_way(struct pcu *p)
{
	pcu_wake(p, 0, 0);
	pcu_halt(p, 0, 20 * US);
	CHECK_EQ(__LINE__, pcu_wake(p, 0, 122 * US), 155 * US);
}

static const struct told turned[] = {
	{ LINE, SIG_PCU_TRANSITION, PCU_TRANSITION_CORE0, 155 - 120 }, { LINE, SIG_PCU_CORE_STATE, PCU_CORE_STATE_C3, 155 - 120 },
};

/* All asleep, a device moves data at 450 and 480: the uncore works from 450 to 580. */
static void device(struct pcu *p)
{
	pcu_advance(p, 450 * US);
	pcu_io(p, 450 * US);
	pcu_io(p, 480 * US);
}

static const struct told io[] = {
	{ LINE, SIG_PCU_IO_LIMIT, 0, 130 }, { LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C1E, 100 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C3, 300 - 5 }, { LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C2E, 130 },
	{ LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C6, 50 - 10 + 420 }, { LINE, SIG_PCU_SHEDDING, 0, 1000 },
	{ LINE, SIG_PCU_FREQ_CHANGE, 0, 10 }, { LINE, SIG_PCU_FREQUENCY, 0, 990 },
};

/* Phases come back while a core runs: from 2 to 502. */
static void half(struct pcu *p)
{
	pcu_wake(p, 1, 0);
	pcu_halt(p, 1, 502 * US);
}

static const struct told shed[] = {
	{ LINE, SIG_PCU_SHEDDING, 0, 500 }, { LINE, SIG_PCU_PACKAGE, PCU_PACKAGE_C0, 500 },
	{ LINE, SIG_PCU_IO_LIMIT, 0, 0 },
};

/* Whatever happens, each moment belongs to one state of each core, one limit, one frequency or the change to another, and one
 * state of the package or a change of some core's. */
static void anything(struct pcu *p)
{
	uint64_t random = 1, when = 0;

	pcu_expect(p, PCU_HOT, 700 * US, 300 * US, 2000 * US);
	for (unsigned i = 0; i < 300; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		when += (random >> 33) % 150 * US;
		if (random >> 63)
			pcu_wake(p, (random >> 60) % 4, when);
		else
			pcu_halt(p, (random >> 60) % 4, when);
		if (i % 20 == 0)
			pcu_io(p, when);
	}
}

static const struct told sums[] = {
	{ LINE, SIG_PCU_CORE_STATE, 0, 4 * 40000 }, { LINE, SIG_PCU_LIMIT, 0, 40000 },
};

static void check_sum(void)
{
	struct counter frequency, change, package, transition;
	uint64_t resident;
	struct signal_clock clock;
	struct signal_port port;
	struct pcu *p = make_turbo(25000, 15000);

	run_told(make_turbo(25000, 15000), anything, 40000, sums, LEN(sums));
	signal_clock_init(&clock, 1000000);
	CHECK_EQ(__LINE__, signal_port_init(&port, SIG_PCU_COUNT, &clock), 0);
	count(&frequency, &port, SIG_PCU_FREQUENCY, 0);
	count(&change, &port, SIG_PCU_FREQ_CHANGE, 0);
	count(&package, &port, SIG_PCU_PACKAGE, 0);
	count(&transition, &port, SIG_PCU_TRANSITION, 0);
	pcu_port(p, 0, &port);
	anything(p);
	pcu_advance(p, 40000 * US);
	CHECK_EQ(__LINE__, counted(&frequency, &port, 40000 * US) + counted(&change, &port, 40000 * US), 40000);
	resident = counted(&package, &port, 40000 * US);
	CHECK(resident <= 40000);
	CHECK(resident + counted(&transition, &port, 40000 * US) >= 40000);
	drop(&package, &port, SIG_PCU_PACKAGE);
	drop(&transition, &port, SIG_PCU_TRANSITION);
	drop(&frequency, &port, SIG_PCU_FREQUENCY);
	drop(&change, &port, SIG_PCU_FREQ_CHANGE);
	signal_port_free(&port);
	pcu_free(p);
}

int main(void)
{
	check_turbo();
	check_heat();
	run_told(make_plain(1), naps, 1000, demoted, LEN(demoted));
	run_told(make_plain(2), meanwhile, 1000, apart, LEN(apart));
	run_told(make_plain(2), overtaken, 1200, overtook, LEN(overtook));
	run_told(make_plain(1), hot_meanwhile, 2000, cooled, LEN(cooled));
	run_told(make_plain(1), half_way, 1000, turned, LEN(turned));
	run_told(make_plain(2), device, 1000, io, LEN(io));
	run_told(make_plain(2), half, 1000, shed, LEN(shed));
	check_sum();
	return check_done();
}
