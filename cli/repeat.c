/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Means by Welford's way: runs that agree exactly keep their very number, and the sum of squares stays 0.
 */
#include "repeat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void repeat_begin(struct repeat *r, uint64_t time_ns)
{
	r->runs++;
	r->at = 0;
	r->time_ns += ((double)time_ns - r->time_ns) / r->runs;
}

static bool is_same(const struct bxs_reading *a, const struct bxs_reading *b)
{
	return a->socket == b->socket && a->metric == b->metric && strcmp(a->name, b->name) == 0 && strcmp(a->box, b->box) == 0;
}

/* The row of a reading; runs hand theirs out in one order, so it is nearly always the next.  NULL: it is new. */
static struct repeat_row *find(struct repeat *r, const struct bxs_reading *reading)
{
	for (unsigned n = 0; n < r->rows; n++) {
		unsigned i = (r->at + n) % r->rows;

		if (r->row[i].runs < r->runs && is_same(&r->row[i].reading, reading)) {
			r->at = (i + 1) % r->rows;
			return r->row + i;
		}
	}
	return NULL;
}

static void free_strings(const struct bxs_reading *r)
{
	free((char *)r->name);
	free((char *)r->box);
	free((char *)r->unit);
	free((char *)r->text);
	free((char *)r->why);
}

static struct repeat_row *new_row(struct repeat *r, const struct bxs_reading *reading)
{
	struct repeat_row row = { .reading = *reading }, *more;

	if (r->rows == r->room) {
		more = realloc(r->row, (r->room * 2 + 16) * sizeof *more);
		if (!more)
			return NULL;
		r->row = more;
		r->room = r->room * 2 + 16;
	}
	row.reading.name = strdup(reading->name);
	row.reading.box = strdup(reading->box);
	row.reading.unit = strdup(reading->unit);
	row.reading.text = strdup(reading->text);
	row.reading.why = strdup(reading->why);
	row.reading.value = row.reading.error = row.reading.truth = 0;
	if (!row.reading.name || !row.reading.box || !row.reading.unit || !row.reading.text || !row.reading.why) {
		free_strings(&row.reading);
		return NULL;
	}
	r->row[r->rows] = row;
	return r->row + r->rows++;
}

int repeat_add(struct repeat *r, const struct bxs_reading *reading)
{
	struct repeat_row *row = find(r, reading);
	double from;

	if (!row)
		row = new_row(r, reading);
	if (!row)
		return BXS_ENOMEM;
	row->runs++;
	/* A mean is worth no more than the worst of what it is of; where one run has no value, it has none. */
	if (reading->validity > row->reading.validity) {
		char *why = strdup(reading->why);

		if (!why)
			return BXS_ENOMEM;
		free((char *)row->reading.why);
		row->reading.why = why;
		row->reading.validity = reading->validity;
	}
	from = reading->value - row->reading.value;
	row->reading.value += from / row->runs;
	row->squares += from * (reading->value - row->reading.value);
	row->reading.error += (reading->error - row->reading.error) / row->runs;
	row->reading.has_truth &= reading->has_truth;
	row->reading.truth += (reading->truth - row->reading.truth) / row->runs;
	return 0;
}

double repeat_spread(const struct repeat_row *row)
{
	return row->runs > 1 && row->squares > 0 ? sqrt(row->squares / (row->runs - 1)) : 0;
}

void repeat_free(struct repeat *r)
{
	for (unsigned i = 0; i < r->rows; i++)
		free_strings(&r->row[i].reading);
	free(r->row);
}
