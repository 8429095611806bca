/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From words to events of the catalogue: which box, which event, which subevents, and
 * what to say when there is no such thing.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/near.h"
#include "measure/resolve_private.h"

static bool is_pattern(const struct event_words *w, unsigned part)
{
	return w->patterns >> part & 1;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* s0, s1: which socket */
static bool is_socket(struct span s, int *socket)
{
	uint64_t value;

	if (s.n < 2 || s.n > 4 || (s.s[0] | 32) != 's' || !is_digit(s.s[1]))
		return false;
	if (!event_number((struct span){ s.s + 1, s.n - 1 }, &value))
		return false;
	*socket = (int)value;
	return true;
}

/* cbo, cbo3: the type, and the number if there is one */
static uint32_t find_box(const struct names *n, struct span s, int *number)
{
	uint32_t type = names_find_type(n, s);
	struct span digits = { s.s + s.n, 0 };
	uint64_t value;

	*number = -1;
	while (type == NAMES_NONE && s.n > 1 && is_digit(s.s[s.n - 1])) {
		s.n--;
		digits.s--;
		digits.n++;
		type = names_find_type(n, s);
	}
	if (type != NAMES_NONE && digits.n) {
		if (!event_number(digits, &value) || value > INT16_MAX)
			value = INT16_MAX;
		*number = (int)value;
	}
	return type;
}

static bool matches_some_type(const struct resolve *r, struct span pattern)
{
	const struct cat_family *f = names_family(r->n);

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		if (names_glob(pattern, cat_str(cat_types[t].name)))
			return true;
	return false;
}

/* Which part is what: a leading s0 is a socket; the next is a box if it names one. */
static int split(struct resolve *r)
{
	const struct event_words *w = r->w;
	unsigned i = 0, left;
	bool box;

	if (w->parts > 1 && is_socket(w->part[0], &r->socket))
		i = 1;
	left = w->parts - i;
	if (left == 2 || left == 3) {
		box = is_pattern(w, i) && matches_some_type(r, w->part[i]);
		if (!box) {
			r->type = find_box(r->n, w->part[i], &r->number);
			box = left == 3 || r->type != NAMES_NONE;
		}
		if (box) {
			r->any_box = is_pattern(w, i);
			r->box = w->part[i++];
		}
	}
	if (left > 3)
		return event_fail(r->s, w->part[0].s, BXS_EINVAL,
				  "%.*s: no socket %.*s; sockets are s0, s1, ...", (int)w->text.n,
				  w->text.s, (int)w->part[0].n, w->part[0].s);
	r->event = w->part[i++];
	if (i < w->parts) {
		r->any_sub = is_pattern(w, i);
		r->sub = w->part[i];
	}
	r->pattern = w->patterns != 0;
	return 0;
}

static int fail_type(struct resolve *r)
{
	const struct cat_family *f = names_family(r->n);
	struct near near = { .names = 0 };
	struct span word = r->box;
	char hint[64];

	while (word.n > 1 && is_digit(word.s[word.n - 1]))
		word.n--;
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		near_offer(&near, cat_str(cat_types[t].name));
	return event_fail(r->s, r->box.s, BXS_ENOENT, "%s: no box %.*s%s", cat_str(f->name),
			  (int)r->box.n, r->box.s, near_words(&near, word, hint, sizeof hint));
}

/* type -1: in no box of the family. */
static int fail_event(struct resolve *r, int type)
{
	const struct cat_family *f = names_family(r->n);
	struct near near = { .names = 0 };
	char hint[80];

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		for (unsigned i = 0; i < cat_types[t].events && (type < 0 || (unsigned)type == t); i++)
			near_offer(&near, cat_str(cat_events[cat_types[t].event0 + i].name));
	return event_fail(r->s, r->event.s, BXS_ENOENT, "%s: no event %.*s%s",
			  cat_str(type < 0 ? f->name : cat_types[type].name), (int)r->event.n,
			  r->event.s, near_words(&near, r->event, hint, sizeof hint));
}

static int check_box(struct resolve *r, unsigned type)
{
	const struct cat_type *t = cat_types + type;

	if (r->number < t->boxes)
		return 0;
	return event_fail(r->s, r->box.s, BXS_ENOENT, "%s: no box %d; there %s %u, from 0",
			  cat_str(t->name), r->number, t->boxes == 1 ? "is" : "are", t->boxes);
}

static void start_spec(const struct resolve *r, unsigned type, struct event_spec *spec)
{
	spec->socket = (int16_t)r->socket;
	spec->box = (int16_t)r->number;
	spec->type = (uint16_t)type;
	spec->kind = EVENT_COUNTED;
	spec->group = (uint8_t)r->group;
	spec->loose = r->pattern;
	spec->undriven = false;
	spec->element = 0;
	spec->event = spec->reg = NAMES_NONE;
	spec->counters = (uint32_t)bits_low(cat_types[type].counters);
	spec->control = 0;
	spec->settings = 0;
}

/* The full name of what came out of a pattern, and what else was written after it. */
static int emit_named(struct resolve *r, const struct event_spec *spec, uint32_t umask)
{
	const struct event_words *w = r->w;
	const char *rest = w->part[w->parts - 1].s + w->part[w->parts - 1].n;
	const char *type = cat_str(cat_types[spec->type].name);
	char name[256], socket[16] = "", box[16] = "";
	int len;

	r->emitted++;
	if (!r->pattern)
		return r->emit(r->ctx, spec, w->text);
	if (r->socket >= 0)
		snprintf(socket, sizeof socket, "s%d.", r->socket);
	if (r->number >= 0)
		snprintf(box, sizeof box, "%d", r->number);
	len = snprintf(name, sizeof name, "%s%s%s.%s%s%s%.*s", socket, type, box,
		       cat_str(cat_events[spec->event].name), umask == NAMES_NONE ? "" : ".",
		       umask == NAMES_NONE ? "" : cat_str(cat_umasks[umask].name),
		       (int)(w->text.s + w->text.n - rest), rest);
	if (len >= (int)sizeof name)
		len = sizeof name - 1;
	return r->emit(r->ctx, spec, (struct span){ name, (size_t)len });
}

static int with_umasks(struct resolve *r, unsigned event, const uint32_t *umasks, unsigned count,
		       uint32_t mask)
{
	const struct cat_event *e = cat_events + event;
	const struct names_type *l = names_layout(r->n, e->type);
	struct event_spec spec;
	int err;

	start_spec(r, e->type, &spec);
	spec.event = event;
	spec.counters &= e->counters;
	spec.control = names_put(spec.control, l->ev_sel, e->code);
	spec.control = names_put(spec.control, l->ev_sel_ext, e->ext);
	spec.control = names_put(spec.control, l->umask, mask);
	spec.undriven = count > 0;
	for (unsigned i = 0; i < count; i++)
		spec.undriven = spec.undriven && cat_umasks[umasks[i]].undriven;
	err = event_apply_fields(r->n, r->s, r->w, umasks, count, &spec);
	if (err == 0)
		return emit_named(r, &spec, count ? umasks[0] : NAMES_NONE);
	if (!r->pattern)
		return err;
	r->skipped = err;
	return 0;
}

/* A counter that is a register of its own, by the register's name or as the event that it counts. */
static int register_event(struct resolve *r, unsigned type, uint32_t reg, uint32_t event)
{
	const struct cat_reg *c = cat_regs + reg;
	struct event_spec spec;

	if (c->role != CAT_FIXED_CTR && c->role != CAT_FREE)
		return event_fail(r->s, r->event.s, BXS_EINVAL, "%s: %s is no counter",
				  cat_str(cat_types[type].name), cat_str(c->name));
	if (r->w->fields || r->sub.s)
		return event_fail(r->s, r->event.s, BXS_EINVAL,
				  "%s: %s counts one thing only and takes no fields",
				  cat_str(cat_types[type].name), cat_str(c->name));
	start_spec(r, type, &spec);
	spec.kind = c->role == CAT_FREE ? EVENT_FREE : EVENT_FIXED;
	spec.counters = 0;
	spec.reg = reg;
	spec.event = event;
	return emit_named(r, &spec, NAMES_NONE);
}

/* The manual's general counters stand still at this event; the fixed one counts it. */
static bool is_fixed(const struct cat_event *e)
{
	return strstr(cat_str(e->keys), "counter=fixed") != NULL;
}

static int one_event(struct resolve *r, unsigned event)
{
	const struct cat_event *e = cat_events + event;
	uint32_t umasks[UMASKS_MAX], mask = 0;
	unsigned count;
	uint64_t raw;
	int err;

	if (is_fixed(e) && !r->sub.s)
		return register_event(r, e->type, names_layout(r->n, e->type)->fixed_ctr, event);
	if (r->pattern && (r->any_sub || !r->sub.s)) {
		if (e->umasks == 0)
			return r->sub.s ? 0 : with_umasks(r, event, NULL, 0, 0);
		for (uint32_t u = e->umask0; u < (uint32_t)e->umask0 + e->umasks; u++) {
			if (r->sub.s && !names_glob(r->sub, cat_str(cat_umasks[u].name)))
				continue;
			err = with_umasks(r, event, &u, 1, cat_umasks[u].umask);
			if (err != 0)
				return err;
		}
		return 0;
	}
	if (!r->sub.s) {
		err = resolve_default(r, event, umasks, &count);
	} else if (event_number(r->sub, &raw)) {
		if (raw > 0xff)
			return event_fail(r->s, r->sub.s, BXS_EINVAL, "umask %.*s is more than 8 bits",
					  (int)r->sub.n, r->sub.s);
		count = resolve_mask(event, (uint32_t)raw, umasks);
		return with_umasks(r, event, umasks, count, (uint32_t)raw);
	} else {
		err = resolve_subevents(r, event, umasks, &count);
		if (err < 0 && r->pattern)
			return 0;
	}
	if (err == 0)
		err = resolve_or(r, event, umasks, count, &mask);
	return err < 0 ? err : with_umasks(r, event, umasks, count, mask);
}

/* 0x34 in place of a name.  A known code brings its restrictions with it. */
static int raw_event(struct resolve *r, unsigned type, uint64_t code)
{
	const struct names_type *l = names_layout(r->n, type);
	unsigned ext = (unsigned)(code >> 8);
	uint64_t raw = 0;
	struct event_spec spec;
	int err;

	if (code >> (l->ev_sel.width + l->ev_sel_ext.width))
		return event_fail(r->s, r->event.s, BXS_EINVAL, "%s: event select %.*s does not fit",
				  cat_str(cat_types[type].name), (int)r->event.n, r->event.s);

	uint32_t event = names_find_code(r->n, type, code & 0xff, ext);

	if (event != NAMES_NONE && (r->sub.s || cat_events[event].umasks == 0))
		return one_event(r, event);
	if (r->sub.s && (!event_number(r->sub, &raw) || raw > 0xff))
		return event_fail(r->s, r->sub.s, BXS_EINVAL,
				  "%.*s is no umask; with a raw event it is a number to 0xff",
				  (int)r->sub.n, r->sub.s);
	start_spec(r, type, &spec);
	spec.control = names_put(spec.control, l->ev_sel, code & 0xff);
	spec.control = names_put(spec.control, l->ev_sel_ext, ext);
	spec.control = names_put(spec.control, l->umask, raw);
	err = event_apply_fields(r->n, r->s, r->w, NULL, 0, &spec);
	return err < 0 ? err : emit_named(r, &spec, NAMES_NONE);
}

/* 1: something of this type was meant; 0: nothing; or an error. */
static int in_type(struct resolve *r, unsigned type)
{
	const struct cat_type *t = cat_types + type;
	uint64_t code;
	int err = 0;

	if (r->pattern) {
		for (unsigned i = t->event0; i < (unsigned)t->event0 + t->events && err == 0; i++)
			if (names_glob(r->event, cat_str(cat_events[i].name)))
				err = one_event(r, i);
		return err;
	}
	if (r->event.n && is_digit(r->event.s[0]) && event_number(r->event, &code) && t->counters) {
		err = raw_event(r, type, code);
		return err < 0 ? err : 1;
	}

	uint32_t event = names_find_event(r->n, type, r->event);

	if (event != NAMES_NONE) {
		err = one_event(r, event);
		return err != 0 ? err : 1;
	}

	uint32_t reg = names_find_reg(r->n, type, r->event);

	if (reg == NAMES_NONE)
		return 0;
	err = register_event(r, type, reg, NAMES_NONE);
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
		if (names_find_event(r->n, t, r->event) == NAMES_NONE &&
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
		return fail_event(r, -1);
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
	int rc = split(&r);

	if (rc < 0)
		return rc;
	if (r.any_box || (!r.box.s && r.pattern))
		return search_patterns(&r);
	if (r.box.s) {
		if (r.type == NAMES_NONE)
			return fail_type(&r);
		rc = check_box(&r, r.type);
		if (rc < 0)
			return rc;
		r.context = (int)r.type;
	}
	if (r.pattern) {
		rc = in_type(&r, (unsigned)r.context);
		if (rc == 0 && !r.emitted)
			rc = r.skipped ? r.skipped : fail_event(&r, r.context);
		return rc;
	}
	if (r.context < 0)
		return search_types(&r);
	rc = in_type(&r, (unsigned)r.context);
	if (rc == 0)
		return fail_event(&r, r.context);
	return rc == 1 ? 0 : rc;
}

bool event_modelled(const struct event_spec *spec)
{
	if (spec->kind != EVENT_COUNTED)
		return !cat_regs[spec->reg].undriven;
	return spec->event != NAMES_NONE && cat_events[spec->event].binding != CAT_BIND_NONE &&
	       !cat_events[spec->event].undriven && !spec->undriven;
}
