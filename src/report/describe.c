/* SPDX-License-Identifier: BSD-2-Clause */
/* What the catalogue says about an event or metric. */
#include "report/describe.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "boxscore.h"

/* The box type and name in a reading: "s0.cbo3.TOR_INSERTS.OPCODE:opc=DRd" is the event TOR_INSERTS.OPCODE of a cbo. */
struct wanted {
	char box[32];
	char name[200];
	json_t *out, *more;
	int err;
};

static void take_apart(struct wanted *w, const char *text)
{
	const char *dot;
	size_t letters;

	if (text[0] == 's' && isdigit((unsigned char)text[1])) {
		const char *end = text + 1 + strspn(text + 1, "0123456789");

		text = *end == '.' ? end + 1 : text;
	}
	dot = strchr(text, '.');
	if (dot && dot - text < (int)sizeof w->box) {
		letters = (size_t)(dot - text);
		while (letters && isdigit((unsigned char)text[letters - 1]))
			letters--;
		snprintf(w->box, sizeof w->box, "%.*s", (int)letters, text);
		text = dot + 1;
	}
	snprintf(w->name, sizeof w->name, "%.*s", (int)strcspn(text, ":"), text);
}

__attribute__((format(printf, 3, 4))) static void add(struct wanted *w, const char *what, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (*text && json_array_append_new(w->more, json_pack("[ss]", what, text)) != 0)
		w->err = BXS_ENOMEM;
}

static void say(struct wanted *w, const char *text)
{
	if (json_object_set_new(w->out, "text", json_string(text)) != 0)
		w->err = BXS_ENOMEM;
}

static int take_subevent(void *ctx, const struct bxs_subevent *s)
{
	struct wanted *w = ctx;
	size_t event = strlen(s->event);

	if (strcasecmp(s->box, w->box) != 0 || strncasecmp(s->event, w->name, event) != 0 || w->name[event] != '.' ||
	    strcasecmp(s->name, w->name + event + 1) != 0)
		return 0;
	say(w, s->text);
	add(w, "umask", "0x%02" PRIx32 " (%s)", s->umask, s->kind);
	add(w, "filter", "%s", s->filter);
	if (!s->live)
		add(w, "machine", "does not drive it");
	return 1;
}

static int take_event(void *ctx, const struct bxs_event *e)
{
	struct wanted *w = ctx;
	size_t n = strlen(e->name);

	if (strcasecmp(e->box, w->box) != 0 || strncasecmp(e->name, w->name, n) != 0 || (w->name[n] && w->name[n] != '.'))
		return 0;
	say(w, e->text);
	if (w->name[n])
		add(w, "event", "%s", e->text);
	add(w, "code", "0x%02" PRIx32 "%s", e->code, e->ext ? " with ev_sel_ext" : "");
	add(w, "counters", "%s", e->counters);
	add(w, "unit", "%s", e->unit);
	if (e->max_inc != BXS_ABSENT)
		add(w, "increment", "at most %" PRIu32 " in a clock", e->max_inc);
	add(w, "filter", "%s", e->filter);
	if (!e->live)
		add(w, "machine", "does not drive it");
	return 1;
}

static int take_metric(void *ctx, const struct bxs_metric *m)
{
	struct wanted *w = ctx;

	if (!bxs_metric_called(m, w->name) || (*w->box && strcasecmp(w->box, m->box) != 0))
		return 0;
	say(w, m->text);
	add(w, "equation", "%s", m->equation);
	add(w, "unit", "%s", m->unit);
	return 1;
}

json_t *describe(const char *family, const char *name, bool metric)
{
	struct wanted w = { .out = json_object(), .more = json_array() };

	take_apart(&w, name);
	if (metric) {
		if (!bxs_each_default_metric(family, take_metric, &w))
			bxs_each_metric(family, take_metric, &w);
	} else {
		bxs_each_event(family, take_event, &w);
		bxs_each_subevent(family, take_subevent, &w);
	}
	if (json_object_set_new(w.out, "more", w.more) != 0 || w.err) {
		json_decref(w.out);
		return NULL;
	}
	return w.out;
}
