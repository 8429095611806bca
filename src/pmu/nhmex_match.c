/* SPDX-License-Identifier: BSD-2-Clause */
/* Nehalem-EX: what match and mask registers of S-, B-, M- and R-Box let pass. */
#include <string.h>

#include "pmu/nhmex.h"
#include "pmu/packet.h"

enum { SELECTIONS = 6, SETS = 2 };	/* of a port of the R-Box */

static uint64_t value(const struct box *b, const char *end, uint32_t element)
{
	return b->socket->value[pmu_slot_named(b, end) + element];
}

/* 2.4.5: the name says what is compared: class, opcode, address; of what comes in or goes out. */
void nhmex_bbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	const char *name = cat_str(e->name);
	uint64_t match = value(b, "_MATCH_REG", 0), mask = value(b, "_MASK_REG", 0);
	bool out = strstr(name, "_OUT_") != NULL;
	unsigned msg = out ? 48 : 44, opc = out ? 56 : 52;
	uint64_t header = 0, line = 0;

	if (!strstr(name, "_MATCH"))
		return;
	if (strstr(name, "MSG_"))
		header |= bits_get(mask, msg + 3, msg) << PACKET_MC;
	if (strstr(name, "OPCODE_"))
		header |= bits_get(mask, opc + 3, opc) << PACKET_OPC;
	if (strstr(name, "ADDR_"))
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
void nhmex_mbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	const char *name = cat_str(e->name);
	uint64_t mask = bits_get(value(b, "_ADDR_MASK", 0), 27, 0) << 6;
	bool addressed = strncmp(name, "FVC_EV", 6) == 0 || strncmp(name, "BBOX_CMDS", 9) == 0;

	if (addressed && value(b, "_MM_CFG", 0) >> 63)
		pmu_also(c, (struct signal_test){
			.kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_ADDR, .mask = mask,
			.value = value(b, "_ADDR_MATCH", 0) & mask });
}

/* 2.5.3: the packet filter of TO_R_PROG_EV. */
void nhmex_sbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	uint64_t match = value(b, "_MSR_MATCH", 0), mask = value(b, "_MSR_MASK", 0);

	if (strcmp(cat_str(e->name), "TO_R_PROG_EV") != 0)
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

uint32_t nhmex_rbox_element(const struct box *b, const struct counter *c, const struct cat_reg *r,
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
void nhmex_rbox_narrow(struct box *b, struct counter *c, const struct cat_event *e)
{
	enum { PORTS = 4 };
	unsigned select = selection(b, c), i = SETS * (select / SELECTIONS) + select % SETS;

	if (strstr(cat_str(e->name), "_XBR_") &&
	    !packet_match(c, value(b, "_MM_CFG", i), value(b, "SET{2-1}_MATCH", i),
			  value(b, "SET{2-1}_MASK", i)))
		return;
	pmu_also(c, (struct signal_test){
		.kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_LINK, .mask = UINT64_MAX,
		.value = select / SELECTIONS + PORTS * b->index });
}
