/* SPDX-License-Identifier: BSD-2-Clause */
/* Write the page's data as one JSON object and the page around it. */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "boxscore.h"
#include "report/describe.h"
#include "report/head.h"
#include "report/pack.h"
#include "report/page_text.h"

static const char *const column_name[RUN_COLUMNS] = { "value", "error", "truth", "spread" };

static json_t *texts(const struct run_texts *t)
{
	json_t *all = json_array();

	for (size_t i = 0; i < t->count; i++)
		if (json_array_append_new(all, head_text(t->text[i])) != 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

/* The number of a name in the list of all runs' names. */
static int name_number(json_t *numbers, json_t *names, const char *family, const struct run_series *s)
{
	char key[400];
	const json_t *known;
	json_t *about;
	size_t number = json_array_size(names);

	snprintf(key, sizeof key, "%c%s", s->metric ? 'm' : 'e', s->name);
	known = json_object_get(numbers, key);
	if (known)
		return (int)json_integer_value(known);
	about = describe(family, s->name, s->metric);
	if (!about || json_object_set_new(about, "name", json_string(s->name)) != 0 ||
	    json_object_set_new(about, "metric", json_boolean(s->metric)) != 0 ||
	    json_object_set_new(numbers, key, json_integer((json_int_t)number)) != 0) {
		json_decref(about);
		return BXS_ENOMEM;
	}
	return json_array_append_new(names, about) == 0 ? (int)number : BXS_ENOMEM;
}

static json_t *series_data(const struct run_series *s, int name)
{
	json_t *o = json_pack("{si ss ss}", "name", name, "box", s->box, "unit", s->unit);
	int err = o ? json_object_set_new(o, "validity", pack_bytes(s->validity, s->filled)) : -1;

	if (err == 0 && s->socket >= 0)
		err = json_object_set_new(o, "socket", json_integer(s->socket));
	for (int i = 0; i < RUN_COLUMNS && err == 0; i++)
		if (s->column[i])
			err = json_object_set_new(o, column_name[i], pack_values(s->column[i], s->filled));
	if (err == 0)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *run_data(const struct run *r, json_t *numbers, json_t *names)
{
	const char *family = json_string_value(json_object_get(r->head, "family"));
	json_t *all = json_array();

	for (size_t i = 0; i < r->count; i++) {
		int name = name_number(numbers, names, family, &r->series[i]);

		if (name < 0 || json_array_append_new(all, series_data(&r->series[i], name)) != 0) {
			json_decref(all);
			return NULL;
		}
	}
	return json_pack("{so sO? so so so si si so}", "file", head_text(r->file), "head", r->head, "notes", texts(&r->notes), "problems",
			 texts(&r->problems), "times", pack_times(r->time, r->times), "count", (int)r->times, "left_out",
			 (int)r->left_out, "series", all);
}

static json_t *page_data(const struct run *run, unsigned runs)
{
	json_t *numbers = json_object(), *names = json_array(), *list = json_array();
	json_t *validities = json_array();
	int err = 0;

	for (int v = 0; v < RUN_NO_LINE && err == 0; v++)
		err = json_array_append_new(validities, json_string(bxs_validity_name((enum bxs_validity)v)));
	for (unsigned i = 0; i < runs && err == 0; i++)
		err = json_array_append_new(list, run_data(&run[i], numbers, names));
	json_decref(numbers);
	if (err == 0)
		return json_pack("{ss so so so}", "version", BXS_VERSION, "validities", validities, "names", names, "runs", list);
	json_decref(names);
	json_decref(list);
	json_decref(validities);
	return NULL;
}

/* Escape each "<", so that no text of the data can end the element around it.  A "<" occurs only in strings, where JSON has escapes. */
static void write_data(const char *text, FILE *to)
{
	for (size_t n; *text; text += n) {
		n = strcspn(text, "<");
		fwrite(text, 1, n, to);
		if (text[n] == '<') {
			fputs("\\u003c", to);
			n++;
		}
	}
}

int page_write(const struct run *run, unsigned runs, FILE *to)
{
	json_t *data = page_data(run, runs);
	char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;

	json_decref(data);
	if (!text)
		return BXS_ENOMEM;
	fwrite(page_before, 1, page_before_size, to);
	write_data(text, to);
	fwrite(page_after, 1, page_after_size, to);
	free(text);
	return fflush(to) == 0 && !ferror(to) ? 0 : BXS_EIO;
}
