/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a channel issues its CAS commands, against sums of DDR4-2133 timings made by hand:
 * tCL 15, tRCD 15, tRP 15, tRAS 36, tRTP 8, tCWL 11, tWR 16, tRRD 4/6, tCCD 4/6, tWTR_L 8,
 * tRFC 278, tREFI 8320, tXP 7; front 8, or 6 past the scheduler; burst 4; back 8.
 */
#include "check.h"
#include "meter.h"
#include "signal_ids.h"
#include "uncore/imc/imc.h"

enum { OPS = 10 };

/* Lines of a channel with two ranks, from the lowest bit on: group, column (7 bits), the other
 * bit of the group, bank (2), rank, row.  Rows 0, X, 2 X, ... fold onto the same banks. */
enum {
	GROUP = 1, COLUMN = 1 << 1, GROUP2 = 1 << 8, BANK = 1 << 9, RANK = 1 << 11, X = 0x21 << 12,
};

struct op {
	uint64_t clock;		/* the edge that sees the request; 0: no more */
	uint64_t line;
	uint64_t cas;		/* what it must be; 0: a write, which is posted */
};

static const struct row {
	int line;
	struct op op[OPS];
	uint16_t faw, idle_close, starve;	/* other than usual; 0: as usual */
} rows[] = {
	/* Empty bank, empty channel: 1 + 6, tRCD. */
	{ LINE, { { 1, 0, 22 } } },
	/* Row hits one after the other: 1 + 8 would do, but tCCD_L after 22, then tCCD_S. */
	{ LINE, { { 1, 0, 22 }, { 1, COLUMN, 28 }, { 1, 2 * COLUMN, 34 } } },
	/* Another group needs its own ACT at 7 + tRRD_S; its CAS meets no other. */
	{ LINE, { { 1, 0, 22 }, { 1, GROUP, 26 }, { 1, COLUMN, 30 }, { 1, COLUMN + GROUP, 34 } } },
	/* Two banks of a group: ACT at 7 and 7 + tRRD_L. */
	{ LINE, { { 1, 0, 22 }, { 1, BANK, 28 } } },
	/* Another rank: ACT at 9; its burst keeps a clock off the one that ends at 41. */
	{ LINE, { { 1, 0, 22 }, { 1, RANK, 27 } } },
	/* Row hit on an idle channel: 100 + 6. */
	{ LINE, { { 1, 0, 22 }, { 100, COLUMN, 106 } } },
	/* Row miss on an idle channel: PRE at 106, tRP, tRCD. */
	{ LINE, { { 1, 0, 22 }, { 100, X, 136 } } },
	/* Rows of a bank follow each other at tRC = tRAS + tRP = 51. */
	{ LINE, { { 1, 0, 22 }, { 1, X, 73 }, { 2, 2 * X, 124 }, { 2, 3 * X, 175 },
		  { 2, 4 * X, 226 } } },
	/* Before row X's turn, which begins with a PRE at 43, row 0 takes one more: 28 + tRTP is in
	 * time; 34 + tRTP too; 40 is not and waits for tRC behind X. */
	{ LINE, { { 1, 0, 22 }, { 1, X, 73 }, { 2, COLUMN, 28 }, { 2, 2 * COLUMN, 34 },
		  { 2, 3 * COLUMN, 124 } } },
	/* A row is held for the last of its reads: PRE at 40 + tRTP, later than 7 + tRAS. */
	{ LINE, { { 1, 0, 22 }, { 1, COLUMN, 28 }, { 1, 2 * COLUMN, 34 }, { 1, 3 * COLUMN, 40 },
		  { 1, X, 78 } } },
	/* Four ACTs at 7 11 15 19; the fifth at 23 by tRRD_S, and by tFAW 16 as well... */
	{ LINE, { { 1, 0, 22 }, { 1, GROUP, 26 }, { 1, GROUP2, 30 },
		  { 1, GROUP2 + GROUP, 34 }, { 1, BANK, 38 } } },
	/* ... with tFAW 17 at 24, with tFAW 32 at 39. */
	{ LINE, { { 1, 0, 22 }, { 1, GROUP, 26 }, { 1, GROUP2, 30 },
		  { 1, GROUP2 + GROUP, 34 }, { 1, BANK, 39 } },
	  .faw = 17 },
	{ LINE, { { 1, 0, 22 }, { 1, GROUP, 26 }, { 1, GROUP2, 30 },
		  { 1, GROUP2 + GROUP, 34 }, { 1, BANK, 54 } },
	  .faw = 32 },
	/* The other rank has its own tFAW: ACT at 9, CAS moved by the data bus alone. */
	{ LINE, { { 1, 0, 22 }, { 1, GROUP, 26 }, { 1, GROUP2, 30 },
		  { 1, GROUP2 + GROUP, 34 }, { 1, RANK, 39 } },
	  .faw = 32 },
	/* The page timer: the row, used at 22, is open at 122 and closed (PRE at 122) at 123. */
	{ LINE, { { 1, 0, 22 }, { 116, COLUMN, 122 } }, .idle_close = 100 },
	{ LINE, { { 1, 0, 22 }, { 117, COLUMN, 152 } }, .idle_close = 100 },
	/* A younger hit goes ahead of an older miss that waits for its row. */
	{ LINE, { { 1, 0, 22 }, { 1, X + GROUP, 26 }, { 1, X, 73 },
		  { 5, X + GROUP + COLUMN, 32 } } },
	/* Refresh of rank 0 at 4160, for 278 clocks: CAS before it, and right after it. */
	{ LINE, { { 1, RANK, 22 }, { 3000, 2 * RANK, 3028 }, { 4153, 0, 4174 } } },
	{ LINE, { { 1, RANK, 22 }, { 3000, 2 * RANK, 3028 }, { 4154, 0, 4453 } } },
	{ LINE, { { 1, RANK, 22 }, { 3000, 2 * RANK, 3028 }, { 4431, 0, 4453 } } },
	{ LINE, { { 1, RANK, 22 }, { 3000, 2 * RANK, 3028 }, { 4433, 0, 4454 } } },
	/* Power-down: busy until 41, asleep after 2089; awake for an ACT at 2089, not at 2090. */
	{ LINE, { { 1, 0, 22 }, { 2083, COLUMN, 2104 } } },
	{ LINE, { { 1, 0, 22 }, { 2084, COLUMN, 2112 } } },
	/* Late, while two others have had the bank since: row 0 is open until the PRE at 306, so a hit takes its CAS at 150 + 8;
	 * then there is time for another row: PRE at 158 + tRTP, tRP, tRCD. */
	{ LINE, { { 1, 0, 22 }, { 300, X, 336 }, { 700, 2 * X, 736 }, { 150, COLUMN, 158 }, { 151, 3 * X, 196 } } },
	/* Late: what comes 2900 clocks late is served as if alone, next door or in the bank. */
	{ LINE, { { 3000, 0, 3028 }, { 101, GROUP, 124 } } },
	{ LINE, { { 3000, 0, 3028 }, { 101, X, 124 }, { 102, 2 * X, 175 } } },
	/* A read finds its line among the posted writes: no CAS, only the front. */
	{ LINE, { { 1, 0, 0 }, { 3, 0, 11 } } },
};

/*
 * DDR3-1600 with two ranks: tCL 11, tRCD 11, tRP 11, tRAS 28, tRRD 5, tFAW 24, tCCD 4; two clocks between
 * bursts of different ranks.  Lines from the lowest bit on: column (7 bits), bank (3), rank, row.
 */
enum { COLUMN3 = 1, BANK3 = 1 << 7, RANK3 = 1 << 10, X3 = 0x21 << 11 };

static const struct row rows3[] = {
	/* 1 + 6, tRCD; hits follow at tCCD, in every bank. */
	{ LINE, { { 1, 0, 18 }, { 1, COLUMN3, 22 }, { 1, 2 * COLUMN3, 26 }, { 1, 127, 30 } } },
	/* Another bank, its neighbour or not: ACT at 7 + tRRD. */
	{ LINE, { { 1, 0, 18 }, { 1, BANK3, 23 } } },
	{ LINE, { { 1, 0, 18 }, { 1, 7 * BANK3, 23 } } },
	/* Another rank: ACT at 9, but its burst starts two clocks behind the one that ends at 33. */
	{ LINE, { { 1, 0, 18 }, { 1, RANK3, 24 } } },
	/* Row miss on an idle channel: PRE at 106, tRP, tRCD. */
	{ LINE, { { 1, 0, 18 }, { 100, X3, 128 } } },
	/* Rows of a bank follow each other at tRC = tRAS + tRP = 39. */
	{ LINE, { { 1, 0, 18 }, { 1, X3, 57 }, { 2, 2 * X3, 96 } } },
	/* ACTs at 7 12 17 22; the fifth at 7 + tFAW. */
	{ LINE, { { 1, 0, 18 }, { 1, BANK3, 23 }, { 1, 2 * BANK3, 28 }, { 1, 3 * BANK3, 33 },
		  { 1, 4 * BANK3, 42 } } },
};

/*
 * CL, CWL, RAS, RRD_S, RRD_L, FAW, CCD_L of each speed, in clocks, and the clock: JEDEC 79-3F for devices of x8, and 79-4 for
 * x4.  Of DDR4-1600 RAS is 35 ns / 1.25, RRD_L 6 ns / 1.25 = 4.8; of 1866 34 ns / 1.0714 = 31.7 and 5.3 / 1.0714 = 4.9;
 * of 2400 CCD_L is 5 ns / 0.8333 = 6 and FAW 13 ns / 0.8333 = 15.6, of 3200 5 / 0.625 and 10 / 0.625.
 */
static const struct speed {
	int line;
	void (*make)(struct imc_config *config, unsigned mts, unsigned ranks);
	unsigned mts, khz, cl, cwl, ras, rrd_s, rrd_l, faw, ccd_l;
} speeds[] = {
	{ LINE, imc_config_ddr3, 800, 400000, 6, 5, 15, 4, 4, 16, 4 },
	{ LINE, imc_config_ddr3, 1066, 533333, 7, 6, 20, 4, 4, 20, 4 },
	{ LINE, imc_config_ddr3, 1333, 666667, 9, 7, 24, 4, 4, 20, 4 },
	{ LINE, imc_config_ddr3, 1600, 800000, 11, 8, 28, 5, 5, 24, 4 },
	{ LINE, imc_config_ddr3, 1866, 933333, 13, 9, 32, 5, 5, 26, 4 },
	{ LINE, imc_config_ddr4, 1600, 800000, 11, 9, 28, 4, 5, 16, 5 },
	{ LINE, imc_config_ddr4, 1866, 933333, 13, 10, 32, 4, 5, 16, 5 },
	{ LINE, imc_config_ddr4, 2133, 1066667, 15, 11, 36, 4, 6, 16, 6 },
	{ LINE, imc_config_ddr4, 2400, 1200000, 17, 12, 39, 4, 6, 16, 6 },
	{ LINE, imc_config_ddr4, 2666, 1333333, 19, 14, 43, 4, 7, 16, 7 },
	{ LINE, imc_config_ddr4, 3200, 1600000, 22, 16, 52, 4, 8, 16, 8 },
};

static void check_speeds(void)
{
	for (const struct speed *s = speeds; s < speeds + LEN(speeds); s++) {
		struct imc_config c;

		s->make(&c, s->mts, 2);
		CHECK_EQ(s->line, c.dram.dclk_khz, s->khz);
		CHECK_EQ(s->line, c.dram.t.cl, s->cl);
		CHECK_EQ(s->line, c.dram.t.rcd, s->cl);
		CHECK_EQ(s->line, c.dram.t.rp, s->cl);
		CHECK_EQ(s->line, c.dram.t.cwl, s->cwl);
		CHECK_EQ(s->line, c.dram.t.ras, s->ras);
		CHECK_EQ(s->line, c.dram.t.rrd_s, s->rrd_s);
		CHECK_EQ(s->line, c.dram.t.rrd_l, s->rrd_l);
		CHECK_EQ(s->line, c.dram.t.faw, s->faw);
		CHECK_EQ(s->line, c.dram.t.ccd_l, s->ccd_l);
	}
}

/* Each line has a place of its own: row, rank and bank of DDR3. */
static void check_places(void)
{
	static uint8_t seen[1 << 8][2 * DRAM_BANKS];
	struct imc_config c;

	imc_config_ddr3(&c, 1600, 2);
	for (uint64_t line = 0; line < 1 << 19; line += 1 << 7) {
		struct dram_place p = dram_place(&c.dram, line), last = dram_place(&c.dram, line + 127);

		CHECK_EQ(__LINE__, p.row < 256 && p.bank < 2 * DRAM_BANKS && p.bank % DRAM_BANKS < 8, 1);
		CHECK_EQ(__LINE__, seen[p.row][p.bank]++, 0);
		/* A row is 128 lines. */
		CHECK_EQ(__LINE__, p.row == last.row && p.bank == last.bank, 1);
	}
}

static void run(const struct row *r, bool ddr3)
{
	struct imc_config config;
	struct signal_clock clock;
	struct imc *imc;

	if (ddr3)
		imc_config_ddr3(&config, 1600, 2);
	else
		imc_config_ddr4(&config, 2133, 2);
	if (r->faw)
		config.dram.t.faw = r->faw;
	if (r->idle_close)
		config.idle_close = r->idle_close;
	signal_clock_init(&clock, config.dram.dclk_khz);
	CHECK_EQ(r->line, imc_new(&config, &imc), 0);
	for (const struct op *op = r->op; op < r->op + OPS && op->clock; op++) {
		uint64_t when = signal_clock_time(&clock, op->clock - 1);
		struct imc_read got;

		if (!op->cas) {
			uint64_t issued = imc_write(imc, op->line, when, false).issued;

			CHECK_EQ(r->line, signal_clocks(&clock, issued), op->clock);
			continue;
		}
		got = imc_read(imc, op->line, when);
		CHECK_EQ(r->line, signal_clocks(&clock, got.cas), op->cas);
		CHECK_EQ(r->line, signal_clocks(&clock, got.data) - op->cas,
			 got.wpq ? config.back : (ddr3 ? 11u : 15u) + 4 + 8);
	}
	imc_free(imc);
}

/* A config that is wrong in one member. */
static void check_refused(void)
{
	struct imc_config good, bad;
	struct imc *imc = NULL;

	imc_config_ddr4(&good, 2133, 2);
#define REFUSED(change) do { bad = good; bad.change; CHECK(imc_new(&bad, &imc) < 0); } while (0)
	REFUSED(dram.ranks = 0);
	REFUSED(dram.ranks = 9);
	REFUSED(dram.dclk_khz = 0);
	REFUSED(dram.t.faw = 33);
	REFUSED(rpq = 0);
	REFUSED(wpq = 65);
	REFUSED(wmm_low = good.wmm_high);
	REFUSED(wmm_high = good.wpq + 1);
	REFUSED(bypass = good.front + 1);
#undef REFUSED
	CHECK(!imc);
	imc_free(NULL);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		run(r, false);
	for (const struct row *r = rows3; r < rows3 + LEN(rows3); r++)
		run(r, true);
	check_speeds();
	check_places();
	check_refused();
	return check_done();
}
