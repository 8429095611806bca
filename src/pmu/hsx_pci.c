/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Haswell-EP: the PCI functions of a socket and what a driver reads to find its way, from the
 * listing of a real two-socket E5-2650 v3.  Functions with registers of a box are the
 * catalogue's; here stand the others.
 */
#include <string.h>

#include "catalog/find.h"
#include "pmu/engine.h"
#include "pmu/hsx.h"

enum { VENDOR = 0x8086, CLASS_PERF = 0x110100, CLASS_SYSTEM = 0x088000, MULTI_FUNCTION = 0x80 };

#define DF(dev, fn) ((dev) << 3 | (fn))

/* `count` functions from base on with ids from id on; per_core: function i exists with core i. */
struct function {
	uint8_t bus, base, count;
	bool per_core;
	uint16_t id;
};

static const struct function functions[] = {
	{ CAT_BUS_IIO, DF(5, 0), 1, .id = 0x2f28 },	/* address map; bus numbers */
	{ CAT_BUS_UNCORE, DF(8, 3), 1, .id = 0x2f83 },	/* QPI links */
	{ CAT_BUS_UNCORE, DF(8, 5), 1, .id = 0x2f85 },
	{ CAT_BUS_UNCORE, DF(8, 7), 1, .id = 0x2f87 },
	{ CAT_BUS_UNCORE, DF(9, 3), 1, .id = 0x2f93 },
	{ CAT_BUS_UNCORE, DF(9, 5), 1, .id = 0x2f95 },
	{ CAT_BUS_UNCORE, DF(9, 7), 1, .id = 0x2f97 },
	{ CAT_BUS_UNCORE, DF(11, 0), 1, .id = 0x2f81 },	/* R3QPI */
	{ CAT_BUS_UNCORE, DF(11, 4), 1, .id = 0x2f41 },
	{ CAT_BUS_UNCORE, DF(11, 6), 1, .id = 0x2f3f },
	{ CAT_BUS_UNCORE, DF(12, 0), 18, .id = 0x2fe0, .per_core = true },	/* CBo */
	{ CAT_BUS_UNCORE, DF(15, 0), 7, .id = 0x2ff8 },	/* ring agent, address decoder */
	{ CAT_BUS_UNCORE, DF(16, 0), 1, .id = 0x2f1d },	/* R2PCIe */
	{ CAT_BUS_UNCORE, DF(16, 5), 1, .id = 0x2f1e },	/* UBox: node ids */
	{ CAT_BUS_UNCORE, DF(16, 6), 1, .id = 0x2f7d },
	{ CAT_BUS_UNCORE, DF(16, 7), 1, .id = 0x2f1f },
	{ CAT_BUS_UNCORE, DF(18, 0), 1, .id = 0x2fa0 },	/* home agents */
	{ CAT_BUS_UNCORE, DF(18, 2), 1, .id = 0x2f70 },
	{ CAT_BUS_UNCORE, DF(18, 4), 1, .id = 0x2f60 },
	{ CAT_BUS_UNCORE, DF(18, 6), 1, .id = 0x2f78 },
	{ CAT_BUS_UNCORE, DF(19, 0), 1, .id = 0x2fa8 },	/* memory controller 0 */
	{ CAT_BUS_UNCORE, DF(19, 1), 1, .id = 0x2f71 },
	{ CAT_BUS_UNCORE, DF(19, 2), 6, .id = 0x2faa },
	{ CAT_BUS_UNCORE, DF(20, 2), 2, .id = 0x2fb2 },
	{ CAT_BUS_UNCORE, DF(20, 4), 4, .id = 0x2fbc },
	{ CAT_BUS_UNCORE, DF(21, 2), 2, .id = 0x2fb6 },
	{ CAT_BUS_UNCORE, DF(22, 0), 1, .id = 0x2f68 },	/* memory controller 1 */
	{ CAT_BUS_UNCORE, DF(22, 1), 1, .id = 0x2f79 },
	{ CAT_BUS_UNCORE, DF(22, 2), 4, .id = 0x2f6a },
	{ CAT_BUS_UNCORE, DF(22, 6), 2, .id = 0x2f6e },
	{ CAT_BUS_UNCORE, DF(23, 2), 2, .id = 0x2fd2 },
	{ CAT_BUS_UNCORE, DF(23, 4), 4, .id = 0x2fb8 },
	{ CAT_BUS_UNCORE, DF(24, 2), 2, .id = 0x2fd6 },
	{ CAT_BUS_UNCORE, DF(30, 0), 3, .id = 0x2f98 },	/* PCU */
	{ CAT_BUS_UNCORE, DF(30, 3), 1, .id = 0x2fc0 },	/* capabilities */
	{ CAT_BUS_UNCORE, DF(30, 4), 1, .id = 0x2f9c },
	{ CAT_BUS_UNCORE, DF(31, 0), 1, .id = 0x2f88 },	/* VCU */
	{ CAT_BUS_UNCORE, DF(31, 2), 1, .id = 0x2f8a },
};

/* The functions that call themselves performance counters, beside those with counters. */
static bool extra_perf(uint32_t id)
{
	return id == 0x2f3f || id == 0x2f7d;
}

/* The device id of a function outside the catalogue, or 0. */
static uint32_t other_id(const struct pmu *p, enum cat_bus bus, uint32_t base)
{
	for (unsigned i = 0; i < LEN(functions); i++) {
		const struct function *f = &functions[i];

		if (f->bus != bus || base < f->base || base >= (unsigned)f->base + f->count)
			continue;
		return f->per_core && base - f->base >= p->cores ? 0 : f->id + base - f->base;
	}
	return 0;
}

/*
 * The device id of a function with a window of the catalogue, or 0.  Memory channels have
 * counters, but call themselves system devices.
 */
static uint32_t window_id(const struct pmu *p, enum cat_bus bus, uint32_t base, bool *perf)
{
	for (unsigned t = 0; t < p->family->types; t++) {
		const struct cat_type *cat = p->type[t].cat;

		for (unsigned n = 0; n < cat->windows * (unsigned)cat->boxes; n++) {
			const struct cat_window *w = &cat_windows[cat->window0 + n / cat->boxes];
			unsigned box = n % cat->boxes;

			if (w->space != CAT_PCI || w->bus != bus || w->device0 == CAT_ABSENT ||
			    cat_numbers[w->base0 + box] != base)
				continue;
			*perf = strcmp(cat_str(w->name), "pmon") == 0 &&
				strcmp(cat_str(cat->name), "imc") != 0;
			return cat_numbers[w->device0 + box];
		}
	}
	return 0;
}

/* Node id map of the UBox: 3 bits a socket, node n is socket n. */
static uint32_t node_map(const struct pmu *p)
{
	uint32_t map = 0;

	for (unsigned i = 0; i < p->sockets; i++)
		map |= i << 3 * i;
	return map;
}

/*
 * Bus numbers share 0..255 evenly: the I/O bus first, the uncore's last in each share.
 * With two sockets that is 0x00 and 0x7f, 0x80 and 0xff, as on real servers.
 */
static uint32_t bus_numbers(const struct pmu *p, unsigned socket)
{
	unsigned iio = socket * 256 / p->sockets, uncore = (socket + 1) * 256 / p->sockets - 1;

	return uncore << 8 | iio;
}

/* CAPID4 bits 7:6 tell the dies apart: 0 is the one with two SBo. */
static uint32_t capid4(const struct pmu *p)
{
	const struct cat_type *sbo = cat_find_type(p->family, "sbo", 3);
	bool two = sbo && pmu_boxes(p, (unsigned)(sbo - &cat_types[p->family->type0])) <= 2;

	return two ? 0 : 2u << 6;
}

bool pmu_hsx_config(const struct pmu *p, unsigned socket, enum cat_bus bus, uint32_t base,
		    uint32_t offset, uint32_t *value)
{
	bool perf = false;
	uint32_t id = window_id(p, bus, base, &perf);

	if (!id)
		id = other_id(p, bus, base);
	perf |= extra_perf(id);
	*value = 0;
	if (offset == 0x00)
		*value = VENDOR | id << 16;
	else if (offset == 0x08)
		*value = (uint32_t)(perf ? CLASS_PERF : CLASS_SYSTEM) << 8;
	else if (offset == 0x0c)
		*value = (uint32_t)MULTI_FUNCTION << 16;
	else if (id == 0x2f1e && offset == 0x40)
		*value = socket;
	else if (id == 0x2f1e && offset == 0x54)
		*value = node_map(p);
	else if (id == 0x2fc0 && offset == 0x94)
		*value = capid4(p);
	else if (id == 0x2f28 && offset == 0x108)
		*value = bus_numbers(p, socket);
	return id != 0;
}
