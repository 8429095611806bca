/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What holds a channel's commands back, with DDR4-2133 of two ranks: throttling, self-refresh, slow waking.  Times are
 * clocks, made by hand: front 8, or 6 past the scheduler; tRCD 15, tRFC 278, tREFI 8320, tXP 7, 26 with the DLL off,
 * tXS 288; ranks are refreshed at 4160 + 8320 n and 8320 + 8320 n and sleep after 2048 clocks.
 */
#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/imc/imc.h"

enum { RANK = 1 << 11, COLUMN = 2, AWAKE = 7 + 278 + 2048 };

struct rig {
	struct imc_config config;
	struct imc *imc;
	struct meter m;
};

static void rig_start(struct rig *r, bool slow)
{
	imc_config_ddr4(&r->config, 2133, 2);
	r->config.slow_exit = slow;
	meter_init(&r->m, r->config.dram.dclk_khz, SIG_IMC_COUNT);
	CHECK_EQ(__LINE__, imc_new(&r->config, &r->imc), 0);
	imc_port(r->imc, &r->m.port);
}

static void rig_free(struct rig *r)
{
	CHECK(!r->m.port.broken);
	imc_free(r->imc);
	meter_free(&r->m);
}

/* A time that the edge of this clock is the first to see. */
static uint64_t at(const struct rig *r, uint64_t clock)
{
	return signal_clock_time(&r->m.clock, clock - 1);
}

static void rig_until(struct rig *r, uint64_t clock)
{
	imc_advance(r->imc, signal_clock_time(&r->m.clock, clock));
	meter_close(&r->m, signal_clock_time(&r->m.clock, clock));
}

static uint64_t cas_of(struct rig *r, uint64_t line, uint64_t clock)
{
	return signal_clocks(&r->m.clock, imc_read(r->imc, line, at(r, clock)).cas);
}

static void throttle(struct rig *r, enum imc_cause cause, unsigned ranks, uint64_t from, uint64_t length, uint64_t period)
{
	imc_throttle(r->imc, cause, ranks, at(r, from), signal_clock_time(&r->m.clock, length),
		     signal_clock_time(&r->m.clock, period));
}

/* Nothing goes out in clocks 1000 to 1499, nor in 3000 to 3499 and so on. */
static void check_critical(void)
{
	static const struct { int line; uint64_t clock, cas; } rows[] = {
		{ LINE, 900, 921 }, { LINE, 993, 1014 },
		{ LINE, 1094, 1515 },	/* would have had its ACT at 1100 */
		{ LINE, 1493, 1515 },	/* at 1499 */
		{ LINE, 1494, 1515 },	/* at 1500, which is free */
		{ LINE, 1600, 1621 },
		{ LINE, 3100, 3522 },	/* asleep: wakes at 3500 */
		{ LINE, 5499, 5520 },
	};
	struct rig r;
	unsigned critical, throttled[2], pcu;

	for (unsigned i = 0; i < LEN(rows); i++) {
		rig_start(&r, false);
		throttle(&r, IMC_CRITICAL, 0, 1000, 500, 2000);
		CHECK_EQ(rows[i].line, cas_of(&r, 0, rows[i].clock), rows[i].cas);
		rig_free(&r);
	}
	rig_start(&r, false);
	critical = meter_add(&r.m, SIG_IMC_CRITICAL, 0);
	throttled[0] = meter_add(&r.m, SIG_IMC_THROTTLE, IMC_THROTTLE_RANK0);
	throttled[1] = meter_add(&r.m, SIG_IMC_THROTTLE, IMC_THROTTLE_RANK1);
	pcu = meter_add(&r.m, SIG_IMC_PCU_THROTTLE, 0);
	throttle(&r, IMC_CRITICAL, 0, 1000, 500, 2000);
	throttle(&r, IMC_PCU, 0, 1400, 200, 0);
	rig_until(&r, 1450);
	CHECK_EQ(__LINE__, r.m.sum[critical], 450);
	rig_until(&r, 5200);
	CHECK_EQ(__LINE__, r.m.sum[critical], 500 + 500 + 200);
	CHECK_EQ(__LINE__, r.m.sum[pcu], 200);
	/* Both causes together are one: 1400 to 1499 once. */
	CHECK_EQ(__LINE__, r.m.sum[throttled[0]], 1200 + 100);
	CHECK_EQ(__LINE__, r.m.sum[throttled[1]], 1200 + 100);
	rig_free(&r);
}

/* A hot rank has 32 lines in each 1024 clocks, the other what it likes. */
static void check_window(enum imc_cause cause)
{
	struct rig r;
	unsigned rank[2], late = 0;
	bool both = cause == IMC_PCU;

	rig_start(&r, false);
	rank[0] = meter_add(&r.m, SIG_IMC_THROTTLE, IMC_THROTTLE_RANK0);
	rank[1] = meter_add(&r.m, SIG_IMC_THROTTLE, IMC_THROTTLE_RANK1);
	throttle(&r, cause, 1 << 1, 2048, 4096, 0);
	/* 100 lines of one row of rank 1 at 2200: 32 of them until 3072, then 32 in each window. */
	for (unsigned i = 0; i < 100; i++) {
		uint64_t cas = cas_of(&r, RANK + i / 2 * COLUMN, 2200 + 2 * i), from = 2048 + i / 32 * 1024;

		CHECK_EQ(__LINE__, cas >= from && cas < from + 600, 1);
		late += cas >= 3072;
	}
	CHECK_EQ(__LINE__, late, 68);
	/* After the spell all go as they come: the row has been closed; then hits at tCCD_L, every sixth clock. */
	CHECK_EQ(__LINE__, cas_of(&r, RANK, 6200), 6221);
	for (unsigned i = 1; i < 40; i++)
		CHECK_EQ(__LINE__, cas_of(&r, RANK + i * COLUMN, 6200), 6221 + 6 * i);
	rig_until(&r, 8000);
	CHECK_EQ(__LINE__, r.m.sum[rank[0]], both ? 4096 : 0);
	CHECK_EQ(__LINE__, r.m.sum[rank[1]], 4096);
	rig_free(&r);
	rig_start(&r, false);
	throttle(&r, cause, 1 << 1, 2048, 4096, 0);
	late = 0;
	for (unsigned i = 0; i < 100; i++)
		late += cas_of(&r, i / 2 * COLUMN, 2200 + 8 * i) >= 2200 + 8 * i + 100;
	CHECK_EQ(__LINE__, late > 60, both);
	CHECK_EQ(__LINE__, late == 0, !both);
	rig_free(&r);
}

/* Drowsy from 1000 on: the modules refresh themselves from 16384 on, when nothing has come, until a read does. */
static void check_self_refresh(void)
{
	struct rig r;
	unsigned self, refresh, cke[2], ppd;

	rig_start(&r, false);
	self = meter_add(&r.m, SIG_IMC_SELF_REFRESH, 0);
	refresh = meter_add(&r.m, SIG_IMC_REFRESH, 0);
	cke[0] = meter_add(&r.m, SIG_IMC_CKE, IMC_CKE_RANK0);
	cke[1] = meter_add(&r.m, SIG_IMC_CKE, IMC_CKE_RANK1);
	ppd = meter_add(&r.m, SIG_IMC_PPD, 0);
	imc_power(r.imc, at(&r, 1000), IMC_DROWSY);
	rig_until(&r, 40000);
	CHECK_EQ(__LINE__, r.m.sum[self], 40000 - 16384);
	rig_until(&r, 50000);
	CHECK_EQ(__LINE__, r.m.sum[self], 50000 - 16384);
	/* At 4160, 8320 and 12480; the next one would have been at 16640. */
	CHECK_EQ(__LINE__, r.m.sum[refresh], 3);
	CHECK_EQ(__LINE__, r.m.sum[cke[0]], 2048 + 2 * AWAKE);
	CHECK_EQ(__LINE__, r.m.sum[cke[1]], 2048 + AWAKE);
	CHECK_EQ(__LINE__, r.m.sum[ppd], 16384 - 2048 - 3 * AWAKE);
	/* The read at 50001 waits for tXS, then opens its row. */
	CHECK_EQ(__LINE__, cas_of(&r, 0, 50001), 50001 + 288 + 15);
	CHECK_EQ(__LINE__, cas_of(&r, COLUMN, 50400), 50406);
	/* Refreshes go on half an interval after tXS; the burst ends at 50406 + 19, so 16384 later all is still. */
	rig_until(&r, 66809);
	CHECK_EQ(__LINE__, r.m.sum[self], 50001 - 16384);
	/* Due at 54449, 58609, 62769 and 66929. */
	CHECK_EQ(__LINE__, r.m.sum[refresh], 3 + 3);
	rig_until(&r, 70000);
	CHECK_EQ(__LINE__, r.m.sum[self], 50001 - 16384 + 70000 - (50406 + 19 + 16384));
	CHECK_EQ(__LINE__, r.m.sum[refresh], 3 + 3);
	rig_free(&r);
}

/* Drowsy, deeper, drowsy, awake: without a clock nothing counts; awake again at once means tXS from there on. */
static void check_no_clock(void)
{
	struct rig r;
	unsigned self, refresh;

	rig_start(&r, false);
	self = meter_add(&r.m, SIG_IMC_SELF_REFRESH, 0);
	refresh = meter_add(&r.m, SIG_IMC_REFRESH, 0);
	imc_power(r.imc, at(&r, 1000), IMC_DROWSY);
	imc_power(r.imc, at(&r, 20000), IMC_ASLEEP);
	imc_power(r.imc, at(&r, 50000), IMC_DROWSY);
	imc_power(r.imc, at(&r, 60000), IMC_AWAKE);
	CHECK_EQ(__LINE__, cas_of(&r, 0, 60001), 60000 + 288 + 15);
	rig_until(&r, 60400);
	CHECK_EQ(__LINE__, r.m.sum[self], 20000 - 16384 + 10000);
	CHECK_EQ(__LINE__, r.m.sum[refresh], 3);
	/* Awake, memory never refreshes itself. */
	rig_until(&r, 200000);
	CHECK_EQ(__LINE__, r.m.sum[self], 20000 - 16384 + 10000);
	rig_free(&r);
	/* Deep at once: in self-refresh when all rows have been closed. */
	rig_start(&r, false);
	refresh = meter_add(&r.m, SIG_IMC_REFRESH, 0);
	CHECK_EQ(__LINE__, cas_of(&r, 0, 1000), 1021);
	imc_power(r.imc, at(&r, 1100), IMC_ASLEEP);
	rig_until(&r, 100000);
	CHECK_EQ(__LINE__, r.m.sum[refresh], 0);
	CHECK_EQ(__LINE__, imc_open_rows(r.imc), 0);
	rig_free(&r);
}

/* With the DLL off waking takes 26 clocks, and another event counts. */
static void check_slow_exit(void)
{
	struct rig r;
	unsigned off, ppd;

	rig_start(&r, true);
	CHECK_EQ(__LINE__, cas_of(&r, 0, 1), 22);
	CHECK_EQ(__LINE__, cas_of(&r, COLUMN, 2084), 2090 + 26 + 15);
	rig_free(&r);
	rig_start(&r, true);
	off = meter_add(&r.m, SIG_IMC_DLL_OFF, 0);
	ppd = meter_add(&r.m, SIG_IMC_PPD, 0);
	rig_until(&r, 83200);
	CHECK_EQ(__LINE__, r.m.sum[off], 83200 - 2048 - 19 * (26 + 278 + 2048));
	CHECK_EQ(__LINE__, r.m.sum[ppd], 0);
	rig_free(&r);
}

/* Who listens changes nothing: all of it in a mix, with and without listeners. */
static void check_same(void)
{
	uint64_t seed = 88172645463325252, clock = 1000;
	struct rig r[2];

	for (unsigned w = 0; w < 2; w++) {
		rig_start(&r[w], false);
		if (w) {
			for (unsigned sig = 0; sig < 40 && sig < SIG_IMC_COUNT; sig++)
				meter_add(&r[w].m, sig, 0);
		}
		imc_rewatch(r[w].imc, true);
		throttle(&r[w], IMC_TOO_HOT, 1, 30000, 20000, 100000);
		throttle(&r[w], IMC_CRITICAL, 0, 60000, 500, 70000);
		throttle(&r[w], IMC_PCU, 0, 100000, 9000, 110000);
	}
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t line = check_random(&seed) % (1 << 14), depth = check_random(&seed) % 3;
		bool write = check_random(&seed) % 3 == 0, sleeps = i % 100 == 0;
		uint64_t got[2];

		clock += check_random(&seed) % (sleeps ? 60000 : 40);
		for (unsigned w = 0; w < 2; w++) {
			if (i % 50 == 0)
				rig_until(&r[w], clock - 1);
			if (sleeps)
				imc_power(r[w].imc, at(&r[w], clock), (enum imc_power)depth);
			got[w] = write ? imc_write(r[w].imc, line, at(&r[w], clock), i % 7 == 0).issued :
				 imc_read(r[w].imc, line, at(&r[w], clock)).data;
		}
		CHECK_EQ(__LINE__, got[0], got[1]);
	}
	for (unsigned w = 0; w < 2; w++)
		rig_free(&r[w]);
}

/* The same of a channel with much time between requests: pages and refreshes are told long before somebody comes, or
 * found out when writes choose their turns. */
static void check_same_idle(void)
{
	uint64_t seed = 88172645463325252, clock = 1000;
	struct rig r[2];

	for (unsigned w = 0; w < 2; w++) {
		rig_start(&r[w], false);
		if (w)
			meter_add(&r[w].m, SIG_IMC_PRE_ALL, 0);
		imc_rewatch(r[w].imc, true);
	}
	for (unsigned i = 0; i < 60000; i++) {
		uint64_t line = check_random(&seed) % (1 << 14), got[2];
		bool write = check_random(&seed) % 3 == 0;

		clock += check_random(&seed) % 240;
		for (unsigned w = 0; w < 2; w++) {
			if (i % 5 == 0)
				rig_until(&r[w], clock - 1);
			got[w] = write ? imc_write(r[w].imc, line, at(&r[w], clock), false).issued :
				 imc_read(r[w].imc, line, at(&r[w], clock)).data;
		}
		CHECK_EQ(__LINE__, got[0], got[1]);
	}
	for (unsigned w = 0; w < 2; w++)
		rig_free(&r[w]);
}

int main(void)
{
	check_critical();
	check_window(IMC_TOO_HOT);
	check_window(IMC_PCU);
	check_self_refresh();
	check_no_clock();
	check_slow_exit();
	check_same();
	check_same_idle();
	return check_done();
}
