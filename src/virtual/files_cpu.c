/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of the processors: their registers, and how they and their caches and memory are laid out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "base/memory_file.h"
#include "virtual/files.h"

struct cpus {
	struct tree *t;
	const struct identity *id;
	unsigned n;			/* logical CPUs */
	char list[FILES_LIST], mask[FILES_LIST];
};

/* All CPUs whose place agrees with that of `cpu`: in the socket, and in the core and thread if asked. */
static struct files_set like(const struct cpus *c, unsigned cpu, bool core)
{
	struct identity_place at = identity_place(c->id, cpu);
	struct files_set s = { .n = c->n };

	for (unsigned i = 0; i < c->n; i++) {
		struct identity_place other = identity_place(c->id, i);

		if (other.socket == at.socket && (!core || other.core == at.core))
			files_set_add(&s, i);
	}
	return s;
}

/* NAME and NAME_list */
static void set_files(struct cpus *c, uint32_t dir, const char *name, const struct files_set *s)
{
	char list_name[64];

	snprintf(list_name, sizeof list_name, "%s_list", name);
	tree_text(c->t, dir, name, "%s\n", files_mask(s, c->mask));
	tree_text(c->t, dir, list_name, "%s\n", files_list(s, c->list));
}

static void topology(struct cpus *c, uint32_t cpu_dir, unsigned cpu)
{
	struct identity_place at = identity_place(c->id, cpu);
	struct files_set core = like(c, cpu, true), socket = like(c, cpu, false);
	uint32_t dir = tree_dir(c->t, cpu_dir, "topology");

	tree_text(c->t, dir, "physical_package_id", "%u\n", at.socket);
	tree_text(c->t, dir, "die_id", "0\n");
	tree_text(c->t, dir, "core_id", "%u\n", at.core);
	set_files(c, dir, "thread_siblings", &core);
	set_files(c, dir, "core_cpus", &core);
	set_files(c, dir, "core_siblings", &socket);
	set_files(c, dir, "package_cpus", &socket);
	set_files(c, dir, "die_cpus", &socket);
}

static void caches(struct cpus *c, uint32_t cpu_dir, unsigned cpu)
{
	struct files_set core = like(c, cpu, true), socket = like(c, cpu, false);
	struct identity_place at = identity_place(c->id, cpu);
	uint32_t top = tree_dir(c->t, cpu_dir, "cache");

	for (unsigned i = 0; i < IDENTITY_CACHES; i++) {
		const struct identity_cache *k = &c->id->cache[i];
		const struct files_set *who = k->shared ? &socket : &core;
		char name[16];
		uint32_t dir;

		snprintf(name, sizeof name, "index%u", i);
		dir = tree_dir(c->t, top, name);
		tree_text(c->t, dir, "level", "%u\n", k->level);
		tree_text(c->t, dir, "type", "%s\n",
			  k->type == 'D' ? "Data" : k->type == 'I' ? "Instruction" : "Unified");
		tree_text(c->t, dir, "id", "%u\n", k->shared ? at.socket : at.socket * c->id->cores + at.core);
		tree_text(c->t, dir, "size", "%uK\n", k->size_kb);
		tree_text(c->t, dir, "ways_of_associativity", "%u\n", k->ways);
		tree_text(c->t, dir, "coherency_line_size", "%u\n", k->line);
		tree_text(c->t, dir, "number_of_sets", "%u\n", k->sets);
		tree_text(c->t, dir, "physical_line_partition", "1\n");
		tree_text(c->t, dir, "shared_cpu_map", "%s\n", files_mask(who, c->mask));
		tree_text(c->t, dir, "shared_cpu_list", "%s\n", files_list(who, c->list));
	}
}

static void one_cpu(struct cpus *c, uint32_t system, unsigned cpu)
{
	unsigned node = identity_place(c->id, cpu).node;
	char name[32], target[64];
	uint32_t dir, part, n;

	snprintf(name, sizeof name, "cpu%u", cpu);
	dir = tree_path(c->t, system, name);
	topology(c, dir, cpu);
	caches(c, dir, cpu);
	part = tree_dir(c->t, dir, "microcode");
	tree_text(c->t, part, "version", "%#x\n", c->id->microcode);
	if (cpu) {
		/* Switching off has no effect: all stay online. */
		n = tree_text(c->t, dir, "online", "1\n");
		c->t->node[n].mode = 0644;
		c->t->node[n].kind = TREE_NOTE;
	}
	snprintf(name, sizeof name, "node%u", node);
	snprintf(target, sizeof target, "../../node/node%u", node);
	tree_link(c->t, dir, name, target);
}

static void system_cpu(struct cpus *c)
{
	uint32_t dir = tree_path(c->t, TREE_ROOT, "sys/devices/system/cpu"), smt;

	tree_text(c->t, dir, "online", "0-%u\n", c->n - 1);
	tree_text(c->t, dir, "possible", "0-%u\n", c->n - 1);
	tree_text(c->t, dir, "present", "0-%u\n", c->n - 1);
	tree_text(c->t, dir, "offline", "\n");
	tree_text(c->t, dir, "isolated", "\n");
	tree_text(c->t, dir, "kernel_max", "8191\n");
	smt = tree_dir(c->t, dir, "smt");
	tree_text(c->t, smt, "active", "%d\n", c->id->threads > 1);
	tree_text(c->t, smt, "control", "%s\n", c->id->threads > 1 ? "on" : "notsupported");
	for (unsigned cpu = 0; cpu < c->n; cpu++)
		one_cpu(c, dir, cpu);
}

/*
 * NUMA: a socket is a node, or has two.  Distances are what the firmware of a two-socket server says: 21 to another one,
 * 31 where that is nearer to some.
 */
static unsigned distance(const struct identity *id, unsigned from, unsigned to)
{
	unsigned each = id->nodes / id->sockets;

	return from == to ? 10 : from / each == to / each || each == 1 ? 21 : 31;
}

static void one_node(struct cpus *c, uint32_t top, unsigned node, uint64_t memory)
{
	struct files_set cpus = { .n = c->n };
	char name[32], target[64], far[64] = "";
	uint64_t kb = memory / 1024;
	size_t used = 0;
	uint32_t dir;

	snprintf(name, sizeof name, "node%u", node);
	dir = tree_dir(c->t, top, name);
	for (unsigned i = 0; i < c->id->nodes; i++)
		used += (size_t)snprintf(far + used, sizeof far - used, "%s%u", i ? " " : "", distance(c->id, node, i));
	for (unsigned i = 0; i < c->n; i++)
		if (identity_place(c->id, i).node == node)
			files_set_add(&cpus, i);
	tree_text(c->t, dir, "distance", "%s\n", far);
	tree_text(c->t, dir, "cpumap", "%s\n", files_mask(&cpus, c->mask));
	tree_text(c->t, dir, "cpulist", "%s\n", files_list(&cpus, c->list));
	tree_text(c->t, dir, "numastat",
		  "numa_hit 0\nnuma_miss 0\nnuma_foreign 0\ninterleave_hit 0\nlocal_node 0\nother_node 0\n");
	tree_text(c->t, dir, "meminfo",
		  "Node %u MemTotal:       %8" PRIu64 " kB\nNode %u MemFree:        %8" PRIu64 " kB\n"
		  "Node %u MemUsed:        %8u kB\n", node, kb, node, kb, node, 0);
	for (unsigned i = 0; i < c->n; i++) {
		if (identity_place(c->id, i).node != node)
			continue;
		snprintf(name, sizeof name, "cpu%u", i);
		snprintf(target, sizeof target, "../../cpu/cpu%u", i);
		tree_link(c->t, dir, name, target);
	}
}

static void system_node(struct cpus *c, uint64_t memory)
{
	static const char *const sets[] = { "online", "possible", "has_cpu", "has_memory",
					    "has_normal_memory" };
	uint32_t dir = tree_path(c->t, TREE_ROOT, "sys/devices/system/node");
	struct files_set nodes = { .n = c->id->nodes };

	for (unsigned i = 0; i < c->id->nodes; i++)
		files_set_add(&nodes, i);
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		tree_text(c->t, dir, sets[i], "%s\n", files_list(&nodes, c->list));
	for (unsigned i = 0; i < c->id->nodes; i++)
		one_node(c, dir, i, memory * c->id->sockets / c->id->nodes);
}

static void dev_cpu(struct tree *t, unsigned cpus)
{
	uint32_t top = tree_path(t, TREE_ROOT, "dev/cpu");

	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		char name[16];
		uint32_t n;

		snprintf(name, sizeof name, "%u", cpu);
		n = tree_node(t, tree_dir(t, top, name), "msr", TREE_MSR, 0600, 0);
		t->node[n].cpu = cpu;
		n = tree_node(t, tree_dir(t, top, name), "cpuid", TREE_CPUID, 0600, 0);
		t->node[n].cpu = cpu;
	}
}

/* One paragraph of /proc/cpuinfo. */
static void describe(FILE *out, const struct identity *id, unsigned cpu, unsigned mhz)
{
	struct identity_place at = identity_place(id, cpu);

	fprintf(out, "processor\t: %u\nvendor_id\t: GenuineIntel\ncpu family\t: %u\nmodel\t\t: %u\n"
		"model name\t: %s\nstepping\t: %u\nmicrocode\t: %#x\ncpu MHz\t\t: %u.000\n"
		"cache size\t: %u KB\nphysical id\t: %u\nsiblings\t: %u\ncore id\t\t: %u\n"
		"cpu cores\t: %u\napicid\t\t: %u\ninitial apicid\t: %u\n",
		cpu, id->family, id->model, id->name, id->stepping, id->microcode, mhz,
		id->cache[IDENTITY_CACHES - 1].size_kb, at.socket, id->threads * id->cores, at.core,
		id->cores, identity_apic_id(id, cpu), identity_apic_id(id, cpu));
	fprintf(out, "fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: %u\nwp\t\t: yes\nflags\t\t: %s\n"
		"bugs\t\t:\nbogomips\t: %u.00\nclflush size\t: 64\ncache_alignment\t: 64\n"
		"address sizes\t: %u bits physical, 48 bits virtual\npower management:\n\n",
		id->highest_leaf, id->flags, 2 * id->base_mhz, id->address_bits);
}

static void cpuinfo(struct cpus *c, const struct spec *spec)
{
	uint32_t dir = tree_path(c->t, TREE_ROOT, "proc"), n;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		c->t->failed = true;
		return;
	}
	for (unsigned cpu = 0; cpu < c->n; cpu++)
		describe(out, c->id, cpu, (unsigned)spec->value[SPEC_CORE_MHZ]);
	if (memory_file_close(out, &text) < 0) {
		c->t->failed = true;
		return;
	}
	n = tree_bytes(c->t, dir, "cpuinfo", text, size);
	c->t->node[n].size = 0;		/* as everything in /proc */
}

static void meminfo(struct tree *t, const struct spec *spec, const struct identity *id)
{
	uint64_t kb = id->sockets * (spec->value[SPEC_MEMORY] / 1024);
	uint32_t n = tree_text(t, tree_path(t, TREE_ROOT, "proc"), "meminfo",
			       "MemTotal:       %8" PRIu64 " kB\nMemFree:        %8" PRIu64
			       " kB\nMemAvailable:   %8" PRIu64 " kB\nBuffers:               0 kB\n"
			       "Cached:                0 kB\nSwapTotal:             0 kB\n"
			       "SwapFree:              0 kB\nHugePages_Total:       0\n"
			       "HugePages_Free:        0\nHugepagesize:       2048 kB\n", kb, kb, kb);

	t->node[n].size = 0;
}

void files_topology(struct tree *t, const struct machine *m, const struct identity *id)
{
	const struct spec *spec = machine_spec(m);
	struct cpus *c = malloc(sizeof *c);

	if (!c) {
		t->failed = true;
		return;
	}
	*c = (struct cpus){ .t = t, .id = id, .n = id->sockets * id->cores * id->threads };
	system_cpu(c);
	system_node(c, spec->value[SPEC_MEMORY]);
	cpuinfo(c, spec);
	free(c);
}

void files_cpu(struct tree *t, const struct virtual *v, const struct identity *id)
{
	dev_cpu(t, virtual_cpus(v));
	files_topology(t, virtual_machine(v), id);
	meminfo(t, machine_spec(virtual_machine(v)), id);
}

void files_kernel(struct tree *t)
{
	static const struct {
		const char *dir, *name, *text;
	} switches[] = {
		/* The watchdog would take a counter; it is off. */
		{ "proc/sys/kernel", "nmi_watchdog", "0\n" },
		/* Whose events may be opened?  As the kernel comes; who has CAP_PERFMON may all. */
		{ "proc/sys/kernel", "perf_event_paranoid", "2\n" },
		/* Does the kernel let tools write MSRs? */
		{ "sys/module/msr/parameters", "allow_writes", "on\n" },
	};

	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
		uint32_t dir = tree_path(t, TREE_ROOT, switches[i].dir);
		uint32_t n = tree_text(t, dir, switches[i].name, "%s", switches[i].text);

		t->node[n].kind = TREE_NOTE;
		t->node[n].mode = 0644;
	}
}
