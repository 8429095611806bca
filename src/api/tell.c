/* SPDX-License-Identifier: BSD-2-Clause */
/* The public machine: what a core does, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/event_file.h"
#include "catalog/find.h"
#include "pmu/door.h"
#include "pmu/pmu.h"

/* Cut the next word off a text of words. */
static bool cut(const char **text, char *word, size_t size)
{
	size_t n;

	*text += strspn(*text, " \t");
	n = strcspn(*text, " \t");
	if (n == 0 || n >= size)
		return false;
	memcpy(word, *text, n);
	word[n] = '\0';
	*text += n;
	return true;
}

static int set_thread(bxs_machine *m, struct door *d, const char *value)
{
	unsigned per_socket = 2 * bxs_cores(m), threads = per_socket * bxs_sockets(m);
	char *end;
	unsigned long n = strtoul(value, &end, 0);

	if (*end || end == value || n >= threads)
		return api_fail(m, BXS_ENOENT, "no thread %s, there are %u", value, threads);
	d->socket = (unsigned)n / per_socket;
	d->thread = (unsigned)n % per_socket;
	return 0;
}

static const char *event_name(const void *ctx, unsigned i)
{
	const struct cat_type *t = ctx;

	return cat_str(cat_events[t->event0 + i].name);
}

/* "A,B" */
static int set_events(bxs_machine *m, struct door *d, const char *list)
{
	const struct cat_type *t = cat_find_type(pmu_family(machine_pmu(m->machine)), "core", 4);

	while (t && *list) {
		size_t n = strcspn(list, ",");
		const struct cat_event *e = cat_find_event(t, list, n);
		int near = e ? -1 : cat_nearest(list, n, t->events, event_name, t);

		if (!e && near >= 0)
			return api_fail(m, BXS_ENOENT, "no event %.*s; did you mean %s?", (int)n,
					list, event_name(t, (unsigned)near));
		if (!e)
			return api_fail(m, BXS_ENOENT, "no event %.*s", (int)n, list);
		if (d->events == DOOR_EVENTS)
			return api_fail(m, BXS_EINVAL, "more than %d events", DOOR_EVENTS);
		d->event[d->events++] = e->code;
		list += n + (list[n] == ',');
	}
	return 0;
}

static int set(bxs_machine *m, struct door *d, const char *name, const char *value)
{
	char values[200];
	int err;

	if (strcmp(name, "thread") == 0)
		return set_thread(m, d, value);
	if (strcmp(name, "event") == 0)
		return set_events(m, d, value);
	err = door_set(d, name, value);
	if (err == BXS_ENOENT)
		return api_fail(m, err, "no attribute %s", name);
	door_values(name, values, sizeof values);
	if (err < 0)
		return api_fail(m, err, "%s=%s, expected %s", name, value, values);
	return 0;
}

/* The thread stands behind the kind, the other attributes as they were given. */
static void record(bxs_machine *m, const char *what, const char *attributes, const struct door *d)
{
	char line[4096] = "", word[256];
	size_t n = 0;

	while (cut(&attributes, word, sizeof word))
		if (strncmp(word, "thread=", strlen("thread=")) != 0 && n < sizeof line)
			n += (size_t)snprintf(line + n, sizeof line - n, " %s", word);
	event_file_put(m, "%s %u%s", what, d->socket * 2 * bxs_cores(m) + d->thread, line);
}

int bxs_tell(bxs_machine *m, const char *what, const char *attributes)
{
	const char *all = attributes;
	char word[256], why[256] = "";
	struct door d;
	int err = api_simulated(m);

	if (err < 0)
		return err;
	if (!door_start(&d, what))
		return api_fail(m, BXS_ENOENT, "a core does no %s", what);
	while (err == 0 && cut(&attributes, word, sizeof word)) {
		char *value = strchr(word, '=');

		if (!value)
			return api_fail(m, BXS_EINVAL, "'%s', expected attribute=value", word);
		*value++ = '\0';
		err = set(m, &d, word, value);
	}
	if (err == 0 && attributes[strspn(attributes, " \t")])
		return api_fail(m, BXS_EINVAL, "an attribute is longer than %zu characters",
				sizeof word - 1);
	if (err < 0)
		return err;
	err = pmu_tell(machine_pmu(m->machine), &d, why, sizeof why);
	if (err == BXS_ENOTSUP)
		return api_fail(m, err, "the PMU of this family does not follow its cores");
	if (err < 0)
		return api_fail(m, err, "%s", why[0] ? why : "no such thread");
	if (m->record)
		record(m, what, all, &d);
	return 0;
}
