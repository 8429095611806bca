/* SPDX-License-Identifier: BSD-2-Clause */
/* What a specification decides of an Itanium: threads and clocks. */
#ifndef BXS_MACHINE_ITANIUM_H
#define BXS_MACHINE_ITANIUM_H

#include <stddef.h>

#include "machine/spec.h"

struct pmu;
struct pmu_config;

/* See struct families_entry. */
int itanium_check(const struct spec *spec, char *why, size_t size);
void itanium_boxes(const struct spec *spec, struct pmu_config *config);
int itanium_clocks(const struct spec *spec, struct pmu *pmu);

#endif
