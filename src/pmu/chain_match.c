/* SPDX-License-Identifier: BSD-2-Clause */
/* Nehalem-EX: what match and mask registers of S-, B-, M- and R-Box let pass. */
#include "pmu/pmon_chain.h"
#include "pmu/packet.h"

enum { SELECTIONS = 6, SETS = 2 };	/* of a port of the R-Box */

static uint64_t value(const struct box *b, const char *end, uint32_t element)
{
	return b->socket->value[pmu_slot_named(b, end) + element];
}

/* 2.4.5: class, opcode, address are compared; of what comes in or goes out. */
void agent_match_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t match = value(b, "_MATCH_REG", 0), mask = value(b, "_MASK_REG", 0);
	bool out = e->by & CAT_BY_OUT;
	unsigned msg = out ? 48 : 44, opc = out ? 56 : 52;
	uint64_t header = 0, line = 0;

	if (!e->by)
		return;
	if (e->by & CAT_BY_CLASS)
		header |= bits_get(mask, msg + 3, msg) << PACKET_MC;
	if (e->by & CAT_BY_OPCODE)
		header |= bits_get(mask, opc + 3, opc) << PACKET_OPC;
	if (e->by & CAT_BY_ADDR)
		line = bits_get(mask, 43, 0) << 6;
	pmu_also(c, (struct signal_test){
		.kind = SIGNAL_TEST_PACKET, .mask = header,
		.value = header & (bits_get(match, msg + 3, msg) << PACKET_MC |
				   bits_get(match, opc + 3, opc) << PACKET_OPC) });
	pmu_also(c, (struct signal_test){
		.kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_ADDR, .mask = line,
		.value = line & bits_get(match, 43, 0) << 6 });
}

/* Commands of the B-Box have an address; what the DRAM does has none any more. */
void controller_match_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t mask = bits_get(value(b, "_ADDR_MASK", 0), 27, 0) << 6;

	if ((e->by & CAT_BY_ADDR) && value(b, "_MM_CFG", 0) >> 63)
		pmu_also(c, (struct signal_test){
			.kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_ADDR, .mask = mask,
			.value = value(b, "_ADDR_MATCH", 0) & mask });
}

/* 2.5.3: the packet filter of what goes to the router. */
void bridge_match_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t match = value(b, "_MSR_MATCH", 0), mask = value(b, "_MSR_MASK", 0);

	if (!(e->by & CAT_BY_PACKET))
		return;
	packet_filter(c, &(struct packet_filter){
		.opcodes = (uint16_t)bits_get(match, 58, 48),
		.classes = (uint8_t)bits_get(match, 47, 43), .resp = (uint8_t)bits_get(match, 62, 59),
		.line = bits_get(match, 42, 5) << 6, .line_mask = ~bits_get(mask, 38, 1) << 6 & bits_mask(43, 6),
		.node = bits_get(match, 4, 0), .node_mask = mask & 1 ? 0 : bits_low(5) });
}

static unsigned selection(const struct box *b, const struct counter *c)
{
	return (unsigned)pmu_bits_get(b->socket->value[c->ctl], b->type->ctl.ev_sel);
}

uint32_t port_match_element(const struct box *b, const struct counter *c, const struct cat_reg *r,
			    bool *second)
{
	unsigned select = selection(b, c), port = select / SELECTIONS, set = select % SETS;
	bool pairs = r->count == SETS * b->type->cat->counters / 2;

	if (r->role == CAT_CTL)
		return c->number;
	*second = !pairs && set;
	return pairs ? SETS * port + set : port;
}

/* What is told carries the port of the machine's numbers: 4 to 7 are those of the right half. */
void port_match_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	enum { PORTS = 4 };
	unsigned select = selection(b, c), i = SETS * (select / SELECTIONS) + select % SETS;

	if ((e->by & CAT_BY_PACKET) &&
	    !packet_match(c, value(b, "_MM_CFG", i), value(b, "SET{2-1}_MATCH", i),
			  value(b, "SET{2-1}_MASK", i)))
		return;
	pmu_also(c, (struct signal_test){
		.kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_LINK, .mask = UINT64_MAX,
		.value = select / SELECTIONS + PORTS * b->index });
}
