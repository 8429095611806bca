/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The home agent of an Itanium 9500 (manual 5.1.5, 5.4): keeps the memory of its Zbox coherent by a directory.
 *
 *	packets in --> COHQ, conflict queues --> in-flight table (IMT) --> directory cache, Zbox, snoops
 *	packets out <-- BRAQ (data), NBRAQ (completions) <------------------------'
 *
 * A request holds an entry of the IMT until it is complete.  One that finds the table full waits in the COHQ, one whose
 * line has an entry in that entry's conflict queue.
 */
#ifndef BXS_UNCORE_POULSON_BBOX_H
#define BXS_UNCORE_POULSON_BBOX_H

#include "uncore/depth.h"
#include "uncore/ha/ha.h"
#include "uncore/poulson/dcache.h"
#include "uncore/poulson/message.h"
#include "uncore/poulson/rbox.h"
#include "uncore/poulson/table.h"
#include "uncore/poulson/zbox.h"

enum {
	BBOX_IMT = 48,			/* valid bits of B_CSR_IMT_PERF_CNT; conflict queues of table 5-15 */
	BBOX_DC_MOST = 32,		/* transactions in the directory cache (table 5-26) */
	BBOX_IN = 4,			/* uclk from the router into the pipeline */
	BBOX_DC = 4,			/* uclk of a look-up in the directory cache */
	BBOX_BACK = 4,			/* uclk from what a response waits for to the router */
};

enum { BBOX_BRAQ, BBOX_NBRAQ, BBOX_COHQ, BBOX_ANY_CFL, BBOX_QUEUES };

struct bbox {
	struct signal_port *port;	/* never NULL */
	struct calendar_rate uclk;
	struct calendar pipe, out;
	struct ha_map map;		/* of the socket's memory */
	struct dcache dc;
	struct table imt;
	struct depth entries, queue[BBOX_QUEUES], conflict[BBOX_IMT], dc_ne;
	uint64_t held[BBOX_QUEUES + BBOX_IMT];	/* until when a queue holds something; then conflict queues */
	uint64_t requests, reads, writes;	/* requests; commands to the Zbox that read and that write memory */
	uint64_t snoops, responses;
};

struct p9500;

/* lines: of the socket's memory.  0 or BXS_ENOMEM. */
int bbox_init(struct bbox *b, const struct ha_map *map, uint32_t uclk_khz, struct signal_port *silent);
void bbox_free(struct bbox *b);			/* what it owns */

/* A request that the router has brought to a home agent. */
struct bbox_request {
	struct message message;
	struct rbox_times at;
	unsigned socket, home;		/* whose memory it is about: socket, and which Bbox of it */
};

/* A packet on its way to the requester's Sbox. */
struct bbox_packet {
	bool there;
	struct message message;
	struct rbox_times at;
};

struct bbox_reply {
	struct bbox_packet data, completion;	/* the line; the completion, if it does not come with the line */
	bool shared;			/* others keep the line */
	bool peer;			/* another cache sent it, in state message.rds */
	bool snooped, found_modified;
};

/* Walks a read, or a request for ownership or for a flush. */
struct bbox_reply bbox_request(struct p9500 *p, const struct bbox_request *rq);
/* Walks a write-back, whose data is there at `data`. */
struct bbox_reply bbox_write_back(struct p9500 *p, const struct bbox_request *rq, const struct rbox_times *data);

/* Nothing more comes before `now`. */
void bbox_advance(struct bbox *b, uint64_t now);

#endif
