/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a transaction through the uncore of all sockets: core interface, ring,
 * cache slice (CBo), SBo, R3QPI, QPI link, home agent and back.
 *
 * A transaction is walked in one call.  Each box on the way is a set of resources with
 * a booking calendar; the walk takes an arrival time and returns completion times, and
 * raises the signals of every box it passes with their proper times.  Transactions of
 * different cores may arrive slightly out of order of time.
 *
 * Time is machine time in picoseconds.  Everything is integer and deterministic.
 */
#ifndef BXS_UNCORE_FABRIC_H
#define BXS_UNCORE_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/signal.h"
#include "uncore/qpi/qpi.h"
#include "xcore/leave.h"

struct fabric;
struct ha;
struct ha_map;
struct stays;

enum {
	FABRIC_MAX_SOCKETS = 8,
	FABRIC_MAX_CORES = 18,	/* of a socket; a cache slice comes with each */
	FABRIC_MAX_LINKS = 3,
	FABRIC_SETS = 2048,	/* of a slice */
	FABRIC_MAX_WAYS = 24,
};

/* Who sends the snoops of a request that missed its socket's cache. */
enum fabric_snoop {
	FABRIC_SNOOP_SOURCE,	/* the requesting CBo, to all other sockets at once ("early") */
	FABRIC_SNOOP_HOME,	/* the home agent, to all but the requester */
	FABRIC_SNOOP_DIRECTORY,	/* the home agent, when its directory says so */
};

/*
 * What a line may be used for by the core that asked.  FABRIC_NONE: the request leaves
 * the core without the line (write-backs, streaming stores, LLC prefetches).
 */
enum fabric_grant { FABRIC_NONE, FABRIC_SHARED, FABRIC_EXCLUSIVE, FABRIC_MODIFIED };

/* Where the data (or the permission) came from. */
enum fabric_source {
	FABRIC_FROM_LLC,	/* the slice itself */
	FABRIC_FROM_CORE,	/* hit, after a snoop of another core of the socket */
	FABRIC_FROM_LOCAL,	/* memory of this socket */
	FABRIC_FROM_REMOTE,	/* memory of another socket */
	FABRIC_FROM_PEER,	/* cache of another socket */
	FABRIC_FROM_DEVICE,	/* memory-mapped input and output */
};

/* What snoops of other caches said about the line, where some were needed. */
enum fabric_found { FABRIC_NOT_SNOOPED, FABRIC_SNOOP_MISS, FABRIC_SNOOP_HIT, FABRIC_SNOOP_HITM };

/* Whom a packet of the protocol comes from and goes to. */
enum fabric_way { FABRIC_SLICE_HOME, FABRIC_HOME_SLICE, FABRIC_SLICE_SLICE, FABRIC_SLICE_IO, FABRIC_IO_SLICE };

/* A packet between a slice and a home agent, the slices of two sockets, or a slice and a device. */
struct fabric_message {
	uint64_t line;
	uint64_t sent, got;		/* off the sender's egress; at the receiver, or its socket's ring */
	struct qpi_packet packet;
	uint8_t way;			/* enum fabric_way */
	uint8_t from, to;		/* sockets */
	uint8_t slice;			/* on both sides */
	uint8_t home;			/* home agent, within its socket */
	uint8_t link, far;		/* which of the sender's, and of the receiver's, when it leaves its socket */
};

/* What families need other uncore clocks for than Haswell; 0: its own.  fabric_core.h says what they are. */
struct fabric_times {
	uint8_t core_out, core_in, tag, hit, r3_out, r3_in;
};

/*
 * Where a socket is split into two clusters, each of them is what is called a socket here: it has its part of the cores and
 * slices, a home agent, and is snooped by itself.  Clusters 2s and 2s + 1 are those of socket s; they share its links, and
 * devices and the UBox are the first one's.  Ports are bound by what the boxes are called in the socket.
 */
struct fabric_config {
	unsigned sockets, cores, ways, links;
	unsigned clusters;		/* of a socket; 0: it is not split */
	unsigned has;			/* home agents of a socket, 1 or 2 */
	bool one_ring;			/* no SBos: the ring of a socket has all of its cores */
	enum fabric_snoop snoop;
	uint32_t uclk_khz;
	uint32_t qpi_mts;		/* million transfers a second; a flit is four */
	unsigned vna;			/* shared credits of a link; 0: as many as the receiver has room for */
	bool narrows;			/* idle links go to half width */
	struct fabric_times times;
	bool indirect;			/* data never goes to a core past its slice */
	struct ha *const *ha;		/* [sockets * has]; the caller keeps them alive */

	/* The home agent of a line: socket * has + its number in the socket. */
	unsigned (*home)(void *ctx, uint64_t line);
	/* [sockets], or NULL: the same as tables, which is quicker; the caller keeps them alive. */
	const struct ha_map *map;
	/* A core's private caches must give up or share a line. */
	void (*snoop_core)(void *ctx, unsigned socket, unsigned core, uint64_t line,
			   enum leave_snoop_kind kind);
	/* A message is under way; returns how much later than m->got it is there.  NULL: not at all. */
	uint64_t (*message)(void *ctx, const struct fabric_message *m);
	void *ctx;
};

struct fabric_request {
	uint64_t line;			/* physical address / 64 */
	uint64_t when;			/* the core's private caches have missed */
	uint8_t socket, core, thread;	/* core within the socket */
	uint8_t kind;			/* enum leave_kind */
	uint8_t slice;			/* of the line; fabric_request() finds it */
};

struct fabric_reply {
	uint64_t when;			/* the core may use it, or is rid of it */
	uint32_t grant : 8;		/* enum fabric_grant */
	uint32_t source : 8;		/* enum fabric_source */
	uint32_t found : 8;		/* enum fabric_found; of memory: of other sockets' caches */
};

/* 0; BXS_EINVAL (a number out of range) or BXS_ENOMEM. */
int fabric_new(const struct fabric_config *config, struct fabric **out);
void fabric_free(struct fabric *f);		/* NULL is allowed */

/*
 * Walk one request.  Kinds that are no transaction (LEAVE_TICK, LEAVE_HALT) must not be
 * passed.  LEAVE_DIRTY and LEAVE_WB_E only tell the model who holds what and cost
 * nothing.  A core's view of load latency is its own look-ups (12 core clocks to miss
 * L2) and then reply.when - request.when.
 */
struct fabric_reply fabric_request(struct fabric *f, const struct fabric_request *r);

/* The same for one whose slice is known. */
struct fabric_reply fabric_request_at(struct fabric *f, const struct fabric_request *r);

/*
 * The same for LEAVE_DIRTY and LEAVE_WB_E only, which there is nothing to say of.  False: the line is not the core's own; the
 * core has read it and not yet heard that others have it, or have taken it, so writing it takes a LEAVE_RFO.
 */
bool fabric_note(struct fabric *f, const struct fabric_request *r);

unsigned fabric_slice(const struct fabric *f, unsigned socket, uint64_t line);

/* What the 64 lines of a page have in common. */
struct fabric_page {
	uint64_t line;			/* its first */
	uint16_t hash;			/* of its slices */
	uint8_t present;		/* sockets that may have had lines of it by then, a bit each */
};
struct fabric_page fabric_page(const struct fabric *f, uint64_t line);

/* The host should load what a request of `socket` for line n of the page will look at: call it some records ahead.  Returns the
 * line's slice. */
unsigned fabric_prefetch(const struct fabric *f, unsigned socket, const struct fabric_page *page, unsigned n);

/*
 * Tell listeners of what was only counted, here and in home agents and channels.  Before watches are hung or taken off,
 * and before what they have added is looked at.
 */
void fabric_tell(struct fabric *f);

/* Nothing more will come before `now`.  Call it before counters are read; tells as well. */
void fabric_advance(struct fabric *f, uint64_t now);

/*
 * Bind the port of a box: "cbo", "sbo", "qpi", "r3qpi", "r2pcie", "irp", "ubox", "ha" (ring stop of a home
 * agent; its other signals are its own).  NULL: nobody measures it.  false: no such box.
 */
bool fabric_port(struct fabric *f, unsigned socket, const char *type, unsigned box,
		 struct signal_port *port);

/*
 * Call after watches of any port were hung or taken off, or ports have become exact or ceased to be:
 * the fabric keeps what it need not walk (ring stops of a ring that nobody watches), and which
 * signals it may tell in lumps.  It finds that out before its next walk; who lets home agents
 * and channels go on by themselves calls fabric_settle() first, which passes it on to them.
 */
void fabric_rewatch(struct fabric *f);
void fabric_settle(struct fabric *f);
/* Does nobody ask when things happen in it?  As it was settled last. */
bool fabric_plain(const struct fabric *f);

/* What comes over the links before `until` waits for it: the clocks of the rings change. */
void fabric_hold(struct fabric *f, uint64_t until);
/* The links are shut down from `when` on, or in use again. */
void fabric_links_sleep(struct fabric *f, uint64_t when, bool sleep);
/* From now on a flit is damaged once in 2^64 / below times. */
void fabric_link_errors(struct fabric *f, uint64_t below, uint64_t seed);

/* Keep a record of who stays how long where; NULL: no more. */
void fabric_stays(struct fabric *f, struct stays *stays);

/* The uncore clock runs at khz from now on. */
void fabric_uclk(struct fabric *f, uint32_t khz);

#endif
