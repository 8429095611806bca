/* SPDX-License-Identifier: BSD-2-Clause */
/* A transaction on its way through the boxes. */
#ifndef BXS_UNCORE_TRANSACTION_H
#define BXS_UNCORE_TRANSACTION_H

#include "uncore/fabric_core.h"
#include "uncore/observed.h"

/* What a kind of request asks for. */
struct fabric_op {
	uint16_t opc;			/* enum cbo_opcode, 0: Table 2-20 has none */
	uint8_t home, snoop;		/* enum ha_opcode, enum qpi_opcode */
	bool own, code, to_core, data;
	bool writes;			/* the core writes the line at once */
	uint64_t lookup;		/* flags of cbo.lookup */
};

/* One transaction on its way. */
struct transaction {
	struct fabric *f;
	struct fabric_socket *s;
	struct cbo *cbo;
	const struct fabric_op *op;
	uint64_t line;
	unsigned socket, core, slice;
	unsigned home, home_socket;	/* home agent, see fabric_find(); its socket */
	unsigned stop;			/* of the home agent; likewise */
	unsigned which;			/* of parallel links; likewise */
	struct cbo_entry entry;
	struct signal_tag tag;
	/* A peer that forwards the line: it is at this socket's R3QPI at that time. */
	uint64_t peer_data;
	bool peer_modified;
	uint8_t snoop;			/* enum qpi_opcode */
};

/* What comes back of a request to a home agent, at this socket. */
struct fabric_home_reply {
	uint64_t core;			/* data at the core's stop; 0: none */
	uint64_t slice;			/* data and completion at the slice */
	/* Those that are asked for together are not neighbours: the host would read both at once, and wait for their stores. */
	bool shared;
	bool unasked;			/* see struct ha_reply */
	bool peer;
	bool written;			/* likewise */
};

/* A walk that goes on out of line.  Member by member, so that the walk that most transactions take
 * stays in registers. */
UNCORE_INLINE struct transaction fabric_aside(const struct transaction *w, const bool observed)
{
	struct transaction c;

	c.f = w->f;
	c.s = w->s;
	c.cbo = w->cbo;
	c.op = w->op;
	c.line = w->line;
	c.socket = w->socket;
	c.core = w->core;
	c.slice = w->slice;
	c.home = w->home;
	c.home_socket = w->home_socket;
	c.which = w->which;
	c.stop = w->stop;
	c.entry.arrive = w->entry.arrive;
	c.entry.ready = w->entry.ready;
	c.entry.from = w->entry.from;
	c.entry.slot = w->entry.slot;
	c.peer_data = w->peer_data;
	c.peer_modified = w->peer_modified;
	c.snoop = w->snoop;
	if (observed)
		c.tag = w->tag;
	return c;
}

/* What only those need that leave the socket: home agent, and which of the links. */
UNCORE_INLINE void fabric_find(struct transaction *w)
{
	w->home = fabric_home_of(w->f, w->line);
	w->stop = fabric_ha_stop(w->f, w->home);
	w->which = fabric_which(w->f, w->line);
}

/* A message, where somebody stands between the rings and the system; see fabric_send(). */
UNCORE_INLINE uint64_t fabric_message(const struct transaction *w, enum fabric_way way, struct qpi_packet packet,
				      uint64_t line, unsigned home, unsigned from, unsigned to, uint64_t sent,
				      uint64_t got)
{
	if (__builtin_expect(w->f->config.message != NULL, 0))
		return fabric_send(w->f, w->slice, way, qpi_aside(&packet), line, home, from, to, sent, got);
	return got;
}

#endif
