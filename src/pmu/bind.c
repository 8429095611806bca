/* SPDX-License-Identifier: BSD-2-Clause */
/* What a counter counts: its control bound to clocks or to a signal, through its chain. */
#include <string.h>

#include "catalog/find.h"
#include "pmu/engine.h"

static void unbind(struct box *b, struct counter *c)
{
	if (c->hung)
		signal_watch_unhang(b->outlet, c->sig, &c->watch);
	if (c->live)
		b->lives--;
	c->hung = c->live = false;
	c->watch.level = 0;
	c->watch.event = 0;
	c->watch.once = false;
	c->watch.chain = (struct chain){ 0 };
	c->sum = (struct pmu_sum){ 0 };
	signal_watch_start(b->outlet, &c->watch);
}

static void make_live(struct box *b, struct counter *c)
{
	c->live = true;
	b->lives++;
}

/* Every clock of the box counts one, through the chain. */
static void bind_clock(struct box *b, struct counter *c)
{
	c->watch.level = 1;
	make_live(b, c);
}

static struct pmu_bits bits_of(uint16_t field)
{
	const struct cat_field *f = &cat_fields[field];

	return field == CAT_NONE ? (struct pmu_bits){ 0 } : (struct pmu_bits){ f->lo, (uint8_t)(f->hi - f->lo + 1) };
}

static struct pmu_sum sum_of(const struct box *b, uint32_t scale, uint16_t reg, uint16_t rest, uint16_t live)
{
	return (struct pmu_sum){
		.slot = reg == CAT_NONE ? PMU_NO_SLOT : b->slot0 + b->type->reg_slot[reg - b->type->cat->reg0],
		.bits = (uint8_t)__builtin_ctz(scale), .rest = bits_of(rest), .live = bits_of(live),
	};
}

/* An event, or the subevent that the registers pick, may count the overflows of a sum that the box keeps. */
static bool find_sum(const struct box *b, struct counter *c, const struct cat_event *e)
{
	if (!(b->type->cat->rules & CAT_RULE_SUMS))
		return false;
	if (e->scale) {
		c->sum = sum_of(b, e->scale, e->rest_reg, e->rest, e->live);
		return true;
	}
	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = &cat_umasks[e->umask0 + i];

		if (!u->scale || !pmu_needs_hold(b, c, u->need0, u->needs))
			continue;
		c->sum = sum_of(b, u->scale, u->rest_reg, u->rest, u->live);
		return true;
	}
	return false;
}

static void bind_event(struct box *b, struct counter *c, const struct pmu_selection *s,
		       const struct cat_event *e)
{
	const struct cat_event *first = pmu_group(b->type, e);

	if (!pmu_select(b, c, s, e))
		return;
	c->sig = first ? first->signal : e->signal;
	c->rest = 0;
	if (find_sum(b, c, e) && c->sum.slot != PMU_NO_SLOT)
		c->rest = pmu_bits_get(b->socket->value[c->sum.slot], c->sum.rest);
	signal_watch_hang(b->outlet, c->sig, &c->watch);
	c->hung = true;
	make_live(b, c);
}

static bool enabled(const struct box *b, const struct counter *c)
{
	const struct pmu_ctl_layout *l =
		c->kind == COUNTER_FIXED ? &b->type->fixed_ctl : &b->type->ctl;

	/* What is known beside the counters does not depend on whether they run. */
	if (b->outlet == &b->port && b->type->count->runs && !b->type->count->runs(b, c))
		return false;
	/* A control without the bit is always on. */
	return l->en.width == 0 || pmu_bits_get(b->socket->value[c->ctl], l->en);
}

static const struct cat_event *selected(const struct box *b, const struct counter *c,
					const struct pmu_selection *s)
{
	return cat_event_of_code(b->type->cat, s->code, s->ext, UINT32_C(1) << c->bit);
}

/* Events that share a code have each their own needs; see pmu_group(). */
static bool unmet(const struct box *b, const struct counter *c, const struct cat_event *e)
{
	return pmu_group(b->type, e) == NULL && !pmu_needs_hold(b, c, e->need0, e->needs);
}

/* What the box's counter 0 counts, before its chain. */
static void bind_counter0(struct box *b, struct counter *c)
{
	const struct counter *first = b->counter;
	struct pmu_selection s;
	const struct cat_event *e;

	while (first->kind != COUNTER_PROGRAMMED || first->number != 0)
		first++;
	if (!enabled(b, first))
		return;
	s = pmu_decode(b->type, b->socket->value[first->ctl]);
	e = selected(b, first, &s);
	if (e && e->binding == CAT_BIND_CLOCK)
		bind_clock(b, c);
	else if (e && e->binding != CAT_BIND_COUNTER0)
		bind_event(b, c, &s, e);
}

static void bind_programmed(struct box *b, struct counter *c)
{
	struct pmu_selection s = pmu_decode(b->type, b->socket->value[c->ctl]);
	const struct cat_event *e = selected(b, c, &s);

	if (!e)
		return;
	c->watch.chain = (struct chain){ .threshold = s.threshold, .invert = s.invert,
					 .edge = s.edge };
	c->watch.once = e->once;
	if (unmet(b, c, e)) {
		if (b->type->cat->rules & CAT_RULE_UNMET_CLOCKS)
			bind_clock(b, c);
	} else if (e->binding == CAT_BIND_CLOCK)
		bind_clock(b, c);
	else if (e->binding == CAT_BIND_COUNTER0)
		bind_counter0(b, c);
	else
		bind_event(b, c, &s, e);
}

static void bind_free(struct box *b, struct counter *c)
{
	const struct cat_reg *r = &cat_regs[b->socket->pmu->by_slot[c->ctr].reg];
	const struct cat_event *e = &cat_events[r->counts];
	struct pmu_selection s;

	if (r->counts == CAT_NONE)
		return;
	s = (struct pmu_selection){ .code = e->code, .ext = e->ext, .umask = r->counts_umask };
	c->watch.chain = (struct chain){ .threshold = r->thresh };
	if (e->binding == CAT_BIND_CLOCK)
		bind_clock(b, c);
	else
		bind_event(b, c, &s, e);
}

void pmu_bind(struct box *b, struct counter *c)
{
	const uint64_t *value = b->socket->value;

	if (b->type->select->bind) {
		b->type->select->bind(b, c);
		return;
	}
	unbind(b, c);
	if (c->kind == COUNTER_FREE) {
		c->enabled = true;
		bind_free(b, c);
		return;
	}

	const struct pmu_ctl_layout *l =
		c->kind == COUNTER_FIXED ? &b->type->fixed_ctl : &b->type->ctl;

	c->enabled = enabled(b, c);
	c->held = pmu_bits_get(value[c->ctl], l->rst);
	c->ov_en = pmu_bits_get(value[c->ctl], l->ov_en);
	if (!c->enabled)
		return;
	if (c->kind == COUNTER_FIXED)
		bind_clock(b, c);
	else
		bind_programmed(b, c);
}

void pmu_bind_all(struct box *b)
{
	for (unsigned i = 0; i < b->type->counters; i++)
		pmu_bind(b, &b->counter[i]);
}
