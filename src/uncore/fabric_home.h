/* SPDX-License-Identifier: BSD-2-Clause */
/* Between a slice and a home agent: requests, snoops on behalf of them, data, write-backs. */
#include "uncore/fabric_walk.h"

FABRIC_HOT void egress(const struct fabric_walk *w, uint64_t when, uint64_t flag)
{
	fabric_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, when, 1, flag, &w->tag);
}

/* A packet from the slice to a home agent, which may be in another socket. */
FABRIC_HOT uint64_t to_home(const struct fabric_walk *w, struct qpi_packet packet, uint64_t when)
{
	struct fabric *f = w->f;
	unsigned socket = w->home_socket;
	enum ring_kind kind = qpi_ring(packet.class);

	uint64_t sent = when;

	egress(w, when, kind == RING_BL ? CBO_TXR_INSERT_BL_CACHE : CBO_TXR_INSERT_AD_CACHE);
	packet.to = (uint8_t)socket;
	packet.requester = (uint8_t)w->socket;
	if (socket == w->socket) {
		when = fabric_ring_again(w, kind, w->stop, when);
	} else {
		when = fabric_cross_by(f, w->which, w->s, w->socket, w->slice, socket, packet, w->line, when);
		when = fabric_ring(&f->socket[socket].ring, kind, fabric_gate(f, w->socket, socket, w->line), w->stop, when);
	}
	return fabric_message(w, FABRIC_SLICE_HOME, packet, w->line, w->home, w->socket, socket, sent,
			      when + f->at.home_in);
}

/* The completion without data, back to the slice. */
FABRIC_HOT uint64_t completion(const struct fabric_walk *w, unsigned opcode, uint64_t when)
{
	struct fabric *f = w->f;
	unsigned socket = w->home_socket, stop = w->stop;
	struct qpi_packet packet = {
		.class = QPI_NDR, .opcode = (uint8_t)opcode, .to = (uint8_t)w->socket,
		.requester = (uint8_t)w->socket,
	};

	uint64_t sent = when += f->at.home_out;

	if (socket != w->socket) {
		when = fabric_cross_by(f, w->which, &f->socket[socket], socket, stop, w->socket, packet, w->line, when);
		stop = fabric_gate(f, w->home_socket, w->socket, w->line);
	}
	when = fabric_message(w, FABRIC_HOME_SLICE, packet, w->line, w->home, socket, w->socket, sent, when);
	when = fabric_ring(&w->s->ring, RING_AK, stop, w->slice, when);
	fabric_pulse(w->f, w->cbo->port, SIG_CBO_RXR_INSERT, when, 1, CBO_RXR_INSERT_ISMQ, &w->tag);
	fabric_pulse(w->f, w->cbo->port, SIG_CBO_SINK, when, 1, CBO_SINK_S2C_AK, &w->tag);
	return when;
}

/* The line is on this socket's ring at a stop: to the slice, and to the core past it. */
FABRIC_HOT void deliver(struct fabric_walk *w, struct fabric_home_reply *reply, unsigned stop, bool to_core,
		    uint64_t when)
{
	if (to_core) {
		reply->core = fabric_ring(&w->s->ring, RING_BL, stop, w->core, when);
		fabric_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_SINK, reply->core, 2, CBO_SINK_S2P_BL, &w->tag);
	}
	if (__builtin_expect(stop >= RING_SBO, 0))
		when += w->f->behind;
	reply->slice = fabric_ring(&w->s->ring, RING_BL, stop, w->slice, when);
	fabric_pulse(w->f, w->cbo->port, SIG_CBO_SINK, reply->slice, 2, CBO_SINK_S2C_BL, &w->tag);
	fabric_pulse(w->f, w->cbo->port, SIG_CBO_RXR_INSERT, reply->slice, 1, CBO_RXR_INSERT_ISMQ, &w->tag);
}

FABRIC_HOT void data_from_home(struct fabric_walk *w, struct fabric_home_reply *reply, const struct ha_reply *home,
			   unsigned opcode, bool to_core)
{
	struct fabric *f = w->f;
	unsigned stop = w->stop;
	uint64_t sent = home->data + f->at.home_out, when = sent;
	struct qpi_packet packet = {
		.class = QPI_DRS, .opcode = home->apart ? QPI_DATA_C : QPI_DATA_C_CMP, .to = (uint8_t)w->socket,
		.rds = home->unasked ? QPI_RDS_S : opcode == HA_RD_CODE || home->shared ? QPI_RDS_F : QPI_RDS_E,
		.requester = (uint8_t)w->socket, .core = to_core,
	};

	if (fabric_inside(f, w->home_socket, w->socket))
		packet.core = to_core && home->direct;
	if (w->home_socket != w->socket) {
		when = fabric_cross_line(f, w->which, w->home_socket, stop, w->socket, packet, w->line, when);
		stop = fabric_gate(f, w->home_socket, w->socket, w->line);
	}
	when = fabric_message(w, FABRIC_HOME_SLICE, packet, w->line, w->home, w->home_socket, w->socket, sent,
			      when);
	deliver(w, reply, stop, packet.core, when);
}

/* Ask another socket. */
FABRIC_HOT struct ha_response snoop_one(struct fabric_walk *w, unsigned peer, uint64_t when)
{
	struct qpi_packet packet = {
		.class = QPI_SNP, .opcode = w->snoop, .to = (uint8_t)peer,
		.requester = (uint8_t)w->socket,
	};
	uint64_t there;

	egress(w, when, CBO_TXR_INSERT_AD_CACHE);
	there = fabric_cross_by(w->f, w->which, w->s, w->socket, w->slice, peer, packet, w->line, when);
	there = fabric_message(w, FABRIC_SLICE_SLICE, packet, w->line, w->home, w->socket, peer, when, there);
	return fabric_snoop_peer(w, peer, fabric_gate(w->f, w->socket, peer, w->line), there);
}

FABRIC_COLD unsigned snoop_many(struct fabric_walk *w, struct ha_response *response, uint64_t when)
{
	unsigned n = 0;

	for (unsigned peer = 0; peer < w->f->config.sockets; peer++)
		if (peer != w->socket)
			response[n++] = snoop_one(w, peer, when);
	return n;
}

/* Ask all other sockets, at once and from here. */
FABRIC_HOT void snoop_all(struct fabric_walk *w, struct ha_request *rq, uint64_t when)
{
	struct fabric_walk aside;

	if (__builtin_expect(w->f->config.sockets == 2, 1)) {
		rq->responses = 1;
		rq->response[0] = snoop_one(w, w->socket ^ 1, when);
		return;
	}
	aside = fabric_aside(w);
	rq->responses = (uint8_t)snoop_many(&aside, rq->response, when);
	w->peer_data = aside.peer_data;
	w->peer_modified = aside.peer_modified;
}

static unsigned fabric_home_snoop(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
				  uint64_t when, struct ha_response *out)
{
	struct fabric *f = ctx;
	struct fabric_walk *w = f->current;
	unsigned stop = w->stop, n = 0;

	(void)ha;
	(void)rq;
	when += f->at.home_out;
	for (; sockets; sockets &= sockets - 1) {
		unsigned peer = (unsigned)__builtin_ctz(sockets);
		struct qpi_packet packet = {
			.class = QPI_SNP, .opcode = w->snoop, .to = (uint8_t)peer,
			.requester = (uint8_t)w->socket,
		};
		uint64_t there = when;

		if (peer != w->home_socket)
			there = fabric_cross(f, w->home_socket, stop, peer, packet, w->line, when);
		there = fabric_message(w, FABRIC_HOME_SLICE, packet, w->line, w->home, w->home_socket, peer, when,
				       there);
		out[n++] = fabric_snoop_peer(w, peer, peer == w->home_socket ? stop :
						      fabric_gate(f, w->home_socket, peer, w->line), there);
	}
	return n;
}

/* A request leaves the slice's egress at `when`; its snoops are w->snoop. */
FABRIC_HOT struct fabric_home_reply fabric_home(struct fabric_walk *w, unsigned opcode, bool to_core, uint64_t when)
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
		snoop_all(w, &rq, when);
	rq.when = to_home(w, packet, when);
	if (__builtin_expect(f->config.snoop == FABRIC_SNOOP_SOURCE, 1)) {
		home = fabric_ask(w, &rq);
	} else {
		struct fabric_walk copy = fabric_aside(w);

		f->current = &copy;
		home = fabric_ask(w, &rq);
		w->peer_data = copy.peer_data;
		w->peer_modified = copy.peer_modified;
	}
	reply.shared = home.shared;
	reply.unasked = home.unasked;
	reply.peer = w->peer_data != 0;
	if (home.data)
		data_from_home(w, &reply, &home, opcode, to_core);
	else if (w->peer_data)
		deliver(w, &reply, f->gate, to_core, w->peer_data);
	if (!home.data || home.apart) {
		uint64_t done = completion(w, opcode == HA_INV_ITOE ? QPI_GNT_CMP : QPI_CMP, home.done);

		reply.slice = done > reply.slice ? done : reply.slice;
	}
	return reply;
}

/* The same, for what is rare. */
FABRIC_COLD struct fabric_home_reply fabric_home_rare(struct fabric_walk *w, unsigned opcode, bool to_core, uint64_t when)
{
	return fabric_home(w, opcode, to_core, when);
}

/*
 * A line leaves a slice's egress for its home agent; returns when the completion is back.  tag: what
 * signals say of it, where they are told.
 */
FABRIC_COLD uint64_t fabric_write_home(struct fabric *f, unsigned socket, unsigned slice, const struct signal_tag *tag,
				       uint64_t line, bool partial, uint64_t when)
{
	struct qpi_packet packet = { .class = QPI_HOM_REQ, .opcode = HA_WB_MTOI & 0xf };
	struct fabric_walk w;
	struct ha_request rq;
	uint64_t data;
	bool local;

	w.f = f;
	w.s = &f->socket[socket];
	w.cbo = &w.s->cbo[slice];
	w.socket = socket;
	w.slice = slice;
	w.line = line;
	w.home = fabric_home_of(f, line);
	w.home_socket = fabric_socket_of(f, w.home);
	w.stop = fabric_ha_stop(f, w.home);
	local = w.home_socket == socket;
	w.which = local ? 0 : fabric_which(f, line);
	if (FABRIC_TOLD)
		w.tag = *tag;
	rq.line = line;
	rq.opcode = HA_WB_MTOI;
	rq.socket = (uint8_t)socket;
	rq.direct = false;
	rq.partial = partial;
	rq.responses = 0;
	/* On the rings here it is there no later than its data: see ring_latency(). */
	rq.when = FABRIC_TOLD || FABRIC_BRIDGED || !local ? to_home(&w, packet, when) : 0;
	packet.class = QPI_DRS;
	packet.opcode = partial ? QPI_WB_I_DATA_PTL : QPI_WB_I_DATA;
	data = to_home(&w, packet, when);
	if (data > rq.when)
		rq.when = data;
	when = fabric_ask(&w, &rq).done;
	/* The home agent has had the data in a buffer of R3QPI's until now. */
	if (FABRIC_TOLD && !fabric_inside(f, w.home_socket, socket)) {
		struct fabric_socket *s = &f->socket[w.home_socket];
		uint64_t way = ring_latency(&s->ring, RING_R3QPI, w.stop);

		r3_use(&s->r3, s->ring.port[RING_R3QPI], R3_HA + w.stop - RING_HA, data - f->at.home_in - way, when + way);
	}
	return completion(&w, QPI_CMP, when);
}

/* The same for the line of a walk. */
FABRIC_HOT uint64_t fabric_write_own(const struct fabric_walk *w, bool partial, uint64_t when)
{
	return fabric_write_home(w->f, w->socket, w->slice, FABRIC_TOLD ? &w->tag : NULL, w->line, partial, when);
}
