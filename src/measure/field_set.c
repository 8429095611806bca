/* SPDX-License-Identifier: BSD-2-Clause */
/* One field of an event string: bits of the control, or a filter in another register of the box. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/field_private.h"
#include "measure/near.h"

/* Short forms that people type. */
static struct span full_name(struct span name)
{
	if (names_same(name, "edge"))
		return (struct span){ "edge_det", 8 };
	if (names_same(name, "inv"))
		return (struct span){ "invert", 6 };
	if (names_same(name, "ext"))
		return (struct span){ "ev_sel_ext", 10 };
	return name;
}

bool event_is_field(const struct names *n, struct span name)
{
	return names_is_field(n, full_name(name));
}

int apply_setting(struct apply *a, const struct event_setting *set, struct span shown)
{
	struct event_spec *spec = a->spec;

	for (unsigned i = 0; i < spec->settings; i++) {
		const struct event_setting *o = spec->setting + i;

		if (o->reg == set->reg && o->element == set->element && o->lo <= set->hi &&
		    set->lo <= o->hi)
			return event_fail(a->s, shown.s, BXS_EINVAL, "%s: %.*s is given twice",
					  apply_box(a), (int)shown.n, shown.s);
	}
	if (spec->settings == EVENT_SETTINGS)
		return event_fail(a->s, shown.s, BXS_EINVAL, "%s: more than %d filter fields",
				  apply_box(a), EVENT_SETTINGS);
	spec->setting[spec->settings++] = *set;
	return 0;
}

static int set_control(struct apply *a, const struct event_field *w, struct span name,
		       const struct cat_field *f)
{
	unsigned width = (unsigned)(f->hi - f->lo) + 1;
	uint64_t value;
	uint8_t symbol;
	int err;

	if (field_is_ours(f))
		return event_fail(a->s, w->name.s, BXS_EINVAL, "%s: %.*s is not for the event string to set", apply_box(a),
				  (int)w->name.n, w->name.s);
	if (a->control_given & bits_mask(f->hi, f->lo))
		return event_fail(a->s, w->name.s, BXS_EINVAL, "%s: %.*s is given twice", apply_box(a), (int)w->name.n,
				  w->name.s);
	err = apply_value(a, w, name, f, width, &value, &symbol);
	if (err < 0)
		return err;
	a->spec->control = bits_put(a->spec->control, f->hi, f->lo, value);
	a->control_given |= bits_mask(f->hi, f->lo);
	return 0;
}

/* Mark the need that field f of register reg answers.  false: the event does not look
 * at it. */
static bool answer_need(struct apply *a, unsigned reg, const struct cat_field *f)
{
	bool found = a->any || (a->owner && cat_regs[reg].role == CAT_FILTER) ||
		     need_looks(a, reg, f);

	for (unsigned i = 0; i < a->needs; i++)
		if (a->need[i].reg == reg && cat_fields + a->need[i].field == f)
			found = a->given[i] = true;
	return found;
}

static int set_filter(struct apply *a, const struct event_field *w, unsigned reg, unsigned element,
		      const struct cat_field *f)
{
	const struct names_type *l = names_layout(a->n, a->spec->type);
	struct event_setting set = { .reg = (uint16_t)reg, .element = (uint8_t)element,
				     .hi = f->hi, .lo = f->lo };
	unsigned width = (unsigned)(f->hi - f->lo) + 1;
	int err;

	err = apply_value(a, w, w->name, f, width, &set.value, &set.symbol);
	if (err < 0)
		return err;
	if (!answer_need(a, reg, f)) {
		/* The thread filter is the one that any event of the box can ask for. */
		if (f->tag != CAT_TAG_TID || l->tid_en.width == 0)
			/* A with-clause over a bracket is for those in it that look. */
			return a->s->equation ? 0 : field_fail_unseen(a, w->name, reg, f);
		a->spec->control = names_put(a->spec->control, l->tid_en, 1);
	}
	need_place(a, reg, &set);
	return apply_setting(a, &set, w->name);
}

/* Reg[hi:lo]=value: no field, just bits. */
static int set_range(struct apply *a, const struct event_field *w, unsigned reg, unsigned element)
{
	struct event_setting set = { .reg = (uint16_t)reg, .element = (uint8_t)element };
	const char *colon = memchr(w->range.s, ':', w->range.n);
	const char *last = w->range.s + w->range.n - 1;
	uint64_t hi, lo;
	int err;

	if (!colon ||
	    !event_number((struct span){ w->range.s + 1, (size_t)(colon - w->range.s - 1) }, &hi) ||
	    !event_number((struct span){ colon + 1, (size_t)(last - colon - 1) }, &lo) ||
	    hi < lo || hi >= cat_regs[reg].width)
		return event_fail(a->s, w->range.s, BXS_EINVAL, "%s: no bits %.*s in %s", apply_box(a),
				  (int)w->range.n, w->range.s, cat_str(cat_regs[reg].name));
	set.hi = (uint8_t)hi;
	set.lo = (uint8_t)lo;
	err = apply_value(a, w, w->range, NULL, set.hi - set.lo + 1u, &set.value, &set.symbol);
	return err < 0 ? err : apply_setting(a, &set, w->range);
}

/* A filter by its name alone: one the event looks at before any other. */
static int apply_filter(struct apply *a, const struct event_field *w)
{
	const struct cat_type *t = cat_types + a->spec->type;
	unsigned where = 0;
	const struct cat_field *found = need_field(a, w->name, &where);

	if (found)
		return set_filter(a, w, where, 0, found);
	for (unsigned i = 0; i < a->needs; i++) {
		const struct cat_field *f = cat_fields + a->need[i].field;

		if (names_same(w->name, cat_str(f->name)) || names_same(w->name, cat_str(f->as)))
			return set_filter(a, w, a->need[i].reg, 0, f);
	}
	for (unsigned i = t->reg0; i < (unsigned)t->reg0 + t->regs; i++) {
		const struct cat_field *f;

		if (cat_regs[i].role == CAT_CTL)
			continue;
		f = names_find_field(a->n, i, w->name);
		if (!f)
			continue;
		if (found)
			return event_fail(a->s, w->name.s, BXS_EINVAL,
					  "%s: %.*s is a field of %s and of %s; write with:REGISTER.%.*s=...",
					  apply_box(a), (int)w->name.n, w->name.s,
					  cat_str(cat_regs[where].name), cat_str(cat_regs[i].name),
					  (int)w->name.n, w->name.s);
		found = f;
		where = i;
	}
	return found ? set_filter(a, w, where, 0, found) : field_fail(a, w->name);
}

/* The manual often leaves the number of the filter register out: then the one that has
 * the field is meant. */
static uint32_t find_numbered(const struct apply *a, const struct event_field *w)
{
	const struct cat_type *t = cat_types + a->spec->type;

	for (unsigned i = t->reg0; w->name.n && i < (unsigned)t->reg0 + t->regs; i++) {
		const char *name = cat_str(cat_regs[i].name);

		if (strlen(name) == w->reg.n + 1 && strncasecmp(name, w->reg.s, w->reg.n) == 0 &&
		    names_field_of(cat_regs + i, w->name))
			return i;
	}
	return NAMES_NONE;
}

/* Reg.field or Reg[hi:lo] */
static int apply_qualified(struct apply *a, const struct event_field *w)
{
	unsigned element;
	uint32_t reg = names_find_element(a->n, a->spec->type, w->reg, &element);
	const struct cat_field *f;

	if (reg == NAMES_NONE)
		reg = find_numbered(a, w);
	if (reg == NAMES_NONE)
		return field_fail_register(a, w->reg);
	if (w->range.n)
		return set_range(a, w, reg, element);
	f = names_field_of(cat_regs + reg, w->name);
	if (!f)
		return field_fail_in(a, w->name, cat_regs + reg);
	if (cat_regs[reg].role == CAT_CTL)
		return set_control(a, w, w->name, f);
	return set_filter(a, w, reg, element, f);
}

/* rx=DRS.DataC_M, tx=...: a packet of the catalogue sets its match and mask registers. */
static int set_message(struct apply *a, const struct event_field *w, const char *direction)
{
	static const char *const registers[] = { "MATCH0", "MASK0", "MATCH1", "MASK1" };
	const struct cat_family *f = names_family(a->n);
	struct near near = { .names = 0 };
	char name[64], hint[160];

	for (unsigned i = f->message0; i < (unsigned)f->message0 + f->messages; i++) {
		const struct cat_message *m = cat_messages + i;
		const uint32_t value[] = { m->match0, m->mask0, m->match1, m->mask1 };
		int err = 0;

		near_offer(&near, cat_str(m->name));
		if (!names_same(w->value, cat_str(m->name)))
			continue;
		for (unsigned k = 0; err == 0 && k < LEN(registers); k++) {
			struct event_setting set = { .value = value[k], .hi = 31 };
			unsigned element;
			int len = snprintf(name, sizeof name, "Q_Py_PCI_PMON_PKT_%s_%s", direction,
					   registers[k]);
			uint32_t reg = names_find_element(a->n, a->spec->type,
							  (struct span){ name, (size_t)len }, &element);

			if (reg == NAMES_NONE)
				return BXS_EBUG;
			set.reg = (uint16_t)reg;
			set.element = (uint8_t)element;
			err = apply_setting(a, &set, w->name);
		}
		return err;
	}
	return event_fail(a->s, w->value.n ? w->value.s : w->name.s, BXS_ENOENT,
			  "%s: no message %.*s%s", apply_box(a), (int)w->value.n, w->value.s,
			  near_or_all(&near, w->value, "there are", hint, sizeof hint));
}

static int apply_ours(struct apply *a, const struct event_field *w)
{
	const struct names_type *l = names_layout(a->n, a->spec->type);

	if (w->reg.n)
		return apply_qualified(a, w);
	if (a->port >= 0 && names_same(w->name, "port"))
		return 0;
	if (a->owner && cat_regs[a->need[0].reg].count > 1) {
		if (names_same(w->name, "rx"))
			return set_message(a, w, "Rx");
		if (names_same(w->name, "tx"))
			return set_message(a, w, "Tx");
	}

	const struct cat_field *f = l->ctl == NAMES_NONE
					    ? NULL
					    : names_find_field(a->n, l->ctl, full_name(w->name));

	if (f)
		return set_control(a, w, w->name, f);
	return apply_filter(a, w);
}

/*
 * Is this line of the catalogue about a field of that name, of the box or of all of them?  libpfm4's one-letter modifiers
 * belong to its own notation: among fields of ours they are slips.
 */
static bool is_about(const struct apply *a, const struct cat_alias *alias, struct span name)
{
	const char *other = cat_str(alias->name);

	return alias->kind == CAT_ALIAS_IS && alias->tool != CAT_TOOL_LIBPFM4 && *other == ':' && names_same(name, other + 1) &&
	       (alias->type == a->spec->type || alias->type == CAT_NOTYPE);
}

/*
 * The field by the name that other tools have for it: what stands there means a field of ours, or bits of a register.
 * filter_opc of perf is opc.  false: none has such a name.
 */
static bool rename_field(const struct apply *a, struct event_field *w)
{
	const struct cat_family *f = names_family(a->n);

	for (unsigned i = f->alias0; i < (unsigned)f->alias0 + f->aliases; i++) {
		const char *to = cat_str(cat_aliases[i].to);
		size_t n = strcspn(to, "[");

		if (!is_about(a, cat_aliases + i, w->name) || strpbrk(to, ",=?"))
			continue;
		if (to[n])
			*w = (struct event_field){ .reg = { to, n }, .range = { to + n, strlen(to + n) }, .value = w->value };
		else
			w->name = (struct span){ to, n };
		return true;
	}
	if (w->name.n <= 7 || strncasecmp(w->name.s, "filter_", 7) != 0)
		return false;
	w->name = (struct span){ w->name.s + 7, w->name.n - 7 };
	return true;
}

/* Is the name another tool's, and none of ours? */
static bool is_foreign(const struct apply *a, const struct event_field *w, struct event_field *ours)
{
	*ours = *w;
	return !w->reg.n && !event_is_field(a->n, w->name) && rename_field(a, ours);
}

int apply_field(struct apply *a, const struct event_field *w)
{
	struct event_field ours;
	int err;

	if (!is_foreign(a, w, &ours))
		return apply_ours(a, w);
	err = apply_ours(a, &ours);
	if (err < 0)
		a->s->err->at = (size_t)(w->name.s - a->s->start);
	return err;
}
