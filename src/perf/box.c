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

/* Counters that the event may have, the fixed one behind all others. */
static uint32_t allowed(const struct perf_event *e)
{
	const struct cat_pmu *p = e->context->pmu->cat;

	if (e->fixed)
		return 1u << e->context->counters;
	for (unsigned i = p->limit0; i < p->limit0 + (unsigned)p->limits; i++)
		if ((e->control & 0xff) == cat_pmu_limits[i].code)
			return cat_pmu_limits[i].counters;
	return (uint32_t)bits_low(e->context->counters);
}

const struct perf_ops perf_box_ops = {
	.init = init_event,
	.allowed = allowed,
	.start = start,
	.stop = stop,
	.validate = perf_counters_validate,
	.add = perf_counters_add,
	.remove = perf_counters_remove,
	.update = update,
	.freeze = freeze_box,
};
