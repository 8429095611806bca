/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The home agent: owns part of a socket's memory, keeps requests to it in order,
 * gathers snoop responses, reads and writes the channels behind it.  Raises the
 * signals of catalog/signals/ha.sig but for those of its ring stop (ring_*, sbo_*),
 * which whoever models the ring raises on the same port.
 *
 * A request is walked in one call, from its arrival at the home agent to the message
 * that ends it.  Lines are physical address / 64; time is machine time in picoseconds.
 */
#ifndef BXS_UNCORE_HA_HA_H
#define BXS_UNCORE_HA_HA_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/signal.h"
#include "uncore/chance.h"
#include "uncore/imc/imc.h"

struct ha;

enum {
	HA_CHANNELS = 4,	/* of a home agent */
	HA_PEERS = 7,		/* other nodes that answer a snoop */
	HA_TADS = 12,
	HA_LINKS = 3,
};

/* Requests, as QPI numbers them: message class << 4 | opcode. */
enum ha_opcode {
	HA_RD_CUR = 0x00, HA_RD_CODE = 0x01, HA_RD_DATA = 0x02, HA_NON_SNP_RD = 0x03,
	HA_RD_INV_OWN = 0x04, HA_NON_SNP_WR = 0x07, HA_INV_ITOE = 0x08,
	HA_WB_MTOI = 0x0c, HA_WB_MTOE = 0x0d, HA_WB_MTOS = 0x0e,
};

/* Snoop responses, likewise. */
enum ha_response_kind {
	HA_RSP_I = 0x10, HA_RSP_S = 0x11, HA_RSP_CNFLT = 0x14, HA_RSP_FWD = 0x18,
	HA_RSP_FWD_I = 0x19, HA_RSP_FWD_S = 0x1a, HA_RSP_FWD_I_WB = 0x1b,
	HA_RSP_FWD_S_WB = 0x1c, HA_RSP_I_WB = 0x1d, HA_RSP_S_WB = 0x1e,
};

struct ha_response {
	uint64_t when;		/* reaches the home agent */
	uint8_t kind;		/* enum ha_response_kind */
	uint8_t socket;		/* who answers */
};

struct ha_request {
	uint64_t line;		/* physical address / 64 */
	uint64_t when;		/* reaches the home agent */
	uint8_t opcode;		/* enum ha_opcode */
	uint8_t socket;		/* who asks */
	bool direct;		/* reads: data may go to the core past the CBo */
	bool partial;		/* writes: not the whole line */
	/* Source snoop: what the peers answer to the requester's snoops.  Empty if the home
	 * agent snoops, or if there is nobody to ask. */
	uint8_t responses;
	struct ha_response response[HA_PEERS];
};

struct ha_reply {
	uint64_t data;		/* the line left for the requester; 0: none is sent (write,
				 * InvItoE, or a peer forwarded it) */
	uint64_t done;		/* the completion left, with the data or by itself */
	bool apart;		/* there is data, and the completion is a message of its own */
	bool shared;		/* a peer keeps a copy: no E state */
	bool unasked;		/* and it may be the one that forwards the line: no F state either */
	bool direct;		/* data went to the core directly */
	bool peer;		/* a peer forwarded the line */
	bool written;		/* a peer had modified the line, and sent it home */
};

/* What leaves the home agent's egress queues. */
enum ha_message {
	HA_SEND_DATA_CACHE,	/* BL, to a CBo of this socket */
	HA_SEND_DATA_CORE,	/* BL, to a core of this socket */
	HA_SEND_DATA_QPI,	/* BL, to another socket */
	HA_SEND_CMP,		/* AK, completion without data to a CBo of this socket */
	HA_SEND_CMP_QPI,	/* AD, completion without data to another socket */
	HA_SEND_SNOOP,		/* AD, to the caches of one socket */
};

/* What the home agent needs from the world around it. */
struct ha_world {
	void *ctx;
	/* Home snoop: the snoop messages of rq leave at `when`, for the caches of these sockets, a bit
	 * each.  Fill in out[HA_PEERS], return how many.  NULL: nobody answers. */
	unsigned (*snoop)(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
			  uint64_t when, struct ha_response *out);
};

enum ha_snoop { HA_SNOOP_SOURCE, HA_SNOOP_HOME, HA_SNOOP_DIRECTORY };

/* How the lines of a socket spread over its home agents and their channels. */
struct ha_map {
	uint64_t base, lines;	/* first physical line of the socket's memory, how many */
	uint8_t agents;		/* home agents */
	uint8_t channels;	/* of each */
};

struct ha_place {
	unsigned agent, channel;
	uint64_t line;		/* within the channel */
};

struct ha_config {
	struct ha_map map;
	uint8_t socket, agent;	/* which socket's, and which of them */
	uint8_t peers;		/* sockets of the machine less one */
	uint8_t near;		/* others whose caches are on the same rings, a bit each: clusters of one die */
	enum ha_snoop snoop;
	uint32_t uclk_khz;
	struct imc *imc[HA_CHANNELS];	/* the caller keeps them alive */
	/* Target address decoders: region i ends before line tad[i]; at least one. */
	uint64_t tad[HA_TADS];
	uint8_t tads;
	/* In uclk. */
	uint16_t front;		/* tracker entry to request at the channel */
	uint16_t back;		/* data, or last response, to egress */
	uint16_t starved;	/* an egress entry that waits so long is starved */
	/* entries */
	uint16_t trackers, reserved;	/* of the tracker; of these, not for general use */
	uint16_t egress;		/* of each egress queue */
	uint16_t hitme;			/* of the HitME cache, used with the directory; 0: there is none */
	uint16_t osb;			/* of the tracker in use, from which on snoops wait for the directory; 0: always */
	uint16_t link_credits;		/* of each ring for the ingress of each link */
	bool direct;			/* data may go to a core past its CBo */
};

/* The numbers of an E5 v3: trackers, queues, pipeline; the rest is left 0. */
void ha_config_default(struct ha_config *config);

/* 0; BXS_EINVAL (a number out of range) or BXS_ENOMEM. */
int ha_new(const struct ha_config *config, struct ha **out);
void ha_free(struct ha *ha);		/* NULL is allowed; channels are not its own */

void ha_world(struct ha *ha, const struct ha_world *world);
/* Where signals go; its clock is uclk.  NULL: nobody measures. */
void ha_port(struct ha *ha, struct signal_port *port);
/* The uncore clock runs at khz from now on. */
void ha_uclk(struct ha *ha, uint32_t khz);

/* Walk one request.  Line must be one of this agent's by ha_route. */
struct ha_reply ha_request(struct ha *ha, const struct ha_request *rq);

/* As fabric_stays(); the channels keep theirs. */
void ha_stays(struct ha *ha, struct stays *stays);

/* What memory answers is damaged now and then, and read again. */
void ha_errors(struct ha *ha, struct chance chance);

/* A message, data or not, has left for a link at `from`; the credit for the link's ingress is back at `to`. */
void ha_link_credit(struct ha *ha, bool data, unsigned link, uint64_t from, uint64_t to);

/* As imc_rewatch() and imc_tell(), which they call for the channels. */
void ha_rewatch(struct ha *ha);
void ha_tell(struct ha *ha);

/* Nothing more will come before `now`; also advances the channels.  Call it before
 * counters are read. */
void ha_advance(struct ha *ha, uint64_t now);

/* The parity that spreads lines over a power of two of ways; up: the line without the bits for them. */
static inline unsigned ha_fold(uint64_t line, uint64_t up)
{
	return (unsigned)(line ^ up ^ up >> 4 ^ up >> 9 ^ up >> 15);
}

/*
 * Which home agent of the socket and which channel of it owns a line.  With a power of
 * two of channels a parity of higher bits is folded in, so that strides spread too;
 * consecutive lines always visit every channel in turn.
 */
static inline struct ha_place ha_route(const struct ha_map *map, uint64_t line)
{
	unsigned ways = map->agents * map->channels, way;
	uint64_t l = line - map->base;

	if (ways & (ways - 1)) {
		way = l % ways;
		l /= ways;
	} else {
		uint64_t up = l >> __builtin_ctz(ways);

		way = ha_fold(l, up) & (ways - 1);
		l = up;
	}
	return (struct ha_place){ way % map->agents, way / map->agents, l };
}

#endif
