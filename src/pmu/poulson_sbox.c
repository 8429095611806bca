/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500, section 5.7, the bridge between ring and router: the filter of packets to the
 * router, tallies of queues, and the event address register of requests (QEAR).
 */
#include <string.h>

#include "pmu/poulson.h"

enum {
	MM_EN = 63, RESET_OCC_CNT = 17,
	MC_LO = 9, MC_BITS = 4,		/* of a packet */
	CLASSES = 5,
	NONE = -1,
};

/*
 * Table 5-73: the opcode of each bit of S_CSR_MATCH2, by class, in the order of the bits of
 * S_CSR_MATCH.mc; IntAck has the opcode that the order of the table suggests.
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

/* The opcodes of class k that the filter takes, a bit each. */
static uint16_t opcodes(unsigned k, uint64_t match2)
{
	uint16_t got = 0;

	if (bits_get(match2, 10, 0) == 0)
		return UINT16_MAX;
	for (unsigned i = 0; i < LEN(classes[k].opcode); i++)
		if ((match2 >> i & 1) && classes[k].opcode[i] != NONE)
			got |= (uint16_t)(1u << classes[k].opcode[i]);
	return got;
}

bool poulson_sbox_locked(const struct box *b, uint32_t slot)
{
	return *poulson_value(b, "_MM_CFG") >> MM_EN &&
	       (slot == pmu_slot_named(b, "_CSR_MATCH") || slot == pmu_slot_named(b, "_MATCH2") ||
		slot == pmu_slot_named(b, "_CSR_MASK"));
}

/* One more alternative: packets of a class with these opcodes, data in these states. */
static void add(struct counter *c, unsigned mc, uint16_t opcode, uint64_t states,
		const struct signal_test *shared)
{
	struct signal_test *t = &c->test[c->watch.alts * 5];

	if (!opcode)
		return;
	t[0] = shared[0];
	t[1] = shared[1];
	t[2] = (struct signal_test){ .kind = SIGNAL_TEST_PACKET_BIT, .value = UINT64_C(1) << mc,
				     .shift = MC_LO, .mask = bits_low(MC_BITS) };
	t[3] = (struct signal_test){ .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_OPC,
				     .value = opcode };
	t[4] = (struct signal_test){ .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_STATE,
				     .value = states };
	c->alt[c->watch.alts++] = (struct signal_alt){ .test = t, .tests = 5 };
}

/* State numbers of a tag (I S E M) for the bits of resp (8 S, 4 E, 2 M, 1 I); none: all. */
static uint64_t states_of(uint64_t resp)
{
	return resp ? (resp & 1) | (resp >> 3 & 1) << 1 | (resp >> 2 & 1) << 2 | (resp >> 1 & 1) << 3 :
		      UINT64_MAX;
}

void poulson_sbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t match = *poulson_value(b, "_CSR_MATCH"), match2 = *poulson_value(b, "_MATCH2");
	uint64_t mask = *poulson_value(b, "_CSR_MASK");
	uint64_t line = ~bits_get(mask, 44, 1) << 6 & bits_mask(49, 6);
	uint64_t node = mask & 1 ? 0 : bits_low(10);
	uint64_t resp = states_of(bits_get(match, 62, 59)), mc = bits_get(match, 58, 54);
	const struct signal_test shared[] = {
		{ .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_ADDR, .mask = line,
		  .value = bits_get(match, 53, 10) << 6 & line },
		{ .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_NID, .mask = node,
		  .value = match & node },
	};

	if (strcmp(cat_str(e->name), "TO_R_PROG_EV") != 0)
		return;
	c->watch.alts = 0;
	for (unsigned k = 0; k < CLASSES; k++) {
		uint16_t any = opcodes(k, match2), data = k == 0 ? any & reads : 0;

		if (mc && !(mc >> k & 1))
			continue;
		add(c, classes[k].mc, data, resp, shared);
		add(c, classes[k].mc, any & (uint16_t)~data, UINT64_MAX, shared);
	}
}

/* The shift register that picks one request of eight: where it is after so many clocks. */
static bool let_go(uint64_t clocks)
{
	uint16_t lfsr = 0xace1;

	for (uint64_t n = clocks % UINT16_MAX; n; n--)
		lfsr = (uint16_t)(lfsr >> 1 ^ (lfsr & 1 ? 0xb400 : 0));
	return (lfsr & 7) != 0;
}

/* An overflow of a counter of this event holds what was captured until it is cleared. */
static bool held(const struct box *b)
{
	enum { QEAR_EVENT = 0x90 };
	uint64_t ov = *poulson_value(b, "_PMON_GLOBAL_STATUS");

	for (unsigned i = 0; i < b->type->counters; i++)
		if ((ov >> i & 1) && (b->socket->value[b->counter[i].ctl] & 0xff) == QEAR_EVENT)
			return true;
	return b->frozen;
}

/* Class of a packet as the select (mc, one bit) and the data register have it; false: not taken. */
static bool class_of(unsigned mc, unsigned *number)
{
	switch (mc) {
	case 0x0: *number = 0; return true;
	case 0xc: *number = 1; return true;
	case 0x4: *number = 2; return true;
	default: return false;
	}
}

bool poulson_sbox_tell(struct box *b, const struct cat_event *e, const struct signal_tag *tag,
		       uint64_t *n)
{
	static const uint16_t least[] = { 0, 128, 256, 512 };
	uint64_t *ctl = poulson_value(b, "_QEAR_CTL"), latency = *n;
	unsigned mc = (unsigned)bits_get(tag->packet[0], MC_LO + MC_BITS - 1, MC_LO), number;
	uint64_t differ = (tag->opc ^ bits_get(*ctl, 9, 6)) & ~bits_get(*ctl, 13, 10) & 0xf;

	if (strcmp(cat_str(e->name), "QEAR_EVENT") != 0)
		return true;
	*n = 1;
	if (held(b) || !class_of(mc, &number) || !(bits_get(*ctl, 5, 3) >> number & 1) || differ)
		return false;
	if (!bits_get(*ctl, 1, 1) && let_go(signal_clocks(b->port.clock, b->socket->pmu->now) -
					    b->since))
		return false;
	*ctl = bits_put(*ctl, 31, 17, latency);
	*poulson_value(b, "_QEAR_DAT0") = (tag->addr & bits_mask(31, 6)) | (tag->opc & 0xf) << 2 |
					  (uint64_t)(latency > bits_low(15)) << 1 | (tag->nc != 0);
	*poulson_value(b, "_QEAR_DAT1") = (uint64_t)tag->nid << 20 | (uint64_t)number << 18 |
					  bits_get(tag->addr, 49, 32);
	return latency >= least[bits_get(*ctl, 15, 14)];
}

void poulson_sbox_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written)
{
	struct counter *c = pmu_counter_of_control(b, slot);

	/* The queue counts on from nothing, whatever it holds. */
	if (c && (written >> RESET_OCC_CNT & 1))
		c->watch.level = 0;
	if (slot == pmu_slot_named(b, "_QEAR_CTL"))
		b->since = signal_clocks(b->port.clock, b->socket->pmu->now);
	poulson_wrote(b, slot, old, written);
}
