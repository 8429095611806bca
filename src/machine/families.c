/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of families whose machines are more than what the catalogue says. */
#include "machine/families.h"

#include <string.h>

#include "base/bits.h"
#include "machine/itanium.h"
#include "machine/timing.h"
#include "machine/xeon.h"

static const struct families_entry families[] = {
	{ .name = "hsx", .microcode = 0x49, .energy_unit = 14, .timing = &timing_haswell, .xeon = &xeon_haswell, .check = xeon_check,
	  .boxes = xeon_boxes, .uses = xeon_uses, .clocks = xeon_clocks, .build = xeon_build,
	  .release = xeon_release },
	{ .name = "nhmex", .microcode = 0xd, .timing = &timing_nehalem, .xeon = &xeon_nehalem_ex,
	  .check = xeon_check, .boxes = xeon_boxes, .uses = xeon_uses, .clocks = xeon_clocks, .build = xeon_build,
	  .release = xeon_release },
	{ .name = "snbep", .microcode = 0x71a, .energy_unit = 16, .timing = &timing_sandy_bridge, .xeon = &xeon_sandy_bridge,
	  .check = xeon_check, .boxes = xeon_boxes, .uses = xeon_uses, .clocks = xeon_clocks, .build = xeon_build,
	  .release = xeon_release },
	{ .name = "poulson", .timing = &timing_poulson, .caches = xcore_poulson, .check = itanium_check, .boxes = itanium_boxes,
	  .clocks = itanium_clocks, .build = itanium_build, .release = itanium_release },
};

const struct families_entry *families_find(const struct cat_family *family)
{
	for (size_t i = 0; i < LEN(families); i++)
		if (strcmp(families[i].name, cat_str(family->name)) == 0)
			return &families[i];
	return NULL;
}

int families_check(const struct spec *spec, char *why, size_t size)
{
	const struct families_entry *f = families_find(spec->family);

	return f && f->check ? f->check(spec, why, size) : 0;
}
