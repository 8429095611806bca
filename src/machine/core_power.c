/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Energy and heat: sums and averages of what runs, made to reach the part's thermal design power when all
 * cores work, and to be plausible below.  Nothing is measured with these; tools want to see them move.
 */
#include "base/bits.h"
#include "catalog/find.h"
#include "machine/private.h"

/* Of the thermal design power, in percent: a package in any state, one of whose cores some run,
 * and all cores; a core that waits for memory takes less. */
enum { REST_SHARE = 8, UNCORE_SHARE = 22, CORE_SHARE = 70, STALL_SAVES = 40 };
enum { DIMM_MILLIWATTS = 1000, BURST_NANOJOULES = 15 };
enum { AMBIENT = 36000, FULL_HEAT = 34000, HEAT_US = 20000 };	/* millidegrees; microseconds to half */

enum { DRAM_UNIT = 16 };	/* joules over two to the power of; packages have their family's */

uint64_t core_part(const struct machine *m, const char *key, uint64_t otherwise)
{
	uint64_t value;

	return m->spec.part && cat_param(m->spec.part, key, &value) ? value : otherwise;
}

/* Nanojoules of `milliwatts` for that many picoseconds. */
static bits_u128 energy(uint64_t milliwatts, uint64_t ps)
{
	return (bits_u128)milliwatts * ps / 1000000;
}

static uint32_t in_units(bits_u128 nanojoules, unsigned unit)
{
	return (uint32_t)((nanojoules << unit) / 1000000000);
}

static uint64_t design_milliwatts(const struct machine *m)
{
	return core_part(m, "tdp_watts", CORE_TDP_WATTS) * 1000;
}

static bits_u128 of_cores(const struct machine *m, unsigned socket)
{
	unsigned cores = m->cores / m->sockets;
	uint64_t each = design_milliwatts(m) * CORE_SHARE / 100 / cores, busy = 0, saved = 0;

	for (unsigned c = socket * cores; c < (socket + 1) * cores; c++) {
		busy += core_awake(m, c);
		saved += m->core[c].timing.stalled;
	}
	return energy(each, busy) - energy(each * STALL_SAVES / 100, saved < busy ? saved : busy);
}

uint32_t core_package_energy(const struct machine *m, unsigned socket)
{
	uint64_t tdp = design_milliwatts(m);
	bits_u128 sum = energy(tdp * REST_SHARE / 100, m->now) + of_cores(m, socket);

	if (m->pcu)
		sum += energy(tdp * UNCORE_SHARE / 100, pcu_package_time(m->pcu, socket, PCU_IN_C0, m->now));
	return in_units(sum, machine_energy_unit(m));
}

uint32_t core_cores_energy(const struct machine *m, unsigned socket)
{
	return in_units(of_cores(m, socket), machine_energy_unit(m));
}

uint32_t core_dram_energy(const struct machine *m, unsigned socket)
{
	const uint64_t *v = m->spec.value;
	unsigned per_socket = (unsigned)v[SPEC_HAS] * HA_CHANNELS;
	bits_u128 sum = energy(v[SPEC_CHANNELS] * v[SPEC_DIMMS] * DIMM_MILLIWATTS, m->now);

	for (unsigned i = socket * per_socket; i < (socket + 1) * per_socket; i++)
		if (m->imc[i])
			sum += (bits_u128)imc_bursts(m->imc[i]) * BURST_NANOJOULES;
	return in_units(sum, DRAM_UNIT);
}

/* Heat follows the load with a delay: the longer ago it was looked at, the less of it is left. */
unsigned core_temperature(struct machine *m, unsigned core)
{
	struct core_heat *h = &m->core[core].heat;
	uint64_t passed = (m->now - h->at) / 1000000, awake = core_awake(m, core), ran = (awake - h->awake) / 1000000;
	uint64_t target;

	if (h->millidegrees == 0)
		h->millidegrees = AMBIENT;
	if (passed) {
		target = AMBIENT + FULL_HEAT * (ran < passed ? ran : passed) / passed;
		h->millidegrees = (uint32_t)((h->millidegrees * (uint64_t)HEAT_US + target * passed) /
					     (HEAT_US + passed));
		h->at = m->now;
		h->awake = awake;
	}
	return h->millidegrees / 1000;
}
