/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of a CPU (SDM volume 4, table 2-2), played by events of Linux's PMU of the cores. */
#include <linux/perf_event.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "base/bits.h"
#include "base/error.h"
#include "local/perf_box.h"

enum {
	PMC0 = 0xc1, SELECT0 = 0x186, OFFCORE0 = 0x1a6, OFFCORE_EVENT0 = 0xb7, OFFCORE_EVENT1 = 0xbb,
	WIDTH = 48, USER = 1 << 16, KERNEL = 1 << 17, ENABLE = 1 << 22, FIXED_BITS = 4, GLOBAL_FIXED = 32,
};

/* Of IA32_PERFEVTSELx what a raw event's config has: event, umask, edge, any thread, inversion, counter mask. */
#define RAW UINT64_C(0xffa4ffff)

/* In the order of the fixed counters. */
static const uint64_t fixed_events[FIXED_COUNTERS] = {
	PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES,
};

void perf_cpu_init(struct perf_cpu *c, int cpu)
{
	c->cpu = cpu;
	for (unsigned i = 0; i < FIXED_COUNTERS; i++)
		c->fixed[i] = -1;
	for (unsigned i = 0; i < PERF_CPU_COUNTERS; i++)
		c->counter[i].fd = -1;
}

static void close_fixed(struct perf_cpu *c)
{
	for (unsigned i = 0; i < FIXED_COUNTERS; i++) {
		if (c->fixed[i] >= 0)
			close(c->fixed[i]);
		c->fixed[i] = -1;
	}
}

void perf_cpu_close(struct perf_cpu *c)
{
	close_fixed(c);
	for (unsigned i = 0; i < PERF_CPU_COUNTERS; i++)
		perf_end_event(c->counter + i);
}

/* As IA32_PLATFORM_INFO has it: the ratio of the base frequency to the bus. */
static uint64_t platform_info(const struct local_processor *p)
{
	unsigned bus = p->family->bus_khz;

	return (uint64_t)((p->base_mhz * 1000 + bus / 2) / bus) << 8;
}

static int read_other(const struct perf_cpu *c, const struct local_processor *p, uint32_t msr, uint64_t *value)
{
	if (msr == MSR_FIXED_CTR_CTRL)
		*value = c->fixed_control;
	else if (msr == MSR_PERF_GLOBAL_CTRL)
		*value = c->global_control;
	else if (msr == MSR_PLATFORM_INFO && p->base_mhz)
		*value = platform_info(p);
#ifdef __x86_64__
	else if (msr == MSR_TSC)
		*value = __rdtsc();
#endif
	else
		return BXS_EFAULT;
	return 0;
}

static bool is_fixed_on(const struct perf_cpu *c, unsigned k)
{
	return c->fixed_control >> FIXED_BITS * k & 3 && c->global_control >> (GLOBAL_FIXED + k) & 1;
}

/* A fixed counter that is not enabled reads 0. */
static int read_fixed(const struct perf_cpu *c, unsigned k, uint64_t *value)
{
	*value = 0;
	if (c->fixed[k] >= 0)
		return perf_read_event(c->fixed[k], value) ? 0 : BXS_EFAULT;
	return is_fixed_on(c, k) ? BXS_EFAULT : 0;
}

int perf_cpu_read(struct perf_cpu *c, const struct local_processor *p, uint32_t msr, uint64_t *value)
{
	if (msr - MSR_FIXED_CTR0 < FIXED_COUNTERS)
		return read_fixed(c, msr - MSR_FIXED_CTR0, value);
	if (msr - PMC0 < PERF_CPU_COUNTERS)
		return perf_read_counter(c->counter + (msr - PMC0), WIDTH, value);
	if (msr - SELECT0 >= PERF_CPU_COUNTERS)
		return read_other(c, p, msr, value);
	*value = c->counter[msr - SELECT0].control;
	return 0;
}

/* Enabling a fixed counter opens its event. */
static void write_global(struct perf_cpu *c, uint64_t value)
{
	c->global_control = value;
	close_fixed(c);
	for (unsigned k = 0; k < FIXED_COUNTERS; k++)
		if (is_fixed_on(c, k))
			c->fixed[k] = perf_open_event(PERF_TYPE_HARDWARE, (const uint64_t[3]){ fixed_events[k] }, c->cpu, PERF_ENABLED);
}

/* The response mask of an off-core event, which goes to config1. */
static uint64_t offcore(const struct perf_cpu *c, uint64_t select)
{
	unsigned event = select & 0xff;

	return event == OFFCORE_EVENT0 ? c->offcore[0] : event == OFFCORE_EVENT1 ? c->offcore[1] : 0;
}

static int write_select(struct perf_cpu *c, struct perf_counter *n, uint64_t value)
{
	const uint64_t config[3] = { value & RAW, offcore(c, value) };
	unsigned how = PERF_ENABLED | (value & USER ? 0 : PERF_NOT_USER) | (value & KERNEL ? 0 : PERF_NOT_KERNEL);

	perf_end_event(n);
	n->control = value;
	n->lost = false;
	if (!(value & ENABLE))
		return 0;
	n->fd = perf_open_event(PERF_TYPE_RAW, config, c->cpu, how);
	n->lost = n->fd < 0;
	return n->lost ? BXS_EFAULT : 0;
}

int perf_cpu_write(struct perf_cpu *c, uint32_t msr, uint64_t value)
{
	if (msr - SELECT0 < PERF_CPU_COUNTERS)
		return write_select(c, c->counter + (msr - SELECT0), value);
	if (msr - PMC0 < PERF_CPU_COUNTERS)
		perf_write_counter(c->counter + (msr - PMC0), value);
	else if (msr - OFFCORE0 < OFFCORE_REGISTERS)
		c->offcore[msr - OFFCORE0] = value;
	else if (msr == MSR_FIXED_CTR_CTRL)
		c->fixed_control = value;
	else if (msr == MSR_PERF_GLOBAL_CTRL)
		write_global(c, value);
	else
		return value ? BXS_EFAULT : 0;
	return 0;
}
