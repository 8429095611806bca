/* SPDX-License-Identifier: BSD-2-Clause */
/* Subevents by name, by number, ORed, or left out: which masks are meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "catalog/find.h"
#include "measure/near.h"
#include "measure/resolve_private.h"

/* The subevents of an event in a few words, for messages. */
static void list_umasks(const struct cat_event *e, char *out, size_t size)
{
	struct near near = { .names = 0 };

	for (unsigned i = 0; i < e->umasks; i++)
		near_offer(&near, cat_str(cat_umasks[e->umask0 + i].name));
	near_list(&near, out, size);
}

static int fail_umask(struct resolve *r, unsigned event, struct span word)
{
	const struct cat_event *e = cat_events + event;
	const char *box = cat_str(cat_types[e->type].name), *name = cat_str(e->name);
	struct near near = { .names = 0 };
	char hint[170];

	if (e->umasks == 0 && names_layout(r->n, e->type)->dotted) {
		for (unsigned i = 0; i < cat_types[e->type].events; i++)
			near_offer(&near, cat_str(cat_events[cat_types[e->type].event0 + i].name));
		return event_fail(r->s, r->rest.s, BXS_ENOENT, "%s: no event %.*s%s", box,
				  (int)r->rest.n, r->rest.s,
				  near_or_all(&near, r->rest, "there are", hint, sizeof hint));
	}
	if (e->umasks == 0)
		return event_fail(r->s, word.s, BXS_ENOENT, "%s.%s: has no subevents", box, name);
	for (unsigned i = 0; i < e->umasks; i++)
		near_offer(&near, cat_str(cat_umasks[e->umask0 + i].name));
	return event_fail(r->s, word.s, BXS_ENOENT, "%s.%s: no subevent %.*s%s", box, name, (int)word.n, word.s,
			  near_or_all(&near, word, "it has", hint, sizeof hint));
}

int resolve_each(struct resolve *r, const struct cat_event *e, uint32_t mask)
{
	char list[200];

	for (unsigned g = 0; g < LEN(e->groups) && e->groups[g]; g++) {
		uint32_t kind = e->groups[g];
		size_t used = 0;

		if (mask & kind)
			continue;
		*list = '\0';
		for (unsigned i = 0; i < e->umasks && used < sizeof list; i++)
			if (cat_umasks[e->umask0 + i].umask & kind)
				used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
							 cat_str(cat_umasks[e->umask0 + i].name));
		return event_fail(r->s, r->w->text.s, BXS_EINVAL, "%s.%s: counts nothing without one of %s, beside "
				  "the others with +", cat_str(cat_types[e->type].name), cat_str(e->name), list);
	}
	return 0;
}

bool resolve_only_filters(const struct cat_event *e, const uint32_t *umasks, unsigned count)
{
	unsigned masks = 0;

	for (unsigned i = 0; i < count; i++)
		masks += cat_umasks[umasks[i]].kind != CAT_UMASK_PICK;
	return count && !masks && cat_umasks[e->umask0].kind != CAT_UMASK_PICK;
}

/* Exact encodings that are a mask after all must not be ORed into another one of them. */
static int refuse_other(struct resolve *r, const struct cat_event *e, uint32_t mask)
{
	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = cat_umasks + e->umask0 + i;

		if (u->kind == CAT_UMASK_EXACT && u->umask == mask)
			return event_fail(r->s, r->sub.s, BXS_EINVAL, "%s.%s: these together are the encoding of %s",
					  cat_str(cat_types[e->type].name), cat_str(e->name), cat_str(u->name));
	}
	return 0;
}

/* Subevents of one event, ORed: each must allow it. */
int resolve_or(struct resolve *r, unsigned event, const uint32_t *umasks, unsigned count,
		     uint32_t *mask)
{
	const struct cat_event *e = cat_events + event;
	unsigned masks = 0;

	/* One alone has no other to go with. */
	if (count == 1 && cat_umasks[*umasks].kind != CAT_UMASK_PICK) {
		*mask = cat_umasks[*umasks].umask;
		return 0;
	}
	for (unsigned i = 0; i < count; i++)
		masks += cat_umasks[umasks[i]].kind != CAT_UMASK_PICK;
	if (resolve_only_filters(e, umasks, count))
		return event_fail(r->s, r->sub.s, BXS_EINVAL,
				  "%s.%s: %.*s only sets a filter; write it behind another: %s+%.*s",
				  cat_str(cat_types[e->type].name), cat_str(e->name),
				  (int)r->sub.n, r->sub.s, cat_str(cat_umasks[e->umask0].name),
				  (int)r->sub.n, r->sub.s);
	*mask = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct cat_umask *u = cat_umasks + umasks[i];

		if (masks > 1 && u->kind == CAT_UMASK_EXACT && cat_shared_bits(e) == CAT_ABSENT)
			return event_fail(r->s, r->sub.s, BXS_EINVAL,
					  "%s.%s: %s is an encoding of its own and cannot be "
					  "combined with others",
					  cat_str(cat_types[e->type].name), cat_str(e->name),
					  cat_str(u->name));
		*mask |= u->umask;
	}
	for (unsigned i = 0; i < count; i++) {
		const struct cat_umask *u = cat_umasks + umasks[i];

		if (masks > 1 && u->alone)
			return event_fail(r->s, r->sub.s, BXS_EINVAL,
					  "%s.%s: nothing is counted where %s stands beside others",
					  cat_str(cat_types[e->type].name), cat_str(e->name), cat_str(u->name));
		if (*mask & u->zero)
			return event_fail(r->s, r->sub.s, BXS_EINVAL,
					  "%s.%s: %s cannot be combined with these subevents",
					  cat_str(cat_types[e->type].name), cat_str(e->name),
					  cat_str(u->name));
	}
	return masks > 1 && cat_shared_bits(e) != CAT_ABSENT ? refuse_other(r, e, *mask) : 0;
}

static bool is_separator(char c)
{
	return c == '+' || c == '|';
}

static bool gives_node(const struct event_words *w)
{
	for (unsigned i = 0; i < w->fields; i++)
		if (names_same(w->field[i].name, "nid"))
			return true;
	return false;
}

/* The manual's equations give a node with subevents that do not look at it; they mean those
 * that do. */
static uint32_t node_umask(struct resolve *r, unsigned event, struct span word, uint32_t umask)
{
	char name[64];
	int len = snprintf(name, sizeof name, "NID_%.*s", (int)word.n, word.s);
	uint32_t with = names_find_umask(r->n, event, (struct span){ name, (size_t)len });

	return with == NAMES_NONE ? umask : with;
}

/* A+B|C into indices of cat_umasks. */
int resolve_subevents(struct resolve *r, unsigned event, uint32_t *umasks, unsigned *count)
{
	const char *p = r->sub.s, *end = p + r->sub.n;

	*count = 0;
	for (;;) {
		const char *from = p;

		if (!r->w->ored)
			p = end;
		while (p < end && !is_separator(*p))
			p++;

		struct span word = { from, (size_t)(p - from) };
		uint32_t u = names_find_umask(r->n, event, word);

		if (r->s->equation && gives_node(r->w))
			u = node_umask(r, event, word, u);
		if (u == NAMES_NONE)
			return fail_umask(r, event, word);
		if (*count == UMASKS_MAX)
			return event_fail(r->s, from, BXS_EINVAL, "more than %d subevents", UMASKS_MAX);
		umasks[(*count)++] = u;
		if (p == end)
			return 0;
		p++;
	}
}

/* What a number in the place of the subevent is called, if it has a name. */
unsigned resolve_mask(unsigned event, uint32_t mask, uint32_t *umask)
{
	const struct cat_event *e = cat_events + event;

	for (unsigned i = 0; i < e->umasks; i++)
		if (cat_umasks[e->umask0 + i].umask == mask) {
			*umask = e->umask0 + i;
			return 1;
		}
	return 0;
}

bool event_all_bits(const struct cat_event *e)
{
	for (unsigned i = 0; i < e->umasks; i++)
		if (cat_umasks[e->umask0 + i].kind != CAT_UMASK_BIT)
			return false;
	return true;
}

/* What the event string itself says of registers. */
static bool gives_registers(const struct event_words *w)
{
	for (unsigned i = 0; i < w->fields; i++)
		if (w->field[i].reg.n)
			return true;
	return false;
}

/* Without a subevent: ANY or ALL if there is one, nothing if the event has none or does not look. */
int resolve_default(struct resolve *r, unsigned event, uint32_t *umask, unsigned *count)
{
	const struct cat_event *e = cat_events + event;
	char list[160];

	*count = 0;
	if (e->umasks == 0 || e->mask_ignored)
		return 0;
	/* An equation that names no subevent means all of them. */
	if (r->s->equation && event_all_bits(e) && e->umasks <= UMASKS_MAX) {
		while (*count < e->umasks) {
			umask[*count] = e->umask0 + *count;
			++*count;
		}
		return 0;
	}
	*umask = names_find_umask(r->n, event, (struct span){ "ANY", 3 });
	if (*umask == NAMES_NONE)
		*umask = names_find_umask(r->n, event, (struct span){ "ALL", 3 });
	*count = 1;
	if (*umask != NAMES_NONE)
		return 0;
	*count = 0;
	if (gives_registers(r->w) && cat_umasks[e->umask0].kind == CAT_UMASK_PICK)
		return 0;
	list_umasks(e, list, sizeof list);
	return event_fail(r->s, r->event.s, BXS_EINVAL, "%s.%s: which subevent? it has %s",
			  cat_str(cat_types[e->type].name), cat_str(e->name), list);
}
