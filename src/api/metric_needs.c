/* SPDX-License-Identifier: BSD-2-Clause */
/* What it takes to measure a metric: its events, and the turns that the counters need for them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"

/* What the event wants of registers besides its control: ":opc=0x182,nid=0x1". */
static void put_fields(const struct event_spec *spec, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < spec->settings && used < size; i++) {
		const struct event_setting *set = spec->setting + i;
		const struct cat_reg *r = cat_regs + set->reg;

		for (unsigned k = 0; k < r->fields && used < size; k++) {
			const struct cat_field *f = cat_fields + r->field0 + k;

			if (f->lo == set->lo && set->value && !set->symbol)
				used += (size_t)snprintf(out + used, size - used, "%c%s=%#" PRIx64, used ? ',' : ':',
							 cat_str(f->name), set->value);
		}
	}
}

static int each_event(bxs_session *s, int (*fn)(void *ctx, const char *event, bool modelled), void *ctx)
{
	int ret = 0;

	for (unsigned i = 0; i < session_events(s->session) && ret == 0; i++) {
		const struct event_spec *spec = session_spec(s->session, i);
		const char *name = session_name(s->session, i), *box = cat_str(cat_types[spec->type].name);
		size_t n = strlen(box);
		bool whole = strncmp(name, box, n) == 0 && name[n] == '.';
		char fields[160], full[400];

		/* The equation may leave the box out, and have the fields elsewhere. */
		put_fields(spec, fields, sizeof fields);
		snprintf(full, sizeof full, "%s%s%s%s", whole ? "" : box, whole ? "" : ".", name, fields);
		ret = fn(ctx, full, event_modelled(spec));
	}
	return ret;
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
