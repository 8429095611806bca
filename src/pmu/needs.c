/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an event needs of registers other than its control: sub-controls that all counters of a
 * box share.  Two selections whose needs differ in a field cannot both hold, and the one whose
 * do not counts nothing.
 */
#include <string.h>

#include "pmu/engine.h"

static bool has_needs(const struct cat_event *e)
{
	return e->needs || (e->umasks && cat_umasks[e->umask0].kind == CAT_UMASK_PICK);
}

static bool same_code(const struct cat_event *a, const struct cat_event *b)
{
	return a->code == b->code && a->ext == b->ext;
}

const struct cat_event *pmu_group(const struct pmu_type *t, const struct cat_event *e)
{
	const struct cat_event *first = NULL;
	unsigned members = 0;

	if (!has_needs(e) || (t->cat->rules & CAT_RULE_BY_SIGNAL))
		return NULL;
	for (unsigned i = 0; i < t->cat->events; i++) {
		const struct cat_event *x = &cat_events[t->cat->event0 + i];

		if (!same_code(x, e) || !has_needs(x))
			continue;
		first = first ? first : x;
		members++;
	}
	return members > 1 ? first : NULL;
}

const struct cat_event *pmu_signal_head(const struct pmu_type *t, const struct cat_event *e)
{
	const struct cat_event *x = &cat_events[t->cat->event0];

	if (!(t->cat->rules & CAT_RULE_BY_SIGNAL) || e->binding != CAT_BIND_SIGNAL)
		return NULL;
	while (x->binding != CAT_BIND_SIGNAL || x->signal != e->signal)
		x++;
	return x;
}

static uint32_t element(const struct box *b, const struct counter *c, const struct cat_reg *r,
			bool *second)
{
	*second = false;
	if (b->type->select->element)
		return b->type->select->element(b, c, r, second);
	return r->role == CAT_CTL ? c->number : 0;
}

static bool holds(const struct box *b, const struct counter *c, const struct cat_need *n)
{
	const struct cat_reg *r = &cat_regs[n->reg];
	bool second;
	uint32_t i = element(b, c, r, &second);
	const struct cat_field *f = &cat_fields[second ? n->field1 : n->field];
	uint64_t value;

	if (i >= r->count)
		return false;
	value = b->socket->value[b->slot0 + b->type->reg_slot[n->reg - b->type->cat->reg0] + i];
	value = bits_get(value, f->hi, f->lo);
	return n->bits ? (value & n->lo) == n->lo : n->lo <= value && value <= n->hi;
}

bool pmu_needs_hold(const struct box *b, const struct counter *c, unsigned need0, unsigned needs)
{
	for (unsigned i = 0; i < needs; i++)
		if (!holds(b, c, &cat_needs[need0 + i]))
			return false;
	return true;
}

uint32_t pmu_slot_named(const struct box *b, const char *end)
{
	const struct cat_type *cat = b->type->cat;
	size_t m = strlen(end);

	for (unsigned i = 0; i < cat->regs; i++) {
		const char *name = cat_str(cat_regs[cat->reg0 + i].name);
		size_t n = strlen(name);

		if (n >= m && strcmp(name + n - m, end) == 0)
			return b->slot0 + b->type->reg_slot[i];
	}
	return PMU_NO_SLOT;
}
