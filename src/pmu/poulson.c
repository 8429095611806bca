/* SPDX-License-Identifier: BSD-2-Clause */
/* What is special about the boxes of Itanium 9500, by type. */
#include <string.h>

#include "pmu/poulson.h"
#include "pmu/poulson_core.h"

#define SHARED \
	.runs = poulson_runs, .restart = poulson_restart, .shown = poulson_shown

/* 5.7.4: clocks in which some queue of the chosen Cboxes is full, or not empty, are told by or. */
static const struct pmu_masks sbox_masks[] = {
	{ .code = 0x03, .once = true }, { .code = 0x06, .once = true }, { .code = 0x0e, .once = true },
	{ .code = 0x0f, .once = true }, { .code = 0x11, .once = true }, { .code = 0x12, .once = true },
	{ .code = 0x14, .once = true }, { .code = 0x15, .once = true }, { .code = 0x20, .once = true },
	{ .code = 0x23, .once = true }, { .code = 0x27, .once = true }, { .code = 0x28, .once = true },
	{ .code = 0x2a, .once = true }, { .code = 0x2c, .once = true },
	{ .code = CAT_ABSENT }
};

/* 5.9.7: both channels of a controller may tell of these clocks. */
static const struct pmu_masks zbox_masks[] = {
	{ .code = 0x11, .once = true },		/* CYC_PGT_STATE */
	{ .code = 0x20, .once = true },		/* CYCLES_DSP_FILL */
	{ .code = 0x24, .once = true },		/* CYCLES_SCHED_MODE */
	{ .code = CAT_ABSENT }
};

static const struct pmu_hooks hooks[] = {
	{ .type = "core", .decode = core_decode, .narrow = core_narrow, .init = core_init,
	  .release = core_release, .restart = core_restart, .wrote = core_wrote,
	  .shown = core_shown, .undefined = core_undefined, .raise = core_raise,
	  .overflowed = core_overflowed },
	{ .type = "ubox", SHARED, .wrote = poulson_wrote, .overflowed = poulson_overflowed },
	{ .type = "bbox", SHARED, .wrote = poulson_bbox_wrote, .overflowed = poulson_overflowed,
	  .sum = poulson_bbox_sum, .narrow = poulson_bbox_narrow, .widens = poulson_bbox_widens },
	{ .type = "cbox", SHARED, .wrote = poulson_wrote, .overflowed = poulson_overflowed },
	{ .type = "rbox", SHARED, .wrote = poulson_wrote, .overflowed = poulson_overflowed,
	  .decode = poulson_rbox_decode, .element = poulson_rbox_element,
	  .narrow = poulson_rbox_narrow, .widens = poulson_rbox_widens,
	  .tell = poulson_rbox_tell },
	{ .type = "sbox", SHARED, .masks = sbox_masks, .wrote = poulson_sbox_wrote, .overflowed = poulson_overflowed,
	  .locked = poulson_sbox_locked, .narrow = poulson_sbox_narrow,
	  .tell = poulson_sbox_tell },
	{ .type = "wbox", SHARED, .wrote = poulson_wrote, .overflowed = poulson_overflowed,
	  .clocks_unmet = true },
	{ .type = "zbox", SHARED, .masks = zbox_masks, .wrote = poulson_zbox_wrote,
	  .overflowed = poulson_zbox_overflowed, .narrow = poulson_zbox_narrow,
	  .widens = poulson_zbox_widens },
	{ .type = NULL }
};

const struct pmu_family_hooks pmu_poulson = {
	.family = "poulson", .hooks = hooks, .tell = core_tell,
};
