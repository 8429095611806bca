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

/* Is there an event that starts with this part?  Names of events may have dots. */
static bool starts_event(const struct resolve *r, struct span part)
{
	const struct cat_family *f = names_family(r->n);

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		for (unsigned i = 0; i < cat_types[t].events; i++) {
			const char *name = cat_str(cat_events[cat_types[t].event0 + i].name);

			if (names_same(part, name) ||
			    (names_layout(r->n, t)->dotted && strncasecmp(name, part.s, part.n) == 0 &&
			     name[part.n] == '.'))
				return true;
		}
	return false;
}

/* Which part is what: a leading s0 is a socket; the next is a box if it names one. */
static int split(struct resolve *r)
{
	const struct event_words *w = r->w;
	const struct span *last = w->part + w->parts - 1;
	unsigned i = 0, left;
	bool box;
	int number;

	if (w->parts > 1 && is_socket(w->part[0], &r->socket))
		i = 1;
	left = w->parts - i;
	if (left >= 2) {
		box = is_pattern(w, i) && matches_some_type(r, w->part[i]);
		if (!box) {
			r->type = find_box(r->n, w->part[i], &r->number);
			box = r->type != NAMES_NONE || (left > 2 && !starts_event(r, w->part[i]));
		}
		if (box) {
			r->any_box = is_pattern(w, i);
			r->box = w->part[i++];
		}
	}
	if (left > 3 && r->box.s && r->type == NAMES_NONE && !r->any_box &&
	    find_box(r->n, w->part[i], &number) != NAMES_NONE)
		return event_fail(r->s, w->part[0].s, BXS_EINVAL,
				  "%.*s: no socket %.*s; sockets are s0, s1, ...", (int)w->text.n,
				  w->text.s, (int)w->part[0].n, w->part[0].s);
	r->event = r->first = w->part[i];
	r->rest = (struct span){ r->event.s, (size_t)(last->s + last->n - r->event.s) };
	if (++i < w->parts) {
		r->sub = (struct span){ w->part[i].s, (size_t)(last->s + last->n - w->part[i].s) };
		for (; i < w->parts; i++)
			r->any_sub |= is_pattern(w, i);
	}
	r->pattern = w->patterns != 0;
	return 0;
}

/* The event of a type that the words name: the longest name that fits; what follows is the subevent. */
static uint32_t find_event(struct resolve *r, unsigned type)
{
	struct span name = r->rest;
	uint32_t event = names_find_event(r->n, type, name);

	while (event == NAMES_NONE && name.n > r->first.n) {
		do
			name.n--;
		while (name.s[name.n] != '.');
		event = names_find_event(r->n, type, name);
	}
	r->event = event == NAMES_NONE ? r->first : name;
	name = r->event;
	r->sub = (struct span){ NULL, 0 };
	if (name.n < r->rest.n)
		r->sub = (struct span){ name.s + name.n + 1, r->rest.n - name.n - 1 };
	return event;
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
	bool dotted = type >= 0 && names_layout(r->n, (unsigned)type)->dotted;

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		for (unsigned i = 0; i < cat_types[t].events && (type < 0 || (unsigned)type == t); i++)
			near_offer(&near, cat_str(cat_events[cat_types[t].event0 + i].name));
	return event_fail(r->s, r->event.s, BXS_ENOENT, "%s: no event %.*s%s",
			  cat_str(type < 0 ? f->name : cat_types[type].name),
			  (int)(dotted ? r->rest : r->event).n, r->event.s,
			  near_words(&near, dotted ? r->rest : r->event, hint, sizeof hint));
}

static int check_box(struct resolve *r, unsigned type)
{
	unsigned boxes = names_boxes(r->n, type);

	if (r->number < (int)boxes)
		return 0;
	return event_fail(r->s, r->box.s, BXS_ENOENT, "%s: no box %d; there %s %u, from 0",
			  cat_str(cat_types[type].name), r->number, boxes == 1 ? "is" : "are", boxes);
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
	spec->control = names_layout(r->n, type)->presets;
	spec->second = 0;
	spec->scale = 1;
	spec->rest_reg = spec->rest_field = NAMES_NONE;
	spec->settings = 0;
}

/* The full name of what came out of a pattern, and what else was written after it. */
static int emit_named(struct resolve *r, const struct event_spec *spec, uint32_t umask)
{
	const struct event_words *w = r->w;
	const char *rest = w->part[w->parts - 1].s + w->part[w->parts - 1].n;
	const char *type = cat_str(cat_types[spec->type].name);
	char name[256], socket[16] = "", box[16] = "", port[24] = "";
	int len;

	r->emitted++;
	if (w->port >= 0)
		snprintf(port, sizeof port, ":port=%d", w->port);
	if (!r->pattern && !*port)
		return r->emit(r->ctx, spec, w->text);
	if (!r->pattern) {
		len = snprintf(name, sizeof name, "%.*s%s", (int)w->text.n, w->text.s, port);
		if (len >= (int)sizeof name)
			len = sizeof name - 1;
		return r->emit(r->ctx, spec, (struct span){ name, (size_t)len });
	}
	if (r->socket >= 0)
		snprintf(socket, sizeof socket, "s%d.", r->socket);
	if (r->number >= 0)
		snprintf(box, sizeof box, "%d", r->number);
	len = snprintf(name, sizeof name, "%s%s%s.%s%s%s%.*s%s", socket, type, box,
		       cat_str(cat_events[spec->event].name), umask == NAMES_NONE ? "" : ".",
		       umask == NAMES_NONE ? "" : cat_str(cat_umasks[umask].name),
		       (int)(w->text.s + w->text.n - rest), rest, port);
	if (len >= (int)sizeof name)
		len = sizeof name - 1;
	return r->emit(r->ctx, spec, (struct span){ name, (size_t)len });
}

/* A pattern goes on without what it cannot measure, but not in silence. */
static void leave_out(struct resolve *r, unsigned event, const uint32_t *umasks, unsigned count)
{
	enum { SHOWN = 3 };
	struct event_error *err = r->s->err;
	const struct cat_event *e = cat_events + event;
	const char *why = strstr(err->text, ": ");
	size_t used = strlen(err->left);

	if (err->left_out < SHOWN)
		snprintf(err->left + used, sizeof err->left - used, "%s%s.%s%s%s", used ? ", " : "",
			 cat_str(cat_types[e->type].name), cat_str(e->name), count ? "." : "",
			 count ? cat_str(cat_umasks[umasks[0]].name) : "");
	else if (err->left_out == SHOWN)
		snprintf(err->left + used, sizeof err->left - used, ", ...");
	if (err->left_out++ == 0)
		snprintf(err->left_why, sizeof err->left_why, "%.150s", why ? why + 2 : err->text);
}

/* A control without a mask has the two highest bits of one: which occupancy to take. */
static uint64_t put_umask(const struct names_type *l, uint64_t control, uint64_t mask)
{
	return l->umask.width ? names_put(control, l->umask, mask)
			      : names_put(control, l->occ_sel, mask >> 6);
}

static int on_port(struct resolve *r, unsigned event, const uint32_t *umasks, unsigned count,
		   uint32_t mask, int port)
{
	struct event_words words = *r->w;
	const struct cat_event *e = cat_events + event;
	const struct names_type *l = names_layout(r->n, e->type);
	struct event_spec spec;
	int err;

	start_spec(r, e->type, &spec);
	spec.event = event;
	spec.counters &= e->counters >> l->counter0;
	/* A code of the second page where controls have none. */
	if (e->ext && !l->pages)
		spec.counters = 0;
	spec.control = put_umask(l, spec.control, mask);
	spec.control = names_put_code(l, spec.control, e->code, e->ext);
	spec.loose |= port >= 0;
	words.port = port;
	spec.undriven = count > 0;
	for (unsigned i = 0; i < count; i++)
		spec.undriven = spec.undriven && cat_umasks[umasks[i]].undriven;
	err = event_apply_fields(r->n, r->s, &words, umasks, count, &spec);
	if (err == 0)
		err = resolve_each(r, e, mask);
	if (err == 0 && r->pattern && !spec.counters)
		err = event_fail(r->s, r->w->text.s, BXS_EINVAL, "%s.%s: no counter of the box can count it",
				 cat_str(cat_types[e->type].name), cat_str(e->name));
	if (err == 0) {
		const struct event_words *written = r->w;

		r->w = &words;
		err = emit_named(r, &spec, count ? umasks[0] : NAMES_NONE);
		r->w = written;
		return err;
	}
	if (!r->pattern)
		return err;
	leave_out(r, event, umasks, count);
	r->skipped = err;
	return 0;
}

static bool gives_port(const struct event_words *w)
{
	for (unsigned i = 0; i < w->fields; i++)
		if (!w->field[i].reg.n && names_same(w->field[i].name, "port"))
			return true;
	return false;
}

/* An event of a port, without saying which: on each. */
static int with_umasks(struct resolve *r, unsigned event, const uint32_t *umasks, unsigned count,
		       uint32_t mask)
{
	const struct cat_event *e = cat_events + event;
	int err = 0;

	if (!cat_types[e->type].ports || !need_ported(e) || gives_port(r->w))
		return on_port(r, event, umasks, count, mask, -1);
	for (int port = 0; port < cat_types[e->type].ports && err == 0; port++)
		err = on_port(r, event, umasks, count, mask, port);
	return err;
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

/*
 * The register that counts an event which the general counters do not count: `counter=fixed`, the fixed
 * one; `reg=`, one of its own.  NAMES_NONE: the general ones count it, or nothing does.
 */
static uint32_t own_counter(const struct resolve *r, const struct cat_event *e)
{
	struct span reg = names_key(e->keys, "reg");
	uint32_t found;

	if (strstr(cat_str(e->keys), "counter=fixed"))
		return names_layout(r->n, e->type)->fixed_ctr;
	found = reg.s ? names_find_reg(r->n, e->type, reg) : NAMES_NONE;
	return found != NAMES_NONE && cat_regs[found].role == CAT_FREE ? found : NAMES_NONE;
}

static int one_event(struct resolve *r, unsigned event)
{
	const struct cat_event *e = cat_events + event;
	uint32_t umasks[UMASKS_MAX], mask = 0;
	unsigned count;
	uint64_t raw;
	int err;

	if (!r->sub.s && own_counter(r, e) != NAMES_NONE)
		return register_event(r, e->type, own_counter(r, e), event);
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
	unsigned low = (unsigned)l->ev_sel.width + (l->joined ? l->umask.width : 0);
	unsigned ext = (unsigned)(code >> low);
	uint64_t raw = 0;
	struct event_spec spec;
	int err;

	code &= bits_low(low);
	if (ext >> l->ev_sel_ext.width || (l->joined && r->sub.s))
		return event_fail(r->s, r->event.s, BXS_EINVAL, "%s: event select %.*s does not fit",
				  cat_str(cat_types[type].name), (int)r->event.n, r->event.s);

	uint32_t event = names_find_code(r->n, type, (uint32_t)code, ext);

	if (event != NAMES_NONE && (r->sub.s || cat_events[event].umasks == 0))
		return one_event(r, event);
	if (r->sub.s && (!event_number(r->sub, &raw) || raw > 0xff))
		return event_fail(r->s, r->sub.s, BXS_EINVAL,
				  "%.*s is no umask; with a raw event it is a number to 0xff",
				  (int)r->sub.n, r->sub.s);
	start_spec(r, type, &spec);
	spec.control = put_umask(l, spec.control, raw);
	spec.control = names_put_code(l, spec.control, (uint32_t)code, ext);
	err = event_apply_fields(r->n, r->s, r->w, NULL, 0, &spec);
	return err < 0 ? err : emit_named(r, &spec, NAMES_NONE);
}

/* A pattern against an event: its name, or name and subevents. */
static int match_event(struct resolve *r, unsigned event)
{
	const char *name = cat_str(cat_events[event].name);
	struct span sub = r->sub;
	int err;

	if (sub.s && strchr(name, '.') && names_glob(r->rest, name)) {
		r->sub = (struct span){ NULL, 0 };
		err = one_event(r, event);
		r->sub = sub;
		return err;
	}
	return names_glob(r->event, name) ? one_event(r, event) : 0;
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
	if (r->event.n && is_digit(r->event.s[0]) && event_number(r->event, &code) && t->counters) {
		err = raw_event(r, type, code);
		return err < 0 ? err : 1;
	}

	uint32_t event = find_event(r, type);

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
		if (find_event(r, t) == NAMES_NONE &&
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
