/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of cores and packages around performance monitoring (SDM volume 4, the tables that make up
 * Haswell-EP's), as far as the tools that measure look at them.  Any other number faults.
 *
 * What is only kept does nothing: requests for frequencies and power limits, prefetcher switches.
 */
#include <stdio.h>

#include "base/bits.h"
#include "machine/core_value.h"
#include "machine/private.h"

enum scope { THREAD, CORE, PACKAGE };

/*
 * rw: bits that software may change; 0: a write faults.  reset: what STORED is out of reset.  has: generations of
 * cores whose processors have the register.
 */
struct row {
	uint32_t msr;
	const char *name;
	enum scope scope;
	enum core_value_kind what;
	uint64_t rw, reset;
	uint8_t has;
};

#define ALL UINT64_MAX
#define HASWELL TIMING_HASWELL
#define SINCE_SANDY_BRIDGE (TIMING_SANDY_BRIDGE | TIMING_HASWELL)
#define ALL_CORES (TIMING_NEHALEM | SINCE_SANDY_BRIDGE)

static const struct row rows[] = {
	{ 0x10, "IA32_TIME_STAMP_COUNTER", THREAD, VALUE_TSC, ALL, 0, ALL_CORES },
	{ 0x17, "IA32_PLATFORM_ID", PACKAGE, VALUE_STORED, 0, 0, ALL_CORES },
	{ 0x1b, "IA32_APIC_BASE", THREAD, VALUE_STORED, 0, 0xfee00800, ALL_CORES },
	{ 0x34, "MSR_SMI_COUNT", THREAD, VALUE_STORED, 0, 0, ALL_CORES },
	{ 0x3a, "IA32_FEATURE_CONTROL", THREAD, VALUE_STORED, 0, 5, ALL_CORES },	/* locked */
	{ 0x3b, "IA32_TSC_ADJUST", THREAD, VALUE_ADJUST, ALL, 0, HASWELL },
	{ 0x8b, "IA32_BIOS_SIGN_ID", CORE, VALUE_MICROCODE, ALL, 0, ALL_CORES },
	{ 0xce, "MSR_PLATFORM_INFO", PACKAGE, VALUE_PLATFORM, 0, 0, ALL_CORES },
	{ 0xe2, "MSR_PKG_CST_CONFIG_CONTROL", CORE, VALUE_STORED, 0x1e00840f, 3, ALL_CORES },
	{ 0xe7, "IA32_MPERF", THREAD, VALUE_MPERF, ALL, 0, ALL_CORES },
	{ 0xe8, "IA32_APERF", THREAD, VALUE_APERF, ALL, 0, ALL_CORES },
	{ 0x198, "IA32_PERF_STATUS", CORE, VALUE_PERF_STATUS, 0, 0, ALL_CORES },
	{ 0x199, "IA32_PERF_CTL", THREAD, VALUE_PERF_CTL, 0x10000ff00, 0, ALL_CORES },
	{ 0x19a, "IA32_CLOCK_MODULATION", THREAD, VALUE_STORED, 0x1f, 0, ALL_CORES },
	{ 0x19b, "IA32_THERM_INTERRUPT", CORE, VALUE_STORED, 0x1ffff17, 0, ALL_CORES },
	{ 0x19c, "IA32_THERM_STATUS", CORE, VALUE_THERM, 0xaaa, 0, ALL_CORES },
	{ 0x1a0, "IA32_MISC_ENABLE", THREAD, VALUE_MISC_ENABLE, 0x4000c10009, 0, ALL_CORES },
	{ 0x1a2, "MSR_TEMPERATURE_TARGET", PACKAGE, VALUE_STORED, 0, CORE_TJ_MAX << 16, ALL_CORES },
	{ 0x1a4, "MSR_MISC_FEATURE_CONTROL", CORE, VALUE_STORED, 0xf, 0, ALL_CORES },	/* prefetchers */
	{ 0x1aa, "MSR_MISC_PWR_MGMT", PACKAGE, VALUE_STORED, 0x400003, 0, ALL_CORES },
	{ 0x1ad, "MSR_TURBO_RATIO_LIMIT", PACKAGE, VALUE_TURBO, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x1ae, "MSR_TURBO_RATIO_LIMIT1", PACKAGE, VALUE_TURBO1, 0, 0, HASWELL },
	{ 0x1af, "MSR_TURBO_RATIO_LIMIT2", PACKAGE, VALUE_TURBO2, 0, 0, HASWELL },
	{ 0x1b0, "IA32_ENERGY_PERF_BIAS", THREAD, VALUE_STORED, 0xf, 6, SINCE_SANDY_BRIDGE },
	{ 0x1b1, "IA32_PACKAGE_THERM_STATUS", PACKAGE, VALUE_PACKAGE_THERM, 0xaaa, 0, SINCE_SANDY_BRIDGE },
	{ 0x1b2, "IA32_PACKAGE_THERM_INTERRUPT", PACKAGE, VALUE_STORED, 0x1ffff17, 0, SINCE_SANDY_BRIDGE },
	{ 0x1d9, "IA32_DEBUGCTL", THREAD, VALUE_STORED, 0x7fc3, 0, ALL_CORES },
	{ 0x1fc, "MSR_POWER_CTL", CORE, VALUE_STORED, 2, 2, ALL_CORES },
	{ 0x39c, "MSR_PEBS_NUM_ALT", PACKAGE, VALUE_STORED, 1, 0, TIMING_SANDY_BRIDGE },	/* E5 only */
	{ 0x3f1, "IA32_PEBS_ENABLE", THREAD, VALUE_STORED, 0x8000000f0000000f, 0, ALL_CORES },
	{ 0x3f6, "MSR_PEBS_LD_LAT", THREAD, VALUE_STORED, 0xffff, 0, ALL_CORES },
	{ 0x3f8, "MSR_PKG_C3_RESIDENCY", PACKAGE, VALUE_PACKAGE_C3, 0, 0, ALL_CORES },
	{ 0x3f9, "MSR_PKG_C6_RESIDENCY", PACKAGE, VALUE_PACKAGE_C6, 0, 0, ALL_CORES },
	{ 0x3fa, "MSR_PKG_C7_RESIDENCY", PACKAGE, VALUE_STORED, 0, 0, ALL_CORES },	/* never */
	{ 0x3fc, "MSR_CORE_C3_RESIDENCY", CORE, VALUE_CORE_C3, 0, 0, ALL_CORES },
	{ 0x3fd, "MSR_CORE_C6_RESIDENCY", CORE, VALUE_CORE_C6, 0, 0, ALL_CORES },
	{ 0x3fe, "MSR_CORE_C7_RESIDENCY", CORE, VALUE_STORED, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x601, "MSR_VR_CURRENT_CONFIG", PACKAGE, VALUE_STORED, 0x1fff, 0, SINCE_SANDY_BRIDGE },	/* no limit */
	{ 0x606, "MSR_RAPL_POWER_UNIT", PACKAGE, VALUE_POWER_UNIT, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x60a, "MSR_PKGC3_IRTL", PACKAGE, VALUE_STORED, 0x9fff, 0, SINCE_SANDY_BRIDGE },	/* latencies to wake */
	{ 0x60b, "MSR_PKGC6_IRTL", PACKAGE, VALUE_STORED, 0x9fff, 0, SINCE_SANDY_BRIDGE },
	{ 0x60c, "MSR_PKGC7_IRTL", PACKAGE, VALUE_STORED, 0x9fff, 0, SINCE_SANDY_BRIDGE },
	{ 0x60d, "MSR_PKG_C2_RESIDENCY", PACKAGE, VALUE_PACKAGE_C2, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x610, "MSR_PKG_POWER_LIMIT", PACKAGE, VALUE_PACKAGE_LIMIT, 0x00ffffff00ffffff, 0, SINCE_SANDY_BRIDGE },
	{ 0x611, "MSR_PKG_ENERGY_STATUS", PACKAGE, VALUE_PACKAGE_ENERGY, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x613, "MSR_PKG_PERF_STATUS", PACKAGE, VALUE_STORED, 0, 0, SINCE_SANDY_BRIDGE },	/* never throttled */
	{ 0x614, "MSR_PKG_POWER_INFO", PACKAGE, VALUE_PACKAGE_INFO, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x618, "MSR_DRAM_POWER_LIMIT", PACKAGE, VALUE_STORED, 0xffffff, 0, SINCE_SANDY_BRIDGE },
	{ 0x619, "MSR_DRAM_ENERGY_STATUS", PACKAGE, VALUE_DRAM_ENERGY, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x61b, "MSR_DRAM_PERF_STATUS", PACKAGE, VALUE_STORED, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x61c, "MSR_DRAM_POWER_INFO", PACKAGE, VALUE_DRAM_INFO, 0, 0, SINCE_SANDY_BRIDGE },
	{ 0x620, "MSR_UNCORE_RATIO_LIMIT", PACKAGE, VALUE_UNCORE_RATIO, 0x7f7f, 0, HASWELL },
	/* Not in the SDM's tables of this family; LIKWID and Linux's driver of uncore frequencies read it. */
	{ 0x621, "MSR_UNCORE_PERF_STATUS", PACKAGE, VALUE_UNCORE_STATUS, 0, 0, HASWELL },
	{ 0x638, "MSR_PP0_POWER_LIMIT", PACKAGE, VALUE_STORED, 0xffffff, 0, TIMING_SANDY_BRIDGE },
	{ 0x639, "MSR_PP0_ENERGY_STATUS", PACKAGE, VALUE_CORES_ENERGY, 0, 0, TIMING_SANDY_BRIDGE },
	{ 0x639, "MSR_PP0_ENERGY_STATUS", PACKAGE, VALUE_STORED, 0, 0, HASWELL },	/* reads 0, says the SDM */
	{ 0x63a, "MSR_PP0_POLICY", PACKAGE, VALUE_STORED, 0x1f, 0, TIMING_SANDY_BRIDGE },
	{ 0x690, "MSR_CORE_PERF_LIMIT_REASONS", PACKAGE, VALUE_LIMITS, 0x4470000, 0, HASWELL },
	{ 0x6b1, "MSR_RING_PERF_LIMIT_REASONS", PACKAGE, VALUE_STORED, 0, 0, HASWELL },
	{ 0xc0000103, "IA32_TSC_AUX", THREAD, VALUE_TSC_AUX, 0xffffffff, 0, ALL_CORES },
};

_Static_assert(LEN(rows) <= CORE_STORED, "a place for each row");

/* Without hardware nothing sleeps: then the counters of the power control box answer these numbers. */
static bool sleeps(enum core_value_kind what)
{
	return what >= VALUE_PACKAGE_C2 && what <= VALUE_CORE_C6;
}

static bool has(const struct machine *m, const struct row *r)
{
	return r->has & m->core[0].timing.design->generation;
}

static const struct row *find(const struct machine *m, uint32_t msr)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		if (r->msr == msr && has(m, r))
			return !m->pcu && sleeps(r->what) ? NULL : r;
	return NULL;
}

/* Software finds in it what it has written; of others, bits that it cannot change are ignored. */
static bool keeps(const struct row *r)
{
	return r->what == VALUE_STORED || r->what >= VALUE_FIRST;
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
			own->stored[i] = rows[i].what >= VALUE_FIRST ? core_value_first(m, &at, rows[i].what) : rows[i].reset;
		own->pmu.global_ctrl = bits_low(core_pmu_counters(m));
	}
}

bool machine_core_name(const struct machine *m, uint32_t msr, char *buf, size_t size)
{
	const struct row *r = find(m, msr);

	if (!r)
		return core_pmu_name(m, msr, buf, size);
	snprintf(buf, size, "%s", r->name);
	return true;
}

enum outcome machine_core_read(struct machine *m, unsigned cpu, uint32_t msr, uint64_t *value)
{
	struct core_place at = core_place(m, cpu);
	const struct row *r = find(m, msr);

	if (!r)
		return core_pmu_read(m, &at, msr, value);
	*value = core_value(m, &at, r->what, *stored_at(m, &at, r));
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
	core_value_write(m, &at, r->what, value);
	return OUTCOME_OK;
}
