/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a memory channel activates and precharges: the command bus, and what lies between the ACTs of a rank
 * (tRRD within and between bank groups, four within tFAW).
 */
#ifndef BXS_UNCORE_IMC_ACT_H
#define BXS_UNCORE_IMC_ACT_H

#include "uncore/imc/cas.h"

/* An ACT or a PRE takes the first clock of the command bus from `at` on. */
UNCORE_INLINE uint64_t imc_take_command(struct imc *c, uint64_t at)
{
	at = imc_bus_claim(&c->bus.command, at);
	c->bus.command_last = imc_max(c->bus.command_last, at);
	return at;
}

UNCORE_INLINE uint64_t imc_precharge(struct imc *c, uint64_t at, uint64_t flags, const bool observed)
{
	at = imc_take_command(c, at);
	imc_pulse(c, SIG_IMC_PRE, at, flags, observed);
	imc_tell_command(c, at, IMC_COMMAND_PRE, observed);
	return at;
}

/* Slow path of imc_act_from(), among ACTs that are booked; the bank group has had its last `rrd` before `next`. */
uint64_t imc_act_search(const struct imc *c, const struct imc_rank *r, uint64_t next, uint64_t at);

static inline uint64_t imc_act_from(const struct imc *c, struct dram_place p, uint64_t at)
{
	const struct imc_rank *r = &c->rank[p.bank / DRAM_BANKS];
	uint64_t next = c->bus.group_act[p.bank / DRAM_GROUP_BANKS];

	if (__builtin_expect(at < r->act_run, 0) || (c->bus.faw && at < r->act_faw))
		return imc_act_search(c, r, next, at);
	return imc_max(imc_max(at, r->act_next), next);
}

static inline uint64_t imc_act_slot(const struct imc *c, struct dram_place p, uint64_t at)
{
	return imc_command_slot(c, imc_act_from(c, p, at));
}

/* Returns when: at or after `at`, which is as imc_act_slot() has it but for the command bus. */
UNCORE_INLINE uint64_t imc_activate(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
				    const bool observed)
{
	static const uint64_t flag[] = { IMC_ACT_RD, IMC_ACT_WR, IMC_ACT_BYP };
	const struct dram_timing *t = &c->cfg.dram.t;
	struct imc_rank *r = &c->rank[p.bank / DRAM_BANKS];

	at = imc_take_command(c, at);
	if (at >= r->act_next) {
		if (at - r->act_next >= t->rrd_s)
			r->act_run = at;
		r->act_next = at + t->rrd_s;
		r->act_faw = at + t->faw;
	}
	imc_bus_take(&r->acts, at);
	c->bus.group_act[p.bank / DRAM_GROUP_BANKS] = at + t->rrd_l;
	imc_pulse(c, SIG_IMC_ACT, at, flag[who], observed);
	imc_tell_command(c, at, IMC_COMMAND_ACT, observed);
	return at;
}

#endif
