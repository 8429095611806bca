/* SPDX-License-Identifier: BSD-2-Clause */
/* What ranks do by themselves: page timers, refresh, power-down. */
#include "uncore/imc/rank.h"

#include "uncore/imc/dispatch.h"
#include "uncore/imc/hold.h"
#include "uncore/imc/rest.h"

void imc_rank_expire(struct imc *c, unsigned slot, uint64_t at, const bool observed)
{
	struct imc_rank *r = &c->rank[slot];

	for (unsigned left = r->open; left; left &= left - 1)
		imc_expire(c, r, &imc_banks_of(c, slot)[__builtin_ctz(left)], at, observed);
}

void imc_tell_cke(struct imc *c, unsigned slot, uint64_t to, const bool observed)
{
	struct imc_rank *r = &c->rank[slot];

	imc_state(c, SIG_IMC_CKE, r->cke, to, imc_rank_flag(c, slot), observed);
	r->cke = imc_max(r->cke, to);
}

/* A command for the rank at `at`: returns when its clock has been enabled. */
static uint64_t wake(struct imc *c, unsigned slot, uint64_t at, const bool observed)
{
	struct imc_rank *r = &c->rank[slot];
	uint64_t off = imc_rank_off(c, slot);

	if (at <= off)
		return at;
	imc_rank_expire(c, slot, at, observed);
	imc_tell_cke(c, slot, off, observed);
	imc_slept(c, r, off, at, observed);
	r->cke = at;
	r->busy = at + c->cfg.dram.t.xp;
	return r->busy;
}

static void refresh(struct imc *c, unsigned slot, uint64_t at, uint64_t why, const bool observed)
{
	struct imc_rank *r = &c->rank[slot];
	const struct dram_timing *t = &c->cfg.dram.t;

	at = wake(c, slot, at, observed);
	imc_rank_expire(c, slot, at, observed);
	for (unsigned i = 0; i < DRAM_BANKS; i++) {
		const struct imc_bank *b = &imc_banks_of(c, slot)[i];
		uint64_t pre = b->pre, ready = b->ready;

		at = imc_max(at, r->open >> i & 1 ? pre : ready);
	}
	r->barred = at;
	if (r->open) {
		imc_pulse(c, SIG_IMC_PRE_ALL, at, 0, observed);
		imc_tell_command(c, at, IMC_COMMAND_PRE_ALL, observed);
		for (unsigned left = r->open; left; left &= left - 1)
			imc_close_row(c, r, &imc_banks_of(c, slot)[__builtin_ctz(left)], at);
		at += t->rp;
	}
	imc_pulse(c, SIG_IMC_REFRESH, at, why, observed);
	imc_tell_command(c, at, IMC_COMMAND_REFRESH, observed);
	r->fresh = at + t->rfc;
	r->busy = r->fresh;
	r->due += t->refi;
}

/*
 * When the rank is refreshed next if no command comes before.  It owes refreshes as long as it is busy: idle
 * for a while it does the oldest, and from `defer` on it does so as soon as it has nothing booked.  This
 * depends on nothing but the rank's own past, so it may be found out late.  busy: imc_rank_busy() of it.
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

bool imc_rests(const struct imc *c, unsigned slot)
{
	const struct dram_timing *t = &c->cfg.dram.t;
	const struct imc_rank *r = &c->rank[slot];

	return !r->open && imc_rank_off(c, slot) < r->due && t->xp + (uint64_t)t->rfc + c->cfg.idle_cke < t->refi;
}

void imc_refresh_until(struct imc *c, unsigned slot, uint64_t at, const bool observed)
{
	struct imc_rank *r = &c->rank[slot];
	uint64_t when, why;

	while ((when = refresh_at(c, slot, imc_rank_busy(c, slot), &why)) <= at) {
		imc_rank_expire(c, slot, when, observed);
		/* All but the last of these leave nothing behind. */
		if (!observed && imc_rests(c, slot))
			r->due = when = r->due + (at - r->due) / c->cfg.dram.t.refi * c->cfg.dram.t.refi;
		refresh(c, slot, when, why, observed);
	}
}

/* The rank has slept or has to be refreshed before it takes a command at `at`. */
static UNCORE_COLD uint64_t rouse(struct imc *c, unsigned slot, uint64_t at, const bool observed)
{
	const struct dram_config *d = &c->cfg.dram;
	struct imc_rank *r = &c->rank[slot];

	imc_refresh_until(c, slot, at, observed);
	while (at >= r->due + (d->panic - 1u) * d->t.refi)
		refresh(c, slot, imc_max(imc_rank_busy(c, slot), r->due + (d->panic - 1u) * d->t.refi), IMC_REFRESH_PANIC,
			observed);
	/* Who comes late may still be in time before the refresh. */
	if (at >= r->barred && at < r->fresh) {
		imc_pulse(c, SIG_IMC_REFRESH_WAIT, at, 0, observed);
		imc_retry(c, at, r->fresh, observed);
		at = r->fresh;
	}
	return wake(c, slot, at, observed);
}

/* When something happens to the rank by itself if no command comes before; what it does can only put that off. */
static uint64_t rank_calm(const struct imc *c, unsigned slot)
{
	uint64_t busy = imc_rank_busy(c, slot), off = busy + c->cfg.idle_cke, why, next = refresh_at(c, slot, busy, &why);

	return next < off ? next : off;
}

static uint64_t when_allowed(struct imc *c, unsigned slot, uint64_t at, uint64_t *edge, const bool observed)
{
	uint64_t allowed = imc_allowed(c, slot, at, edge);

	if (observed && allowed > at)
		imc_tell_hot(c, at, slot);
	imc_retry(c, at, allowed, observed);
	return allowed;
}

UNCORE_COLD uint64_t imc_make_ready(struct imc *c, unsigned slot, uint64_t at, const bool observed)
{
	const struct dram_config *d = &c->cfg.dram;
	struct imc_rank *r = &c->rank[slot];
	uint64_t edge = IMC_NEVER;

	if (c->rest.spells)
		at = when_allowed(c, slot, at, &edge, observed);
	r->calm = rank_calm(c, slot);
	if (at >= r->calm || at >= r->due + (d->panic - 1u) * d->t.refi || (at >= r->barred && at < r->fresh)) {
		at = rouse(c, slot, at, observed);
		r->calm = rank_calm(c, slot);
	}
	if (edge < r->calm)
		r->calm = edge;
	return at;
}
