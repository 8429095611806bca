/* SPDX-License-Identifier: BSD-2-Clause */
/* One event of one type of box: its control, counters and restrictions, handed over as a specification. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "measure/resolve_private.h"

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
	spec->unit = CAT_EVENTS;
	spec->event = spec->reg = NAMES_NONE;
	spec->counters = names_layout(r->n, type)->counters;
	spec->control = names_layout(r->n, type)->presets;
	spec->second = 0;
	spec->scale = 1;
	spec->rest_reg = spec->rest_field = NAMES_NONE;
	spec->settings = 0;
}

/* The full name of what came out of a pattern or is one port of several, and what else was written after it. */
static int emit_full(struct resolve *r, const struct event_spec *spec, uint32_t umask)
{
	const struct event_words *w = r->w;
	const char *rest = w->part[w->parts - 1].s + w->part[w->parts - 1].n;
	const char *type = cat_str(cat_types[spec->type].name);
	char name[256], socket[16] = "", box[16] = "", port[24] = "";
	int len;

	if (w->port >= 0)
		snprintf(port, sizeof port, ":port=%d", w->port);
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

static int emit_named(struct resolve *r, const struct event_spec *spec, uint32_t umask)
{
	r->emitted++;
	if (!r->pattern && r->w->port < 0)
		return r->emit(r->ctx, spec, r->w->text);
	return emit_full(r, spec, umask);
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

/* As the words say, of which the port is one. */
static int one_event(struct resolve *r, unsigned event, const uint32_t *umasks, unsigned count, uint32_t mask)
{
	const struct cat_event *e = cat_events + event;
	const struct names_type *l = names_layout(r->n, e->type);
	/* Most events are a code and a mask, and nothing more is said of them. */
	bool plain = e->plain && !r->w->fields;
	struct event_spec spec;
	int err = 0;

	start_spec(r, e->type, &spec);
	spec.event = event;
	spec.unit = count ? cat_umasks[umasks[0]].unit : e->unit;
	spec.counters &= e->counters >> l->counter0;
	/* A code of the second page where controls have none. */
	if (e->ext && !l->pages)
		spec.counters = 0;
	spec.control = put_umask(l, spec.control, mask);
	spec.control = names_put_code(l, spec.control, e->code, e->ext);
	spec.loose |= r->w->port >= 0;
	spec.undriven = count > 0;
	for (unsigned i = 0; i < count; i++) {
		spec.undriven &= cat_umasks[umasks[i]].undriven;
		if (cat_umasks[umasks[i]].counters)
			spec.counters &= cat_umasks[umasks[i]].counters >> l->counter0;
		plain &= cat_umasks[umasks[i]].plain;
	}
	if (!plain) {
		err = event_apply_fields(r->n, r->s, r->w, umasks, count, &spec);
		if (err == 0)
			err = resolve_each(r, e, mask);
	}
	if (err == 0 && r->pattern && !spec.counters)
		err = event_fail(r->s, r->w->text.s, BXS_EINVAL, "%s.%s: no counter of the box can count it",
				 cat_str(cat_types[e->type].name), cat_str(e->name));
	if (err == 0)
		return emit_named(r, &spec, count ? umasks[0] : NAMES_NONE);
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
	const struct event_words *written = r->w;
	const struct cat_event *e = cat_events + event;
	int ports = cat_types[e->type].ports, err = 0;

	if (!ports || !need_ported(e) || gives_port(written))
		return one_event(r, event, umasks, count, mask);

	struct event_words words = *written;

	r->w = &words;
	for (words.port = 0; words.port < ports && err == 0; words.port++)
		err = one_event(r, event, umasks, count, mask);
	r->w = written;
	return err;
}

int resolve_register(struct resolve *r, unsigned type, uint32_t reg, uint32_t event)
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
	spec.unit = c->counts == CAT_NONE ? CAT_CLOCKS : cat_events[c->counts].unit;
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
	if (e->fixed)
		return names_layout(r->n, e->type)->fixed_ctr;
	return e->reg != CAT_NONE && cat_regs[e->reg].role == CAT_FREE ? e->reg : NAMES_NONE;
}

/* All subevents that a pattern asks for. */
static int each_umask(struct resolve *r, unsigned event)
{
	const struct cat_event *e = cat_events + event;
	uint32_t mask;
	int err = 0;

	for (uint32_t u = e->umask0; u < (uint32_t)e->umask0 + e->umasks && err == 0; u++) {
		if (r->sub.s && !names_glob(r->sub, cat_str(cat_umasks[u].name)))
			continue;
		if (resolve_only_filters(e, &u, 1))	/* counts nothing by itself */
			r->skipped = resolve_or(r, event, &u, 1, &mask);
		else
			err = with_umasks(r, event, &u, 1, cat_umasks[u].umask);
	}
	return err;
}

int resolve_event(struct resolve *r, unsigned event)
{
	const struct cat_event *e = cat_events + event;
	uint32_t umasks[UMASKS_MAX], mask = 0;
	unsigned count;
	uint64_t raw;
	int err;

	if (!r->sub.s && own_counter(r, e) != NAMES_NONE)
		return resolve_register(r, e->type, own_counter(r, e), event);
	if (r->pattern && (r->any_sub || !r->sub.s)) {
		if (e->umasks == 0)
			return r->sub.s ? 0 : with_umasks(r, event, NULL, 0, 0);
		return each_umask(r, event);
	}
	if (!r->sub.s) {
		err = resolve_default(r, event, umasks, &count);
	} else if (resolve_digit(r->sub.s[0]) && event_number(r->sub, &raw)) {
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

int resolve_raw(struct resolve *r, unsigned type, uint64_t code)
{
	const struct names_type *l = names_layout(r->n, type);
	unsigned low = (unsigned)l->ev_sel.width + (l->joined ? l->umask.width : 0);
	unsigned ext = (unsigned)(code >> low);
	uint64_t raw = 0;
	struct event_spec spec;
	int err = 0;

	code &= bits_low(low);
	if (ext >> l->ev_sel_ext.width || (l->joined && r->sub.s))
		return event_fail(r->s, r->event.s, BXS_EINVAL, "%s: event select %.*s does not fit",
				  cat_str(cat_types[type].name), (int)r->event.n, r->event.s);

	uint32_t event = names_find_code(r->n, type, (uint32_t)code, ext);

	if (event != NAMES_NONE && (r->sub.s || cat_events[event].umasks == 0))
		return resolve_event(r, event);
	if (r->sub.s && (!event_number(r->sub, &raw) || raw > 0xff))
		return event_fail(r->s, r->sub.s, BXS_EINVAL,
				  "%.*s is no umask; with a raw event it is a number to 0xff",
				  (int)r->sub.n, r->sub.s);
	start_spec(r, type, &spec);
	spec.control = put_umask(l, spec.control, raw);
	spec.control = names_put_code(l, spec.control, (uint32_t)code, ext);
	if (r->w->fields)
		err = event_apply_fields(r->n, r->s, r->w, NULL, 0, &spec);
	return err < 0 ? err : emit_named(r, &spec, NAMES_NONE);
}
