/* SPDX-License-Identifier: BSD-2-Clause */
/* A Xeon's power control: what it may draw, and what changes with the clocks and with sleep. */
#include "catalog/product.h"
#include "machine/xeon_private.h"
#include "pmu/pmu.h"

enum { REST_KHZ = 1200000 };	/* of the uncore while all cores sleep, of cores that are too hot */

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

int xeon_build_power(struct machine *m)
{
	uint32_t work = xeon_uclk_khz(m), core = (uint32_t)m->spec.value[SPEC_CORE_MHZ] * 1000;
	struct pcu_config config = {
		.sockets = m->sockets,
		.cores = m->cores / m->sockets,
		.work_khz = work,
		.rest_khz = work < REST_KHZ ? work : REST_KHZ,
		.uncore_with_cores = cat_design_of(m->spec.family)->ring_at_core && !m->spec.value[SPEC_UCLK_MHZ],
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
		pcu_port(m->pcu, s, xeon_port(m, s, "pcu", 0));
	for (unsigned i = 0; err == 0 && i < m->cores; i++)
		core_frequency(m, i, config.core_khz, 0);
	if (err == 0)
		change_uclk(m, 0, config.rest_khz);
	return err;
}
