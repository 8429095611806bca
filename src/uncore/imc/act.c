/* SPDX-License-Identifier: BSD-2-Clause */
/* A clock for an ACT among those that are booked. */
#include "uncore/imc/act.h"

/* Are at least four bits set? */
static bool four(uint64_t bits)
{
	for (unsigned i = 0; i < 3; i++)
		bits &= bits - 1;
	return bits;
}

/* Does an ACT at `at` make five within tFAW?  Then by how many clocks it has to come later, else 0. */
static UNCORE_COLD unsigned five(const struct imc *c, const struct imc_bus *acts, uint64_t at)
{
	unsigned faw = c->cfg.dram.t.faw, here = at < faw ? (unsigned)at : faw - 1u;
	uint64_t near = imc_bus_look(acts, at - here), before = near & bits_low(here), after = near >> here & bits_low(faw);

	if (four(before)) {
		while (four(before & (before - 1)))
			before &= before - 1;
		return (unsigned)__builtin_ctzll(before) + faw - here;
	}
	return four(after) ? (unsigned)__builtin_ctzll(after) + 1 : 0;
}

/* Bit i: some ACT is so near to clock at + i that tRRD_S allows no other; of the first 64 - 2 * tRRD_S clocks. */
static uint64_t no_act(const struct imc *c, const struct imc_bus *acts, uint64_t at)
{
	uint64_t back = c->cfg.dram.t.rrd_s - 1u;
	uint64_t near = at < back ? imc_bus_look(acts, 0) << (back - at) : imc_bus_look(acts, at - back);

	near |= near >> c->bus.spread[0];
	near |= near >> c->bus.spread[1];
	near |= near >> c->bus.spread[2];
	return near | near >> c->bus.spread[3];
}

UNCORE_COLD uint64_t imc_act_search(const struct imc *c, const struct imc_rank *r, uint64_t next, uint64_t at)
{
	uint64_t rrd = c->cfg.dram.t.rrd_l;

	for (;;) {
		uint64_t free = ~(no_act(c, &r->acts, at) | imc_bus_look(&c->bus.command, at)) & bits_low(32);
		unsigned later;

		if (!free) {
			at += 32;
			continue;
		}
		at += (unsigned)__builtin_ctzll(free);
		if (at < next && next < at + 2 * rrd) {
			at = next;
			continue;
		}
		later = c->bus.faw ? five(c, &r->acts, at) : 0;
		if (!later)
			return at;
		at += later;
	}
}
