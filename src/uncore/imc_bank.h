/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows and ranks of a memory channel: activate, precharge, refresh, power-down.  What
 * happens by itself (an idle page closes, an idle rank powers down or is refreshed) is
 * done late, when somebody next looks, at the time at which it was due.
 */
#include "uncore/imc/inside.h"

static struct imc_bank *banks_of(struct imc *c, unsigned slot)
{
	return &c->bank[slot * DRAM_BANKS];
}

/* Of a bank in what its rank has open. */
static inline unsigned row_bit(unsigned bank)
{
	return 1u << bank % DRAM_BANKS;
}

static inline void close_row(struct imc *c, struct imc_rank *r, struct imc_bank *b, uint64_t pre)
{
	imc_past_keep(c, b, pre);
	b->row = IMC_CLOSED;
	b->ready = pre + c->cfg.dram.t.rp;
	r->open &= ~row_bit((unsigned)(b - c->bank));
}

/* When the page timer of b's row runs out, unless somebody comes. */
static inline uint64_t timer(const struct imc *c, const struct imc_bank *b)
{
	return imc_max(b->used + c->cfg.idle_close, b->pre);
}

static inline void tell_timer(struct imc *c, uint64_t pre)
{
	imc_pulse(c, SIG_IMC_PRE, pre, IMC_PRE_PAGE_CLOSE);
	imc_tell_command(c, pre, IMC_COMMAND_PRE);
}

/* b's row, unused until `at`, was closed when its timer ran out. */
static void expire(struct imc *c, struct imc_rank *r, struct imc_bank *b, uint64_t at)
{
	uint64_t pre = timer(c, b);

	if (b->row == IMC_CLOSED || pre >= at)
		return;
	tell_timer(c, pre);
	close_row(c, r, b, pre);
}

static void rank_expire(struct imc *c, unsigned slot, uint64_t at)
{
	struct imc_rank *r = &c->rank[slot];

	for (unsigned left = r->open; left; left &= left - 1)
		expire(c, r, &banks_of(c, slot)[__builtin_ctz(left)], at);
}

static uint64_t rank_flag(const struct imc *c, unsigned slot)
{
	return IMC_CKE_RANK0 << dram_rank_number(&c->cfg.dram, slot);
}

/* End of the last thing that the rank did. */
static uint64_t rank_busy(const struct imc *c, unsigned slot)
{
	const uint64_t *group = &c->group_data[slot * DRAM_BANKS / DRAM_GROUP_BANKS];
	uint64_t next = 0, ccd = c->cfg.dram.t.ccd_l;

	for (unsigned i = 0; i < DRAM_BANKS / DRAM_GROUP_BANKS; i++)
		next = imc_max(next, group[i]);
	return imc_max(c->rank[slot].busy, next > ccd ? next - ccd + DRAM_BURST : 0);
}

/* From when on the rank has its clock disabled, if nothing comes. */
static uint64_t rank_off(const struct imc *c, unsigned slot)
{
	return rank_busy(c, slot) + c->cfg.idle_cke;
}

static void tell_cke(struct imc *c, unsigned slot, uint64_t to)
{
	struct imc_rank *r = &c->rank[slot];

	imc_state(c, SIG_IMC_CKE, r->cke, to, rank_flag(c, slot));
	r->cke = imc_max(r->cke, to);
}

/* A command for the rank at `at`: returns when its clock has been enabled. */
static uint64_t wake(struct imc *c, unsigned slot, uint64_t at)
{
	struct imc_rank *r = &c->rank[slot];
	uint64_t off = rank_off(c, slot);

	if (at <= off)
		return at;
	rank_expire(c, slot, at);
	tell_cke(c, slot, off);
	imc_slept(c, r, off, at);
	r->cke = at;
	r->busy = at + c->cfg.dram.t.xp;
	return r->busy;
}

static void refresh(struct imc *c, unsigned slot, uint64_t at, uint64_t why)
{
	struct imc_rank *r = &c->rank[slot];
	const struct dram_timing *t = &c->cfg.dram.t;

	at = wake(c, slot, at);
	rank_expire(c, slot, at);
	for (unsigned i = 0; i < DRAM_BANKS; i++) {
		const struct imc_bank *b = &banks_of(c, slot)[i];
		uint64_t pre = b->pre, ready = b->ready;

		at = imc_max(at, r->open >> i & 1 ? pre : ready);
	}
	r->barred = at;
	if (r->open) {
		imc_pulse(c, SIG_IMC_PRE_ALL, at, 0);
		imc_tell_command(c, at, IMC_COMMAND_PRE_ALL);
		for (unsigned left = r->open; left; left &= left - 1)
			close_row(c, r, &banks_of(c, slot)[__builtin_ctz(left)], at);
		at += t->rp;
	}
	imc_pulse(c, SIG_IMC_REFRESH, at, why);
	imc_tell_command(c, at, IMC_COMMAND_REFRESH);
	r->fresh = at + t->rfc;
	r->busy = r->fresh;
	r->due += t->refi;
}

/*
 * When the rank is refreshed next if no command comes before.  It owes refreshes as long as it is busy: idle
 * for a while it does the oldest, and from `defer` on it does so as soon as it has nothing booked.  This
 * depends on nothing but the rank's own past, so it may be found out late.  busy: rank_busy() of it.
 */
static uint64_t refresh_at(const struct imc *c, unsigned slot, uint64_t busy, uint64_t *why)
{
	const struct dram_config *d = &c->cfg.dram;
	uint64_t due = c->rank[slot].due;
	uint64_t idle = imc_max(due, busy + d->idle_refresh);
	uint64_t high = imc_max(due + (d->defer - 1u) * d->t.refi, busy);

	*why = idle <= high ? IMC_REFRESH_OPPORTUNISTIC : IMC_REFRESH_HIGH;
	return idle <= high ? idle : high;
}

/* Between refreshes the rank sleeps, and wakes for nothing else. */
static bool rests(const struct imc *c, unsigned slot)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	const struct imc_rank *r = &c->rank[slot];

	return !r->open && rank_off(c, slot) < r->due && t->xp + (uint64_t)t->rfc + c->cfg.idle_cke < t->refi;
}

static void refresh_until(struct imc *c, unsigned slot, uint64_t at)
{
	struct imc_rank *r = &c->rank[slot];
	uint64_t when, why;

	while ((when = refresh_at(c, slot, rank_busy(c, slot), &why)) <= at) {
		rank_expire(c, slot, when);
		/* All but the last of these leave nothing behind. */
		if (!IMC_TOLD && rests(c, slot))
			r->due = when = r->due + (at - r->due) / c->cfg.dram.t.refi * c->cfg.dram.t.refi;
		refresh(c, slot, when, why);
	}
}

/* The rank has slept or has to be refreshed before it takes a command at `at`. */
static __attribute__((noinline)) uint64_t rouse(struct imc *c, unsigned slot, uint64_t at)
{
	const struct dram_config *d = &c->cfg.dram;
	struct imc_rank *r = &c->rank[slot];

	refresh_until(c, slot, at);
	while (at >= r->due + (d->panic - 1u) * d->t.refi)
		refresh(c, slot, imc_max(rank_busy(c, slot), r->due + (d->panic - 1u) * d->t.refi),
			IMC_REFRESH_PANIC);
	/* Who comes late may still be in time before the refresh. */
	if (at >= r->barred && at < r->fresh) {
		imc_pulse(c, SIG_IMC_REFRESH_WAIT, at, 0);
		at = r->fresh;
	}
	return wake(c, slot, at);
}

/* When something happens to the rank by itself if no command comes before; what it does can only put that off. */
static uint64_t rank_calm(const struct imc *c, unsigned slot)
{
	uint64_t busy = rank_busy(c, slot), off = busy + c->cfg.idle_cke, why, next = refresh_at(c, slot, busy, &why);

	return next < off ? next : off;
}

/* Slow path of imc_rank_ready(). */
static __attribute__((noinline)) uint64_t make_ready(struct imc *c, unsigned slot, uint64_t at)
{
	const struct dram_config *d = &c->cfg.dram;
	struct imc_rank *r = &c->rank[slot];
	uint64_t edge = IMC_NEVER;

	if (c->spells)
		at = imc_allowed(c, slot, at, &edge);
	r->calm = rank_calm(c, slot);
	if (at >= r->calm || at >= r->due + (d->panic - 1u) * d->t.refi || (at >= r->barred && at < r->fresh)) {
		at = rouse(c, slot, at);
		r->calm = rank_calm(c, slot);
	}
	if (edge < r->calm)
		r->calm = edge;
	return at;
}

IMC_HOT uint64_t imc_rank_ready(struct imc *c, unsigned slot, uint64_t at)
{
	const struct imc_rank *r = &c->rank[slot];

	if (__builtin_expect(at < r->calm && at >= r->fresh, 1))
		return at;
	return make_ready(c, slot, at);
}

/* Open p's row behind all that its bank has done, in a rank that is ready at `at`. */
IMC_HOT uint64_t open_behind(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who, struct imc_found *found)
{
	static const uint64_t flag[] = { IMC_PRE_RD, IMC_PRE_WR, IMC_PRE_BYP };
	const struct dram_timing *t = &c->cfg.dram.t;
	struct imc_rank *r = &c->rank[p.bank / DRAM_BANKS];
	struct imc_bank *b = &c->bank[p.bank];
	uint64_t start = 0, act;

	at = imc_max(at, r->fresh);
	imc_note_first(found, IMC_EMPTY);
	if (b->row != IMC_CLOSED) {
		uint64_t pre = timer(c, b), close = pre;

		if (pre < at) {
			tell_timer(c, pre);
		} else if (b->row == p.row) {
			imc_note_first(found, IMC_HIT);
			return imc_max(at, b->act + t->rcd);
		} else {
			start = pre = imc_precharge(c, imc_max(at, b->pre), IMC_PRE_PAGE_MISS | flag[who]);
			close = IMC_NEVER;
			imc_note_first(found, IMC_MISS);
		}
		imc_past_keep(c, b, close);
		b->ready = pre + t->rp;
	}
	act = imc_activate(c, p, act_from(c, p, imc_max(at, b->ready)), who);
	b->start = start ? start : act;
	b->act = act;
	b->pre = act + t->ras;
	b->used = act;
	b->row = p.row;
	r->open |= row_bit(p.bank);
	return act + t->rcd;
}

/* Slow path of imc_row_open(): the row is closed, another is open, or this one will be; or the rank has to do something
 * first. */
static __attribute__((noinline)) uint64_t change_row(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who,
						     struct imc_found *found)
{
	uint64_t ready = imc_rank_ready(c, p.bank / DRAM_BANKS, at), cas;

	if (IMC_TOLD && ready != at) {
		found->woken = true;
		who = who == IMC_WHO_BYP ? IMC_WHO_RD : who;
	}
	if (__builtin_expect(ready < c->bank[p.bank].act, 0)) {
		cas = imc_past_find(c, p, ready, who, found);
		if (cas)
			return cas;
	}
	return open_behind(c, p, ready, who, found);
}

IMC_HOT uint64_t imc_row_open(struct imc *c, struct dram_place p, uint64_t at, enum imc_who who, struct imc_found *found)
{
	const struct imc_bank *b = &c->bank[p.bank];

	/* A row that is about to be opened is as good as open, but for who comes late and may have found it open before. */
	if (b->row != p.row || at > b->used + c->cfg.idle_close || at >= c->rank[p.bank / DRAM_BANKS].calm ||
	    (at < b->act && at + IMC_LATE < c->newest))
		return change_row(c, p, at, who, found);
	imc_note_first(found, IMC_HIT);
	return imc_max(at, b->act + c->cfg.dram.t.rcd);
}

/* The same for a write, whose row is hardly ever open, and which goes behind all that others have booked. */
IMC_HOT uint64_t imc_row_written(struct imc *c, struct dram_place p, uint64_t at, struct imc_found *found)
{
	at = imc_rank_ready(c, p.bank / DRAM_BANKS, imc_max(at, c->bank[p.bank].act));
	return open_behind(c, p, at, IMC_WHO_WR, found);
}
