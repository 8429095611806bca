/* SPDX-License-Identifier: BSD-2-Clause */
/* Readings for programs: an object a line, or separated values below a head line. */
#include "output_private.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

static json_t *json_number(double value)
{
	return shown_whole(value) ? json_integer((json_int_t)value) : json_real(value);
}

/* Without memory for it there is no object: a reading that lacks a key would say less than it seems to. */
static void put_json(json_t **object, const char *key, json_t *value)
{
	if (json_object_set_new(*object, key, value) == 0)
		return;
	json_decref(*object);
	*object = NULL;
}

static void put_truth(json_t **object, const struct bxs_reading *r)
{
	double percent;

	if (r->has_truth)
		put_json(object, "truth", json_number(r->truth));
	if (!has_difference(r))
		return;
	put_json(object, "difference", json_number(r->value - r->truth));
	if (percent_off(r, &percent))
		put_json(object, "difference_percent", json_real(percent));
}

int output_json(const struct printing *p, const struct bxs_reading *r)
{
	json_t *object = json_object();
	int err;

	put_json(&object, r->metric ? "metric" : "event", json_string(r->name));
	put_json(&object, "box", json_string(*r->box ? r->box : "all"));
	if (r->socket >= 0)
		put_json(&object, "socket", json_integer(r->socket));
	if (has_value(r))
		put_json(&object, "value", json_number(r->value));
	put_json(&object, "unit", json_string(r->unit));
	put_json(&object, "validity", json_string(bxs_validity_name(r->validity)));
	if (r->validity == BXS_SCALED)
		put_json(&object, "error", json_real(r->error));
	put_truth(&object, r);
	if (p->row) {
		put_json(&object, "runs", json_integer(p->row->runs));
		if (has_value(r))
			put_json(&object, "spread", json_number(repeat_spread(p->row)));
	}
	put_json(&object, "time_ns", json_integer((json_int_t)p->time_ns));
	if (!object)
		return BXS_ENOMEM;
	err = json_dumpf(object, p->to, JSON_PRESERVE_ORDER | JSON_COMPACT);
	fputc('\n', p->to);
	json_decref(object);
	return err;
}

/* A field that holds the separator, a quote or a line end stands in quotes. */
static void print_field(const struct printing *p, const char *text)
{
	if (!strstr(text, p->o->separator) && !strpbrk(text, "\"\n")) {
		fputs(text, p->to);
		return;
	}
	fputc('"', p->to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', p->to);
		fputc(*text, p->to);
	}
	fputc('"', p->to);
}

static void put_number(char *out, size_t size, double value)
{
	snprintf(out, size, shown_whole(value) ? "%.0f" : "%.9g", value);
}

/* Three fields more: truth, difference, and that in percent. */
static void print_truth(const struct printing *p, const struct bxs_reading *r)
{
	char truth[40] = "", difference[40] = "", percent[40] = "";
	const char *fields[] = { truth, difference, percent };
	double off;

	if (r->has_truth)
		put_number(truth, sizeof truth, r->truth);
	if (has_difference(r))
		put_number(difference, sizeof difference, r->value - r->truth);
	if (has_difference(r) && percent_off(r, &off))
		snprintf(percent, sizeof percent, "%.6g", off);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		fputs(p->o->separator, p->to);
		print_field(p, fields[i]);
	}
}

/* Two fields more: of how many runs the reading is the mean, and their deviation. */
static void print_spread(const struct printing *p, const struct bxs_reading *r)
{
	char spread[40] = "";

	if (has_value(r))
		put_number(spread, sizeof spread, repeat_spread(p->row));
	fprintf(p->to, "%s%u%s", p->o->separator, p->row->runs, p->o->separator);
	print_field(p, spread);
}

int output_separated(const struct printing *p, const struct bxs_reading *r)
{
	const char *sep = p->o->separator;
	char value[40] = "", error[40] = "", socket[12] = "";
	const char *fields[] = { value, r->unit, bxs_validity_name(r->validity), error, r->box, socket,
				 r->name, r->text };

	if (has_value(r))
		put_number(value, sizeof value, r->value);
	if (r->validity == BXS_SCALED)
		snprintf(error, sizeof error, "%.6g", r->error);
	if (r->socket >= 0)
		snprintf(socket, sizeof socket, "%d", r->socket);
	fprintf(p->to, "%" PRIu64, p->time_ns);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		fputs(sep, p->to);
		print_field(p, fields[i]);
	}
	if (p->o->truth)
		print_truth(p, r);
	if (p->row)
		print_spread(p, r);
	fputc('\n', p->to);
	return 0;
}

void output_separated_head(const struct printing *p)
{
	static const char *const columns[] = { "time_ns", "value", "unit", "validity", "error", "box",
					       "socket", "name", "text" };
	static const char *const truths[] = { "truth", "difference", "difference_percent" };
	static const char *const spreads[] = { "runs", "spread" };
	const char *sep = p->o->separator;

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		fprintf(p->to, "%s%s", i ? sep : "", columns[i]);
	for (size_t i = 0; p->o->truth && i < sizeof truths / sizeof *truths; i++)
		fprintf(p->to, "%s%s", sep, truths[i]);
	for (size_t i = 0; p->o->repeated && i < sizeof spreads / sizeof *spreads; i++)
		fprintf(p->to, "%s%s", sep, spreads[i]);
	fputc('\n', p->to);
}
