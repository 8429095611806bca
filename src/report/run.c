/* SPDX-License-Identifier: BSD-2-Clause */
/* Read JSON lines into columns. */
#include "report/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "boxscore.h"
#include "report/head.h"

enum {
	PROBLEMS = 20,		/* at most this many sentences about lines; further problems are only counted */
};

static const char *const column_key[RUN_COLUMNS] = { "value", "error", "truth", "spread" };

/* Make room for one more element.  False: no memory. */
static bool make_room(void **array, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 16;
	void *bigger;

	if (count < *room)
		return true;
	bigger = realloc(*array, more * size);
	if (!bigger)
		return false;
	*array = bigger;
	*room = more;
	return true;
}

static int keep_text(struct run_texts *t, const char *text)
{
	char *copy = make_room((void **)&t->text, t->count, &t->room, sizeof *t->text) ? strdup(text) : NULL;

	if (!copy)
		return BXS_ENOMEM;
	t->text[t->count++] = copy;
	return 0;
}

/* Note a problem with a column of the current line. */
__attribute__((format(printf, 3, 4))) static int complain_at(struct run *r, size_t column, const char *format, ...)
{
	char text[500];
	int used;
	va_list args;

	if (r->problems.count >= PROBLEMS)
		return 0;
	used = snprintf(text, sizeof text, "%.200s:%zu:%zu: ", r->file, r->line, column);
	va_start(args, format);
	vsnprintf(text + used, sizeof text - (size_t)used, format, args);
	va_end(args);
	return keep_text(&r->problems, text);
}

/* The contents of one line.  The strings belong to the line's JSON object. */
struct line {
	const char *text;
	const char *name, *box, *unit;
	int socket;
	bool metric;
	uint8_t validity;
	uint64_t time;
	double column[RUN_COLUMNS];
};

/* The column of a key's value, or of the line's end if the key is missing. */
static size_t column_of(const char *text, const char *key)
{
	char quoted[40];
	const char *at;

	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	at = strstr(text, quoted);
	return at ? (size_t)(at - text) + strlen(quoted) + 1 : strlen(text) + 1;
}

static int complain_key(struct run *r, const char *text, const char *key, bool there, const char *want)
{
	int err = there ? complain_at(r, column_of(text, key), "\"%s\" is not %s; the line is left out", key, want) :
			  complain_at(r, column_of(text, key), "\"%s\" is missing; the line is left out", key);

	r->left_out++;
	return err < 0 ? err : 1;
}

/* Returns 0; 1: a problem with the line has been noted; BXS_ENOMEM. */
static int take_string(struct run *r, const char *text, const json_t *o, const char *key, const char **out)
{
	const json_t *v = json_object_get(o, key);

	*out = json_string_value(v);
	return *out ? 0 : complain_key(r, text, key, v != NULL, "a string");
}

static int take_numbers(struct run *r, const json_t *o, struct line *l)
{
	for (int i = 0; i < RUN_COLUMNS; i++) {
		const json_t *v = json_object_get(o, column_key[i]);

		l->column[i] = v ? json_number_value(v) : NAN;
		if (v && !json_is_number(v))
			return complain_key(r, l->text, column_key[i], true, "a number");
	}
	return 0;
}

static int take_whole(struct run *r, const json_t *o, struct line *l)
{
	const json_t *time = json_object_get(o, "time_ns"), *socket = json_object_get(o, "socket");

	if (!json_is_integer(time) || json_integer_value(time) < 0)
		return complain_key(r, l->text, "time_ns", time != NULL, "a time in nanoseconds");
	if (socket && (!json_is_integer(socket) || json_integer_value(socket) < 0 || json_integer_value(socket) > 63))
		return complain_key(r, l->text, "socket", true, "the number of a socket");
	l->time = (uint64_t)json_integer_value(time);
	l->socket = socket ? (int)json_integer_value(socket) : -1;
	return 0;
}

static int take_validity(struct run *r, const json_t *o, struct line *l)
{
	const char *word;
	int err = take_string(r, l->text, o, "validity", &word);

	if (err)
		return err;
	for (l->validity = 0; l->validity < RUN_NO_LINE; l->validity++)
		if (strcmp(word, bxs_validity_name((enum bxs_validity)l->validity)) == 0)
			return 0;
	return complain_key(r, l->text, "validity", true, "a known validity");
}

static int read_reading(struct run *r, const json_t *o, struct line *l)
{
	int err;

	l->metric = json_object_get(o, "metric") != NULL;
	err = take_string(r, l->text, o, l->metric ? "metric" : "event", &l->name);
	if (err == 0)
		err = take_string(r, l->text, o, "box", &l->box);
	if (err == 0)
		err = take_string(r, l->text, o, "unit", &l->unit);
	if (err == 0)
		err = take_validity(r, o, l);
	if (err == 0)
		err = take_whole(r, o, l);
	if (err == 0)
		err = take_numbers(r, o, l);
	if (err == 0 && l->validity < BXS_NOT_MODELLED && isnan(l->column[RUN_VALUE]))
		err = complain_key(r, l->text, "value", false, "");
	return err;
}

/* The line belongs to the last interval or begins a new one. */
static int find_interval(struct run *r, const struct line *l)
{
	if (r->times && l->time == r->time[r->times - 1])
		return 0;
	if (r->times && l->time < r->time[r->times - 1]) {
		r->ended = true;
		return complain_at(r, column_of(l->text, "time_ns"), "time goes back from %llu ns: another run begins here; it "
				   "and all that follows are left out; give each run a file of its own",
				   (unsigned long long)r->time[r->times - 1]);
	}
	if (!make_room((void **)&r->time, r->times, &r->time_room, sizeof *r->time))
		return BXS_ENOMEM;
	r->time[r->times++] = l->time;
	return 0;
}

static bool is_series(const struct run *r, const struct run_series *s, const struct line *l)
{
	return s->filled < r->times && s->metric == l->metric && s->socket == l->socket && strcmp(s->name, l->name) == 0 &&
	       strcmp(s->box, l->box) == 0 && strcmp(s->unit, l->unit) == 0;
}

static struct run_series *add_series(struct run *r, const struct line *l)
{
	struct run_series *s;

	if (!make_room((void **)&r->series, r->count, &r->room, sizeof *r->series))
		return NULL;
	s = &r->series[r->count];
	*s = (struct run_series){ .name = strdup(l->name), .box = strdup(l->box), .unit = strdup(l->unit), .socket = l->socket,
				  .metric = l->metric };
	r->count++;
	return s->name && s->box && s->unit ? s : NULL;
}

/* Each interval has its lines in the same order, so a line's series is nearly always the one after the previous line's. */
static struct run_series *find_series(struct run *r, const struct line *l)
{
	for (size_t i = 0; i < r->count; i++) {
		size_t at = (r->at + i) % r->count;

		if (!is_series(r, &r->series[at], l))
			continue;
		r->at = at + 1;
		return &r->series[at];
	}
	r->at = r->count + 1;
	return add_series(r, l);
}

/* Extend a series' columns to the current interval.  Added intervals have no value. */
static bool fill_up(const struct run *r, struct run_series *s, const struct line *l)
{
	uint8_t *validity = realloc(s->validity, r->time_room);

	if (!validity)
		return false;
	s->validity = validity;
	for (int i = 0; i < RUN_COLUMNS; i++) {
		double *column;

		if (!s->column[i] && isnan(l->column[i]))
			continue;
		column = realloc(s->column[i], r->time_room * sizeof *column);
		if (!column)
			return false;
		for (size_t n = s->column[i] ? s->filled : 0; n < r->times; n++)
			column[n] = NAN;
		s->column[i] = column;
	}
	for (size_t n = s->filled; n < r->times; n++)
		validity[n] = RUN_NO_LINE;
	s->filled = r->times;
	return true;
}

static int keep_reading(struct run *r, const struct line *l)
{
	int err = find_interval(r, l);
	struct run_series *s;

	if (err < 0 || r->ended)
		return err;
	s = find_series(r, l);
	if (!s || !fill_up(r, s, l))
		return BXS_ENOMEM;
	s->validity[r->times - 1] = l->validity;
	for (int i = 0; i < RUN_COLUMNS; i++)
		if (s->column[i])
			s->column[i][r->times - 1] = l->column[i];
	return 0;
}

static int read_head(struct run *r, const char *text, json_t *o)
{
	const json_t *format = json_object_get(o, "format");
	const char *fault;

	if (r->head || r->times) {
		r->ended = true;
		return complain_at(r, 1, "another run begins here; it and all that follows are left out; give each run a file of its own");
	}
	fault = head_fault(o);
	if (fault) {
		r->left_out++;
		return complain_at(r, column_of(text, fault), "\"%s\" is not valid in a head; the line is left out", fault);
	}
	r->head = json_incref(o);
	if (json_is_integer(format) && json_integer_value(format) <= HEAD_FORMAT && json_integer_value(format) > 0)
		return 0;
	return complain_at(r, column_of(text, "format"), "the lines have format %lld of boxscore %.40s; this boxscore knows format %d "
			   "and leaves out what it does not understand", (long long)json_integer_value(format),
			   json_string_value(json_object_get(o, "boxscore")) ? json_string_value(json_object_get(o, "boxscore")) : "?", HEAD_FORMAT);
}

static int read_object(struct run *r, const char *text, json_t *o)
{
	const char *note = json_string_value(json_object_get(o, "note"));
	struct line l = { .text = text };
	int err;

	if (!json_is_object(o)) {
		r->left_out++;
		return complain_at(r, 1, "not a JSON object; the line is left out");
	}
	if (json_object_get(o, "boxscore"))
		return read_head(r, text, o);
	if (note)
		return keep_text(&r->notes, note);
	err = read_reading(r, o, &l);
	if (err)
		return err < 0 ? err : 0;
	return keep_reading(r, &l);
}

int run_line(struct run *r, const char *text, size_t size)
{
	json_error_t why;
	json_t *o;
	int err;

	r->line++;
	while (size && strchr("\r\n \t", text[size - 1]))
		size--;
	if (!size || r->ended)
		return 0;
	o = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
	if (!o) {
		r->left_out++;
		return complain_at(r, why.column > 0 ? (size_t)why.column : 1, "%s; the line is left out",
				   json_error_code(&why) == json_error_premature_end_of_input ? "the line ends too early" : why.text);
	}
	err = read_object(r, text, o);
	json_decref(o);
	return err;
}

int run_end(struct run *r)
{
	const struct line none = { .column = { NAN, NAN, NAN, NAN } };

	for (size_t i = 0; i < r->count; i++)
		if (!fill_up(r, &r->series[i], &none))
			return BXS_ENOMEM;
	return 0;
}

int run_file(struct run *r, FILE *from)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t size;
	int err = 0;

	while (err == 0 && (size = getline(&text, &room, from)) >= 0)
		err = run_line(r, text, (size_t)size);
	free(text);
	if (err == 0)
		err = run_end(r);
	return err == 0 && ferror(from) ? BXS_EIO : err;
}

static void free_texts(struct run_texts *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->text[i]);
	free(t->text);
}

void run_free(struct run *r)
{
	for (struct run_series *s = r->series; s < r->series + r->count; s++) {
		free(s->name);
		free(s->box);
		free(s->unit);
		free(s->validity);
		for (int i = 0; i < RUN_COLUMNS; i++)
			free(s->column[i]);
	}
	free(r->series);
	free(r->time);
	free_texts(&r->notes);
	free_texts(&r->problems);
	json_decref(r->head);
}
