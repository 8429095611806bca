/* SPDX-License-Identifier: BSD-2-Clause */
/* Mechanisms of Xeons since Sandy Bridge-EP: match registers of links, power control, node numbers, PCI functions. */
#ifndef BXS_PMU_XEON_H
#define BXS_PMU_XEON_H

#include "pmu/ops.h"

/* Packet match and mask of the QPI link layer, for events told apart by packet. */
void pmu_link_narrow(struct box *b, struct counter *c, const struct cat_event *e);
/* Occupancy selection of the power control unit. */
void pmu_occupancy_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s);
/* The registers from which software learns which socket a bus belongs to. */
void pmu_node_ids_restart(struct box *b);

/* 3 bits a socket, node n is socket n: what GIDNIDMAP holds. */
uint32_t pmu_node_map(const struct pmu *p);

/*
 * Dword `offset` of the configuration space of a function of a socket, apart from the registers of boxes (catalog
 * file `pci` of the family); false: the function does not exist.
 */
bool pmu_config(const struct pmu *p, unsigned socket, enum cat_bus bus, uint32_t base, uint32_t offset,
		uint32_t *value);

#endif
