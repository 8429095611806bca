/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Xeon's hardware: channels, home agents, the fabric of caches, rings and links; each box of it gets
 * its port of the PMU.
 */
#include <string.h>

#include "base/error.h"
#include "catalog/find.h"
#include "catalog/product.h"
#include "machine/xeon_private.h"
#include "pmu/pmu.h"

/* The name of the family's box type that plays this role; the role itself if none does. */
static const char *type_of(const struct cat_family *f, const char *role)
{
	for (const struct cat_type *t = &cat_types[f->type0]; t < &cat_types[f->type0 + f->types]; t++)
		if (strcmp(cat_str(t->plays), role) == 0)
			return cat_str(t->name);
	return role;
}

struct signal_port *xeon_port(struct machine *m, unsigned socket, const char *type, unsigned box)
{
	return pmu_port(m->pmu, socket, type_of(m->spec.family, type), box);
}

uint32_t xeon_uclk_khz(const struct machine *m)
{
	return pmu_clock(m->pmu, 0, "uclk")->khz;
}

/* What the links run at, as their rate registers have it; speeds in between show the next lower one. */
static void set_rate(const struct spec *spec, struct pmu *pmu, unsigned socket)
{
	static const struct { uint16_t mts; uint8_t code; } rates[] = {
		{ 9600, 7 }, { 8000, 5 }, { 7200, 4 }, { 0, 3 },
	};
	const struct cat_type *t = cat_find_type(spec->family, "qpi", 3);
	unsigned i = 0;

	while (rates[i].mts > spec->value[SPEC_QPI_MTS])
		i++;
	for (unsigned b = 0; t && b < spec->value[SPEC_QPI_LINKS]; b++) {
		struct pmu_box box = { socket, (unsigned)(t - &cat_types[spec->family->type0]), b };

		pmu_set(pmu, &box, "QPI_RATE_STATUS", rates[i].code);
	}
}

static void set_memory(const struct spec *spec, struct imc_config *config)
{
	static void (*const kinds[])(struct imc_config *config, unsigned mts, unsigned ranks) = {
		[CAT_MEMORY_DDR3] = imc_config_ddr3, [CAT_MEMORY_DDR4] = imc_config_ddr4,
	};
	const struct cat_design *d = cat_design_of(spec->family);
	const uint64_t *v = spec->value;

	kinds[d->memory](config, (unsigned)v[SPEC_DDR_MTS], (unsigned)(v[SPEC_RANKS] * v[SPEC_DIMMS]));
	config->front += d->serial;
	config->back += d->serial;
	config->dram.dimm_bits = (uint8_t)__builtin_ctz((unsigned)v[SPEC_RANKS]);
	config->slow_exit = v[SPEC_PPD];
	if (d->bridged)	/* no manual of its M-Box knows the partial mode */
		config->starve_low = UINT16_MAX;
	if (v[SPEC_VMSE])
		imc_config_buffered(config);
}

/* A domain may have no box that counts its clocks. */
static int set_clock(struct pmu *pmu, unsigned socket, const char *name, uint32_t khz)
{
	int err = pmu_clock_change(pmu, socket, name, 0, khz);

	return err == BXS_ENOENT ? 0 : err;
}

int xeon_clocks(const struct spec *spec, struct pmu *pmu)
{
	const struct cat_design *d = cat_design_of(spec->family);
	const uint64_t *v = spec->value;
	uint64_t uclk = v[SPEC_UCLK_MHZ];
	struct imc_config imc;
	int err = 0;

	if (!uclk && d->ring_at_core)
		uclk = v[SPEC_CORE_MHZ];
	set_memory(spec, &imc);
	for (unsigned s = 0; err == 0 && s < v[SPEC_SOCKETS]; s++) {
		err = set_clock(pmu, s, "dclk", imc.dram.dclk_khz);
		if (err == 0)
			err = set_clock(pmu, s, "qclk", (uint32_t)v[SPEC_QPI_MTS] * 1000 / d->link_transfers);
		if (err == 0 && uclk)
			err = pmu_clock_change(pmu, s, "uclk", 0, (uint32_t)uclk * 1000);
		set_rate(spec, pmu, s);
	}
	return err;
}

static int build_channels(struct machine *m, unsigned socket, unsigned agent)
{
	const uint64_t *v = m->spec.value;
	unsigned number = socket * (unsigned)v[SPEC_HAS] + agent;
	unsigned channels = (unsigned)(v[SPEC_CHANNELS] / v[SPEC_HAS]);

	for (unsigned i = 0; i < channels; i++) {
		struct imc **imc = &m->imc[number * HA_CHANNELS + i];
		struct imc_config config;
		int err;

		set_memory(&m->spec, &config);
		err = imc_new(&config, imc);
		if (err < 0)
			return err;
		imc_port(*imc, xeon_port(m, socket, "imc",
				    cat_design_of(m->spec.family)->bridged ? agent : agent * HA_CHANNELS + i));
	}
	return 0;
}

/* Home agents of a node. */
static unsigned agents(const struct machine *m)
{
	return (unsigned)m->spec.value[SPEC_HAS] * m->sockets / m->nodes;
}

static int build_agent(struct machine *m, unsigned socket, unsigned agent)
{
	static const uint8_t snoop[] = {
		[SPEC_SNOOP_EARLY] = HA_SNOOP_SOURCE,
		[SPEC_SNOOP_HOME] = HA_SNOOP_HOME,
		[SPEC_SNOOP_DIRECTORY] = HA_SNOOP_DIRECTORY,
		[SPEC_SNOOP_COD] = HA_SNOOP_DIRECTORY,
	};
	unsigned number = socket * (unsigned)m->spec.value[SPEC_HAS] + agent, each = agents(m);
	struct ha_config config;
	int err = build_channels(m, socket, agent);

	if (err < 0)
		return err;
	ha_config_default(&config);
	config.map = m->ha_map[number / each];
	config.socket = (uint8_t)(number / each);
	config.agent = (uint8_t)(number % each);
	config.peers = (uint8_t)(m->nodes - 1);
	if (each < m->spec.value[SPEC_HAS])
		config.near = (uint8_t)(1u << (config.socket ^ 1));	/* the other cluster */
	config.snoop = snoop[m->spec.value[SPEC_SNOOP]];
	config.hitme = cat_design_of(m->spec.family)->hitme;
	config.osb = m->spec.value[SPEC_OSB] ? config.trackers / 4 : 0;
	config.direct = m->spec.value[SPEC_D2C];
	config.uclk_khz = xeon_uclk_khz(m);
	config.tads = (uint8_t)m->spec.value[SPEC_TADS];
	for (unsigned i = 0; i < config.tads; i++)
		config.tad[i] = config.map.base + config.map.lines * (i + 1) / config.tads;
	for (unsigned i = 0; i < config.map.channels; i++)
		config.imc[i] = m->imc[number * HA_CHANNELS + i];
	err = ha_new(&config, &m->ha[number]);
	if (err == 0)
		ha_port(m->ha[number], xeon_port(m, socket, "ha", agent));
	return err;
}

static unsigned home_of(void *ctx, uint64_t line)
{
	struct machine *m = ctx;
	unsigned node = map_node_of(&m->map, line);

	return node * agents(m) + ha_route(&m->ha_map[node], line).agent;
}

static void snoop_core(void *ctx, unsigned socket, unsigned core, uint64_t line,
		       enum leave_snoop_kind kind)
{
	struct machine *m = ctx;

	machine_ask_core(m, socket * m->together + core, line, kind);
}

static uint64_t message(void *ctx, const struct fabric_message *message)
{
	struct machine *m = ctx;

	return bridge_message(m->bridge, message);
}

static int build_bridge(struct machine *m)
{
	struct bridge_config config = {
		.sockets = m->sockets, .slices = m->cores / m->sockets, .links = xeon_links(&m->spec),
		.uclk_khz = xeon_uclk_khz(m), .qpi_mts = (uint32_t)m->spec.value[SPEC_QPI_MTS],
	};

	return cat_design_of(m->spec.family)->bridged ? bridge_new(&config, &m->bridge) : 0;
}

static int build_fabric(struct machine *m)
{
	static const enum fabric_snoop snoop[] = {
		[SPEC_SNOOP_EARLY] = FABRIC_SNOOP_SOURCE,
		[SPEC_SNOOP_HOME] = FABRIC_SNOOP_HOME,
		[SPEC_SNOOP_DIRECTORY] = FABRIC_SNOOP_DIRECTORY,
		[SPEC_SNOOP_COD] = FABRIC_SNOOP_DIRECTORY,
	};
	const struct cat_uncore *u = &cat_design_of(m->spec.family)->uncore;
	const uint64_t *v = m->spec.value;
	struct fabric_config config = {
		.sockets = m->nodes,
		.clusters = m->nodes / m->sockets,
		.cores = m->together,
		.ways = (unsigned)v[SPEC_LLC_WAYS],
		.links = xeon_links(&m->spec),
		.has = agents(m),
		.one_ring = cat_design_of(m->spec.family)->one_ring,
		.snoop = snoop[v[SPEC_SNOOP]],
		.uclk_khz = xeon_uclk_khz(m),
		.qpi_mts = (uint32_t)v[SPEC_QPI_MTS],
		.vna = (unsigned)v[SPEC_VNA],
		.narrows = v[SPEC_L0P],
		.times = { u->core_out, u->core_in, u->tag, u->hit, u->r3_out, u->r3_in },
		.indirect = !v[SPEC_D2C],
		.ha = m->ha,
		.home = home_of,
		.map = m->ha_map,
		.snoop_core = snoop_core,
		.message = m->bridge ? message : NULL,
		.ctx = m,
	};

	return fabric_new(&config, &m->fabric);
}

static void wire_bridge(struct machine *m)
{
	static const char *const types[] = { "cbox", "sbox", "bbox", "rbox" };

	for (unsigned t = 0; m->bridge && t < LEN(types); t++)
		for (unsigned s = 0; s < m->sockets; s++)
			for (unsigned b = 0; pmu_port(m->pmu, s, types[t], b); b++)
				bridge_port(m->bridge, s, types[t], b, pmu_port(m->pmu, s, types[t], b));
}

/* The types whose boxes the fabric simulates; it has fewer than the die when a part has. */
static void wire_fabric(struct machine *m)
{
	static const char *const types[] = { "cbo", "sbo", "qpi", "r3qpi", "r2pcie", "irp", "ubox",
					    "ha" };

	for (unsigned t = 0; t < LEN(types); t++) {
		for (unsigned s = 0; s < m->sockets; s++)
			for (unsigned b = 0; xeon_port(m, s, types[t], b); b++)
				fabric_port(m->fabric, s, types[t], b, xeon_port(m, s, types[t], b));
	}
	wire_bridge(m);
	fabric_rewatch(m->fabric);
}

int xeon_build(struct machine *m)
{
	const uint64_t *v = m->spec.value;
	int err = 0;

	for (unsigned n = 0; n < m->nodes; n++)
		m->ha_map[n] = (struct ha_map){
			.base = n * (m->map.memory >> MAP_LINE_SHIFT),
			.lines = m->map.memory >> MAP_LINE_SHIFT,
			.agents = (uint8_t)agents(m),
			.channels = (uint8_t)(v[SPEC_CHANNELS] / v[SPEC_HAS]),
		};
	for (unsigned s = 0; s < m->sockets; s++) {
		for (unsigned a = 0; err == 0 && a < v[SPEC_HAS]; a++)
			err = build_agent(m, s, a);
	}
	if (err == 0)
		err = build_bridge(m);
	if (err == 0)
		err = build_fabric(m);
	if (err == 0)
		wire_fabric(m);
	if (err == 0)
		err = xeon_build_power(m);
	return err;
}

void xeon_release(struct machine *m)
{
	fabric_free(m->fabric);
	bridge_free(m->bridge);
	pcu_free(m->pcu);
	for (size_t i = 0; i < LEN(m->ha); i++)
		ha_free(m->ha[i]);
	for (size_t i = 0; i < LEN(m->imc); i++)
		imc_free(m->imc[i]);
}
