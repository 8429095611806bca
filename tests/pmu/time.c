/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time as simulated hardware sees it: telling of the future and out of order, promises, changes
 * of frequency, freezes in between.
 */
#include "rig.h"

enum { CLOCK = 1000 };		/* picoseconds of a clock, after set_clock() */

static struct pmu *start(void)
{
	struct pmu *p = rig_new("hsx", 2);

	for (unsigned s = 0; s < 2; s++)
		CHECK(pmu_clock_change(p, s, "uclk", 0, 1000000) == 0);
	return p;
}

static void put(struct pmu *p, const char *box, const char *reg, uint64_t value)
{
	struct pmu_address at = rig_named(p, box, reg);

	rig_write(p, &at, value);
}

static uint64_t get(struct pmu *p, const char *box, const char *reg)
{
	struct pmu_address at = rig_named(p, box, reg);

	return rig_read(p, &at);
}

/* The signal that drives REQUESTS of the home agent, with the flags of a local read. */
static unsigned reads(uint64_t *flags)
{
	const struct cat_family *f = cat_find_family("hsx", 3);
	const struct cat_type *t = cat_find_type(f, "ha", 2);
	const struct cat_event *e = cat_find_event(t, "REQUESTS", 8);
	const struct cat_umask *u = cat_find_umask(e, "READS_LOCAL", 11);

	*flags = e->conds ? cat_conds[e->cond0].want : 0;
	*flags |= u->conds ? cat_conds[u->cond0].want : 0;
	/* An event that nothing drives takes the flag that stands for its row. */
	if (e->binding == CAT_BIND_NONE)
		*flags = UINT64_C(1) << (u - &cat_umasks[e->umask0]);
	return e->signal;
}

/* What is told of the future waits until its clocks are closed, in whatever order it was told. */
static void future(bool promise)
{
	struct pmu *p = start();
	struct signal_port *ha = pmu_port(p, 0, "ha", 0);
	uint64_t flags;
	unsigned sig = reads(&flags);

	put(p, "ha0", "CTL0", 0x400101);
	put(p, "ha0", "CTL1", 0x02400101);	/* two or more in a clock */
	if (promise)
		pmu_horizon(p, 100 * CLOCK);
	signal_pulse(ha, sig, 150 * CLOCK, 1, flags, NULL);
	signal_pulse(ha, sig, 20 * CLOCK + 999, 1, flags, NULL);
	signal_pulse(ha, sig, 120 * CLOCK, 4, flags, NULL);
	signal_pulse(ha, sig, 20 * CLOCK, 1, flags, NULL);
	if (!promise) {
		CHECK(pmu_close(p, 20 * CLOCK) == 0);
		CHECK_EQ(__LINE__, get(p, "ha0", "CTR0"), 0);
	}
	CHECK(pmu_close(p, 100 * CLOCK) == 0);
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR0"), 2);
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR1"), 1);
	CHECK(pmu_close(p, 121 * CLOCK) == 0);
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR0"), 6);
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR1"), 2);
	/* Earlier is no change; late news falls into the open clock. */
	CHECK(pmu_close(p, 5) == 0 && pmu_now(p) == 121 * CLOCK);
	signal_pulse(ha, sig, 3 * CLOCK, 8, flags, NULL);
	CHECK(pmu_close(p, 200 * CLOCK) == 0);
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR0"), 15);
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR1"), 3);
	pmu_free(p);
}

/* What belongs to clocks in which the box is frozen is not counted, whenever it was told. */
static void frozen_between(void)
{
	struct pmu *p = start();
	struct signal_port *ha = pmu_port(p, 0, "ha", 0);
	uint64_t flags;
	unsigned sig = reads(&flags);

	put(p, "ha0", "CTL0", 0x400101);
	for (uint64_t k = 0; k < 30; k++)
		signal_pulse(ha, sig, k * CLOCK, 1, flags, NULL);
	CHECK(pmu_close(p, 10 * CLOCK) == 0);
	put(p, "ha0", "BOX_CTL", 0x30100);
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR0"), 10);
	CHECK(pmu_close(p, 20 * CLOCK) == 0);
	put(p, "ha0", "BOX_CTL", 0x30000);
	CHECK(pmu_close(p, 40 * CLOCK) == 0);
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR0"), 20);
	pmu_free(p);
}

/* A freeze amid what is told: other boxes stop at that moment, the other socket runs on. */
static void overflow_between(void)
{
	struct pmu *p = start();
	struct signal_port *ha = pmu_port(p, 0, "ha", 0);
	struct pmu_interrupt pmi;
	uint64_t flags;
	unsigned sig = reads(&flags);

	put(p, "global", "GLOBAL_CTL", 0x80);
	put(p, "ha0", "CTR0", UINT64_C(0x1000000000000) - 15);
	put(p, "ha0", "CTL0", 0x500101);
	put(p, "ha1", "CTL0", 0x400000);
	put(p, "s1.ha1", "CTL0", 0x400000);
	pmu_horizon(p, 1000 * CLOCK);		/* does not stand in the way */
	for (uint64_t k = 40; k-- > 0; )
		signal_pulse(ha, sig, k * CLOCK, 2, flags, NULL);
	CHECK(pmu_close(p, 1000 * CLOCK) == 0);
	/* 8 clocks of 2 carry: one over. */
	CHECK_EQ(__LINE__, get(p, "ha0", "CTR0"), 1);
	CHECK_EQ(__LINE__, get(p, "ha1", "CTR0"), 8);
	CHECK_EQ(__LINE__, get(p, "s1.ha1", "CTR0"), 1000);
	CHECK(pmu_take(p, &pmi));
	CHECK_EQ(__LINE__, pmi.when, 8 * CLOCK);
	CHECK_EQ(__LINE__, pmi.cores, 0x80);
	CHECK(!pmi.wake && pmi.socket == 0 && !pmu_take(p, &pmi));
	pmu_free(p);
}

/* Each socket has its own clocks, and they may change. */
static void frequency(void)
{
	struct pmu *p = start();

	put(p, "ubox", "FIXED_CTL", 0x400000);
	put(p, "s1.ubox", "FIXED_CTL", 0x400000);
	CHECK(pmu_close(p, 10 * CLOCK) == 0);
	CHECK(pmu_clock_change(p, 0, "uclk", 20 * CLOCK, 2000000) == 0);
	CHECK(pmu_close(p, 40 * CLOCK) == 0);
	CHECK_EQ(__LINE__, get(p, "ubox", "FIXED_CTR"), 20 + 2 * 20);
	CHECK_EQ(__LINE__, get(p, "s1.ubox", "FIXED_CTR"), 40);
	CHECK(pmu_clock_change(p, 0, "uclk", 39 * CLOCK, 2000000) == BXS_EINVAL);
	CHECK(pmu_clock_change(p, 0, "uclk", 40 * CLOCK, 0) == BXS_EINVAL);
	CHECK(pmu_clock_change(p, 0, "bclk", 40 * CLOCK, 1) == BXS_ENOENT);
	CHECK(pmu_clock_change(p, 2, "uclk", 40 * CLOCK, 1) == BXS_ENOENT);
	CHECK(pmu_clock(p, 2, "uclk") == NULL);
	/* Ten seconds later, still exact. */
	CHECK(pmu_close(p, UINT64_C(10000000000000)) == 0);
	CHECK_EQ(__LINE__, get(p, "ubox", "FIXED_CTR"), UINT64_C(20000000000) - 20);
	CHECK_EQ(__LINE__, get(p, "s1.ubox", "FIXED_CTR"), UINT64_C(10000000000));
	pmu_free(p);
}

/* A tracker entry's stay across a close is counted in both parts; so is a level. */
static void across(void)
{
	struct pmu *p = start();
	const struct cat_type *t = cat_find_type(pmu_family(p), "cbo", 3);
	const struct cat_event *e = cat_find_event(t, "TOR_OCCUPANCY", 13);
	struct signal_port *cbo = pmu_port(p, 1, "cbo", 17);

	put(p, "s1.cbo17", "CTL0", 0x400836);	/* ALL */
	put(p, "s1.cbo17", "CTL1", 0x0340001f);	/* three or more of them */
	signal_span(cbo, e->signal, 5 * CLOCK, 25 * CLOCK, 2, UINT64_C(1) << 1, NULL);
	signal_level(cbo, e->signal, 8 * CLOCK, 3, UINT64_C(1) << 1, NULL);
	CHECK(pmu_close(p, 10 * CLOCK) == 0);
	if (e->binding == CAT_BIND_SIGNAL) {
		CHECK_EQ(__LINE__, get(p, "s1.cbo17", "CTR0"), 2 * 5 + 3 * 2);
		signal_level(cbo, e->signal, 30 * CLOCK, -3, UINT64_C(1) << 1, NULL);
		CHECK(pmu_close(p, 100 * CLOCK) == 0);
		CHECK_EQ(__LINE__, get(p, "s1.cbo17", "CTR0"), 2 * 20 + 3 * 22);
		CHECK_EQ(__LINE__, get(p, "s1.cbo17", "CTR1"), 22);
	}
	pmu_free(p);
}

int main(void)
{
	future(false);
	future(true);
	frozen_between();
	overflow_between();
	frequency();
	across();
	return check_done();
}
