/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One interval is laid out in memory and written in one piece, so that a full disk cannot
 * swallow half of it.
 */
#include "output_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

/* As people read it, or a dash. */
void output_value(bool there, double value, char *out, size_t size)
{
	if (there)
		shown_value(value, out, size);
	else
		snprintf(out, size, "-");
}

/* Truth and difference of a table's row. */
static void print_truth_cells(const struct printing *p, const struct bxs_reading *r)
{
	char truth[64], difference[64], percent[24] = "";
	double off;

	output_value(r->has_truth, r->truth, truth, sizeof truth);
	output_value(has_difference(r), r->value - r->truth, difference, sizeof difference);
	if (has_difference(r) && percent_off(r, &off))
		snprintf(percent, sizeof percent, "%+.2f%%", off);
	fprintf(p->to, "%20s  %14s %9s  ", truth, difference, percent);
}

/* How much the runs differ, in percent of their mean where there is one. */
static void print_spread_cell(const struct printing *p, const struct bxs_reading *r)
{
	double spread = repeat_spread(p->row);
	char text[32] = "-";

	if (has_value(r) && spread == 0)
		snprintf(text, sizeof text, "0");
	else if (has_value(r))
		snprintf(text, sizeof text, r->value ? "+-%.2g%%" : "+-%.2g", r->value ? 100 * spread / fabs(r->value) : spread);
	fprintf(p->to, "%9s  ", text);
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
	const unsigned fixed = 20 + 2 + 12 + 2 + 16 + 2 + 32 + 2 + (o->intervals ? 13 : 0) + (o->truth ? 48 : 0) +
			       (o->repeated ? 11 : 0);

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

	output_value(has_value(r), r->value, value, sizeof value);
	format_validity(r, validity, sizeof validity);
	p->o->vague += is_vague(r);
	snprintf(name, sizeof name, "%s", r->name);
	if (r->socket >= 0)
		snprintf(name, sizeof name, "%s s%d%s%s", r->name, r->socket, *r->box ? "." : "", r->box);
	if (p->o->intervals)
		fprintf(p->to, "%12.6f ", (double)p->time_ns / 1e6);
	fprintf(p->to, "%*s  ", c.reading, value);
	if (p->row)
		print_spread_cell(p, r);
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
		return output_json(p, r);
	case OUTPUT_SEPARATED:
		return output_separated(p, r);
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
	if (p->o->repeated)
		fprintf(p->to, "%9s  ", "spread");
	if (p->o->truth)
		fprintf(p->to, "%20s  %24s  ", "truth", "difference");
	fprintf(p->to, "%-*s  %-*s  ", c.unit, "unit", c.validity, "validity");
	if (c.text)
		fprintf(p->to, "%-*s  what it is\n", c.name, "of what");
	else
		fputs("of what\n", p->to);
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

static int print_all(struct printing *p)
{
	const struct repeat *r = p->repeat;
	int err = 0;

	if (!r)
		return bxs_session_each(p->session, p->o->by, print_reading, p);
	for (p->row = r->row; p->row < r->row + r->rows && err == 0; p->row++)
		err = print_reading(p, &p->row->reading);
	return err;
}

static void print_head(const struct printing *p)
{
	if (p->o->format == OUTPUT_TABLE)
		print_table_head(p);
	else if (p->o->format == OUTPUT_SEPARATED)
		output_separated_head(p);
}

/* Each line of the text. */
static int feed_lines(struct run *page, char *text)
{
	int err = 0;

	for (char *end; err == 0 && (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		err = run_line(page, text, (size_t)(end - text));
	}
	return err;
}

/* 0 or BXS_ENOMEM: fclose() may lack memory for the last of the text and not say so. */
static int close_text(FILE *file, char *const *text)
{
	return fclose(file) == 0 && *text ? 0 : BXS_ENOMEM;
}

/* The readings once more, as JSON lines for the page. */
static int feed_page(const struct printing *p)
{
	struct output json = *p->o;
	struct printing lines = *p;
	char *text = NULL;
	size_t size = 0;
	int err;

	json.format = OUTPUT_JSON;
	lines.o = &json;
	lines.to = open_memstream(&text, &size);
	if (!lines.to)
		return BXS_ENOMEM;
	err = print_all(&lines);
	if (close_text(lines.to, &text) < 0 || err)
		err = BXS_ENOMEM;
	else
		err = feed_lines(p->o->page, text);
	free(text);
	return err;
}

/* Below the head, if it is the first, and in one piece. */
static int lay_out(struct printing *p)
{
	struct output *o = p->o;
	char *text = NULL;
	size_t size = 0;
	int err;

	p->to = open_memstream(&text, &size);
	if (!p->to)
		return BXS_ENOMEM;
	if (!o->began) {
		o->width = width_of(o->file);
		print_head(p);
	}
	o->began = true;
	err = print_all(p);
	if (close_text(p->to, &text) < 0 || err)
		err = BXS_ENOMEM;
	else
		err = deliver(o, text, size);
	free(text);
	if (err != BXS_ENOMEM && o->page && feed_page(p) < 0)
		return BXS_ENOMEM;
	return err;
}

int output_line(struct output *o, const json_t *line)
{
	char *text = line ? json_dumps(line, JSON_COMPACT) : NULL, *whole = NULL;
	int err = text && asprintf(&whole, "%s\n", text) >= 0 ? 0 : BXS_ENOMEM;

	if (err == 0 && o->head)
		err = deliver(o, whole, strlen(whole));
	if (o->page && text && run_line(o->page, text, strlen(text)) < 0)
		err = BXS_ENOMEM;
	free(whole);
	free(text);
	return err;
}

int output_interval(struct output *o, bxs_session *s, uint64_t time_ns)
{
	struct printing p = { .o = o, .time_ns = time_ns, .session = s };

	return lay_out(&p);
}

int output_repeated(struct output *o, const struct repeat *r)
{
	struct printing p = { .o = o, .time_ns = (uint64_t)(r->time_ns + 0.5), .repeat = r };

	return lay_out(&p);
}

void output_heading(struct output *o, const char *text)
{
	if (o->format == OUTPUT_TABLE)
		deliver(o, text, strlen(text));
}
