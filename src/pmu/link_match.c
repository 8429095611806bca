/* SPDX-License-Identifier: BSD-2-Clause */
/* Xeons: the match registers of the QPI link layer, the control of power events, node numbers. */
#include <string.h>

#include "pmu/engine.h"
#include "pmu/xeon.h"

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
		const uint64_t *value = b->socket->value + b->slot0 + b->type->reg_slot[r];

		if (ends_with(name, end0))
			word |= value[side];
		else if (ends_with(name, end1))
			word |= value[side] << 32;
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

/* How many pairs of match and mask a port has: one for what it receives, or one each way. */
static unsigned packet_sides(const struct box *b)
{
	const struct cat_type *cat = b->type->cat;
	unsigned r = 0;

	while (r < cat->regs && !ends_with(cat_str(cat_regs[cat->reg0 + r].name), "MASK0"))
		r++;
	return r < cat->regs ? cat_regs[cat->reg0 + r].count : 0;
}

/*
 * HSX 2.9.2.3, SNB-EP 2.7.3.3: counted are the packets that pass a side's match and mask,
 * two when both slots of a clock do.  A side whose mask is 0 is not programmed and passes nothing
 * while another has a mask; when none is, all packets pass.
 */
void pmu_link_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	enum { RECEIVE, SEND };
	unsigned sides = packet_sides(b), alts = 0;
	uint64_t tx = sent_flag(b, e), masks = 0;

	if (!(e->by & CAT_BY_PACKET))
		return;
	for (unsigned side = RECEIVE; side < sides; side++)
		masks |= packet_word(b, "MASK0", "MASK1", side);
	for (unsigned side = RECEIVE; side < sides; side++) {
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

/*
 * HSX 2.8.2.2: bit 7 of the event selects one of the occupancy counters by occ_sel, which stands
 * where other boxes have the top of the mask, and brings its own invert and edge detection.
 */
void pmu_occupancy_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s)
{
	if (!(s->code & 0x80))
		return;
	s->umask = (uint32_t)pmu_bits_get(ctl, t->ctl.occ_sel) << 6;
	s->invert = pmu_bits_get(ctl, t->ctl.occ_invert);
	s->edge = pmu_bits_get(ctl, t->ctl.occ_edge_det);
}

/* Software finds the socket that a bus belongs to by its node. */
void pmu_node_ids_restart(struct box *b)
{
	const struct socket *s = b->socket;

	s->value[pmu_slot_named(b, "CPUNODEID")] = s->number;
	s->value[pmu_slot_named(b, "GIDNIDMAP")] = pmu_node_map(s->pmu);
}
