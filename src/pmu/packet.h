/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of packets as the S- and R-Boxes of several families have them. */
#ifndef BXS_PMU_PACKET_H
#define BXS_PMU_PACKET_H

#include "pmu/engine.h"

enum { PACKET_OPC = 5, PACKET_MC = 9, PACKET_MC_BITS = 4 };	/* where a header has them */

/* What the bridge between ring and router may take; a field that is 0 does not ask. */
struct packet_filter {
	uint16_t opcodes;	/* by class, in the order of the bits of classes */
	uint8_t classes;	/* 1 HOM requests, 2 HOM responses, 4 NDR, 8 NCS, 16 NCB */
	uint8_t resp;		/* of a read's data: 8 S, 4 E, 2 M, 1 I */
	uint64_t line, line_mask, node, node_mask;	/* masks: bits that must agree */
};

/* Replace what counter c takes by what the filter takes. */
void packet_filter(struct counter *c, const struct packet_filter *f);

/*
 * Flits of a packet that match where the mask is 1, at place match_flt_cnt or at any place.  Only headers are
 * told of, flit 1; so another place counts nothing: false.
 */
bool packet_match(struct counter *c, uint64_t cfg, uint64_t match, uint64_t mask);

#endif
