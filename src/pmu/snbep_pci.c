/* SPDX-License-Identifier: BSD-2-Clause */
/* Sandy Bridge-EP: the PCI functions of a socket, from the listing of a real two-socket server. */
#include "catalog/catalog.h"
#include "pmu/engine.h"
#include "pmu/snbep.h"
#include "pmu/xeon.h"

static const struct xeon_function functions[] = {
	{ CAT_BUS_IIO, XEON_DF(5, 0), 1, .id = 0x3c28 },	/* address map; bus numbers */
	{ CAT_BUS_UNCORE, XEON_DF(8, 3), 2, .id = 0x3c83 },	/* QPI links */
	{ CAT_BUS_UNCORE, XEON_DF(9, 3), 2, .id = 0x3c93 },
	{ CAT_BUS_UNCORE, XEON_DF(10, 0), 3, .id = 0x3cc0 },	/* PCU */
	{ CAT_BUS_UNCORE, XEON_DF(10, 3), 1, .id = 0x3cd0 },
	{ CAT_BUS_UNCORE, XEON_DF(11, 3), 1, .id = 0x3ce3 },	/* UBox: scratchpad */
	{ CAT_BUS_UNCORE, XEON_DF(12, 0), 4, .id = 0x3ce8, .same = true, .per_core = true },	/* CBo */
	{ CAT_BUS_UNCORE, XEON_DF(12, 6), 1, .id = 0x3cf4 },	/* address decoder */
	{ CAT_BUS_UNCORE, XEON_DF(12, 7), 1, .id = 0x3cf6 },
	{ CAT_BUS_UNCORE, XEON_DF(13, 0), 4, .id = 0x3ce8, .same = true, .per_core = true, .core0 = 4 },
	{ CAT_BUS_UNCORE, XEON_DF(13, 6), 1, .id = 0x3cf5 },
	{ CAT_BUS_UNCORE, XEON_DF(14, 0), 1, .id = 0x3ca0 },	/* home agent */
	{ CAT_BUS_UNCORE, XEON_DF(15, 0), 1, .id = 0x3ca8 },	/* memory controller */
	{ CAT_BUS_UNCORE, XEON_DF(15, 1), 1, .id = 0x3c71 },
	{ CAT_BUS_UNCORE, XEON_DF(15, 2), 5, .id = 0x3caa },
	{ CAT_BUS_UNCORE, XEON_DF(16, 2), 2, .id = 0x3cb2 },
	{ CAT_BUS_UNCORE, XEON_DF(16, 6), 2, .id = 0x3cb6 },
	{ CAT_BUS_UNCORE, XEON_DF(17, 0), 1, .id = 0x3cb8 },
	{ CAT_BUS_UNCORE, XEON_DF(19, 0), 1, .id = 0x3ce4 },	/* R2PCIe */
	{ CAT_BUS_UNCORE, XEON_DF(19, 4), 1, .id = 0x3ce6 },	/* R3QPI */
};

/*
 * The common part of both R3QPI calls itself a performance counter; the memory channels and the
 * second R3QPI have counters and call themselves system devices.
 */
static const uint16_t odd[] = { 0x3ce6, 0x3c45, 0x3cb0, 0x3cb1, 0x3cb4, 0x3cb5, 0 };

bool pmu_snbep_config(const struct pmu *p, unsigned socket, enum cat_bus bus, uint32_t base,
		      uint32_t offset, uint32_t *value)
{
	static const struct xeon_pci map = {
		.function = functions, .functions = LEN(functions), .bus_id = 0x3c28, .odd = odd,
	};

	return pmu_xeon_config(&map, p, socket, bus, base, offset, value);
}
