/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a home agent, shared by its files. */
#ifndef BXS_UNCORE_HA_INSIDE_H
#define BXS_UNCORE_HA_INSIDE_H

#include "signal_ids.h"
#include "uncore/calendar.h"
#include "uncore/depth.h"
#include "uncore/ha/ha.h"
#include "uncore/ha/hitme.h"
#include "uncore/entries.h"
#include "uncore/room.h"
#include "uncore/stays.h"

enum {
	HA_LINES = 512,	/* of the table of lines under way */
	HA_SCHEDULERS = 2,
	HA_DIR_CHUNK = 1 << 16,	/* lines whose directory entries lie together */
};

/* What the directory, two bits of every line in memory, says of other sockets. */
enum ha_dir { HA_DIR_I, HA_DIR_S, HA_DIR_A };	/* none has it; shared; any, modified even */

/* The rings it sends on. */
enum ha_ring { HA_AD, HA_AK, HA_BL, HA_RINGS };

/* A line is two slots of BL. */
static inline unsigned ha_slots(enum ha_ring ring)
{
	return ring == HA_BL ? 2 : 1;
}

/* Messages in whose clock no request goes from the backup tracker to the tracker. */
enum ha_incoming { HA_IN_RESPONSE, HA_IN_DATA, HA_IN_WRITE_BACK, HA_INS };

enum ha_class { HA_CLASS_READ, HA_CLASS_INVITOE, HA_CLASS_WRITE };

/* The queues whose being not empty, or full, is told. */
enum ha_depth {
	HA_Q_TRACKER_LOCAL, HA_Q_TRACKER_REMOTE, HA_Q_TRACKER_ALL, HA_Q_TRACKER_GP,
	HA_Q_BT_LOCAL, HA_Q_BT_REMOTE, HA_Q_BT_ALL,
	HA_Q_SNOOP_LOCAL, HA_Q_SNOOP_REMOTE, HA_Q_SNOOP_ALL,
	HA_Q_RPQ_CREDIT, HA_Q_WPQ_CREDIT = HA_Q_RPQ_CREDIT + HA_CHANNELS,
	HA_Q_AD = HA_Q_WPQ_CREDIT + HA_CHANNELS, HA_Q_AK = HA_Q_AD + HA_SCHEDULERS,
	HA_Q_BL = HA_Q_AK + HA_SCHEDULERS,
	HA_Q_LINK = HA_Q_BL + HA_SCHEDULERS,	/* credits of links in use: AD, then BL */
	HA_DEPTHS = HA_Q_LINK + 2 * HA_LINKS,
};

/* Two of them in a line of the host's cache. */
struct ha_line {
	_Alignas(32) uint64_t line;	/* + 1; 0: none */
	uint64_t from, until;
	uint8_t socket;
};

struct ha {
	struct ha_config cfg;
	struct ha_world world;
	struct signal_port *port;
	struct stays *stays;		/* NULL: nobody wants to know */
	bool plain;			/* nobody listens */
	struct signal_port silent;
	struct signal_watch *nobody[SIG_HA_COUNT];
	uint64_t period;		/* of uclk, in ps << 16 */
	struct calendar_rate uclk;
	uint64_t front, back, starved;	/* ps */
	uint32_t slots[HA_RINGS];	/* ps that a message takes of its ring */
	struct entries tracker;
	struct room room;
	uint64_t newest;		/* the latest arrival */
	unsigned turn;			/* scheduler of the next message */
	bool dir_lost;			/* no memory for some entries: any */
	uint8_t way_bits, agent_bits;	/* ways of a socket and agents, as powers of two; 0: ha_route() */
	unsigned way_mask;
	struct calendar ring[HA_RINGS][HA_SCHEDULERS];	/* slots of the stop: AD, AK, BL */
	struct ha_response own[HA_PEERS];	/* what the peers said last */
	struct ha_line line[HA_LINES];
	struct depth depth[HA_DEPTHS];
	uint8_t **dir;			/* chunks, or NULL: all HA_DIR_I */
	uint64_t dir_chunks;
	struct hitme hitme;
	struct calendar in[HA_INS];	/* when they come, while entries are scarce */
	struct chance error;		/* of a read of memory */
};

/* A request on its way through the home agent. */
struct ha_transaction {
	struct ha *ha;
	const struct ha_request *rq;
	enum ha_class class;
	struct ha_line *line;
	uint64_t in;			/* has its tracker entry */
	uint64_t free;			/* which was free from here on */
	const struct ha_response *response;
	unsigned responses;
	uint64_t snooped;		/* last response in; 0: nobody was asked */
};

static inline uint64_t ha_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What the snoop responses to a request come to. */
enum ha_outcome { HA_FORWARDED = 1, HA_WRITTEN = 2, HA_KEPT = 4, HA_CONFLICT = 8 };

/* ha_route() for a line that is this agent's. */
static inline struct ha_place ha_place(const struct ha *ha, uint64_t line)
{
	uint64_t l = line - ha->cfg.map.base, up = l >> ha->way_bits;

	if (__builtin_expect(!ha->way_bits, 0))
		return ha_route(&ha->cfg.map, line);
	return (struct ha_place){
		ha->cfg.agent, (ha_fold(l, up) & ha->way_mask) >> ha->agent_bits, up,
	};
}

/* A read of memory. */
struct ha_read {
	uint64_t data;		/* the line is here */
	bool bypass;		/* it went past the scheduler of its channel; known only if somebody listens */
};

/* Does the request come from this socket? */
static inline bool ha_local(const struct ha_transaction *w)
{
	return w->rq->socket == w->ha->cfg.socket;
}

/* Does its answer stay on the rings here? */
static inline bool ha_near(const struct ha_transaction *w)
{
	return w->ha->cfg.near >> w->rq->socket & 1;
}

/* ha/directory.c */
bool ha_dir_init(struct ha *ha);
void ha_dir_free(struct ha *ha);
/* n: number of the line within the home agent. */
enum ha_dir ha_dir_get(const struct ha *ha, uint64_t n);
/* Only the caller knows whether the new state costs a write. */
void ha_dir_set(struct ha *ha, uint64_t n, enum ha_dir state);

/* ha/request.c: a request, in an observed or a batched run. */
struct ha_reply ha_request_observed(struct ha *ha, const struct ha_request *rq);
struct ha_reply ha_request_batched(struct ha *ha, const struct ha_request *rq);

#endif
