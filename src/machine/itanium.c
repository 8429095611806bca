/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An Itanium's PMU: one box "core" for each thread of a socket, threads 2c and 2c + 1 being those
 * of core c.  There is no simulated hardware behind it.
 */
#include "machine/itanium.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "catalog/find.h"
#include "pmu/pmu.h"

enum { THREADS = 2, MOST_CORES = 8 };

int itanium_check(const struct spec *spec, char *why, size_t size)
{
	if (spec->value[SPEC_THREADS] != THREADS) {
		snprintf(why, size, "threads=%" PRIu64 ": a core of %s has %d",
			 spec->value[SPEC_THREADS], cat_str(spec->family->name), THREADS);
		return BXS_EINVAL;
	}
	if (spec->value[SPEC_CORES] <= MOST_CORES)
		return 0;
	snprintf(why, size, "cores=%" PRIu64 ": a socket of %s has at most %d",
		 spec->value[SPEC_CORES], cat_str(spec->family->name), MOST_CORES);
	return BXS_EINVAL;
}

void itanium_boxes(const struct spec *spec, struct pmu_config *config)
{
	const struct cat_type *core = cat_find_type(config->family, "core", 4);

	if (core)
		config->boxes[core - &cat_types[config->family->type0]] =
			(uint16_t)(THREADS * spec->value[SPEC_CORES]);
}

int itanium_clocks(const struct spec *spec, struct pmu *pmu)
{
	int err = 0;

	for (unsigned s = 0; err == 0 && s < spec->value[SPEC_SOCKETS]; s++) {
		err = pmu_clock_change(pmu, s, "core", 0, (uint32_t)spec->value[SPEC_CORE_MHZ] * 1000);
		if (err == 0 && spec->value[SPEC_UCLK_MHZ])
			err = pmu_clock_change(pmu, s, "uclk", 0,
					       (uint32_t)spec->value[SPEC_UCLK_MHZ] * 1000);
	}
	return err;
}
