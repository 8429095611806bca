/* SPDX-License-Identifier: BSD-2-Clause */
/* The public view of names: how each tool spells an event. */
#include <stdio.h>
#include <string.h>

#include "boxscore.h"
#include "catalog/find.h"
#include "measure/spelling.h"

struct one {
	struct event_spec spec;
	bool any;
};

static int keep_first(void *ctx, const struct event_spec *spec, struct span name)
{
	struct one *o = ctx;

	(void)name;
	if (!o->any)
		o->spec = *spec;
	o->any = true;
	return 0;
}

/* What an event string that is ours says behind the event's own name: the subevent's name, or its mask. */
static uint32_t subevent_in(const struct names *n, const struct event_spec *spec, const char *text)
{
	const struct cat_event *e = cat_events + spec->event;
	const char *name = strcasestr(text, cat_str(e->name));
	struct span sub;
	uint64_t mask;

	name = name ? name + strlen(cat_str(e->name)) : text + strlen(text);
	sub = (struct span){ name + 1, strcspn(name + (*name == '.'), ": {") };
	if (*name == '.' && !event_number(sub, &mask))
		return names_find_umask(n, spec->event, sub);
	mask = spec->control >> names_layout(n, spec->type)->umask.lo & 0xff;
	for (unsigned i = e->umask0; i < (unsigned)e->umask0 + e->umasks; i++)
		if (cat_umasks[i].umask == mask && cat_umasks[i].kind != CAT_UMASK_PICK)
			return i;
	return NAMES_NONE;
}

static int each(const struct names *n, const char *event, spelling_fn fn, void *ctx)
{
	struct event_error error = { .text = "" };
	struct event_scan scan = { .start = event, .p = event, .end = event + strlen(event), .err = &error };
	struct spelling other;
	struct one one = { .any = false };
	char ours[256];
	uint32_t umask;
	int err = event_list(n, event, keep_first, &one, &error);

	if (err < 0)
		return err;
	if (one.spec.event == NAMES_NONE)
		return BXS_ENOENT;
	/* Ours may be something to others as well, so what we have of our own goes first. */
	if (strchr(event, '.') && names_find_type(n, (struct span){ event, strcspn(event, ".0123456789") }) != NAMES_NONE)
		umask = subevent_in(n, &one.spec, event);
	else
		umask = subevent_in(n, &one.spec, spelling_read(n, &scan, &other) == SPELLING_EVENT ? other.text : event);
	snprintf(ours, sizeof ours, "%s.%s%s%s", cat_str(cat_types[one.spec.type].name), cat_str(cat_events[one.spec.event].name),
		 umask == NAMES_NONE ? "" : ".", umask == NAMES_NONE ? "" : cat_str(cat_umasks[umask].name));
	fn(ctx, "boxscore", ours);
	spelling_each(n, one.spec.event, umask, fn, ctx);
	return 0;
}

int bxs_each_spelling(const char *family, const char *event, void (*fn)(void *ctx, const char *tool, const char *text), void *ctx)
{
	const struct cat_family *f = family ? cat_find_family(family, strlen(family)) : NULL;
	struct names *names;
	int err = f ? names_new((unsigned)(f - cat_families), &names) : BXS_ENOENT;

	if (err < 0)
		return err;
	err = each(names, event, fn, ctx);
	names_free(names);
	return err;
}
