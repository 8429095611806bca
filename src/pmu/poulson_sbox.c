/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Itanium 9500, section 5.7, the bridge between ring and router: the filter of packets to the
 * router, tallies of queues, and the event address register of requests (QEAR).
 */
#include "pmu/packet.h"
#include "pmu/poulson.h"

enum { MM_EN = 63, RESET_OCC_CNT = 17 };

bool poulson_sbox_locked(const struct box *b, uint32_t slot, uint64_t written)
{
	(void)written;
	return *poulson_value(b, "_MM_CFG") >> MM_EN &&
	       (slot == pmu_slot_named(b, "_CSR_MATCH") || slot == pmu_slot_named(b, "_MATCH2") ||
		slot == pmu_slot_named(b, "_CSR_MASK"));
}

void poulson_sbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t match = *poulson_value(b, "_CSR_MATCH"), mask = *poulson_value(b, "_CSR_MASK");

	if (!(e->by & CAT_BY_PACKET))
		return;
	packet_filter(c, &(struct packet_filter){
		.opcodes = (uint16_t)bits_get(*poulson_value(b, "_MATCH2"), 10, 0),
		.classes = (uint8_t)bits_get(match, 58, 54), .resp = (uint8_t)bits_get(match, 62, 59),
		.line = bits_get(match, 53, 10) << 6, .line_mask = ~bits_get(mask, 44, 1) << 6 & bits_mask(49, 6),
		.node = match, .node_mask = mask & 1 ? 0 : bits_low(10) });
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
	unsigned mc = (unsigned)bits_get(tag->packet[0], PACKET_MC + PACKET_MC_BITS - 1, PACKET_MC), number;
	uint64_t differ = (tag->opc ^ bits_get(*ctl, 9, 6)) & ~bits_get(*ctl, 13, 10) & 0xf;

	if (!(e->by & CAT_BY_LATENCY))
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
