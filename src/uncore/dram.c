/* SPDX-License-Identifier: BSD-2-Clause */
/* DDR4 timings by speed (JEDEC 79-4; 4 Gbit devices of x4, 8 GiB a rank) and the address map. */
#include "uncore/dram.h"

/* Clocks that grow in steps with the speed bin: CL-RCD-RP of the common bin, CWL. */
static const struct {
	uint16_t mts, cl, cwl;
} bins[] = {
	{ 1600, 11, 9 }, { 1866, 13, 10 }, { 2133, 15, 11 }, { 2400, 17, 12 },
	{ 2666, 19, 14 }, { 2933, 21, 16 }, { UINT16_MAX, 22, 16 },
};

/* Clocks that `ps` picoseconds take, at least `least`.  A hundredth of a clock too much does
 * not make one more: 7.5 ns are 8 clocks of 937.5 ps. */
static uint16_t clocks(uint32_t khz, uint64_t ps, uint16_t least)
{
	uint64_t n = (ps * khz + 990000000) / 1000000000;

	return n > least ? (uint16_t)n : least;
}

void dram_config_ddr4(struct dram_config *config, unsigned mts, unsigned ranks)
{
	/* Speeds are named by the transfers rounded down: 2133 is 6400 / 3. */
	uint32_t khz = (uint32_t)(((mts + 33) / 66 * 100000 + 1) / 3);
	struct dram_timing *t = &config->t;
	unsigned bin = 0;

	while (bins[bin].mts < mts)
		bin++;
	*config = (struct dram_config){
		.dclk_khz = khz, .ranks = (uint8_t)ranks, .columns = 7,
		.defer = 4, .panic = 8, .idle_refresh = 64,
	};
	*t = (struct dram_timing){
		.cl = bins[bin].cl, .rcd = bins[bin].cl, .rp = bins[bin].cl,
		.ras = clocks(khz, 33000, 0), .cwl = bins[bin].cwl,
		.rrd_s = clocks(khz, 3300, 4), .rrd_l = clocks(khz, 4900, 4),
		.faw = clocks(khz, 15000, 16),
		.ccd_s = 4, .ccd_l = clocks(khz, 5300, 5),
		.wr = clocks(khz, 15000, 0), .wtr_s = clocks(khz, 2500, 2),
		.wtr_l = clocks(khz, 7500, 4), .rtp = clocks(khz, 7500, 4),
		.rfc = clocks(khz, 260000, 0), .refi = clocks(khz, 7800000, 0),
		.xp = clocks(khz, 6000, 4), .rank = 1, .rtw = 2,
	};
}

/* Two ranks a DIMM up to four, four above; a DIMM has four numbers. */
unsigned dram_rank_number(const struct dram_config *config, unsigned slot)
{
	return config->ranks > 4 ? slot : slot / 2 * 4 + slot % 2;
}

/*
 *	row | slot | bank in group (2) | group, high bit | column (7) | group, low bit
 *
 * Consecutive lines change the bank group, so that they follow each other at tCCD_S, and
 * use two rows only.  Bank and slot are folded with the row, so that what lies a power
 * of two apart spreads over banks and ranks.
 */
struct dram_place dram_place(const struct dram_config *config, uint64_t line)
{
	unsigned group = (line & 1) | (line >> (1 + config->columns) & 1) << 1;
	unsigned bank = line >> (2 + config->columns) & 3, slot;
	uint64_t row = line >> (4 + config->columns), fold;

	if (config->ranks & (config->ranks - 1)) {
		slot = (unsigned)(row % config->ranks);
		row /= config->ranks;
		fold = row ^ row >> 4 ^ row >> 8;
	} else {
		unsigned bits = (unsigned)__builtin_ctz(config->ranks);

		slot = (unsigned)(row & (config->ranks - 1u));
		row >>= bits;
		fold = row ^ row >> (4 + bits) ^ row >> (8 + 2 * bits);
		slot ^= fold >> 4 & (config->ranks - 1u);
	}
	return (struct dram_place){
		.row = (uint32_t)row, .slot = (uint8_t)slot,
		.rank = (uint8_t)dram_rank_number(config, slot),
		.bank = (uint8_t)((group << 2 | bank) ^ (fold & 15)),
	};
}
