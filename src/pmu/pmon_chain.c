/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nehalem-EX, section 2.1: the enable of each counter, box and of all; the way of an overflow
 * to the U-Box, freeze and interrupt.
 */
#include "pmu/pmon_chain.h"

enum {
	FRZ_ALL = 31, RST_ALL = 29, EN_ALL = 28, CORE_HI = 4, CORE_LO = 1,	/* GLOBAL_CTL */
	COND = 31, PMI = 30,		/* GLOBAL_STATUS */
	FIXED = 31,			/* the fixed counter in the registers of the W-Box */
	WRAP = 6,			/* M_MSR_PMU_CNT_CTL */
};

static unsigned bit_of(const struct counter *c)
{
	return c->kind == COUNTER_FIXED ? FIXED : c->number;
}

/* Of the U-Box the global control holds the enable of its one counter, too. */
bool pmon_chain_runs(const struct box *b, const struct counter *c)
{
	return b->socket->value[pmu_slot_named(b, "_GLOBAL_CTL")] >> bit_of(c) & 1;
}

static void follow_global(struct socket *s)
{
	uint64_t ctl = s->value[s->pmu->global_ctl];

	s->frozen = !(ctl >> EN_ALL & 1) || (ctl >> RST_ALL & 1);
}

void pmon_chain_restart(struct box *b)
{
	follow_global(b->socket);
}

static void reset_counters(struct socket *s)
{
	for (unsigned i = 0; i < s->pmu->told; i++) {
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
	for (unsigned i = 0; i < s->pmu->told; i++) {
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

void pmon_chain_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written)
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

void pmon_chain_overflowed(struct box *b, struct counter *c, uint64_t when)
{
	if (c->kind == COUNTER_FREE)
		return;
	record(b, c);
	if (c->ov_en)
		interrupt(b->socket, when);
}

/* The control of a counter (M_MSR_PMU_CNT_CTL) says whether it wraps; one that does not stops. */
void pmon_chain_wrap_overflowed(struct box *b, struct counter *c, uint64_t when)
{
	if (c->kind != COUNTER_FREE && !(b->socket->value[c->ctl] >> WRAP & 1))
		c->held = true;
	pmon_chain_overflowed(b, c, when);
}
