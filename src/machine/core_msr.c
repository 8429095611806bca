// SPDX-License-Identifier: BSD-2-Clause
/*
 * Registers of cores and packages around performance monitoring (SDM volume 4, the tables that make up
 * Haswell-EP's), as far as the tools that measure look at them.  Any other number faults.
 *
 * What is only kept does nothing: requests for frequencies and power limits, prefetcher switches.
 */
#include <assert.h>

#include "base/bits.h"
#include "machine/core_value.h"
#include "machine/private.h"

enum scope { THREAD, CORE, PACKAGE };

/* rw: bits that software may change; 0: a write faults.  reset: what STORED is out of reset. */
struct row {
	uint32_t msr;
	enum scope scope;
	enum core_value_kind what;
	uint64_t rw, reset;
};

#define ALL UINT64_MAX

static const struct row rows[] = {
	{ 0x10, THREAD, VALUE_TSC, ALL, 0 },
	{ 0x17, PACKAGE, VALUE_STORED, 0, 0 },	/* IA32_PLATFORM_ID */
	{ 0x1b, THREAD, VALUE_STORED, 0, 0xfee00800 },	/* IA32_APIC_BASE */
	{ 0x34, THREAD, VALUE_STORED, 0, 0 },	/* MSR_SMI_COUNT */
	{ 0x3a, THREAD, VALUE_STORED, 0, 5 },	/* IA32_FEATURE_CONTROL: locked */
	{ 0x3b, THREAD, VALUE_ADJUST, ALL, 0 },	/* IA32_TSC_ADJUST */
	{ 0x8b, CORE, VALUE_MICROCODE, ALL, 0 },	/* IA32_BIOS_SIGN_ID */
	{ 0xce, PACKAGE, VALUE_PLATFORM, 0, 0 },	/* MSR_PLATFORM_INFO */
	{ 0xe2, CORE, VALUE_STORED, 0x1e00840f, 3 },	/* MSR_PKG_CST_CONFIG_CONTROL */
	{ 0xe7, THREAD, VALUE_MPERF, ALL, 0 },
	{ 0xe8, THREAD, VALUE_APERF, ALL, 0 },
	{ 0x198, CORE, VALUE_PERF_STATUS, 0, 0 },	/* IA32_PERF_STATUS */
	{ 0x199, THREAD, VALUE_PERF_CTL, 0x10000ff00, 0 },	/* IA32_PERF_CTL */
	{ 0x19a, THREAD, VALUE_STORED, 0x1f, 0 },	/* IA32_CLOCK_MODULATION */
	{ 0x19b, CORE, VALUE_STORED, 0x1ffff17, 0 },	/* IA32_THERM_INTERRUPT */
	{ 0x19c, CORE, VALUE_THERM, 0xaaa, 0 },	/* IA32_THERM_STATUS */
	{ 0x1a0, THREAD, VALUE_MISC_ENABLE, 0x4000c10009, 0 },
	{ 0x1a2, PACKAGE, VALUE_STORED, 0, CORE_TJ_MAX << 16 },	/* MSR_TEMPERATURE_TARGET */
	{ 0x1a4, CORE, VALUE_STORED, 0xf, 0 },	/* MSR_MISC_FEATURE_CONTROL: prefetchers */
	{ 0x1aa, PACKAGE, VALUE_STORED, 0x400003, 0 },	/* MSR_MISC_PWR_MGMT */
	{ 0x1ad, PACKAGE, VALUE_TURBO, 0, 0 },	/* MSR_TURBO_RATIO_LIMIT */
	{ 0x1ae, PACKAGE, VALUE_TURBO1, 0, 0 },
	{ 0x1af, PACKAGE, VALUE_TURBO2, 0, 0 },
	{ 0x1b0, THREAD, VALUE_STORED, 0xf, 6 },	/* IA32_ENERGY_PERF_BIAS */
	{ 0x1b1, PACKAGE, VALUE_PACKAGE_THERM, 0xaaa, 0 },	/* IA32_PACKAGE_THERM_STATUS */
	{ 0x1b2, PACKAGE, VALUE_STORED, 0x1ffff17, 0 },	/* IA32_PACKAGE_THERM_INTERRUPT */
	{ 0x1d9, THREAD, VALUE_STORED, 0x7fc3, 0 },	/* IA32_DEBUGCTL */
	{ 0x1fc, CORE, VALUE_STORED, 2, 2 },	/* MSR_POWER_CTL */
	{ 0x3f1, THREAD, VALUE_STORED, 0x8000000f0000000f, 0 },	/* IA32_PEBS_ENABLE */
	{ 0x3f6, THREAD, VALUE_STORED, 0xffff, 0 },	/* MSR_PEBS_LD_LAT */
	{ 0x3f8, PACKAGE, VALUE_PACKAGE_C3, 0, 0 },	/* MSR_PKG_C3_RESIDENCY */
	{ 0x3f9, PACKAGE, VALUE_PACKAGE_C6, 0, 0 },
	{ 0x3fa, PACKAGE, VALUE_STORED, 0, 0 },	/* C7: never */
	{ 0x3fc, CORE, VALUE_CORE_C3, 0, 0 },	/* MSR_CORE_C3_RESIDENCY */
	{ 0x3fd, CORE, VALUE_CORE_C6, 0, 0 },
	{ 0x3fe, CORE, VALUE_STORED, 0, 0 },
	{ 0x606, PACKAGE, VALUE_STORED, 0, 0xa0e03 },	/* MSR_RAPL_POWER_UNIT */
	{ 0x60d, PACKAGE, VALUE_PACKAGE_C2, 0, 0 },	/* MSR_PKG_C2_RESIDENCY */
	{ 0x610, PACKAGE, VALUE_PACKAGE_LIMIT, 0x00ffffff00ffffff, 0 },
	{ 0x611, PACKAGE, VALUE_PACKAGE_ENERGY, 0, 0 },
	{ 0x613, PACKAGE, VALUE_STORED, 0, 0 },	/* MSR_PKG_PERF_STATUS: never throttled */
	{ 0x614, PACKAGE, VALUE_PACKAGE_INFO, 0, 0 },
	{ 0x618, PACKAGE, VALUE_STORED, 0xffffff, 0 },	/* MSR_DRAM_POWER_LIMIT */
	{ 0x619, PACKAGE, VALUE_DRAM_ENERGY, 0, 0 },
	{ 0x61b, PACKAGE, VALUE_STORED, 0, 0 },	/* MSR_DRAM_PERF_STATUS */
	{ 0x61c, PACKAGE, VALUE_DRAM_INFO, 0, 0 },
	{ 0x620, PACKAGE, VALUE_UNCORE_RATIO, 0x7f7f, 0 },	/* MSR_UNCORE_RATIO_LIMIT */
	{ 0x639, PACKAGE, VALUE_STORED, 0, 0 },	/* MSR_PP0_ENERGY_STATUS: reads 0, says the SDM */
	{ 0x690, PACKAGE, VALUE_STORED, 0, 0 },	/* MSR_CORE_PERF_LIMIT_REASONS */
	{ 0xc0000103, THREAD, VALUE_TSC_AUX, 0xffffffff, 0 },
};

static_assert(LEN(rows) <= CORE_STORED, "a place for each row");

/* Without hardware nothing sleeps: then the counters of the power control box answer these numbers. */
static bool sleeps(enum core_value_kind what)
{
	return what >= VALUE_PACKAGE_C2 && what <= VALUE_CORE_C6;
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
