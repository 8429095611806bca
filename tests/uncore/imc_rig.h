/* SPDX-License-Identifier: BSD-2-Clause */
/* One channel of DDR4-2133 with two ranks, and what is counted of it. */
#ifndef BXS_TESTS_IMC_RIG_H
#define BXS_TESTS_IMC_RIG_H

#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/imc/imc.h"

enum { ANY = 0 };

struct rig {
	struct imc_config config;
	struct imc *imc;
	struct meter m;
};

static inline void rig_init(struct rig *r)
{
	imc_config_ddr4(&r->config, 2133, 2);
	r->config.wpq = 48;
	r->config.wmm_high = 36;
	r->config.wmm_low = 12;
	meter_init(&r->m, r->config.dram.dclk_khz, SIG_IMC_COUNT);
}

static inline void rig_start(struct rig *r)
{
	CHECK_EQ(__LINE__, imc_new(&r->config, &r->imc), 0);
	imc_port(r->imc, &r->m.port);
}

static inline uint64_t at(const struct rig *r, uint64_t clock)
{
	return signal_clock_time(&r->m.clock, clock);
}

/* Bring everything up to the end of clock - 1, and close. */
static inline void rig_until(struct rig *r, uint64_t clock)
{
	imc_advance(r->imc, at(r, clock));
	meter_close(&r->m, at(r, clock));
}

static inline void rig_free(struct rig *r)
{
	CHECK(!r->m.port.broken);
	imc_free(r->imc);
	meter_free(&r->m);
}

#endif
