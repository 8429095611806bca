/* SPDX-License-Identifier: BSD-2-Clause */
/* A place for a row between those that a bank had open. */
#include "uncore/imc/past.h"

#include "uncore/imc/act.h"

/* Remember a row after row i; i is -1 for before all, which a full memory forgets. */
static void insert(struct imc *c, unsigned bank, int i, const struct imc_past *row)
{
	struct imc_bank *b = &c->bank[bank];

	if (b->past == IMC_PAST && i < 0)
		return;
	if (b->past == IMC_PAST) {
		b->past0++;
		i--;
	} else {
		b->past++;
	}
	for (int k = b->past - 1; k > i + 1; k--)
		*imc_past_of(c, bank, k) = *imc_past_of(c, bank, k - 1);
	*imc_past_of(c, bank, i + 1) = *row;
}

/* What is looked for, and between which rows: prev is NULL before the first. */
struct place {
	struct dram_place p;
	unsigned bank;
	enum imc_who who;
	uint64_t at, use, open;		/* CAS to PRE, ACT to PRE: at least */
	struct imc_past *prev;
	int i;				/* of prev */
	uint64_t next_start, next_act;
};

/* When the row can be closed that takes its CAS from `cas` on. */
static uint64_t hold(struct imc *c, const struct place *f, uint64_t cas)
{
	return imc_cas_slot(c, f->p, cas, f->who == IMC_WHO_WR) + f->use;
}

/* prev is the row wanted and can take another CAS. */
static uint64_t hit(struct imc *c, const struct place *f)
{
	uint64_t end = f->prev->close < f->next_start ? f->prev->close : f->next_start;
	uint64_t cas = imc_max(f->at, imc_past_act(f->prev) + c->cfg.dram.t.rcd);

	uint64_t until;

	if (f->prev->row != f->p.row || cas + f->use > end)
		return 0;
	until = hold(c, f, cas);
	if (until > end)
		return 0;
	f->prev->hold = imc_max(f->prev->hold, until);
	return cas;
}

/* Close prev early; the PRE for the next row closes this one instead. */
static uint64_t miss(struct imc *c, const struct place *f, const bool observed)
{
	static const uint64_t flag[] = { IMC_PRE_RD, IMC_PRE_WR, IMC_PRE_BYP };
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t pre = imc_max(f->at, f->prev->hold), act, until;

	if (pre + t->rp + f->open > f->next_start)
		return 0;
	pre = imc_command_slot(c, pre);
	act = imc_act_slot(c, f->p, pre + t->rp);
	until = imc_max(act + t->ras, hold(c, f, act + t->rcd));
	if (until > f->next_start)
		return 0;
	imc_precharge(c, pre, IMC_PRE_PAGE_MISS | flag[f->who], observed);
	imc_activate(c, f->p, act, f->who, observed);
	insert(c, f->bank, f->i,
	       &(struct imc_past){ .start = pre,
				   .hold = until,
				   .close = IMC_NEVER,
				   .row = f->p.row,
				   .act = (uint32_t)(act - pre) });
	return act + t->rcd;
}

/* The bank is closed from `from` on until the next row is opened. */
static uint64_t empty(struct imc *c, const struct place *f, uint64_t from, const bool observed)
{
	const struct imc_rank *r = &c->rank[f->p.bank / DRAM_BANKS];
	const struct dram_timing *t = &c->cfg.dram.t;
	uint64_t act, pre, until;

	if (from < r->fresh && from + f->open + t->rp > r->barred)
		from = r->fresh;
	if (from + f->open + t->rp > f->next_act)
		return 0;
	act = imc_act_slot(c, f->p, from);
	until = imc_max(act + t->ras, hold(c, f, act + t->rcd));
	pre = imc_command_slot(c, until);
	if (pre + t->rp > f->next_act)
		return 0;
	imc_activate(c, f->p, act, f->who, observed);
	pre = imc_precharge(c, pre, IMC_PRE_PAGE_CLOSE, observed);
	insert(c, f->bank, f->i, &(struct imc_past){ .start = act, .hold = until, .close = pre, .row = f->p.row });
	return act + t->rcd;
}

/*
 * No place is whole, but from now to the row that is open last the bank has enough time
 * in pieces: had this request come in time, the others would have moved together.  They
 * stay where they are, it is served when the row that is open now can be closed.
 */
static uint64_t squeeze(struct imc *c, struct place *f, int now, const bool observed)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	const struct imc_bank *b = &c->bank[f->bank];
	uint64_t from = f->at, need = f->open + t->rp;

	if (f->at + IMC_LATE >= c->read.newest || b->row == IMC_CLOSED || now < 0)
		return 0;
	from = imc_max(from, imc_past_of(c, f->bank, now)->hold);
	for (int i = now + 1; i < b->past; i++)
		need += imc_past_of(c, f->bank, i)->hold - imc_past_act(imc_past_of(c, f->bank, i)) + t->rp;
	if (from + need > b->act)
		return 0;
	f->prev = imc_past_of(c, f->bank, now);
	f->i = now;
	f->next_start = IMC_NEVER;
	return miss(c, f, observed);
}

UNCORE_COLD uint64_t imc_past_find(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
				   struct imc_found *found, const bool observed)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	unsigned bank = p.bank;
	struct imc_bank *b = &c->bank[bank];
	struct place f = { .p = p, .bank = bank, .who = who, .at = at, .i = b->past - 1 };
	uint64_t cas = 0;
	int now;

	f.use = who == IMC_WHO_WR ? t->cwl + (uint64_t)DRAM_BURST + t->wr : t->rtp;
	f.open = imc_max(t->ras, t->rcd + f.use);
	while (f.i >= 0 && imc_past_act(imc_past_of(c, bank, f.i)) > at)
		f.i--;
	now = f.i;
	for (; !cas && f.i < b->past; f.i++) {
		bool last = f.i + 1 == b->past;

		if (last && b->row == IMC_CLOSED)
			break;
		f.prev = f.i >= 0 ? imc_past_of(c, bank, f.i) : NULL;
		f.next_start = last ? b->start : imc_past_of(c, bank, f.i + 1)->start;
		f.next_act = last ? b->act : imc_past_act(imc_past_of(c, bank, f.i + 1));
		if (f.prev && (cas = hit(c, &f)) != 0)
			imc_note_first(found, IMC_HIT, observed);
		else if (f.prev && f.prev->close == IMC_NEVER && (cas = miss(c, &f, observed)) != 0)
			imc_note_first(found, IMC_MISS, observed);
		else if (f.prev && f.prev->close != IMC_NEVER &&
			 (cas = empty(c, &f, imc_max(at, f.prev->close + t->rp), observed)) != 0)
			imc_note_first(found, IMC_EMPTY, observed);
		else if (!f.prev && b->past < IMC_PAST && (cas = empty(c, &f, at, observed)) != 0)
			imc_note_first(found, IMC_EMPTY, observed);
	}
	if (!cas && (cas = squeeze(c, &f, now, observed)) != 0)
		imc_note_first(found, IMC_MISS, observed);
	return cas;
}
