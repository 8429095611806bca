/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet between the boxes of Itanium 9500 sockets: classes and opcodes of the manual's section 5.10, which are those of
 * other families' links (uncore/qpi/qpi.h), nodes, and the header as the match registers see it (tables 5-50 to 5-53).
 */
#ifndef BXS_UNCORE_POULSON_MESSAGE_H
#define BXS_UNCORE_POULSON_MESSAGE_H

#include "signal/signal.h"
#include "uncore/qpi/qpi.h"

/* Classes as queues and events number them. */
enum message_class { MESSAGE_HOM, MESSAGE_SNP, MESSAGE_NDR, MESSAGE_NCS, MESSAGE_DRS, MESSAGE_NCB, MESSAGE_CLASSES };

/* Opcodes that uncore/qpi/qpi.h does not name (table 5-111). */
enum message_opcode {
	/* HOM0, requests */
	MESSAGE_RD_CODE = 0x1, MESSAGE_RD_DATA = 0x2, MESSAGE_RD_INV_OWN = 0x4, MESSAGE_INV_X_TO_I = 0x5,
	MESSAGE_INV_I_TO_E = 0x8, MESSAGE_WB_M_TO_I = 0xc,
	/* HOM1, responses */
	MESSAGE_RSP_I = 0x0, MESSAGE_RSP_S = 0x1, MESSAGE_RSP_FWD_I = 0x9, MESSAGE_RSP_FWD_S = 0xa,
	MESSAGE_RSP_FWD_S_WB = 0xc, MESSAGE_RSP_I_WB = 0xd,
	MESSAGE_SNP_INV_X_TO_I = 0x5,
	/* NCS and NCB */
	MESSAGE_NC_RD = 0x0, MESSAGE_NC_MSG_S = 0xc, MESSAGE_NC_MSG_B = 0x8,
};

struct message {
	uint64_t line;
	uint8_t class;			/* enum qpi_class */
	uint8_t opcode;
	uint8_t rds;			/* state of data: QPI_RDS_* */
	uint8_t to, requester;		/* nodes */
	uint8_t vn;			/* virtual network that it is on now: enum message_network */
};

enum message_network { MESSAGE_VN0, MESSAGE_VN1, MESSAGE_VNA };

/* The nodes of a socket: its two caching agents (Sboxes) and two home agents (Bboxes).  The I/O hub has that of Bbox 0, as
 * the Ubox does, whose port it shares. */
static inline uint8_t message_sbox(unsigned socket, unsigned sbox)
{
	return (uint8_t)(socket * 4 + sbox);
}

static inline uint8_t message_bbox(unsigned socket, unsigned bbox)
{
	return (uint8_t)(socket * 4 + 2 + bbox);
}

static inline unsigned message_socket(unsigned node)
{
	return node / 4;
}

static inline enum message_class message_class(unsigned class)
{
	switch (class) {
	case QPI_SNP: return MESSAGE_SNP;
	case QPI_NDR: return MESSAGE_NDR;
	case QPI_NCS: return MESSAGE_NCS;
	case QPI_DRS: return MESSAGE_DRS;
	case QPI_NCB: return MESSAGE_NCB;
	default: return MESSAGE_HOM;
	}
}

static inline unsigned message_flits(const struct message *m)
{
	return qpi_flits(m->class, m->opcode);
}

static inline uint64_t message_header(const struct message *m)
{
	return (uint64_t)m->rds << 48 | (uint64_t)m->requester << 31 | (uint64_t)m->to << 13 | (uint64_t)m->class << 9 |
	       (uint64_t)m->opcode << 5 | (uint64_t)m->vn << 3;
}

/* What filters look at.  state: of a read's data, as the Sbox's filter numbers it: I S E M F from 0. */
static inline struct signal_tag message_tag(const struct message *m)
{
	static const uint8_t states[] = { [QPI_RDS_S] = 1, [QPI_RDS_E] = 2, [QPI_RDS_M] = 3, [QPI_RDS_F] = 4 };

	return (struct signal_tag){
		.addr = m->line << 6, .packet = { message_header(m) }, .opc = m->opcode, .nid = m->to,
		.state = states[m->rds % (QPI_RDS_M + 1)],
	};
}

#endif
