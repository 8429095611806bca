/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The router of an Itanium 9500 socket (manual 5.6): ten ports and a crossbar between them.
 *
 *	left side			right side
 *	0 QPIh5  half width		5 QPIh4  half width
 *	1 B0     Bbox 0, Ubox, I/O hub	6 B1     Bbox 1
 *	2 S0     Sbox 0			7 S1     Sbox 1
 *	3 QPI3   not wired		8 QPI2
 *	4 QPI1				9 QPI0
 *
 * A packet takes room in the input buffer of the port that it comes in at before it is sent there (credits: VNA, or else
 * one of its class on its network), waits in the entry table, bids for its input port's turn and for the output port, and
 * goes out a flit a clock of the output.  Home messages pass the entry overflow table, which keeps them in order.
 */
#ifndef BXS_UNCORE_POULSON_RBOX_H
#define BXS_UNCORE_POULSON_RBOX_H

#include "uncore/calendar.h"
#include "uncore/chance.h"
#include "uncore/depth.h"
#include "uncore/entries.h"
#include "uncore/poulson/message.h"

enum rbox_port_number {
	RBOX_QPIH5, RBOX_B0, RBOX_S0, RBOX_QPI3, RBOX_QPI1, RBOX_QPIH4, RBOX_B1, RBOX_S1, RBOX_QPI2, RBOX_QPI0,
	RBOX_PORTS
};

enum {
	RBOX_VNA = 96,		/* flits of an input port's buffer (table 5-41) */
	RBOX_ET = 8,		/* entries of the entry table, of each class */
	RBOX_THROUGH = 6,	/* uclk from input to output port when nobody is in the way */
	RBOX_RETURN = 4,	/* uclk until a credit is back at a box of the socket */
	RBOX_ET_SUM = 5, RBOX_EOT_SUM = 5, RBOX_OUT_SUM = 7,	/* bits of the sums of which overflows are told */
};

/* When the credit of a class on a network was not to be had, as far as it is not told. */
struct rbox_blocked {
	uint64_t until, sum;
};

struct rbox_port {
	struct calendar in, out;
	struct calendar_rate rate;		/* of flits at the output */
	struct entries vna;			/* flits of the input buffer */
	uint64_t reserved[2][MESSAGE_CLASSES];	/* from when on the buffer kept for a class of VN0 and VN1 is free */
	struct entries et[MESSAGE_CLASSES];
	uint64_t home_came, home_goes;		/* of the home message told last: at the input, off it */
	uint64_t et_sum[MESSAGE_CLASSES], eot_sum[MESSAGE_CLASSES + 1], out_sum;
	struct rbox_blocked blocked[2][MESSAGE_CLASSES + 2];	/* of what the output sends to */
	struct depth eot, buffer;
	struct signal_tag tag;			/* link: the port's number */
	struct chance damaged;			/* of a flit that it sends to another socket */
	uint64_t told;				/* idle flits and free targets are told up to here */
	uint64_t sent, received;		/* flits of packets */
	uint64_t idle_sent, idle_received;	/* told */
	bool wired, external, half;
};

struct rbox {
	struct calendar_rate uclk;
	struct signal_port *port_out;		/* never NULL */
	struct rbox_port port[RBOX_PORTS];
};

struct rbox_config {
	unsigned sockets;			/* 1, 2, 4, 8 */
	unsigned links;				/* two sockets: between them, 1 or 2 */
	uint32_t uclk_khz, qpi_mts;
};

/* A message from a port of one socket's router to a port of another's, or of the same. */
struct rbox_trip {
	struct message message;
	uint8_t from, from_port, to, to_port;	/* sockets and ports of their boxes */
};

/* When a trip left and arrived. */
struct rbox_times {
	uint64_t credit;	/* the credit for the first input port was there */
	uint64_t header, tail;	/* the packet's first and last flit are at the box that it goes to */
	bool vna;		/* that credit was a shared one */
};

void rbox_init(struct rbox *r, const struct rbox_config *config, struct signal_port *silent);
void rbox_free(struct rbox *r);			/* what it owns */

/* Flits between sockets are damaged from now on; rate: hits of 2^64 flits, stream: of the router's random numbers. */
void rbox_errors(struct rbox *r, uint64_t rate, uint64_t seed, uint64_t stream);

/* Which port of socket `from` leads to socket `to` or towards it, and to which neighbour.  Lines of two sockets take turns. */
unsigned rbox_route(const struct rbox_config *config, unsigned from, unsigned to, uint64_t line, unsigned *next);

/* Sends a message that is at the first port's box at `when`, through the routers of all sockets `r`. */
struct rbox_times rbox_send(struct rbox *r, const struct rbox_config *config, const struct rbox_trip *trip, uint64_t when);

/* Nothing more comes before `now`: tells what passes with time alone. */
void rbox_advance(struct rbox *r, uint64_t now);

#endif
