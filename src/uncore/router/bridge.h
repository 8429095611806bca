/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands between the rings of a Nehalem-EX and the system: S-Boxes, which take messages from a ring and to it,
 * and the router (R-Box) with its eight ports.
 *
 *	C-Boxes 0..3  ring  S-Box 0 -- B-Box 0        port 0, 1: QPI      port 4: QPI
 *	                       |          |                2: B-Box 0          5: QPI to the I/O hub
 *	                       +- router -+                3: S-Box 0          6: B-Box 1
 *	C-Boxes 4..7  ring  S-Box 1 -- B-Box 1                                 7: S-Box 1
 *
 * The fabric walks a transaction and tells of each message of it (struct fabric_message); the bridge sends it
 * through these boxes, tells their signals, and says how much later it is there because others were in its way.
 * What a message takes when nobody is in its way the fabric knows already.
 */
#ifndef BXS_UNCORE_ROUTER_BRIDGE_H
#define BXS_UNCORE_ROUTER_BRIDGE_H

#include "uncore/fabric.h"

struct bridge;

enum { BRIDGE_PORTS = 8, BRIDGE_SBOXES = 2 };

struct bridge_config {
	unsigned sockets;		/* at most FABRIC_MAX_SOCKETS */
	unsigned slices;		/* of a socket; the first half is S-Box 0's */
	unsigned links;			/* of a socket to others, at most 3 */
	uint32_t uclk_khz, qpi_mts;
};

/* 0; BXS_EINVAL or BXS_ENOMEM. */
int bridge_new(const struct bridge_config *config, struct bridge **out);
void bridge_free(struct bridge *b);		/* NULL is allowed */

/* Bind the port of a box: "sbox", "rbox" (its halves), "bbox" (what comes in and goes out), "cbox" (its queues to the
 * system).  NULL: nobody measures it.  false: no such box. */
bool bridge_port(struct bridge *b, unsigned socket, const char *type, unsigned box, struct signal_port *port);

/* For struct fabric_config: ctx is the bridge. */
uint64_t bridge_message(void *ctx, const struct fabric_message *m);

/* Nothing more will come before `now`.  Call it before counters are read. */
void bridge_advance(struct bridge *b, uint64_t now);

/* The uncore clock runs at khz from now on. */
void bridge_uclk(struct bridge *b, uint32_t khz);

#endif
