/* SPDX-License-Identifier: BSD-2-Clause */
/* The outlet of a box: who hangs on it, and who accepts an occurrence.  Levels are in level.c. */
#include <stdlib.h>

#include "base/error.h"
#include "signal/run.h"

static const struct signal_tag no_tag;

int signal_port_init(struct signal_port *p, unsigned signals, const struct signal_clock *clock)
{
	*p = (struct signal_port){ .clock = clock, .late = UINT64_MAX, .signals = (uint16_t)signals };
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
unsigned signal_console_hits(const struct signal_watch *w, uint64_t flags,
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

static __attribute__((noinline)) void take_pulse(struct signal_port *p, struct signal_watch *w, uint64_t when,
						 int64_t n)
{
	uint64_t k = signal_clocks(p->clock, when);

	if (k < w->past)
		k = w->past;
	signal_take(p, w, k, k + 1, n);
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

static void deliver_clocks(struct signal_port *p, unsigned sig, uint64_t first, uint64_t end, uint64_t n,
			   uint64_t flags, const struct signal_tag *tag)
{
	if (first >= end)
		return;
	for (struct signal_watch *w = p->watch[sig]; w; w = w->next) {
		unsigned hits = watch_hits(w, flags, tag);

		if (hits)
			signal_take(p, w, first, end, (int64_t)(n * hits));
	}
}

/* The first clocks were closed before they were told of: who only adds does so in the first open one. */
static void deliver_late(struct signal_port *p, unsigned sig, uint64_t first, uint64_t end, uint64_t n,
			 uint64_t flags, const struct signal_tag *tag)
{
	for (struct signal_watch *w = p->watch[sig]; w; w = w->next) {
		int64_t each = (int64_t)(n * watch_hits(w, flags, tag));
		uint64_t done = end < w->past ? end : w->past;

		if (!each)
			continue;
		if (w->adds && first < done)
			w->sum += each * (int64_t)(done - first);
		if (end > w->past)
			signal_take(p, w, first > w->past ? first : w->past, end, each);
	}
}

void signal_deliver_span(struct signal_port *p, unsigned sig, uint64_t from, uint64_t to,
			 uint64_t n, uint64_t flags, const struct signal_tag *tag)
{
	uint64_t first = signal_clocks(p->clock, from), end = signal_clocks(p->clock, to);

	if (!tag)
		tag = &no_tag;
	if (first < p->closed && first < end)
		deliver_late(p, sig, first, end, n, flags, tag);
	else
		deliver_clocks(p, sig, first, end, n, flags, tag);
}

void signal_deliver_state(struct signal_port *p, unsigned sig, uint64_t from, uint64_t to, uint64_t flags,
			  const struct signal_tag *tag)
{
	deliver_clocks(p, sig, signal_open_clock(p, from), signal_open_clock(p, to), 1, flags, tag ? tag : &no_tag);
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
	signal_watch_hung(p, sig, w);
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

void signal_port_late(struct signal_port *p, uint64_t when)
{
	p->late = when == UINT64_MAX ? when : signal_clocks(p->clock, when);
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
		signal_levels_compact(p);
}
