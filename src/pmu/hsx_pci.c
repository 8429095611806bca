/* SPDX-License-Identifier: BSD-2-Clause */
/* Haswell-EP: the PCI functions of a socket, from the listing of a real two-socket E5-2650 v3. */
#include "catalog/find.h"
#include "pmu/engine.h"
#include "pmu/hsx.h"
#include "pmu/xeon.h"

static const struct xeon_function functions[] = {
	{ CAT_BUS_IIO, XEON_DF(5, 0), 1, .id = 0x2f28 },	/* address map; bus numbers */
	{ CAT_BUS_UNCORE, XEON_DF(8, 3), 1, .id = 0x2f83 },	/* QPI links */
	{ CAT_BUS_UNCORE, XEON_DF(8, 5), 1, .id = 0x2f85 },
	{ CAT_BUS_UNCORE, XEON_DF(8, 7), 1, .id = 0x2f87 },
	{ CAT_BUS_UNCORE, XEON_DF(9, 3), 1, .id = 0x2f93 },
	{ CAT_BUS_UNCORE, XEON_DF(9, 5), 1, .id = 0x2f95 },
	{ CAT_BUS_UNCORE, XEON_DF(9, 7), 1, .id = 0x2f97 },
	{ CAT_BUS_UNCORE, XEON_DF(11, 0), 1, .id = 0x2f81 },	/* R3QPI */
	{ CAT_BUS_UNCORE, XEON_DF(11, 4), 1, .id = 0x2f41 },
	{ CAT_BUS_UNCORE, XEON_DF(11, 6), 1, .id = 0x2f3f },
	{ CAT_BUS_UNCORE, XEON_DF(12, 0), 18, .id = 0x2fe0, .per_core = true },	/* CBo */
	{ CAT_BUS_UNCORE, XEON_DF(15, 0), 7, .id = 0x2ff8 },	/* ring agent, address decoder */
	{ CAT_BUS_UNCORE, XEON_DF(16, 0), 1, .id = 0x2f1d },	/* R2PCIe */
	{ CAT_BUS_UNCORE, XEON_DF(16, 5), 1, .id = 0x2f1e },	/* UBox: node ids */
	{ CAT_BUS_UNCORE, XEON_DF(16, 6), 1, .id = 0x2f7d },
	{ CAT_BUS_UNCORE, XEON_DF(16, 7), 1, .id = 0x2f1f },
	{ CAT_BUS_UNCORE, XEON_DF(18, 0), 1, .id = 0x2fa0 },	/* home agents */
	{ CAT_BUS_UNCORE, XEON_DF(18, 2), 1, .id = 0x2f70 },
	{ CAT_BUS_UNCORE, XEON_DF(18, 4), 1, .id = 0x2f60 },
	{ CAT_BUS_UNCORE, XEON_DF(18, 6), 1, .id = 0x2f78 },
	{ CAT_BUS_UNCORE, XEON_DF(19, 0), 1, .id = 0x2fa8 },	/* memory controller 0 */
	{ CAT_BUS_UNCORE, XEON_DF(19, 1), 1, .id = 0x2f71 },
	{ CAT_BUS_UNCORE, XEON_DF(19, 2), 6, .id = 0x2faa },
	{ CAT_BUS_UNCORE, XEON_DF(20, 2), 2, .id = 0x2fb2 },
	{ CAT_BUS_UNCORE, XEON_DF(20, 4), 4, .id = 0x2fbc },
	{ CAT_BUS_UNCORE, XEON_DF(21, 2), 2, .id = 0x2fb6 },
	{ CAT_BUS_UNCORE, XEON_DF(22, 0), 1, .id = 0x2f68 },	/* memory controller 1 */
	{ CAT_BUS_UNCORE, XEON_DF(22, 1), 1, .id = 0x2f79 },
	{ CAT_BUS_UNCORE, XEON_DF(22, 2), 4, .id = 0x2f6a },
	{ CAT_BUS_UNCORE, XEON_DF(22, 6), 2, .id = 0x2f6e },
	{ CAT_BUS_UNCORE, XEON_DF(23, 2), 2, .id = 0x2fd2 },
	{ CAT_BUS_UNCORE, XEON_DF(23, 4), 4, .id = 0x2fb8 },
	{ CAT_BUS_UNCORE, XEON_DF(24, 2), 2, .id = 0x2fd6 },
	{ CAT_BUS_UNCORE, XEON_DF(30, 0), 3, .id = 0x2f98 },	/* PCU */
	{ CAT_BUS_UNCORE, XEON_DF(30, 3), 1, .id = 0x2fc0 },	/* capabilities */
	{ CAT_BUS_UNCORE, XEON_DF(30, 4), 1, .id = 0x2f9c },
	{ CAT_BUS_UNCORE, XEON_DF(31, 0), 1, .id = 0x2f88 },	/* VCU */
	{ CAT_BUS_UNCORE, XEON_DF(31, 2), 1, .id = 0x2f8a },
};

/*
 * Two call themselves performance counters and have none of ours; memory channels have counters and
 * call themselves system devices.
 */
static const uint16_t odd[] = { 0x2f3f, 0x2f7d, 0x2fb0, 0x2fb1, 0x2fb4, 0x2fb5, 0x2fd0, 0x2fd1,
				0x2fd4, 0x2fd5, 0 };

/* CAPID4 bits 7:6 tell the dies apart: 0 is the one with two SBo. */
static uint32_t capid4(const struct pmu *p)
{
	const struct cat_type *sbo = cat_find_type(p->family, "sbo", 3);
	bool two = sbo && pmu_boxes(p, (unsigned)(sbo - &cat_types[p->family->type0])) <= 2;

	return two ? 0 : 2u << 6;
}

/* The UBox has node numbers, the power control unit what the die can do. */
static uint32_t special(const struct pmu *p, unsigned socket, uint32_t id, uint32_t offset)
{
	if (id == 0x2f1e && offset == 0x40)
		return socket;
	if (id == 0x2f1e && offset == 0x54)
		return pmu_xeon_node_map(p);
	return id == 0x2fc0 && offset == 0x94 ? capid4(p) : 0;
}

bool pmu_hsx_config(const struct pmu *p, unsigned socket, enum cat_bus bus, uint32_t base,
		    uint32_t offset, uint32_t *value)
{
	static const struct xeon_pci map = {
		.function = functions, .functions = LEN(functions), .bus_id = 0x2f28, .odd = odd,
		.special = special,
	};

	return pmu_xeon_config(&map, p, socket, bus, base, offset, value);
}
