/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each of 18 cores has events of its own: what one of them does is told as that one's, and the others' as theirs.
 * Clocks are nanoseconds.
 */
#include <string.h>

#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/power/pcu.h"

#define US UINT64_C(1000000)

enum { CORES = 18 };

/* In C3 from 120 to 130, which is too short: the next two times the core stays in C1.  From 800 on it is in C3 again. */
static void naps(struct pcu *p, unsigned core)
{
	static const unsigned sleeps[] = { 20, 200, 400, 700 }, runs[] = { 130, 310, 600 };

	pcu_wake(p, core, 10 * US);
	for (unsigned i = 0; i < LEN(sleeps); i++) {
		pcu_halt(p, core, sleeps[i] * US);
		if (i < LEN(runs))
			pcu_wake(p, core, runs[i] * US);
	}
}

/*
 * A millisecond in which one core naps, all others sink to C3 at 100 us (5 us) and to C6 at 400 (10 us).  It changes
 * state from 120 to 125, from 130 to 163 and from 800 to 805.
 */
static void check_core(unsigned one)
{
	enum { OTHERS = 5 + 10, ONE = 5 + 33 + 5, DEMOTED = 2 };
	struct pcu_config config = {
		.sockets = 1, .cores = CORES, .work_khz = 2300000, .rest_khz = 1200000, .core_khz = 2300000,
		.least_khz = 1200000,
	};
	unsigned demotion[CORES], transition[CORES], total;
	struct pcu *p = NULL;
	struct meter m;

	meter_init(&m, 1000000, SIG_PCU_COUNT);
	CHECK_EQ(__LINE__, pcu_new(&config, &p), 0);
	for (unsigned i = 0; i < CORES; i++) {
		demotion[i] = meter_add(&m, SIG_PCU_DEMOTION, PCU_DEMOTION_CORE0 << i);
		transition[i] = meter_add(&m, SIG_PCU_TRANSITION, PCU_TRANSITION_CORE0 << i);
	}
	total = meter_add(&m, SIG_PCU_TRANSITION, 0);
	pcu_port(p, 0, &m.port);
	naps(p, one);
	pcu_advance(p, 1000 * US);
	meter_close(&m, 1000 * US);
	for (unsigned i = 0; i < CORES; i++) {
		CHECK_EQ(__LINE__, m.sum[demotion[i]], i == one ? DEMOTED : 0);
		CHECK_EQ(__LINE__, m.sum[transition[i]], (i == one ? ONE : OTHERS) * 1000);
	}
	CHECK_EQ(__LINE__, m.sum[total], (ONE + (CORES - 1) * OTHERS) * 1000);
	pcu_free(p);
	meter_free(&m);
}

int main(void)
{
	for (unsigned i = 0; i < CORES; i++)
		check_core(i);
	return check_done();
}
