/* SPDX-License-Identifier: BSD-2-Clause */
/* Column commands: a burst on the data bus and its place on the command bus. */
#include "uncore/imc_core.h"

/*
 * The first data clock at or after `data` whose CAS, `lead` clocks earlier, obeys tCCD_L,
 * finds the command bus free, and whose burst keeps off the burst of another rank.
 */
static inline uint64_t burst_slot(const struct imc *c, const struct dram_place *p, uint64_t data,
			   unsigned lead)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	const struct imc_rank *r = &c->rank[p->slot];
	const struct imc_bus *group = &r->cas[p->bank >> 2];
	unsigned near = t->ccd_l - 1u;

	for (;;) {
		uint64_t cas, free, others = 0;

		if (data < c->busy_data)
			data = imc_bus_four(&c->data, data);
		if (p->slot != c->burst_slot && data < c->burst + DRAM_BURST + t->rank &&
		    c->burst < data + DRAM_BURST + t->rank) {
			data = c->burst + DRAM_BURST + t->rank;
			continue;
		}
		cas = data - lead;
		if (cas < r->busy_cas[p->bank >> 2] + near)
			others = imc_bus_look(group, cas - near) & c->cas_mask;
		if (others) {
			data += 63 - near - (unsigned)__builtin_clzll(others) + t->ccd_l;
			continue;
		}
		free = imc_bus_one(&c->command, cas);
		if (free == cas)
			return data;
		data = free + lead;
	}
}

static uint64_t imc_cas_slot(const struct imc *c, const struct dram_place *p, uint64_t at, bool write)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	if (write)
		return burst_slot(c, p, imc_max(at + t->cwl, c->block_bus), t->cwl) - t->cwl;
	return burst_slot(c, p, at + t->cl, t->cl) - t->cl;
}

/* Returns the CAS. */
static inline uint64_t book(struct imc *c, const struct dram_place *p, uint64_t data, unsigned lead,
		     unsigned hold, uint64_t flags)
{
	struct imc_rank *r = &c->rank[p->slot];
	struct imc_bank *b = &c->bank[p->slot * DRAM_BANKS + p->bank];
	uint64_t cas = data - lead, end = data + DRAM_BURST;

	imc_bus_take(&c->data, data, DRAM_BURST);
	imc_bus_take(&c->command, cas, 1);
	c->burst = data;
	c->burst_slot = p->slot;
	c->bursts++;
	imc_bus_take(&r->cas[p->bank >> 2], cas, 1);
	r->busy_cas[p->bank >> 2] = imc_max(r->busy_cas[p->bank >> 2], cas + 1);
	c->busy_data = imc_max(c->busy_data, end);
	r->busy = imc_max(r->busy, end);
	c->busy = imc_max(c->busy, end);
	b->used = imc_max(b->used, cas);
	b->pre = imc_max(b->pre, cas + hold);
	if (!IMC_TOLD)
		c->lumps[flags & IMC_CAS_WR ? IMC_LUMP_WR :
			 flags & IMC_CAS_RD_REG ? IMC_LUMP_RD : IMC_LUMP_UNDERFILL]++;
	imc_pulse(c, SIG_IMC_CAS, cas,
		  flags | IMC_CAS_RANK0 << p->rank | IMC_CAS_BANK0 << p->bank);
	imc_tell_command(c, cas, flags & IMC_CAS_WR ? IMC_COMMAND_CAS_WR : IMC_COMMAND_CAS_RD);
	return cas;
}

static inline uint64_t imc_cas_read(struct imc *c, const struct dram_place *p, uint64_t at, uint64_t bus,
		      uint64_t flags)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t data = burst_slot(c, p, imc_max(at + t->cl, bus), t->cl);

	c->read_end = imc_max(c->read_end, data + DRAM_BURST);
	return book(c, p, data, t->cl, t->rtp, flags);
}

static inline uint64_t imc_cas_write(struct imc *c, const struct dram_place *p, uint64_t at, uint64_t bus,
		       uint64_t flags)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t data = burst_slot(c, p, imc_max(at + t->cwl, bus), t->cwl);

	c->write_end = imc_max(c->write_end, data + DRAM_BURST);
	return book(c, p, data, t->cwl, t->cwl + DRAM_BURST + t->wr, flags);
}
