/* SPDX-License-Identifier: BSD-2-Clause */
/* From words to events of the catalogue: in which types of box to look, for names and for patterns. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "measure/resolve_private.h"

/* A pattern against an event: its name, or name and subevents. */
static int match_event(struct resolve *r, unsigned event)
{
	const char *name = cat_str(cat_events[event].name);
	struct span sub = r->sub;
	int err;

	if (sub.s && strchr(name, '.') && names_glob(r->rest, name)) {
		r->sub = (struct span){ NULL, 0 };
		err = resolve_event(r, event);
		r->sub = sub;
		return err;
	}
	return names_glob(r->event, name) ? resolve_event(r, event) : 0;
}

/* 1: something of this type was meant; 0: nothing; or an error. */
static int in_type(struct resolve *r, unsigned type)
{
	const struct cat_type *t = cat_types + type;
	uint64_t code;
	int err = 0;

	if (r->pattern) {
		for (unsigned i = t->event0; i < (unsigned)t->event0 + t->events && err == 0; i++)
			err = match_event(r, i);
		return err;
	}
	if (r->event.n && resolve_digit(r->event.s[0]) && event_number(r->event, &code) && t->counters) {
		err = resolve_raw(r, type, code);
		return err < 0 ? err : 1;
	}

	uint32_t event = resolve_find(r, type);

	if (event != NAMES_NONE) {
		err = resolve_event(r, event);
		return err != 0 ? err : 1;
	}

	uint32_t reg = names_find_reg(r->n, type, r->event);

	if (reg == NAMES_NONE)
		return 0;
	err = resolve_register(r, type, reg, NAMES_NONE);
	return err != 0 ? err : 1;
}

/* Without a box: the one type that has an event or counter of that name. */
static int search_types(struct resolve *r)
{
	const struct cat_family *f = names_family(r->n);
	char where[96] = "";
	size_t used = 0;
	unsigned found = 0, first = 0;

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		if (resolve_find(r, t) == NAMES_NONE &&
		    names_find_reg(r->n, t, r->event) == NAMES_NONE)
			continue;
		if (found++ == 0)
			first = t;
		used += (size_t)snprintf(where + used, used < sizeof where ? sizeof where - used : 0,
					 "%s%s", used ? ", " : "", cat_str(cat_types[t].name));
		if (used >= sizeof where)
			used = sizeof where - 1;
	}
	if (found == 0)
		return resolve_no_event(r, -1);
	if (found > 1)
		return event_fail(r->s, r->event.s, BXS_EINVAL,
				  "%.*s: which box? %s have it; write %s.%.*s", (int)r->event.n,
				  r->event.s, where, cat_str(cat_types[first].name), (int)r->event.n,
				  r->event.s);

	int rc = in_type(r, first);

	return rc == 1 ? 0 : rc;
}

static int search_patterns(struct resolve *r)
{
	const struct cat_family *f = names_family(r->n);

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		if (r->box.s && !names_glob(r->box, cat_str(cat_types[t].name)))
			continue;
		if (!r->box.s && r->context >= 0 && t != (unsigned)r->context)
			continue;

		int rc = in_type(r, t);

		if (rc != 0)
			return rc;
	}
	if (r->emitted)
		return 0;
	if (r->skipped)
		return r->skipped;
	return event_fail(r->s, r->w->text.s, BXS_ENOENT, "%.*s: no event matches",
			  (int)r->w->text.n, r->w->text.s);
}

int event_resolve(const struct names *n, struct event_scan *s, const struct event_words *w,
		  int context, unsigned group, event_fn emit, void *ctx)
{
	struct resolve r = { .n = n, .s = s, .w = w, .emit = emit, .ctx = ctx,
			     .socket = -1, .number = -1, .type = NAMES_NONE, .context = context, .group = group };
	int rc = resolve_split(&r);

	if (rc < 0)
		return rc;
	if (r.any_box || (!r.box.s && r.pattern))
		return search_patterns(&r);
	if (r.box.s) {
		if (r.type == NAMES_NONE)
			return resolve_no_type(&r);
		rc = r.number < 0 ? 0 : resolve_check_box(&r, r.type);
		if (rc < 0)
			return rc;
		r.context = (int)r.type;
	}
	if (r.pattern) {
		rc = in_type(&r, (unsigned)r.context);
		if (rc == 0 && !r.emitted)
			rc = r.skipped ? r.skipped : resolve_no_event(&r, r.context);
		return rc;
	}
	if (r.context < 0)
		return search_types(&r);
	rc = in_type(&r, (unsigned)r.context);
	if (rc == 0)
		return resolve_no_event(&r, r.context);
	return rc == 1 ? 0 : rc;
}

bool event_modelled(const struct event_spec *spec)
{
	if (spec->kind != EVENT_COUNTED)
		return !cat_regs[spec->reg].undriven;
	return spec->event != NAMES_NONE && cat_events[spec->event].binding != CAT_BIND_NONE &&
	       !cat_events[spec->event].undriven && !spec->undriven;
}
