/* SPDX-License-Identifier: BSD-2-Clause */
/* Power control of an Itanium machine: cores halt in C1, heat slows their clock; the uncore has one of its own. */
#include "machine/itanium.h"
#include "machine/private.h"
#include "pmu/pmu.h"

enum { LEAST_KHZ = 1200000 };	/* of cores that are too hot, as on the Xeons */

/* Cores of a socket run at khz; they go on meanwhile. */
static void change_core(void *ctx, unsigned socket, uint64_t when, uint32_t khz)
{
	struct machine *m = ctx;
	unsigned cores = m->cores / m->sockets;

	pmu_clock_change(m->pmu, socket, "core", when > m->now ? when : m->now, khz);
	p9500_core_clock(m->p9500, socket, khz);
	for (unsigned i = 0; i < cores; i++)
		core_frequency(m, socket * cores + i, khz, 0);
}

int itanium_build_power(struct machine *m)
{
	uint32_t uclk = pmu_clock(m->pmu, 0, "uclk")->khz, core = (uint32_t)m->spec.value[SPEC_CORE_MHZ] * 1000;
	struct pcu_config config = {
		.sockets = m->sockets, .cores = m->cores / m->sockets, .work_khz = uclk, .rest_khz = uclk, .shallow = true,
		.core = change_core, .ctx = m, .core_khz = core, .least_khz = core < LEAST_KHZ ? core : LEAST_KHZ,
		.base_khz = (uint32_t)m->spec.value[SPEC_BASE_MHZ] * 1000,
	};
	int err = pcu_new(&config, &m->pcu);

	for (unsigned s = 0; err == 0 && s < m->sockets; s++)
		pcu_port(m->pcu, s, pmu_port(m->pmu, s, "wbox", 0));
	return err;
}
