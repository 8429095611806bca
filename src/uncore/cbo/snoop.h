/* SPDX-License-Identifier: BSD-2-Clause */
/* Snoops: of the cores of a socket by a slice, and of a socket's slice by another socket. */
#ifndef BXS_UNCORE_CBO_SNOOP_H
#define BXS_UNCORE_CBO_SNOOP_H

#include "uncore/cbo/signals.h"
#include "uncore/qpi/cross.h"
#include "uncore/ring/bounce.h"
#include "uncore/transaction.h"

/* Snoop the cores in the mask for a line of slice that is in state `meta`; returns when the last
 * answer is at the slice.  LLC_DIRTY: the line comes along. */
uint64_t cbo_snoop_cores_batched(struct fabric *f, unsigned socket, unsigned slice, uint64_t line, unsigned meta,
				    uint32_t cores, enum leave_snoop_kind kind, uint64_t when);
uint64_t cbo_snoop_cores_observed(struct fabric *f, unsigned socket, unsigned slice, uint64_t line, unsigned meta,
				     uint32_t cores, enum leave_snoop_kind kind, uint64_t when);

UNCORE_INLINE uint64_t cbo_snoop_cores(struct fabric *f, unsigned socket, unsigned slice, uint64_t line,
					  unsigned meta, uint32_t cores, enum leave_snoop_kind kind, uint64_t when,
					  const bool observed)
{
	return observed ? cbo_snoop_cores_observed(f, socket, slice, line, meta, cores, kind, when)
			: cbo_snoop_cores_batched(f, socket, slice, line, meta, cores, kind, when);
}

/* A snoop at the slice of the socket that is asked. */
struct cbo_probe {
	struct fabric_socket *s;
	struct cbo *cbo;
	struct signal_port *port;
	struct signal_tag tag;
	unsigned socket;
	uint64_t from;		/* into the TOR */
};

/* Who is asked, for which line. */
UNCORE_INLINE void probe_enter(const struct transaction *w, struct cbo_probe *b, unsigned peer, const bool observed)
{
	b->s = &w->f->socket[peer];
	KEEP(b->s);
	b->cbo = &b->s->cbo[w->slice];
	KEEP(b->cbo);
	b->port = b->cbo->port;
	b->socket = peer;
	if (observed)
		b->tag = (struct signal_tag){
			.addr = w->line << 6,
			.nid = (uint16_t)w->home_socket,
			.tid = CBO_TID_NONE,
		};
}

/* The tags say `state` at `look`. */
UNCORE_INLINE void probe_look(const struct transaction *w, struct cbo_probe *b, uint64_t arrive, uint64_t look,
			      enum llc_state state, const bool observed)
{
	struct fabric *f = w->f;

	if (observed)
		b->tag.state = (uint8_t)state;
	cbo_pulse(f, b->port, SIG_CBO_RXR_INSERT, arrive, 1, CBO_RXR_INSERT_IPQ, &b->tag, observed);
	cbo_span(f, b->port, SIG_CBO_RXR, arrive, b->from, 1, CBO_RXR_IPQ, &b->tag, observed);
	cbo_lookup(f, b->cbo, look, CBO_LOOKUP_ANY | CBO_LOOKUP_REMOTE_SNOOP, state, &b->tag, observed);
	cbo_pulse(f, b->port, SIG_CBO_SINK, arrive, 1, CBO_SINK_S2C_AD, &b->tag, observed);
	if (b->from == arrive)
		cbo_pulse(f, b->port, SIG_CBO_STRAIGHT, arrive, 1, CBO_STRAIGHT_IPQ, &b->tag, observed);
	cbo_pulse(f, b->port, SIG_CBO_SNOOP, look, 1,
		     (w->snoop == QPI_SNP_INV_OWN || w->snoop == QPI_SNP_INV_I_TO_E ? CBO_SNOOP_RFO : CBO_SNOOP_RD) |
			     fabric_state_flag(CBO_SNOOP_I, state),
		     &b->tag, observed);
}

/* A packet from the slice that was asked to the home agent; returns when it is there. */
UNCORE_INLINE uint64_t probe_answer_home(const struct transaction *w, struct cbo_probe *b, struct qpi_packet packet,
				   uint64_t when, const bool observed)
{
	struct fabric *f = w->f;
	enum ring_kind kind = qpi_ring(packet.class);

	cbo_pulse(f, b->port, SIG_CBO_TXR_INSERT, when, 1,
		     kind == RING_BL ? CBO_TXR_INSERT_BL_CACHE : CBO_TXR_INSERT_AD_CACHE, &b->tag, observed);
	uint64_t sent = when;

	if (packet.class == QPI_HOM_RSP)
		fabric_residency_to(f, STAYS_SNOOPED, b->port, sent, observed);
	packet.to = (uint8_t)w->home_socket;
	if (w->home_socket == b->socket) {
		when = fabric_ring(&b->s->ring, kind, w->slice, w->stop, when, observed);
	} else {
		when = fabric_cross_by(f, w->which, b->s, b->socket, w->slice, w->home_socket, packet, w->line, when,
				       observed);
		when = fabric_ring(&f->socket[w->home_socket].ring, kind,
				   fabric_gate(f, b->socket, w->home_socket, w->line), w->stop, when, observed);
	}
	return fabric_message(w, FABRIC_SLICE_HOME, packet, w->line, w->home, b->socket, w->home_socket, sent,
			      when + f->at.home_in);
}

/* The slice gives this answer; returns when the home agent has it. */
UNCORE_INLINE struct ha_response probe_respond_only(const struct transaction *w, struct cbo_probe *b, unsigned kind,
					      uint64_t egress, const bool observed)
{
	struct qpi_packet packet = {
		.class = QPI_HOM_RSP,
		.requester = (uint8_t)w->socket,
		.opcode = kind & 0xf,
	};

	return (struct ha_response){
		.when = probe_answer_home(w, b, packet, egress, observed),
		.kind = (uint8_t)kind,
		.socket = (uint8_t)b->socket,
	};
}

/* With that its entry is over. */
UNCORE_INLINE struct ha_response probe_respond(const struct transaction *w, struct cbo_probe *b, unsigned kind, uint64_t egress,
					 const bool observed)
{
	struct ha_response response = probe_respond_only(w, b, kind, egress, observed);
	uint64_t flags = w->home_socket == b->socket ? CBO_TOR_LOCAL : CBO_TOR_REMOTE;

	cbo_tor(w->f, b->cbo, b->from, egress, flags, &b->tag, observed);
	return response;
}

/*
 * The socket's cache has, or had, lines of this page: look at the tags.  Returns when data that the
 * peer sends is at the R3QPI of who asked, or 0; *modified: and it is newer than memory's.
 */
uint64_t probe_tags(struct transaction w, unsigned peer, uint64_t arrive, uint64_t from, struct ha_response *response,
		    bool *modified, const bool observed);

/* The snoop w->snoop is on the ring of another socket, at stop `stop`. */
UNCORE_INLINE struct ha_response cbo_snoop_peer(struct transaction *w, unsigned peer, unsigned stop, uint64_t when,
						   const bool observed)
{
	struct fabric *f = w->f;
	uint64_t arrive, look;
	struct cbo_probe b;

	probe_enter(w, &b, peer, observed);
	arrive = fabric_ring(&b.s->ring, RING_AD, stop, w->slice, when, observed);
	b.from = arrive + calendar_book(&b.cbo->pipe, &f->uclk, arrive, 1);
	fabric_residency_from(f, STAYS_IPQ, b.port, arrive, observed);
	fabric_residency_to(f, STAYS_IPQ, b.port, b.from, observed);
	fabric_residency_from(f, STAYS_SNOOPED, b.port, b.from, observed);
	cbo_outrun(b.s, w->slice, CBO_IPQ, arrive, b.from, observed);
	if (observed && stop == RING_R3QPI)
		r3_use(&b.s->r3, b.s->ring.port[RING_R3QPI], R3_CBO + w->slice, when, b.from + (arrive - when));
	if (__builtin_expect(fabric_may_have(f, peer, w->line), 0)) {
		struct ha_response response;
		bool modified;

		w->peer_data =
			probe_tags(fabric_aside(w, observed), peer, arrive, b.from, &response, &modified, observed);
		w->peer_modified = modified;
		return response;
	}
	look = b.from + f->at.tag;
	if (!observed) {
		b.cbo->lumps.strange[w->home_socket == peer]++;
		return probe_respond_only(w, &b, HA_RSP_I, look + f->at.go, observed);
	}
	probe_look(w, &b, arrive, look, LLC_I, observed);
	return probe_respond(w, &b, HA_RSP_I, look + f->at.go, observed);
}

#endif
