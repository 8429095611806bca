/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine: its making, what it has. */
#include "machine/machine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/product.h"
#include "machine/private.h"
#include "pmu/pmu.h"

static int build_pmu(struct machine *m)
{
	struct pmu_config config = {
		.family = m->spec.family,
		.sockets = m->sockets,
		.cores = (unsigned)m->spec.value[SPEC_CORES],
	};
	const struct families_entry *family = families_find(m->spec.family);
	int err;

	family->boxes(&m->spec, &config);
	err = pmu_new(&config, &m->pmu);
	m->msrs = err == 0 && pmu_cpu_type(m->pmu) != PMU_TYPES;
	if (err == 0)
		err = family->clocks(&m->spec, m->pmu);
	return err;
}

static int build_cores(struct machine *m)
{
	uint32_t khz = (uint32_t)m->spec.value[SPEC_CORE_MHZ] * 1000;

	m->core_design = timing_of_core(&cat_design_of(m->spec.family)->core);
	m->core = calloc(m->cores, sizeof *m->core);
	m->registers = calloc(machine_cpus(m), sizeof *m->registers);
	if (!m->core || !m->registers)
		return BXS_ENOMEM;
	memset(m->page, 0xff, sizeof m->page);		/* nobody's pages, nor lines below */
	for (unsigned i = 0; i < m->cores; i++) {
		struct machine_core *c = &m->core[i];

		timing_init(&c->timing, &m->core_design, khz);
		c->socket = (uint8_t)(i / (m->cores / m->sockets));
		c->node = (uint8_t)(i / m->together);
		c->number = (uint8_t)(i % m->together);
		c->idle = true;
		memset(c->expected, 0xff, sizeof c->expected);
		core_frequency(m, i, khz, 0);
	}
	return 0;
}

static int build(struct machine *m, bool bare)
{
	const uint64_t *v = m->spec.value;
	enum map_policy policy = v[SPEC_PAGES] == SPEC_PAGES_INTERLEAVE ? MAP_INTERLEAVE : MAP_TOUCH;
	int err;

	m->sockets = (unsigned)v[SPEC_SOCKETS];
	m->nodes = m->sockets << (v[SPEC_SNOOP] == SPEC_SNOOP_COD);
	m->cores = m->sockets * (unsigned)v[SPEC_CORES];
	m->together = m->cores / m->nodes;
	err = build_cores(m);
	if (err < 0)
		return err;
	if (v[SPEC_BIND] != SPEC_NONE)
		policy = MAP_BIND;
	err = map_init(&m->map, m->nodes, v[SPEC_MEMORY] * m->sockets / m->nodes, policy, (unsigned)v[SPEC_BIND]);
	for (unsigned i = 0; i < MACHINE_PAGES; i++)
		m->page[i].number = UINT64_MAX;
	if (err == 0)
		err = build_pmu(m);
	m->family = bare ? NULL : families_find(m->spec.family);
	if (err == 0 && m->family)
		err = m->family->build(m);
	if (err == 0)
		core_reset(m);
	m->seam = (struct machine_access){ .access.ops = &machine_access_ops, .machine = m };
	return err;
}

static int make(const struct spec *spec, bool bare, struct machine **out)
{
	struct machine *m = calloc(1, sizeof *m);
	int err;

	if (!m)
		return BXS_ENOMEM;
	m->spec = *spec;
	err = build(m, bare);
	if (err < 0) {
		machine_free(m);
		return err;
	}
	*out = m;
	return 0;
}

int machine_new(const struct spec *spec, struct machine **out)
{
	return make(spec, false, out);
}

int machine_new_bare(const struct spec *spec, struct machine **out)
{
	return make(spec, true, out);
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	if (m->family)
		m->family->release(m);
	pmu_free(m->pmu);
	map_release(&m->map);
	for (unsigned i = 0; m->core && i < m->cores; i++)
		free(m->core[i].inbox.snoop);
	free(m->core);
	free(m->registers);
	free(m);
}

const struct spec *machine_spec(const struct machine *m)
{
	return &m->spec;
}

struct pmu *machine_pmu(struct machine *m)
{
	return m->pmu;
}

unsigned machine_sockets(const struct machine *m)
{
	return m->sockets;
}

unsigned machine_nodes(const struct machine *m)
{
	return m->nodes;
}

unsigned machine_cores(const struct machine *m)
{
	return m->cores;
}

unsigned machine_cpus(const struct machine *m)
{
	return m->cores * (unsigned)m->spec.value[SPEC_THREADS];
}

uint32_t machine_microcode(const struct machine *m)
{
	return cat_cpu_of(m->spec.family)->microcode;
}

unsigned machine_energy_unit(const struct machine *m)
{
	return cat_cpu_of(m->spec.family)->energy_unit;
}

bool machine_cores_told(const struct machine *m)
{
	return m->p9500 != NULL;
}

bool machine_runs_x86(const struct machine *m)
{
	return cat_cpu_of(m->spec.family)->known;
}

bool machine_has_hardware(const struct machine *m)
{
	return m->fabric || m->p9500;
}

struct xcore_config machine_caches(const struct machine *m)
{
	return families_find(m->spec.family)->caches();
}

bool machine_uses(const struct machine *m, unsigned type, unsigned box)
{
	return !m->family || !m->family->uses || m->family->uses(&m->spec, type, box);
}

void machine_interrupt(struct machine *m)
{
	atomic_store_explicit(&m->interrupted, true, memory_order_relaxed);
}

bool machine_interrupted(const struct machine *m)
{
	return atomic_load_explicit(&m->interrupted, memory_order_relaxed);
}

int machine_error(const struct machine *m)
{
	return m->error ? m->error : m->map.error;
}

void machine_bind(struct machine *m, unsigned space, uint64_t node)
{
	m->map.space_node[space % MAP_SPACES] =
		node < m->nodes ? (uint32_t)node : MAP_ANY_NODE;
}

void machine_wish(struct machine *m, struct map_wish wish)
{
	m->map.wish = wish;
}

int machine_wish_range(struct machine *m, unsigned space, uint64_t first, uint64_t last, struct map_wish wish)
{
	return map_wish_range(&m->map, &(struct map_range){ map_user(space, first), map_user(space, last), wish });
}

uint32_t machine_node_of(struct machine *m, unsigned space, uint64_t line)
{
	uint64_t user = map_user(space, line), at;

	map_find(&m->map, map_key(user));
	return map_lookup(&m->map, user, &at) ? map_node_of(&m->map, at) : MAP_ANY_NODE;
}

uint64_t machine_translate(struct machine *m, unsigned core, unsigned space, uint64_t line)
{
	return map_translate(&m->map, map_user(space, line), m->core[core].node) << MAP_LINE_SHIFT;
}

struct access *machine_registers(struct machine *m)
{
	return &m->seam.access;
}
