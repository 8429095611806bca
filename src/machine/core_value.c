/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks, ratios, heat, energy, sleep as the registers of cores and packages show them (SDM volume 3,
 * power and thermal management; volume 4 for the layouts).
 */
#include "machine/core_value.h"

#include "base/bits.h"
#include "machine/private.h"
#include "pmu/pmu.h"

enum {
	LEAST_MHZ = 1200,
	TURBO_CORES = 18, TURBO_FULL = 2,	/* as many cores run at the highest turbo */
	DIMM_WATTS = 4,
	POWER_UNITS = 8,			/* of a watt */
	VOLT_BASE = 4506, VOLT_STEP = 102,	/* 0.55 V and 12.5 mV a ratio, in 1/8192 V */
	NODE_SHIFT = 12,
	/* IA32_MISC_ENABLE: fast strings, thermal control, performance monitoring, frequency requests, MONITOR;
	 * branch and event records are not modelled */
	ENABLED = 0x51889,
};

#define TURBO_OFF (UINT64_C(1) << 38)
/* Of a thermal status: valid, with a resolution of one degree.  The SDM has these bits for cores only; packages show them too. */
#define READING_VALID UINT64_C(0x88000000)

uint64_t core_clocks(uint64_t ps, uint64_t mhz)
{
	return (uint64_t)((bits_u128)ps * mhz / 1000000);
}

uint64_t core_awake(const struct machine *m, unsigned core)
{
	return m->core[core].timing.now - m->core[core].slept;
}

uint64_t core_cycles(const struct machine *m, unsigned core)
{
	const struct machine_core *c = &m->core[core];

	return c->clocks + core_clocks(core_awake(m, core) - c->ran, c->khz / 1000);
}

uint64_t core_waited(const struct machine *m, unsigned core)
{
	const struct machine_core *c = &m->core[core];

	return c->wait_clocks + core_clocks(c->timing.waited - c->waited, c->khz / 1000);
}

void core_frequency(struct machine *m, unsigned core, uint32_t khz, uint64_t pause)
{
	struct machine_core *c = &m->core[core];

	if (c->khz) {
		c->clocks = core_cycles(m, core);
		c->wait_clocks = core_waited(m, core);
	}
	c->ran = core_awake(m, core);
	c->waited = c->timing.waited;
	c->khz = khz;
	c->lookup = (uint32_t)(MACHINE_LOOKUP * UINT64_C(1000000000) / khz);
	timing_clock(&c->timing, khz);
	if (!c->idle) {
		c->timing.now += pause;
		c->slept += pause;
	}
}

struct core_place core_place(const struct machine *m, unsigned cpu)
{
	return (struct core_place){
		.cpu = cpu, .core = cpu % m->cores, .second = cpu >= m->cores,
		.socket = cpu % m->cores / (m->cores / m->sockets),
	};
}

uint32_t core_bus_khz(const struct machine *m)
{
	return m->spec.family->bus_khz;
}

/* How many times the bus clock.  Sold as 2.26 GHz, seventeen times 133.3 MHz are a bit more. */
static unsigned ratio(const struct machine *m, uint64_t mhz)
{
	return (unsigned)(mhz * 1000 + core_bus_khz(m) / 2) / core_bus_khz(m);
}

static unsigned base_ratio(const struct machine *m)
{
	return ratio(m, m->spec.value[SPEC_BASE_MHZ]);
}

static unsigned core_ratio(const struct machine *m, unsigned core)
{
	return ratio(m, m->core[core].khz / 1000);
}

static uint64_t base_clocks(const struct machine *m, uint64_t ps)
{
	return core_clocks(ps, m->spec.value[SPEC_BASE_MHZ]);
}

/* What the counters of time would show had they never been written. */
static uint64_t done(const struct machine *m, const struct core_place *at, unsigned what)
{
	if (what == XCORE_VALUE_TSC)
		return base_clocks(m, m->now);
	if (at->second)
		return 0;
	return what == XCORE_VALUE_MPERF ? base_clocks(m, core_awake(m, at->core)) : core_cycles(m, at->core);
}

/* And what has been added to that. */
static uint64_t *shift(struct machine *m, const struct core_place *at, unsigned what)
{
	struct core_registers *r = &m->registers[at->cpu];

	return what == XCORE_VALUE_MPERF ? &r->mperf : what == XCORE_VALUE_APERF ? &r->aperf : &r->tsc;
}

enum { VISIT_PS = 1000000 };		/* an interrupt, RDMSR or WRMSR, and back to sleep */

/* Never more than it has slept, so that nobody has run for longer than time has passed. */
void core_visit(struct machine *m, const struct core_place *at)
{
	struct core_registers *r = &m->registers[at->cpu];
	const struct machine_core *c = &m->core[at->core];
	uint64_t since = r->visited, ps;

	if (!at->second && c->timing.now > since)
		since = c->timing.now;
	if ((!at->second && !c->idle) || m->now <= since)
		return;
	ps = m->now - since < VISIT_PS ? m->now - since : VISIT_PS;
	r->visited = m->now;
	r->mperf += base_clocks(m, ps);
	r->aperf += core_clocks(ps, c->khz / 1000);
}

/*
 * Highest ratio with that many cores active: up to two at the highest turbo, the third two steps below it, each
 * further one step less, down to the turbo of all.
 */
static uint64_t turbo_ratio(const struct machine *m, unsigned active)
{
	uint64_t top = core_part(m, "turbo_mhz", m->spec.value[SPEC_BASE_MHZ]);
	uint64_t highest = ratio(m, top), all = ratio(m, core_part(m, "turbo_all_mhz", top));
	uint64_t less = active > TURBO_FULL ? active - TURBO_FULL + 1 : 0;

	return highest > all + less ? highest - less : all;
}

uint64_t core_turbo(const struct machine *m, unsigned active)
{
	return turbo_ratio(m, active) * core_bus_khz(m) / 1000;
}

static uint64_t turbo_ratios(const struct machine *m, unsigned first, unsigned last)
{
	uint64_t value = 0;

	for (unsigned n = last; n >= first; n--)
		value = value << 8 | turbo_ratio(m, n);
	return value;
}

/* Degrees below the limit, at 22:16; where the sensor says that the die is too hot, none. */
static uint64_t margin(const struct machine *m, unsigned socket, unsigned degrees)
{
	return (uint64_t)(degrees < CORE_TJ_MAX && !core_too_hot(m, socket) ? CORE_TJ_MAX - degrees : 0) << 16;
}

/* A package is as hot as its hottest core. */
static unsigned hottest(struct machine *m, unsigned socket)
{
	unsigned cores = m->cores / m->sockets, most = 0;

	for (unsigned c = socket * cores; c < (socket + 1) * cores; c++)
		if (core_temperature(m, c) > most)
			most = core_temperature(m, c);
	return most;
}

static uint64_t tdp(const struct machine *m)
{
	return core_part(m, "tdp_watts", CORE_TDP_WATTS) * POWER_UNITS;
}

static uint64_t dram_power(const struct machine *m)
{
	return m->spec.value[SPEC_CHANNELS] * m->spec.value[SPEC_DIMMS] * DIMM_WATTS * POWER_UNITS;
}

static uint64_t package_sleep(const struct machine *m, const struct core_place *at, enum pcu_state state)
{
	return base_clocks(m, pcu_package_time(m->pcu, at->socket, state, m->now));
}

static uint64_t core_sleep(const struct machine *m, const struct core_place *at, enum pcu_state state)
{
	return base_clocks(m, pcu_core_time(m->pcu, at->core, state, m->now));
}

/* The uncore's highest and least.  A machine without its boxes does not rest. */
static uint64_t uncore_ratios(const struct machine *m)
{
	uint64_t most = (m->pcu ? pcu_work_khz(m->pcu) : pmu_clock(m->pmu, 0, "uclk")->khz) / 1000;

	return ratio(m, most) | ratio(m, most < LEAST_MHZ ? most : LEAST_MHZ) << 8;
}

static bool turbo_on(const struct machine *m)
{
	const uint64_t *v = m->spec.value;

	return v[SPEC_TURBO] || v[SPEC_CORE_MHZ] > v[SPEC_BASE_MHZ];
}

uint64_t core_value(struct machine *m, const struct core_place *at, unsigned what)
{
	switch (what) {
	case XCORE_VALUE_TSC: case XCORE_VALUE_MPERF: case XCORE_VALUE_APERF:
		return done(m, at, what) + *shift(m, at, what);
	case XCORE_VALUE_TSC_ADJUST:
		return *shift(m, at, XCORE_VALUE_TSC);
	case XCORE_VALUE_MICROCODE:
		return (uint64_t)machine_microcode(m) << 32;
	case XCORE_VALUE_PLATFORM:		/* ratio without turbo, least ratio */
		return (uint64_t)base_ratio(m) << 8 | (uint64_t)ratio(m, LEAST_MHZ) << 40;
	case XCORE_VALUE_PERF_STATUS:
		return (uint64_t)core_ratio(m, at->core) << 8 | (VOLT_BASE + (uint64_t)VOLT_STEP * core_ratio(m, at->core)) << 32;
	case XCORE_VALUE_CORE_HEAT:
		return margin(m, at->socket, core_temperature(m, at->core)) | core_heat(m, at, what) | READING_VALID;
	case XCORE_VALUE_PACKAGE_HEAT:
		return margin(m, at->socket, hottest(m, at->socket)) | core_heat(m, at, what) | READING_VALID;
	case XCORE_VALUE_LIMITS:
		return core_heat(m, at, what);
	case XCORE_VALUE_TURBO_1_8:
		return turbo_ratios(m, 1, 8);
	case XCORE_VALUE_TURBO_9_16:
		return turbo_ratios(m, 9, 16);
	case XCORE_VALUE_TURBO_17_18:
		return turbo_ratios(m, 17, TURBO_CORES);
	case XCORE_VALUE_POWER_UNIT:		/* eighths of a watt, joules over a power of two, 1/1024 s */
		return 0xa0003 | machine_energy_unit(m) << 8;
	case XCORE_VALUE_PACKAGE_ENERGY:
		return core_package_energy(m, at->socket);
	case XCORE_VALUE_CORES_ENERGY:
		return core_cores_energy(m, at->socket);
	case XCORE_VALUE_DRAM_ENERGY:
		return core_dram_energy(m, at->socket);
	case XCORE_VALUE_PACKAGE_POWER:
		return tdp(m) | tdp(m) / 2 << 16 | tdp(m) * 2 << 32;
	case XCORE_VALUE_DRAM_POWER:
		return dram_power(m) | dram_power(m) << 32;
	case XCORE_VALUE_PACKAGE_C2:
		return package_sleep(m, at, PCU_IN_C2);
	case XCORE_VALUE_PACKAGE_C3:
		return package_sleep(m, at, PCU_IN_C3);
	case XCORE_VALUE_PACKAGE_C6:
		return package_sleep(m, at, PCU_IN_C6);
	case XCORE_VALUE_CORE_C3:
		return core_sleep(m, at, PCU_IN_C3);
	case XCORE_VALUE_CORE_C6:
		return core_sleep(m, at, PCU_IN_C6);
	case XCORE_VALUE_PERF_CTL:
		return (uint64_t)core_ratio(m, at->core) << 8;
	case XCORE_VALUE_MISC_ENABLE:
		return ENABLED | (turbo_on(m) ? 0 : TURBO_OFF);
	case XCORE_VALUE_PACKAGE_LIMIT:	/* two limits, both on: the design power, and a fifth more */
		return tdp(m) | 1 << 15 | (tdp(m) * 6 / 5 | 1 << 15) << 32;
	case XCORE_VALUE_UNCORE_RATIO:
		return ratio(m, pmu_clock(m->pmu, at->socket, "uclk")->khz / 1000);
	case XCORE_VALUE_UNCORE_RATIOS:
		return uncore_ratios(m);
	case XCORE_VALUE_TSC_AUX:
		return (uint64_t)(at->core / (m->cores / machine_nodes(m))) << NODE_SHIFT | at->cpu;
	default:
		return 0;
	}
}

void core_value_write(struct machine *m, const struct core_place *at, unsigned what, uint64_t value)
{
	if (what == XCORE_VALUE_TSC || what == XCORE_VALUE_MPERF || what == XCORE_VALUE_APERF)
		*shift(m, at, what) = value - done(m, at, what);
	if (what == XCORE_VALUE_TSC_ADJUST)
		*shift(m, at, XCORE_VALUE_TSC) = value;
	if (what == XCORE_VALUE_CORE_HEAT || what == XCORE_VALUE_PACKAGE_HEAT || what == XCORE_VALUE_LIMITS)
		core_heat_write(m, at, what, value);
}
