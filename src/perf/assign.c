/* SPDX-License-Identifier: BSD-2-Clause */
/* Which events get which counters: those with the smallest choice first, each the lowest that is free. */
#include <errno.h>

#include "base/bits.h"
#include "perf/perf_private.h"

struct choice {
	unsigned n, counters, fixed;
	uint32_t allowed[PERF_COUNTERS];
	unsigned order[PERF_COUNTERS];	/* the event with the smallest choice first */
	int *index;
};

/* Who has a counter keeps it, if all can. */
static bool keep(const struct choice *c, struct perf_event *const *ev)
{
	uint32_t used = 0;

	for (unsigned i = 0; i < c->n; i++) {
		int at = ev[i]->index;

		if (at < 0 || !(c->allowed[i] >> at & 1) || used >> at & 1)
			return false;
		used |= 1u << at;
		c->index[i] = at;
	}
	return true;
}

/* Fixed counters first: others can do without them. */
static bool place(const struct choice *c, unsigned step, uint32_t used)
{
	unsigned all = c->counters + c->fixed, i;

	if (step == c->n)
		return true;
	i = c->order[step];
	for (unsigned n = 0; n < all; n++) {
		unsigned k = n < c->fixed ? c->counters + n : n - c->fixed;

		if (!(c->allowed[i] >> k & 1) || used >> k & 1)
			continue;
		c->index[i] = (int)k;
		if (place(c, step + 1, used | 1u << k))
			return true;
	}
	return false;
}

static void sort(struct choice *c)
{
	unsigned filled = 0;

	for (int weight = 1; weight <= (int)(c->counters + c->fixed); weight++)
		for (unsigned i = 0; i < c->n; i++)
			if (__builtin_popcount(c->allowed[i]) == weight)
				c->order[filled++] = i;
}

/*
 * Counters for n events of a context: index[i] for ev[i].  fake: nobody is on it, to try only.  0 or -EINVAL; then nothing is
 * held that was not before.
 */
static int assign(struct perf_context *c, struct perf_event *const *ev, unsigned n, int *index, bool fake)
{
	struct perf_shared nobody = { .config1 = 0 }, *shared = fake ? &nobody : &c->shared;
	struct choice choice = { .n = n, .counters = c->counters, .fixed = c->fixed, .index = index };
	unsigned held[PERF_COUNTERS], i;

	if (n > c->counters + c->fixed)
		return -EINVAL;
	for (i = 0; i < n; i++) {
		held[i] = ev[i]->extra.held;
		if (!perf_filter_take(ev[i], shared, fake))
			break;
		choice.allowed[i] = c->ops->allowed(ev[i]);
	}
	if (i == n)
		sort(&choice);
	if (i == n && (keep(&choice, ev) || place(&choice, 0, 0)))
		return 0;
	while (!fake && i-- > 0)
		if (ev[i]->extra.held && !held[i])
			perf_filter_drop(ev[i], shared);
	return -EINVAL;
}

/* A group's events of other PMUs do not matter here. */
static unsigned collect(struct perf_event *leader, struct perf_event *e, struct perf_event **out)
{
	unsigned n = 0;

	if (leader->context->pmu == e->context->pmu)
		out[n++] = leader;
	for (struct perf_event *s = leader->siblings; s; s = s->next)
		if (s->context->pmu == e->context->pmu && n < PERF_COUNTERS)
			out[n++] = s;
	if (n < PERF_COUNTERS)
		out[n++] = e;
	return n;
}

int perf_counters_validate(struct perf_event *leader, struct perf_event *e)
{
	struct perf_event *all[PERF_COUNTERS];
	int index[PERF_COUNTERS];

	return assign(e->context, all, collect(leader, e, all), index, true);
}

int perf_counters_add(struct perf_event *e)
{
	struct perf_context *c = e->context;
	struct perf_event *all[PERF_COUNTERS];
	int index[PERF_COUNTERS];
	unsigned n = c->ons;

	if (n == PERF_COUNTERS)
		return -EINVAL;
	for (unsigned i = 0; i < n; i++)
		all[i] = c->on[i];
	all[n++] = e;
	if (assign(c, all, n, index, false) < 0)
		return -EINVAL;
	/* Who moves makes place first. */
	for (unsigned i = 0; i + 1 < n; i++) {
		if (all[i]->index == index[i])
			continue;
		c->ops->stop(all[i]);
		all[i]->index = -1;
	}
	for (unsigned i = 0; i < n; i++) {
		if (all[i]->index == index[i])
			continue;
		all[i]->index = index[i];
		c->ops->start(all[i]);
	}
	c->on[c->ons++] = e;
	return 0;
}

void perf_counters_remove(struct perf_event *e)
{
	struct perf_context *c = e->context;
	unsigned i = 0;

	c->ops->stop(e);
	while (c->on[i] != e)
		i++;
	for (c->ons--; i < c->ons; i++)
		c->on[i] = c->on[i + 1];
	perf_filter_drop(e, &c->shared);
	e->index = -1;
}
