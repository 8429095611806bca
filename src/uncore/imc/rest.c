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

/* The set of a rank by its number in imc.cke_low: a rank, or of modules with more than two a pair. */
static unsigned set_of(const struct imc *c, unsigned slot)
{
	const struct dram_config *d = &c->cfg.dram;
	unsigned module = slot >> d->dimm_bits, rank = slot & ((1u << d->dimm_bits) - 1);

	if (!c->cfg.buses)
		return 1 + dram_rank_number(d, slot);
	return 1 + c->cfg.bus * 4u + module * 2 + (d->dimm_bits > 1 ? rank >> 1 : rank);
}

static bool in_set(const struct imc *c, unsigned slot, unsigned set)
{
	return set == 0 || set_of(c, slot) == set;
}

/* Ranks of a set. */
static unsigned ranks_in(const struct imc *c, unsigned set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->cfg.dram.ranks; i++)
		n += in_set(c, i, set);
	return n;
}

/* What is told while all ranks of the set sleep. */
static unsigned signal_of(const struct imc *c, unsigned set)
{
	return set ? SIG_IMC_CKE_LOW : c->cfg.slow_exit ? SIG_IMC_DLL_OFF : SIG_IMC_PPD;
}

static uint64_t flag_of(unsigned set)
{
	return set ? IMC_CKE_LOW_RANK0 << (set - 1) : 0;
}

static void note(struct imc *c, struct imc_sleep *s, uint64_t at, int n)
{
	struct imc_edge *more = array_grow(s->edge, s->edges, &s->room, sizeof *more);

	if (!more) {
		c->port->broken = true;
		return;
	}
	s->edge = more;
	s->edge[s->edges++] = (struct imc_edge){ at, n };
}

/* Does somebody want to know when all ranks of the set sleep? */
static bool sleep_heard(struct imc *c, unsigned set, const bool observed)
{
	struct imc_sleep *s = &c->rest.sleep[set];
	bool heard = observed && (signal_watched(c->port, signal_of(c, set)) ||
				  (set && signal_watched(c->port, SIG_IMC_CKE_ENTER)));

	if (heard && !s->on) {
		s->edges = s->asleep = 0;
		s->begun = s->since = c->rest.at;
		for (unsigned i = 0; i < DRAM_MAX_RANKS; i++)
			c->rank[i].noted &= (uint16_t)~(1u << set);
	}
	s->on = heard;
	return heard;
}

static void slept_in_set(struct imc *c, struct imc_rank *r, unsigned set, uint64_t from, uint64_t to, const bool observed)
{
	struct imc_sleep *s = &c->rest.sleep[set];

	if (!sleep_heard(c, set, observed))
		return;
	if (!(r->noted >> set & 1))
		note(c, s, from, 1);
	r->noted = (uint16_t)((r->noted & ~(1u << set)) | (unsigned)(to == IMC_NEVER) << set);
	if (to != IMC_NEVER)
		note(c, s, to, -1);
}

void imc_slept(struct imc *c, struct imc_rank *r, uint64_t from, uint64_t to, const bool observed)
{
	slept_in_set(c, r, 0, from, to, observed);
	slept_in_set(c, r, set_of(c, (unsigned)(r - c->rank)), from, to, observed);
}

/* Who wakes comes before who falls asleep. */
static int by_time(const void *a, const void *b)
{
	const struct imc_edge *x = a, *y = b;

	return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->n - y->n;
}

/* Tell when all ranks of a set slept, until `now`. */
static void sleep_sweep(struct imc *c, unsigned set, uint64_t now, const bool observed)
{
	struct imc_sleep *s = &c->rest.sleep[set];
	unsigned i = 0, all = ranks_in(c, set);

	if (!sleep_heard(c, set, observed))
		return;
	if (s->edges)
		qsort(s->edge, s->edges, sizeof *s->edge, by_time);
	for (; i < s->edges && s->edge[i].at < now; i++) {
		if (s->asleep == all)
			imc_state(c, signal_of(c, set), s->since, s->edge[i].at, flag_of(set), observed);
		s->asleep += (unsigned)s->edge[i].n;
		s->since = imc_max(s->since, s->edge[i].at);
		if (set && s->asleep == all && s->edge[i].at >= s->begun)
			imc_pulse(c, SIG_IMC_CKE_ENTER, s->edge[i].at, IMC_CKE_ENTER_RANK0 << (set - 1), observed);
	}
	if (s->asleep == all)
		imc_state(c, signal_of(c, set), s->since, now, flag_of(set), observed);
	s->since = imc_max(s->since, now);
	s->edges -= i;
	for (unsigned n = 0; n < s->edges; n++)
		s->edge[n] = s->edge[n + i];
}

static void sweep_all(struct imc *c, uint64_t now, const bool observed)
{
	for (unsigned set = 0; set < IMC_SLEEPS; set++)
		if (ranks_in(c, set))
			sleep_sweep(c, set, now, observed);
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
	sweep_all(c, now, observed);
	c->rest.at = now;
}

/* For how long a rank at rest is awake for a refresh. */
static uint64_t awake(const struct imc *c)
{
	return c->cfg.dram.t.xp + (uint64_t)c->cfg.dram.t.rfc + c->cfg.idle_cke;
}

/* Of an interval between refreshes all ranks of a set sleep for so long, in so many stretches. */
static uint64_t all_asleep(const struct imc *c, unsigned set, unsigned *times)
{
	uint64_t sum = 0;

	*times = 0;
	for (unsigned i = 0; i < c->cfg.dram.ranks; i++) {
		uint64_t next = c->cfg.dram.t.refi;	/* until the next refresh of any rank */

		for (unsigned k = 0; k < c->cfg.dram.ranks; k++) {
			uint64_t from = c->rank[i].due, to = c->rank[k].due;

			if (!in_set(c, k, set) || to == from)
				continue;
			to += to < from ? c->cfg.dram.t.refi : 0;
			if (to - from < next)
				next = to - from;
		}
		if (!in_set(c, i, set) || next <= awake(c))
			continue;
		sum += next - awake(c);
		++*times;
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
		    r->due <= c->rest.at)
			return false;
	}
	return !c->write.count;
}

/* Tell n intervals between refreshes at once. */
static void tell_rest(struct imc *c, uint64_t n)
{
	uint64_t passed = n * c->cfg.dram.t.refi, refreshes = n * c->cfg.dram.ranks;

	signal_lump(c->port, SIG_IMC_REFRESH, refreshes, IMC_REFRESH_OPPORTUNISTIC, NULL);
	signal_lump(c->port, SIG_IMC_COMMAND, refreshes, IMC_COMMAND_REFRESH | IMC_COMMAND_READ, NULL);
	for (unsigned set = 0; set < IMC_SLEEPS; set++) {
		unsigned times;
		uint64_t asleep = ranks_in(c, set) ? all_asleep(c, set, &times) : 0;

		if (asleep)
			signal_lump(c->port, signal_of(c, set), n * asleep, flag_of(set), NULL);
		if (asleep && set)
			signal_lump(c->port, SIG_IMC_CKE_ENTER, n * times, IMC_CKE_ENTER_RANK0 << (set - 1), NULL);
		c->rest.sleep[set].since += passed;
	}
	for (unsigned i = 0; i < c->cfg.dram.ranks; i++) {
		struct imc_rank *r = &c->rank[i];

		signal_lump(c->port, SIG_IMC_CKE, n * awake(c), imc_rank_flag(c, i), NULL);
		r->due += passed;
		r->busy += passed;
		r->barred += passed;
		r->fresh += passed;
		r->cke += passed;
	}
	c->rest.at += passed;
}

void imc_rank_advance(struct imc *c, uint64_t now, const bool observed)
{
	uint64_t step = (uint64_t)REST_STEP * c->cfg.dram.t.refi;

	if (!observed)
		return;
	/* Writes that are still to go may use anything since their mode began. */
	if (c->write.major && c->write.major_since < now)
		now = c->write.major_since;
	if (now <= c->rest.at)
		return;
	if (c->rest.self.in) {
		sweep_all(c, now, observed);
		c->rest.at = imc_max(c->rest.at, now);
		return;
	}
	while (now > c->rest.at + step) {
		if (c->rest.lumps && at_rest(c))
			tell_rest(c, (now - c->rest.at) / c->cfg.dram.t.refi - 1);
		else
			imc_tell_ranks(c, c->rest.at + step, observed);
	}
	imc_tell_ranks(c, now, observed);
}
