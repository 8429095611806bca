/* SPDX-License-Identifier: BSD-2-Clause */
/* What the counters of a logical CPU count: totals of the PMU's source, as far as their selections take them. */
#include "catalog/find.h"
#include "pmu/cpu.h"
#include "pmu/engine.h"

#define NO_CODE UINT32_MAX	/* of no event */

/* The counter mask that belongs to a subevent's encoding. */
static uint32_t mask_of(const struct cat_umask *u)
{
	return u->needs ? cat_needs[u->need0].lo : 0;
}

/* The subevent whose encoding that is, or NULL. */
static const struct cat_umask *row_of(const struct cat_event *e, uint32_t umask)
{
	for (unsigned i = 0; i < e->umasks; i++)
		if (cat_umasks[e->umask0 + i].umask == umask)
			return &cat_umasks[e->umask0 + i];
	return NULL;
}

/* Is each bit of the mask one that may be ORed with others, and that we know the count of? */
static bool all_known(const struct cat_event *e, uint32_t umask)
{
	uint32_t known = 0;

	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = &cat_umasks[e->umask0 + i];

		if (u->kind == CAT_UMASK_BIT && !u->undriven)
			known |= u->umask;
	}
	return umask && !(umask & ~known);
}

/* Do we know what an event of this mask and counter mask counts? */
static bool known(const struct cat_event *e, const struct pmu_selection *s)
{
	const struct cat_umask *u = e ? row_of(e, s->umask) : NULL;

	if (!e || e->binding != CAT_BIND_SIGNAL || e->undriven)
		return false;
	if (u)
		return !u->undriven && s->threshold == mask_of(u);
	return s->threshold == 0 && all_known(e, s->umask);
}

/* What is not known is no event.  The threshold is part of an encoding: nothing goes through a chain. */
void cpu_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s)
{
	if (!pmu_bits_get(ctl, t->ctl.usr) || s->edge || s->invert ||
	    !known(cat_event_of_code(t->cat, s->code, s->ext, UINT32_MAX), s))
		s->code = NO_CODE;
}

/* The event of a control, whatever else it says; NULL: there is none. */
static const struct cat_event *event_of(const struct pmu_type *t, uint64_t control, struct pmu_selection *s)
{
	*s = (struct pmu_selection){
		.code = (uint32_t)pmu_bits_get(control, t->ctl.ev_sel), .umask = (uint32_t)pmu_bits_get(control, t->ctl.umask),
		.threshold = (uint16_t)pmu_bits_get(control, t->ctl.thresh),
	};
	return cat_event_of_code(t->cat, s->code, 0, UINT32_MAX);
}

const char *pmu_cpu_silent(const struct pmu *p, uint64_t control)
{
	unsigned type = pmu_cpu_type(p);
	const struct pmu_type *t = &p->type[type == PMU_TYPES ? 0 : type];
	struct pmu_selection s;

	if (type == PMU_TYPES)
		return "these cores have no such counters";
	if (!pmu_bits_get(control, t->ctl.usr))
		return "programs run in ring 3, and its user bit is 0";
	if (pmu_bits_get(control, t->ctl.edge_det) || pmu_bits_get(control, t->ctl.invert))
		return "edge and invert are not modelled";
	return known(event_of(t, control, &s), &s) ? NULL : "this event, umask and counter mask are not modelled";
}

unsigned pmu_cpu_only(const struct pmu *p, uint64_t control)
{
	unsigned type = pmu_cpu_type(p);
	struct pmu_selection s;
	const struct cat_event *e = type == PMU_TYPES ? NULL : event_of(&p->type[type], control, &s);
	const struct cat_umask *u = e ? row_of(e, s.umask) : NULL;

	return u && s.threshold == mask_of(u) ? u->counters : 0;
}

/* Does a register of sub-selections let an occurrence through? */
static bool responds(const struct counter *c, uint64_t flags)
{
	unsigned asked = 0, held = 0;

	for (unsigned i = c->take0; i < c->take0 + (unsigned)c->takes; i++) {
		const struct cat_take *t = &cat_takes[i];
		const struct cat_field *f = &cat_fields[t->field];
		bool takes = t->conds == 0;

		for (unsigned k = t->cond0; k < t->cond0 + (unsigned)t->conds; k++)
			takes |= (flags & cat_conds[k].care) == cat_conds[k].want;
		asked |= 1u << t->kind;
		if (takes && bits_get(c->response, f->hi, f->lo) == bits_low(f->hi - f->lo + 1u))
			held |= 1u << t->kind;
	}
	return held == asked;
}

struct sum {
	const struct counter *counter;
	uint64_t n;
};

static void take(void *taker, uint64_t flags, uint64_t n)
{
	struct sum *s = taker;

	if (signal_hits(&s->counter->watch, flags, NULL) && responds(s->counter, flags))
		s->n += n;
}

/* All that a counter would have counted since reset, had it always counted. */
static uint64_t total(const struct box *b, const struct counter *c)
{
	const struct pmu *p = b->socket->pmu;
	unsigned box = c->any ? b->index % p->cores : b->index;
	struct sum s = { .counter = c };

	if (c->watch.alts && p->source)
		p->source->totals(p->source_ctx, &(struct pmu_box){ b->socket->number, pmu_cpu_type(p), box }, c->sig, take, &s);
	return s.n;
}

/* A counter's bit in the global registers. */
static unsigned global_bit(const struct box *b, const struct counter *c)
{
	return c->kind == COUNTER_FREE ? ((const struct cpu_own *)b->own)->fixed[c->number].enable : c->number;
}

static void add(struct box *b, struct counter *c, uint64_t n)
{
	uint64_t sum = c->value + n;

	c->value = sum & bits_low(c->width);
	if (sum >> c->width)
		b->socket->value[b->slot0 + b->type->status_slot] |= UINT64_C(1) << global_bit(b, c);
}

void cpu_settle(struct box *b, struct counter *c)
{
	uint64_t now;

	if (!c->enabled)
		return;
	now = total(b, c);
	add(b, c, now - c->from);
	c->from = now;
}

void cpu_settle_all(struct box *b)
{
	for (unsigned i = 0; i < b->type->counters; i++)
		cpu_settle(b, &b->counter[i]);
}

/* The registers that an event names by `sub` narrow it as they stand. */
static void bind_response(const struct box *b, struct counter *c, const struct cat_event *e)
{
	const struct cat_reg *r;

	c->takes = 0;
	if (!e->subs)
		return;
	r = &cat_regs[cat_subs[e->sub0]];
	c->take0 = r->take0;
	c->takes = r->takes;
	c->response = b->socket->value[b->slot0 + b->type->reg_slot[r - cat_regs - b->type->cat->reg0]];
}

/* Does the counter run, and for which threads?  As far as its own control says. */
static void read_control(const struct box *b, struct counter *c)
{
	const struct cpu_own *own = b->own;
	const struct cpu_fixed *fixed = &own->fixed[c->number % CPU_FIXED];
	bool is_fixed = c->kind == COUNTER_FREE;
	uint64_t control = b->socket->value[is_fixed ? b->slot0 + own->fixed_ctrl : c->ctl];

	c->enabled = is_fixed ? control >> fixed->usr & 1 : pmu_bits_get(control, b->type->ctl.en);
	c->any = is_fixed ? control >> fixed->any & 1 : pmu_bits_get(control, b->type->ctl.any);
}

/* What it counts, or NULL. */
static const struct cat_event *selected(const struct box *b, const struct counter *c, struct pmu_selection *s)
{
	const struct cat_event *e;

	if (c->kind == COUNTER_FREE) {
		e = &cat_events[cat_regs[b->socket->pmu->by_slot[c->ctr].reg].counts];
		*s = (struct pmu_selection){ .code = e->code, .ext = e->ext };
		return e;
	}
	*s = pmu_decode(b->type, b->socket->value[c->ctl]);
	return cat_event_of_code(b->type->cat, s->code, s->ext, UINT32_MAX);
}

void cpu_bind(struct box *b, struct counter *c)
{
	const struct cpu_own *own = b->own;
	struct pmu_selection s;
	const struct cat_event *e;

	cpu_settle(b, c);
	read_control(b, c);
	c->enabled &= b->socket->value[b->slot0 + own->global_ctrl] >> global_bit(b, c) & 1;
	c->watch.alts = 0;
	/* Of a counter that stands nothing is asked; what is known beside the counters does not depend on whether they run. */
	if (!c->enabled && b->outlet == &b->port)
		return;
	e = selected(b, c, &s);
	if (e && e->binding == CAT_BIND_SIGNAL && pmu_select(b, c, &s, e)) {
		c->sig = e->signal;
		bind_response(b, c, e);
	}
	c->from = total(b, c);
}

uint64_t cpu_since(const struct box *b, const struct counter *c)
{
	return total(b, c) - c->from;
}

/* Does a control select the event and, if one is given, the subevent? */
static bool asks_for(const struct box *b, const struct counter *c, const struct cat_event *e, const struct cat_umask *u)
{
	struct pmu_selection s;
	const struct cat_umask *row;

	if (c->kind == COUNTER_FREE)
		return &cat_events[cat_regs[b->socket->pmu->by_slot[c->ctr].reg].counts] == e;
	if (event_of(b->type, b->socket->value[c->ctl], &s) != e)
		return false;
	row = row_of(e, s.umask);
	return !u || row == u || (!row && u->kind == CAT_UMASK_BIT && (s.umask & u->umask) == u->umask);
}

int cpu_raise(struct box *b, const struct cat_event *e, const struct cat_umask *u, bool level, uint64_t n)
{
	if (level)
		return BXS_ENOTSUP;
	cpu_settle_all(b);
	for (unsigned i = 0; i < b->type->counters; i++) {
		struct counter *c = &b->counter[i];

		if (c->enabled && asks_for(b, c, e, u))
			add(b, c, n);
	}
	return 0;
}
