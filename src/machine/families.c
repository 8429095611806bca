/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of hardware that a family's design can name. */
#include "machine/families.h"

#include "base/complain.h"
#include "base/error.h"
#include "catalog/product.h"
#include "machine/itanium.h"
#include "machine/xeon.h"

static const struct families_entry kinds[] = {
	[CAT_HARDWARE_XEON] = {
		.caches = xcore_haswell, .check = xeon_check, .boxes = xeon_boxes, .uses = xeon_uses, .clocks = xeon_clocks,
		.build = xeon_build, .release = xeon_release,
	},
	[CAT_HARDWARE_ITANIUM] = {
		.caches = xcore_poulson, .check = itanium_check, .boxes = itanium_boxes, .clocks = itanium_clocks,
		.build = itanium_build, .release = itanium_release,
	},
};

const struct families_entry *families_find(const struct cat_family *family)
{
	return &kinds[cat_design_of(family)->hardware];
}

int families_check(const struct spec *spec, char *why, size_t size)
{
	const struct complaint c = { why, size };
	const struct families_entry *f = families_find(spec->family);

	if (!f->build)
		return complain(&c, BXS_ENOTSUP, "%s: no machine can be built of it, since its catalogue has no design",
				cat_str(spec->family->name));
	return f->check(spec, why, size);
}
