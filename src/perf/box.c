/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting in a box of the uncore: what the driver writes to its registers, and in which order. */
#include <errno.h>
#include <stddef.h>

#include "base/bits.h"
#include "catalog/find.h"
#include "perf/perf_private.h"

#define ENABLE (UINT64_C(1) << 22)
#define FREEZE (UINT64_C(1) << 8)

static void write_register(struct perf_context *c, const struct cat_reg *r, unsigned i, uint64_t value)
{
	struct access_address at = perf_place(c, r, i);

	access_write(c->perf->config.registers, &at, value);
}

/* A register of 64 bits of a PCI function is read as two dwords, the lower first.  What faults reads 0. */
static uint64_t read_register(struct perf_context *c, const struct cat_reg *r, unsigned i)
{
	struct access_address at = perf_place(c, r, i);
	uint64_t low = 0, high = 0;

	access_read(c->perf->config.registers, &at, &low);
	if (at.width < r->width) {
		at.offset += at.width / 8;
		access_read(c->perf->config.registers, &at, &high);
	}
	return at.width < 64 ? high << at.width | low : low;
}

/* Linux does this when its driver comes; here it is put off until somebody counts in the box. */
static void initialise(struct perf_context *c)
{
	const struct cat_pmu *p = c->pmu->cat;
	const struct cat_reg *r = perf_register(p, CAT_BOX_CTL);

	for (unsigned i = 0; i < p->inits && r; i++)
		write_register(c, r, 0, cat_numbers[p->init0 + i]);
	c->initialised = true;
}

static void freeze_box(struct perf_context *c, bool freeze)
{
	const struct cat_reg *r = perf_register(c->pmu->cat, CAT_BOX_CTL);
	uint64_t value;

	if (!c->initialised)
		initialise(c);
	if (!r)
		return;
	value = read_register(c, r, 0);
	write_register(c, r, 0, freeze ? value | FREEZE : value & ~FREEZE);
}

static int init_event(struct perf_event *e)
{
	const struct cat_pmu *p = e->context->pmu->cat;

	if (e->attr.config == PERF_FIXED_EVENT) {
		if (!perf_register(p, CAT_FIXED_CTL))
			return -EINVAL;
		e->fixed = true;
		return 0;
	}
	e->control = e->attr.config & p->accepts;
	perf_filter_init(e);
	return 0;
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

static int validate(struct perf_event *leader, struct perf_event *e)
{
	struct perf_event *all[PERF_COUNTERS];
	int index[PERF_COUNTERS];

	return perf_assign(e->context, all, collect(leader, e, all), index, true);
}

static const struct cat_reg *counter_of(const struct perf_event *e, unsigned *i)
{
	*i = e->fixed ? 0 : (unsigned)e->index;
	return perf_register(e->context->pmu->cat, e->fixed ? CAT_FIXED_CTR : CAT_CTR);
}

static const struct cat_reg *control_of(const struct perf_event *e, unsigned *i)
{
	*i = e->fixed ? 0 : (unsigned)e->index;
	return perf_register(e->context->pmu->cat, e->fixed ? CAT_FIXED_CTL : CAT_CTL);
}

static uint64_t raw(struct perf_event *e)
{
	unsigned i;
	const struct cat_reg *r = counter_of(e, &i);

	return read_register(e->context, r, i);
}

static unsigned width_of(const struct perf_event *e)
{
	const struct cat_reg *r = perf_register(e->context->pmu->cat, CAT_FIXED_CTR);
	const struct cat_field *f = e->fixed ? cat_reg_field(r, "event_count") : NULL;

	return f ? f->hi + 1u : e->context->pmu->cat->width;
}

static void update(struct perf_event *e)
{
	uint64_t now = raw(e);

	e->count += (now - e->before) & bits_low(width_of(e));
	e->before = now;
}

static void start(struct perf_event *e)
{
	unsigned i;
	const struct cat_reg *r = control_of(e, &i);

	e->before = raw(e);
	perf_filter_write(e);
	write_register(e->context, r, i, e->control | ENABLE);
}

static void stop(struct perf_event *e)
{
	unsigned i;
	const struct cat_reg *r = control_of(e, &i);

	write_register(e->context, r, i, e->control);
	update(e);
}

static int add(struct perf_event *e)
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
	if (perf_assign(c, all, n, index, false) < 0)
		return -EINVAL;
	/* Who moves makes place first. */
	for (unsigned i = 0; i + 1 < n; i++) {
		if (all[i]->index == index[i])
			continue;
		stop(all[i]);
		all[i]->index = -1;
	}
	for (unsigned i = 0; i < n; i++) {
		if (all[i]->index == index[i])
			continue;
		all[i]->index = index[i];
		start(all[i]);
	}
	c->on[c->ons++] = e;
	return 0;
}

static void remove_event(struct perf_event *e)
{
	struct perf_context *c = e->context;
	unsigned i = 0;

	stop(e);
	while (c->on[i] != e)
		i++;
	for (c->ons--; i < c->ons; i++)
		c->on[i] = c->on[i + 1];
	perf_filter_drop(e, &c->shared);
	e->index = -1;
}

const struct perf_ops perf_box_ops = {
	.init = init_event,
	.validate = validate,
	.add = add,
	.remove = remove_event,
	.update = update,
	.freeze = freeze_box,
};
