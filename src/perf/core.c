/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU of the cores, one of each CPU: architectural performance monitoring version 3 over its registers (SDM volume 3,
 * chapter 18).  Of the general names those have a meaning that the machine knows the event of.
 */
#include <errno.h>
#include <stddef.h>

#include "base/bits.h"
#include "perf/perf_private.h"

enum {
	MSR_PMC0 = 0xc1, MSR_SELECT0 = 0x186, MSR_FIXED0 = 0x309, MSR_FIXED_CTRL = 0x38d, MSR_GLOBAL_CTRL = 0x38f,
	GLOBAL_FIXED = 32, FIXED_BITS = 4, WIDTH = 48,
	USER = 1 << 16, KERNEL = 1 << 17, ANY_THREAD = 1 << 21, ENABLE = 1 << 22,
	FIXED_KERNEL = 1, FIXED_USER = 2, FIXED_ANY = 4,
	REF_CYCLES = 0x0300,		/* no code: Linux's name for what fixed counter 2 counts */
};

/* Event, umask, edge, invert, mask, and any thread. */
#define ACCEPTS UINT64_C(0xffa4ffff)

/* Linux's general events, for all processors with this PMU. */
static const struct general {
	uint64_t config;		/* enum perf_hw_id */
	uint32_t select;
	const char *name, *value;
} generals[] = {
	{ PERF_COUNT_HW_CPU_CYCLES, 0x003c, "cpu-cycles", "event=0x3c" },
	{ PERF_COUNT_HW_INSTRUCTIONS, 0x00c0, "instructions", "event=0xc0" },
	{ PERF_COUNT_HW_CACHE_REFERENCES, 0x4f2e, "cache-references", "event=0x2e,umask=0x4f" },
	{ PERF_COUNT_HW_CACHE_MISSES, 0x412e, "cache-misses", "event=0x2e,umask=0x41" },
	{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0x00c4, "branch-instructions", "event=0xc4" },
	{ PERF_COUNT_HW_BRANCH_MISSES, 0x00c5, "branch-misses", "event=0xc5" },
	{ PERF_COUNT_HW_BUS_CYCLES, 0x013c, "bus-cycles", "event=0x3c,umask=0x01" },
	{ PERF_COUNT_HW_REF_CPU_CYCLES, REF_CYCLES, "ref-cycles", "event=0x00,umask=0x03" },
};

static uint32_t programmable(const struct perf *p, uint64_t select)
{
	return select == REF_CYCLES ? 0 : p->config.counters(p->config.ctx, select | USER);
}

/* The fixed counter of an event without further conditions, as a mask. */
static uint32_t fixed(uint64_t select)
{
	switch (select & ~(uint64_t)(USER | KERNEL | ANY_THREAD)) {
	case 0x00c0:
		return 1;
	case 0x003c:
		return 2;
	case REF_CYCLES:
		return 4;
	default:
		return 0;
	}
}

const char *perf_core_event(const struct perf *p, unsigned i, const char **value)
{
	for (const struct general *g = generals; g < generals + LEN(generals); g++) {
		if (!programmable(p, g->select) && !fixed(g->select))
			continue;
		if (i-- == 0) {
			*value = g->value;
			return g->name;
		}
	}
	return NULL;
}

static int of_hardware(uint64_t config, uint64_t *select)
{
	if (config >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	for (const struct general *g = generals; g < generals + LEN(generals); g++) {
		if (g->config != config)
			continue;
		*select = g->select;
		return 0;
	}
	return -ENOENT;
}

/* L1D's misses of loads are the lines that it takes in, on each of these processors. */
static int of_cache(uint64_t config, uint64_t *select)
{
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX || result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;
	*select = 0x0151;
	return cache == PERF_COUNT_HW_CACHE_L1D && op == PERF_COUNT_HW_CACHE_OP_READ &&
	       result == PERF_COUNT_HW_CACHE_RESULT_MISS ? 0 : -ENOENT;
}

/* What the control selects: 0 or -errno. */
static int translate(const struct perf_event_attr *a, uint64_t *select)
{
	if (a->type == PERF_TYPE_HARDWARE)
		return of_hardware(a->config, select);
	if (a->type == PERF_TYPE_HW_CACHE)
		return of_cache(a->config, select);
	*select = a->config & ACCEPTS;
	return 0;
}

static int init_event(struct perf_event *e)
{
	int err = translate(&e->attr, &e->control);

	if (err < 0)
		return err;
	if (e->attr.precise_ip)
		return -EOPNOTSUPP;
	if (!programmable(e->perf, e->control) && !fixed(e->control))
		return -ENOENT;
	e->control |= (e->attr.exclude_user ? 0 : USER) | (e->attr.exclude_kernel ? 0 : KERNEL);
	return 0;
}

static uint32_t allowed(const struct perf_event *e)
{
	const struct perf_context *c = e->context;
	uint32_t all = programmable(e->perf, e->control & ~(uint64_t)(USER | KERNEL));

	return (all & (uint32_t)bits_low(c->counters)) | fixed(e->control) << c->counters;
}

static struct access_address place(const struct perf_context *c, uint32_t msr)
{
	unsigned cores = c->perf->config.cores, all = cores * c->perf->config.sockets;

	return (struct access_address){
		.space = CAT_MSR, .socket = (uint16_t)c->socket, .thread = (uint16_t)(c->cpu / all * cores + c->cpu % cores),
		.offset = msr, .width = 64,
	};
}

static uint64_t get(const struct perf_context *c, uint32_t msr)
{
	struct access_address at = place(c, msr);
	uint64_t value = 0;

	access_read(c->perf->config.registers, &at, &value);
	return value;
}

static void put(const struct perf_context *c, uint32_t msr, uint64_t value)
{
	struct access_address at = place(c, msr);

	access_write(c->perf->config.registers, &at, value);
}

/* Which fixed counter; -1: none. */
static int fixed_index(const struct perf_event *e)
{
	return e->index - (int)e->context->counters;
}

static uint64_t raw(const struct perf_event *e)
{
	int f = fixed_index(e);

	return get(e->context, f >= 0 ? MSR_FIXED0 + (uint32_t)f : MSR_PMC0 + (uint32_t)e->index);
}

static void update(struct perf_event *e)
{
	uint64_t now = raw(e);

	e->count += (now - e->before) & bits_low(WIDTH);
	e->before = now;
}

/* A fixed counter's bits among those of the others. */
static void set_fixed(const struct perf_event *e, unsigned f, uint64_t bits)
{
	unsigned lo = f * FIXED_BITS;

	put(e->context, MSR_FIXED_CTRL, bits_put(get(e->context, MSR_FIXED_CTRL), lo + FIXED_BITS - 1, lo, bits));
}

static void start(struct perf_event *e)
{
	int f = fixed_index(e);

	e->before = raw(e);
	if (f >= 0)
		set_fixed(e, (unsigned)f, (e->control & USER ? FIXED_USER : 0) | (e->control & KERNEL ? FIXED_KERNEL : 0) |
			  (e->control & ANY_THREAD ? FIXED_ANY : 0));
	else
		put(e->context, MSR_SELECT0 + (uint32_t)e->index, e->control | ENABLE);
}

static void stop(struct perf_event *e)
{
	int f = fixed_index(e);

	if (f >= 0)
		set_fixed(e, (unsigned)f, 0);
	else
		put(e->context, MSR_SELECT0 + (uint32_t)e->index, e->control);
	update(e);
}

/* Linux has all counters on but while it changes them. */
static void freeze_cpu(struct perf_context *c, bool freeze)
{
	put(c, MSR_GLOBAL_CTRL, freeze ? 0 : bits_low(c->counters) | bits_low(c->fixed) << GLOBAL_FIXED);
}

const struct perf_ops perf_core_ops = {
	.init = init_event,
	.allowed = allowed,
	.start = start,
	.stop = stop,
	.validate = perf_counters_validate,
	.add = perf_counters_add,
	.remove = perf_counters_remove,
	.update = update,
	.freeze = freeze_cpu,
};
