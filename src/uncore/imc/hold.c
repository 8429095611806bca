/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What holds commands back: throttling and self-refresh.
 *
 * Throttling.  A module that is too hot, or the power control, leaves a rank a few lines in each window of clocks;
 * who comes then waits for a window with room.  At a critical heat nothing goes out at all.  When that is so is known
 * beforehand.
 *
 *	window	|LL......|LL......|LL......|	L: a line goes out
 *
 * Self-refresh.  While the package sleeps, or nearly, and nothing has come for a while, the modules refresh themselves.
 * Who comes then waits for tXS.
 */
#include "uncore/imc/hold.h"

#include "uncore/imc/rank.h"
#include "uncore/imc/rest.h"
#include "uncore/imc/write.h"

/* Does the spell hold at `at`?  Until *edge. */
static bool spell_at(const struct imc_spell *s, uint64_t at, uint64_t *edge)
{
	uint64_t into;

	*edge = s->length ? s->from : IMC_NEVER;
	if (!s->length || at < s->from)
		return false;
	into = at - s->from;
	if (s->period)
		into %= s->period;
	if (into < s->length)
		*edge = at - into + s->length;
	else
		*edge = s->period ? at - into + s->period : IMC_NEVER;
	return into < s->length;
}

/* What throttles at `at`, a bit for each cause; until *edge. */
static unsigned causes_at(const struct imc *c, uint64_t at, uint64_t *edge)
{
	unsigned on = 0;

	*edge = IMC_NEVER;
	for (unsigned i = 0; i < IMC_CAUSES; i++) {
		uint64_t own;

		on |= (unsigned)spell_at(&c->rest.spell[i], at, &own) << i;
		if (own < *edge)
			*edge = own;
	}
	return on;
}

static bool throttled(const struct imc *c, unsigned slot, unsigned on)
{
	return on & (1u << IMC_CRITICAL | 1u << IMC_PCU) || (on >> IMC_TOO_HOT & 1 && c->rest.hot_ranks >> slot & 1);
}

uint64_t imc_allowed(struct imc *c, unsigned slot, uint64_t at, uint64_t *edge)
{
	struct imc_rank *r = &c->rank[slot];

	for (;;) {
		unsigned on = causes_at(c, at, edge);
		uint64_t window = at / IMC_WINDOW;

		if (!throttled(c, slot, on))
			return at;
		if (on >> IMC_CRITICAL & 1) {
			at = *edge;
			continue;
		}
		if (window > r->window) {
			r->window = window;
			r->lines = 0;
		}
		if (window == r->window && r->lines < IMC_WINDOW_LINES) {
			r->lines++;
			*edge = 0;
			return at;
		}
		at = (r->lines < IMC_WINDOW_LINES ? r->window : r->window + 1) * IMC_WINDOW;
	}
}

void imc_tell_throttling(struct imc *c, uint64_t now, const bool observed)
{
	uint64_t at = c->rest.throttle_at, edge;

	for (; at < now; at = edge) {
		unsigned on = causes_at(c, at, &edge);

		edge = edge < now ? edge : now;
		for (unsigned i = 0; i < c->cfg.dram.ranks; i++)
			if (throttled(c, i, on))
				imc_state(c, SIG_IMC_THROTTLE, at, edge,
					  IMC_THROTTLE_RANK0 << dram_rank_number(&c->cfg.dram, i), observed);
		if (on >> IMC_PCU & 1)
			imc_state(c, SIG_IMC_PCU_THROTTLE, at, edge, 0, observed);
		if (on >> IMC_CRITICAL & 1)
			imc_state(c, SIG_IMC_CRITICAL, at, edge, 0, observed);
	}
	c->rest.throttle_at = imc_max(c->rest.throttle_at, now);
}

void imc_tell_self(struct imc *c, uint64_t to, const bool observed)
{
	struct imc_self *s = &c->rest.self;

	if (s->in && s->rest == IMC_DROWSY) /* else there is no clock */
		imc_state(c, SIG_IMC_SELF_REFRESH, s->told, to, 0, observed);
	s->told = imc_max(s->told, to);
}

static void enter_self(struct imc *c, uint64_t at, const bool observed)
{
	for (unsigned i = 0; i < c->cfg.dram.ranks; i++) {
		uint64_t off;

		imc_refresh_until(c, i, at, observed);
		imc_rank_expire(c, i, IMC_NEVER, observed);
		off = imc_rank_off(c, i);
		imc_tell_cke(c, i, at < off ? at : off, observed);
		if (off < at)
			imc_slept(c, &c->rank[i], off, at, observed);
	}
	c->rest.self.in = true;
	c->rest.self.told = at;
	c->write.calm = 0;
}

void imc_leave_self(struct imc *c, uint64_t at, const bool observed)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	imc_tell_self(c, at, observed);
	for (unsigned i = 0; i < c->cfg.dram.ranks; i++) {
		struct imc_rank *r = &c->rank[i];

		r->barred = r->cke = at;
		r->fresh = r->busy = at + t->xs;
		r->due = r->fresh + t->refi * (i + 1u) / c->cfg.dram.ranks;
		r->calm = 0;
		r->noted = 0;
	}
	c->rest.self.in = false;
	c->rest.self.from = at + c->cfg.idle_self;
	imc_find_calm(c);
}

void imc_self_until(struct imc *c, uint64_t at, const bool observed)
{
	uint64_t from = imc_self_from(c);

	if (from < at)
		enter_self(c, from, observed);
}

/* A request comes at `at`: writes that go out before, and the end of self-refresh. */
UNCORE_INLINE void prepare(struct imc *c, uint64_t at, const bool observed)
{
	imc_writes_until(c, at, observed);
	imc_self_until(c, at, observed);
	if (c->rest.self.in)
		imc_leave_self(c, at, observed);
	imc_find_calm(c);
}

UNCORE_COLD void imc_prepare_batched(struct imc *c, uint64_t at)
{
	prepare(c, at, false);
}

UNCORE_COLD void imc_prepare_observed(struct imc *c, uint64_t at)
{
	prepare(c, at, true);
}
