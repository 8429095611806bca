/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bridge between ring and router of one half of an Itanium 9500 socket (manual 5.7), which with its four Cboxes is a
 * caching agent.
 *
 *	ring --> HOM (64), DRS NCB NCS (of each Cbox 4, 2, 2) --> router
 *	ring <-- SNP (31), NDR (32) <-- R2S (8) <---------------- router
 *
 * Its request table has an entry for each request to a home agent until that is complete (table 5-79).
 */
#ifndef BXS_UNCORE_POULSON_SBOX_H
#define BXS_UNCORE_POULSON_SBOX_H

#include "uncore/calendar.h"
#include "uncore/depth.h"
#include "uncore/entries.h"
#include "uncore/poulson/message.h"
#include "uncore/poulson/pring.h"
#include "uncore/poulson/rbox.h"

enum {
	SBOX_CBOXES = 4,
	SBOX_HOM = 64, SBOX_DRS = 4, SBOX_NC = 2, SBOX_SNP = 31, SBOX_NDR = 32, SBOX_R2S = 8, SBOX_TABLE = 48,
	SBOX_OUT = 4,			/* uclk to build and send a packet, to take one apart */
	SBOX_IN = 3,
};

/* Queues whose being not empty, or full, is told. */
enum { SBOX_Q_HOM, SBOX_Q_DRS, SBOX_Q_NCB = SBOX_Q_DRS + SBOX_CBOXES, SBOX_Q_NCS = SBOX_Q_NCB + SBOX_CBOXES,
       SBOX_OUTS = SBOX_Q_NCS + SBOX_CBOXES };
enum { SBOX_Q_SNP, SBOX_Q_NDR, SBOX_Q_R2S, SBOX_INS };

struct sbox {
	struct signal_port *port;		/* never NULL */
	struct calendar_rate uclk, core;
	struct calendar to_r, from_r;
	struct entries room[SBOX_OUTS];		/* of the queues to the router */
	struct entries table;
	struct depth out[SBOX_OUTS], in[SBOX_INS];
	uint64_t sent, received;		/* packets */
};

void sbox_init(struct sbox *s, uint32_t uclk_khz, uint32_t core_khz, struct signal_port *silent);
void sbox_free(struct sbox *s);			/* what it owns */

/* When the queue for such a message of the Cbox (0 to 3 of the half) has room.  To be followed by sbox_send(). */
uint64_t sbox_room(struct sbox *s, const struct message *m, unsigned cbox, uint64_t when);

/*
 * A message off the ring at `when`, which sbox_room() gave room; routers and config are those of the machine, trip says
 * where it goes.
 */
struct rbox_times sbox_send(struct sbox *s, struct rbox *routers, const struct rbox_config *config,
			    const struct rbox_trip *trip, unsigned cbox, uint64_t when);

/* Where a message for the ring goes. */
struct sbox_delivery {
	unsigned half, cbox;		/* the Sbox's number; the Cbox of the socket */
	int core;			/* a line also goes straight to this core; -1: to none */
	uint64_t slice_at, core_at;	/* result: off the ring */
};

/* A message that the router brought: through its queue onto the ring. */
void sbox_receive(struct sbox *s, struct pring *ring, const struct message *m, const struct rbox_times *t,
		  struct sbox_delivery *d);

/* When an entry of the request table is free; it is given back by sbox_complete(). */
uint64_t sbox_begin(struct sbox *s, uint64_t when);

/* A request that began at `from` is complete at `to`; cmp: its data came together with the completion. */
void sbox_complete(struct sbox *s, const struct message *request, uint64_t from, uint64_t to, bool cmp);

/* A snoop waited for room in the queue of a Cbox. */
void sbox_waited_for_ipq(struct sbox *s, uint64_t when);

/* Tells everything about the queues before `now`. */
void sbox_advance(struct sbox *s, uint64_t now);

#endif
