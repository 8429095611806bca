/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of a transaction, made three times: FABRIC_TOLD is 1 where all signals are raised, 0 where
 * those that fabric_lumps.c names are counted and no others are listened to.  Of the latter kind is one with
 * FABRIC_BRIDGED, for a fabric that has somebody between the rings and the system.
 */
#ifndef FABRIC_TOLD
#error "to be included by fabric_told.c, fabric_plain.c and fabric_bridged.c"
#endif

#include "signal_ids.h"
#include "uncore/fabric_walk.h"

/* What nearly every transaction does is one piece of code without calls; what few do stays out of it. */
#define FABRIC_HOT static inline __attribute__((always_inline))
#define FABRIC_COLD static __attribute__((noinline))

/* As signal_pulse() and signal_span(), for ports of CBos: most signals are watched by nobody
 * anywhere, and then the port is not even looked at. */
FABRIC_HOT void fabric_pulse(const struct fabric *f, struct signal_port *p, unsigned sig, uint64_t when,
				uint64_t n, uint64_t flags, const struct signal_tag *tag)
{
	if (FABRIC_TOLD && fabric_tells(f, sig))
		signal_pulse(p, sig, when, n, flags, tag);
}

FABRIC_HOT void fabric_span(const struct fabric *f, struct signal_port *p, unsigned sig, uint64_t from,
			       uint64_t to, uint64_t n, uint64_t flags, const struct signal_tag *tag)
{
	if (FABRIC_TOLD && fabric_tells(f, sig))
		signal_span(p, sig, from, to, n, flags, tag);
}

/* Those that can be told in lumps. */
FABRIC_HOT void fabric_lookup(const struct fabric *f, struct cbo *c, uint64_t when, uint64_t flags,
				 unsigned state, const struct signal_tag *tag)
{
	fabric_pulse(f, c->port, SIG_CBO_LOOKUP, when, 1, flags, tag);
	if (!FABRIC_TOLD)
		c->lumps.lookup[flags][state]++;
}

FABRIC_HOT void fabric_tor(const struct fabric *f, struct cbo *c, uint64_t from, uint64_t to, uint64_t flags,
			      const struct signal_tag *tag)
{
	fabric_pulse(f, c->port, SIG_CBO_TOR_INSERT, from, 1, flags, tag);
	fabric_span(f, c->port, SIG_CBO_TOR, from, to, 1, flags | (tag->opc == CBO_DRD ? CBO_TOR_DRD : 0), tag);
	if (!FABRIC_TOLD)
		c->lumps.tor_insert[flags]++;
}

FABRIC_HOT void fabric_victim(const struct fabric *f, struct cbo *c, uint64_t when, uint64_t flags,
				 const struct signal_tag *tag)
{
	fabric_pulse(f, c->port, SIG_CBO_VICTIM, when, 1, flags, tag);
	if (!FABRIC_TOLD)
		c->lumps.victim[flags]++;
}

FABRIC_HOT uint64_t fabric_ring(struct ring *r, enum ring_kind kind, unsigned from, unsigned to, uint64_t when)
{
	return FABRIC_TOLD ? ring_send(r, kind, from, to, when) : ring_pass(r, kind, from, to, when);
}

/* From R3QPI of a socket to that of another which may be further than a link away: what goes on from the sockets between does
 * so on the second virtual network. */
FABRIC_COLD uint64_t fabric_route(struct fabric *f, unsigned from, unsigned to, struct qpi_packet packet, uint64_t line,
				  uint64_t when)
{
	while (from != to) {
		unsigned next = fabric_next(f, from, to);

		packet.through = next != to;
		when = qpi_send(&f->lane[from * f->config.sockets + next], packet, line, when, FABRIC_TOLD);
		packet.vn1 = true;
		from = next;
	}
	return when;
}

/* The record of stays, by who sees them come and leave. */
FABRIC_HOT void fabric_come(const struct fabric *f, enum stays_where at, const struct signal_port *p, uint64_t when)
{
	if (FABRIC_TOLD)
		stays_come(f->stays, at, p, when, 1);
}

FABRIC_HOT void fabric_gone(const struct fabric *f, enum stays_where at, const struct signal_port *p, uint64_t when)
{
	if (FABRIC_TOLD)
		stays_leave(f->stays, at, p, when, 1);
}

/* From a stop of a socket where that may be within the socket, or more than a link away. */
FABRIC_COLD uint64_t fabric_cross_far(struct fabric *f, unsigned from, unsigned stop, unsigned to, struct qpi_packet packet,
				      uint64_t line, uint64_t when)
{
	struct ring *ring = &f->socket[from].ring;

	if (f->split && fabric_inside(f, from, to))
		return ring_over(ring, qpi_ring(packet.class), stop, fabric_pair(f, line), when, FABRIC_TOLD);
	when = fabric_ring(ring, qpi_ring_out(packet.class), stop, RING_R3QPI, when);
	return f->routed ? fabric_route(f, from, to, packet, line, when) :
			   qpi_send(fabric_lane(f, from, to, line), packet, line, when, FABRIC_TOLD);
}

/* From a stop of a socket, s, over one of the links onto the other socket's ring. */
FABRIC_HOT uint64_t fabric_cross_by(struct fabric *f, unsigned which, struct fabric_socket *s, unsigned from,
				    unsigned stop, unsigned to, struct qpi_packet packet, uint64_t line, uint64_t when)
{
	struct qpi_lane *lane = &f->lanes[from][to][which];
	uint64_t sent = when;

	if (__builtin_expect(f->far, 0)) {
		when = fabric_cross_far(f, from, stop, to, qpi_aside(&packet), line, when);
	} else {
		KEEP(lane);
		when = fabric_ring(&s->ring, qpi_ring_out(packet.class), stop, RING_R3QPI, when);
		when = qpi_send(lane, packet, line, when, FABRIC_TOLD);
	}
	if (FABRIC_TOLD && stop >= RING_HA && stop < RING_HA + RING_HAS && !(f->split && fabric_inside(f, from, to)))
		fabric_tell_home_credit(f, from, stop, f->routed ? fabric_next(f, from, to) : to, which,
					qpi_ring_out(packet.class), sent);
	return when;
}

FABRIC_HOT uint64_t fabric_cross(struct fabric *f, unsigned from, unsigned stop, unsigned to,
				 struct qpi_packet packet, uint64_t line, uint64_t when)
{
	return fabric_cross_by(f, fabric_which(f, line), &f->socket[from], from, stop, to, packet, line, when);
}

/* The same with a line; on one die that for the core goes by itself before that for the slice, as within a cluster. */
FABRIC_HOT uint64_t fabric_cross_line(struct fabric *f, unsigned which, unsigned from, unsigned stop, unsigned to,
				      struct qpi_packet packet, uint64_t line, uint64_t when)
{
	uint64_t first = fabric_cross_by(f, which, &f->socket[from], from, stop, to, packet, line, when);

	if (__builtin_expect(f->split, 0))
		f->behind = !packet.core || !fabric_inside(f, from, to) ? 0 :
			    fabric_cross(f, from, stop, to, packet, line, when) - first;
	return first;
}

/* A walk that goes on out of line.  Member by member, so that the walk that most transactions take
 * stays in registers. */
FABRIC_HOT struct fabric_walk fabric_aside(const struct fabric_walk *w)
{
	struct fabric_walk c;

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
	if (FABRIC_TOLD)
		c.tag = w->tag;
	return c;
}

/* What only those need that leave the socket: home agent, and which of the links. */
FABRIC_HOT void fabric_find(struct fabric_walk *w)
{
	w->home = fabric_home_of(w->f, w->line);
	w->stop = fabric_ha_stop(w->f, w->home);
	w->which = fabric_which(w->f, w->line);
}

/* The home agent's answer, and how long it took. */
FABRIC_HOT struct ha_reply fabric_ask(const struct fabric_walk *w, const struct ha_request *rq)
{
	struct ha_reply reply = ha_request(w->f->ha[w->home], rq);

	if (FABRIC_TOLD && w->f->stays) {
		const struct signal_port *p = w->f->socket[w->home_socket].ring.port[w->stop];

		fabric_come(w->f, STAYS_HOME, p, rq->when);
		/* Data may leave after a completion of its own. */
		fabric_gone(w->f, STAYS_HOME, p, reply.data > reply.done ? reply.data : reply.done);
	}
	return reply;
}

/* A message, where somebody stands between the rings and the system; see fabric_send(). */
FABRIC_HOT uint64_t fabric_message(const struct fabric_walk *w, enum fabric_way way, struct qpi_packet packet,
				      uint64_t line, unsigned home, unsigned from, unsigned to, uint64_t sent,
				      uint64_t got)
{
	if (FABRIC_BRIDGED || (FABRIC_TOLD && __builtin_expect(w->f->config.message != NULL, 0)))
		return fabric_send(w, way, packet, line, home, from, to, sent, got);
	return got;
}

/* What a request finds in its slice. */
FABRIC_HOT void fabric_tell_found(const struct fabric_walk *w, uint64_t when, unsigned state)
{
	bool upgrade = w->op->own && w->op->to_core && (state == LLC_S || state == LLC_F);
	uint64_t flags = fabric_state_flag(CBO_FOUND_I, state) | (upgrade ? CBO_FOUND_UPGRADE : 0) |
			 (w->op->lookup & CBO_LOOKUP_WRITE ? CBO_FOUND_WRITE : 0);

	fabric_pulse(w->f, w->cbo->port, SIG_CBO_FOUND, when, 1, flags, &w->tag);
	if (FABRIC_BRIDGED)
		w->cbo->lumps.found[flags]++;
}

/* fabric_request.h */
/* The request reaches its slice and gets an entry; returns when its tags are read. */
FABRIC_HOT uint64_t fabric_enter(struct fabric_walk *w, const struct fabric_request *r);
/* The entry is over at `end`: tell the TOR. */
FABRIC_HOT void fabric_leave(struct fabric_walk *w, uint64_t end, uint64_t flags);

#include "uncore/fabric_bounce.h"
#include "uncore/fabric_retry.h"
#include "uncore/fabric_snoop.h"
#include "uncore/fabric_home.h"
#include "uncore/fabric_store.h"
#include "uncore/fabric_mmio.h"
#include "uncore/fabric_request.h"
