/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations of each kind of hardware that a family's design can name (catalog/FAMILY/design).  A family without a design has a
 * PMU and no hardware behind it.
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
struct pmu_config;

struct families_entry {
	struct xcore_config (*caches)(void);	/* of its cores */
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

const struct families_entry *families_find(const struct cat_family *family);
/* Can hardware be built to this specification?  0; BXS_EINVAL, or BXS_ENOTSUP if the family has none: with a sentence in why. */
int families_check(const struct spec *spec, char *why, size_t size);

#endif
