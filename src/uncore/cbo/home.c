/* SPDX-License-Identifier: BSD-2-Clause */
/* Between a slice and a home agent: what is rare, snoops of home agents, write-backs. */
#include "uncore/cbo/home.h"

UNCORE_COLD unsigned home_snoop_many(struct transaction *w, struct ha_response *response, uint64_t when, const bool observed)
{
	unsigned n = 0;

	for (unsigned peer = 0; peer < w->f->config.sockets; peer++)
		if (peer != w->socket)
			response[n++] = home_snoop_one(w, peer, when, observed);
	return n;
}

UNCORE_INLINE unsigned home_snoop(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
				  uint64_t when, struct ha_response *out, const bool observed)
{
	struct fabric *f = ctx;
	struct transaction *w = f->current;
	unsigned stop = w->stop, n = 0;

	(void)ha;
	(void)rq;
	when += f->at.home_out;
	for (; sockets; sockets &= sockets - 1) {
		unsigned peer = (unsigned)__builtin_ctz(sockets);
		struct qpi_packet packet = {
			.class = QPI_SNP,
			.opcode = w->snoop,
			.to = (uint8_t)peer,
			.requester = (uint8_t)w->socket,
		};
		uint64_t there = when;

		if (peer != w->home_socket)
			there = fabric_cross(f, w->home_socket, stop, peer, packet, w->line, when, observed);
		there = fabric_message(w, FABRIC_HOME_SLICE, packet, w->line, w->home, w->home_socket, peer, when,
				       there);
		out[n++] = cbo_snoop_peer(
			w, peer, peer == w->home_socket ? stop : fabric_gate(f, w->home_socket, peer, w->line), there,
			observed);
	}
	return n;
}

UNCORE_COLD unsigned cbo_home_snoop_batched(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
					       uint64_t when, struct ha_response *out)
{
	return home_snoop(ctx, ha, rq, sockets, when, out, false);
}

UNCORE_COLD unsigned cbo_home_snoop_observed(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
						uint64_t when, struct ha_response *out)
{
	return home_snoop(ctx, ha, rq, sockets, when, out, true);
}

UNCORE_COLD struct fabric_home_reply cbo_ask_home_rare(struct transaction *w, unsigned opcode, bool to_core,
						      uint64_t when, const bool observed)
{
	return cbo_ask_home(w, opcode, to_core, when, observed);
}

/*
 * A line leaves a slice's egress for its home agent; returns when the completion is back.  tag: what
 * signals say of it, where they are told.
 */
UNCORE_INLINE uint64_t write_home(struct fabric *f, unsigned socket, unsigned slice, const struct signal_tag *tag,
				  uint64_t line, bool partial, uint64_t when, const bool observed)
{
	struct qpi_packet packet = { .class = QPI_HOM_REQ, .opcode = HA_WB_MTOI & 0xf };
	struct transaction w;
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
	if (observed)
		w.tag = *tag;
	rq.line = line;
	rq.opcode = HA_WB_MTOI;
	rq.socket = (uint8_t)socket;
	rq.direct = false;
	rq.partial = partial;
	rq.responses = 0;
	/* On the rings here it is there no later than its data: see ring_latency(). */
	rq.when = observed || !local || __builtin_expect(f->config.message != NULL, 0)
			  ? home_packet(&w, packet, when, observed)
			  : 0;
	packet.class = QPI_DRS;
	packet.opcode = partial ? QPI_WB_I_DATA_PTL : QPI_WB_I_DATA;
	data = home_packet(&w, packet, when, observed);
	if (data > rq.when)
		rq.when = data;
	when = cbo_home_request(&w, &rq, observed).done;
	/* The home agent has had the data in a buffer of R3QPI's until now. */
	if (observed && !fabric_inside(f, w.home_socket, socket)) {
		struct fabric_socket *s = &f->socket[w.home_socket];
		uint64_t way = ring_latency(&s->ring, RING_R3QPI, w.stop);

		r3_use(&s->r3, s->ring.port[RING_R3QPI], R3_HA + w.stop - RING_HA, data - f->at.home_in - way,
		       when + way);
	}
	return home_completion(&w, QPI_CMP, when, observed);
}

UNCORE_COLD uint64_t cbo_write_home_batched(struct fabric *f, unsigned socket, unsigned slice,
					       const struct signal_tag *tag, uint64_t line, bool partial, uint64_t when)
{
	return write_home(f, socket, slice, tag, line, partial, when, false);
}

UNCORE_COLD uint64_t cbo_write_home_observed(struct fabric *f, unsigned socket, unsigned slice,
						const struct signal_tag *tag, uint64_t line, bool partial,
						uint64_t when)
{
	return write_home(f, socket, slice, tag, line, partial, when, true);
}
