/* SPDX-License-Identifier: BSD-2-Clause */
/* A channel that nobody asks for long: refreshes and sleep told in lumps are those told one by one. */
#include "imc_rig.h"

/* A rank that nobody uses: refreshed every 8320 clocks, asleep 2048 clocks after each. */
static void check_idle(void)
{
	struct rig r;
	unsigned cke[2], ppd, refresh, all;

	rig_init(&r);
	rig_start(&r);
	cke[0] = meter_add(&r.m, SIG_IMC_CKE, IMC_CKE_RANK0);
	cke[1] = meter_add(&r.m, SIG_IMC_CKE, IMC_CKE_RANK1);
	ppd = meter_add(&r.m, SIG_IMC_PPD, ANY);
	refresh = meter_add(&r.m, SIG_IMC_REFRESH, IMC_REFRESH_OPPORTUNISTIC);
	all = meter_add(&r.m, SIG_IMC_REFRESH, ANY);
	rig_until(&r, 83200);
	/* Rank 0 at 4160 + 8320 n, rank 1 at 8320 (n + 1); the tenth of that begins to wake it. */
	CHECK_EQ(__LINE__, r.m.sum[refresh], 10 + 9);
	CHECK_EQ(__LINE__, r.m.sum[all], r.m.sum[refresh]);
	/* Awake for the first 2048 clocks, then for tXP 7, tRFC 278 and 2048 more for each. */
	CHECK_EQ(__LINE__, r.m.sum[cke[0]], 2048 + 10 * (7 + 278 + 2048));
	CHECK_EQ(__LINE__, r.m.sum[cke[1]], 2048 + 9 * (7 + 278 + 2048));
	/* The ranks' turns do not overlap: one is awake in 2048 + 19 * 2333 clocks. */
	CHECK_EQ(__LINE__, r.m.sum[ppd], 83200 - 2048 - 19 * 2333);
	rig_free(&r);
}

/* The same for ten thousand refreshes, told in lumps. */
static void check_long_idle(void)
{
	struct rig r;
	unsigned cke[2], ppd, refresh;

	rig_init(&r);
	rig_start(&r);
	cke[0] = meter_add(&r.m, SIG_IMC_CKE, IMC_CKE_RANK0);
	cke[1] = meter_add(&r.m, SIG_IMC_CKE, IMC_CKE_RANK1);
	ppd = meter_add(&r.m, SIG_IMC_PPD, ANY);
	refresh = meter_add(&r.m, SIG_IMC_REFRESH, ANY);
	imc_rewatch(r.imc, true);
	rig_until(&r, 83200000);
	CHECK_EQ(__LINE__, r.m.sum[refresh], 10000 + 9999);
	CHECK_EQ(__LINE__, r.m.sum[cke[0]], 2048 + 10000 * (7 + 278 + 2048));
	CHECK_EQ(__LINE__, r.m.sum[cke[1]], 2048 + 9999 * (7 + 278 + 2048));
	CHECK_EQ(__LINE__, r.m.sum[ppd], 83200000 - 2048 - 19999 * 2333);
	rig_free(&r);
}

enum { LUMPS, STEPS, NOBODY, WAYS };

/* Requests with long pauses: a channel that tells its rest in lumps, one that tells every refresh, and one that
 * nobody listens to until the end. */
static void check_pauses(void)
{
	static const struct { unsigned sig; uint64_t flags; } want[] = {
		{ SIG_IMC_REFRESH, ANY }, { SIG_IMC_CKE, IMC_CKE_RANK0 }, { SIG_IMC_CKE, IMC_CKE_RANK5 },
		{ SIG_IMC_PPD, ANY }, { SIG_IMC_COMMAND, ANY }, { SIG_IMC_PRE_ALL, ANY }, { SIG_IMC_PRE, ANY },
	};
	uint64_t seed = 88172645463325252, clock = 1000;
	struct rig r[WAYS];

	for (unsigned w = 0; w < WAYS; w++) {
		rig_init(&r[w]);
		imc_config_ddr4(&r[w].config, 2133, 4);
		rig_start(&r[w]);
		for (unsigned i = 0; w != NOBODY && i < LEN(want); i++)
			meter_add(&r[w].m, want[i].sig, want[i].flags);
		/* Who is not asked tells refresh by refresh. */
		if (w != STEPS)
			imc_rewatch(r[w].imc, true);
	}
	for (unsigned i = 0; i < 400; i++) {
		uint64_t line = check_random(&seed) % (1 << 16);
		bool write = check_random(&seed) % 3 == 0;
		uint64_t data[WAYS] = { 0 };

		/* Now a pause of some clocks, now of up to a hundred refreshes. */
		clock += check_random(&seed) % (i % 4 ? 3000 : 800000);
		for (unsigned w = 0; w < WAYS; w++) {
			rig_until(&r[w], clock);
			data[w] = write ? imc_write(r[w].imc, line, at(&r[w], clock), false).issued :
				imc_read(r[w].imc, line, at(&r[w], clock)).data;
			CHECK_EQ(__LINE__, data[w], data[0]);
		}
	}
	imc_port(r[NOBODY].imc, &r[NOBODY].m.port);
	for (unsigned w = 0; w < WAYS; w++)
		rig_until(&r[w], clock + 100000);
	for (unsigned i = 0; i < LEN(want); i++) {
		CHECK_EQ(__LINE__, r[LUMPS].m.sum[i], r[STEPS].m.sum[i]);
		CHECK(r[LUMPS].m.sum[i] > 0);
	}
	CHECK_EQ(__LINE__, imc_open_rows(r[NOBODY].imc), imc_open_rows(r[STEPS].imc));
	for (unsigned w = 0; w < WAYS; w++)
		rig_free(&r[w]);
}

int main(void)
{
	check_idle();
	check_long_idle();
	check_pauses();
	return check_done();
}
