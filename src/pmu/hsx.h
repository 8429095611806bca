/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of Haswell-EP that have a file of their own. */
#ifndef BXS_PMU_HSX_H
#define BXS_PMU_HSX_H

#include "pmu/hooks.h"

/* Address and opcode match of the home agent. */
bool pmu_hsx_ha_filter(const struct cat_field *f, uint64_t value, struct signal_test *out);
/* Packet match and mask of the QPI link layer. */
void pmu_hsx_qpi_narrow(struct box *b, struct counter *c, const struct cat_event *e);
/* Configuration space around the counters. */
bool pmu_hsx_config(const struct pmu *p, unsigned socket, enum cat_bus bus, uint32_t base,
		    uint32_t offset, uint32_t *value);

#endif
