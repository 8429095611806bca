/* SPDX-License-Identifier: BSD-2-Clause */
/* The public session: asking for events, metrics and equations. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "base/bits.h"
#include "catalog/find.h"
#include "measure/near.h"
#include "measure/spelling.h"

struct adding {
	bxs_session *s;
	int err;
};

/* A threshold makes clocks of whatever is counted, and an edge the times at which it is met. */
static const char *event_unit(const struct event_spec *spec, const struct names_type *l)
{
	bool thresh = l->thresh.width && (spec->control >> l->thresh.lo & bits_low(l->thresh.width));
	bool edge = l->edge_det.width && (spec->control >> l->edge_det.lo & 1);

	if (spec->kind != EVENT_COUNTED || !thresh)
		return cat_unit_name(spec->unit);
	return edge ? "times" : "clocks";
}

/* What the part of the event that was asked for is, or the event when it is asked for whole. */
static char *event_text(const struct event_spec *spec, const struct names_type *l)
{
	const struct cat_reg *reg = cat_regs + (spec->kind == EVENT_COUNTED ? l->ctl : spec->reg);
	const struct cat_event *e;
	uint64_t umask = spec->control >> l->umask.lo & bits_low(l->umask.width);

	if (spec->kind != EVENT_COUNTED)
		return strdup(cat_str(cat_fields[reg->field0 + reg->fields - 1u].text));
	if (spec->event == NAMES_NONE)
		return strdup("Raw event");
	e = cat_events + spec->event;
	for (unsigned i = 0; i < e->umasks; i++) {
		const struct cat_umask *u = cat_umasks + e->umask0 + i;

		if (u->umask == umask)
			return strdup(cat_str(u->text));
	}
	return strdup(cat_str(e->text));
}

static int add_event(void *ctx, const struct event_spec *spec, struct span name)
{
	struct adding *a = ctx;
	bxs_session *s = a->s;
	const struct names_type *l = names_layout(s->names, spec->type);
	struct api_item item = { .type = spec->type, .unit = event_unit(spec, l) };
	char why[400] = "";
	int event;

	if (!api_session(s))
		return BXS_ENOMEM;
	event = session_add(s->session, spec, name, 0, why, sizeof why);
	if (event < 0) {
		a->err = api_fail(s->machine, event, "%s", *why ? why : bxs_strerror(event));
		return event;
	}
	item.event = (unsigned)event;
	item.name = strndup(name.s, name.n);
	item.owned = event_text(spec, l);
	item.text = item.owned;
	if (!item.name || !item.owned) {
		free(item.name);
		free(item.owned);
		return BXS_ENOMEM;
	}
	return api_add_item(s, &item);
}

/* What the cores count, asked for as an event: "(INST_RETIRED.ALL)", with the unit of the metric that is just that. */
static int add_counted_by_cores(void *ctx, struct span name, const char *equation)
{
	struct adding *a = ctx;
	const struct cat_family *f = names_family(a->s->names);
	const char *unit = "clocks", *text = "Clocks of all cores that run";
	size_t n = strlen(equation) - 2;
	char *copy = strndup(name.s, name.n);

	for (unsigned i = f->default0; i < (unsigned)f->default0 + f->defaults; i++) {
		const char *other = cat_str(cat_defaults[i].equation);

		if (strlen(other) == n && strncmp(other, equation + 1, n) == 0) {
			unit = cat_str(cat_defaults[i].unit);
			text = cat_str(cat_defaults[i].text);
		}
	}
	a->err = copy ? bxs_session_add_equation(a->s, copy, equation, unit, text) : BXS_ENOMEM;
	free(copy);
	return a->err;
}

int bxs_session_add(bxs_session *s, const char *events)
{
	struct adding a = { .s = s };
	struct event_error error = { .text = "" };
	int err = api_open(s);

	if (err < 0)
		return err;
	err = event_list_all(s->names, events, add_event, add_counted_by_cores, &a, &error);

	if (err == 0 && error.left_out)
		snprintf(s->left_out, sizeof s->left_out, "%s: %u event%s left out (%s): %s", events,
			 error.left_out, error.left_out == 1 ? "" : "s", error.left, error.left_why);
	if (err < 0 && !a.err && *error.text)
		return api_fail(s->machine, err, "%s (at character %zu of \"%s\")", error.text,
				error.at + 1, events);
	return err;
}

const char *bxs_session_left_out(const bxs_session *s)
{
	return s->left_out;
}

int api_add_equation(bxs_session *s, const char *name, const char *equation, const char *unit,
		     const char *text, int type, int x)
{
	struct api_item item = { .name = strdup(name), .unit = unit, .text = text, .type = type };
	struct event_error error = { .text = "" };
	int err;

	if (!item.name || !api_session(s)) {
		free(item.name);
		return BXS_ENOMEM;
	}
	err = metric_new(s->session, s->names, equation, type, x, ++s->bundles, &item.metric, &error);
	if (err < 0) {
		free(item.name);
		return api_fail(s->machine, err, "metric %s: %s", name,
				*error.text ? error.text : bxs_strerror(err));
	}
	return api_add_item(s, &item);
}

int bxs_session_add_equation(bxs_session *s, const char *name, const char *equation, const char *unit,
			     const char *text)
{
	struct api_item *item;
	char *owned = NULL;
	int len, err = api_open(s);

	if (err < 0)
		return err;
	len = asprintf(&owned, "%s%c%s", unit, 0, text);
	if (len < 0)
		return BXS_ENOMEM;
	err = api_add_equation(s, name, equation, owned, owned + strlen(unit) + 1, -1, -1);
	if (err < 0) {
		free(owned);
		return err;
	}
	item = s->item + s->items - 1;
	item->owned = owned;
	return 0;
}

/* NODE3 for NODEx */
static int instance_name(const char *name, int x, char *out, size_t size)
{
	size_t used = 0;

	for (const char *p = name; *p && used + 4 < size; p++) {
		bool variable = *p == 'x' && p > name && p[-1] >= 'A' && p[-1] <= 'Z' &&
				!((p[1] >= 'a' && p[1] <= 'z') || (p[1] >= 'A' && p[1] <= 'Z'));

		if (variable && x >= 0)
			used += (size_t)snprintf(out + used, size - used, "%d", x);
		else
			out[used++] = *p;
	}
	out[used] = '\0';
	return 0;
}

static int add_metric(bxs_session *s, uint32_t index, int x)
{
	const struct cat_metric *m = cat_metrics + index;
	const char *equation = cat_str(m->equation);
	char name[128];
	int err = 0, added = 0;

	if (x >= 0 || !metric_has_x(equation)) {
		snprintf(name, sizeof name, "%s.", cat_str(cat_types[m->type].name));
		instance_name(cat_str(m->name), x, name + strlen(name), sizeof name - strlen(name));
		return api_add_equation(s, name, equation, cat_str(m->unit), cat_str(m->text), m->type, x);
	}
	/* Without a number: all nodes, or all ranks for which there are events. */
	int limit = m->of_nodes ? (int)s->config.sockets : 8;

	for (int i = 0; i < limit; i++) {
		err = add_metric(s, index, i);
		added += err == 0;
	}
	return added ? 0 : err;
}

int api_add_first(bxs_session *s, const char *metric)
{
	const char *dot = strchr(metric, '.');
	uint32_t type = dot ? names_find_type(s->names, (struct span){ metric, (size_t)(dot - metric) }) : NAMES_NONE;
	const char *name = dot ? dot + 1 : metric;
	unsigned matches;
	int x;
	uint32_t found = metric_find(s->names, type == NAMES_NONE ? -1 : (int)type, (struct span){ name, strlen(name) },
				     &x, &matches);

	if (matches == 1 && metric_has_x(cat_str(cat_metrics[found].equation)))
		return add_metric(s, found, x < 0 ? 0 : x);
	return bxs_session_add_metrics(s, metric);
}

/* The event of that name, as it would be asked for; false: there is none. */
static bool event_called(const bxs_session *s, struct span name, char *out, size_t size)
{
	const struct cat_family *f = names_family(s->names);

	for (unsigned t = f->type0; t < (unsigned)f->type0 + f->types; t++) {
		uint32_t event = names_find_event(s->names, t, name);

		if (event == NAMES_NONE)
			continue;
		snprintf(out, size, "%s.%s", cat_str(cat_types[t].name), cat_str(cat_events[event].name));
		return true;
	}
	return false;
}

/* Metric names are long and told apart at the end: the one with most letters in common, at least four. */
static const char *alike(const struct cat_family *f, struct span name)
{
	const char *best = NULL;
	size_t shared = 3;

	for (unsigned i = 0; i < f->metrics; i++) {
		const char *other = cat_str(cat_metrics[f->metric0 + i].name);
		size_t n = 0;

		while (n < name.n && other[n] && (name.s[n] | 32) == (other[n] | 32))
			n++;
		if (n > shared) {
			shared = n;
			best = other;
		}
	}
	return best;
}

static int fail_metric(bxs_session *s, struct span name)
{
	const struct cat_family *f = names_family(s->names);
	struct near near = { .names = 0 };
	const char *other = alike(f, name);
	char hint[240], event[128];

	for (unsigned i = 0; i < f->defaults; i++)
		near_offer(&near, cat_str(cat_defaults[f->default0 + i].name));
	if (event_called(s, name, event, sizeof event))
		snprintf(hint, sizeof hint, "; it is an event: -e %s", event);
	else if (!*near_words(&near, name, hint, sizeof hint) && other)
		snprintf(hint, sizeof hint, "; did you mean %s?", other);
	else if (!*hint)
		near_or_all(&near, name, "there are", hint, sizeof hint);
	return api_fail(s->machine, BXS_ENOENT, "%s: no metric %.*s%s", cat_str(f->name), (int)name.n, name.s, hint);
}

/* BOX.NAME without such a box; EVENT.SUBEVENT looks like one. */
static int fail_metric_box(bxs_session *s, struct span box, struct span word)
{
	const char *family = cat_str(names_family(s->names)->name);
	char event[128];

	if (event_called(s, box, event, sizeof event))
		return api_fail(s->machine, BXS_ENOENT, "%s: no metric %.*s; it is an event: -e %s%.*s", family, (int)word.n, word.s,
				event, (int)(word.n - box.n), word.s + box.n);
	return api_fail(s->machine, BXS_ENOENT, "%s: no box %.*s", family, (int)box.n, box.s);
}

/* NAME=EQUATION: where the equals sign is, or NULL. */
static const char *equation_in(struct span word)
{
	const char *p = word.s, *end = p + word.n;

	while (p < end && (isalnum((unsigned char)*p) || *p == '_' || *p == '-'))
		p++;
	return p < end && p > word.s && *p == '=' ? p : NULL;
}

static int add_named_equation(bxs_session *s, struct span word, const char *equals)
{
	char *copy = strndup(word.s, word.n);
	int err;

	if (!copy)
		return BXS_ENOMEM;
	copy[equals - word.s] = '\0';
	err = bxs_session_add_equation(s, copy, copy + (equals - word.s) + 1, "value",
				       "By the equation given");
	free(copy);
	return err;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Up to the comma that ends an element: those in brackets and in PMU/.../ are the equation's. */
static size_t element_length(const struct names *names, const char *text)
{
	size_t n = 0, skip;
	int depth = 0;

	while (text[n] && (depth > 0 || text[n] != ',')) {
		depth += (text[n] == '(' || text[n] == '{') - (text[n] == ')' || text[n] == '}');
		skip = n && !in_word(text[n - 1]) ? spelling_pmu_length(names, text + n) : 0;
		n += skip ? skip : 1;
	}
	return n;
}

/* One word of the list: [BOX.]NAME, with patterns. */
static int add_metric_word(bxs_session *s, struct span word)
{
	const struct cat_family *f = names_family(s->names);
	const char *dot = memchr(word.s, '.', word.n);
	struct span box = { word.s, dot ? (size_t)(dot - word.s) : 0 };
	struct span name = dot ? (struct span){ dot + 1, word.n - box.n - 1 } : word;
	unsigned matches;
	int x, err = 0, type = -1;

	if (memchr(word.s, '*', word.n) || memchr(word.s, '?', word.n)) {
		bool any = false;

		for (uint32_t i = f->metric0; i < (uint32_t)f->metric0 + f->metrics && err == 0; i++) {
			const struct cat_metric *m = cat_metrics + i;

			if ((box.n && !names_glob(box, cat_str(cat_types[m->type].name))) ||
			    !names_glob(name, cat_str(m->name)))
				continue;
			any = true;
			err = add_metric(s, i, -1);
		}
		return any ? err : fail_metric(s, word);
	}
	if (box.n) {
		uint32_t found = names_find_type(s->names, box);

		if (found == NAMES_NONE)
			return fail_metric_box(s, box, word);
		type = (int)found;
	}

	uint32_t metric = metric_find(s->names, type, name, &x, &matches);

	/* Names that differ in case alone: qpi_data_bw is of the default set, QPI_DATA_BW the manual's. */
	err = api_add_summary(s, box, name, matches > 0);
	if (err != BXS_ENOENT)
		return err;
	if (matches == 0)
		return fail_metric(s, name);
	if (matches > 1)
		return api_fail(s->machine, BXS_EINVAL, "metric %.*s: which box? write %s.%.*s", (int)name.n,
				name.s, cat_str(cat_types[cat_metrics[metric].type].name), (int)name.n,
				name.s);
	return add_metric(s, metric, x);
}

static int accept_event(void *ctx, const struct event_spec *spec, struct span name)
{
	(void)ctx, (void)spec, (void)name;
	return 0;
}

static int accept_equation(void *ctx, struct span name, const char *equation)
{
	(void)ctx, (void)name, (void)equation;
	return 0;
}

/* What -e would take, in whichever tool's notation. */
static bool is_event_string(const bxs_session *s, struct span word)
{
	struct event_error error = { .text = "" };
	char *copy = strndup(word.s, word.n);
	bool is = copy && event_list_all(s->names, copy, accept_event, accept_equation, NULL, &error) == 0;

	free(copy);
	return is;
}

/* A metric by its name, or a hint at what was meant. */
static int add_metric_name(bxs_session *s, struct span word)
{
	int err = add_metric_word(s, word);

	if (err != BXS_ENOENT || !is_event_string(s, word))
		return err;
	return api_fail(s->machine, BXS_ENOENT, "%s: no metric %.*s; it is an event: -e %.*s", cat_str(names_family(s->names)->name),
			(int)word.n, word.s, (int)word.n, word.s);
}

int bxs_session_add_metrics(bxs_session *s, const char *metrics)
{
	int err = api_open(s);

	while (err == 0) {
		struct span word = { metrics, element_length(s->names, metrics) };
		const char *equals = equation_in(word);
		size_t n = word.n;

		if (n == 0)
			return api_fail(s->machine, BXS_EINVAL, "the name of a metric is missing");
		err = equals ? add_named_equation(s, word, equals) : add_metric_name(s, word);
		if (!metrics[n])
			break;
		metrics += n + 1;
	}
	return err;
}
