/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and equations of metrics with a variable: RANKx is RANK3 with x = 3. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "measure/metric_private.h"

static bool is_variable(const char *text, const char *p)
{
	if (*p != 'x' || isalnum((unsigned char)p[1]))
		return false;
	return p == text || isupper((unsigned char)p[-1]) || !isalnum((unsigned char)p[-1]);
}

bool metric_has_x(const char *equation)
{
	for (const char *p = equation; *p; p++)
		if (is_variable(equation, p) && (p == equation || p[-1] != '_'))
			return true;
	return false;
}

char *metric_substitute(const char *equation, int x)
{
	size_t size = strlen(equation) * 2 + 16, used = 0;
	char *out = malloc(size);

	for (const char *p = equation; out && *p; p++) {
		if (is_variable(equation, p) && x >= 0)
			used += (size_t)snprintf(out + used, size - used, "%d", x);
		else if (strncmp(p, "_z_", 3) == 0 && used + 4 < size) {
			memcpy(out + used, "_Rx", 3);
			used += 3;
			p++;
		} else {
			out[used++] = *p;
		}
	}
	if (out)
		out[used] = '\0';
	return out;
}

/* name fits pattern, in which one x stands for a number. */
static bool match_x(const char *pattern, struct span name, int *x)
{
	for (const char *p = pattern; *p; p++) {
		size_t before = (size_t)(p - pattern), digits = before;
		uint64_t value;

		if (!is_variable(pattern, p))
			continue;
		while (digits < name.n && isdigit((unsigned char)name.s[digits]))
			digits++;
		if (digits == before || strncasecmp(pattern, name.s, before) != 0 ||
		    !names_same((struct span){ name.s + digits, name.n - digits }, p + 1) ||
		    !event_number((struct span){ name.s + before, digits - before }, &value) ||
		    value > 63)
			continue;
		*x = (int)value;
		return true;
	}
	return false;
}

bool metric_is_called(const char *pattern, struct span name)
{
	int x;

	return names_same(name, pattern) || match_x(pattern, name, &x);
}

uint32_t metric_find(const struct names *n, int type, struct span name, int *x, unsigned *matches)
{
	const struct cat_family *f = names_family(n);
	uint32_t found = NAMES_NONE;

	*matches = 0;
	*x = -1;
	for (unsigned pass = 0; pass < 2 && !*matches; pass++)
		for (uint32_t i = f->metric0; i < (uint32_t)f->metric0 + f->metrics; i++) {
			const struct cat_metric *m = cat_metrics + i;
			const char *s = cat_str(m->name);

			if (type >= 0 && m->type != type)
				continue;
			if (pass ? !match_x(s, name, x) : !names_same(name, s))
				continue;
			found = i;
			++*matches;
		}
	return found;
}

static const struct cat_default *find_default(const struct names *n, int type, struct span name, bool exact)
{
	const struct cat_family *f = names_family(n);

	for (const struct cat_default *d = cat_defaults + f->default0; d < cat_defaults + f->default0 + f->defaults; d++) {
		const char *s = cat_str(d->name);

		if ((type < 0 || d->type == type) && names_same(name, s) && (!exact || strncmp(s, name.s, name.n) == 0))
			return d;
	}
	return NULL;
}

bool metric_look_up(const struct names *n, int type, struct span name, struct metric_found *out)
{
	uint32_t metric = metric_find(n, type, name, &out->x, &out->matches);
	const struct cat_default *d = find_default(n, type, name, out->matches > 0);

	if (d) {
		*out = (struct metric_found){ d->equation, d->type == CAT_NOTYPE ? -1 : d->type, -1, 1 };
		return true;
	}
	if (metric == NAMES_NONE)
		return false;
	out->equation = cat_metrics[metric].equation;
	out->type = cat_metrics[metric].type;
	return true;
}
