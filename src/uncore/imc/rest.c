/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranks that nobody uses: they are refreshed and sleep.  What a rank does depends on nothing but its own past, so
 * without listeners nothing is done until its next command.  For listeners it is told up to where time is closed; of a
 * long rest, a period of refreshes is told as many times as it fits, if all who listen merely add.
 */
#include "uncore/imc/rest.h"

#include <stdlib.h>
#include "base/array.h"
#include "signal/lump.h"
#include "uncore/imc/rank.h"

enum { REST_STEP = 16 };	/* refresh intervals told at a time */

static void note(struct imc *c, uint64_t at, int n)
{
	struct imc_sleep *s = &c->sleep;
	struct imc_edge *more = array_grow(s->edge, s->edges, &s->room, sizeof *more);

	if (!more) {
		c->port->broken = true;
		return;
	}
	s->edge = more;
	s->edge[s->edges++] = (struct imc_edge){ at, n };
}

/* Does somebody want to know when all ranks sleep? */
static bool sleep_heard(struct imc *c, const bool observed)
{
	struct imc_sleep *s = &c->sleep;
	bool heard = observed && signal_watched(c->port, c->cfg.slow_exit ? SIG_IMC_DLL_OFF : SIG_IMC_PPD);

	if (heard && !s->on) {
		s->edges = s->asleep = 0;
		s->since = c->ranks_at;
		for (unsigned i = 0; i < DRAM_MAX_RANKS; i++)
			c->rank[i].noted = false;
	}
	s->on = heard;
	return heard;
}

void imc_slept(struct imc *c, struct imc_rank *r, uint64_t from, uint64_t to, const bool observed)
{
	if (!sleep_heard(c, observed))
		return;
	if (!r->noted)
		note(c, from, 1);
	r->noted = to == IMC_NEVER;
	if (to != IMC_NEVER)
		note(c, to, -1);
}

static int by_time(const void *a, const void *b)
{
	const struct imc_edge *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Tell when all ranks slept, until `now`. */
static void sleep_sweep(struct imc *c, uint64_t now, const bool observed)
{
	struct imc_sleep *s = &c->sleep;
	unsigned i = 0, sig = c->cfg.slow_exit ? SIG_IMC_DLL_OFF : SIG_IMC_PPD;

	if (!sleep_heard(c, observed))
		return;
	if (s->edges)
		qsort(s->edge, s->edges, sizeof *s->edge, by_time);
	for (; i < s->edges && s->edge[i].at < now; i++) {
		if (s->asleep == c->cfg.dram.ranks)
			imc_state(c, sig, s->since, s->edge[i].at, 0, observed);
		s->asleep += (unsigned)s->edge[i].n;
		s->since = imc_max(s->since, s->edge[i].at);
	}
	if (s->asleep == c->cfg.dram.ranks)
		imc_state(c, sig, s->since, now, 0, observed);
	s->since = imc_max(s->since, now);
	s->edges -= i;
	for (unsigned n = 0; n < s->edges; n++)
		s->edge[n] = s->edge[n + i];
}

void imc_tell_ranks(struct imc *c, uint64_t now, const bool observed)
{
	for (unsigned i = 0; i < c->cfg.dram.ranks; i++) {
		struct imc_rank *r = &c->rank[i];
		uint64_t off;

		imc_refresh_until(c, i, now, observed);
		imc_rank_expire(c, i, now, observed);
		off = imc_rank_off(c, i);
		imc_tell_cke(c, i, now < off ? now : off, observed);
		if (off < now)
			imc_slept(c, r, off, IMC_NEVER, observed);
	}
	sleep_sweep(c, now, observed);
	c->ranks_at = now;
}

/* For how long a rank at rest is awake for a refresh. */
static uint64_t awake(const struct imc *c)
{
	return c->cfg.dram.t.xp + (uint64_t)c->cfg.dram.t.rfc + c->cfg.idle_cke;
}

/* Of an interval between refreshes all ranks sleep for so long. */
static uint64_t all_asleep(const struct imc *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < c->cfg.dram.ranks; i++) {
		uint64_t next = c->cfg.dram.t.refi;	/* until the next refresh of any rank */

		for (unsigned k = 0; k < c->cfg.dram.ranks; k++)
			if (c->rank[k].due > c->rank[i].due && c->rank[k].due - c->rank[i].due < next)
				next = c->rank[k].due - c->rank[i].due;
			else if (c->rank[k].due < c->rank[i].due &&
				 c->rank[k].due + c->cfg.dram.t.refi - c->rank[i].due < next)
				next = c->rank[k].due + c->cfg.dram.t.refi - c->rank[i].due;
		sum += next > awake(c) ? next - awake(c) : 0;
	}
	return sum;
}

/* Has the channel done nothing for an interval between refreshes but these? */
static bool at_rest(const struct imc *c)
{
	const struct dram_timing *t = &c->cfg.dram.t;

	for (unsigned i = 0; i < c->cfg.dram.ranks; i++) {
		const struct imc_rank *r = &c->rank[i];

		if (!imc_rests(c, i) || r->due - imc_rank_busy(c, i) + t->xp + t->rfc != t->refi ||
		    r->due <= c->ranks_at)
			return false;
	}
	return !c->posted_count;
}

/* Tell n intervals between refreshes at once. */
static void tell_rest(struct imc *c, uint64_t n)
{
	uint64_t passed = n * c->cfg.dram.t.refi, refreshes = n * c->cfg.dram.ranks;

	signal_lump(c->port, SIG_IMC_REFRESH, refreshes, IMC_REFRESH_OPPORTUNISTIC, NULL);
	signal_lump(c->port, SIG_IMC_COMMAND, refreshes, IMC_COMMAND_REFRESH | IMC_COMMAND_READ, NULL);
	signal_lump(c->port, c->cfg.slow_exit ? SIG_IMC_DLL_OFF : SIG_IMC_PPD, n * all_asleep(c), 0, NULL);
	for (unsigned i = 0; i < c->cfg.dram.ranks; i++) {
		struct imc_rank *r = &c->rank[i];

		signal_lump(c->port, SIG_IMC_CKE, n * awake(c), imc_rank_flag(c, i), NULL);
		r->due += passed;
		r->busy += passed;
		r->barred += passed;
		r->fresh += passed;
		r->cke += passed;
	}
	c->sleep.since += passed;
	c->ranks_at += passed;
}

void imc_rank_advance(struct imc *c, uint64_t now, const bool observed)
{
	uint64_t step = (uint64_t)REST_STEP * c->cfg.dram.t.refi;

	if (!observed)
		return;
	/* Writes that are still to go may use anything since their mode began. */
	if (c->wmm && c->wmm_since < now)
		now = c->wmm_since;
	if (now <= c->ranks_at)
		return;
	if (c->self.in) {
		sleep_sweep(c, now, observed);
		c->ranks_at = imc_max(c->ranks_at, now);
		return;
	}
	while (now > c->ranks_at + step) {
		if (c->rest_lumps && at_rest(c))
			tell_rest(c, (now - c->ranks_at) / c->cfg.dram.t.refi - 1);
		else
			imc_tell_ranks(c, c->ranks_at + step, observed);
	}
	imc_tell_ranks(c, now, observed);
}
