/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Closing clocks: the runs of a watch, cut at the clock that is closed, become the
 * increments of its counter.
 */
#include <stdlib.h>

#include "base/array.h"
#include "signal/run.h"

bool signal_run_grow(struct signal_watch *w)
{
	struct signal_run *more = array_grow(w->run, w->runs, &w->room, sizeof *more);

	if (!more)
		return false;
	w->run = more;
	return true;
}

void signal_watch_free(struct signal_watch *w)
{
	free(w->run);
	free(w->edge);
	w->run = NULL;
	w->edge = NULL;
	w->runs = w->room = w->edge_room = 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Forget the clocks below `to`: what stands becomes level, what goes on is cut. */
static void drop_closed(struct signal_watch *w, uint64_t to)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < w->runs; i++) {
		struct signal_run r = w->run[i];

		if (r.to == SIGNAL_EVER && r.from <= to) {
			w->level += r.n;
			continue;
		}
		if (r.to <= to)
			continue;
		r.from = later(r.from, to);
		w->run[kept++] = r;
	}
	w->runs = kept;
}

/* Threshold 0: the sum does not depend on the order of the runs. */
static int64_t close_sum(const struct signal_watch *w, uint64_t from, uint64_t to)
{
	int64_t sum = w->sum + w->level * (int64_t)(to - from);

	for (unsigned i = 0; i < w->runs; i++) {
		const struct signal_run *r = &w->run[i];
		uint64_t first = later(r->from, from), end = earlier(r->to, to);

		if (first < end)
			sum += r->n * (int64_t)(end - first);
	}
	return sum;
}

static int by_clock(const void *a, const void *b)
{
	const struct signal_edge *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static bool edges_grow(struct signal_watch *w, unsigned room)
{
	if (room <= w->edge_room)
		return true;

	struct signal_edge *more = realloc(w->edge, room * sizeof *more);

	if (!more)
		return false;
	w->edge = more;
	w->edge_room = room;
	return true;
}

/* Occurrences mostly come in order of time; then there is nothing to sort. */
static void edges_sort(struct signal_edge *edge, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (edge[i].at < edge[i - 1].at) {
			qsort(edge, n, sizeof *edge, by_clock);
			return;
		}
}

/*
 * The clocks from .. to - 1 in order, cut into stretches in which the raw value does
 * not change.
 */
struct sweep {
	const struct signal_edge *edge, *end;
	uint64_t at, to;
	int64_t raw;
	int64_t most;		/* raw values are cut to this */
};

/* A watch that counts once takes the greatest single thing told; what stands counts 1. */
static int64_t most_of(const struct signal_watch *w)
{
	int64_t most = 1;

	if (!w->once)
		return INT64_MAX;
	for (unsigned i = 0; i < w->runs; i++)
		if (w->run[i].to != SIGNAL_EVER && w->run[i].n > most)
			most = w->run[i].n;
	return most;
}

static bool sweep_start(struct sweep *s, struct signal_watch *w, uint64_t from, uint64_t to)
{
	unsigned n = 0;

	if (!edges_grow(w, 2 * w->runs))
		return false;
	for (unsigned i = 0; i < w->runs; i++) {
		const struct signal_run *r = &w->run[i];

		if (r->from >= to)
			continue;
		w->edge[n++] = (struct signal_edge){ later(r->from, from), r->n };
		if (r->to < to)
			w->edge[n++] = (struct signal_edge){ r->to, -r->n };
	}
	edges_sort(w->edge, n);
	/* A watch that never had a run has no edges: there is nothing to add to. */
	*s = (struct sweep){ .edge = w->edge, .end = n ? w->edge + n : w->edge, .at = from, .to = to,
			     .raw = w->level, .most = most_of(w) };
	return true;
}

/* The next stretch: its length, 0 when there is none, and its raw value. */
static uint64_t sweep_next(struct sweep *s, int64_t *raw)
{
	uint64_t start = s->at;

	while (s->edge < s->end && s->edge->at <= start)
		s->raw += s->edge++->n;
	s->at = s->edge < s->end ? s->edge->at : s->to;
	*raw = s->raw < s->most ? s->raw : s->most;
	return s->at - start;
}

/* What the chain c makes of the clocks from .. to - 1. */
static int64_t close_ordered(struct signal_port *p, struct signal_watch *w, struct chain *c, uint64_t from,
			     uint64_t to)
{
	struct sweep s;
	int64_t raw, sum = 0;
	uint64_t clocks;

	if (from >= to)
		return 0;
	if (!sweep_start(&s, w, from, to)) {
		p->broken = true;
		return 0;
	}
	while ((clocks = sweep_next(&s, &raw)) != 0)
		sum += chain_run(c, raw, clocks);
	return sum;
}

/* Once more through what was late; what still is stays. */
static int64_t close_late(struct signal_port *p, struct signal_watch *w, uint64_t to)
{
	uint64_t past = later(w->past, earlier(p->late, to));
	int64_t done = close_ordered(p, w, &w->chain, w->past, past);
	struct chain ahead = w->chain;
	int64_t kept = close_ordered(p, w, &ahead, past, to);
	int64_t more = done + kept - w->counted;

	w->counted = more < 0 ? kept - more : kept;
	w->past = past;
	return more < 0 ? 0 : more;
}

int64_t signal_watch_close(struct signal_port *p, struct signal_watch *w, uint64_t to)
{
	int64_t sum;

	if (signal_watch_adds(w)) {
		sum = close_sum(w, p->closed, to);
		w->past = to;
	} else {
		sum = close_late(p, w, to);
	}
	w->sum = 0;
	drop_closed(w, w->past);
	return sum;
}

void signal_watch_start(const struct signal_port *p, struct signal_watch *w)
{
	w->past = p->closed;
	w->counted = 0;
}

int64_t signal_watch_level(const struct signal_watch *w, uint64_t at)
{
	int64_t level = w->level;

	for (unsigned i = 0; i < w->runs; i++)
		if (w->run[i].to == SIGNAL_EVER && w->run[i].from <= at)
			level += w->run[i].n;
	return level;
}

/*
 * An edge rises anew where it is hung, and to a sum clocks mean nothing.  Any other chain may hear
 * of late clocks, too, and has nothing of what stands in them already.
 */
void signal_watch_hung(struct signal_port *p, unsigned sig, struct signal_watch *w)
{
	struct chain chain = w->chain;

	signal_watch_start(p, w);
	if (!w->adds && !chain.edge)
		w->past = signal_past(p);
	signal_levels_hang(p, sig, w);
	w->counted = close_ordered(p, w, &chain, w->past, p->closed);
}

/* More than the clocks from .. to - 1 can add. */
static uint64_t bound(const struct signal_watch *w, uint64_t from, uint64_t to)
{
	if (w->chain.threshold)
		return to - from;

	uint64_t sum = (w->level > 0 ? (uint64_t)w->level : 0) * (to - from);

	if (w->sum > 0)
		sum += (uint64_t)w->sum;
	for (unsigned i = 0; i < w->runs; i++) {
		const struct signal_run *r = &w->run[i];
		uint64_t first = later(r->from, from), end = earlier(r->to, to);

		if (first < end && r->n > 0)
			sum += (uint64_t)r->n * (end - first);
	}
	return sum;
}

/* The clock of a stretch of equal clocks in which `left` is used up; 0: not within it. */
static uint64_t used_up(struct chain *c, int64_t raw, uint64_t clocks, int64_t *left)
{
	*left -= chain_step(c, raw);
	if (*left <= 0)
		return 1;
	if (clocks == 1)
		return 0;

	int64_t each = chain_step(c, raw);

	if (each > 0 && (uint64_t)((*left + each - 1) / each) <= clocks - 1)
		return 1 + (uint64_t)((*left + each - 1) / each);
	*left -= each * (int64_t)(clocks - 1);
	return 0;
}

uint64_t signal_watch_reach(struct signal_port *p, struct signal_watch *w, uint64_t to,
			    uint64_t room)
{
	struct chain chain = w->chain;
	struct sweep s;
	int64_t raw, left;
	uint64_t clocks;

	if (to <= p->closed || bound(w, w->past, to) < room)
		return SIGNAL_EVER;
	if (!sweep_start(&s, w, w->past, to)) {
		p->broken = true;
		return SIGNAL_EVER;
	}
	left = (int64_t)room + w->counted - w->sum;
	if (left <= 0)
		return p->closed + 1;
	for (uint64_t at = w->past; (clocks = sweep_next(&s, &raw)) != 0; at += clocks) {
		uint64_t k = used_up(&chain, raw, clocks, &left);

		if (k)
			return later(at + k, p->closed + 1);
	}
	return SIGNAL_EVER;
}
