/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A channel behind a memory buffer, DDR4-2133 of two ranks: what is pushed, what the buffer holds, what happens when
 * the link damages a push.  Clocks by hand: link 8, tRCD 15, tCWL 11, burst 4; 24 writes of 32 start write major mode,
 * which drains to 8; idle for 128 the rest follows.
 */
#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/imc/imc.h"

struct rig {
	struct imc *imc;
	struct meter m;
	unsigned push[2], cas, held, retry, low, write;
};

static void rig_start(struct rig *r)
{
	struct imc_config config;

	imc_config_ddr4(&config, 2133, 2);
	imc_config_buffered(&config);
	meter_init(&r->m, config.dram.dclk_khz, SIG_IMC_COUNT);
	CHECK_EQ(__LINE__, imc_new(&config, &r->imc), 0);
	imc_port(r->imc, &r->m.port);
	r->push[0] = meter_add(&r->m, SIG_IMC_VMSE_PUSH, IMC_VMSE_PUSH_WMM);
	r->push[1] = meter_add(&r->m, SIG_IMC_VMSE_PUSH, IMC_VMSE_PUSH_RMM);
	r->cas = meter_add(&r->m, SIG_IMC_CAS, IMC_CAS_WR);
	r->held = meter_add(&r->m, SIG_IMC_MXB, 0);
	r->retry = meter_add(&r->m, SIG_IMC_WMM_TO_RMM, IMC_WMM_TO_RMM_VMSE_RETRY);
	r->low = meter_add(&r->m, SIG_IMC_WMM_TO_RMM, IMC_WMM_TO_RMM_LOW_THRESH);
	r->write = meter_add(&r->m, SIG_IMC_MODE, IMC_MODE_WRITE);
}

static uint64_t at(const struct rig *r, uint64_t clock)
{
	return signal_clock_time(&r->m.clock, clock - 1);
}

static void rig_until(struct rig *r, uint64_t clock)
{
	imc_advance(r->imc, signal_clock_time(&r->m.clock, clock));
	meter_close(&r->m, signal_clock_time(&r->m.clock, clock));
}

static void rig_free(struct rig *r)
{
	CHECK(!r->m.port.broken);
	imc_free(r->imc);
	meter_free(&r->m);
}

/* 23 writes in clocks 11 to 33, the 24th in 51. */
static void write_24(struct rig *r)
{
	for (unsigned i = 0; i < 24; i++)
		CHECK_EQ(__LINE__, imc_write(r->imc, i, at(r, i < 23 ? 11 + i : 51), false).merged, false);
}

static void check_pushes(void)
{
	struct rig r;

	rig_start(&r);
	write_24(&r);
	/* Rows open from 51 on: 16 CAS at 66 + 4 i, the last burst ends at 66 + 60 + 11 + 4 = 141. */
	rig_until(&r, 200);
	CHECK_EQ(__LINE__, r.m.sum[r.push[0]], 16);
	CHECK_EQ(__LINE__, r.m.sum[r.push[1]], 0);
	CHECK_EQ(__LINE__, r.m.sum[r.low], 1);
	CHECK_EQ(__LINE__, r.m.sum[r.write], 141 - 51);
	/* 8 more at 269 + 4 i.  The buffer holds each from 8 clocks behind its coming to its CAS. */
	rig_until(&r, 1000);
	CHECK_EQ(__LINE__, r.m.sum[r.push[0]], 16);
	CHECK_EQ(__LINE__, r.m.sum[r.push[1]], 8);
	CHECK_EQ(__LINE__, r.m.sum[r.cas], 24);
	CHECK_EQ(__LINE__, r.m.sum[r.retry], 0);
	CHECK_EQ(__LINE__, r.m.sum[r.held],
		 16 * 66 + 4 * 15 * 16 / 2 + 8 * 269 + 4 * 7 * 8 / 2 - (23 * 19 + 22 * 23 / 2 + 59));
	rig_free(&r);
}

/* Every push is damaged once: the first comes again 64 clocks later, at 115, and ends write major mode. */
static void check_retry(void)
{
	struct rig r;

	rig_start(&r);
	imc_link_errors(r.imc, chance_start(UINT64_MAX, 1, 0));
	write_24(&r);
	rig_until(&r, 200);
	CHECK_EQ(__LINE__, r.m.sum[r.push[0]], 2);
	CHECK_EQ(__LINE__, r.m.sum[r.cas], 1);
	CHECK_EQ(__LINE__, r.m.sum[r.retry], 1);
	CHECK_EQ(__LINE__, r.m.sum[r.low], 0);
	CHECK_EQ(__LINE__, r.m.sum[r.write], 115 + 15 + 11 + 4 - 51);
	rig_until(&r, 10000);
	CHECK_EQ(__LINE__, r.m.sum[r.push[0]] + r.m.sum[r.push[1]], 2 * 24);
	CHECK_EQ(__LINE__, r.m.sum[r.cas], 24);
	rig_free(&r);
}

/* The buffer never holds more than 32, however many come. */
static void check_full(void)
{
	struct rig r;
	unsigned more, full;

	rig_start(&r);
	more = meter_add(&r.m, SIG_IMC_MXB, 0);
	full = meter_add(&r.m, SIG_IMC_MXB, 0);
	r.m.watch[more].chain.threshold = 33;
	r.m.watch[full].chain.threshold = 20;
	for (unsigned i = 0; i < 4000; i++)
		imc_write(r.imc, i * 1237 % 65536, at(&r, 11 + i), false);
	rig_until(&r, 100000);
	CHECK_EQ(__LINE__, r.m.sum[r.cas], 4000);
	CHECK_EQ(__LINE__, r.m.sum[more], 0);
	CHECK(r.m.sum[full] > 0);
	rig_free(&r);
}

int main(void)
{
	check_pushes();
	check_retry();
	check_full();
	return check_done();
}
