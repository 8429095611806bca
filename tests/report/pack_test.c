/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed columns: texts worked out by hand from src/report/pack.h, and how exact values stay. */
#include "report/pack.h"

#include <math.h>

#include "check.h"
#include "report/shown.h"

/*
 * Differences, sign in bit 0, digits of 32: 3 is 6, "G"; from 3 to 1 is -2, so 5, "F"; 40 is 80 = 16 + 2 * 32, "w" with the bit for
 * more (48), then "C".  0 is "A" and how often.
 */
static const struct times_row {
	int line;
	uint64_t time[5];
	size_t count;
	const char *text;
} times_rows[] = {
	{ LINE, { 0 }, 0, "" },
	{ LINE, { 3, 1 }, 2, "GF" },
	{ LINE, { 40 }, 1, "wC" },
	{ LINE, { 0, 0, 0, 1, 1 }, 5, "ADCAB" },
};

/* Digits behind the point, and the text; digits -1: the values themselves. */
static const struct values_row {
	int line;
	double value[3];
	size_t count;
	int digits;
	const char *text;
} values_rows[] = {
	{ LINE, { 3, 1 }, 2, 0, "GF" },
	/* What is not there is as the value before. */
	{ LINE, { 3, NAN, 1 }, 3, 0, "GABF" },
	/* Seven digits: 0.5 is 5000000 in units of 1e-7, doubled 0 + 20 * 32 + 5 * 32^2 + 17 * 32^3 + 9 * 32^4. */
	{ LINE, { 0.5, 0.5 }, 2, 7, "g0lxJAB" },
	{ LINE, { -0.5 }, 1, 7, "h0lxJ" },
	/* 1234567 in units of 0.1, doubled 14 + 8 * 32 + 11 * 32^2 + 11 * 32^3 + 2 * 32^4. */
	{ LINE, { 123456.7 }, 1, 1, "uorrC" },
	/* Beyond 2^53. */
	{ LINE, { 1e300 }, 1, -1, NULL },
};

static void check_times(void)
{
	for (const struct times_row *r = times_rows; r < times_rows + LEN(times_rows); r++) {
		json_t *text = pack_times(r->time, r->count);

		CHECK_STR(r->line, json_string_value(text), r->text);
		json_decref(text);
	}
}

static void check_values(void)
{
	for (const struct values_row *r = values_rows; r < values_rows + LEN(values_rows); r++) {
		json_t *column = pack_values(r->value, r->count);

		CHECK_EQ(r->line, json_integer_value(json_array_get(column, 0)), r->digits);
		if (r->text)
			CHECK_STR(r->line, json_string_value(json_array_get(column, 1)), r->text);
		else
			CHECK_EQ(r->line, json_array_size(json_array_get(column, 1)), r->count);
		json_decref(column);
	}
}

/* Whatever the value is, its rounded form is shown as itself. */
static const double hard[] = { 0.99999999, 0.12345, 12345.6785, 99999.9996, 100000.5, 1e-9, 0.00005, 3.0005, 1e15 + 0.5 };

static void check_shown(void)
{
	for (size_t i = 0; i < LEN(hard); i++) {
		json_t *column = pack_values(&hard[i], 1);
		int digits = (int)json_integer_value(json_array_get(column, 0));
		char want[64], got[64];

		shown_value(hard[i], want, sizeof want);
		shown_value(digits < 0 ? hard[i] : rint(hard[i] * pow(10, digits)) / pow(10, digits), got, sizeof got);
		CHECK_STR(__LINE__, got, want);
		json_decref(column);
	}
}

int main(void)
{
	check_times();
	check_values();
	check_shown();
	return check_done();
}
