/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers beside the control that events of a box have to share: each event holds what it needs of them, and one that
 * needs it differently has to wait.
 */
#include "base/bits.h"
#include "perf/perf_private.h"

enum { FIRST_BAND = 0xb, LAST_BAND = 0xe, BANDS = 4, CTO_COUNT = 0x38, EV_SEL = 0xff };

static const struct cat_pmu *pmu_of(const struct perf_event *e)
{
	return e->context->pmu->cat;
}

static uint64_t part_mask(const struct cat_pmu *p, unsigned part)
{
	return cat_pmu_parts[p->part0 + part];
}

static void init_fields(struct perf_event *e, const struct cat_pmu *p)
{
	uint64_t mask = 0;

	for (unsigned i = p->look0; i < p->look0 + (unsigned)p->looks; i++)
		if ((e->control & cat_pmu_looks[i].mask) == cat_pmu_looks[i].code)
			e->extra.parts |= cat_pmu_looks[i].parts;
	for (unsigned i = 0; i < p->parts; i++)
		if (e->extra.parts >> i & 1)
			mask |= part_mask(p, i);
	e->extra.used = e->extra.parts != 0;
	e->extra.config1 = e->attr.config1 & mask;
}

static void init_bands(struct perf_event *e, const struct cat_pmu *p)
{
	unsigned code = e->control & EV_SEL;

	if (code < FIRST_BAND || code > LAST_BAND)
		return;
	e->extra.used = true;
	e->extra.parts = code - FIRST_BAND;
	e->extra.config1 = e->attr.config1 & (UINT64_C(0xff) << p->filter_number * e->extra.parts);
}

void perf_filter_init(struct perf_event *e)
{
	const struct cat_pmu *p = pmu_of(e);

	switch (p->filter) {
	case CAT_PMU_FILTER_FIELDS:
		init_fields(e, p);
		break;
	case CAT_PMU_FILTER_BANDS:
		init_bands(e, p);
		break;
	case CAT_PMU_FILTER_MATCH:
		e->extra.used = (e->control & EV_SEL) == CTO_COUNT;
		e->extra.config1 = e->attr.config1;
		e->extra.config2 = e->attr.config2;
		break;
	case CAT_PMU_FILTER_WHOLE:
		e->extra.used = true;
		e->extra.config1 = e->attr.config1 & p->filter_number;
		break;
	default:
		break;
	}
}

static bool take_fields(struct perf_event *e, struct perf_shared *s, bool fake)
{
	const struct cat_pmu *p = pmu_of(e);
	unsigned taken = 0;

	for (unsigned i = 0; i < p->parts; i++) {
		uint64_t mask = part_mask(p, i);

		if (!(e->extra.parts >> i & 1) || (!fake && e->extra.held >> i & 1))
			continue;
		if (s->refs[i] && (e->extra.config1 ^ s->config1) & mask) {
			for (unsigned k = 0; k < i; k++)
				s->refs[k] -= taken >> k & 1;
			return false;
		}
		s->refs[i]++;
		s->config1 = (s->config1 & ~mask) | (e->extra.config1 & mask);
		taken |= 1u << i;
	}
	if (!fake)
		e->extra.held |= taken;
	return true;
}

/* config1 of a band as it looks in another one. */
static uint64_t moved(const struct perf_event *e, unsigned band)
{
	return band > e->extra.parts ? e->extra.config1 << 8 * (band - e->extra.parts) :
				       e->extra.config1 >> 8 * (e->extra.parts - band);
}

/* A band that is taken by another value is changed for another one, and the event with it: they count the same. */
static bool take_band(struct perf_event *e, struct perf_shared *s, bool fake)
{
	if (!fake && e->extra.held)
		return true;
	for (unsigned n = 0; n < BANDS; n++) {
		unsigned band = (e->extra.parts + n) % BANDS;
		uint64_t mask = UINT64_C(0xff) << 8 * band, config1 = moved(e, band);

		if (s->refs[band] && (config1 ^ s->config1) & mask)
			continue;
		s->refs[band]++;
		s->config1 = (s->config1 & ~mask) | (config1 & mask);
		if (fake)
			return true;
		e->control = e->control + band - e->extra.parts;
		e->extra.config1 = config1;
		e->extra.parts = band;
		e->extra.held = 1;
		return true;
	}
	return false;
}

static bool take_whole(struct perf_event *e, struct perf_shared *s, bool fake)
{
	if (!fake && e->extra.held)
		return true;
	if (s->refs[0] && (s->config1 != e->extra.config1 || s->config2 != e->extra.config2))
		return false;
	s->refs[0]++;
	s->config1 = e->extra.config1;
	s->config2 = e->extra.config2;
	e->extra.held = fake ? e->extra.held : 1;
	return true;
}

bool perf_filter_take(struct perf_event *e, struct perf_shared *s, bool fake)
{
	if (!e->extra.used)
		return true;
	switch (pmu_of(e)->filter) {
	case CAT_PMU_FILTER_FIELDS:
		return take_fields(e, s, fake);
	case CAT_PMU_FILTER_BANDS:
		return take_band(e, s, fake);
	default:
		return take_whole(e, s, fake);
	}
}

void perf_filter_drop(struct perf_event *e, struct perf_shared *s)
{
	if (!e->extra.held)
		return;
	if (pmu_of(e)->filter == CAT_PMU_FILTER_BANDS)
		s->refs[e->extra.parts % BANDS] -= e->extra.held;
	else
		for (unsigned i = 0; i < PERF_PARTS; i++)
			s->refs[i] -= e->extra.held >> i & 1;
	e->extra.held = 0;
}

static void put(const struct perf_event *e, unsigned n, uint64_t value)
{
	const struct perf_context *c = e->context;
	struct access_address at = perf_place(c, &cat_regs[pmu_of(e)->filter_reg[n]], 0);

	access_write(c->perf->config.registers, &at, value);
}

void perf_filter_write(const struct perf_event *e)
{
	const struct cat_pmu *p = pmu_of(e);
	const struct perf_shared *s = &e->context->shared;

	if (!e->extra.used)
		return;
	if (p->filter == CAT_PMU_FILTER_MATCH) {
		if (e->context->pmu->box >= p->filter_number)
			return;
		put(e, 0, (uint32_t)e->extra.config1);
		put(e, 1, e->extra.config1 >> 32);
		put(e, 2, (uint32_t)e->extra.config2);
		put(e, 3, e->extra.config2 >> 32);
	} else if (p->filter_regs == 2) {
		put(e, 0, (uint32_t)s->config1);
		put(e, 1, s->config1 >> 32);
	} else {
		put(e, 0, s->config1);
	}
}
