/* SPDX-License-Identifier: BSD-2-Clause */
/* Which events of a box get which counters: those with the smallest choice first, each the lowest that is free. */
#include <errno.h>

#include "base/bits.h"
#include "perf/perf_private.h"

struct choice {
	unsigned n, counters;
	uint32_t allowed[PERF_COUNTERS];
	unsigned order[PERF_COUNTERS];	/* the event with the smallest choice first */
	int *index;
};

/* Counters that the event may have, the fixed one behind all others. */
static uint32_t allowed(const struct perf_event *e, unsigned counters)
{
	const struct cat_pmu *p = e->context->pmu->cat;

	if (e->fixed)
		return 1u << counters;
	for (unsigned i = p->limit0; i < p->limit0 + (unsigned)p->limits; i++)
		if ((e->control & 0xff) == cat_pmu_limits[i].code)
			return cat_pmu_limits[i].counters;
	return (uint32_t)bits_low(counters);
}

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

static bool place(const struct choice *c, unsigned step, uint32_t used)
{
	unsigned i;

	if (step == c->n)
		return true;
	i = c->order[step];
	for (unsigned k = 0; k <= c->counters; k++) {
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

	for (int weight = 1; weight <= (int)c->counters + 1; weight++)
		for (unsigned i = 0; i < c->n; i++)
			if (__builtin_popcount(c->allowed[i]) == weight)
				c->order[filled++] = i;
}

int perf_assign(struct perf_context *c, struct perf_event *const *ev, unsigned n, int *index, bool fake)
{
	struct perf_shared nobody = { .config1 = 0 }, *shared = fake ? &nobody : &c->shared;
	struct choice choice = { .n = n, .counters = cat_types[c->pmu->cat->type].counters, .index = index };
	unsigned held[PERF_COUNTERS], i;

	if (n > choice.counters + (perf_register(c->pmu->cat, CAT_FIXED_CTL) != NULL))
		return -EINVAL;
	for (i = 0; i < n; i++) {
		held[i] = ev[i]->extra.held;
		if (!perf_filter_take(ev[i], shared, fake))
			break;
		choice.allowed[i] = allowed(ev[i], choice.counters);
	}
	sort(&choice);
	if (i == n && (keep(&choice, ev) || place(&choice, 0, 0)))
		return 0;
	while (!fake && i-- > 0)
		if (ev[i]->extra.held && !held[i])
			perf_filter_drop(ev[i], shared);
	return -EINVAL;
}
