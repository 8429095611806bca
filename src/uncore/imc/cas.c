/* SPDX-License-Identifier: BSD-2-Clause */
/* A place for a burst among those that are booked. */
#include "uncore/imc/cas.h"

/*
 * Can a burst of group `who` start at `data`, where four clocks are free?  Bit i of near: one starts at data - c->bus.near + i,
 * or the bus is closed there.
 */
static bool keeps_off(const struct imc *c, unsigned who, uint64_t data, uint64_t near)
{
	for (; near; near &= near - 1) {
		unsigned i = (unsigned)__builtin_ctzll(near), gap = i < c->bus.near ? c->bus.near - i : i - c->bus.near;
		uint64_t start = data - c->bus.near + i, other = c->bus.cell[start / 4 % IMC_CELLS];

		if (other >> 8 == start && gap < c->bus.apart[(who ^ other) % LEN(c->bus.apart)])
			return false;
	}
	return true;
}

/* The first place at or after `data`, among what is booked. */
static uint64_t burst_place(const struct imc *c, unsigned who, uint64_t data, unsigned lead)
{
	unsigned near = c->bus.near, width = 64 - 2 * near;

	for (;; data += width) {
		uint64_t starts = imc_bus_look(&c->bus.starts, data - near), taken = starts >> (near - 3);

		taken |= taken >> 1;
		taken |= taken >> 2;
		taken |= taken >> 3;	/* bit i: some burst starts at most three clocks from data + i */
		for (uint64_t left = ~taken & bits_low(width); left; left &= left - 1) {
			unsigned i = (unsigned)__builtin_ctzll(left);

			if (keeps_off(c, who, data + i, starts >> i & bits_low(2 * near + 1)) &&
			    imc_bus_free(&c->bus.command, data + i - lead))
				return data + i;
		}
	}
}

UNCORE_COLD uint64_t imc_burst_search(struct imc *c, unsigned who, uint64_t data, unsigned lead)
{
	struct imc_tried *tried = &c->bus.tried[lead == c->cfg.dram.t.cl][who];
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

void imc_close_bus(struct imc *c, uint64_t from, uint64_t to)
{
	uint64_t last = to - DRAM_BURST;

	for (uint64_t at = from, end; at <= last; at = end) {
		end = (at / 64 + 1) * 64 + from % 4;
		imc_bus_set(&c->bus.starts, at / 64,
			    UINT64_C(0x1111111111111111) << at % 64 & bits_low(last / 64 == at / 64 ? last % 64 + 1 : 64));
	}
	imc_bus_take(&c->bus.starts, last);
	c->bus.from[0] = c->bus.from[1] = imc_max(c->bus.from[0], to);
	if (c->bus.run > from)
		c->bus.run = from;
}
