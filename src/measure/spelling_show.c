/* SPDX-License-Identifier: BSD-2-Clause */
/* How other tools spell an event of ours. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "measure/spelling_private.h"

struct shown {
	const struct names *n;
	const struct cat_event *e;
	char event[96], sub[96];	/* sub empty: none */
	spelling_fn fn;
	void *ctx;
};

static const char *called(const struct shown *s, enum cat_tool tool)
{
	return cat_str(cat_types[s->e->type].called[tool]);
}

/* A line of the catalogue about an event of this type, from *at on; NULL: no more. */
static const struct cat_alias *next_alias(const struct shown *s, enum cat_tool tool, enum cat_alias_kind kind, unsigned *at)
{
	const struct cat_family *f = names_family(s->n);

	for (; *at < f->aliases; ++*at) {
		const struct cat_alias *a = cat_aliases + f->alias0 + *at;

		if (a->tool == tool && a->kind == kind && a->type == s->e->type && *cat_str(a->name) != ':') {
			++*at;
			return a;
		}
	}
	return NULL;
}

/* Has the tool no such name, though a rule would make it? */
static bool is_lacking(const struct shown *s, enum cat_tool tool, const char *full)
{
	const struct cat_alias *a;
	unsigned at = 0;

	while ((a = next_alias(s, tool, CAT_ALIAS_LACKS, &at)) != NULL)
		if (strcmp(cat_str(a->name), full) == 0 || strcmp(cat_str(a->name), s->event) == 0)
			return true;
	return false;
}

/* The tool's own name by a line of the catalogue: parts apart as in the line. */
static bool own_name(const struct shown *s, enum cat_tool tool, const char *full, char *out, size_t size)
{
	const struct cat_alias *a;
	unsigned at = 0;

	while ((a = next_alias(s, tool, CAT_ALIAS_IS, &at)) != NULL) {
		const char *name = cat_str(a->name), *to = cat_str(a->to);
		size_t n = strlen(to) - 1, len = strlen(name) - 1;

		if (to[n] == '*' && strncasecmp(full, to, n) == 0) {
			snprintf(out, size, "%.*s%s", (int)len, name, full + n);
			return true;
		}
		if (strcasecmp(to, full) == 0) {
			snprintf(out, size, "%s", name);
			return true;
		}
		/* A line about the event alone. */
		if (*s->sub && tool != CAT_TOOL_LIKWID && strcasecmp(to, s->event) == 0) {
			snprintf(out, size, "%s.%s", name, s->sub);
			return true;
		}
	}
	return false;
}

static void replace(char *text, char from, char to)
{
	for (; *text; text++)
		if (*text == from)
			*text = to;
}

/* The body of the tool's name; false: it has none. */
static bool body(const struct shown *s, enum cat_tool tool, char *out, size_t size)
{
	char full[200];

	if (!*called(s, tool))
		return false;
	snprintf(full, sizeof full, "%s%s%s", s->event, *s->sub ? "." : "", s->sub);
	if (!is_lacking(s, tool, full))
		snprintf(out, size, "%s", full);
	else if (!own_name(s, tool, full, out, size))
		return false;
	replace(out, '.', tool == CAT_TOOL_LIBPFM4 ? ':' : tool == CAT_TOOL_LIKWID ? '_' : '.');
	return true;
}

static void show_named(const struct shown *s)
{
	const struct cat_type *t = cat_types + s->e->type;
	const char *prefix = called(s, CAT_TOOL_JSON);
	char name[200], text[320], number[8] = "";
	unsigned counter = 0;

	if (body(s, CAT_TOOL_JSON, name, sizeof name)) {
		snprintf(text, sizeof text, "%s_%s", prefix, name);
		s->fn(s->ctx, "Intel", text);
	}
	if (t->boxes > 1)
		strcpy(number, "0");
	if (body(s, CAT_TOOL_LIBPFM4, name, sizeof name)) {
		snprintf(text, sizeof text, "%s%s::%s_%s", called(s, CAT_TOOL_LIBPFM4), number, prefix, name);
		s->fn(s->ctx, "libpfm4", text);
	}
	while (counter < 32 && !(s->e->counters >> counter & 1))
		counter++;
	/* Ports are parts of LIKWID's names. */
	if (counter < t->counters && !t->ports && body(s, CAT_TOOL_LIKWID, name, sizeof name)) {
		replace(name, '+', '_');
		for (char *p = name; *p; p++)
			if (*p >= 'a' && *p <= 'z')
				*p -= 'a' - 'A';
		snprintf(text, sizeof text, "%s:%s%s%s%u", name, called(s, CAT_TOOL_LIKWID), number, *number ? "C" : "", counter);
		s->fn(s->ctx, "LIKWID", text);
	}
}

/* By their registers, perf and PCM have every event that needs no more than its control. */
static void show_encoded(const struct shown *s, uint32_t umask)
{
	const struct names_type *l = names_layout(s->n, s->e->type);
	const char *perf = called(s, CAT_TOOL_PERF), *pcm = called(s, CAT_TOOL_PCM);
	unsigned mask = umask == NAMES_NONE ? 0 : cat_umasks[umask].umask;
	uint64_t control;
	char text[200], sub[32] = "";

	/* Some events have a register of their own in place of a code. */
	if (s->e->reg != CAT_NONE && cat_regs[s->e->reg].role == CAT_FREE)
		return;
	if (l->joined || !l->ev_sel.width || s->e->needs || s->e->fixed || (umask != NAMES_NONE && cat_umasks[umask].needs))
		return;
	if (l->umask.width)
		snprintf(sub, sizeof sub, ",umask=0x%02x", mask);
	else if (l->occ_sel.width && mask)
		snprintf(sub, sizeof sub, ",occ_sel=%u", mask >> 6);
	if (*perf && (!s->e->ext || l->ev_sel_ext.width)) {
		snprintf(text, sizeof text, "%s%s/event=0x%02x%s/", spelling_pmu_prefix(perf), perf, (unsigned)(s->e->code | (uint32_t)s->e->ext << l->ev_sel.width),
			 sub);
		s->fn(s->ctx, "perf", text);
	}
	control = names_put_code(l, 0, s->e->code, s->e->ext);
	control = l->umask.width ? names_put(control, l->umask, mask) : names_put(control, l->occ_sel, mask >> 6);
	if (*pcm) {
		snprintf(text, sizeof text, "%.*s/config=0x%llx", (int)strcspn(pcm, ","), pcm, (unsigned long long)control);
		s->fn(s->ctx, "PCM", text);
	}
}

void spelling_each(const struct names *n, unsigned event, uint32_t umask, spelling_fn fn, void *ctx)
{
	struct shown s = { .n = n, .e = cat_events + event, .fn = fn, .ctx = ctx };
	const struct cat_alias *a;
	char full[200], text[200];
	unsigned at = 0;

	snprintf(s.event, sizeof s.event, "%s", cat_str(s.e->name));
	if (umask != NAMES_NONE)
		snprintf(s.sub, sizeof s.sub, "%s", cat_str(cat_umasks[umask].name));
	snprintf(full, sizeof full, "%s%s%s", s.event, *s.sub ? "." : "", s.sub);
	while ((a = next_alias(&s, CAT_TOOL_PERF, CAT_ALIAS_IS, &at)) != NULL)
		if (strcasecmp(cat_str(a->to), full) == 0) {
			snprintf(text, sizeof text, "%s%s/%s/", spelling_pmu_prefix(called(&s, CAT_TOOL_PERF)), called(&s, CAT_TOOL_PERF), cat_str(a->name));
			fn(ctx, "perf", text);
		}
	show_encoded(&s, umask);
	show_named(&s);
}
