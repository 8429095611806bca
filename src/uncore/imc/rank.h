/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows and ranks of a memory channel: activate, precharge, refresh, power-down.  What
 * happens by itself (an idle page closes, an idle rank powers down or is refreshed) is
 * done late, when somebody next looks, at the time at which it was due.
 */
#ifndef BXS_UNCORE_IMC_RANK_H
#define BXS_UNCORE_IMC_RANK_H

#include "uncore/imc/past.h"

static inline struct imc_bank *imc_banks_of(struct imc *c, unsigned slot)
{
	return &c->bank[slot * DRAM_BANKS];
}

/* Of a bank in what its rank has open. */
static inline unsigned imc_row_bit(unsigned bank)
{
	return 1u << bank % DRAM_BANKS;
}

static inline void imc_close_row(struct imc *c, struct imc_rank *r, struct imc_bank *b, uint64_t pre)
{
	imc_past_keep(c, b, pre);
	b->row = IMC_CLOSED;
	b->ready = pre + c->cfg.dram.t.rp;
	r->open &= ~imc_row_bit((unsigned)(b - c->bank));
}

/* When the page timer of b's row runs out, unless somebody comes. */
static inline uint64_t imc_page_timer(const struct imc *c, const struct imc_bank *b)
{
	return imc_max(b->used + c->cfg.idle_close, b->pre);
}

UNCORE_INLINE void imc_tell_timer(struct imc *c, uint64_t pre, const bool observed)
{
	imc_pulse(c, SIG_IMC_PRE, pre, IMC_PRE_PAGE_CLOSE, observed);
	imc_tell_command(c, pre, IMC_COMMAND_PRE, observed);
}

/* b's row, unused until `at`, was closed when its timer ran out. */
UNCORE_INLINE void imc_expire(struct imc *c, struct imc_rank *r, struct imc_bank *b, uint64_t at, const bool observed)
{
	uint64_t pre = imc_page_timer(c, b);

	if (b->row == IMC_CLOSED || pre >= at)
		return;
	imc_tell_timer(c, pre, observed);
	imc_close_row(c, r, b, pre);
}

void imc_rank_expire(struct imc *c, unsigned slot, uint64_t at, const bool observed);

static inline uint64_t imc_rank_flag(const struct imc *c, unsigned slot)
{
	return IMC_CKE_RANK0 << dram_rank_number(&c->cfg.dram, slot);
}

/* End of the last thing that the rank did. */
static inline uint64_t imc_rank_busy(const struct imc *c, unsigned slot)
{
	const uint64_t *group = &c->bus.group_data[slot * DRAM_BANKS / DRAM_GROUP_BANKS];
	uint64_t next = 0, ccd = c->cfg.dram.t.ccd_l;

	for (unsigned i = 0; i < DRAM_BANKS / DRAM_GROUP_BANKS; i++)
		next = imc_max(next, group[i]);
	return imc_max(c->rank[slot].busy, next > ccd ? next - ccd + DRAM_BURST : 0);
}

/* From when on the rank has its clock disabled, if nothing comes. */
static inline uint64_t imc_rank_off(const struct imc *c, unsigned slot)
{
	return imc_rank_busy(c, slot) + c->cfg.idle_cke;
}

void imc_tell_cke(struct imc *c, unsigned slot, uint64_t to, const bool observed);

/* Between refreshes the rank sleeps, and wakes for nothing else. */
bool imc_rests(const struct imc *c, unsigned slot);

void imc_refresh_until(struct imc *c, unsigned slot, uint64_t at, const bool observed);

/* Slow path of imc_rank_ready(). */
uint64_t imc_make_ready(struct imc *c, unsigned slot, uint64_t at, const bool observed);

UNCORE_INLINE uint64_t imc_rank_ready(struct imc *c, unsigned slot, uint64_t at, const bool observed)
{
	const struct imc_rank *r = &c->rank[slot];

	if (__builtin_expect(at < r->calm && at >= r->fresh, 1))
		return at;
	return imc_make_ready(c, slot, at, observed);
}

#endif
