/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Architectural performance monitoring, version 3, of each logical CPU (SDM volume 3, chapter 18): fixed and
 * programmable counters, global control, overflow bits.  No interrupt follows an overflow: there is no
 * local APIC behind these registers.
 */
#include <stdio.h>

#include "base/bits.h"
#include "machine/private.h"

enum {
	MSR_PMC0 = 0xc1,
	MSR_PERFEVTSEL0 = 0x186,
	MSR_OFFCORE_RSP_0 = 0x1a6,
	MSR_FIXED_CTR0 = 0x309,		/* instructions; then clocks; then clocks at TSC rate */
	MSR_PERF_CAPABILITIES = 0x345,
	MSR_FIXED_CTR_CTRL = 0x38d,
	MSR_GLOBAL_STATUS = 0x38e,
	MSR_GLOBAL_CTRL = 0x38f,
	MSR_GLOBAL_OVF_CTRL = 0x390,
	MSR_A_PMC0 = 0x4c1,
};

enum {
	CTRL_BITS = 4,			/* of FIXED_CTR_CTRL for each counter: os, usr, any thread, PMI */
	CTRL_USR = 2, CTRL_ANY = 4,
	GLOBAL_FIXED = 32,		/* first bit of the fixed counters in the global registers */
	SEL_ENABLE = 22,
};

#define SEL_RESERVED (~UINT64_C(0xffffffff))
#define OVF_OTHER (UINT64_C(7) << 61)	/* uncore, buffer, condition changed: never set */
/* Full-width writes, SMM freeze; the formats of records that are not modelled. */
#define CAPABILITIES UINT64_C(0x32c4)
#define FULL_WIDTH (UINT64_C(1) << 13)

/* What came after it: a sibling's counters for an only thread, full-width writes, a second offcore response. */
static bool is_nehalem(const struct machine *m)
{
	return m->core[0].timing.design->generation == TIMING_NEHALEM;
}

unsigned core_pmu_counters(const struct machine *m)
{
	return m->spec.value[SPEC_THREADS] > 1 || is_nehalem(m) ? CORE_COUNTERS / 2 : CORE_COUNTERS;
}

static unsigned offcores(const struct machine *m)
{
	return is_nehalem(m) ? 1 : CORE_OFFCORE;
}

static uint64_t all_bits(const struct machine *m)
{
	return bits_low(core_pmu_counters(m)) | bits_low(CORE_FIXED) << GLOBAL_FIXED;
}

/* What fixed counter i would show had it always counted; a second thread counts with its sibling only. */
static uint64_t fixed_done(const struct machine *m, const struct core_place *at, unsigned i, bool any)
{
	if (at->second && !any)
		return 0;
	switch (i) {
	case 0:
		return m->core[at->core].timing.retired;
	case 1:
		return core_cycles(m, at->core);
	default:
		return core_clocks(core_awake(m, at->core), m->spec.value[SPEC_BASE_MHZ]);
	}
}

static void add(struct core_pmu *p, struct core_counter *c, uint64_t done, bool counts, unsigned bit)
{
	uint64_t sum = c->value + (counts ? done - c->from : 0);

	c->value = sum & bits_low(CORE_WIDTH);
	c->from = done;
	if (sum >> CORE_WIDTH)
		p->status |= UINT64_C(1) << bit;
}

/* Bring the counters up to date, before one of them is read or what they count changes. */
static void settle(const struct machine *m, const struct core_place *at, struct core_pmu *p)
{
	for (unsigned i = 0; i < CORE_FIXED; i++) {
		uint64_t ctrl = p->fixed_ctrl >> i * CTRL_BITS;
		unsigned bit = GLOBAL_FIXED + i;
		bool counts = p->global_ctrl >> bit & 1 && ctrl & CTRL_USR;

		add(p, &p->fixed[i], fixed_done(m, at, i, ctrl & CTRL_ANY), counts, bit);
	}
	for (unsigned i = 0; i < core_pmu_counters(m); i++) {
		bool counts = p->global_ctrl >> i & 1 && p->select[i] >> SEL_ENABLE & 1;

		if (counts)
			add(p, &p->counter[i], core_event_count(m, at, p->select[i], p->offcore), true, i);
	}
}

/* The counters that run start from what has been done by now. */
static void restart(const struct machine *m, const struct core_place *at, struct core_pmu *p)
{
	for (unsigned i = 0; i < CORE_FIXED; i++)
		p->fixed[i].from = fixed_done(m, at, i, p->fixed_ctrl >> i * CTRL_BITS & CTRL_ANY);
	for (unsigned i = 0; i < core_pmu_counters(m); i++)
		p->counter[i].from = core_event_count(m, at, p->select[i], p->offcore);
}

static struct core_pmu *pmu_of(struct machine *m, const struct core_place *at)
{
	return &m->registers[at->cpu].pmu;
}

bool machine_core_selects(const struct machine *m, uint32_t msr)
{
	return msr >= MSR_PERFEVTSEL0 && msr < MSR_PERFEVTSEL0 + core_pmu_counters(m);
}

unsigned machine_core_elsewhere(const struct machine *m, uint32_t msr, uint64_t select)
{
	unsigned counters = core_event_counters(m, select);

	return counters >> (msr - MSR_PERFEVTSEL0) & 1 ? 0 : counters;
}

/* Is msr one of n from first on, and which? */
static bool within(uint32_t msr, uint32_t first, unsigned n, unsigned *i)
{
	*i = msr - first;
	return msr >= first && *i < n;
}

/* Is msr a counter's other address, which takes all bits, and whose? */
static bool full_width(const struct machine *m, uint32_t msr, unsigned *i)
{
	return !is_nehalem(m) && within(msr, MSR_A_PMC0, core_pmu_counters(m), i);
}

bool core_pmu_name(const struct machine *m, uint32_t msr, char *buf, size_t size)
{
	static const struct { uint32_t msr; const char *name; } one[] = {
		{ MSR_PERF_CAPABILITIES, "IA32_PERF_CAPABILITIES" }, { MSR_FIXED_CTR_CTRL, "IA32_FIXED_CTR_CTRL" },
		{ MSR_GLOBAL_STATUS, "IA32_PERF_GLOBAL_STATUS" }, { MSR_GLOBAL_CTRL, "IA32_PERF_GLOBAL_CTRL" },
		{ MSR_GLOBAL_OVF_CTRL, "IA32_PERF_GLOBAL_OVF_CTRL" },
	};
	unsigned n = core_pmu_counters(m), i;

	for (size_t k = 0; k < LEN(one); k++)
		if (one[k].msr == msr)
			return snprintf(buf, size, "%s", one[k].name) > 0;
	if (within(msr, MSR_PMC0, n, &i))
		return snprintf(buf, size, "IA32_PMC%u", i) > 0;
	if (full_width(m, msr, &i))
		return snprintf(buf, size, "IA32_A_PMC%u", i) > 0;
	if (within(msr, MSR_PERFEVTSEL0, n, &i))
		return snprintf(buf, size, "IA32_PERFEVTSEL%u", i) > 0;
	if (within(msr, MSR_OFFCORE_RSP_0, offcores(m), &i))
		return snprintf(buf, size, "MSR_OFFCORE_RSP_%u", i) > 0;
	if (within(msr, MSR_FIXED_CTR0, CORE_FIXED, &i))
		return snprintf(buf, size, "IA32_FIXED_CTR%u", i) > 0;
	return false;
}

enum outcome core_pmu_read(struct machine *m, const struct core_place *at, uint32_t msr, uint64_t *value)
{
	struct core_pmu *p = pmu_of(m, at);
	unsigned n = core_pmu_counters(m), i;

	settle(m, at, p);
	if (within(msr, MSR_PMC0, n, &i) || full_width(m, msr, &i))
		*value = p->counter[i].value;
	else if (within(msr, MSR_PERFEVTSEL0, n, &i))
		*value = p->select[i];
	else if (within(msr, MSR_OFFCORE_RSP_0, offcores(m), &i))
		*value = p->offcore[i];
	else if (within(msr, MSR_FIXED_CTR0, CORE_FIXED, &i))
		*value = p->fixed[i].value;
	else if (msr == MSR_FIXED_CTR_CTRL)
		*value = p->fixed_ctrl;
	else if (msr == MSR_GLOBAL_STATUS)
		*value = p->status;
	else if (msr == MSR_GLOBAL_CTRL)
		*value = p->global_ctrl;
	else if (msr == MSR_GLOBAL_OVF_CTRL)
		*value = 0;
	else if (msr == MSR_PERF_CAPABILITIES)
		*value = CAPABILITIES & ~(is_nehalem(m) ? FULL_WIDTH : 0);
	else
		return OUTCOME_GP;
	return OUTCOME_OK;
}

/* The bits that software may set; writing others faults. */
static enum outcome put(uint64_t *reg, uint64_t reserved, uint64_t value)
{
	if (value & reserved)
		return OUTCOME_GP;
	*reg = value;
	return OUTCOME_OK;
}

static enum outcome put_global(const struct machine *m, struct core_pmu *p, uint32_t msr, uint64_t value)
{
	if (msr == MSR_GLOBAL_CTRL)
		return put(&p->global_ctrl, ~all_bits(m), value);
	if (value & ~(all_bits(m) | OVF_OTHER))
		return OUTCOME_GP;
	p->status &= ~value;
	return OUTCOME_OK;
}

static enum outcome put_register(const struct machine *m, struct core_pmu *p, uint32_t msr, uint64_t value)
{
	unsigned n = core_pmu_counters(m), i;

	/* The old addresses take 32 bits and extend their sign, the new ones all. */
	if (within(msr, MSR_PMC0, n, &i))
		return put(&p->counter[i].value, 0, (uint64_t)(int32_t)value & bits_low(CORE_WIDTH));
	if (full_width(m, msr, &i))
		return put(&p->counter[i].value, ~bits_low(CORE_WIDTH), value);
	if (within(msr, MSR_PERFEVTSEL0, n, &i))
		return put(&p->select[i], SEL_RESERVED, value);
	if (within(msr, MSR_OFFCORE_RSP_0, offcores(m), &i))
		return put(&p->offcore[i], core_offcore_reserved(m), value);
	if (within(msr, MSR_FIXED_CTR0, CORE_FIXED, &i))
		return put(&p->fixed[i].value, ~bits_low(CORE_WIDTH), value);
	if (msr == MSR_FIXED_CTR_CTRL)
		return put(&p->fixed_ctrl, ~bits_low(CORE_FIXED * CTRL_BITS), value);
	if (msr == MSR_GLOBAL_CTRL || msr == MSR_GLOBAL_OVF_CTRL)
		return put_global(m, p, msr, value);
	return OUTCOME_GP;
}

enum outcome core_pmu_write(struct machine *m, const struct core_place *at, uint32_t msr, uint64_t value)
{
	struct core_pmu *p = pmu_of(m, at);
	enum outcome outcome;

	settle(m, at, p);
	outcome = put_register(m, p, msr, value);
	if (outcome == OUTCOME_OK)
		restart(m, at, p);
	return outcome;
}
