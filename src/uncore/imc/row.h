/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening the row that a request needs. */
#ifndef BXS_UNCORE_IMC_ROW_H
#define BXS_UNCORE_IMC_ROW_H

#include "uncore/imc/act.h"
#include "uncore/imc/rank.h"

/* Open p's row behind all that its bank has done, in a rank that is ready at `at`. */
UNCORE_INLINE uint64_t imc_open_behind(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
				   struct imc_found *found, const bool observed)
{
	static const uint64_t flag[] = { IMC_PRE_RD, IMC_PRE_WR, IMC_PRE_BYP };
	const struct dram_timing *t = &c->cfg.dram.t;
	struct imc_rank *r = &c->rank[p.bank / DRAM_BANKS];
	struct imc_bank *b = &c->bank[p.bank];
	uint64_t start = 0, act;

	at = imc_max(at, r->fresh);
	imc_note_first(found, IMC_EMPTY, observed);
	if (b->row != IMC_CLOSED) {
		uint64_t pre = imc_page_timer(c, b), close = pre;

		if (pre < at) {
			imc_tell_timer(c, pre, observed);
		} else if (b->row == p.row) {
			imc_note_first(found, IMC_HIT, observed);
			return imc_max(at, b->act + t->rcd);
		} else {
			start = pre = imc_precharge(c, imc_max(at, b->pre), IMC_PRE_PAGE_MISS | flag[who], observed);
			close = IMC_NEVER;
			imc_note_first(found, IMC_MISS, observed);
		}
		imc_past_keep(c, b, close);
		b->ready = pre + t->rp;
	}
	act = imc_activate(c, p, imc_act_from(c, p, imc_max(at, b->ready)), who, observed);
	b->start = start ? start : act;
	b->act = act;
	b->pre = act + t->ras;
	b->used = act;
	b->row = p.row;
	r->open |= imc_row_bit(p.bank);
	return act + t->rcd;
}

/* Slow path of imc_row_open(): the row is closed, another is open, or this one will be; or the rank has to do something
 * first. */
uint64_t imc_change_row_batched(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who, struct imc_found *found);
uint64_t imc_change_row_observed(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
			     struct imc_found *found);

UNCORE_INLINE uint64_t imc_change_row(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
				  struct imc_found *found, const bool observed)
{
	return observed ? imc_change_row_observed(c, p, at, who, found) : imc_change_row_batched(c, p, at, who, found);
}

UNCORE_INLINE uint64_t imc_row_open(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
				    struct imc_found *found, const bool observed)
{
	const struct imc_bank *b = &c->bank[p.bank];

	/* A row that is about to be opened is as good as open, but for who comes late and may have found it open
	 * before. */
	if (b->row != p.row || at > b->used + c->cfg.idle_close || at >= c->rank[p.bank / DRAM_BANKS].calm ||
	    (at < b->act && at + IMC_LATE < c->read.newest))
		return imc_change_row(c, p, at, who, found, observed);
	imc_note_first(found, IMC_HIT, observed);
	return imc_max(at, b->act + c->cfg.dram.t.rcd);
}

/* The same for a write, whose row is hardly ever open, and which goes behind all that others have booked. */
UNCORE_INLINE uint64_t imc_row_written(struct imc *c, struct dram_place p, uint64_t at, struct imc_found *found,
				       const bool observed)
{
	at = imc_rank_ready(c, p.bank / DRAM_BANKS, imc_max(at, c->bank[p.bank].act), observed);
	return imc_open_behind(c, p, at, IMC_WHO_WR, found, observed);
}

#endif
