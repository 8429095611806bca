/* SPDX-License-Identifier: BSD-2-Clause */
/* What the boxes of the fabric share: sockets, latencies, who is where. */
#ifndef BXS_UNCORE_FABRIC_CORE_H
#define BXS_UNCORE_FABRIC_CORE_H

#include "uncore/cbo/cbo.h"
#include "uncore/fabric.h"
#include "uncore/ha/ha.h"
#include "uncore/io/irp.h"
#include "uncore/cbo/llc.h"
#include "uncore/qpi/qpi.h"
#include "uncore/qpi/faults.h"
#include "uncore/qpi/r3.h"
#include "uncore/ring/ring.h"
#include "uncore/ring/sink.h"
#include "uncore/stays.h"
#include "uncore/ring/stop.h"
#include "uncore/io/ubox.h"

/*
 * The constants of time, in uncore clocks but for the link's.  name, value, what it is.
 * Chosen such that at 2.5 GHz of cores and uncore, with an idle machine, a load finds its
 * line in the own socket's cache after 21 ns, in local memory after 96 ns and in the
 * other socket's memory after 146 ns on average (Molka and others, "Cache Coherence
 * Protocol and Memory Performance of the Intel Haswell-EP Architecture", ICPP 2015);
 * tests/uncore/latency.c holds them to it.
 */
#define FABRIC_LATENCIES(X) \
	X(core_out, 5, "core: miss of L2 to the ring") \
	X(core_in, 6, "ring to the core's load") \
	X(tag, 9, "slice: ingress queue to tags read") \
	X(hit, 8, "tags read to data at the egress") \
	X(go, 2, "tags read to a message without data at the egress") \
	X(miss, 16, "tags read to request at the egress, with its request number") \
	X(home_in, 10, "ring to the home agent's queue") \
	X(home_out, 8, "home agent's egress to the ring") \
	X(fill, 4, "data from the ring into the slice") \
	X(core_snoop, 42, "a core's answer to a snoop of its private caches") \
	X(core_data, 20, "more, if it sends the line") \
	X(retry, 20, "a request sent back to its queue comes again") \
	X(r3_out, 8, "ring to link layer") \
	X(r3_in, 8, "link layer to ring") \
	X(credit, 8, "link credit until it is given back") \
	X(device, 1000, "ring stop of the I/O to a device and back") \
	X(irp, 10, "IRP: a transaction of a device to a request, or an answer to what it waits for") \
	X(quiesce, 1200, "UBox: the requests of a socket's cores have drained")

enum {
	FABRIC_HOP = 1,		/* uclk from ring stop to ring stop */
	FABRIC_SBO = 4,		/* uclk through an SBo */
	FABRIC_SMALL_DIE = 12,	/* cores of the largest one with one pair of SBos */
	FABRIC_FLIGHT_PS = 13000,	/* serialisers, wire and deserialisers of a link */
};

struct fabric_latency {
#define X(name, clocks, text) uint32_t name;
	FABRIC_LATENCIES(X)
#undef X
};

/* The distress wires of a ring are, or were, up. */
struct fabric_distress {
	uint64_t from, until;
};

struct fabric_socket {
	uint64_t alarm;			/* no wire is up at this time or later */
	struct llc llc;
	struct ring ring;
	struct qpi_drain drain;
	struct irp irp;
	struct ubox ubox;
	struct cbo cbo[FABRIC_MAX_CORES];
	struct fabric_distress distress[2];	/* of each ring */
	uint64_t let_out[RING_STOPS];		/* until then the anti-deadlock slot was not free */
	struct sink snoops[FABRIC_MAX_CORES];	/* of a core's caches, not answered yet */
	struct stop stop[RING_STOPS];
	struct r3 r3;
};

enum {
	FABRIC_SILENT_SIGNALS = 64,
	FABRIC_PAGES = 1 << 20,		/* of fabric.present */
	FABRIC_PAGE_BITS = 6,		/* lines of a page, as a power of two */
};

typedef struct fabric_reply fabric_request_fn(struct fabric *f, const struct fabric_request *r);

struct fabric {
	struct fabric_config config;
	struct fabric_latency at;		/* ps */
	struct calendar_rate uclk;
	struct fabric_socket *socket;
	struct qpi_lane *lane;			/* [from][to][parallel] */
	struct qpi_trouble *trouble;		/* of each lane */
	struct ha **ha;
	unsigned parallel;			/* links between two sockets */
	/* Not all sockets are neighbours: a square or a cube, in which links are numbered by direction. */
	bool routed;
	bool far;				/* that, or sockets are split: not all pairs have a link of their own */
	unsigned has_shift;			/* home agents of a socket, as a power of two */
	/*
	 * Which sockets' caches have ever taken a line of a page, a bit each; pages may share a byte.
	 * Most pages are one socket's own: then a snoop of another need not look at the tags there.
	 */
	uint8_t *present;
	uint64_t told;				/* signals that somebody watches at some CBo, a bit each */
	fabric_request_fn *walk[LEAVE_KINDS];	/* of each kind of request */
	bool plain;				/* nobody asks for more than lumps */
	bool lumped;				/* something is to be told in lumps */
	/* Lines of a node, and channels of a node, as powers of two; 0: ask config.home. */
	unsigned node_shift, way_bits;
	uint64_t node_mask;
	struct transaction *current;		/* the walk that a home agent is asked for */
	unsigned split;				/* clusters of a socket, as a power of two */
	unsigned gate;				/* stop at which data of a peer's comes onto the ring of who asked */
	uint64_t behind;			/* from another cluster: how much later than the core's line the slice's comes there */
	struct stays *stays;			/* NULL: nobody wants to know */
	struct qpi_lane *lanes[FABRIC_MAX_SOCKETS][FABRIC_MAX_SOCKETS];	/* where those of a pair begin */
	struct qpi_end end[FABRIC_MAX_SOCKETS][FABRIC_MAX_LINKS];	/* of whole sockets */
	struct signal_port silent;
	struct signal_watch *no_watch[FABRIC_SILENT_SIGNALS];
};

static inline bool fabric_tells(const struct fabric *f, unsigned sig)
{
	return __builtin_expect(f->told >> sig & 1, 0);
}

/* Flags of a line's state in the signals of a CBo, I first. */
static inline uint64_t fabric_state_flag(uint64_t first, unsigned state)
{
	return first << state;
}

static inline uint8_t *fabric_present(const struct fabric *f, uint64_t line)
{
	uint64_t page = line >> FABRIC_PAGE_BITS;

	/* Neighbours lie side by side; nodes, whose memory starts at round addresses, apart. */
	return &f->present[(page + (page >> 20) * 0x3779b) % FABRIC_PAGES];
}

/* Could the line be in this socket's cache? */
static inline bool fabric_may_have(const struct fabric *f, unsigned socket, uint64_t line)
{
	return *fabric_present(f, line) >> socket & 1;
}

static inline unsigned fabric_socket_of(const struct fabric *f, unsigned home)
{
	return home >> f->has_shift;
}

/* A core that was snooped has dropped a clean line on the quiet. */
static inline bool fabric_was_fse(unsigned meta)
{
	return (meta & LLC_GONE) && (meta & LLC_STATE) != LLC_M;
}

/* Links take turns with lines; all messages of a line keep to one. */
static inline unsigned fabric_which(const struct fabric *f, uint64_t line)
{
	unsigned hash = (unsigned)((line ^ line >> 7 ^ line >> 13) * 0x9e37) & 0xffff;

	return hash * f->parallel >> 16;
}

static inline struct qpi_lane *fabric_lane(struct fabric *f, unsigned from, unsigned to, uint64_t line)
{
	return &f->lanes[from][to][fabric_which(f, line)];
}

/* The port of this side of a link between two sockets. */
static inline unsigned fabric_link(const struct fabric *f, unsigned from, unsigned to, unsigned which)
{
	if (f->routed)
		return (unsigned)__builtin_ctz(from ^ to);
	return f->parallel > 1 ? which : (((from ^ to) >> f->split) - 1) % f->config.links;
}

/* The socket that a packet from one to another goes to first. */
static inline unsigned fabric_next(const struct fabric *f, unsigned from, unsigned to)
{
	return f->routed ? from ^ ((from ^ to) & -(from ^ to)) : to;
}

/* A message of a line of this slice was sent and got in these sockets at these times: tell whoever stands between the rings
 * and the system; returns when it is really there. */
uint64_t fabric_send(const struct fabric *f, unsigned slice, enum fabric_way way, struct qpi_packet packet, uint64_t line,
		     unsigned home, unsigned from, unsigned to, uint64_t sent, uint64_t got);

/* Do both belong to one socket, as clusters of it? */
static inline bool fabric_inside(const struct fabric *f, unsigned from, unsigned to)
{
	return from >> f->split == to >> f->split;
}

/* The pair of SBos that messages of a line take between clusters. */
static inline unsigned fabric_pair(const struct fabric *f, uint64_t line)
{
	return (unsigned)(line ^ line >> 7) & (f->socket[0].ring.config.pairs - 1u);
}

/* The stop at which messages of a line from another socket, or cluster, come onto a ring. */
static inline unsigned fabric_gate(const struct fabric *f, unsigned from, unsigned to, uint64_t line)
{
	if (__builtin_expect(!f->far, 1) || !f->split || !fabric_inside(f, from, to))
		return RING_R3QPI;
	return ring_gate(&f->socket[to].ring, fabric_pair(f, line));
}

/* The cluster that devices and links of a cluster's socket are at. */
static inline unsigned fabric_front(const struct fabric *f, unsigned socket)
{
	return socket >> f->split << f->split;
}

/* Stop of a home agent on its socket's ring. */
static inline unsigned fabric_ha_stop(const struct fabric *f, unsigned home)
{
	return RING_HA + (home & (f->config.has - 1));
}

/* The home agent of a line; see ha_route(). */
static inline unsigned fabric_home_of(const struct fabric *f, uint64_t line)
{
	unsigned socket;
	uint64_t up;

	if (__builtin_expect(!f->node_shift, 0))
		return f->config.home(f->config.ctx, line);
	socket = (unsigned)(line >> f->node_shift);
	line &= f->node_mask;
	up = line >> f->way_bits;
	return socket << f->has_shift |
	       ((unsigned)(line ^ up ^ up >> 4 ^ up >> 9 ^ up >> 15) & (f->config.has - 1));
}

/* The socket whose memory a line is in. */
static inline unsigned fabric_node_of(const struct fabric *f, uint64_t line)
{
	if (__builtin_expect(!f->node_shift, 0))
		return fabric_socket_of(f, f->config.home(f->config.ctx, line));
	return (unsigned)(line >> f->node_shift);
}

/* A message has left a home agent's stop at `sent`, and has just gone over a link to the socket `next`. */
void fabric_tell_home_credit(struct fabric *f, unsigned socket, unsigned stop, unsigned next, unsigned which,
			     enum ring_kind ring, uint64_t sent);

/* io/device.c: walk a device's transaction; finish the writes whose turn comes before or at `until`. */
struct fabric_io;
uint64_t fabric_io_walk(struct fabric *f, const struct fabric_io *io);
void fabric_io_finish(struct fabric *f, uint64_t until);

/* qpi/links.c */
void fabric_links_init(struct fabric *f);
void fabric_links_free(struct fabric *f);	/* of half-built fabrics as well */
void fabric_links_uclk(struct fabric *f);
void fabric_links_advance(struct fabric *f, uint64_t now);
/* Connect the lanes with the ends of their links, whose ports may have listeners now. */
void fabric_wire_lanes(struct fabric *f);

/* fabric_lumps.c */

/* Is a batched run enough for whoever listens? */
bool fabric_lumps_do(const struct fabric *f);

#endif
