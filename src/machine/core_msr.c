// SPDX-License-Identifier: BSD-2-Clause
/*
 * Registers of cores and packages around performance monitoring (SDM volume 4, the tables that make up
 * Haswell-EP's), as far as the tools that measure look at them.  Any other number faults.
 *
 * What is only kept does nothing: requests for frequencies and power limits, prefetcher switches.
 */
#include <assert.h>

#include "base/bits.h"
#include "machine/private.h"

enum {
	RATIO_MHZ = 100,
	LEAST_RATIO = 12,
	TURBO_CORES = 18, TURBO_FULL = 2,	/* as many cores run at the highest turbo */
	TJ_MAX = 92,
	DIMM_WATTS = 4,
	POWER_UNITS = 8,			/* of a watt */
	VOLT = 8192, VOLT_BASE = 4506, VOLT_STEP = 102,	/* 0.55 V, 12.5 mV a ratio */
	NODE_SHIFT = 12,
	/* IA32_MISC_ENABLE: fast strings, thermal control, performance monitoring, frequency requests, MONITOR;
	 * branch and event records are not modelled */
	ENABLED = 0x51889,
};

#define TURBO_OFF (UINT64_C(1) << 38)

enum scope { THREAD, CORE, PACKAGE };

/* What is read: what was written, or what it is now; or what was written, and until then what FIRST says. */
enum what {
	STORED, TSC, ADJUST, MPERF, APERF, MICROCODE, PLATFORM, PERF_STATUS, THERM, PACKAGE_THERM, TURBO, TURBO1, TURBO2,
	PACKAGE_ENERGY, DRAM_ENERGY, PACKAGE_INFO, DRAM_INFO, PACKAGE_C2, PACKAGE_C3, PACKAGE_C6, CORE_C3,
	CORE_C6,
	FIRST, PERF_CTL = FIRST, MISC_ENABLE, PACKAGE_LIMIT, UNCORE_RATIO, TSC_AUX,
};

/* rw: bits that software may change; 0: a write faults.  reset: what STORED is out of reset. */
struct row {
	uint32_t msr;
	enum scope scope;
	enum what what;
	uint64_t rw, reset;
};

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

void core_frequency(struct machine *m, unsigned core, uint32_t khz, uint64_t pause)
{
	struct machine_core *c = &m->core[core];

	if (c->khz)
		c->clocks = core_cycles(m, core);
	c->ran = core_awake(m, core);
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

static unsigned base_ratio(const struct machine *m)
{
	return (unsigned)(m->spec.value[SPEC_BASE_MHZ] / RATIO_MHZ);
}

static unsigned core_ratio(const struct machine *m, unsigned core)
{
	return m->core[core].khz / 1000 / RATIO_MHZ;
}

static uint64_t base_clocks(const struct machine *m, uint64_t ps)
{
	return core_clocks(ps, m->spec.value[SPEC_BASE_MHZ]);
}

/* What the counters of time would show had they never been written. */
static uint64_t done(const struct machine *m, const struct core_place *at, enum what what)
{
	if (what == TSC)
		return base_clocks(m, m->now);
	if (at->second)
		return 0;
	return what == MPERF ? base_clocks(m, core_awake(m, at->core)) : core_cycles(m, at->core);
}

/* And what has been added to that. */
static uint64_t *shift(struct machine *m, const struct core_place *at, enum what what)
{
	struct core_registers *r = &m->registers[at->cpu];

	return what == MPERF ? &r->mperf : what == APERF ? &r->aperf : &r->tsc;
}

/*
 * Highest ratio with that many cores active: up to two at the highest turbo, the third two steps below it, each
 * further one step less, down to the turbo of all.
 */
static uint64_t turbo_ratio(const struct machine *m, unsigned active)
{
	uint64_t highest = core_part(m, "turbo_mhz", m->spec.value[SPEC_BASE_MHZ]) / RATIO_MHZ;
	uint64_t all = core_part(m, "turbo_all_mhz", highest * RATIO_MHZ) / RATIO_MHZ;
	uint64_t less = active > TURBO_FULL ? active - TURBO_FULL + 1 : 0;

	return highest > all + less ? highest - less : all;
}

uint64_t core_turbo(const struct machine *m, unsigned active)
{
	return turbo_ratio(m, active) * RATIO_MHZ;
}

static uint64_t turbo_ratios(const struct machine *m, unsigned first, unsigned last)
{
	uint64_t value = 0;

	for (unsigned n = last; n >= first; n--)
		value = value << 8 | turbo_ratio(m, n);
	return value;
}

/* Degrees below the limit, at 22:16. */
static uint64_t margin(unsigned degrees)
{
	return (uint64_t)(degrees < TJ_MAX ? TJ_MAX - degrees : 0) << 16;
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

/* What a register is at first that later holds what is written. */
static uint64_t first(const struct machine *m, const struct core_place *at, enum what what)
{
	const uint64_t *v = m->spec.value;

	switch (what) {
	case PERF_CTL:
		return (uint64_t)core_ratio(m, at->core) << 8;
	case MISC_ENABLE:
		return ENABLED | (v[SPEC_TURBO] || v[SPEC_CORE_MHZ] > v[SPEC_BASE_MHZ] ? 0 : TURBO_OFF);
	case PACKAGE_LIMIT:	/* two limits, both on: the design power, and a fifth more */
		return tdp(m) | 1 << 15 | (tdp(m) * 6 / 5 | 1 << 15) << 32;
	case UNCORE_RATIO:
		return (v[SPEC_UCLK_MHZ] ? v[SPEC_UCLK_MHZ] / RATIO_MHZ : base_ratio(m)) | LEAST_RATIO << 8;
	case TSC_AUX:
		return (uint64_t)at->socket << NODE_SHIFT | at->cpu;
	default:
		return 0;
	}
}

static uint64_t computed(struct machine *m, const struct core_place *at, enum what what, uint64_t stored)
{
	switch (what) {
	case TSC: case MPERF: case APERF:
		return done(m, at, what) + *shift(m, at, what);
	case ADJUST:
		return *shift(m, at, TSC);
	case MICROCODE:
		return (uint64_t)machine_microcode(m) << 32;
	case PLATFORM:		/* ratio without turbo, least ratio */
		return (uint64_t)base_ratio(m) << 8 | (uint64_t)LEAST_RATIO << 40;
	case PERF_STATUS:
		return (uint64_t)core_ratio(m, at->core) << 8 | (VOLT_BASE + (uint64_t)VOLT_STEP * core_ratio(m, at->core)) << 32;
	case THERM:		/* valid, with a resolution of one degree */
		return margin(core_temperature(m, at->core)) | UINT64_C(1) << 27 | UINT64_C(1) << 31;
	case PACKAGE_THERM:
		return margin(hottest(m, at->socket));
	case TURBO:
		return turbo_ratios(m, 1, 8);
	case TURBO1:
		return turbo_ratios(m, 9, 16);
	case TURBO2:
		return turbo_ratios(m, 17, TURBO_CORES);
	case PACKAGE_ENERGY:
		return core_package_energy(m, at->socket);
	case DRAM_ENERGY:
		return core_dram_energy(m, at->socket);
	case PACKAGE_INFO:
		return tdp(m) | tdp(m) / 2 << 16 | tdp(m) * 2 << 32;
	case DRAM_INFO:
		return dram_power(m) | dram_power(m) << 32;
	case PACKAGE_C2:
		return package_sleep(m, at, PCU_IN_C2);
	case PACKAGE_C3:
		return package_sleep(m, at, PCU_IN_C3);
	case PACKAGE_C6:
		return package_sleep(m, at, PCU_IN_C6);
	case CORE_C3:
		return core_sleep(m, at, PCU_IN_C3);
	case CORE_C6:
		return core_sleep(m, at, PCU_IN_C6);
	default:
		return stored;
	}
}

#define ALL UINT64_MAX

static const struct row rows[] = {
	{ 0x10, THREAD, TSC, ALL, 0 },
	{ 0x17, PACKAGE, STORED, 0, 0 },	/* IA32_PLATFORM_ID */
	{ 0x1b, THREAD, STORED, 0, 0xfee00800 },	/* IA32_APIC_BASE */
	{ 0x34, THREAD, STORED, 0, 0 },	/* MSR_SMI_COUNT */
	{ 0x3a, THREAD, STORED, 0, 5 },	/* IA32_FEATURE_CONTROL: locked */
	{ 0x3b, THREAD, ADJUST, ALL, 0 },	/* IA32_TSC_ADJUST */
	{ 0x8b, CORE, MICROCODE, ALL, 0 },	/* IA32_BIOS_SIGN_ID */
	{ 0xce, PACKAGE, PLATFORM, 0, 0 },	/* MSR_PLATFORM_INFO */
	{ 0xe2, CORE, STORED, 0x1e00840f, 3 },	/* MSR_PKG_CST_CONFIG_CONTROL */
	{ 0xe7, THREAD, MPERF, ALL, 0 },
	{ 0xe8, THREAD, APERF, ALL, 0 },
	{ 0x198, CORE, PERF_STATUS, 0, 0 },	/* IA32_PERF_STATUS */
	{ 0x199, THREAD, PERF_CTL, 0x10000ff00, 0 },	/* IA32_PERF_CTL */
	{ 0x19a, THREAD, STORED, 0x1f, 0 },	/* IA32_CLOCK_MODULATION */
	{ 0x19b, CORE, STORED, 0x1ffff17, 0 },	/* IA32_THERM_INTERRUPT */
	{ 0x19c, CORE, THERM, 0xaaa, 0 },	/* IA32_THERM_STATUS */
	{ 0x1a0, THREAD, MISC_ENABLE, 0x4000c10009, 0 },
	{ 0x1a2, PACKAGE, STORED, 0, TJ_MAX << 16 },	/* MSR_TEMPERATURE_TARGET */
	{ 0x1a4, CORE, STORED, 0xf, 0 },	/* MSR_MISC_FEATURE_CONTROL: prefetchers */
	{ 0x1aa, PACKAGE, STORED, 0x400003, 0 },	/* MSR_MISC_PWR_MGMT */
	{ 0x1ad, PACKAGE, TURBO, 0, 0 },	/* MSR_TURBO_RATIO_LIMIT */
	{ 0x1ae, PACKAGE, TURBO1, 0, 0 },
	{ 0x1af, PACKAGE, TURBO2, 0, 0 },
	{ 0x1b0, THREAD, STORED, 0xf, 6 },	/* IA32_ENERGY_PERF_BIAS */
	{ 0x1b1, PACKAGE, PACKAGE_THERM, 0xaaa, 0 },	/* IA32_PACKAGE_THERM_STATUS */
	{ 0x1b2, PACKAGE, STORED, 0x1ffff17, 0 },	/* IA32_PACKAGE_THERM_INTERRUPT */
	{ 0x1d9, THREAD, STORED, 0x7fc3, 0 },	/* IA32_DEBUGCTL */
	{ 0x1fc, CORE, STORED, 2, 2 },	/* MSR_POWER_CTL */
	{ 0x3f1, THREAD, STORED, 0x8000000f0000000f, 0 },	/* IA32_PEBS_ENABLE */
	{ 0x3f6, THREAD, STORED, 0xffff, 0 },	/* MSR_PEBS_LD_LAT */
	{ 0x3f8, PACKAGE, PACKAGE_C3, 0, 0 },	/* MSR_PKG_C3_RESIDENCY */
	{ 0x3f9, PACKAGE, PACKAGE_C6, 0, 0 },
	{ 0x3fa, PACKAGE, STORED, 0, 0 },	/* C7: never */
	{ 0x3fc, CORE, CORE_C3, 0, 0 },	/* MSR_CORE_C3_RESIDENCY */
	{ 0x3fd, CORE, CORE_C6, 0, 0 },
	{ 0x3fe, CORE, STORED, 0, 0 },
	{ 0x606, PACKAGE, STORED, 0, 0xa0e03 },	/* MSR_RAPL_POWER_UNIT */
	{ 0x60d, PACKAGE, PACKAGE_C2, 0, 0 },	/* MSR_PKG_C2_RESIDENCY */
	{ 0x610, PACKAGE, PACKAGE_LIMIT, 0x00ffffff00ffffff, 0 },
	{ 0x611, PACKAGE, PACKAGE_ENERGY, 0, 0 },
	{ 0x613, PACKAGE, STORED, 0, 0 },	/* MSR_PKG_PERF_STATUS: never throttled */
	{ 0x614, PACKAGE, PACKAGE_INFO, 0, 0 },
	{ 0x618, PACKAGE, STORED, 0xffffff, 0 },	/* MSR_DRAM_POWER_LIMIT */
	{ 0x619, PACKAGE, DRAM_ENERGY, 0, 0 },
	{ 0x61b, PACKAGE, STORED, 0, 0 },	/* MSR_DRAM_PERF_STATUS */
	{ 0x61c, PACKAGE, DRAM_INFO, 0, 0 },
	{ 0x620, PACKAGE, UNCORE_RATIO, 0x7f7f, 0 },	/* MSR_UNCORE_RATIO_LIMIT */
	{ 0x639, PACKAGE, STORED, 0, 0 },	/* MSR_PP0_ENERGY_STATUS: reads 0, says the SDM */
	{ 0x690, PACKAGE, STORED, 0, 0 },	/* MSR_CORE_PERF_LIMIT_REASONS */
	{ 0xc0000103, THREAD, TSC_AUX, 0xffffffff, 0 },
};

static_assert(LEN(rows) <= CORE_STORED, "a place for each row");

/* Without hardware nothing sleeps: then the counters of the power control box answer these numbers. */
static bool sleeps(enum what what)
{
	return what >= PACKAGE_C2 && what <= CORE_C6;
}

static const struct row *find(const struct machine *m, uint32_t msr)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		if (r->msr == msr)
			return !m->pcu && sleeps(r->what) ? NULL : r;
	return NULL;
}

/* Software finds in it what it has written; of others, bits that it cannot change are ignored. */
static bool keeps(const struct row *r)
{
	return r->what == STORED || r->what >= FIRST;
}

/* Who keeps the register of all that share it. */
static uint64_t *stored_at(struct machine *m, const struct core_place *at, const struct row *r)
{
	unsigned cores = m->cores / m->sockets;
	unsigned cpu = r->scope == THREAD ? at->cpu : r->scope == CORE ? at->core : at->socket * cores;

	return &m->registers[cpu].stored[r - rows];
}

void core_reset(struct machine *m)
{
	for (unsigned cpu = 0; cpu < machine_cpus(m); cpu++) {
		struct core_registers *own = &m->registers[cpu];
		struct core_place at = core_place(m, cpu);

		for (unsigned i = 0; i < LEN(rows); i++)
			own->stored[i] = rows[i].what >= FIRST ? first(m, &at, rows[i].what) : rows[i].reset;
		own->pmu.global_ctrl = bits_low(core_pmu_counters(m));
	}
}

enum outcome machine_core_read(struct machine *m, unsigned cpu, uint32_t msr, uint64_t *value)
{
	struct core_place at = core_place(m, cpu);
	const struct row *r = find(m, msr);

	if (!r)
		return core_pmu_read(m, &at, msr, value);
	*value = computed(m, &at, r->what, *stored_at(m, &at, r));
	return OUTCOME_OK;
}

enum outcome machine_core_write(struct machine *m, unsigned cpu, uint32_t msr, uint64_t value)
{
	struct core_place at = core_place(m, cpu);
	const struct row *r = find(m, msr);
	uint64_t now;

	if (!r)
		return core_pmu_write(m, &at, msr, value);
	machine_core_read(m, cpu, msr, &now);
	if (r->rw == 0 || (keeps(r) && (value ^ now) & ~r->rw))
		return OUTCOME_GP;
	*stored_at(m, &at, r) = value;
	if (r->what == TSC || r->what == MPERF || r->what == APERF)
		*shift(m, &at, r->what) = value - done(m, &at, r->what);
	if (r->what == ADJUST)
		*shift(m, &at, TSC) = value;
	return OUTCOME_OK;
}
