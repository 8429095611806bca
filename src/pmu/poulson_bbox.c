/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500, section 5.4, the home agent: sums of queues of which a counter sees the
 * overflows, filters by message class and opcode, watermarks, the directory cache's matches.
 */
#include "pmu/packet.h"
#include "pmu/poulson.h"

enum {
	OV = 48,			/* of a counter */
};

/* A register with a bit for each opcode, tag opc. */
static void by_opcode(struct counter *c, uint64_t opcodes)
{
	pmu_also(c, (struct signal_test){ .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_OPC,
				      .value = opcodes });
}

/* One with a bit for each message class, tag mc. */
static void by_class(struct counter *c, uint64_t classes)
{
	/* NCB is class 12, but has bit 11 in the manual's list: either takes it. */
	classes |= (classes >> 11 & 1) << 12;
	pmu_also(c, (struct signal_test){ .kind = SIGNAL_TEST_PACKET_BIT, .value = classes,
				      .shift = PACKET_MC, .mask = bits_low(PACKET_MC_BITS) });
}

/* A clock counts when the level told is at least the mark; or at most, which is below mark + 1. */
static void by_mark(struct counter *c, uint64_t mark, bool at_least)
{
	/* Everything is at least 0, and below more than any queue holds. */
	if (at_least && mark == 0) {
		at_least = false;
		mark = UINT16_MAX - 1;
	}
	c->watch.chain.invert = !at_least;
	c->watch.chain.threshold = (uint16_t)(at_least ? mark : mark + 1);
}

/* Input packets: without leave neither write-back data nor conflict acknowledges. */
static void by_input(struct counter *c, uint64_t ctl0, uint64_t classes, uint64_t opcodes)
{
	enum { HOM0 = 1 << 0, DRS = 1 << 14 };
	enum { ACK_CNFLT = 1 << 0xf, WRITE_BACKS = 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 0xa };
	const uint64_t part[][2] = {
		{ classes & ~(uint64_t)(HOM0 | DRS), opcodes },
		{ classes & HOM0, bits_get(ctl0, 15, 15) ? opcodes : opcodes & ~(uint64_t)ACK_CNFLT },
		{ classes & DRS, bits_get(ctl0, 14, 14) ? opcodes : opcodes & ~(uint64_t)WRITE_BACKS },
	};
	struct signal_alt base = c->alt[0];

	if (c->watch.alts == 0)
		return;
	for (unsigned i = 0; i < LEN(part); i++) {
		c->watch.alts = 1;
		c->alt[0] = base;
		c->alt[0].tests = 0;
		by_class(c, part[i][0]);
		by_opcode(c, part[i][1]);
		/* pmu_also() has one place for its tests; each part gets its own. */
		c->test[2 * i] = c->alt[0].test[0];
		c->test[2 * i + 1] = c->alt[0].test[1];
		c->alt[1 + i] = c->alt[0];
		c->alt[1 + i].test = &c->test[2 * i];
	}
	for (unsigned i = 0; i < LEN(part); i++)
		c->alt[i] = c->alt[1 + i];
	c->watch.alts = LEN(part);
}

static void narrow_iob(struct counter *c, uint32_t by, uint64_t ctl0, uint64_t ctl2, uint64_t ctl3)
{
	enum { SNOOPS = 2 };

	/* Snoops have neither class nor opcode to go by. */
	if ((by & CAT_BY_SNOOPS) && bits_get(ctl2, 19, 18) == SNOOPS)
		return;
	if (by & CAT_BY_OUT) {
		by_class(c, bits_get(ctl3, 47, 32));
		by_opcode(c, bits_get(ctl3, 63, 48));
	} else {
		by_input(c, ctl0, bits_get(ctl3, 15, 0), bits_get(ctl3, 31, 16));
	}
}

static void narrow_dc(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t mark = *poulson_value(b, "_DC_PERF_WMARK");
	/* The field of the event is the one that its subevents need. */
	const struct cat_field *f = &cat_fields[cat_needs[cat_umasks[e->umask0].need0].field];
	unsigned select = (unsigned)bits_get(*poulson_value(b, "_DC_PERF_CTL0"), f->hi, f->lo);

	/* The first selections and the second look-up of a read go by opcode. */
	if (select <= 6 || select == 0xa)
		by_opcode(c, *poulson_value(b, "_DC_PERF_CTL1"));
	if (select == 3)
		by_mark(c, bits_get(mark, 5, 0), bits_get(mark, 6, 6));
	if (select == 6 || select == 0xa) {
		uint64_t mask = ~*poulson_value(b, "_DC_PERF_MASK_RD") & bits_mask(36, 0);

		pmu_also(c, (struct signal_test){
			.kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_ADDR, .mask = mask,
			.value = *poulson_value(b, "_DC_PERF_MATCH_RD") & mask });
	}
	if (select == 7 || select == 0xc) {
		unsigned set = select == 0xc;
		uint64_t mask = ~poulson_value(b, "_MASK_WR{1,2}")[set] & bits_mask(36, 0);

		pmu_also(c, (struct signal_test){
			.kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_ADDR, .mask = mask,
			.value = poulson_value(b, "_MATCH_WR{1,2}")[set] & mask });
	}
}

void poulson_bbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t ctl2 = *poulson_value(b, "_PERF_CTL2"), ctl3 = *poulson_value(b, "_PERF_CTL3");

	if (e->by & CAT_BY_DIRECTORY)
		narrow_dc(b, c, e);
	else if (e->by & CAT_BY_CLASS)
		narrow_iob(c, e->by, *poulson_value(b, "CSR_PERF_CTL0"), ctl2, ctl3);
	else if (e->by & CAT_BY_OPCODE)
		by_opcode(c, bits_get(ctl2, 39, 24));
	if (!(e->by & CAT_BY_MARK))
		return;
	/* What goes by opcode as well is of the memory interface, with a mark of its own. */
	if (e->by & CAT_BY_OPCODE)
		by_mark(c, bits_get(ctl2, 45, 40), bits_get(ctl2, 46, 46));
	else
		by_mark(c, bits_get(ctl2, 17, 12), true);
}

/* The hardware forgets what it holds in a live count: the levels start again from nothing. */
static void forget_live(struct box *b, const char *reg)
{
	uint32_t slot = pmu_slot_named(b, reg);

	for (unsigned i = 0; i < b->type->counters; i++) {
		struct counter *c = &b->counter[i];

		if (c->sum.bits && c->sum.slot == slot)
			c->watch.level = 0;
	}
}

static void wrote_sum(struct box *b, uint32_t slot)
{
	for (unsigned i = 0; i < b->type->counters; i++) {
		struct counter *c = &b->counter[i];

		if (c->sum.bits && c->sum.slot == slot)
			c->rest = pmu_bits_get(b->socket->value[slot], c->sum.rest) &
				  bits_low(c->sum.bits);
	}
}

void poulson_bbox_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written)
{
	struct counter *c = pmu_counter_of(b, slot);

	if (c) {
		bool ov = written >> OV & 1;

		b->socket->value[slot] = 0;
		/* Setting the bit by hand is an overflow like any other. */
		if (ov)
			poulson_overflowed(b, c, b->socket->pmu->now);
		return;
	}
	/* A filter of the box starts its events anew; some also clear what lives in the box. */
	wrote_sum(b, slot);
	if (slot == pmu_slot_named(b, "_PERF_CTL3"))
		forget_live(b, "_IOB_PERF_CNT");
	if (slot == pmu_slot_named(b, "_DC_PERF_CTL1"))
		forget_live(b, "_DC_PERF_CNT");
	if (slot == pmu_slot_named(b, "_PERF_CTL2") && bits_get(old ^ written, 39, 24))
		forget_live(b, "_BZ_PERF_CNT");
	poulson_wrote(b, slot, old, written);
}
