/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which simulated hardware stands behind the PMU of a family.  A family of the catalogue
 * that is not in the list has its PMU and nothing behind it; so has one without build.
 * Any function may be NULL.
 */
#ifndef BXS_MACHINE_FAMILIES_H
#define BXS_MACHINE_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/spec.h"
#include "xcore/xcore.h"

struct machine;
struct pmu;
struct timing_design;
struct xeon_design;
struct pmu_config;

struct families_entry {
	const char *name;
	uint32_t microcode;		/* revision; 0: none */
	uint8_t energy_unit;		/* of a package: joules over two to the power of; 0: it does not tell */
	const struct timing_design *timing;	/* of its cores */
	struct xcore_config (*caches)(void);	/* of its cores; NULL: those of Haswell */
	const struct xeon_design *xeon;		/* what tells Xeons apart; NULL: it is none */
	/* May hardware be built so?  0 or BXS_EINVAL with a sentence in why. */
	int (*check)(const struct spec *spec, char *why, size_t size);
	/* How many boxes of which type a socket has, where not all of the catalogue's; counters of a logical CPU. */
	void (*boxes)(const struct spec *spec, struct pmu_config *config);
	/* Does the part use what stands behind that box of a socket?  NULL: it does. */
	bool (*uses)(const struct spec *spec, unsigned type, unsigned box);
	/* The clocks that the specification decides, before anything runs.  0 or an enum bxs_err. */
	int (*clocks)(const struct spec *spec, struct pmu *pmu);
	/* Build and wire the hardware of m, whose PMU stands.  0 or an enum bxs_err. */
	int (*build)(struct machine *m);
	void (*release)(struct machine *m);	/* takes a half-built one */
};

/* NULL: no hardware. */
const struct families_entry *families_find(const struct cat_family *family);
int families_check(const struct spec *spec, char *why, size_t size);

#endif
