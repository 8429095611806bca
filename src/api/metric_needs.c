/* SPDX-License-Identifier: BSD-2-Clause */
/* What it takes to measure a metric: its events, and the turns that the counters need for them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/session.h"
#include "base/memory_file.h"
#include "measure/names.h"

/* The field that the setting fills, if it is just one with a name. */
static const struct cat_field *whole_field(const struct event_setting *set)
{
	const struct cat_reg *r = cat_regs + set->reg;

	for (unsigned k = 0; k < r->fields; k++) {
		const struct cat_field *f = cat_fields + r->field0 + k;

		if (f->attr != CAT_RV && f->lo == set->lo && f->hi == set->hi)
			return f;
	}
	return NULL;
}

/* A register by the name that event strings have for it: PKT_{Rx,Tx}_MATCH0 is PKT_Tx_MATCH0 as element 1. */
static void put_register(FILE *out, const struct event_setting *set)
{
	const char *name = cat_str(cat_regs[set->reg].name), *open = strchr(name, '{'), *word = open;

	if (!open || !strchr(open, ',')) {
		fputs(name, out);
		return;
	}
	for (unsigned skip = set->element; skip > 0; skip--)
		word += 1 + strcspn(word + 1, ",}");
	fprintf(out, "%.*s%.*s%s", (int)(open - name), name, (int)strcspn(word + 1, ",}"), word + 1, strchr(open, '}') + 1);
}

static bool counts(const struct event_setting *set)
{
	return set->value && !set->symbol;
}

/* Each setting is a field: ":opc=0x182,nid=0x1". */
static void put_fields(FILE *out, const struct event_spec *spec)
{
	char before = ':';

	for (unsigned i = 0; i < spec->settings; i++) {
		const struct event_setting *set = spec->setting + i;

		if (!counts(set))
			continue;
		fprintf(out, "%c%s=%#" PRIx64, before, cat_str(whole_field(set)->name), set->value);
		before = ',';
	}
}

/* Some settings are bits of several fields: " with:{PKT_Rx_MATCH0[12:0]=0x1c00,PKT_Rx_MASK0[17:0]=0x3fe00}". */
static void put_bits(FILE *out, const struct event_spec *spec)
{
	const char *before = " with:{";

	for (unsigned i = 0; i < spec->settings; i++) {
		const struct event_setting *set = spec->setting + i;

		if (!counts(set))
			continue;
		fputs(before, out);
		put_register(out, set);
		fprintf(out, "[%u:%u]=%#" PRIx64, set->hi, set->lo, set->value);
		before = ",";
	}
	fputc('}', out);
}

/* What the event wants of registers besides its control. */
static void put_settings(FILE *out, const struct event_spec *spec)
{
	for (unsigned i = 0; i < spec->settings; i++)
		if (counts(spec->setting + i) && !whole_field(spec->setting + i)) {
			put_bits(out, spec);
			return;
		}
	put_fields(out, spec);
}

/* An equation that names no subevent means all of them (see resolve_default()); an event string has to name them. */
static void put_subevents(FILE *out, const struct event_spec *spec, const char *name)
{
	const struct cat_event *e = cat_events + spec->event;
	size_t n = strlen(name), len;
	char before = '.';

	if (spec->kind != EVENT_COUNTED || spec->event == NAMES_NONE || e->mask_ignored)
		return;
	len = strlen(cat_str(e->name));
	if (n < len || strcasecmp(name + n - len, cat_str(e->name)) != 0 || !event_all_bits(e))
		return;
	for (unsigned i = 0; i < e->umasks; i++) {
		fprintf(out, "%c%s", before, cat_str(cat_umasks[e->umask0 + i].name));
		before = '|';
	}
}

/* The event as a string that can be asked for; the caller frees it.  NULL: no memory. */
static char *event_string(const struct event_spec *spec, const char *name)
{
	const char *box = cat_str(cat_types[spec->type].name);
	size_t n = strlen(box), size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	/* The equation may leave the box out, and have the fields elsewhere. */
	if (strncmp(name, box, n) != 0 || name[n] != '.')
		fprintf(out, "%s.", box);
	fputs(name, out);
	put_subevents(out, spec, name);
	put_settings(out, spec);
	memory_file_close(out, &text);
	return text;
}

static int each_event(bxs_session *s, int (*fn)(void *ctx, const char *event, bool modelled), void *ctx)
{
	int ret = 0;

	for (unsigned i = 0; i < session_events(s->session) && ret == 0; i++) {
		const struct event_spec *spec = session_spec(s->session, i);
		char *text = event_string(spec, session_name(s->session, i));

		ret = text ? fn(ctx, text, event_modelled(spec)) : BXS_ENOMEM;
		free(text);
	}
	return ret;
}

bool bxs_metric_called(const struct bxs_metric *m, const char *name)
{
	return metric_is_called(m->name, (struct span){ name, strlen(name) });
}

int bxs_metric_needs(const char *family, const char *metric, unsigned *turns,
		     int (*fn)(void *ctx, const char *event, bool modelled), void *ctx)
{
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	int err = bxs_machine_new(family, BXS_BARE, &m, NULL, 0);

	if (err == 0)
		err = bxs_session_new(m, &s);
	if (err == 0) {
		bxs_session_turns(s, true, 0);
		err = api_add_first(s, metric);
	}
	if (err == 0)
		err = bxs_session_start(s);
	if (err == 0) {
		*turns = session_most_turns(s->session);
		err = each_event(s, fn, ctx);
	}
	bxs_session_free(s);
	bxs_machine_free(m);
	return err;
}
