/* SPDX-License-Identifier: BSD-2-Clause */
/* Haswell-EP: the match registers of the home agent and of the QPI link layer. */
#include <string.h>

#include "pmu/engine.h"
#include "pmu/hsx.h"

/* 2.5.1: the address in two registers, from bit 6 on; class and opcode in a third. */
bool pmu_hsx_ha_filter(const struct cat_field *f, uint64_t value, struct signal_test *out)
{
	const char *name = cat_str(f->name);

	out->kind = SIGNAL_TEST_EQ;
	if (strcmp(name, "lo_addr") == 0) {
		out->tag = SIGNAL_TAG_ADDR;
		out->mask = bits_mask(31, 6);
		out->value = value << 6;
	} else if (strcmp(name, "hi_addr") == 0) {
		out->tag = SIGNAL_TAG_ADDR;
		out->mask = bits_mask(45, 32);
		out->value = value << 32;
	} else {
		out->tag = SIGNAL_TAG_OPC;
		out->mask = bits_low(f->hi - f->lo + 1u);
		out->value = value;
	}
	return true;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

/* Registers END0 and END1 of one side as one word. */
static uint64_t packet_word(const struct box *b, const char *end0, const char *end1, unsigned side)
{
	const struct cat_type *cat = b->type->cat;
	uint64_t word = 0;

	for (unsigned r = 0; r < cat->regs; r++) {
		const char *name = cat_str(cat_regs[cat->reg0 + r].name);
		uint64_t value = b->socket->value[b->slot0 + b->type->reg_slot[r] + side];

		if (ends_with(name, end0))
			word |= value;
		else if (ends_with(name, end1))
			word |= value << 32;
	}
	return word;
}

/* The flag of the event's signal that a packet is sent, not received; 0: there is none. */
static uint64_t sent_flag(const struct box *b, const struct cat_event *e)
{
	const struct cat_signal *s;

	if (e->binding != CAT_BIND_SIGNAL)
		return 0;
	s = &cat_signals[cat_sigtypes[b->type->cat->sigtype].signal0 + e->signal];
	for (unsigned i = 0; i < s->flags; i++)
		if (strcmp(cat_str(cat_flags[s->flag0 + i]), "tx") == 0)
			return UINT64_C(1) << i;
	return 0;
}

/*
 * 2.9.2.3: CTO_COUNT counts the packets that pass a side's match and mask, two when both
 * slots of a clock do.  A side whose mask is 0 is not programmed and passes nothing;
 * when neither is, all packets pass.
 */
void pmu_hsx_qpi_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	enum { RECEIVE, SEND, SIDES };
	uint64_t tx = sent_flag(b, e), masks = 0;
	unsigned alts = 0;

	if (strcmp(cat_str(e->name), "CTO_COUNT") != 0)
		return;
	for (unsigned side = RECEIVE; side < SIDES; side++)
		masks |= packet_word(b, "MASK0", "MASK1", side);
	for (unsigned side = RECEIVE; side < SIDES; side++) {
		uint64_t mask = packet_word(b, "MASK0", "MASK1", side);
		uint64_t match = packet_word(b, "MATCH0", "MATCH1", side);

		if (mask == 0 && masks != 0)
			continue;
		c->test[side] = (struct signal_test){ .kind = SIGNAL_TEST_PACKET, .mask = mask,
						      .value = match & mask };
		c->alt[alts++] = (struct signal_alt){ .care = tx, .want = side == SEND ? tx : 0,
						      .test = &c->test[side], .tests = 1 };
	}
	c->watch.alts = alts;
}
