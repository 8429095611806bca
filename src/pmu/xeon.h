/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks that several Xeon families share: match registers, power control, configuration space. */
#ifndef BXS_PMU_XEON_H
#define BXS_PMU_XEON_H

#include "pmu/hooks.h"

/* Address and opcode match of the home agent. */
bool pmu_xeon_ha_filter(const struct cat_field *f, uint64_t value, struct signal_test *out);
/* Packet match and mask of the QPI link layer. */
void pmu_xeon_qpi_narrow(struct box *b, struct counter *c, const struct cat_event *e);
/* Occupancy selection of the power control unit. */
void pmu_xeon_pcu_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s);

/*
 * `count` functions from base on with ids from id on, or all with the same; per_core: function i
 * exists where core core0 + i does.
 */
struct xeon_function {
	uint8_t bus, base, count;
	bool per_core, same;
	uint8_t core0;
	uint16_t id;
};

#define XEON_DF(dev, fn) ((dev) << 3 | (fn))

/* The functions of a socket beside those that the catalogue has registers for. */
struct xeon_pci {
	const struct xeon_function *function;
	unsigned functions;
	uint16_t bus_id;		/* has the bus numbers of the socket at 0x108 */
	/* Those whose class is not what one would expect: counters without registers in the
	 * catalogue, or counters that call themselves system devices; ends with 0. */
	const uint16_t *odd;
	/* Another dword of function `id` that is not 0; may be NULL. */
	uint32_t (*special)(const struct pmu *p, unsigned socket, uint32_t id, uint32_t offset);
};

/* struct pmu_family_hooks.config for such a map. */
bool pmu_xeon_config(const struct xeon_pci *map, const struct pmu *p, unsigned socket,
		     enum cat_bus bus, uint32_t base, uint32_t offset, uint32_t *value);
/* 3 bits a socket, node n is socket n: what GIDNIDMAP holds. */
uint32_t pmu_xeon_node_map(const struct pmu *p);

#endif
