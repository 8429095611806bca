/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of an event string, and what it leaves out.  What an event looks at must have a value, or its
 * reading means nothing: a mask that was not given selects everything, a flag nothing, and a value to compare
 * with has to be given.  A filter that the event does not look at is refused.
 */
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/field_private.h"

static void add_needs(struct apply *a, unsigned filter0, unsigned filters)
{
	for (unsigned i = filter0; i < filter0 + filters; i++) {
		bool known = false;

		for (unsigned k = 0; k < a->needs; k++)
			known |= a->need[k].reg == cat_filters[i].reg &&
				 a->need[k].field == cat_filters[i].field;
		if (!known && a->needs < NEEDS_MAX)
			a->need[a->needs++] = cat_filters[i];
		a->owner |= cat_fields[cat_filters[i].field].match == CAT_MATCH_PART ||
			    cat_fields[cat_filters[i].field].match == CAT_MATCH_NONE;
	}
}

/* Bits of a register that some setting of the event already covers. */
static bool is_covered(const struct event_spec *spec, const struct cat_filter *need)
{
	const struct cat_field *f = cat_fields + need->field;

	for (unsigned i = 0; i < spec->settings; i++)
		if (spec->setting[i].reg == need->reg && spec->setting[i].lo <= f->hi &&
		    f->lo <= spec->setting[i].hi)
			return true;
	return false;
}

static int set_default(struct apply *a, const struct cat_filter *need, struct span event)
{
	const struct cat_field *f = cat_fields + need->field;
	struct event_setting set = { .reg = need->reg, .hi = f->hi, .lo = f->lo };
	unsigned width = (unsigned)(f->hi - f->lo) + 1;

	/* Link 0 takes what came in by any way; only snoops of other sockets have a link. */
	if (f->tag == CAT_TAG_LINK)
		return apply_setting(a, &set, event);
	switch (f->match) {
	case CAT_MATCH_BITS:
	case CAT_MATCH_ANY:
		set.value = bits_low(width);
		break;
	case CAT_MATCH_FLAG:
		break;
	default:
		return event_fail(a->s, event.s, BXS_EINVAL, "%.*s: needs a value for %s: add :%s=...",
				  (int)event.n, event.s, cat_str(f->name), cat_str(f->name));
	}
	return apply_setting(a, &set, event);
}

int apply_own(struct apply *a, unsigned reg, unsigned element, uint64_t rest)
{
	struct event_spec *spec = a->spec;
	struct event_setting whole = { .reg = (uint16_t)reg, .element = (uint8_t)element, .value = rest,
				       .hi = (uint8_t)(cat_regs[reg].width - 1) };
	unsigned kept = 0;

	for (unsigned i = 0; i < spec->settings; i++) {
		const struct event_setting *set = spec->setting + i;

		if (set->reg == reg && set->element == element) {
			whole.value = bits_put(whole.value, set->hi, set->lo, set->value);
			whole.symbol |= set->symbol;
		} else {
			spec->setting[kept++] = *set;
		}
	}
	spec->settings = kept;
	need_place(a, reg, &whole);
	return apply_setting(a, &whole, a->text);
}

/*
 * Match and mask registers are looked at whole, though the event names only some of
 * their fields: what was not given is 0, and nobody else may use them meanwhile.
 */
static int own_filters(struct apply *a)
{
	const struct cat_type *t = cat_types + a->spec->type;
	int err = 0;

	for (unsigned i = t->reg0; err == 0 && i < (unsigned)t->reg0 + t->regs; i++)
		for (unsigned e = 0; err == 0 && e < cat_regs[i].count; e++)
			if (cat_regs[i].role == CAT_FILTER)
				err = apply_own(a, i, e, 0);
	return err;
}

/* Invert and edge come after the threshold and do nothing without one. */
static int check_chain(struct apply *a, const struct event_words *w)
{
	const struct names_type *l = names_layout(a->n, a->spec->type);
	uint64_t c = a->spec->control;
	bool edge = bits_low(l->edge_det.width) & c >> l->edge_det.lo;
	bool invert = bits_low(l->invert.width) & c >> l->invert.lo;

	if ((!edge && !invert) || l->thresh.width == 0 || (bits_low(l->thresh.width) & c >> l->thresh.lo))
		return 0;
	return event_fail(a->s, w->text.s, BXS_EINVAL,
			  "%.*s: %s does nothing without a threshold; add thresh=1",
			  (int)w->text.n, w->text.s, edge ? "edge_det" : "invert");
}

int event_apply_fields(const struct names *n, struct event_scan *s, const struct event_words *w,
		       const uint32_t *umasks, unsigned count, struct event_spec *spec)
{
	const struct cat_event *e = spec->event == NAMES_NONE ? NULL : cat_events + spec->event;
	/* A umask without a name: what it looks at is not known. */
	struct apply a = { .n = n, .s = s, .spec = spec, .any = !e || (e->umasks && !count),
			   .e = e, .umasks = umasks, .count = count, .text = w->text };
	int err = need_start(&a, w);

	if (err < 0)
		return err;
	if (e)
		add_needs(&a, e->filter0, e->filters);
	for (unsigned i = 0; i < count; i++)
		add_needs(&a, cat_umasks[umasks[i]].filter0, cat_umasks[umasks[i]].filters);
	for (unsigned i = 0; i < w->fields; i++) {
		err = apply_field(&a, w->field + i);
		if (err < 0)
			return err;
	}
	a.given_settings = spec->settings;
	err = need_finish(&a);
	if (err < 0)
		return err;
	if (a.owner) {
		err = own_filters(&a);
		return err < 0 ? err : check_chain(&a, w);
	}
	for (unsigned i = 0; i < a.needs; i++) {
		if (a.given[i] || is_covered(spec, a.need + i))
			continue;
		err = set_default(&a, a.need + i, w->text);
		if (err < 0)
			return err;
	}
	return w->fields ? check_chain(&a, w) : 0;
}

uint64_t event_setting_value(const struct event_setting *set, unsigned socket, unsigned sockets, unsigned nodes)
{
	uint64_t mine = bits_low(nodes) << socket * nodes;

	switch (set->symbol) {
	case EVENT_MY_NODE:
		return mine;
	case EVENT_OTHER_NODES:
		return bits_low(sockets * nodes) & ~mine;
	}
	return set->value;
}
