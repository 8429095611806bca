/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DRAM behind a memory channel: geometry, address map and timings of DDR4 and DDR3.
 * All times in clocks of the DRAM bus (dclk), half its transfer rate.
 */
#ifndef BXS_UNCORE_IMC_DRAM_H
#define BXS_UNCORE_IMC_DRAM_H

#include <stdint.h>

enum {
	DRAM_MAX_RANKS = 8,
	DRAM_BANKS = 16,	/* of a rank: 4 groups of 4; DDR3 has 8 and no groups */
	DRAM_GROUP_BANKS = 4,
	DRAM_COLUMNS = 7,	/* bits: lines of a row */
	DRAM_BURST = 4,		/* clocks of the data bus a line takes */
};

/* JEDEC 79-4 names without the t: x_s between bank groups, x_l within one; the same in DDR3. */
struct dram_timing {
	uint16_t cl, rcd, rp, ras, cwl;
	uint16_t rrd_s, rrd_l, faw, ccd_s, ccd_l;
	uint16_t wr, wtr_s, wtr_l, rtp;
	uint16_t rfc, refi, xp;
	uint16_t xp_slow;	/* xp with the DLL off */
	uint16_t xs;		/* from self-refresh to the first command */
	uint16_t rank;		/* gap on the data bus when the rank changes */
	uint16_t rtw;		/* gap on the data bus between a read and a write */
};

struct dram_config {
	uint32_t dclk_khz;
	uint8_t ranks;		/* 1, 2, 4, 8 */
	uint8_t dimm_bits;	/* a DIMM has two to this power of them */
	uint8_t banks;		/* of a rank: 16 or 8 */
	uint8_t rank_bits;	/* ranks is this power of two, if it is one */
	uint8_t defer, panic;	/* refreshes owed that get priority, and that are forced */
	uint16_t idle_refresh;	/* a rank idle so long is refreshed when it is due */
	struct dram_timing t;
};

/* Where a line of a channel lies. */
struct dram_place {
	uint32_t row;
	uint8_t bank;		/* of the channel: rank, counted without gaps, * DRAM_BANKS + bank of it */
};

/* Timings of DDR4 at mts million transfers a second; two ranks a DIMM up to four ranks, four above. */
void dram_config_ddr4(struct dram_config *config, unsigned mts, unsigned ranks);
/* The same of DDR3. */
void dram_config_ddr3(struct dram_config *config, unsigned mts, unsigned ranks);

/* The number that events give rank `slot` of a channel: a DIMM has four numbers. */
static inline unsigned dram_rank_number(const struct dram_config *config, unsigned slot)
{
	return slot >> config->dimm_bits << 2 | (slot & ((1u << config->dimm_bits) - 1));
}

/*
 *	row | slot | bank in group (2) | group, high bit | column (7) | group, low bit
 *	row | slot | bank (3) | column (7)		DDR3
 *
 * Consecutive lines of DDR4 change the bank group, so that they follow each other at tCCD_S, and
 * use two rows only.  Bank and slot are folded with the row, so that what lies a power
 * of two apart spreads over banks and ranks.
 *
 * line: number of the line within its channel.
 */
static inline struct dram_place dram_place(const struct dram_config *config, uint64_t line)
{
	unsigned ranks = config->ranks, bits = config->rank_bits, bank, slot;
	uint64_t row, fold;

	if (__builtin_expect(config->banks == DRAM_BANKS, 1)) {
		bank = (line & 1) << 2 | (line >> (1 + DRAM_COLUMNS) & 1) << 3 | (line >> (2 + DRAM_COLUMNS) & 3);
		row = line >> (4 + DRAM_COLUMNS);
	} else {
		bank = line >> DRAM_COLUMNS & 7;
		row = line >> (3 + DRAM_COLUMNS);
	}
	if (__builtin_expect(ranks != 1u << bits, 0)) {
		slot = (unsigned)(row % ranks);
		row /= ranks;
		fold = row ^ row >> 4 ^ row >> 8;
	} else {
		slot = (unsigned)row;
		row >>= bits;
		fold = row >> (4 + bits);
		fold = row ^ fold ^ fold >> (4 + bits);
		slot = (slot ^ (unsigned)(fold >> 4)) & (ranks - 1);
	}
	return (struct dram_place){
		.row = (uint32_t)row,
		.bank = (uint8_t)(slot * DRAM_BANKS + (bank ^ ((unsigned)fold & (config->banks - 1u)))),
	};
}

#endif
