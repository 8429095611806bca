/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One interval is laid out in memory and written in one piece, so that a full disk cannot
 * swallow half of it.
 */
#include "output.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

struct printing {
	struct output *o;
	FILE *to;
	uint64_t time_ns;
};

static bool has_value(const struct bxs_reading *r)
{
	return r->validity < BXS_NOT_MODELLED;
}

/* Counts are whole; what was scaled or computed need not be. */
static bool is_whole(double value)
{
	return fabs(value) < 9007199254740992.0 && value == floor(value);
}

/* How far the reading is from the truth, if both are known. */
static bool has_difference(const struct bxs_reading *r)
{
	return r->has_truth && has_value(r);
}

/* In percent of the truth; false: there is nothing to take a share of. */
static bool percent_off(const struct bxs_reading *r, double *percent)
{
	double difference = r->value - r->truth;

	if (r->truth == 0 && difference != 0)
		return false;
	*percent = r->truth == 0 ? 0 : 100 * difference / fabs(r->truth);
	return true;
}

static json_t *json_number(double value)
{
	return is_whole(value) ? json_integer((json_int_t)value) : json_real(value);
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

static int print_json(const struct printing *p, const struct bxs_reading *r)
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
	snprintf(out, size, is_whole(value) ? "%.0f" : "%.9g", value);
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

static int print_separated(const struct printing *p, const struct bxs_reading *r)
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
	fputc('\n', p->to);
	return 0;
}

/* 12345678 as 12,345,678; small computed values with four digits that count. */
static void format_value(bool there, double value, char *out, size_t size)
{
	char digits[48];
	size_t used = 0, len;

	if (!there) {
		snprintf(out, size, "-");
		return;
	}
	if (!is_whole(value) && fabs(value) < 1e5) {
		snprintf(out, size, fabs(value) < 1 ? "%.4f" : "%.3f", value);
		return;
	}
	len = (size_t)snprintf(digits, sizeof digits, "%.0f", value);
	for (size_t i = 0; i < len && used + 2 < size; i++) {
		if (i && digits[i - 1] != '-' && (len - i) % 3 == 0)
			out[used++] = ',';
		out[used++] = digits[i];
	}
	out[used] = '\0';
}

/* Truth and difference of a table's row. */
static void print_truth_cells(const struct printing *p, const struct bxs_reading *r)
{
	char truth[64], difference[64], percent[24] = "";
	double off;

	format_value(r->has_truth, r->truth, truth, sizeof truth);
	format_value(has_difference(r), r->value - r->truth, difference, sizeof difference);
	if (has_difference(r) && percent_off(r, &off))
		snprintf(percent, sizeof percent, "%+.2f%%", off);
	fprintf(p->to, "%20s  %14s %9s  ", truth, difference, percent);
}

/* So much of it is guessed that the number says nothing: the run had too few turns. */
static bool is_vague(const struct bxs_reading *r)
{
	return r->validity == BXS_SCALED && r->value != 0 && r->error > fabs(r->value);
}

/* The error of a scaled reading is a part of it; that of a reading of 0 is in its own unit. */
static void format_validity(const struct bxs_reading *r, char *to, size_t room)
{
	double error = r->value != 0 ? 100 * r->error / fabs(r->value) : r->error;

	if (r->validity != BXS_SCALED)
		snprintf(to, room, "%s", bxs_validity_name(r->validity));
	else if (is_vague(r))
		snprintf(to, room, "scaled >+-100%%");
	else
		snprintf(to, room, error < 10 ? "scaled +-%.2g%s" : "scaled +-%.0f%s", error, r->value != 0 ? "%" : "");
}

/* Columns of the table; where the terminal is narrow, nothing stands behind the name. */
struct columns {
	int reading, unit, validity, name;
	bool text;
};

enum { TEXT_LEAST = 20 };	/* less of a text than that helps nobody */

static struct columns columns_of(const struct output *o)
{
	static const struct columns wide = { 20, 12, 16, 32, true }, narrow = { 16, 12, 14, 0, false };
	const unsigned fixed = 20 + 2 + 12 + 2 + 16 + 2 + 32 + 2 + (o->intervals ? 13 : 0) + (o->truth ? 48 : 0);

	return o->width == 0 || o->width >= fixed + TEXT_LEAST ? wide : narrow;
}

/* What the row is about, as far as the line goes. */
static void print_about(const struct printing *p, const struct bxs_reading *r, size_t used)
{
	size_t room = p->o->width > used ? p->o->width - used : 0, n = strlen(r->text);

	if (p->o->width && !*r->why && n > room)
		fprintf(p->to, "%.*s...\n", room > 3 ? (int)room - 3 : 0, r->text);
	else
		fprintf(p->to, "%s%s%s%s\n", r->text, *r->why ? " (" : "", r->why, *r->why ? ")" : "");
}

static int print_row(const struct printing *p, const struct bxs_reading *r)
{
	const struct columns c = columns_of(p->o);
	long from = ftell(p->to);
	char value[64], validity[48], name[160];

	format_value(has_value(r), r->value, value, sizeof value);
	format_validity(r, validity, sizeof validity);
	p->o->vague += is_vague(r);
	snprintf(name, sizeof name, "%s", r->name);
	if (r->socket >= 0)
		snprintf(name, sizeof name, "%s s%d%s%s", r->name, r->socket, *r->box ? "." : "", r->box);
	if (p->o->intervals)
		fprintf(p->to, "%12.6f ", (double)p->time_ns / 1e6);
	fprintf(p->to, "%*s  ", c.reading, value);
	if (p->o->truth)
		print_truth_cells(p, r);
	fprintf(p->to, "%-*s  %-*s  ", c.unit, r->unit, c.validity, validity);
	if (c.text) {
		fprintf(p->to, "%-*s  ", c.name, name);
		print_about(p, r, (size_t)(ftell(p->to) - from));
	} else {
		fprintf(p->to, "%s%s%s%s\n", name, *r->why ? " (" : "", r->why, *r->why ? ")" : "");
	}
	return 0;
}

static int print_reading(void *ctx, const struct bxs_reading *r)
{
	const struct printing *p = ctx;

	switch (p->o->format) {
	case OUTPUT_JSON:
		return print_json(p, r);
	case OUTPUT_SEPARATED:
		return print_separated(p, r);
	case OUTPUT_TABLE:
		break;
	}
	return print_row(p, r);
}

static void print_table_head(const struct printing *p)
{
	const struct columns c = columns_of(p->o);

	if (p->o->intervals)
		fprintf(p->to, "%12s ", "ms");
	fprintf(p->to, "%*s  ", c.reading, "reading");
	if (p->o->truth)
		fprintf(p->to, "%20s  %24s  ", "truth", "difference");
	fprintf(p->to, "%-*s  %-*s  ", c.unit, "unit", c.validity, "validity");
	if (c.text)
		fprintf(p->to, "%-*s  what it is\n", c.name, "of what");
	else
		fputs("of what\n", p->to);
}

static void print_head(const struct printing *p)
{
	static const char *const columns[] = { "time_ns", "value", "unit", "validity", "error", "box",
					       "socket", "name", "text" };

	static const char *const truths[] = { "truth", "difference", "difference_percent" };

	if (p->o->format == OUTPUT_TABLE)
		print_table_head(p);
	for (size_t i = 0; p->o->format == OUTPUT_SEPARATED && i < sizeof columns / sizeof *columns; i++)
		fprintf(p->to, "%s%s", i ? p->o->separator : "", columns[i]);
	for (size_t i = 0; p->o->format == OUTPUT_SEPARATED && p->o->truth && i < 3; i++)
		fprintf(p->to, "%s%s", p->o->separator, truths[i]);
	if (p->o->format == OUTPUT_SEPARATED)
		fputc('\n', p->to);
}

/* To the file, or where a person will see it. */
static int deliver(struct output *o, const char *text, size_t size)
{
	if (!o->broken) {
		size_t written = fwrite(text, 1, size, o->file);

		if (written == size && fflush(o->file) == 0)
			return 0;
		o->broken = true;
		if (o->file == stderr)
			return BXS_EIO;
	}
	fwrite(text, 1, size, stderr);
	return BXS_EIO;
}

/* Columns of the terminal that the file is; 0: it is none, or does not say. */
static unsigned width_of(FILE *file)
{
	struct winsize size;

	return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int output_interval(struct output *o, bxs_session *s, uint64_t time_ns)
{
	struct printing p = { .o = o, .time_ns = time_ns };
	char *text = NULL;
	size_t size = 0;
	int err;

	p.to = open_memstream(&text, &size);
	if (!p.to)
		return BXS_ENOMEM;
	if (!o->began) {
		o->width = width_of(o->file);
		print_head(&p);
	}
	o->began = true;
	err = bxs_session_each(s, o->by, print_reading, &p);
	if (fclose(p.to) != 0 || err)
		err = BXS_ENOMEM;
	else
		err = deliver(o, text, size);
	free(text);
	return err;
}

void output_heading(struct output *o, const char *text)
{
	if (o->format == OUTPUT_TABLE)
		deliver(o, text, strlen(text));
}
