/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Haswell-EP: the PCI functions of a socket and what a driver reads to find its way, from the
 * listing of a real two-socket E5-2650 v3.  A function with counters is there when its box
 * is; the others here always, but for one per core.
 */
#include "catalog/find.h"
#include "pmu/engine.h"
#include "pmu/hsx.h"

enum { VENDOR = 0x8086, CLASS_PERF = 0x110100, CLASS_SYSTEM = 0x088000, MULTI_FUNCTION = 0x80 };

#define DF(dev, fn) ((dev) << 3 | (fn))

/* `count` functions from base on with ids from id on; per_core: function i exists with core core0 + i. */
struct function {
	uint8_t bus, base, count;
	bool perf, per_core;
	uint8_t core0;
	uint16_t id;
};

static const struct function functions[] = {
	{ CAT_BUS_IIO, DF(5, 0), 1, .id = 0x2f28 },
	{ CAT_BUS_IIO, DF(5, 6), 1, .id = 0x2f39, .perf = true },
	{ CAT_BUS_UNCORE, DF(8, 0), 1, .id = 0x2f80 },
	{ CAT_BUS_UNCORE, DF(8, 2), 1, .id = 0x2f32, .perf = true },
	{ CAT_BUS_UNCORE, DF(8, 3), 1, .id = 0x2f83 },
	{ CAT_BUS_UNCORE, DF(8, 5), 3, .id = 0x2f85 },
	{ CAT_BUS_UNCORE, DF(9, 0), 1, .id = 0x2f90 },
	{ CAT_BUS_UNCORE, DF(9, 2), 1, .id = 0x2f33, .perf = true },
	{ CAT_BUS_UNCORE, DF(9, 3), 1, .id = 0x2f93 },
	{ CAT_BUS_UNCORE, DF(9, 5), 3, .id = 0x2f95 },
	{ CAT_BUS_UNCORE, DF(10, 0), 1, .id = 0x2f40 },
	{ CAT_BUS_UNCORE, DF(10, 2), 1, .id = 0x2f3a, .perf = true },
	{ CAT_BUS_UNCORE, DF(10, 6), 1, .id = 0x2f46 },
	{ CAT_BUS_UNCORE, DF(11, 0), 1, .id = 0x2f81 },
	{ CAT_BUS_UNCORE, DF(11, 1), 2, .id = 0x2f36, .perf = true },
	{ CAT_BUS_UNCORE, DF(11, 4), 1, .id = 0x2f41 },
	{ CAT_BUS_UNCORE, DF(11, 5), 2, .id = 0x2f3e, .perf = true },
	{ CAT_BUS_UNCORE, DF(12, 0), 18, .id = 0x2fe0, .per_core = true },
	{ CAT_BUS_UNCORE, DF(15, 0), 7, .id = 0x2ff8 },
	{ CAT_BUS_UNCORE, DF(16, 0), 1, .id = 0x2f1d },
	{ CAT_BUS_UNCORE, DF(16, 1), 1, .id = 0x2f34, .perf = true },
	{ CAT_BUS_UNCORE, DF(16, 5), 1, .id = 0x2f1e },
	{ CAT_BUS_UNCORE, DF(16, 6), 1, .id = 0x2f7d, .perf = true },
	{ CAT_BUS_UNCORE, DF(16, 7), 1, .id = 0x2f1f },
	{ CAT_BUS_UNCORE, DF(18, 0), 1, .id = 0x2fa0 },
	{ CAT_BUS_UNCORE, DF(18, 1), 1, .id = 0x2f30, .perf = true },
	{ CAT_BUS_UNCORE, DF(18, 2), 1, .id = 0x2f70 },
	{ CAT_BUS_UNCORE, DF(18, 4), 1, .id = 0x2f60 },
	{ CAT_BUS_UNCORE, DF(18, 5), 1, .id = 0x2f38, .perf = true },
	{ CAT_BUS_UNCORE, DF(18, 6), 1, .id = 0x2f78 },
	{ CAT_BUS_UNCORE, DF(19, 0), 1, .id = 0x2fa8 },
	{ CAT_BUS_UNCORE, DF(19, 1), 1, .id = 0x2f71 },
	{ CAT_BUS_UNCORE, DF(19, 2), 6, .id = 0x2faa },
	{ CAT_BUS_UNCORE, DF(20, 0), 4, .id = 0x2fb0 },
	{ CAT_BUS_UNCORE, DF(20, 4), 4, .id = 0x2fbc },
	{ CAT_BUS_UNCORE, DF(21, 0), 4, .id = 0x2fb4 },
	{ CAT_BUS_UNCORE, DF(22, 0), 1, .id = 0x2f68 },
	{ CAT_BUS_UNCORE, DF(22, 1), 1, .id = 0x2f79 },
	{ CAT_BUS_UNCORE, DF(22, 2), 4, .id = 0x2f6a },
	{ CAT_BUS_UNCORE, DF(22, 6), 2, .id = 0x2f6e },
	{ CAT_BUS_UNCORE, DF(23, 0), 4, .id = 0x2fd0 },
	{ CAT_BUS_UNCORE, DF(23, 4), 4, .id = 0x2fb8 },
	{ CAT_BUS_UNCORE, DF(24, 0), 4, .id = 0x2fd4 },
	{ CAT_BUS_UNCORE, DF(30, 0), 3, .id = 0x2f98 },
	{ CAT_BUS_UNCORE, DF(30, 3), 1, .id = 0x2fc0 },
	{ CAT_BUS_UNCORE, DF(30, 4), 1, .id = 0x2f9c },
	{ CAT_BUS_UNCORE, DF(31, 0), 1, .id = 0x2f88 },
	{ CAT_BUS_UNCORE, DF(31, 2), 1, .id = 0x2f8a },
};

static const struct function *find(const struct pmu *p, enum cat_bus bus, uint32_t base,
				   unsigned *number)
{
	for (unsigned i = 0; i < LEN(functions); i++) {
		const struct function *f = &functions[i];

		if (f->bus != bus || base < f->base || base >= (unsigned)f->base + f->count)
			continue;
		*number = base - f->base;
		return f->per_core && f->core0 + *number >= p->cores ? NULL : f;
	}
	return NULL;
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
	unsigned number;
	const struct function *f = find(p, bus, base, &number);

	*value = 0;
	if (!f)
		return false;
	if (offset == 0x00)
		*value = VENDOR | (uint32_t)(f->id + number) << 16;
	else if (offset == 0x08)
		*value = (uint32_t)(f->perf ? CLASS_PERF : CLASS_SYSTEM) << 8;
	else if (offset == 0x0c)
		*value = (uint32_t)MULTI_FUNCTION << 16;
	else if (f->id == 0x2f1e && offset == 0x40)
		*value = socket;
	else if (f->id == 0x2f1e && offset == 0x54)
		*value = node_map(p);
	else if (f->id == 0x2fc0 && offset == 0x94)
		*value = capid4(p);
	else if (f->id == 0x2f28 && offset == 0x108)
		*value = bus_numbers(p, socket);
	return true;
}
