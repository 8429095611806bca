/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slice of an Itanium 9500's last-level cache with its controller (manual 5.1.2, 5.5), and the stop of the ring that it
 * shares with a core.
 *
 *	core --AD--> IRQ (24) --> tags --> MAF (16) --> Sbox
 *	Sbox --AD--> IPQ (8)  ---'    '--> VIQ (8)
 *
 * A request waits in its queue until the pipeline acknowledges it, and then has an entry of the miss address file until it
 * is complete.  A pass that is not acknowledged (NACK) is tried again.
 */
#ifndef BXS_UNCORE_POULSON_CBOX_H
#define BXS_UNCORE_POULSON_CBOX_H

#include "uncore/calendar.h"
#include "uncore/entries.h"
#include "uncore/poulson/message.h"
#include "uncore/poulson/rbox.h"
#include "uncore/poulson/table.h"
#include "uncore/ring/sink.h"
#include "xcore/leave.h"

enum {
	CBOX_IRQ = 24, CBOX_IPQ = 8, CBOX_VIQ = 8, CBOX_MAF = 16,	/* greatest increments of their occupancies */
	CBOX_HOME = 12,			/* requests of a slice under way to home agents (table 5-2) */
	/* uclk */
	CBOX_CORE_OUT = 5, CBOX_CORE_IN = 5,	/* between a core and its stop (RIL) */
	CBOX_QUEUE = 3,			/* through an ingress queue that is empty */
	CBOX_TAGS = 8, CBOX_DATA = 8,	/* look-up; a line out of its array */
	CBOX_SNOOP_CORE = 8,		/* a core looks up a snoop */
	CBOX_AGAIN = 20,		/* from a pass that was rejected to the next */
};

struct cbox {
	struct signal_port *port;	/* never NULL */
	struct calendar_rate uclk;
	struct calendar pipe;
	struct sink irq;
	struct entries ipq, viq, home;
	struct table maf;
	uint64_t requests, hits, misses;
};

struct p9500;
struct p9500_request;
struct p9500_reply;

void cbox_init(struct cbox *c, uint32_t uclk_khz, struct signal_port *silent);

/* Walks a request of a core through its slice, and on. */
struct p9500_reply cbox_request(struct p9500 *p, const struct p9500_request *rq);

/* A snoop of a home agent that the router has brought to the Sbox of the line's slice. */
struct cbox_probe {
	struct message message;		/* requester: the caching agent that the line is for */
	struct rbox_times at;
	unsigned socket;		/* whose caches are asked */
	uint8_t home, home_port;	/* socket and router port of the home agent */
};

/* What came of it: a response at the home agent, a line for the requester or for the home agent. */
struct cbox_answer {
	struct message message;
	struct rbox_times at;
	bool forwards, writes;
	struct message data, written;
	struct rbox_times data_at, written_at;
};

struct cbox_answer cbox_probe(struct p9500 *p, const struct cbox_probe *probe);

#endif
