/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an event needs of registers other than its control: `needs`, `param`, `message` and `ports` of the
 * catalogue (docs/reference/catalogue.md), and the filters that its scopes bring in.  All of it becomes settings,
 * which the assignment compares: two events that need different values of one field cannot be
 * counted at the same time.  What an event looks at is asked in need_look.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "measure/field_private.h"

/* Are the events of this one's code told apart by flags that would add up, so that the register is its own? */
static bool adds_up(const struct apply *a, unsigned reg)
{
	const struct cat_reg *r = cat_regs + reg;

	return a->port >= 0 && r->count == 2 * cat_types[r->type].ports;
}

/* The setting that has all bits of another, or NULL; *value: what it gives them. */
static const struct event_setting *covering(const struct event_spec *spec,
					     const struct event_setting *of, uint64_t *value)
{
	for (unsigned i = 0; i < spec->settings; i++) {
		const struct event_setting *s = spec->setting + i;

		if (s->reg != of->reg || s->element != of->element || s->lo > of->lo || s->hi < of->hi)
			continue;
		*value = bits_get(s->value << s->lo, of->hi, of->lo);
		return s;
	}
	return NULL;
}

static int fail_need(struct apply *a, const struct cat_need *n, uint64_t value, const char *who)
{
	char right[48];

	if (n->bits || n->lo == n->hi)
		snprintf(right, sizeof right, "%#x", n->lo);
	else
		snprintf(right, sizeof right, "%#x to %#x", n->lo, n->hi);
	return event_fail(a->s, a->s->start, BXS_EINVAL, "%s.%s: %s needs %s=%s, not %#llx", apply_box(a),
			  cat_str(a->e->name), who, cat_str(cat_fields[n->field].name), right,
			  (unsigned long long)value);
}

/* A field of the control itself. */
static int need_control(struct apply *a, const struct cat_need *n, const char *who)
{
	const struct cat_field *f = cat_fields + n->field;
	uint64_t value = bits_get(a->spec->control, f->hi, f->lo);

	if (value >= n->lo && value <= n->hi)
		return 0;
	if (a->control_given & bits_mask(f->hi, f->lo))
		return fail_need(a, n, value, who);
	a->spec->control = bits_put(a->spec->control, f->hi, f->lo, n->lo);
	return 0;
}

static struct event_setting setting_of(const struct apply *a, const struct cat_need *n)
{
	const struct cat_field *f = cat_fields + n->field, *f1 = cat_fields + n->field1;
	struct event_setting set = { .reg = n->reg, .hi = f->hi, .lo = f->lo, .value = n->lo };

	need_place(a, n->reg, &set);
	if (f1 != f && a->spec->second)
		set.shift = (uint8_t)(f1->lo - f->lo);
	return set;
}

/* Subevents ORed that are bits of one field share a setting; others must agree. */
static int need_one(struct apply *a, const struct cat_need *n, const char *who)
{
	struct event_setting set = setting_of(a, n);
	struct event_setting *there;
	uint64_t value;

	if (cat_regs[n->reg].role == CAT_CTL)
		return need_control(a, n, who);
	there = (struct event_setting *)covering(a->spec, &set, &value);
	if (!there)
		return apply_setting(a, &set, a->text);
	if (n->bits && there >= a->spec->setting + a->given_settings) {
		there->value |= (uint64_t)n->lo << (set.lo - there->lo);
		return 0;
	}
	if (n->bits ? (value & n->lo) == n->lo : value >= n->lo && value <= n->hi)
		return 0;
	return fail_need(a, n, value, who);
}

static int need_param(struct apply *a, const struct cat_ask *ask)
{
	const struct cat_field *f = cat_fields + ask->field;
	unsigned reg = ask->reg;
	uint64_t value = ask->value, other;
	bool valued = ask->valued;

	if (!valued && f->has_preset) {
		valued = true;
		value = f->preset;
	}
	if (cat_regs[reg].role == CAT_CTL) {
		if (valued && !(a->control_given & bits_mask(f->hi, f->lo)))
			a->spec->control = bits_put(a->spec->control, f->hi, f->lo, value);
		return 0;
	}

	struct event_setting set = { .reg = (uint16_t)reg, .hi = f->hi, .lo = f->lo, .value = value };

	need_place(a, reg, &set);
	if (covering(a->spec, &set, &other))
		return 0;
	if (valued)
		return apply_setting(a, &set, a->text);
	return event_fail(a->s, a->text.s, BXS_EINVAL, "%.*s: needs a value for %s: add :%s=...",
			  (int)a->text.n, a->text.s, cat_str(f->name), cat_str(f->name));
}

/* Match and mask of a message of the catalogue, in the registers that hold its parts. */
static int need_message(struct apply *a, const struct cat_message *m)
{
	const struct cat_type *t = cat_types + a->spec->type;
	const uint64_t part[] = {
		[CAT_HOLDS_MATCH0] = m->match0, [CAT_HOLDS_MASK0] = m->mask0, [CAT_HOLDS_MATCH1] = m->match1,
		[CAT_HOLDS_MASK1] = m->mask1, [CAT_HOLDS_MATCH] = m->match0 | (uint64_t)m->match1 << 32,
		[CAT_HOLDS_MASK] = m->mask0 | (uint64_t)m->mask1 << 32,
	};
	int err = 0;

	for (unsigned i = t->reg0; i < (unsigned)t->reg0 + t->regs && err == 0; i++) {
		struct event_setting set = { .reg = (uint16_t)i, .hi = (uint8_t)(cat_regs[i].width - 1),
					     .value = part[cat_regs[i].holds] };

		need_place(a, i, &set);
		if (cat_regs[i].holds != CAT_HOLDS_NONE)
			err = apply_setting(a, &set, a->text);
	}
	return err;
}

static int need_owners(struct apply *a)
{
	int err = 0;

	for (unsigned i = 0; i <= a->count && err == 0; i++) {
		struct need_owner o = need_owner(a, i);

		for (unsigned k = 0; k < o.needs && err == 0; k++)
			err = need_one(a, cat_needs + o.need0 + k, o.name);
		if (err == 0 && o.message != CAT_NONE)
			err = need_message(a, cat_messages + o.message);
	}
	for (unsigned i = 0; i <= a->count && err == 0; i++) {
		struct need_owner o = need_owner(a, i);

		for (unsigned k = 0; k < o.asks && err == 0; k++)
			err = need_param(a, cat_asks + o.ask0 + k);
	}
	return err;
}

static int narrow_field(struct apply *a, unsigned reg, const struct cat_field *f)
{
	struct event_setting set = { .reg = (uint16_t)reg, .hi = f->hi, .lo = f->lo,
				     .value = f->has_preset ? f->preset : 0 };
	uint64_t value;

	return covering(a->spec, &set, &value) ? 0 : apply_setting(a, &set, a->text);
}

/* Filters that the event's scopes bring in: a register that narrows with all its fields is one setting. */
static int need_narrow(struct apply *a, unsigned reg)
{
	const struct cat_reg *r = cat_regs + reg;
	unsigned looked = 0, fields = 0;
	int err = 0;

	for (unsigned k = 0; k < r->fields; k++) {
		const struct cat_field *f = cat_fields + r->field0 + k;

		fields += f->attr != CAT_RV;
		looked += f->attr != CAT_RV && need_narrows(a, f);
	}
	if (looked && looked == fields)
		return apply_own(a, reg, 0, cat_presets(cat_regs + reg));
	for (unsigned k = 0; looked && k < r->fields && err == 0; k++)
		if (need_narrows(a, cat_fields + r->field0 + k))
			err = narrow_field(a, reg, cat_fields + r->field0 + k);
	return err;
}

/* `choose`: one pick of each field, or one pick. */
static int check_choice(struct apply *a)
{
	bool both = a->e->choose == CAT_CHOOSE_BOTH;

	if (!a->count)
		return 0;
	if (a->e->choose == CAT_CHOOSE_ONE && a->count > 1)
		return event_fail(a->s, a->text.s, BXS_EINVAL, "%.*s: only one of the subevents can be chosen",
				  (int)a->text.n, a->text.s);
	for (unsigned i = 0; both && i < a->e->umasks; i++) {
		const struct cat_umask *u = cat_umasks + a->e->umask0 + i;
		bool chosen = false;

		for (unsigned k = 0; k < a->count; k++)
			chosen |= u->needs && cat_needs[cat_umasks[a->umasks[k]].need0].field ==
						      cat_needs[u->need0].field;
		if (!chosen)
			return event_fail(a->s, a->text.s, BXS_EINVAL,
					  "%.*s: counts nothing until %s is chosen too, as in +%s",
					  (int)a->text.n, a->text.s, cat_str(cat_fields[cat_needs[u->need0].field].name),
					  cat_str(u->name));
	}
	return 0;
}

static void need_scale(struct apply *a)
{
	for (unsigned i = 0; i <= a->count; i++) {
		struct need_owner o = need_owner(a, i);

		if (!o.scale)
			continue;
		a->spec->scale = o.scale;
		if (o.rest != CAT_NONE) {
			a->spec->rest_reg = o.rest_reg;
			a->spec->rest_field = o.rest;
		}
	}
}

/* The kinds of a register's field, a bit each (`takes` of the catalogue). */
static unsigned kinds_of(const struct cat_reg *r, unsigned field)
{
	unsigned kinds = 0;

	for (unsigned i = r->take0; i < r->take0 + (unsigned)r->takes; i++)
		if (cat_takes[i].field == field)
			kinds |= 1u << cat_takes[i].kind;
	return kinds;
}

/* Does the event string give a field? */
static bool is_given(const struct apply *a, unsigned reg, const struct cat_field *f)
{
	for (unsigned i = 0; i < a->spec->settings; i++)
		if (a->spec->setting[i].reg == reg && a->spec->setting[i].lo <= f->hi && a->spec->setting[i].hi >= f->lo)
			return true;
	return false;
}

/* What the other fields of such a register hold: of the kinds that the event string says nothing of, their presets. */
static uint64_t rest_of(const struct apply *a, unsigned reg)
{
	const struct cat_reg *r = cat_regs + reg;
	unsigned given = 0;
	uint64_t value = 0;

	for (unsigned i = r->field0; i < r->field0 + (unsigned)r->fields; i++)
		if (is_given(a, reg, cat_fields + i))
			given |= kinds_of(r, i);
	for (unsigned i = r->field0; i < r->field0 + (unsigned)r->fields; i++)
		if (cat_fields[i].has_preset && !(kinds_of(r, i) & given))
			value = bits_put(value, cat_fields[i].hi, cat_fields[i].lo, cat_fields[i].preset);
	return value;
}

/* Is all of the register the event's? */
static bool is_own(const struct apply *a, unsigned reg)
{
	bool match = cat_regs[reg].holds && need_has_message(a->e), sub = need_is_sub(a->e, reg);

	return (adds_up(a, reg) && (match || sub)) || (cat_regs[reg].takes && sub);
}

int need_finish(struct apply *a)
{
	const struct cat_type *t;
	int err;

	if (!a->e)
		return 0;
	t = cat_types + a->e->type;
	err = check_choice(a);
	if (err == 0)
		err = need_owners(a);
	for (unsigned i = t->reg0; i < (unsigned)t->reg0 + t->regs && err == 0; i++) {
		if (names_layout(a->n, a->e->type)->narrowed)
			err = need_narrow(a, i);
		if (err == 0 && is_own(a, i)) {
			struct event_setting set = { .reg = (uint16_t)i };

			need_place(a, i, &set);
			err = apply_own(a, i, set.element, rest_of(a, i));
		}
	}
	need_scale(a);
	return err;
}
