/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs as sysfs shows them. */
#include <stdio.h>

#include "base/bits.h"
#include "catalog/catalog.h"
#include "machine/machine.h"
#include "perf/perf.h"
#include "virtual/files.h"

/* sys/devices/NAME, and the link to it that perf looks for. */
static uint32_t device(struct tree *t, const char *name, uint32_t type)
{
	uint32_t dir = tree_dir(t, tree_path(t, TREE_ROOT, "sys/devices"), name), n;
	char target[64];

	snprintf(target, sizeof target, "../../../devices/%s", name);
	tree_link(t, tree_path(t, TREE_ROOT, "sys/bus/event_source/devices"), name, target);
	tree_text(t, dir, "type", "%u\n", type);
	n = tree_text(t, dir, "perf_event_mux_interval_ms", "4\n");
	t->node[n].kind = TREE_NOTE;
	t->node[n].mode = 0644;
	tree_link(t, dir, "subsystem", "../../bus/event_source");
	tree_text(t, dir, "uevent", "\n");
	return dir;
}

static void events(struct tree *t, uint32_t dir, const struct cat_pmu *p)
{
	uint32_t top = p->events ? tree_dir(t, dir, "events") : dir;
	char name[64];

	for (unsigned i = p->event0; i < p->event0 + (unsigned)p->events; i++) {
		const struct cat_pmu_event *e = &cat_pmu_events[i];

		tree_text(t, top, cat_str(e->name), "%s", cat_str(e->value));
		if (e->scale) {
			snprintf(name, sizeof name, "%s.scale", cat_str(e->name));
			tree_text(t, top, name, "%s", cat_str(e->scale));
		}
		if (e->unit) {
			snprintf(name, sizeof name, "%s.unit", cat_str(e->name));
			tree_text(t, top, name, "%s", cat_str(e->unit));
		}
	}
}

static void uncore(struct tree *t, const struct perf_pmu *pmu, const char *cpus)
{
	const struct cat_pmu *p = pmu->cat;
	uint32_t dir = device(t, pmu->name, pmu->type), top;

	tree_text(t, dir, "cpumask", "%s\n", cpus);
	top = tree_dir(t, dir, "format");
	for (unsigned i = p->format0; i < p->format0 + (unsigned)p->formats; i++)
		tree_text(t, top, cat_str(cat_pmu_formats[i].name), "%s\n", cat_str(cat_pmu_formats[i].bits));
	events(t, dir, p);
}

static void core(struct tree *t, const struct perf *perf, const struct perf_pmu *pmu)
{
	static const char *const formats[][2] = {
		{ "event", "config:0-7" }, { "umask", "config:8-15" }, { "edge", "config:18" }, { "any", "config:21" },
		{ "inv", "config:23" }, { "cmask", "config:24-31" },
	};
	uint32_t dir = device(t, pmu->name, pmu->type), top = tree_dir(t, dir, "format");
	const char *name, *value;

	for (unsigned i = 0; i < LEN(formats); i++)
		tree_text(t, top, formats[i][0], "%s\n", formats[i][1]);
	top = tree_dir(t, dir, "events");
	for (unsigned i = 0; (name = perf_core_event(perf, i, &value)) != NULL; i++)
		tree_text(t, top, name, "%s", value);
}

void files_perf(struct tree *t, const struct virtual *v, const struct perf *perf)
{
	struct files_set cpus = { .n = virtual_cpus(v) };
	char list[FILES_LIST];

	for (unsigned s = 0; s < machine_sockets(virtual_machine(v)); s++)
		files_set_add(&cpus, perf_socket_cpu(perf, s));
	files_list(&cpus, list);
	for (unsigned i = 0; i < perf_pmu_count(perf); i++) {
		const struct perf_pmu *pmu = perf_pmu(perf, i);

		if (pmu->kind == PERF_UNCORE)
			uncore(t, pmu, list);
		else if (pmu->kind == PERF_CORE)
			core(t, perf, pmu);
		else
			device(t, pmu->name, pmu->type);
	}
}
