/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of a QPI link, from the ring stop (R3QPI) of one socket to that of
 * another: credits, flits on the wire, receive buffer.
 *
 *	ring -> R3QPI -> link layer ===> link layer -> R3QPI -> ring
 *	        rxr      txq, flits      flits, rxq
 *
 * A flit is 80 bits and takes four transfers (HSX uncore manual, 2.9.6): at 9.6 GT/s
 * 2.4 flits a nanosecond, 8 bytes of data in each data flit.  A whole cache line
 * is 9 flits, header first; part of one 11; every other packet here is one flit.  What
 * one side sends, the other receives, flit by flit of each class.
 *
 * With as many shared credits (VNA) as the receiver has room, 128 flits, they never run out: it drains
 * into the ring faster than the wire delivers, so the flits in flight are bounded by the wire.
 * What goes another way, for want of credits, with errors, at half width or while the
 * receiver's ring changes its clock, is in faults.c.
 */
#ifndef BXS_UNCORE_QPI_QPI_H
#define BXS_UNCORE_QPI_QPI_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/signal.h"
#include "uncore/calendar.h"
#include "uncore/depth.h"
#include "uncore/ring/ring.h"
#include "uncore/stays.h"

/* Message classes as packet headers number them (Table 2-263). */
enum qpi_class {
	QPI_HOM_REQ = 0, QPI_HOM_RSP = 1, QPI_NDR = 2, QPI_SNP = 3, QPI_NCS = 4,
	QPI_NCB = 12, QPI_DRS = 14, QPI_CLASSES = 16,
	QPI_NDR_AD = 5,		/* in tables, not in headers: an NDR that is routed through, on the AD ring */
};

/* Opcodes that other headers do not name (Table 2-264). */
enum qpi_opcode {
	QPI_GNT_CMP = 0x0, QPI_CMP = 0x8,			/* NDR */
	QPI_DATA_C = 0x0, QPI_DATA_C_CMP = 0x2,			/* DRS */
	QPI_WB_I_DATA = 0x4, QPI_WB_S_DATA = 0x5, QPI_WB_E_DATA = 0x6, QPI_WB_I_DATA_PTL = 0x8,
	QPI_SNP_CUR = 0x0, QPI_SNP_CODE = 0x1, QPI_SNP_DATA = 0x2, QPI_SNP_INV_OWN = 0x4, QPI_SNP_INV_I_TO_E = 0x8,
	QPI_NC_RD_PTL = 0x4, QPI_NC_MSG_S = 0xc, QPI_DATA_NC = 0x3,
	QPI_NC_WR = 0x0, QPI_NC_WR_PTL = 0xc,
};

/* States of data in a response. */
enum { QPI_RDS_I = 0, QPI_RDS_F = 1, QPI_RDS_S = 2, QPI_RDS_E = 4, QPI_RDS_M = 8 };

/* Small, to be passed in a register. */
struct qpi_packet {
	uint8_t class, opcode, rds;
	uint8_t to, requester;	/* nodes */
	bool core;		/* data for a core to take past its CBo */
	bool through;		/* to be routed on, past the receiver's ring */
	bool vn1;		/* has been routed through: on the second virtual network */
};

/* One socket's R3QPI towards the rings; all its links share it. */
struct qpi_drain {
	struct calendar ring[RING_KINDS];
};

enum { QPI_R3_CLASSES = 6 };

/* Queues whose being empty or not somebody may want to know. */
enum {
	QPI_TXQ, QPI_RXQ, QPI_STALL_DRS, QPI_STALL_NCB, QPI_STALL_NCS,
	QPI_STALL_HOM, QPI_STALL_SNP, QPI_STALL_NDR,	/* from the link */
	QPI_R3_HOM, QPI_R3_SNP, QPI_R3_NDR, QPI_R3_DRS, QPI_R3_NCB, QPI_R3_NCS,	/* from the ring */
	QPI_R3_TXR,		/* onto the ring */
	QPI_R3_VNA,		/* shared credits in use */
	QPI_R3_IIO_NCB, QPI_R3_IIO_NCS,	/* credits of the I/O in use */
	QPI_R3_VN1,		/* as QPI_R3_HOM and on */
	/* classes in the receive buffer, as RxL_CYCLES_NE_*, in the order of QPI_STALL_DRS and on; and those of VN1 */
	QPI_RXQ_NE0 = QPI_R3_VN1 + QPI_R3_CLASSES, QPI_RXQ_NE1 = QPI_RXQ_NE0 + QPI_R3_CLASSES,
	QPI_QUEUES = QPI_RXQ_NE1 + QPI_R3_CLASSES,
};

/* One direction at an end: flits that were sent, and idle ones, which go where there are none; and for how long it has
 * been at half width. */
struct qpi_flow {
	uint64_t flits, idle, narrow;
};

/* One end of a link: link layer and ring stop, with their ports. */
struct qpi_end {
	struct signal_port *link, *r3;
	struct depth queue[QPI_QUEUES];
	unsigned flits;			/* that go in a clock of the port; 0: there is no link */
	struct qpi_flow tx, rx;
	bool asleep;
	uint64_t since, slept;		/* clocks: since when; before */
};

/* What somebody listens to at the ports of a lane's ends: nothing but how many flits go and come,
 * whenever it is told; or more. */
enum qpi_tell { QPI_TELL_LUMPS, QPI_TELL_ALL };

struct qpi_trouble;

/* When a packet was where. */
struct qpi_times {
	uint64_t when;		/* at the sender's R3QPI */
	uint64_t at_link;	/* has its credits, and is in the link layer */
	uint64_t go, arrive;	/* on the wire, off it */
	uint64_t ready;		/* R3QPI may take it */
	uint64_t leave;		/* out of the receive buffer */
	bool reserved;		/* on a credit of its class and network, no shared ones */
};

struct qpi_lane {
	struct stays *stays;		/* NULL: nobody wants to know */
	struct qpi_drain *drain;	/* of the receiving socket */
	struct qpi_end *from, *to;
	struct calendar_rate uclk, flit;
	uint32_t out, flight, in, credit;	/* ps: R3QPI to wire; wire; wire to R3QPI; return */
	uint8_t tell;			/* enum qpi_tell */
	struct qpi_trouble *trouble;	/* NULL: everything goes the plain way */
	struct calendar wire;
	uint64_t went;		/* the packet told last went onto the wire */
	uint32_t packets[QPI_CLASSES][2];	/* not told yet: with a header of one flit, a long one */
};

/* The ports of the ends, or their watches, have changed. */
void qpi_rewatch(struct qpi_lane *lane);
/* Tell of the packets that were only counted. */
void qpi_tell_lumps(struct qpi_lane *lane);

void qpi_end_init(struct qpi_end *end, struct signal_port *silent);
void qpi_end_free(struct qpi_end *end);
/* The link layer's port, out of reset; what stands at it is told.  through: some packets go on to other sockets. */
void qpi_end_bind(struct qpi_end *end, struct signal_port *link, unsigned flits, bool through);
/* The link is shut down (L1), or in use again (L0). */
void qpi_end_sleep(struct qpi_end *end, uint64_t when, bool sleeps);
/* What signals of R3QPI call a class. */
uint64_t qpi_r3_flag(unsigned class);
/* A credit for the I/O is in use: told to R3QPI of this end.  Whoever takes the message on knows how long; of those between
 * UBoxes, which stop at the ring, the link does. */
void qpi_use_io(struct qpi_end *end, enum qpi_class class, uint64_t from, uint64_t to);
/* Tell everything about the queues before `when`. */
void qpi_end_advance(struct qpi_end *end, uint64_t when);

/* Headers of the three classes with a size: three flits if bit 3 of the opcode is set; those of lines have data behind. */
enum { QPI_LONG_HEADER = 3, QPI_DATA_FLITS = 8 };

static inline bool qpi_long(unsigned class, unsigned opcode)
{
	return class >= QPI_NCS && opcode & 8;
}

/* How many flits a packet of this class and opcode is. */
static inline unsigned qpi_flits(unsigned class, unsigned opcode)
{
	return (class >= QPI_NCB ? QPI_DATA_FLITS : 0) + (qpi_long(class, opcode) ? QPI_LONG_HEADER : 1);
}

/* The header as the match registers see it: match0 | match1 << 32 (HSX manual, tables 2-172, 2-173). */
uint64_t qpi_header(const struct qpi_packet *p);

/* Which ring carries a class to who is meant. */
static inline enum ring_kind qpi_ring(unsigned class)
{
	return class == QPI_NDR ? RING_AK : class == QPI_NCS || class >= QPI_NCB ? RING_BL : RING_AD;
}

/* Its class, in tables. */
static inline unsigned qpi_kind(struct qpi_packet p)
{
	return p.through && p.class == QPI_NDR ? QPI_NDR_AD : p.class;
}

/* And from who sends it to R3QPI: completions go the way of snoops. */
static inline enum ring_kind qpi_ring_out(unsigned class)
{
	return class >= QPI_NCS ? RING_BL : RING_AD;
}

/* A packet that is told in lumps. */
static inline void qpi_count(struct qpi_lane *l, struct qpi_packet packet)
{
	l->packets[qpi_kind(packet)][qpi_long(packet.class, packet.opcode)]++;
}

/* Out of the fast path: tell of a packet, to whom it may concern. */
void qpi_tell(struct qpi_lane *l, struct qpi_packet packet, uint64_t line, const struct qpi_times *at);
/* faults.c: as qpi_send(). */
uint64_t qpi_send_troubled(struct qpi_lane *l, struct qpi_packet packet, uint64_t line, uint64_t when, bool told);

/* Member by member: a packet that goes the plain way need not be put together in memory. */
static inline struct qpi_packet qpi_aside(const struct qpi_packet *p)
{
	return (struct qpi_packet){ p->class, p->opcode, p->rds, p->to, p->requester, p->core, p->through, p->vn1 };
}

/* A packet for `line` is at the sender's R3QPI at `when`; returns when it goes onto the
 * other socket's ring.  told: some lane may have to tell more than lumps. */
static inline __attribute__((always_inline)) uint64_t qpi_send(struct qpi_lane *l, struct qpi_packet packet, uint64_t line,
							      uint64_t when, bool told)
{
	unsigned n = qpi_flits(packet.class, packet.opcode);
	enum ring_kind ring = qpi_ring(packet.class);
	uint64_t at_link = when + l->out, go, arrive, leave;

	if (__builtin_expect(l->trouble != NULL, 0))
		return qpi_send_troubled(l, qpi_aside(&packet), line, when, told);
	go = at_link + calendar_book(&l->wire, &l->flit, at_link, n);
	arrive = leave = go + (uint64_t)n * l->flit.period + l->flight;
	/* At the ring stop messages meet those of other links. */
	if (!packet.through)
		leave += calendar_book(&l->drain->ring[ring], &l->uclk, arrive, ring == RING_BL ? 2 : 1);
	if (told)
		qpi_tell(l, qpi_aside(&packet), line, &(struct qpi_times){ when, at_link, go, arrive, arrive, leave, false });
	else
		qpi_count(l, packet);
	return leave + l->in;
}

#endif
