/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of one box by the names that other tools have for them, for those who raise them. */
#include <stdio.h>
#include <string.h>

#include "api/machine.h"
#include "measure/spelling.h"

/* What is behind BOX. or BOXn. of our notation, unless fields follow: those are of a measurement. */
static bool keep_event(const char *ours, unsigned type, char *out, size_t size)
{
	const char *name = cat_str(cat_types[type].name), *dot = strchr(ours, '.');

	if (!dot || strncmp(ours, name, strlen(name)) != 0 || strpbrk(dot, ": ") || strlen(dot + 1) >= size)
		return false;
	memcpy(out, dot + 1, strlen(dot + 1) + 1);
	return true;
}

static bool read_as(const struct names *n, const char *text, unsigned type, char *out, size_t size)
{
	struct event_error error;
	struct event_scan scan = { .start = text, .p = text, .end = text + strlen(text), .err = &error };
	struct spelling other;

	return spelling_read(n, &scan, &other) == SPELLING_EVENT && scan.p == scan.end && keep_event(other.text, type, out, size);
}

bool api_event_called(bxs_machine *m, unsigned type, const char *text, char *out, size_t size)
{
	const struct cat_family *f = machine_spec(m->machine)->family;
	const char *pmu = cat_str(cat_types[type].called[CAT_TOOL_PERF]);
	char inside[200];

	if (!m->names && names_new((unsigned)(f - cat_families), &m->names) < 0)
		return false;
	if (read_as(m->names, text, type, out, size))
		return true;
	/* A driver's name for an event stands between the slashes of its PMU. */
	snprintf(inside, sizeof inside, "%s%.20s/%.150s/", spelling_pmu_prefix(pmu), pmu, text);
	return read_as(m->names, inside, type, out, size);
}
