/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a memory channel activates and precharges: the command bus, and what lies between the ACTs of a rank
 * (tRRD within and between bank groups, four within tFAW).
 */
#include "uncore/imc/inside.h"

/* An ACT or a PRE takes the first clock of the command bus from `at` on. */
IMC_HOT uint64_t take_command(struct imc *c, uint64_t at)
{
	at = imc_bus_claim(&c->command, at);
	c->command_last = imc_max(c->command_last, at);
	return at;
}

IMC_HOT uint64_t imc_precharge(struct imc *c, uint64_t at, uint64_t flags)
{
	at = take_command(c, at);
	imc_pulse(c, SIG_IMC_PRE, at, flags);
	imc_tell_command(c, at, IMC_COMMAND_PRE);
	return at;
}

/* Are at least four bits set? */
static bool four(uint64_t bits)
{
	for (unsigned i = 0; i < 3; i++)
		bits &= bits - 1;
	return bits;
}

/* Does an ACT at `at` make five within tFAW?  Then by how many clocks it has to come later, else 0. */
static __attribute__((noinline)) unsigned five(const struct imc *c, const struct imc_bus *acts, uint64_t at)
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
static inline uint64_t no_act(const struct imc *c, const struct imc_bus *acts, uint64_t at)
{
	uint64_t back = c->cfg.dram.t.rrd_s - 1u;
	uint64_t near = at < back ? imc_bus_look(acts, 0) << (back - at) : imc_bus_look(acts, at - back);

	near |= near >> c->spread[0];
	near |= near >> c->spread[1];
	near |= near >> c->spread[2];
	return near | near >> c->spread[3];
}

/* Slow path of act_from(), among ACTs that are booked; the bank group has had its last `rrd` before `next`. */
static __attribute__((noinline)) uint64_t act_search(const struct imc *c, const struct imc_rank *r, uint64_t next,
						     uint64_t at)
{
	uint64_t rrd = c->cfg.dram.t.rrd_l;

	for (;;) {
		uint64_t free = ~(no_act(c, &r->acts, at) | imc_bus_look(&c->command, at)) & bits_low(32);
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
		later = c->faw ? five(c, &r->acts, at) : 0;
		if (!later)
			return at;
		at += later;
	}
}

static inline uint64_t act_from(const struct imc *c, struct dram_place p, uint64_t at)
{
	const struct imc_rank *r = &c->rank[p.bank / DRAM_BANKS];
	uint64_t next = c->group_act[p.bank / DRAM_GROUP_BANKS];

	if (__builtin_expect(at < r->act_run, 0) || (c->faw && at < r->act_faw))
		return act_search(c, r, next, at);
	return imc_max(imc_max(at, r->act_next), next);
}

static inline uint64_t imc_act_slot(const struct imc *c, struct dram_place p, uint64_t at)
{
	return command_slot(c, act_from(c, p, at));
}

/* Returns when: at or after `at`, which is as imc_act_slot() has it but for the command bus. */
IMC_HOT uint64_t imc_activate(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who)
{
	static const uint64_t flag[] = { IMC_ACT_RD, IMC_ACT_WR, IMC_ACT_BYP };
	const struct dram_timing *t = &c->cfg.dram.t;
	struct imc_rank *r = &c->rank[p.bank / DRAM_BANKS];

	at = take_command(c, at);
	if (at >= r->act_next) {
		if (at - r->act_next >= t->rrd_s)
			r->act_run = at;
		r->act_next = at + t->rrd_s;
		r->act_faw = at + t->faw;
	}
	imc_bus_take(&r->acts, at);
	c->group_act[p.bank / DRAM_GROUP_BANKS] = at + t->rrd_l;
	imc_pulse(c, SIG_IMC_ACT, at, flag[who]);
	imc_tell_command(c, at, IMC_COMMAND_ACT);
	return at;
}
