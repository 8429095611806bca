/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of a box: their controls, widths, and the bits that tell of their overflows. */
#include <stdlib.h>

#include "pmu/build_private.h"

static uint8_t message_bit(const struct box *b, unsigned kind)
{
	const struct pmu_type *t = b->type;
	uint32_t bit;

	if (kind == COUNTER_FREE)
		return PMU_NO_BIT;
	if (kind == COUNTER_FIXED && t->cat->fixed_status != CAT_NOBIT)
		return t->cat->fixed_status;
	if (t->cat->status0 == CAT_ABSENT)
		return PMU_NO_BIT;
	bit = cat_numbers[t->cat->status0 + b->index];
	return bit == CAT_ABSENT ? PMU_NO_BIT : (uint8_t)bit;
}

/* A status with one bit more than there are programmed counters has the fixed one's at 0. */
static uint8_t status_bit(const struct pmu_type *t, unsigned kind, unsigned number)
{
	bool fixed_first = t->ov.width > t->cat->counters;

	if (kind == COUNTER_PROGRAMMED)
		return (uint8_t)(t->ov.lo + number + fixed_first);
	return kind == COUNTER_FIXED && fixed_first ? t->ov.lo : PMU_NO_BIT;
}

/* The slot of control i with the given role, or PMU_NO_SLOT. */
static uint32_t control_slot(const struct box *b, enum cat_role role, unsigned number)
{
	const struct cat_type *cat = b->type->cat;

	for (unsigned r = 0; r < cat->regs; r++) {
		const struct cat_reg *reg = &cat_regs[cat->reg0 + r];

		if (reg->role != role)
			continue;
		if (number < reg->count)
			return b->slot0 + b->type->reg_slot[r] + number;
		number -= reg->count;
	}
	return PMU_NO_SLOT;
}

static unsigned counter_kind(const struct cat_reg *r)
{
	switch (r->role) {
	case CAT_CTR: return COUNTER_PROGRAMMED;
	case CAT_FREE: return COUNTER_FREE;
	default: return COUNTER_FIXED;
	}
}

/* Where the controls are numbered, as in Itaniums, events go by the number of the control. */
static uint8_t control_bit(const struct box *b, const struct counter *c)
{
	const struct pmu_slot *s = &b->socket->pmu->by_slot[c->ctl];

	return s->key >> 60 == CAT_PMC ? (uint8_t)s->key : c->number;
}

static void counter_init(struct box *b, struct counter *c, const struct cat_reg *r, uint32_t slot,
			 unsigned number)
{
	static const uint8_t control_of[] = {
		[COUNTER_PROGRAMMED] = CAT_CTL, [COUNTER_FIXED] = CAT_FIXED_CTL,
	};
	struct pmu_bits count = build_bits(r, "event_count");

	c->kind = (uint8_t)counter_kind(r);
	c->number = c->bit = (uint8_t)number;
	c->width = count.width ? count.width : r->width;
	c->ctr = slot;
	c->ctl = c->kind == COUNTER_FREE ? PMU_NO_SLOT :
		 control_slot(b, control_of[c->kind], number);
	if (c->ctl != PMU_NO_SLOT && c->kind == COUNTER_PROGRAMMED)
		c->bit = control_bit(b, c);
	c->status_bit = status_bit(b->type, c->kind, number);
	c->message_bit = message_bit(b, c->kind);
}

int build_counters(struct box *b)
{
	const struct cat_type *cat = b->type->cat;
	unsigned n = 0, number[COUNTER_FREE + 1] = { 0 };

	b->counter = calloc(b->type->counters ? b->type->counters : 1, sizeof *b->counter);
	if (!b->counter)
		return BXS_ENOMEM;
	for (unsigned r = 0; r < cat->regs; r++) {
		const struct cat_reg *reg = &cat_regs[cat->reg0 + r];
		uint32_t slot = b->slot0 + b->type->reg_slot[r];

		if (!build_counts(reg))
			continue;
		for (unsigned i = 0; i < reg->count; i++)
			counter_init(b, &b->counter[n++], reg, slot + i,
				     number[counter_kind(reg)]++);
	}
	return 0;
}
