/* SPDX-License-Identifier: BSD-2-Clause */
/* Pack columns of numbers into short texts. */
#include "report/pack.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/shown.h"

enum { SHIFT = 5, MORE = 1 << SHIFT, DIGITS_MOST = 15, LONGEST = 13 };	/* LONGEST: digits of a 64-bit number */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

struct packing {
	char *text;
	size_t used, room;
	int64_t last;
	uint64_t same;		/* differences of 0 not written yet */
	bool failed;
};

static void put_number(struct packing *p, uint64_t n)
{
	if (p->used + LONGEST > p->room) {
		size_t room = p->room ? 2 * p->room : 256;
		char *text = realloc(p->text, room);

		if (!text) {
			p->failed = true;
			return;
		}
		p->text = text;
		p->room = room;
	}
	for (; n >= MORE; n >>= SHIFT)
		p->text[p->used++] = alphabet[MORE | (n & (MORE - 1))];
	p->text[p->used++] = alphabet[n];
}

static void end_same(struct packing *p)
{
	if (p->same) {
		put_number(p, 0);
		put_number(p, p->same);
	}
	p->same = 0;
}

static void put(struct packing *p, int64_t value)
{
	int64_t step = value - p->last;

	p->last = value;
	if (step == 0) {
		p->same++;
		return;
	}
	end_same(p);
	put_number(p, step < 0 ? (uint64_t)-step << 1 | 1 : (uint64_t)step << 1);
}

static json_t *finish(struct packing *p)
{
	json_t *text;

	end_same(p);
	text = p->failed ? NULL : json_stringn(p->text ? p->text : "", p->used);
	free(p->text);
	return text;
}

json_t *pack_times(const uint64_t *time, size_t count)
{
	struct packing p = { 0 };

	for (size_t i = 0; i < count; i++)
		put(&p, (int64_t)time[i]);
	return finish(&p);
}

json_t *pack_bytes(const uint8_t *byte, size_t count)
{
	struct packing p = { 0 };

	for (size_t i = 0; i < count; i++)
		put(&p, byte[i]);
	return finish(&p);
}

/* Would a table show the same text for both? */
static bool shown_alike(double a, double b)
{
	char x[64], y[64];

	if (a == b)
		return true;
	shown_value(a, x, sizeof x);
	shown_value(b, y, sizeof y);
	return strcmp(x, y) == 0;
}

static bool enough(const double *value, size_t count, double scale)
{
	for (size_t i = 0; i < count; i++) {
		double scaled = rint(value[i] * scale);

		if (isnan(value[i]))
			continue;
		if (fabs(scaled) >= 9007199254740992.0 || !shown_alike(value[i], scaled / scale))
			return false;
	}
	return true;
}

/* The number of decimal places that the column needs; -1: no number of them is enough. */
static int digits_of(const double *value, size_t count)
{
	double most = 0;
	bool whole = true;
	int digits;

	for (size_t i = 0; i < count; i++) {
		if (isnan(value[i]))
			continue;
		whole &= shown_whole(value[i]);
		most = fmax(most, fabs(value[i]));
	}
	if (whole)
		return 0;
	digits = most > 0 ? 6 - (int)floor(log10(most)) : 4;
	for (digits = digits < 0 ? 0 : digits; digits <= DIGITS_MOST; digits++)
		if (enough(value, count, pow(10, digits)))
			return digits;
	return -1;
}

static json_t *all_values(const double *value, size_t count)
{
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++)
		if (json_array_append_new(all, isnan(value[i]) ? json_null() : json_real(value[i])) != 0) {
			json_decref(all);
			return NULL;
		}
	return json_pack("[io]", -1, all);
}

json_t *pack_values(const double *value, size_t count)
{
	struct packing p = { 0 };
	int digits = digits_of(value, count);
	double scale = pow(10, digits);
	json_t *text;

	if (digits < 0)
		return all_values(value, count);
	for (size_t i = 0; i < count; i++)
		put(&p, isnan(value[i]) ? p.last : (int64_t)rint(value[i] * scale));
	text = finish(&p);
	return text ? json_pack("[io]", digits, text) : NULL;
}
