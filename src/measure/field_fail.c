/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of a field that an event string cannot set: what is wrong, and what would be right. */
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/field_private.h"
#include "measure/near.h"

bool field_is_ours(const struct cat_field *f)
{
	static const char *const ours[] = { "en", "ov_en", "rst", "ev_sel", "umask" };

	for (unsigned i = 0; i < LEN(ours); i++)
		if (strcmp(cat_str(f->as), ours[i]) == 0)
			return true;
	return false;
}

static const char *event_name(const struct apply *a)
{
	return a->spec->event == NAMES_NONE ? "a raw event" : cat_str(cat_events[a->spec->event].name);
}

int field_fail_unseen(struct apply *a, struct span name, unsigned reg, const struct cat_field *f)
{
	struct near near = { .names = 0 };
	char hint[160];

	for (unsigned i = 0; a->e && i < a->e->umasks; i++) {
		const struct cat_umask *u = cat_umasks + a->e->umask0 + i;

		for (unsigned k = u->filter0; k < (unsigned)u->filter0 + u->filters; k++)
			if (cat_filters[k].reg == reg && cat_fields + cat_filters[k].field == f)
				near_offer(&near, cat_str(u->name));
	}
	return event_fail(a->s, name.s, BXS_EINVAL, "%s.%s%s%s does not look at %s%s", apply_box(a), event_name(a),
			  a->count == 1 ? "." : "", a->count == 1 ? cat_str(cat_umasks[a->umasks[0]].name) : "",
			  cat_str(f->name),
			  near_or_all(&near, (struct span){ NULL, 0 }, "of its subevents do", hint, sizeof hint));
}

int field_fail(struct apply *a, struct span name)
{
	const struct cat_type *t = cat_types + a->spec->type;
	struct near near = { .names = 0 };
	char hint[160];

	for (unsigned i = 0; i < t->regs; i++) {
		const struct cat_reg *reg = cat_regs + t->reg0 + i;

		for (unsigned k = 0; k < reg->fields; k++) {
			const struct cat_field *f = cat_fields + reg->field0 + k;

			if (f->attr != CAT_RV && (reg->role == CAT_CTL ? !field_is_ours(f) : names_is_filter(reg, f)))
				near_offer(&near, cat_str(f->name));
		}
	}
	return event_fail(a->s, name.s, BXS_ENOENT, "%s: no field %.*s%s", apply_box(a),
			  (int)name.n, name.s, near_or_all(&near, name, "there are", hint, sizeof hint));
}

int field_fail_register(struct apply *a, struct span name)
{
	const struct cat_type *t = cat_types + a->spec->type;
	struct near near = { .names = 0 };
	char hint[160];

	for (unsigned i = 0; i < t->regs; i++)
		near_offer(&near, cat_str(cat_regs[t->reg0 + i].name));
	return event_fail(a->s, name.s, BXS_ENOENT, "%s: no register %.*s%s", apply_box(a),
			  (int)name.n, name.s, near_or_all(&near, name, "there are", hint, sizeof hint));
}

int field_fail_in(struct apply *a, struct span name, const struct cat_reg *reg)
{
	struct near near = { .names = 0 };
	char hint[160];

	for (unsigned i = 0; i < reg->fields; i++)
		if (cat_fields[reg->field0 + i].attr != CAT_RV)
			near_offer(&near, cat_str(cat_fields[reg->field0 + i].name));
	return event_fail(a->s, name.s, BXS_ENOENT, "%s: no field %.*s in %s%s", apply_box(a), (int)name.n, name.s,
			  cat_str(reg->name), near_or_all(&near, name, "there are", hint, sizeof hint));
}
