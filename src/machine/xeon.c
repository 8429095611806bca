// SPDX-License-Identifier: BSD-2-Clause
/*
 * A Xeon's hardware: channels, home agents, the fabric of caches, rings and links, power
 * control; each box of it gets its port of the PMU.
 */
#include "machine/xeon.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "catalog/find.h"
#include "machine/private.h"
#include "pmu/pmu.h"

enum {
	SMALL_DIE = 8,		/* cores of the die with one ring */
	REST_KHZ = 1200000,	/* of the uncore while all cores sleep, of cores that are too hot */
};

/* HSX manual 2.9.6: the link layer takes a flit of four transfers in a clock. */
const struct xeon_design xeon_haswell = {
	.memory = imc_config_ddr4, .ddr_most = 3200, .qpi_most = 9600, .link_transfers = 4, .hitme = 4096,
	.clusters = true,
};

/*
 * SNB-EP manual 2.7.1: two flits in a clock.  Ring and cache slices have no clock of their own.  Their times: a load finds
 * its line in the last-level cache after 30 clocks on a die of six cores (docs/sources.md), here of eight.
 */
const struct xeon_design xeon_sandy_bridge = {
	.memory = imc_config_ddr3, .ddr_most = 1600, .qpi_most = 8000, .link_transfers = 8,
	.ring_at_core = true, .times = { .core_out = 3, .core_in = 5, .tag = 5, .hit = 4 },
};

/* All eight cores' dies have eight slices; four sockets need no node controller.  323535-001, 1.2 and 2.6. */
static const char *const nehalem_names[][2] = {
	{ "cbo", "cbox" }, { "ha", "bbox" }, { "imc", "mbox" }, { "pcu", "wbox" }, { NULL, NULL },
};

/*
 * Between the memory controller and its modules are two serial links in lockstep and a buffer on each.  With these, and
 * the router on the way to other sockets, latencies come out as published (docs/sources.md): 21 ns for the last-level
 * cache, 135 and 196 for local and remote memory.  tests/machine/latency.c holds both families to theirs.
 */
static void buffered_ddr3(struct imc_config *config, unsigned mts, unsigned ranks)
{
	enum { SERIAL = 8 };		/* clocks of memory, each way */

	imc_config_ddr3(config, mts, ranks);
	config->front += SERIAL;
	config->back += SERIAL;
}

const struct xeon_design xeon_nehalem_ex = {
	.times = { .tag = 13, .hit = 12, .r3_out = 17, .r3_in = 17 },
	.memory = buffered_ddr3, .ddr_most = 1066, .qpi_most = 6400, .link_transfers = 4,
	.names = nehalem_names, .bridged = true, .cores_most = 8, .sockets_most = 4,
};

static const struct xeon_design *design(const struct spec *spec)
{
	return families_find(spec->family)->xeon;
}

/* Links of a socket to others. */
static unsigned links(const struct spec *spec)
{
	return (unsigned)spec->value[SPEC_QPI_LINKS] - design(spec)->bridged;
}

int xeon_check(const struct spec *spec, char *why, size_t size)
{
	const uint64_t *v = spec->value;
	static const struct { const char *type; enum spec_key key; } limits[] = {
		{ "cbo", SPEC_CORES }, { "ha", SPEC_HAS }, { "qpi", SPEC_QPI_LINKS },
	};
	const struct xeon_design *d = design(spec);

	for (size_t i = 0; i < LEN(limits); i++) {
		const struct cat_type *t =
			cat_find_type(spec->family, limits[i].type, strlen(limits[i].type));

		if (!t || v[limits[i].key] <= t->boxes)
			continue;
		snprintf(why, size, "%s=%" PRIu64 ": a socket of %s has at most %u",
			 spec_key_info(limits[i].key)->name, v[limits[i].key],
			 cat_str(spec->family->name), t->boxes);
		return BXS_EINVAL;
	}
	if (v[SPEC_OSB] && v[SPEC_SNOOP] != SPEC_SNOOP_DIRECTORY && v[SPEC_SNOOP] != SPEC_SNOOP_COD) {
		snprintf(why, size, "osb=on: there is no directory to be ahead of; it takes snoop=directory or cod");
		return BXS_EINVAL;
	}
	if (v[SPEC_CHANNELS] % v[SPEC_HAS] != 0 || v[SPEC_CHANNELS] / v[SPEC_HAS] > HA_CHANNELS) {
		snprintf(why, size, "channels=%" PRIu64 ": %" PRIu64 " home agents have to share "
			 "them evenly, at most %d each", v[SPEC_CHANNELS], v[SPEC_HAS], HA_CHANNELS);
		return BXS_EINVAL;
	}
	if (v[SPEC_DIMMS] * v[SPEC_RANKS] > DRAM_MAX_RANKS || v[SPEC_DIMMS] * v[SPEC_RANKS] % 3 == 0) {
		snprintf(why, size, "ranks=%" PRIu64 " dimms_per_channel=%" PRIu64 ": a channel has "
			 "1, 2, 4 or 8 ranks in all", v[SPEC_RANKS], v[SPEC_DIMMS]);
		return BXS_EINVAL;
	}
	if (v[SPEC_SNOOP] == SPEC_SNOOP_COD &&
	    (!d->clusters || v[SPEC_HAS] != 2 || v[SPEC_CORES] % 2 || v[SPEC_SOCKETS] > FABRIC_MAX_SOCKETS / 2 ||
	     v[SPEC_MEMORY] % (2 * MAP_BLOCK_BYTES))) {
		snprintf(why, size, "snoop=cod: needs an hsx with two home agents, an even number of cores, and at most %d "
			 "sockets", FABRIC_MAX_SOCKETS / 2);
		return BXS_EINVAL;
	}
	if (d && (v[SPEC_DDR_MTS] > d->ddr_most || v[SPEC_QPI_MTS] > d->qpi_most)) {
		snprintf(why, size, "ddr_mts=%" PRIu64 " qpi_mts=%" PRIu64 ": %s has at most %u and %u",
			 v[SPEC_DDR_MTS], v[SPEC_QPI_MTS], cat_str(spec->family->name),
			 d->ddr_most, d->qpi_most);
		return BXS_EINVAL;
	}
	if (links(spec) < 1 || links(spec) > FABRIC_MAX_LINKS) {
		snprintf(why, size, "qpi_links=%" PRIu64 ": a socket of %s has %u to %u", v[SPEC_QPI_LINKS],
			 cat_str(spec->family->name), 1u + d->bridged, (unsigned)FABRIC_MAX_LINKS + d->bridged);
		return BXS_EINVAL;
	}
	if ((d->cores_most && v[SPEC_CORES] > d->cores_most) ||
	    (d->sockets_most && v[SPEC_SOCKETS] > d->sockets_most)) {
		snprintf(why, size, "sockets=%" PRIu64 ",cores=%" PRIu64 ": %s has at most %u and %u",
			 v[SPEC_SOCKETS], v[SPEC_CORES], cat_str(spec->family->name), d->sockets_most,
			 d->cores_most);
		return BXS_EINVAL;
	}
	return 0;
}

/* The family's name for a box that Haswell calls so. */
static const char *type_of(const struct spec *spec, const char *name)
{
	const char *const (*n)[2] = design(spec)->names;

	for (; n && (*n)[0]; n++)
		if (strcmp((*n)[0], name) == 0)
			return (*n)[1];
	return name;
}

static struct signal_port *port(struct machine *m, unsigned socket, const char *type, unsigned box)
{
	return pmu_port(m->pmu, socket, type_of(&m->spec, type), box);
}

static uint32_t uclk_khz(const struct machine *m)
{
	return pmu_clock(m->pmu, 0, "uclk")->khz;
}

static void set_boxes(struct pmu_config *config, const char *type, unsigned boxes)
{
	const struct cat_type *t = cat_find_type(config->family, type, strlen(type));

	if (t)
		config->boxes[t - &cat_types[config->family->type0]] = (uint16_t)boxes;
}

/* Two ring switches on the die of up to 8 cores; a link without a port has no link layer.  The
 * slices of cores that are switched off stay, and so does R3QPI's link 2. */
void xeon_boxes(const struct spec *spec, struct pmu_config *config)
{
	set_boxes(config, "cbox", (unsigned)spec->value[SPEC_CORES]);
	set_boxes(config, "sbo", spec->value[SPEC_CORES] <= SMALL_DIE ? 2 : 4);
	set_boxes(config, "qpi", (unsigned)spec->value[SPEC_QPI_LINKS]);
	set_boxes(config, "ha", (unsigned)spec->value[SPEC_HAS]);
	set_boxes(config, "imc", (unsigned)spec->value[SPEC_HAS] * HA_CHANNELS);
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
	const uint64_t *v = spec->value;

	design(spec)->memory(config, (unsigned)v[SPEC_DDR_MTS],
			     (unsigned)(v[SPEC_RANKS] * v[SPEC_DIMMS]));
	config->slow_exit = v[SPEC_PPD];
	if (design(spec)->bridged)	/* no manual of its M-Box knows the partial mode */
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
	const struct xeon_design *d = design(spec);
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
		imc_port(*imc, port(m, socket, "imc",
				    design(&m->spec)->bridged ? agent : agent * HA_CHANNELS + i));
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
	config.hitme = design(&m->spec)->hitme;
	config.osb = m->spec.value[SPEC_OSB] ? config.trackers / 4 : 0;
	config.direct = m->spec.value[SPEC_D2C];
	config.uclk_khz = uclk_khz(m);
	config.tads = (uint8_t)m->spec.value[SPEC_TADS];
	for (unsigned i = 0; i < config.tads; i++)
		config.tad[i] = config.map.base + config.map.lines * (i + 1) / config.tads;
	for (unsigned i = 0; i < config.map.channels; i++)
		config.imc[i] = m->imc[number * HA_CHANNELS + i];
	err = ha_new(&config, &m->ha[number]);
	if (err == 0)
		ha_port(m->ha[number], port(m, socket, "ha", agent));
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
		.sockets = m->sockets, .slices = m->cores / m->sockets, .links = links(&m->spec),
		.uclk_khz = uclk_khz(m), .qpi_mts = (uint32_t)m->spec.value[SPEC_QPI_MTS],
	};

	return design(&m->spec)->bridged ? bridge_new(&config, &m->bridge) : 0;
}

static int build_fabric(struct machine *m)
{
	static const enum fabric_snoop snoop[] = {
		[SPEC_SNOOP_EARLY] = FABRIC_SNOOP_SOURCE,
		[SPEC_SNOOP_HOME] = FABRIC_SNOOP_HOME,
		[SPEC_SNOOP_DIRECTORY] = FABRIC_SNOOP_DIRECTORY,
		[SPEC_SNOOP_COD] = FABRIC_SNOOP_DIRECTORY,
	};
	const uint64_t *v = m->spec.value;
	struct fabric_config config = {
		.sockets = m->nodes,
		.clusters = m->nodes / m->sockets,
		.cores = m->together,
		.ways = (unsigned)v[SPEC_LLC_WAYS],
		.links = links(&m->spec),
		.has = agents(m),
		.snoop = snoop[v[SPEC_SNOOP]],
		.uclk_khz = uclk_khz(m),
		.qpi_mts = (uint32_t)v[SPEC_QPI_MTS],
		.vna = (unsigned)v[SPEC_VNA],
		.narrows = v[SPEC_L0P],
		.times = design(&m->spec)->times,
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
			for (unsigned b = 0; port(m, s, types[t], b); b++)
				fabric_port(m->fabric, s, types[t], b, port(m, s, types[t], b));
	}
	wire_bridge(m);
	fabric_rewatch(m->fabric);
}

/* The uncore of all sockets changes its frequency. */
static void change_uclk(void *ctx, uint64_t when, uint32_t khz)
{
	struct machine *m = ctx;

	for (unsigned s = 0; s < m->sockets; s++)
		pmu_clock_change(m->pmu, s, "uclk", when > m->now ? when : m->now, khz);
	for (size_t i = 0; i < LEN(m->ha); i++)
		if (m->ha[i])
			ha_uclk(m->ha[i], khz);
	fabric_uclk(m->fabric, khz);
	if (m->bridge)
		bridge_uclk(m->bridge, khz);
	/* A core that wakes runs when the clock is right; devices do not ask. */
	if (m->devices.engines)
		fabric_hold(m->fabric, when + PCU_RING_STOPS);
}

/* Memory may refresh itself while its package sleeps. */
static void package_state(void *ctx, unsigned socket, uint64_t when, enum pcu_state state)
{
	struct machine *m = ctx;
	unsigned each = (unsigned)m->spec.value[SPEC_HAS] * HA_CHANNELS;

	for (unsigned i = socket * each; i < (socket + 1) * each; i++)
		if (m->imc[i])
			imc_power(m->imc[i], when, state == PCU_IN_C0 ? IMC_AWAKE :
						   state == PCU_IN_C2 ? IMC_DROWSY : IMC_ASLEEP);
}

static void sleep_links(void *ctx, uint64_t when, bool sleep)
{
	struct machine *m = ctx;

	fabric_links_sleep(m->fabric, when, sleep);
}

/* The cores of a socket do. */
static void change_core(void *ctx, unsigned socket, uint64_t when, uint32_t khz)
{
	struct machine *m = ctx;
	unsigned cores = m->cores / m->sockets;

	(void)when;
	for (unsigned i = 0; i < cores; i++)
		core_frequency(m, socket * cores + i, khz, PCU_RELOCK);
}

/* As core_power.c has it: 30 of 100 are drawn whatever the cores do, 70 by all of them at the base
 * frequency. */
static void power_budget(const struct machine *m, struct pcu_config *config)
{
	uint64_t made_for = core_part(m, "tdp_watts", CORE_TDP_WATTS);
	uint64_t may = m->spec.value[SPEC_POWER] ? m->spec.value[SPEC_POWER] : made_for;

	config->fixed = (uint32_t)(PCU_BUDGET * 3 / 10 * made_for / may);
	config->each = (uint32_t)(PCU_BUDGET * 7 / 10 * made_for / may / config->cores);
}

static int build_power(struct machine *m)
{
	uint32_t work = uclk_khz(m), core = (uint32_t)m->spec.value[SPEC_CORE_MHZ] * 1000;
	struct pcu_config config = {
		.sockets = m->sockets,
		.cores = m->cores / m->sockets,
		.work_khz = work,
		.rest_khz = work < REST_KHZ ? work : REST_KHZ,
		.uclk = change_uclk,
		.core = change_core,
		.links = sleep_links,
		.package = package_state,
		.ctx = m,
		.core_khz = core,
		.least_khz = core < REST_KHZ ? core : REST_KHZ,
		.turbo = m->spec.value[SPEC_TURBO],
		.base_khz = (uint32_t)m->spec.value[SPEC_BASE_MHZ] * 1000,
	};
	int err;

	for (unsigned n = 0; n < config.cores; n++)
		config.most_khz[n] = (uint32_t)core_turbo(m, n + 1) * 1000;
	power_budget(m, &config);
	if (config.turbo && config.most_khz[0] > core)
		config.core_khz = config.most_khz[0];
	err = pcu_new(&config, &m->pcu);
	for (unsigned s = 0; err == 0 && s < m->sockets; s++)
		pcu_port(m->pcu, s, port(m, s, "pcu", 0));
	for (unsigned i = 0; err == 0 && i < m->cores; i++)
		core_frequency(m, i, config.core_khz, 0);
	if (err == 0)
		change_uclk(m, 0, config.rest_khz);
	return err;
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
		err = build_power(m);
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
