/* SPDX-License-Identifier: BSD-2-Clause */
/* What the registers of cores and packages tell of sleep, of who reads them, of energy and heat. */
#include "core_msr.h"

/* A machine that does nothing for 1 ms: C1 for 100 us, C3 for 300, then C6; 8 % of 145 W, 4 modules of 1 W. */
static void check_sleep(void)
{
	struct machine *m = make_machine("hsx,cores=2");
	uint64_t idle_energy, idle_dram;

	probe_rest(m, 1000000, __LINE__);
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		CHECK_EQ(__LINE__, get(m, cpu, 0x3fc), 300 * 2300);
		CHECK_EQ(__LINE__, get(m, cpu, 0x3fd), 600 * 2300);
		CHECK_EQ(__LINE__, get(m, cpu, 0x3fe), 0);
		CHECK_EQ(__LINE__, get(m, cpu, 0x60d), 0);
		/* Packages' do not have the 5 and 10 us in which cores change their state. */
		CHECK_EQ(__LINE__, get(m, cpu, 0x3f8), 295 * 2300);
		CHECK_EQ(__LINE__, get(m, cpu, 0x3f9), 590 * 2300);
		CHECK_EQ(__LINE__, get(m, cpu, 0xe7), 0);
	}
	idle_energy = get(m, 0, 0x611);
	idle_dram = get(m, 0, 0x619);
	CHECK_EQ(__LINE__, idle_energy, 11600000 * UINT64_C(16384) / 1000000000);
	CHECK_EQ(__LINE__, idle_dram, 4000000 * UINT64_C(65536) / 1000000000);
	CHECK_EQ(__LINE__, get(m, 2, 0x611), idle_energy);
	machine_free(m);
}

/* After a rest of so many nanoseconds a client reads registers of CPUs: MPERF of both threads of a core, in clocks of 2.3 GHz. */
static const struct visit { int line; uint64_t rest; unsigned cpu; uint64_t first, second; } visits[] = {
	{ LINE, 10000, 0, 2300, 0 },
	{ LINE, 10000, 4, 2300, 2300 },
	{ LINE, 0, 0, 4600, 2300 },		/* its last visit was 10 us ago */
	{ LINE, 0, 0, 4600, 2300 },		/* no time has passed */
	{ LINE, 400, 0, 4600 + 920, 2300 },	/* none runs longer than time passes */
	{ LINE, 400, 1, 4600 + 920, 2300 },	/* another one */
};

static void check_visits(void)
{
	struct machine *m = make_machine("hsx,cores=2");
	struct access_address at = msr(m, 0, 0x10);
	uint64_t ran;

	for (const struct visit *v = visits; v < visits + LEN(visits); v++) {
		probe_rest(m, v->rest, v->line);
		at = msr(m, v->cpu, 0x10);
		machine_visit(m, &at);
		CHECK_EQ(v->line, get(m, 0, 0xe7), v->first);
		CHECK_EQ(v->line, get(m, 0, 0xe8), v->first);
		CHECK_EQ(v->line, get(m, 4, 0xe7), v->second);
	}
	/* Who runs does not run more for it. */
	machine_access(m, 0, &(struct leave_record){ .kind = LEAVE_TICK, .instructions = 3000000 });
	ran = get(m, 0, 0xe7);
	CHECK(ran > 4600 + 920);
	at = msr(m, 0, 0x10);
	machine_visit(m, &at);
	CHECK_EQ(__LINE__, get(m, 0, 0xe7), ran);
	machine_free(m);
}

/* The same on a Sandy Bridge-EP, whose packages count as finely as its memory: 8 % of 135 W; its cores do nothing. */
static void check_snbep_energy(void)
{
	struct machine *m = make_machine("snbep,cores=2");

	probe_rest(m, 1000000, __LINE__);
	CHECK_EQ(__LINE__, get(m, 0, 0x611), 10800000 * UINT64_C(65536) / 1000000000);
	CHECK_EQ(__LINE__, get(m, 0, 0x619), 4000000 * UINT64_C(65536) / 1000000000);
	CHECK_EQ(__LINE__, get(m, 0, 0x639), 0);
	machine_free(m);
	/* One of two cores awake all the time without a miss: 35 % of the design power are its own, beside rest and uncore. */
	m = make_machine("snbep,cores=2");
	probe_run(m, "stream:size=4K,op=read,core=0,passes=2000");
	CHECK_NEAR(__LINE__, get(m, 0, 0x639), get(m, 0, 0x611) * 35 / (35 + 8 + 22), 10);
	CHECK_EQ(__LINE__, get(m, 2, 0x639), 0);
	machine_free(m);
}

/* Whoever works takes more than who does not, and gets warmer; never more than the design power. */
static void check_energy(void)
{
	struct machine *m = make_machine("hsx,cores=2");
	uint64_t us, most;

	probe_run(m, "stream:size=4M,core=0,threads=2");
	us = machine_horizon(m) / 1000000;
	most = 145 * us * 16384 / 1000000;
	CHECK(get(m, 0, 0x611) > 2 * get(m, 2, 0x611));
	CHECK(get(m, 0, 0x611) <= most);
	CHECK(get(m, 0, 0x611) > most / 2);
	CHECK(get(m, 0, 0x619) > get(m, 2, 0x619));
	CHECK((get(m, 0, 0x19c) >> 16 & 0x7f) <= (get(m, 2, 0x19c) >> 16 & 0x7f));
	/* The other package waits for this one: it was in C2, which is neither C3 nor C6. */
	CHECK(get(m, 2, 0x60d) > 0);
	CHECK_EQ(__LINE__, get(m, 2, 0x3f9), 0);
	CHECK_EQ(__LINE__, get(m, 0, 0x60d), 0);
	machine_free(m);
}

int main(void)
{
	check_sleep();
	check_visits();
	check_energy();
	check_snbep_energy();
	return check_done();
}
