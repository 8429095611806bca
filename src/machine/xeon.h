/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated hardware of a Xeon: built from a specification, wired to the PMU's ports. */
#ifndef BXS_MACHINE_XEON_H
#define BXS_MACHINE_XEON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/spec.h"

struct machine;
struct pmu;
struct pmu_config;

/* See struct families_entry. */
int xeon_check(const struct spec *spec, char *why, size_t size);
void xeon_boxes(const struct spec *spec, struct pmu_config *config);
bool xeon_uses(const struct spec *spec, unsigned type, unsigned box);
int xeon_clocks(const struct spec *spec, struct pmu *pmu);
int xeon_build(struct machine *m);
void xeon_release(struct machine *m);

#endif
