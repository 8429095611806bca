/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many events a second are encoded by name: every event and subevent of a family that needs no
 * value, over and over; and one with filters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure/event.h"

enum { NAMES = 2048, ROUNDS = 2000000 };

struct list {
	unsigned n;
	char *name[NAMES];
};

static int collect(void *ctx, const struct event_spec *spec, struct span name)
{
	struct list *l = ctx;

	(void)spec;
	if (l->n < NAMES)
		l->name[l->n++] = strndup(name.s, name.n);
	return 0;
}

static int keep(void *ctx, const struct event_spec *spec, struct span name)
{
	struct event_spec *out = ctx;

	(void)name;
	*out = *spec;
	return 0;
}

static int run(const struct names *names, const struct list *l, const char *what)
{
	struct event_error error;
	struct event_spec spec;
	double from = bench_seconds();

	for (unsigned i = 0, at = 0; i < ROUNDS; i++, at = at + 1 == l->n ? 0 : at + 1)
		if (event_list(names, l->name[at], keep, &spec, &error) < 0) {
			fprintf(stderr, "%s: %s\n", l->name[at], error.text);
			return 1;
		}
	printf("encode %-24s %6.2f M events/s (%u names)\n", what, ROUNDS / (bench_seconds() - from) / 1e6, l->n);
	return 0;
}

int main(void)
{
	static struct list all;
	static char with_fields[] = "cbo.TOR_INSERTS.MISS_OPCODE:opc=0x182,thresh=2,edge,tid=0x3e";
	struct list one = { 1, { with_fields } };
	struct event_error error;
	struct names *names;
	double from = bench_seconds();
	int failed;

	if (names_new(0, &names) < 0)
		return 1;
	printf("index of names            %6.0f us\n", (bench_seconds() - from) * 1e6);
	if (event_list(names, "*.*", collect, &all, &error) < 0)
		return 1;
	failed = run(names, &all, "by name") | run(names, &one, "with four fields");
	for (unsigned i = 0; i < all.n; i++)
		free(all.name[i]);
	names_free(names);
	return failed;
}
