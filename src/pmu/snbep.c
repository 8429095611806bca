/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is special about Sandy Bridge-EP's boxes.  Sections are those of the E5-2600 uncore manual.
 */
#include "pmu/engine.h"
#include "pmu/snbep.h"
#include "pmu/xeon.h"

#define END { .code = CAT_ABSENT }

enum { LLC_LOOKUP = 0x34, LOOKUP_ANY = 0x10, LOOKUP_ALL = 0x1f };

/* 2.3.4: NID narrows the other subevents; IRQ_REJECTED must not stand beside others. */
static const struct pmu_masks cbo_masks[] = {
	{ .code = 0x11, .alone = 0x02 },	/* RxR_OCCUPANCY */
	{ .code = 0x13, .alone = 0x02 },	/* RxR_INSERTS */
	{ .code = LLC_LOOKUP, .qualifiers = 0x40 },
	{ .code = 0x37, .qualifiers = 0x40 },	/* LLC_VICTIMS */
	END
};

/* 2.5.5: cycles in which a rank is so, not ranks. */
static const struct pmu_masks imc_masks[] = {
	{ .code = 0x41, .once = true },		/* POWER_THROTTLE_CYCLES */
	{ .code = 0x83, .once = true },		/* POWER_CKE_CYCLES */
	END
};

/* 2.6.2: clocks in which some core is in the state. */
static const struct pmu_free pcu_free[] = {
	{ .reg = "C3_CTR", .event = "POWER_STATE_OCCUPANCY", .umask = 0x80, .threshold = 1 },
	{ .reg = "C6_CTR", .event = "POWER_STATE_OCCUPANCY", .umask = 0xc0, .threshold = 1 },
	{ .reg = NULL }
};

/* Bit 4 of a look-up's mask takes every kind, with the other bits of ANY (0x1f) or without. */
static void cbo_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s)
{
	(void)t;
	(void)ctl;
	if (s->code == LLC_LOOKUP && (s->umask & LOOKUP_ANY) && (s->umask & 1))
		s->umask |= LOOKUP_ALL;
}

/* Software finds the socket that a bus belongs to by its node. */
static void ubox_restart(struct box *b)
{
	const struct socket *s = b->socket;

	s->value[pmu_slot_named(b, "CPUNODEID")] = s->number;
	s->value[pmu_slot_named(b, "GIDNIDMAP")] = pmu_xeon_node_map(s->pmu);
}

static const struct pmu_hooks hooks[] = {
	{ .type = "cbo", .masks = cbo_masks, .decode = cbo_decode },
	{ .type = "ubox", .restart = ubox_restart },
	{ .type = "ha", .filter = pmu_xeon_ha_filter },
	{ .type = "imc", .masks = imc_masks },
	{ .type = "pcu", .free = pcu_free, .decode = pmu_xeon_pcu_decode },
	{ .type = "qpi", .narrow = pmu_xeon_qpi_narrow },
	{ .type = NULL }
};

const struct pmu_family_hooks pmu_snbep = {
	.family = "snbep", .hooks = hooks, .config = pmu_snbep_config,
};
