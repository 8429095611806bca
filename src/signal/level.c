/* SPDX-License-Identifier: BSD-2-Clause */
/* The levels that stand at a port: a queue that holds n from some clock on; and what the console tells. */
#include "base/array.h"
#include "signal/run.h"

/* A level as it was told: from clock `at` on, n more. */
struct signal_standing {
	struct signal_tag tag;
	uint64_t at, flags;
	int64_t n;
	struct signal_console who;
	uint16_t sig;
};

static const struct signal_tag no_tag;
static const struct signal_console from_hardware;

/* A frequency that was not told before is a transition: the filter takes effect. */
static void note_frequency(struct signal_port *p, const struct signal_tag *tag)
{
	for (struct signal_latch *l = p->latch; l && tag->freq; l = l->next) {
		if (tag->freq == l->freq)
			continue;
		l->freq = tag->freq;
		l->value = *l->live;
	}
}

static bool tag_equal(const struct signal_tag *a, const struct signal_tag *b)
{
	return a->addr == b->addr && a->packet[0] == b->packet[0] && a->packet[1] == b->packet[1] &&
	       a->opc == b->opc && a->nid == b->nid && a->tid == b->tid && a->state == b->state &&
	       a->link == b->link && a->nc == b->nc && a->isoc == b->isoc && a->c6 == b->c6 &&
	       a->freq == b->freq;
}

static bool same_key(const struct signal_standing *a, const struct signal_standing *b)
{
	return a->sig == b->sig && a->flags == b->flags && a->who.event == b->who.event &&
	       a->who.every == b->who.every && tag_equal(&a->tag, &b->tag);
}

void signal_levels_compact(struct signal_port *p)
{
	uint64_t past = signal_past(p);
	unsigned kept = 0;

	for (unsigned i = 0; i < p->standings; i++) {
		const struct signal_standing *s = &p->standing[i];
		unsigned j = 0;

		while (j < kept && !(s->at <= past && p->standing[j].at <= past &&
				     same_key(s, &p->standing[j])))
			j++;
		if (j < kept)
			p->standing[j].n += s->n;
		else
			p->standing[kept++] = *s;
	}
	p->standings = 0;
	for (unsigned i = 0; i < kept; i++)
		if (p->standing[i].n || p->standing[i].at > past)
			p->standing[p->standings++] = p->standing[i];
	p->standing_limit = 2 * p->standings + 32;
}

static bool standing_add(struct signal_port *p, const struct signal_standing *s)
{
	struct signal_standing *more = array_grow(p->standing, p->standings, &p->standing_room, sizeof *more);

	if (!more)
		return false;
	p->standing = more;
	p->standing[p->standings++] = *s;
	return true;
}

/* What a watch makes of all levels of its signal, told of now and of the future. */
static int64_t standing_sum(const struct signal_port *p, unsigned sig, const struct signal_watch *w)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < p->standings; i++) {
		const struct signal_standing *s = &p->standing[i];

		if (s->sig == sig)
			sum += s->n * signal_console_hits(w, s->flags, &s->tag, s->who);
	}
	return sum;
}

static void level_told(struct signal_port *p, const struct signal_standing *s)
{
	note_frequency(p, &s->tag);
	if (!standing_add(p, s)) {
		p->broken = true;
		return;
	}
	for (struct signal_watch *w = p->watch[s->sig]; w; w = w->next) {
		int64_t delta;

		/* A latched register may have changed its mind about everything that stands. */
		if (w->latched)
			delta = standing_sum(p, s->sig, w) - w->told;
		else
			delta = s->n * signal_console_hits(w, s->flags, &s->tag, s->who);
		if (delta && !signal_run_add(w, s->at, SIGNAL_EVER, delta))
			p->broken = true;
		w->told += delta;
	}
}

void signal_level(struct signal_port *p, unsigned sig, uint64_t when, int64_t delta,
		  uint64_t flags, const struct signal_tag *tag)
{
	const struct signal_standing s = {
		.tag = tag ? *tag : no_tag, .at = signal_open_clock(p, when), .flags = flags, .n = delta,
		.who = from_hardware, .sig = (uint16_t)sig,
	};

	level_told(p, &s);
}

void signal_console_level(struct signal_port *p, unsigned sig, uint64_t when, int64_t n,
			  uint64_t flags, const struct signal_tag *tag, struct signal_console who)
{
	struct signal_standing s = {
		.tag = *tag, .at = signal_open_clock(p, when), .flags = flags, .n = n, .who = who,
		.sig = (uint16_t)sig,
	};

	for (unsigned i = 0; i < p->standings; i++)
		if (same_key(&s, &p->standing[i]))
			s.n -= p->standing[i].n;
	level_told(p, &s);
}

void signal_console_pulse(struct signal_port *p, unsigned sig, uint64_t when, uint64_t n,
			  uint64_t flags, const struct signal_tag *tag, struct signal_console who)
{
	uint64_t k = signal_open_clock(p, when);

	note_frequency(p, tag);
	for (struct signal_watch *w = p->watch[sig]; w; w = w->next) {
		unsigned hits = signal_console_hits(w, flags, tag, who);

		if (hits)
			signal_take(p, w, k, k + 1, (int64_t)(n * hits));
	}
}

void signal_levels_hang(struct signal_port *p, unsigned sig, struct signal_watch *w)
{
	for (unsigned i = 0; i < p->standings; i++) {
		const struct signal_standing *s = &p->standing[i];
		int64_t n;

		if (s->sig != sig)
			continue;
		n = s->n * signal_console_hits(w, s->flags, &s->tag, s->who);
		w->told += n;
		if (s->at <= w->past)
			w->level += n;
		else if (n && !signal_run_add(w, s->at, SIGNAL_EVER, n))
			p->broken = true;
	}
}
