/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is special about Haswell-EP's boxes.  Sections are those of the HSX uncore manual.
 */
#include <string.h>

#include "pmu/hsx.h"
#include "pmu/xeon.h"

#define END { .code = CAT_ABSENT }

/* 2.3.5: NID, or TARGET, narrows the other subevents; IRQ_REJ must not stand beside others. */
static const struct pmu_masks cbo_masks[] = {
	{ .code = 0x11, .alone = 0x02 },	/* RxR_OCCUPANCY */
	{ .code = 0x13, .alone = 0x02 },	/* RxR_INSERTS */
	{ .code = 0x28, .qualifiers = 0x40 },	/* RxR_IPQ_RETRY2 */
	{ .code = 0x29, .qualifiers = 0x40 },	/* RxR_IRQ_RETRY2 */
	{ .code = 0x2a, .qualifiers = 0x40 },	/* RxR_ISMQ_RETRY2 */
	{ .code = 0x32, .qualifiers = 0x40 },	/* RxR_IRQ_RETRY */
	{ .code = 0x33, .qualifiers = 0x40 },	/* RxR_ISMQ_RETRY */
	{ .code = 0x34, .qualifiers = 0x40 },	/* LLC_LOOKUP */
	{ .code = 0x37, .qualifiers = 0x40 },	/* LLC_VICTIMS */
	END
};

/* 2.6.5: cycles in which a rank is so, not ranks. */
static const struct pmu_masks imc_masks[] = {
	{ .code = 0x41, .once = true },		/* POWER_THROTTLE_CYCLES */
	{ .code = 0x83, .once = true },		/* POWER_CKE_CYCLES */
	END
};

/*
 * 2.7.5: a snoop response needs one of the responses and one of the kinds; the source of
 * transactions narrows their kinds and means nothing alone.
 */
static const struct pmu_masks irp_masks[] = {
	{ .code = 0x16, .qualifiers = 0x40, .groups = { 0x3f } },	/* TRANSACTIONS */
	{ .code = 0x17, .groups = { 0x0f, 0x70 } },			/* SNOOP_RESP */
	END
};

/* 2.8.2.1: clocks in which some core, or the package, is in the state. */
static const struct pmu_free pcu_free[] = {
	{ .reg = "CC6_CTR", .event = "POWER_STATE_OCCUPANCY", .umask = 0xc0, .threshold = 1 },
	{ .reg = "CC3_CTR", .event = "POWER_STATE_OCCUPANCY", .umask = 0x80, .threshold = 1 },
	{ .reg = "PC2_CTR", .event = "PKG_RESIDENCY_C2E_CYCLES" },
	{ .reg = "PC3_CTR", .event = "PKG_RESIDENCY_C3_CYCLES" },
	{ .reg = "C6_RESIDENCY", .event = "PKG_RESIDENCY_C6_CYCLES" },
	{ .reg = NULL }
};

/* 2.9.2.4: idle and null flits on the receive side. */
static const struct pmu_free qpi_free[] = {
	{ .reg = "LINK_IDLE", .event = "RxL_FLITS_G0", .umask = 0x01 },
	{ .reg = NULL }
};

static const struct pmu_hooks hooks[] = {
	{ .type = "cbo", .masks = cbo_masks },
	{ .type = "ubox", .fixed_message = 0, .has_fixed_message = true },
	{ .type = "ha", .filter = pmu_xeon_ha_filter },
	{ .type = "imc", .masks = imc_masks },
	{ .type = "irp", .masks = irp_masks },
	{ .type = "pcu", .free = pcu_free, .decode = pmu_xeon_pcu_decode },
	{ .type = "qpi", .free = qpi_free, .narrow = pmu_xeon_qpi_narrow },
	{ .type = NULL }
};

const struct pmu_family_hooks pmu_hsx = {
	.family = "hsx", .hooks = hooks, .config = pmu_hsx_config,
};
