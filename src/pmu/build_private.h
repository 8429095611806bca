/* SPDX-License-Identifier: BSD-2-Clause */
/* A PMU being built: for build*.c only. */
#ifndef BXS_PMU_BUILD_PRIVATE_H
#define BXS_PMU_BUILD_PRIVATE_H

#include "pmu/engine.h"

/* The bits of the register's field that all families call `as`; width 0: it has none. */
struct pmu_bits build_bits(const struct cat_reg *r, const char *as);
/* Is the register a counter? */
bool build_counts(const struct cat_reg *r);

/* The counters of a box that has its type and slots, out of reset.  0 or BXS_ENOMEM. */
int build_counters(struct box *b);

#endif
