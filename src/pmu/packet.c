/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of packets, and one more test for what a counter takes already. */
#include "pmu/packet.h"

enum { CLASSES = 5, NONE = -1, TESTS = 5, LAST = 4 /* tests that pmu_also() has room for */ };

/*
 * Itanium 9500, table 5-73: the opcode of each bit, by class, in the order of the bits of
 * `classes`; IntAck has the opcode that the order of the table suggests.
 */
static const struct {
	uint8_t mc;
	int8_t opcode[11];
} classes[CLASSES] = {
	{ 0x0, { 0x1, 0x2, 0x4, 0x8, NONE, 0xc, NONE, 0xf, 0x5, 0x6, NONE } },	/* HOM0 */
	{ 0x1, { 0x0, 0x1, 0x4, 0x9, 0xa, 0xb, 0xc, 0xd, 0xe, 0x8, NONE } },	/* HOM1 */
	{ 0x2, { NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE } },
	{ 0x4, { 0x0, 0x1, NONE, 0x4, 0x5, NONE, 0x7, 0x9, NONE, 0xb, NONE } },	/* NCS */
	{ 0xc, { NONE, 0x1, 0x8, 0x9, 0xa, NONE, 0xc, 0xd, 0xf, NONE, NONE } },	/* NCB */
};

/* Requests whose answer is data: RdCode, RdData, RdInvOwn. */
static const uint16_t reads = 1u << 0x1 | 1u << 0x2 | 1u << 0x4;

void pmu_also(struct counter *c, struct signal_test test)
{
	struct signal_test *t = &c->test[PMU_TESTS - LAST];
	unsigned n = c->watch.alts ? c->alt[0].tests : 0;

	t[n] = test;
	for (unsigned i = 0; i < c->watch.alts; i++) {
		c->alt[i].test = t;
		c->alt[i].tests = n + 1;
	}
}

/* The opcodes of class k that the filter takes, a bit each. */
static uint16_t opcodes(unsigned k, uint16_t bits)
{
	uint16_t got = 0;

	if (bits == 0)
		return UINT16_MAX;
	for (unsigned i = 0; i < LEN(classes[k].opcode); i++)
		if ((bits >> i & 1) && classes[k].opcode[i] != NONE)
			got |= (uint16_t)(1u << classes[k].opcode[i]);
	return got;
}

/* State numbers of a tag (I S E M) for the bits of resp (8 S, 4 E, 2 M, 1 I); none: all. */
static uint64_t states_of(uint64_t resp)
{
	return resp ? (resp & 1) | (resp >> 3 & 1) << 1 | (resp >> 2 & 1) << 2 | (resp >> 1 & 1) << 3 :
		      UINT64_MAX;
}

/* One more alternative: packets of a class with these opcodes, data in these states. */
static void add(struct counter *c, unsigned mc, uint16_t opcode, uint64_t states,
		const struct packet_filter *f)
{
	struct signal_test *t = &c->test[c->watch.alts * TESTS];

	if (!opcode)
		return;
	t[0] = (struct signal_test){ .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_ADDR,
				     .mask = f->line_mask, .value = f->line & f->line_mask };
	t[1] = (struct signal_test){ .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_NID,
				     .mask = f->node_mask, .value = f->node & f->node_mask };
	t[2] = (struct signal_test){ .kind = SIGNAL_TEST_PACKET_BIT, .value = UINT64_C(1) << mc,
				     .shift = PACKET_MC, .mask = bits_low(PACKET_MC_BITS) };
	t[3] = (struct signal_test){ .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_OPC,
				     .value = opcode };
	t[4] = (struct signal_test){ .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_STATE,
				     .value = states };
	c->alt[c->watch.alts++] = (struct signal_alt){ .test = t, .tests = TESTS };
}

void packet_filter(struct counter *c, const struct packet_filter *f)
{
	c->watch.alts = 0;
	for (unsigned k = 0; k < CLASSES; k++) {
		uint16_t any = opcodes(k, f->opcodes), data = k == 0 ? any & reads : 0;

		if (f->classes && !(f->classes >> k & 1))
			continue;
		add(c, classes[k].mc, data, states_of(f->resp), f);
		add(c, classes[k].mc, any & (uint16_t)~data, UINT64_MAX, f);
	}
}

bool packet_match(struct counter *c, uint64_t cfg, uint64_t match, uint64_t mask)
{
	enum { HEADER = 1 };
	bool place = bits_get(cfg, 20, 20) || bits_get(cfg, 19, 16) == HEADER;

	/* Headers have nothing in bits 71:64. */
	if (!place || (bits_get(cfg, 7, 0) & bits_get(cfg, 15, 8))) {
		c->watch.alts = 0;
		return false;
	}
	c->alt[0] = (struct signal_alt){ .test = c->test };
	c->watch.alts = 1;
	pmu_also(c, (struct signal_test){ .kind = SIGNAL_TEST_PACKET, .mask = mask,
					  .value = match & mask });
	return true;
}
