/* SPDX-License-Identifier: BSD-2-Clause */
/* The outlet of a box: who accepts an occurrence, and the levels that stand. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "signal/run.h"
#include "signal/watch.h"

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

int signal_port_init(struct signal_port *p, unsigned signals, const struct signal_clock *clock)
{
	*p = (struct signal_port){ .clock = clock, .signals = (uint16_t)signals };
	p->watch = calloc(signals ? signals : 1, sizeof *p->watch);
	return p->watch ? 0 : BXS_ENOMEM;
}

void signal_port_free(struct signal_port *p)
{
	free(p->watch);
	free(p->standing);
	*p = (struct signal_port){ .signals = 0 };
}

void signal_port_latch(struct signal_port *p, struct signal_latch *latch)
{
	latch->next = p->latch;
	p->latch = latch;
}

void signal_port_unlatch(struct signal_port *p, const struct signal_latch *latch)
{
	struct signal_latch **at = &p->latch;

	while (*at && *at != latch)
		at = &(*at)->next;
	if (*at)
		*at = latch->next;
}

static uint64_t tag_value(const struct signal_tag *tag, unsigned id)
{
	switch (id) {
	case SIGNAL_TAG_ADDR: return tag->addr;
	case SIGNAL_TAG_OPC: return tag->opc;
	case SIGNAL_TAG_NID: return tag->nid;
	case SIGNAL_TAG_TID: return tag->tid;
	case SIGNAL_TAG_STATE: return tag->state;
	case SIGNAL_TAG_LINK: return tag->link;
	case SIGNAL_TAG_NC: return tag->nc;
	case SIGNAL_TAG_ISOC: return tag->isoc;
	case SIGNAL_TAG_C6: return tag->c6;
	default: return tag->freq;
	}
}

/* How many packets of the occurrence match. */
static unsigned packet_hits(const struct signal_test *t, const struct signal_tag *tag)
{
	unsigned hits = (tag->packet[0] & t->mask) == t->value;

	if (tag->packet[1] & SIGNAL_SLOT)
		hits += (tag->packet[1] & t->mask) == t->value;
	return hits;
}

/* How often the test accepts: 0, 1, or 2 packets of one clock. */
static unsigned test_hits(const struct signal_test *t, const struct signal_tag *tag)
{
	uint64_t value = tag_value(tag, t->tag);

	switch (t->kind) {
	case SIGNAL_TEST_EQ: return (value & t->mask) == t->value;
	case SIGNAL_TEST_BIT: return value < 64 && (t->value >> value & 1);
	case SIGNAL_TEST_ANY: return (value & t->value) != 0;
	case SIGNAL_TEST_GE: return value >= (t->latch->value >> t->shift & t->mask);
	case SIGNAL_TEST_PACKET_BIT:
		return t->value >> (tag->packet[0] >> t->shift & t->mask) & 1;
	default: return packet_hits(t, tag);
	}
}

static unsigned alt_hits(const struct signal_alt *a, uint64_t flags, const struct signal_tag *tag)
{
	unsigned hits = 1;

	if ((flags & a->care) != a->want || (a->any && !(flags & a->any)))
		return 0;
	for (unsigned i = 0; i < a->tests && hits; i++)
		hits *= test_hits(&a->test[i], tag);
	return hits;
}

static inline unsigned watch_hits(const struct signal_watch *w, uint64_t flags,
				  const struct signal_tag *tag)
{
	unsigned hits = alt_hits(w->alt, flags, tag);

	for (unsigned i = 1; i < w->alts && !hits; i++)
		hits = alt_hits(&w->alt[i], flags, tag);
	return hits;
}

unsigned signal_hits(const struct signal_watch *w, uint64_t flags, const struct signal_tag *tag)
{
	return watch_hits(w, flags, tag ? tag : &no_tag);
}

/* The console speaks to one event, and may leave open which flags an occurrence has. */
static unsigned console_hits(const struct signal_watch *w, uint64_t flags,
			     const struct signal_tag *tag, struct signal_console who)
{
	unsigned hits = 0;

	if (who.event == 0)
		return watch_hits(w, flags, tag);
	if (who.event != w->event)
		return 0;
	for (unsigned i = 0; i < w->alts && !hits; i++) {
		const struct signal_alt *a = &w->alt[i];
		uint64_t all = who.every ? (flags & ~a->care) | a->want | a->any : flags;

		hits = alt_hits(a, all, tag);
	}
	return hits;
}

static inline uint64_t open_clock(const struct signal_port *p, uint64_t when)
{
	uint64_t k = signal_clocks(p->clock, when);

	return k < p->closed ? p->closed : k;
}

static inline void take(struct signal_port *p, struct signal_watch *w, uint64_t from, uint64_t to,
			int64_t n)
{
	if (signal_watch_adds(w) && to <= p->horizon)
		w->sum += n * (int64_t)(to - from);
	else if (!signal_run_add(w, from, to, n))
		p->broken = true;
}

static __attribute__((noinline)) void take_pulse(struct signal_port *p, struct signal_watch *w, uint64_t when,
						 int64_t n)
{
	uint64_t k = open_clock(p, when);

	take(p, w, k, k + 1, n);
}

/* To the watches from w on. */
static __attribute__((noinline)) void deliver_pulse(struct signal_port *p, struct signal_watch *w,
						    uint64_t when, uint64_t n, uint64_t flags,
						    const struct signal_tag *tag)
{
	bool sure = when < p->sure;

	if (!tag)
		tag = &no_tag;
	for (; w; w = w->next) {
		unsigned hits = watch_hits(w, flags, tag);

		if (sure && w->adds)
			w->sum += (int64_t)(n * hits);
		else if (hits)
			take_pulse(p, w, when, (int64_t)(n * hits));
	}
}

static inline bool flags_fit(const struct signal_watch *w, uint64_t flags)
{
	return (flags & w->care) == w->want && (!w->any || (flags & w->any));
}

/*
 * A sum below the horizon needs no clock, and most occurrences are told by their flags
 * alone; this is called several times for each transaction.
 */
void signal_deliver_pulse(struct signal_port *p, unsigned sig, uint64_t when, uint64_t n,
			  uint64_t flags, const struct signal_tag *tag)
{
	struct signal_watch *w = p->watch[sig];

	if (when < p->sure)
		for (; w && w->single; w = w->next) {
			if (!flags_fit(w, flags))
				continue;
			if (!w->plain)
				break;
			w->sum += (int64_t)n;
		}
	if (w)
		deliver_pulse(p, w, when, n, flags, tag);
}

void signal_deliver_span(struct signal_port *p, unsigned sig, uint64_t from, uint64_t to,
			 uint64_t n, uint64_t flags, const struct signal_tag *tag)
{
	uint64_t first = open_clock(p, from), end = open_clock(p, to);

	if (first >= end)
		return;
	if (!tag)
		tag = &no_tag;
	for (struct signal_watch *w = p->watch[sig]; w; w = w->next) {
		unsigned hits = watch_hits(w, flags, tag);

		if (hits)
			take(p, w, first, end, (int64_t)(n * hits));
	}
}

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

/* Merge what is closed and equal, drop what has come to nothing. */
static void standing_compact(struct signal_port *p)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < p->standings; i++) {
		const struct signal_standing *s = &p->standing[i];
		unsigned j = 0;

		while (j < kept && !(s->at <= p->closed && p->standing[j].at <= p->closed &&
				     same_key(s, &p->standing[j])))
			j++;
		if (j < kept)
			p->standing[j].n += s->n;
		else
			p->standing[kept++] = *s;
	}
	p->standings = 0;
	for (unsigned i = 0; i < kept; i++)
		if (p->standing[i].n || p->standing[i].at > p->closed)
			p->standing[p->standings++] = p->standing[i];
	p->standing_limit = 2 * p->standings + 32;
}

static bool standing_add(struct signal_port *p, const struct signal_standing *s)
{
	if (p->standings == p->standing_room) {
		unsigned room = p->standing_room ? 2 * p->standing_room : 16;
		struct signal_standing *more = realloc(p->standing, room * sizeof *more);

		if (!more)
			return false;
		p->standing = more;
		p->standing_room = room;
	}
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
			sum += s->n * console_hits(w, s->flags, &s->tag, s->who);
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
			delta = s->n * console_hits(w, s->flags, &s->tag, s->who);
		if (delta && !signal_run_add(w, s->at, SIGNAL_EVER, delta))
			p->broken = true;
		w->told += delta;
	}
}

void signal_level(struct signal_port *p, unsigned sig, uint64_t when, int64_t delta,
		  uint64_t flags, const struct signal_tag *tag)
{
	const struct signal_standing s = {
		.tag = tag ? *tag : no_tag, .at = open_clock(p, when), .flags = flags, .n = delta,
		.who = from_hardware, .sig = (uint16_t)sig,
	};

	level_told(p, &s);
}

void signal_console_level(struct signal_port *p, unsigned sig, uint64_t when, int64_t n,
			  uint64_t flags, const struct signal_tag *tag, struct signal_console who)
{
	struct signal_standing s = {
		.tag = *tag, .at = open_clock(p, when), .flags = flags, .n = n, .who = who,
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
	uint64_t k = open_clock(p, when);

	note_frequency(p, tag);
	for (struct signal_watch *w = p->watch[sig]; w; w = w->next) {
		unsigned hits = console_hits(w, flags, tag, who);

		if (hits)
			take(p, w, k, k + 1, (int64_t)(n * hits));
	}
}

void signal_watch_hang(struct signal_port *p, unsigned sig, struct signal_watch *w)
{
	w->sum = w->level = w->told = 0;
	w->runs = 0;
	w->adds = signal_watch_adds(w);
	w->single = w->adds && w->alts == 1;
	w->plain = w->single && w->alt->tests == 0;
	if (w->single) {
		w->care = w->alt->care;
		w->want = w->alt->want;
		w->any = w->alt->any;
	}
	w->next = p->watch[sig];
	p->watch[sig] = w;
	p->watches++;
	p->any = true;
	for (unsigned i = 0; i < p->standings; i++) {
		const struct signal_standing *s = &p->standing[i];
		int64_t n;

		if (s->sig != sig)
			continue;
		n = s->n * console_hits(w, s->flags, &s->tag, s->who);
		w->told += n;
		if (s->at <= p->closed)
			w->level += n;
		else if (n && !signal_run_add(w, s->at, SIGNAL_EVER, n))
			p->broken = true;
	}
}

void signal_watch_unhang(struct signal_port *p, unsigned sig, struct signal_watch *w)
{
	struct signal_watch **at = &p->watch[sig];

	while (*at && *at != w)
		at = &(*at)->next;
	if (*at) {
		*at = w->next;
		p->watches--;
		p->any = p->watches != 0;
	}
	w->next = NULL;
	w->sum = w->level = w->told = 0;
	w->runs = 0;
}

void signal_port_horizon(struct signal_port *p, uint64_t when)
{
	/* One clock before, and a little: surely in an earlier clock than `when`. */
	uint64_t margin = 1000000000u / p->clock->khz + 2;
	uint64_t k = when ? signal_clocks(p->clock, when) : 0;
	bool open = k > p->closed;

	p->horizon = open ? k : p->closed;
	p->sure = open && when > margin ? when - margin : 0;
}

void signal_port_close(struct signal_port *p, uint64_t to)
{
	p->closed = to;
	if (p->horizon <= to) {
		p->horizon = to;
		p->sure = 0;
	}
	if (p->standings > p->standing_limit)
		standing_compact(p);
}
