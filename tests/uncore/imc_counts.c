/* SPDX-License-Identifier: BSD-2-Clause */
/* What a channel tells, against conservation laws and against counts made by hand. */
#include "imc_rig.h"

enum { ROW = 1 << 12, BANK = 1 << 9, CLOCKS = 1 << 20 };

/* The depth of a queue clock by clock, counted the slow way. */
static int8_t depth[CLOCKS];

static void depth_add(uint64_t from, uint64_t to)
{
	for (uint64_t k = from; k < to; k++)
		depth[k]++;
}

static unsigned depth_at_least(int least)
{
	unsigned n = 0;

	for (unsigned k = 0; k < CLOCKS; k++)
		n += depth[k] >= least;
	return n;
}

/* How a crowd of requests is made: in every `gap` clocks on average one, some of them late. */
static const struct crowd {
	int line;
	unsigned requests, gap, write, partial, lines, late;
	bool refresh;
} crowds[] = {
	{ LINE, 20000, 40, 0, 0, 1 << 24, 0, true },
	{ LINE, 20000, 5, 0, 0, 1 << 24, 0, true },
	{ LINE, 20000, 5, 30, 0, 1 << 24, 0, true },
	{ LINE, 20000, 9, 30, 0, 64, 0, true },		/* many hits in the write queue */
	{ LINE, 20000, 9, 50, 50, 4096, 0, true },	/* underfills */
	{ LINE, 20000, 12, 100, 0, 1 << 24, 0, true },
	{ LINE, 20000, 30, 30, 10, 1 << 24, 600, true },	/* out of order */
	{ LINE, 4000, 7, 30, 10, 4096, 0, false },
};

enum {
	RD_REG, RD_UNDER, WR, RANK0, RANK1, ACT, PRE, PRE_MISS, PRE_ALL, INSERT, OCCUPANCY, NE,
	FULL, WPQ_INSERT, WPQ_NE, READ_HIT, WRITE_HIT, MODE_READ, MODE_WRITE, MODE_PARTIAL, REFRESH, BYP, PRIO,
};

static void crowd_meters(struct meter *m)
{
	static const struct {
		unsigned sig;
		uint64_t flags;
	} want[] = {
		[RD_REG] = { SIG_IMC_CAS, IMC_CAS_RD_REG },
		[RD_UNDER] = { SIG_IMC_CAS, IMC_CAS_RD_UNDERFILL },
		[WR] = { SIG_IMC_CAS, IMC_CAS_WR },
		[RANK0] = { SIG_IMC_CAS, IMC_CAS_RANK0 },
		[RANK1] = { SIG_IMC_CAS, IMC_CAS_RANK1 },
		[ACT] = { SIG_IMC_ACT, ANY },
		[PRE] = { SIG_IMC_PRE, ANY },
		[PRE_MISS] = { SIG_IMC_PRE, IMC_PRE_PAGE_MISS },
		[PRE_ALL] = { SIG_IMC_PRE_ALL, ANY },
		[INSERT] = { SIG_IMC_RPQ_INSERT, ANY },
		[OCCUPANCY] = { SIG_IMC_RPQ, ANY },
		[NE] = { SIG_IMC_RPQ_NE, ANY },
		[FULL] = { SIG_IMC_RPQ_FULL, ANY },
		[WPQ_INSERT] = { SIG_IMC_WPQ_INSERT, ANY },
		[WPQ_NE] = { SIG_IMC_WPQ_NE, ANY },
		[READ_HIT] = { SIG_IMC_WPQ_READ_HIT, ANY },
		[WRITE_HIT] = { SIG_IMC_WPQ_WRITE_HIT, ANY },
		[MODE_READ] = { SIG_IMC_MODE, IMC_MODE_READ },
		[MODE_WRITE] = { SIG_IMC_MODE, IMC_MODE_WRITE },
		[MODE_PARTIAL] = { SIG_IMC_MODE, IMC_MODE_PARTIAL },
		[REFRESH] = { SIG_IMC_REFRESH, ANY },
		[BYP] = { SIG_IMC_BYP, ANY },
		[PRIO] = { SIG_IMC_CAS, IMC_CAS_LOW },
	};

	for (unsigned i = 0; i < LEN(want); i++)
		CHECK_EQ(__LINE__, meter_add(m, want[i].sig, want[i].flags), i);
}

/* What the requests of a crowd were and what was answered; `end`: clock by which the last has its CAS. */
struct asked {
	uint64_t reads, writes, partials, merged, waited, bypassed, end;
};

static void ask_write(struct rig *r, const struct crowd *c, uint64_t *seed, uint64_t line, uint64_t when, struct asked *a)
{
	bool partial = check_random(seed) % 100 < c->partial;
	bool merge = imc_write(r->imc, line, when, partial).merged;

	a->writes++;
	a->merged += merge;
	a->partials += partial && !merge;
}

static void ask_read(struct rig *r, const struct crowd *c, uint64_t line, uint64_t when, struct asked *a)
{
	struct imc_read got = imc_read(r->imc, line, when);
	uint64_t from = signal_clocks(&r->m.clock, got.issued), to = signal_clocks(&r->m.clock, got.cas);

	a->reads++;
	a->waited += to - from;
	a->bypassed += got.bypass;
	a->end = to > a->end ? to : a->end;
	depth_add(from, to);
	CHECK_EQ(c->line, got.issued >= when && got.cas > got.issued && got.data > got.cas, 1);
}

static void ask_crowd(struct rig *r, const struct crowd *c, struct asked *a)
{
	uint64_t seed = 88172645463325252, clock = 1000;

	memset(depth, 0, sizeof depth);
	for (unsigned i = 0; i < c->requests; i++) {
		uint64_t line = check_random(&seed) % c->lines, when;

		clock += check_random(&seed) % (2 * c->gap + 1);
		when = at(r, clock - (c->late ? check_random(&seed) % c->late : 0));
		if (check_random(&seed) % 100 < c->write)
			ask_write(r, c, &seed, line, when, a);
		else
			ask_read(r, c, line, when, a);
	}
	a->end = (a->end > clock ? a->end : clock) + 500;
	CHECK_EQ(c->line, a->end < CLOCKS, 1);
}

static void check_requests(const struct rig *r, const struct crowd *c, const struct asked *a)
{
	const int64_t *sum = r->m.sum;

	CHECK_EQ(c->line, sum[RD_REG] + sum[READ_HIT], a->reads);
	CHECK_EQ(c->line, sum[RD_UNDER], a->partials);
	CHECK_EQ(c->line, sum[PRIO], a->partials);
	CHECK_EQ(c->line, sum[WRITE_HIT], a->merged);
	CHECK_EQ(c->line, sum[WPQ_INSERT] + sum[WRITE_HIT], a->writes);
	CHECK_EQ(c->line, sum[WR] + imc_pending_writes(r->imc) + a->merged, a->writes);
	CHECK_EQ(c->line, sum[INSERT], a->reads);
	CHECK_EQ(c->line, sum[OCCUPANCY], a->waited);
	if (!c->late) {
		CHECK_EQ(c->line, sum[NE], depth_at_least(1));
		CHECK_EQ(c->line, sum[FULL], depth_at_least(r->config.rpq));
	}
	CHECK_EQ(c->line, sum[MODE_READ] + sum[MODE_WRITE] + sum[MODE_PARTIAL], a->end);
	CHECK_EQ(c->line, sum[BYP], a->bypassed);
}

static void check_rows(const struct rig *r, const struct crowd *c, uint64_t end)
{
	const int64_t *sum = r->m.sum;

	/* A row that is closed otherwise than by PRE is closed by a PRE of all, 1 to 16 rows. */
	if (c->refresh) {
		int64_t rest = sum[ACT] - sum[PRE] - imc_open_rows(r->imc);

		CHECK_EQ(c->line, rest >= sum[PRE_ALL] && rest <= 16 * sum[PRE_ALL], 1);
		/* A rank owes at most 8. */
		CHECK_EQ(c->line, sum[REFRESH] <= (int64_t)(2 * (end / 8320 + 1)), 1);
		CHECK_EQ(c->line, sum[REFRESH] >= (int64_t)(2 * (end / 8320)) - 16, 1);
	} else {
		CHECK_EQ(c->line, sum[ACT], sum[PRE] + imc_open_rows(r->imc));
		CHECK_EQ(c->line, sum[PRE_ALL], 0);
	}
	CHECK_EQ(c->line, sum[RANK0] + sum[RANK1], sum[RD_REG] + sum[RD_UNDER] + sum[WR]);
	/* Page empties are the ACTs that no PRE for a miss came before, page hits the rest. */
	CHECK_EQ(c->line, sum[PRE_MISS] <= sum[ACT], 1);
	CHECK_EQ(c->line, sum[ACT] <= sum[RANK0] + sum[RANK1], 1);
}

static void run_crowd(const struct crowd *c)
{
	struct asked a = { .end = 0 };
	struct rig r;

	rig_init(&r);
	if (!c->refresh)
		r.config.dram.t.refi = UINT16_MAX;
	rig_start(&r);
	crowd_meters(&r.m);
	ask_crowd(&r, c, &a);
	rig_until(&r, a.end);
	check_requests(&r, c, &a);
	check_rows(&r, c, a.end);
	/* Nothing is left after a while, and all that was posted got its CAS. */
	rig_until(&r, a.end + 20000);
	CHECK_EQ(c->line, r.m.sum[WR] + a.merged, a.writes);
	CHECK_EQ(c->line, imc_pending_writes(r.imc), 0);
	CHECK_EQ(c->line, imc_open_rows(r.imc), 0);
	rig_free(&r);
}

/* A stream opens each row once: 4096 lines of 128 a row; all else are page hits. */
static void check_stream(void)
{
	struct rig r;
	unsigned act, cas[DRAM_BANKS], first;

	rig_init(&r);
	r.config.dram.t.refi = UINT16_MAX;
	r.config.idle_close = UINT16_MAX;
	rig_start(&r);
	act = meter_add(&r.m, SIG_IMC_ACT, IMC_ACT_RD);
	first = meter_add(&r.m, SIG_IMC_ACT, IMC_ACT_BYP);
	for (unsigned b = 0; b < DRAM_BANKS; b++)
		cas[b] = meter_add(&r.m, SIG_IMC_CAS, IMC_CAS_RANK0 | IMC_CAS_BANK0 << b);
	for (unsigned i = 0; i < 4096; i++)
		imc_read(r.imc, i, at(&r, 10 + 4 * i));
	rig_until(&r, 30000);
	CHECK_EQ(__LINE__, r.m.sum[act] + r.m.sum[first], 4096 / 128);
	CHECK_EQ(__LINE__, r.m.sum[first], 1);
	/* Rank 1 has lines 2048 on: the 16 banks of rank 0 share the first 2048. */
	for (unsigned b = 0; b < DRAM_BANKS; b++)
		CHECK_EQ(__LINE__, r.m.sum[cas[b]], 128);
	rig_free(&r);
}

/* 36 writes bring write major mode, which drains to 12; the rest goes out when all is idle. */
static void check_major_modes(void)
{
	struct rig r;
	unsigned wmm, rmm, low, write, hit, ne, pending, full;

	rig_init(&r);
	rig_start(&r);
	wmm = meter_add(&r.m, SIG_IMC_CAS, IMC_CAS_WR | IMC_CAS_WMM);
	rmm = meter_add(&r.m, SIG_IMC_CAS, IMC_CAS_WR | IMC_CAS_RMM);
	low = meter_add(&r.m, SIG_IMC_WMM_TO_RMM, IMC_WMM_TO_RMM_LOW_THRESH);
	write = meter_add(&r.m, SIG_IMC_MODE, IMC_MODE_WRITE);
	hit = meter_add(&r.m, SIG_IMC_WPQ_WRITE_HIT, ANY);
	ne = meter_add(&r.m, SIG_IMC_WPQ_NE, ANY);
	full = meter_add(&r.m, SIG_IMC_WPQ_FULL, ANY);
	pending = meter_add(&r.m, SIG_IMC_WPQ, ANY);
	for (unsigned i = 0; i < 35; i++)
		imc_write(r.imc, i, at(&r, 10 + i), false);
	imc_write(r.imc, 7, at(&r, 49), false);
	CHECK_EQ(__LINE__, imc_pending_writes(r.imc), 35);
	imc_write(r.imc, 35, at(&r, 50), false);
	/* The mode changes at 51; rows of four groups from 51 on, 24 bursts from 51 + tRCD + tCWL
	 * back to back: the last ends at 51 + 15 + 11 + 24 * 4 = 173. */
	rig_until(&r, 180);
	CHECK_EQ(__LINE__, r.m.sum[wmm], 24);
	CHECK_EQ(__LINE__, r.m.sum[rmm], 0);
	CHECK_EQ(__LINE__, r.m.sum[low], 1);
	CHECK_EQ(__LINE__, r.m.sum[write], 173 - 51);
	CHECK_EQ(__LINE__, r.m.sum[hit], 1);
	CHECK_EQ(__LINE__, imc_pending_writes(r.imc), 12);
	CHECK_EQ(__LINE__, r.m.sum[ne], 180 - 11);
	/* Idle for 128 from 173 on: 12 page hits from 301 on, the last CAS at 301 + 11 * 4. */
	rig_until(&r, 1000);
	CHECK_EQ(__LINE__, r.m.sum[wmm], 24);
	CHECK_EQ(__LINE__, r.m.sum[rmm], 12);
	CHECK_EQ(__LINE__, r.m.sum[ne], 345 - 11);
	CHECK_EQ(__LINE__, r.m.sum[full], 0);
	/* Sum of stays: in at 11 + i, i < 35, and at 51; out, 24 at 66 + 4j, 12 at 301 + 4j. */
	CHECK_EQ(__LINE__, r.m.sum[pending],
		 24 * 66 + 4 * 23 * 24 / 2 + 12 * 301 + 4 * 11 * 12 / 2 -
			 (35 * 11 + 34 * 35 / 2 + 51));
	rig_free(&r);
}

/* A read that comes during write major mode waits for its end, or ends it when it starves. */
static void check_starvation(void)
{
	static const struct {
		int line;
		uint16_t starve;
		unsigned low, starved, wrong;
	} want[] = {
		{ LINE, 400, 1, 0, 173 - 61 },
		{ LINE, 40, 0, 1, 0 },
	};

	for (unsigned i = 0; i < LEN(want); i++) {
		struct rig r;
		unsigned low, starved, wrong, preempt, panic;

		rig_init(&r);
		r.config.starve = want[i].starve;
		rig_start(&r);
		low = meter_add(&r.m, SIG_IMC_WMM_TO_RMM, IMC_WMM_TO_RMM_LOW_THRESH);
		starved = meter_add(&r.m, SIG_IMC_WMM_TO_RMM, IMC_WMM_TO_RMM_STARVE);
		wrong = meter_add(&r.m, SIG_IMC_WRONG_MM, ANY);
		preempt = meter_add(&r.m, SIG_IMC_PREEMPTION, IMC_PREEMPTION_RD_PREEMPT_WR);
		panic = meter_add(&r.m, SIG_IMC_CAS, IMC_CAS_PANIC);
		for (unsigned n = 0; n < 36; n++)
			imc_write(r.imc, n, at(&r, 15 + n), false);
		imc_read(r.imc, 100 * ROW, at(&r, 52));
		rig_until(&r, 240);
		CHECK_EQ(want[i].line, r.m.sum[low], want[i].low);
		CHECK_EQ(want[i].line, r.m.sum[starved], want[i].starved);
		CHECK_EQ(want[i].line, r.m.sum[preempt], want[i].starved);
		CHECK_EQ(want[i].line, r.m.sum[panic], want[i].starved);
		if (want[i].wrong)
			CHECK_EQ(want[i].line, r.m.sum[wrong], want[i].wrong);
		rig_free(&r);
	}
}

/* Five rows of a bank follow each other at tRC 51 from 22 on; an underfill of a sixth, ready at 10, has its CAS at 277.
 * It has starved at 10 + 192: then nobody goes before it any more. */
static void check_partial(void)
{
	static const struct { int line; uint64_t clock, cas; } reads[] = {
		{ LINE, 100, 128 },	/* in another group of banks, before: its ACT keeps tRRD off that at 109 */
		{ LINE, 200, 281 },	/* would have had its CAS at 230; its burst follows that of the underfill */
	};

	for (unsigned i = 0; i < LEN(reads); i++) {
		struct rig r;
		unsigned partial, read, low;

		rig_init(&r);
		rig_start(&r);
		partial = meter_add(&r.m, SIG_IMC_MODE, IMC_MODE_PARTIAL);
		read = meter_add(&r.m, SIG_IMC_MODE, IMC_MODE_READ);
		low = meter_add(&r.m, SIG_IMC_CAS, IMC_CAS_RD_UNDERFILL | IMC_CAS_LOW);
		for (unsigned k = 0; k < 5; k++)
			CHECK_EQ(__LINE__, signal_clocks(&r.m.clock, imc_read(r.imc, k * (0x21 << 12), at(&r, k == 4)).cas),
				 22 + 51 * k);
		imc_write(r.imc, 5 * (0x21 << 12), at(&r, 1), true);
		CHECK_EQ(reads[i].line, signal_clocks(&r.m.clock, imc_read(r.imc, 1, at(&r, reads[i].clock - 1)).cas),
			 reads[i].cas);
		rig_until(&r, 300);
		CHECK_EQ(__LINE__, r.m.sum[low], 1);
		CHECK_EQ(__LINE__, r.m.sum[partial], 277 - 202);
		CHECK_EQ(__LINE__, r.m.sum[read], 300 - (277 - 202));
		rig_free(&r);
	}
}

int main(void)
{
	for (const struct crowd *c = crowds; c < crowds + LEN(crowds); c++)
		run_crowd(c);
	check_stream();
	check_major_modes();
	check_starvation();
	check_partial();
	return check_done();
}
