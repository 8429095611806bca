/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processor this is, and its CPUs by socket and core: /proc/cpuinfo and sysfs, as Linux's documentation describes both. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "local/local_private.h"

#define CPUS "/sys/devices/system/cpu"

enum { CPUS_MOST = 4096, INTEL = 6 };

/* What stands behind "key : " of a line of /proc/cpuinfo; NULL: it has another key. */
static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) != 0 || (line[n] != '\t' && line[n] != ' ' && line[n] != ':'))
		return NULL;
	line = strchr(line, ':');
	return line ? line + 1 + (line[1] == ' ') : NULL;
}

static const struct cat_family *family_of(unsigned model)
{
	for (unsigned i = 0; i < cat_family_count; i++)
		if (cat_families[i].model && cat_families[i].model == model)
			return cat_families + i;
	return NULL;
}

/* "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz" */
static unsigned mhz_of(const char *name)
{
	const char *at = strrchr(name, '@');

	return at ? (unsigned)(strtod(at + 1, NULL) * 1000 + 0.5) : 0;
}

void local_find_processor(struct local_processor *out)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	unsigned family = 0, model = 0;
	bool intel = false;
	char line[4096];
	const char *v;

	*out = (struct local_processor){ 0 };
	/* The first processor's part ends with an empty line. */
	while (f && fgets(line, sizeof line, f) && line[0] != '\n') {
		line[strcspn(line, "\n")] = '\0';
		if ((v = value_of(line, "vendor_id")))
			intel = strcmp(v, "GenuineIntel") == 0;
		else if ((v = value_of(line, "cpu family")))
			family = (unsigned)strtoul(v, NULL, 10);
		else if ((v = value_of(line, "model name")))
			snprintf(out->name, sizeof out->name, "%s", v);
		else if ((v = value_of(line, "model")))
			model = (unsigned)strtoul(v, NULL, 10);
		else if ((v = value_of(line, "flags")))
			out->virtual = strstr(v, " hypervisor") != NULL;
	}
	if (f)
		fclose(f);
	out->base_mhz = mhz_of(out->name);
	out->family = intel && family == INTEL ? family_of(model) : NULL;
}

struct cpu {
	unsigned number, package, core;
};

static int in_order(const void *a, const void *b)
{
	const struct cpu *x = a, *y = b;

	if (x->package != y->package)
		return x->package < y->package ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* "0-3,5" at *at: the next range.  False: the end. */
static bool next_range(const char **at, unsigned *first, unsigned *last)
{
	char *end;

	*first = *last = (unsigned)strtoul(*at, &end, 10);
	if (end == *at)
		return false;
	if (*end == '-')
		*last = (unsigned)strtoul(end + 1, &end, 10);
	*at = *end == ',' ? end + 1 : end;
	return *last < CPUS_MOST && *first <= *last;
}

static struct cpu cpu_of(unsigned number)
{
	struct cpu c = { .number = number };
	char path[96];

	snprintf(path, sizeof path, CPUS "/cpu%u/topology/physical_package_id", number);
	local_number(path, &c.package);
	snprintf(path, sizeof path, CPUS "/cpu%u/topology/core_id", number);
	local_number(path, &c.core);
	return c;
}

/* All that are online, by socket, core and thread; NULL: out of memory. */
static struct cpu *list_cpus(unsigned *count)
{
	char line[4096];
	const char *at = line;
	unsigned first, last, n = 0;
	struct cpu *list = calloc(CPUS_MOST, sizeof *list);

	if (!list || !local_line(CPUS "/online", line, sizeof line))
		line[0] = '\0';
	while (list && next_range(&at, &first, &last))
		for (unsigned i = first; i <= last && n < CPUS_MOST; i++)
			list[n++] = cpu_of(i);
	if (list)
		qsort(list, n, sizeof *list, in_order);
	*count = n;
	return list;
}

/* Number CPU i of the list, the one before it being socket `s`, core `c`, thread `t`. */
static void number(const struct cpu *list, unsigned i, unsigned *s, unsigned *c, unsigned *t)
{
	if (i == 0) {
		*s = *c = *t = 0;
	} else if (list[i].package != list[i - 1].package) {
		++*s;
		*c = *t = 0;
	} else if (list[i].core != list[i - 1].core) {
		++*c;
		*t = 0;
	} else {
		++*t;
	}
}

int local_find_cpus(struct local *l)
{
	struct local_processor *p = &l->processor;
	unsigned s = 0, c = 0, t = 0;
	struct cpu *list = list_cpus(&p->cpus);

	for (unsigned i = 0; list && i < p->cpus; i++) {
		number(list, i, &s, &c, &t);
		p->sockets = s + 1;
		p->cores = c + 1 > p->cores ? c + 1 : p->cores;
	}
	l->cpu = malloc((local_slots(l) + 1) * sizeof *l->cpu);
	if (!list || !l->cpu) {
		free(list);
		return BXS_ENOMEM;
	}
	for (unsigned i = 0; i < local_slots(l); i++)
		l->cpu[i] = -1;
	for (unsigned i = 0; i < p->cpus; i++) {
		number(list, i, &s, &c, &t);
		if (t < 2)
			l->cpu[local_slot(l, s, t * p->cores + c)] = (int)list[i].number;
	}
	free(list);
	return 0;
}

int local_cpu(const struct local *l, unsigned socket, unsigned thread)
{
	const struct local_processor *p = &l->processor;

	return socket < p->sockets && thread < 2 * p->cores ? l->cpu[local_slot(l, socket, thread)] : -1;
}
