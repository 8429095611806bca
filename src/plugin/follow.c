/* SPDX-License-Identifier: BSD-2-Clause */
#include "follow.h"

void follow_start(struct follow *k)
{
	for (unsigned i = 0; i < 16; i++)
		k->reg[i] = (struct operand_value){ (uint8_t)i, OPERAND_NONE, 0, 0 };
	k->known = 0xffff;
}

static bool look_up(const struct follow *k, unsigned reg, struct operand_value *out)
{
	if (reg < 16 && !(k->known >> reg & 1))
		return false;
	if (reg < 16)
		*out = k->reg[reg];
	else
		*out = (struct operand_value){ OPERAND_NONE, OPERAND_NONE, 0, 0 };
	return true;
}

/*
 * A sum of two registers in terms of those at the start.  It has room for one register as it
 * is and one shifted.
 */
static bool resolve(const struct follow *k, const struct operand_value *v, uint64_t next,
		    struct operand_value *out)
{
	bool relative = v->base == OPERAND_NEXT;
	struct operand_value base, index;

	if (!look_up(k, relative ? OPERAND_NONE : v->base, &base) || !look_up(k, v->index, &index))
		return false;
	if (index.index != OPERAND_NONE) {
		/* An index that is itself such a sum fits only as it is, beside nothing. */
		if (v->shift || base.base != OPERAND_NONE || base.index != OPERAND_NONE)
			return false;
		*out = index;
		out->disp = (int64_t)((uint64_t)index.disp + (uint64_t)base.disp);
	} else {
		if (index.base != OPERAND_NONE && base.index != OPERAND_NONE)
			return false;
		*out = base;
		if (index.base != OPERAND_NONE) {
			out->index = index.base;
			out->shift = v->shift;
		}
		out->disp = (int64_t)((uint64_t)base.disp + ((uint64_t)index.disp << v->shift));
	}
	out->disp = (int64_t)((uint64_t)out->disp + (uint64_t)v->disp + (relative ? next : 0));
	return true;
}

bool follow_address(const struct follow *k, const struct operand *o, uint64_t next,
		   struct operand_value *out)
{
	return o->bytes && resolve(k, &o->at, next, out);
}

void follow_step(struct follow *k, const struct operand *o, uint64_t next)
{
	struct operand_value value;
	bool sure = o->set < 16 && resolve(k, &o->value, next, &value);

	k->known &= (uint16_t)~o->lost;
	if (o->set >= 16)
		return;
	k->known &= (uint16_t)~(1U << o->set);
	if (sure) {
		k->reg[o->set] = value;
		k->known |= (uint16_t)(1U << o->set);
	}
}
