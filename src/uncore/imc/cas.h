/* SPDX-License-Identifier: BSD-2-Clause */
/* Column commands: a burst on the data bus and its place among commands. */
#ifndef BXS_UNCORE_IMC_CAS_H
#define BXS_UNCORE_IMC_CAS_H

#include "uncore/imc/signals.h"

/* The first clock at or after `at` in which the command bus is free. */
static inline uint64_t imc_command_slot(const struct imc *c, uint64_t at)
{
	return imc_bus_one(&c->bus.command, at);
}

/* Slow path of imc_burst_slot().  Where reads of a bank group, or writes, once found no place they never will: nothing booked
 * is given back. */
uint64_t imc_burst_search(struct imc *c, unsigned who, uint64_t data, unsigned lead);

/*
 * The first start at or after `data` of a burst that keeps off others, by tCCD_L if they are of its bank group and by
 * a gap if they are of another rank, and whose CAS, `lead` clocks earlier, finds the command bus free.
 */
UNCORE_INLINE uint64_t imc_burst_slot(struct imc *c, struct dram_place p, uint64_t data, unsigned lead)
{
	unsigned who = p.bank / DRAM_GROUP_BANKS;

	if (__builtin_expect(data < c->bus.run, 0))
		return imc_burst_search(c, who, data, lead);
	data = imc_max(data, c->bus.from[(who ^ c->bus.busy_who) >> 2 != 0]);
	data = imc_max(data, c->bus.group_data[who]);
	if (__builtin_expect(data - lead <= c->bus.command_last, 0))
		return imc_bus_one(&c->bus.command, data - lead) + lead;
	return data;
}

static inline uint64_t imc_cas_slot(struct imc *c, struct dram_place p, uint64_t at, bool write)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	if (write)
		return imc_burst_slot(c, p, imc_max(at + t->cwl, c->write.block_bus), t->cwl) - t->cwl;
	return imc_burst_slot(c, p, at + t->cl, t->cl) - t->cl;
}

/*
 * Nobody else gets the data bus until `to`; no burst that begins before `from` is touched.  It is booked as if bursts
 * followed each other all the time.
 */
void imc_close_bus(struct imc *c, uint64_t from, uint64_t to);

/* Returns the CAS. */
UNCORE_INLINE uint64_t imc_book(struct imc *c, struct dram_place p, uint64_t data, unsigned lead, unsigned hold,
			    enum imc_lump kind, uint64_t flags, const bool observed)
{
	struct imc_bank *b = &c->bank[p.bank];
	uint64_t cas = data - lead, *cell = &c->bus.cell[data / 4 % IMC_CELLS];
	unsigned who = p.bank / DRAM_GROUP_BANKS;
	uint64_t burst = data << 8 | who | (kind == IMC_LUMP_WR ? IMC_CELL_WRITE : 0);

	if (__builtin_expect(data >= c->bus.from[0], 1)) {
		c->bus.run = data - c->bus.from[0] >= DRAM_BURST ? data : c->bus.run;
		c->bus.from[0] = c->bus.busy = data + DRAM_BURST;
		c->bus.from[1] = c->bus.busy + c->cfg.dram.t.rank;
		c->bus.busy_who = (uint8_t)who;
		c->bus.group_data[who] = data + c->cfg.dram.t.ccd_l;
		*cell = burst;
		b->used = cas;
	} else {
		c->bus.group_data[who] = imc_max(c->bus.group_data[who], data + c->cfg.dram.t.ccd_l);
		*cell = imc_max(*cell, burst);
		b->used = imc_max(b->used, cas);
	}
	imc_bus_take(&c->bus.starts, data);
	imc_bus_take(&c->bus.command, cas);
	b->pre = imc_max(b->pre, cas + hold);
	c->lumps[kind]++;
	if (observed && kind != IMC_LUMP_UNDERFILL)
		stays_leave(c->stays, kind == IMC_LUMP_WR ? STAYS_WRITES : STAYS_READS, c->port, imc_time(c, cas), 1);
	imc_pulse(c, SIG_IMC_CAS, cas,
		  flags | IMC_CAS_RANK0 << dram_rank_number(&c->cfg.dram, p.bank / DRAM_BANKS) |
			  IMC_CAS_BANK0 << p.bank % DRAM_BANKS,
		  observed);
	imc_tell_command(c, cas, kind == IMC_LUMP_WR ? IMC_COMMAND_CAS_WR : IMC_COMMAND_CAS_RD, observed);
	return cas;
}

UNCORE_INLINE uint64_t imc_cas_read(struct imc *c, struct dram_place p, uint64_t at, uint64_t bus, enum imc_lump kind,
				    uint64_t flags, const bool observed)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t data = imc_burst_slot(c, p, imc_max(at + t->cl, bus), t->cl);

	return imc_book(c, p, data, t->cl, t->rtp, kind, flags, observed);
}

UNCORE_INLINE uint64_t imc_cas_write(struct imc *c, struct dram_place p, uint64_t at, uint64_t bus, uint64_t flags,
				     const bool observed)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t data = imc_burst_slot(c, p, imc_max(at + t->cwl, bus), t->cwl);

	c->write.end = imc_max(c->write.end, data + DRAM_BURST);
	return imc_book(c, p, data, t->cwl, t->cwl + DRAM_BURST + t->wr, IMC_LUMP_WR, flags, observed);
}

#endif
