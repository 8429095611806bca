/* SPDX-License-Identifier: BSD-2-Clause */
/* Column commands: a burst on the data bus and its place among commands. */
#include "uncore/imc/inside.h"

/* The first clock at or after `at` in which the command bus is free. */
static inline uint64_t command_slot(const struct imc *c, uint64_t at)
{
	return imc_bus_one(&c->command, at);
}

/*
 * Can a burst of group `who` start at `data`, where four clocks are free?  Bit i of near: one starts at data - c->near + i,
 * or the bus is closed there.
 */
static bool keeps_off(const struct imc *c, unsigned who, uint64_t data, uint64_t near)
{
	for (; near; near &= near - 1) {
		unsigned i = (unsigned)__builtin_ctzll(near), gap = i < c->near ? c->near - i : i - c->near;
		uint64_t start = data - c->near + i, other = c->cell[start / 4 % IMC_CELLS];

		if (other >> 8 == start && gap < c->apart[(who ^ other) % LEN(c->apart)])
			return false;
	}
	return true;
}

/* The first place at or after `data`, among what is booked. */
static uint64_t burst_place(const struct imc *c, unsigned who, uint64_t data, unsigned lead)
{
	unsigned near = c->near, width = 64 - 2 * near;

	for (;; data += width) {
		uint64_t starts = imc_bus_look(&c->starts, data - near), taken = starts >> (near - 3);

		taken |= taken >> 1;
		taken |= taken >> 2;
		taken |= taken >> 3;	/* bit i: some burst starts at most three clocks from data + i */
		for (uint64_t left = ~taken & bits_low(width); left; left &= left - 1) {
			unsigned i = (unsigned)__builtin_ctzll(left);

			if (keeps_off(c, who, data + i, starts >> i & bits_low(2 * near + 1)) &&
			    imc_bus_free(&c->command, data + i - lead))
				return data + i;
		}
	}
}

/* Slow path of burst_slot().  Where reads of a bank group, or writes, once found no place they never will: nothing booked
 * is given back. */
static __attribute__((noinline)) uint64_t burst_search(struct imc *c, unsigned who, uint64_t data, unsigned lead)
{
	struct imc_tried *tried = &c->tried[lead == c->cfg.dram.t.cl][who];
	uint64_t found;

	if (data >= tried->from && data < tried->to) {
		tried->to = found = burst_place(c, who, tried->to, lead);
		return found;
	}
	found = burst_place(c, who, data, lead);
	if (found - data > tried->to - tried->from || data >= tried->to)
		*tried = (struct imc_tried){ data, found };
	return found;
}

/*
 * The first start at or after `data` of a burst that keeps off others, by tCCD_L if they are of its bank group and by
 * a gap if they are of another rank, and whose CAS, `lead` clocks earlier, finds the command bus free.
 */
IMC_HOT uint64_t burst_slot(struct imc *c, struct dram_place p, uint64_t data, unsigned lead)
{
	unsigned who = p.bank / DRAM_GROUP_BANKS;

	if (__builtin_expect(data < c->run, 0))
		return burst_search(c, who, data, lead);
	data = imc_max(data, c->bus_from[(who ^ c->busy_who) >> 2 != 0]);
	data = imc_max(data, c->group_data[who]);
	if (__builtin_expect(data - lead <= c->command_last, 0))
		return imc_bus_one(&c->command, data - lead) + lead;
	return data;
}

static uint64_t imc_cas_slot(struct imc *c, struct dram_place p, uint64_t at, bool write)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	if (write)
		return burst_slot(c, p, imc_max(at + t->cwl, c->block_bus), t->cwl) - t->cwl;
	return burst_slot(c, p, at + t->cl, t->cl) - t->cl;
}

/*
 * Nobody else gets the data bus until `to`; no burst that begins before `from` is touched.  It is booked as if bursts
 * followed each other all the time.
 */
static void close_bus(struct imc *c, uint64_t from, uint64_t to)
{
	uint64_t last = to - DRAM_BURST;

	for (uint64_t at = from, end; at <= last; at = end) {
		end = (at / 64 + 1) * 64 + from % 4;
		imc_bus_set(&c->starts, at / 64,
			    UINT64_C(0x1111111111111111) << at % 64 & bits_low(last / 64 == at / 64 ? last % 64 + 1 : 64));
	}
	imc_bus_take(&c->starts, last);
	c->bus_from[0] = c->bus_from[1] = imc_max(c->bus_from[0], to);
	if (c->run > from)
		c->run = from;
}

/* Returns the CAS. */
IMC_HOT uint64_t book(struct imc *c, struct dram_place p, uint64_t data, unsigned lead, unsigned hold,
		      enum imc_lump kind, uint64_t flags)
{
	struct imc_bank *b = &c->bank[p.bank];
	uint64_t cas = data - lead, *cell = &c->cell[data / 4 % IMC_CELLS];
	unsigned who = p.bank / DRAM_GROUP_BANKS;
	uint64_t burst = data << 8 | who | (kind == IMC_LUMP_WR ? IMC_CELL_WRITE : 0);

	if (__builtin_expect(data >= c->bus_from[0], 1)) {
		c->run = data - c->bus_from[0] >= DRAM_BURST ? data : c->run;
		c->bus_from[0] = c->busy = data + DRAM_BURST;
		c->bus_from[1] = c->busy + c->cfg.dram.t.rank;
		c->busy_who = (uint8_t)who;
		c->group_data[who] = data + c->cfg.dram.t.ccd_l;
		*cell = burst;
		b->used = cas;
	} else {
		c->group_data[who] = imc_max(c->group_data[who], data + c->cfg.dram.t.ccd_l);
		*cell = imc_max(*cell, burst);
		b->used = imc_max(b->used, cas);
	}
	imc_bus_take(&c->starts, data);
	imc_bus_take(&c->command, cas);
	b->pre = imc_max(b->pre, cas + hold);
	c->lumps[kind]++;
	if (IMC_TOLD && kind != IMC_LUMP_UNDERFILL)
		stays_leave(c->stays, kind == IMC_LUMP_WR ? STAYS_WRITES : STAYS_READS, c->port, imc_time(c, cas), 1);
	imc_pulse(c, SIG_IMC_CAS, cas,
		  flags | IMC_CAS_RANK0 << dram_rank_number(&c->cfg.dram, p.bank / DRAM_BANKS) |
			  IMC_CAS_BANK0 << p.bank % DRAM_BANKS);
	imc_tell_command(c, cas, kind == IMC_LUMP_WR ? IMC_COMMAND_CAS_WR : IMC_COMMAND_CAS_RD);
	return cas;
}

IMC_HOT uint64_t imc_cas_read(struct imc *c, struct dram_place p, uint64_t at, uint64_t bus, enum imc_lump kind,
			      uint64_t flags)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t data = burst_slot(c, p, imc_max(at + t->cl, bus), t->cl);

	return book(c, p, data, t->cl, t->rtp, kind, flags);
}

IMC_HOT uint64_t imc_cas_write(struct imc *c, struct dram_place p, uint64_t at, uint64_t bus, uint64_t flags)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t data = burst_slot(c, p, imc_max(at + t->cwl, bus), t->cwl);

	c->write_end = imc_max(c->write_end, data + DRAM_BURST);
	return book(c, p, data, t->cwl, t->cwl + DRAM_BURST + t->wr, IMC_LUMP_WR, flags);
}
