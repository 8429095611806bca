/* SPDX-License-Identifier: BSD-2-Clause */
/* Between a slice and a home agent: requests, snoops on behalf of them, data, write-backs. */
#ifndef BXS_UNCORE_CBO_HOME_H
#define BXS_UNCORE_CBO_HOME_H

#include "uncore/cbo/retry.h"
#include "uncore/cbo/snoop.h"
#include "uncore/transaction.h"

/* The home agent's answer, and how long it took. */
UNCORE_INLINE struct ha_reply cbo_home_request(const struct transaction *w, const struct ha_request *rq, const bool observed)
{
	struct ha_reply reply = ha_request(w->f->ha[w->home], rq);

	if (observed && w->f->stays) {
		const struct signal_port *p = w->f->socket[w->home_socket].ring.port[w->stop];

		fabric_residency_from(w->f, STAYS_HOME, p, rq->when, observed);
		/* Data may leave after a completion of its own. */
		fabric_residency_to(w->f, STAYS_HOME, p, reply.data > reply.done ? reply.data : reply.done, observed);
	}
	return reply;
}

UNCORE_INLINE void home_egress(const struct transaction *w, uint64_t when, uint64_t flag, const bool observed)
{
	cbo_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, when, 1, flag, &w->tag, observed);
}

/* A packet from the slice to a home agent, which may be in another socket. */
UNCORE_INLINE uint64_t home_packet(const struct transaction *w, struct qpi_packet packet, uint64_t when,
			       const bool observed)
{
	struct fabric *f = w->f;
	unsigned socket = w->home_socket;
	enum ring_kind kind = qpi_ring(packet.class);

	uint64_t sent = when;

	home_egress(w, when, kind == RING_BL ? CBO_TXR_INSERT_BL_CACHE : CBO_TXR_INSERT_AD_CACHE, observed);
	packet.to = (uint8_t)socket;
	packet.requester = (uint8_t)w->socket;
	if (socket == w->socket) {
		when = cbo_ring_again(w, kind, w->stop, when, observed);
	} else {
		when = fabric_cross_by(f, w->which, w->s, w->socket, w->slice, socket, packet, w->line, when, observed);
		when = fabric_ring(&f->socket[socket].ring, kind, fabric_gate(f, w->socket, socket, w->line), w->stop,
				   when, observed);
	}
	return fabric_message(w, FABRIC_SLICE_HOME, packet, w->line, w->home, w->socket, socket, sent,
			      when + f->at.home_in);
}

/* The completion without data, back to the slice. */
UNCORE_INLINE uint64_t home_completion(const struct transaction *w, unsigned opcode, uint64_t when, const bool observed)
{
	struct fabric *f = w->f;
	unsigned socket = w->home_socket, stop = w->stop;
	struct qpi_packet packet = {
		.class = QPI_NDR,
		.opcode = (uint8_t)opcode,
		.to = (uint8_t)w->socket,
		.requester = (uint8_t)w->socket,
	};

	uint64_t sent = when += f->at.home_out;

	if (socket != w->socket) {
		when = fabric_cross_by(f, w->which, &f->socket[socket], socket, stop, w->socket, packet, w->line, when,
				       observed);
		stop = fabric_gate(f, w->home_socket, w->socket, w->line);
	}
	when = fabric_message(w, FABRIC_HOME_SLICE, packet, w->line, w->home, socket, w->socket, sent, when);
	when = fabric_ring(&w->s->ring, RING_AK, stop, w->slice, when, observed);
	cbo_pulse(w->f, w->cbo->port, SIG_CBO_RXR_INSERT, when, 1, CBO_RXR_INSERT_ISMQ, &w->tag, observed);
	cbo_pulse(w->f, w->cbo->port, SIG_CBO_SINK, when, 1, CBO_SINK_S2C_AK, &w->tag, observed);
	return when;
}

/* The line is on this socket's ring at a stop: to the slice, and to the core past it. */
UNCORE_INLINE void home_deliver(struct transaction *w, struct fabric_home_reply *reply, unsigned stop, bool to_core,
			   uint64_t when, const bool observed)
{
	if (to_core) {
		reply->core = fabric_ring(&w->s->ring, RING_BL, stop, w->core, when, observed);
		cbo_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_SINK, reply->core, 2, CBO_SINK_S2P_BL, &w->tag,
			     observed);
	}
	if (__builtin_expect(stop >= RING_SBO, 0))
		when += w->f->behind;
	reply->slice = fabric_ring(&w->s->ring, RING_BL, stop, w->slice, when, observed);
	cbo_pulse(w->f, w->cbo->port, SIG_CBO_SINK, reply->slice, 2, CBO_SINK_S2C_BL, &w->tag, observed);
	cbo_pulse(w->f, w->cbo->port, SIG_CBO_RXR_INSERT, reply->slice, 1, CBO_RXR_INSERT_ISMQ, &w->tag, observed);
}

UNCORE_INLINE void home_data(struct transaction *w, struct fabric_home_reply *reply, const struct ha_reply *home,
				  unsigned opcode, bool to_core, const bool observed)
{
	struct fabric *f = w->f;
	unsigned stop = w->stop;
	uint64_t sent = home->data + f->at.home_out, when = sent;
	struct qpi_packet packet = {
		.class = QPI_DRS,
		.opcode = home->apart ? QPI_DATA_C : QPI_DATA_C_CMP,
		.to = (uint8_t)w->socket,
		.rds = home->unasked			      ? QPI_RDS_S
		       : opcode == HA_RD_CODE || home->shared ? QPI_RDS_F
							      : QPI_RDS_E,
		.requester = (uint8_t)w->socket,
		.core = to_core,
	};

	if (fabric_inside(f, w->home_socket, w->socket))
		packet.core = to_core && home->direct;
	if (w->home_socket != w->socket) {
		when = fabric_cross_line(f, w->which, w->home_socket, stop, w->socket, packet, w->line, when, observed);
		stop = fabric_gate(f, w->home_socket, w->socket, w->line);
	}
	when = fabric_message(w, FABRIC_HOME_SLICE, packet, w->line, w->home, w->home_socket, w->socket, sent, when);
	home_deliver(w, reply, stop, packet.core, when, observed);
}

/* Ask another socket. */
UNCORE_INLINE struct ha_response home_snoop_one(struct transaction *w, unsigned peer, uint64_t when, const bool observed)
{
	struct qpi_packet packet = {
		.class = QPI_SNP,
		.opcode = w->snoop,
		.to = (uint8_t)peer,
		.requester = (uint8_t)w->socket,
	};
	uint64_t there;

	home_egress(w, when, CBO_TXR_INSERT_AD_CACHE, observed);
	there = fabric_cross_by(w->f, w->which, w->s, w->socket, w->slice, peer, packet, w->line, when, observed);
	there = fabric_message(w, FABRIC_SLICE_SLICE, packet, w->line, w->home, w->socket, peer, when, there);
	return cbo_snoop_peer(w, peer, fabric_gate(w->f, w->socket, peer, w->line), there, observed);
}

unsigned home_snoop_many(struct transaction *w, struct ha_response *response, uint64_t when, const bool observed);

/* Ask all other sockets, at once and from here. */
UNCORE_INLINE void home_snoop_all(struct transaction *w, struct ha_request *rq, uint64_t when, const bool observed)
{
	struct transaction aside;

	if (__builtin_expect(w->f->config.sockets == 2, 1)) {
		rq->responses = 1;
		rq->response[0] = home_snoop_one(w, w->socket ^ 1, when, observed);
		return;
	}
	aside = fabric_aside(w, observed);
	rq->responses = (uint8_t)home_snoop_many(&aside, rq->response, when, observed);
	w->peer_data = aside.peer_data;
	w->peer_modified = aside.peer_modified;
}

unsigned cbo_home_snoop_batched(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
				   uint64_t when, struct ha_response *out);
unsigned cbo_home_snoop_observed(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
				    uint64_t when, struct ha_response *out);

UNCORE_INLINE unsigned cbo_home_snoop(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
					 uint64_t when, struct ha_response *out, const bool observed)
{
	return observed ? cbo_home_snoop_observed(ctx, ha, rq, sockets, when, out)
			: cbo_home_snoop_batched(ctx, ha, rq, sockets, when, out);
}

/* A request leaves the slice's egress at `when`; its snoops are w->snoop. */
UNCORE_INLINE struct fabric_home_reply cbo_ask_home(struct transaction *w, unsigned opcode, bool to_core, uint64_t when,
						   const bool observed)
{
	struct fabric *f = w->f;
	struct qpi_packet packet = { .class = QPI_HOM_REQ, .opcode = (uint8_t)opcode };
	struct ha_request rq;
	struct fabric_home_reply reply = { 0 };
	struct ha_reply home;

	rq.line = w->line;
	rq.opcode = (uint8_t)opcode;
	rq.socket = (uint8_t)w->socket;
	if (__builtin_expect(f->config.indirect, 0))
		to_core = false;
	rq.direct = to_core;
	rq.partial = false;
	rq.responses = 0;
	if (__builtin_expect(f->config.snoop == FABRIC_SNOOP_SOURCE, 1))
		home_snoop_all(w, &rq, when, observed);
	rq.when = home_packet(w, packet, when, observed);
	if (__builtin_expect(f->config.snoop == FABRIC_SNOOP_SOURCE, 1)) {
		home = cbo_home_request(w, &rq, observed);
	} else {
		struct transaction copy = fabric_aside(w, observed);

		f->current = &copy;
		home = cbo_home_request(w, &rq, observed);
		w->peer_data = copy.peer_data;
		w->peer_modified = copy.peer_modified;
	}
	reply.shared = home.shared;
	reply.unasked = home.unasked;
	reply.peer = w->peer_data != 0;
	reply.written = home.written;
	if (home.data)
		home_data(w, &reply, &home, opcode, to_core, observed);
	else if (w->peer_data)
		home_deliver(w, &reply, f->gate, to_core, w->peer_data, observed);
	if (!home.data || home.apart) {
		uint64_t done = home_completion(w, opcode == HA_INV_ITOE ? QPI_GNT_CMP : QPI_CMP, home.done, observed);

		reply.slice = done > reply.slice ? done : reply.slice;
	}
	return reply;
}

/* The same, for what is rare. */
struct fabric_home_reply cbo_ask_home_rare(struct transaction *w, unsigned opcode, bool to_core, uint64_t when,
					  const bool observed);

/*
 * A line leaves a slice's egress for its home agent; returns when the completion is back.  tag: what
 * signals say of it, where they are told.
 */
uint64_t cbo_write_home_batched(struct fabric *f, unsigned socket, unsigned slice, const struct signal_tag *tag,
				   uint64_t line, bool partial, uint64_t when);
uint64_t cbo_write_home_observed(struct fabric *f, unsigned socket, unsigned slice, const struct signal_tag *tag,
				    uint64_t line, bool partial, uint64_t when);

UNCORE_INLINE uint64_t cbo_write_home(struct fabric *f, unsigned socket, unsigned slice,
					 const struct signal_tag *tag, uint64_t line, bool partial, uint64_t when,
					 const bool observed)
{
	return observed ? cbo_write_home_observed(f, socket, slice, tag, line, partial, when)
			: cbo_write_home_batched(f, socket, slice, tag, line, partial, when);
}

/* The same for the line of a walk. */
UNCORE_INLINE uint64_t cbo_write_own(const struct transaction *w, bool partial, uint64_t when, const bool observed)
{
	return cbo_write_home(w->f, w->socket, w->slice, observed ? &w->tag : NULL, w->line, partial, when,
				 observed);
}

#endif
