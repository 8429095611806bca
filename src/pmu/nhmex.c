/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nehalem-EX, section 2.1: the enable of each counter, box and of all; the way of an overflow
 * to the U-Box, freeze and interrupt.
 */
#include <stdlib.h>
#include <string.h>

#include "pmu/nhmex.h"

enum {
	FRZ_ALL = 31, RST_ALL = 29, EN_ALL = 28, CORE_HI = 4, CORE_LO = 1,	/* GLOBAL_CTL */
	COND = 31, PMI = 30,		/* GLOBAL_STATUS */
	FIXED = 31,			/* the fixed counter in the registers of the W-Box */
	WRAP = 6,			/* M_MSR_PMU_CNT_CTL */
};

static bool is_type(const struct box *b, const char *type)
{
	return strcmp(cat_str(b->type->cat->name), type) == 0;
}

static unsigned bit_of(const struct counter *c)
{
	return c->kind == COUNTER_FIXED ? FIXED : c->number;
}

/* Of the U-Box the global control holds the enable of its one counter, too. */
static bool runs(const struct box *b, const struct counter *c)
{
	return b->socket->value[pmu_slot_named(b, "_GLOBAL_CTL")] >> bit_of(c) & 1;
}

static void follow_global(struct socket *s)
{
	uint64_t ctl = s->value[s->pmu->global_ctl];

	s->frozen = !(ctl >> EN_ALL & 1) || (ctl >> RST_ALL & 1);
}

static void restart(struct box *b)
{
	if (is_type(b, "ubox"))
		follow_global(b->socket);
}

static void reset_counters(struct socket *s)
{
	for (unsigned i = 0; i < s->pmu->boxes; i++) {
		struct box *b = &s->box[i];

		for (unsigned c = 0; c < b->type->counters; c++) {
			if (b->counter[c].kind == COUNTER_FREE)
				continue;
			b->counter[c].value = 0;
			b->counter[c].held = false;
		}
	}
}

/* Is an overflow recorded in some box that the global status sums up in this bit? */
static bool recorded(const struct socket *s, uint64_t bit)
{
	for (unsigned i = 0; i < s->pmu->boxes; i++) {
		const struct box *b = &s->box[i];

		if (b->type->status_slot == PMU_NO_SLOT || b->counter[0].message_bit == PMU_NO_BIT)
			continue;
		if (UINT64_C(1) << b->counter[0].message_bit == bit &&
		    s->value[b->slot0 + b->type->status_slot])
			return true;
	}
	return false;
}

/* 2.1.4: a cleared overflow goes from all that sums it up. */
static void wrote_clear(struct box *b)
{
	struct socket *s = b->socket;
	uint64_t bit;

	if (b->type->status_slot == PMU_NO_SLOT || b->counter[0].message_bit == PMU_NO_BIT)
		return;
	bit = UINT64_C(1) << b->counter[0].message_bit;
	if (!recorded(s, bit))
		s->value[s->pmu->global_status] &= ~bit;
}

static void wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written)
{
	const struct cat_reg *r = &cat_regs[b->socket->pmu->by_slot[slot].reg];
	struct counter *c = pmu_counter_of(b, slot);

	(void)old;
	switch (r->role) {
	case CAT_GLOBAL_CTL:
		if (written >> RST_ALL & 1)
			reset_counters(b->socket);
		follow_global(b->socket);
		pmu_bind_all(b);
		break;
	case CAT_BOX_CTL:
		pmu_bind_all(b);
		break;
	case CAT_OVF_CTL:
		wrote_clear(b);
		break;
	default:
		/* A counter that has stopped at its overflow starts again from what is written. */
		if (c && c->held) {
			c->held = false;
			c->value = written & bits_low(c->width);
		}
	}
}

static void record(struct box *b, const struct counter *c)
{
	struct socket *s = b->socket;

	if (b->type->status_slot != PMU_NO_SLOT)
		s->value[b->slot0 + b->type->status_slot] |= UINT64_C(1) << bit_of(c);
	if (c->message_bit != PMU_NO_BIT)
		s->value[s->pmu->global_status] |= UINT64_C(1) << COND |
						   UINT64_C(1) << c->message_bit;
}

/* Has another overflow of this moment interrupted already? */
static bool pushed(const struct socket *s, uint64_t when)
{
	for (unsigned i = s->pmu->interrupts; i-- > 0 && s->pmu->interrupt[i].when == when;)
		if (s->pmu->interrupt[i].socket == s->number)
			return true;
	return false;
}

/* 2.1.1: the interrupt goes to one core, and stops all counters if frz_all says so. */
static void interrupt(struct socket *s, uint64_t when)
{
	uint64_t *ctl = &s->value[s->pmu->global_ctl];
	unsigned core = (unsigned)bits_get(*ctl, CORE_HI, CORE_LO);
	struct pmu_interrupt one = { .when = when, .socket = s->number,
				     .cores = UINT64_C(1) << core };

	s->value[s->pmu->global_status] |= UINT64_C(1) << PMI;
	if (*ctl >> FRZ_ALL & 1) {
		*ctl &= ~(UINT64_C(1) << EN_ALL);
		follow_global(s);
	}
	if (core < s->pmu->cores && !pushed(s, when))
		pmu_interrupt_push(s->pmu, &one);
}

static void overflowed(struct box *b, struct counter *c, uint64_t when)
{
	if (c->kind == COUNTER_FREE)
		return;
	record(b, c);
	if (is_type(b, "mbox") && !(b->socket->value[c->ctl] >> WRAP & 1))
		c->held = true;
	if (c->ov_en)
		interrupt(b->socket, when);
}

/* Events that count overflows of a sum inside the box: key scale of the event. */
static bool sum(const struct box *b, const struct counter *c, const struct cat_event *e,
		struct pmu_sum *out)
{
	const char *scale = strstr(cat_str(e->keys), "scale=");

	(void)b;
	(void)c;
	if (!scale)
		return false;
	*out = (struct pmu_sum){
		.slot = PMU_NO_SLOT,
		.bits = (uint8_t)__builtin_ctzl(strtoul(scale + strlen("scale="), NULL, 10)),
	};
	return true;
}

#define END { .code = CAT_ABSENT }

/* 2.5.6: any of the chosen queues. */
static const struct pmu_masks sbox_masks[] = {
	{ .code = 0x03, .once = true },		/* TO_R_B_HOM_MSGQ_CYCLES_FULL */
	{ .code = 0x06, .once = true },		/* TO_R_B_HOM_MSGQ_CYCLES_NE */
	{ .code = 0x0e, .once = true },		/* TO_R_DRS_MSGQ_CYCLES_FULL */
	{ .code = 0x0f, .once = true },		/* TO_R_DRS_MSGQ_CYCLES_NE */
	{ .code = 0x11, .once = true },		/* TO_R_NCB_MSGQ_CYCLES_FULL */
	{ .code = 0x12, .once = true },		/* TO_R_NCB_MSGQ_CYCLES_NE */
	{ .code = 0x14, .once = true },		/* TO_R_NCS_MSGQ_CYCLES_FULL */
	{ .code = 0x15, .once = true },		/* TO_R_NCS_MSGQ_CYCLES_NE */
	END
};

/* 2.7.7: clocks in which it is so, of either pair of links. */
static const struct pmu_masks mbox_masks[] = {
	{ .code = 0x00, .ext = 1, .once = true },	/* CYCLES_DSP_FILL */
	{ .code = 0x01, .ext = 1, .once = true },	/* CYCLES_SCHED_MODE */
	{ .code = 0x05, .ext = 1, .once = true },	/* CYCLES_PGT_STATE */
	{ .code = 0x06, .ext = 1, .once = true },	/* BCMD_SCHEDQ_OCCUPANCY */
	END
};

#define SHARED \
	.runs = runs, .restart = restart, .wrote = wrote, \
	.overflowed = overflowed

/* 2.8.5: the timestamp of the M-Box steps with its clock. */
static const struct pmu_free mbox_free[] = {
	{ .reg = "_TIMESTAMP_UNIT", .event = "MBOX_CLOCKTICKS" },
	{ .reg = NULL }
};

static const struct pmu_hooks hooks[] = {
	{ .type = "ubox", SHARED },
	{ .type = "wbox", SHARED },
	{ .type = "cbox", SHARED },
	{ .type = "sbox", SHARED, .masks = sbox_masks, .narrow = nhmex_sbox_narrow },
	{ .type = "bbox", SHARED, .narrow = nhmex_bbox_narrow, .sum = sum },
	{ .type = "mbox", SHARED, .masks = mbox_masks, .free = mbox_free, .narrow = nhmex_mbox_narrow },
	{ .type = "rbox", SHARED, .by_signal = true, .element = nhmex_rbox_element,
	  .narrow = nhmex_rbox_narrow },
	{ .type = NULL }
};

const struct pmu_family_hooks pmu_nhmex = { .family = "nhmex", .hooks = hooks };
