/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timings by speed (DDR4: JEDEC 79-4, 4 Gbit devices of x4, 8 GiB a rank; DDR3: JEDEC 79-3F, 4 Gbit
 * devices of x8, 4 GiB a rank) and the address map.
 */
#include "uncore/imc/dram.h"

/* What comes with the speed: in clocks CL-RCD-RP of the common bin and CWL, in picoseconds the rest, RRD and FAW for pages
 * of half a KB. */
static const struct {
	uint16_t mts, cl, cwl, ras, rrd_s, rrd_l, faw, ccd_l;
} bins[] = {
	{ 1600, 11, 9, 35000, 5000, 6000, 20000, 6250 },
	{ 1866, 13, 10, 34000, 4200, 5300, 17000, 5355 },
	{ 2133, 15, 11, 33000, 3700, 5300, 15000, 5355 },
	{ 2400, 17, 12, 32000, 3300, 4900, 13000, 5000 },
	{ 2666, 19, 14, 32000, 3000, 4900, 12000, 5000 },
	{ 2933, 21, 16, 32000, 2700, 4900, 10875, 5000 },
	{ UINT16_MAX, 22, 16, 32000, 2500, 4900, 10000, 5000 },
};

/* Clocks that `ps` picoseconds take, at least `least`.  A hundredth of a clock too much does
 * not make one more: 7.5 ns are 8 clocks of 937.5 ps. */
static uint16_t clocks(uint32_t khz, uint64_t ps, uint16_t least)
{
	uint64_t n = (ps * khz + 990000000) / 1000000000;

	return n > least ? (uint16_t)n : least;
}

/* Speeds are named by the transfers rounded down: 2133 is 6400 / 3. */
static uint32_t clock_of(unsigned mts)
{
	return (uint32_t)(((mts + 33) / 66 * 100000 + 1) / 3);
}

static uint8_t rank_bits(unsigned ranks)
{
	return ranks ? (uint8_t)__builtin_ctz(ranks) : 0;
}

void dram_config_ddr4(struct dram_config *config, unsigned mts, unsigned ranks)
{
	uint32_t khz = clock_of(mts);
	struct dram_timing *t = &config->t;
	unsigned bin = 0;

	while (bins[bin].mts < mts)
		bin++;
	*config = (struct dram_config){
		.dclk_khz = khz, .ranks = (uint8_t)ranks, .banks = 16, .rank_bits = rank_bits(ranks),
		.dimm_bits = ranks > 4 ? 2 : 1,
		.defer = 4, .panic = 8, .idle_refresh = 64,
	};
	*t = (struct dram_timing){
		.cl = bins[bin].cl, .rcd = bins[bin].cl, .rp = bins[bin].cl,
		.ras = clocks(khz, bins[bin].ras, 0), .cwl = bins[bin].cwl,
		.rrd_s = clocks(khz, bins[bin].rrd_s, 4), .rrd_l = clocks(khz, bins[bin].rrd_l, 4),
		.faw = clocks(khz, bins[bin].faw, 16),
		.ccd_s = 4, .ccd_l = clocks(khz, bins[bin].ccd_l, 5),
		.wr = clocks(khz, 15000, 0), .wtr_s = clocks(khz, 2500, 2),
		.wtr_l = clocks(khz, 7500, 4), .rtp = clocks(khz, 7500, 4),
		.rfc = clocks(khz, 260000, 0), .refi = clocks(khz, 7800000, 0),
		.xp = clocks(khz, 6000, 4), .xp_slow = clocks(khz, 24000, 10), .xs = clocks(khz, 270000, 5),
		.rank = 1, .rtw = 2,
	};
}

/* The same of DDR3, with pages of 1 KB. */
static const struct {
	uint16_t mts, cl, cwl, ras, rrd, faw;	/* the last three in hundreds of picoseconds */
} bins3[] = {
	{ 800, 6, 5, 375, 100, 400 }, { 1066, 7, 6, 375, 75, 375 }, { 1333, 9, 7, 360, 60, 300 },
	{ 1600, 11, 8, 350, 60, 300 }, { UINT16_MAX, 13, 9, 340, 50, 270 },
};

void dram_config_ddr3(struct dram_config *config, unsigned mts, unsigned ranks)
{
	uint32_t khz = clock_of(mts);
	unsigned bin = 0;
	uint16_t rrd, wtr;

	while (bins3[bin].mts < mts)
		bin++;
	rrd = clocks(khz, bins3[bin].rrd * 100u, 4);
	wtr = clocks(khz, 7500, 4);
	*config = (struct dram_config){
		.dclk_khz = khz, .ranks = (uint8_t)ranks, .banks = 8, .rank_bits = rank_bits(ranks),
		.dimm_bits = ranks > 4 ? 2 : 1,
		.defer = 4, .panic = 8, .idle_refresh = 64,
	};
	config->t = (struct dram_timing){
		.cl = bins3[bin].cl, .rcd = bins3[bin].cl, .rp = bins3[bin].cl,
		.ras = clocks(khz, bins3[bin].ras * 100u, 0), .cwl = bins3[bin].cwl,
		.rrd_s = rrd, .rrd_l = rrd, .faw = clocks(khz, bins3[bin].faw * 100u, 0),
		.ccd_s = 4, .ccd_l = 4,
		.wr = clocks(khz, 15000, 0), .wtr_s = wtr, .wtr_l = wtr,
		.rtp = clocks(khz, 7500, 4),
		.rfc = clocks(khz, 260000, 0), .refi = clocks(khz, 7800000, 0),
		.xp = clocks(khz, 6000, 3), .xp_slow = clocks(khz, 24000, 10), .xs = clocks(khz, 270000, 5),
		.rank = 2, .rtw = 2,
	};
}
