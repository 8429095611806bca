/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of the bridges and the router, shared by its files. */
#ifndef BXS_UNCORE_ROUTER_INSIDE_H
#define BXS_UNCORE_ROUTER_INSIDE_H

#include "signal_ids.h"
#include "uncore/router/bridge.h"
#include "uncore/calendar.h"
#include "uncore/depth.h"

/* Message classes in the order of the flags of sbox.sent and sbox.out. */
enum bridge_class { B_HOM, B_SNP, B_NDR, B_DRS, B_NCS, B_NCB, B_CLASSES };

enum {
	BRIDGE_SIDE = 4,		/* C-Boxes, and ports of the router, of a half at most */
	PORT_B = 2, PORT_S = 3,		/* of a half of the router */
	PORT_IO = 5,
	BRIDGE_SIGNALS = 64,		/* as many as any of the ports has, at least */
	/* uclk, when nobody is in the way */
	IN_RING = 2,			/* slice to S-Box */
	IN_SBOX = 3,			/* either way */
	IN_ROUTER = 3,
	/* An acknowledge is back after twice the flight of a link. */
	RETRY_PS = 2 * 13000,
	/* entry-clocks after which the sum of a queue of the router overflows */
	SUM_BITS = 7,
};

/* Queues whose being not empty, or full, is told: HOM to router and home agent, SNP, NDR; DRS, NCS, NCB by C-Box. */
enum { OUT_HOM_R, OUT_HOM_B, OUT_SNP, OUT_NDR, OUT_DRS, OUT_NCS = OUT_DRS + BRIDGE_SIDE,
       OUT_NCB = OUT_NCS + BRIDGE_SIDE, OUTS = OUT_NCB + BRIDGE_SIDE };
enum { IN_SNP, IN_NDR, IN_R2S, IN_B2S, INS };

/* One half of a socket: S-Box, half a router, B-Box. */
struct bridge_half {
	struct signal_port *sbox, *rbox, *bbox;
	struct calendar to_r, to_b, ring[3];	/* AD, AK, BL */
	struct depth out[OUTS], in[INS];
	uint64_t since;			/* its request under way; 0: none */
};

struct bridge_router_port {
	struct calendar in, out;
	struct signal_tag tag;		/* link: its number */
	struct depth output, retry;	/* queues */
	uint64_t output_sum, retry_sum;	/* entry-clocks since the last overflow */
	uint64_t sent, idle;		/* flits so far: with a message, without one */
	bool external, wired;
};

struct bridge_socket {
	struct bridge_half half[BRIDGE_SBOXES];
	struct bridge_router_port port[BRIDGE_PORTS];
	struct signal_port *cbox[FABRIC_MAX_CORES];
};

struct bridge {
	struct bridge_config config;
	struct calendar_rate uclk, flit;
	uint64_t retry_clocks;		/* uclk that a flit stays in a retry queue */
	struct bridge_socket *socket;
	struct signal_port silent;
	struct signal_watch *nobody[BRIDGE_SIGNALS];
};

#endif
