/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of an event string is what: socket, box, event, subevent; and what to say when there is none. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "measure/metric.h"
#include "measure/near.h"
#include "measure/resolve_private.h"

static bool is_pattern(const struct event_words *w, unsigned part)
{
	return w->patterns >> part & 1;
}

/* s0, s1: which socket */
static bool is_socket(struct span s, int *socket)
{
	uint64_t value;

	if (s.n < 2 || s.n > 4 || (s.s[0] | 32) != 's' || !resolve_digit(s.s[1]))
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
	while (type == NAMES_NONE && s.n > 1 && resolve_digit(s.s[s.n - 1])) {
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

int resolve_split(struct resolve *r)
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

uint32_t resolve_find(struct resolve *r, unsigned type)
{
	struct span name = names_layout(r->n, type)->dotted ? r->rest : r->first;
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

/* Those with events. */
static void offer_boxes(struct near *near, const struct cat_family *f)
{
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		if (cat_types[t].events)
			near_offer(near, cat_str(cat_types[t].name));
}

int resolve_no_type(const struct resolve *r)
{
	const struct cat_family *f = names_family(r->n);
	struct near near = { .names = 0 };
	struct span word = r->box;
	char hint[160];

	while (word.n > 1 && resolve_digit(word.s[word.n - 1]))
		word.n--;
	offer_boxes(&near, f);
	return event_fail(r->s, r->box.s, BXS_ENOENT, "%s: no box %.*s%s", cat_str(f->name),
			  (int)r->box.n, r->box.s, near_or_all(&near, word, "boxes are", hint, sizeof hint));
}

/* What is called a metric is no event, and the other way round: say which option takes it. */
static bool is_metric(const struct resolve *r, int type, struct span name)
{
	struct metric_found found;

	return !r->s->equation && metric_look_up(r->n, type, name, &found);
}

/* In an equation a metric can stand in the place of an event. */
static void offer_metrics(struct near *near, const struct cat_family *f)
{
	for (unsigned i = 0; i < f->defaults; i++)
		near_offer(near, cat_str(cat_defaults[f->default0 + i].name));
	for (unsigned i = 0; i < f->metrics; i++)
		near_offer(near, cat_str(cat_metrics[f->metric0 + i].name));
}

/* Other tools' names of events. */
static void offer_aliases(struct near *near, const struct cat_family *f)
{
	for (unsigned i = 0; i < f->aliases; i++) {
		const struct cat_alias *a = cat_aliases + f->alias0 + i;

		if (a->kind == CAT_ALIAS_IS)
			near_offer(near, cat_str(a->name));
	}
}

/* No event of any box is near: another tool's name may be, or else say which boxes there are. */
static void hint_beyond_events(const struct cat_family *f, struct span name, char *hint, size_t size)
{
	struct near near = { .names = 0 };

	offer_aliases(&near, f);
	if (*near_words(&near, name, hint, size))
		return;
	/* Of thousands of events of all boxes the first ones help nobody. */
	near.names = 0;
	offer_boxes(&near, f);
	near_or_all(&near, (struct span){ NULL, 0 }, "boxes are", hint, size);
}

int resolve_no_event(const struct resolve *r, int type)
{
	const struct cat_family *f = names_family(r->n);
	struct near near = { .names = 0 };
	char hint[160];
	bool dotted = type >= 0 && names_layout(r->n, (unsigned)type)->dotted;
	struct span name = dotted ? r->rest : r->event;

	if (is_metric(r, type, name))
		return event_fail(r->s, r->event.s, BXS_ENOENT, "%s: no event %.*s; it is a metric: -m %s%s%.*s", cat_str(f->name),
				  (int)name.n, name.s, type < 0 ? "" : cat_str(cat_types[type].name), type < 0 ? "" : ".",
				  (int)name.n, name.s);
	if (r->s->equation && type < 0)
		offer_metrics(&near, f);
	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++)
		for (unsigned i = 0; i < cat_types[t].events && (type < 0 || (unsigned)type == t); i++)
			near_offer(&near, cat_str(cat_events[cat_types[t].event0 + i].name));
	if (type >= 0)
		near_or_all(&near, name, "there are", hint, sizeof hint);
	else if (!*near_words(&near, name, hint, sizeof hint))
		hint_beyond_events(f, name, hint, sizeof hint);
	return event_fail(r->s, r->event.s, BXS_ENOENT, "%s: no event %.*s%s",
			  cat_str(type < 0 ? f->name : cat_types[type].name), (int)name.n, name.s, hint);
}

int resolve_check_box(const struct resolve *r, unsigned type)
{
	unsigned boxes = names_boxes(r->n, type);

	if (r->number < (int)boxes)
		return 0;
	return event_fail(r->s, r->box.s, BXS_ENOENT, "%s: no box %d; there %s %u, from 0",
			  cat_str(cat_types[type].name), r->number, boxes == 1 ? "is" : "are", boxes);
}
