/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks of Sandy Bridge-EP that have a file of their own. */
#ifndef BXS_PMU_SNBEP_H
#define BXS_PMU_SNBEP_H

#include "pmu/hooks.h"

/* Configuration space around the counters. */
bool pmu_snbep_config(const struct pmu *p, unsigned socket, enum cat_bus bus, uint32_t base,
		      uint32_t offset, uint32_t *value);

#endif
