/* SPDX-License-Identifier: BSD-2-Clause */
/* Snoops: of the cores of a socket by a slice, and of a socket's slice by another socket. */
#include "uncore/fabric_walk.h"

/* Snoop the cores in the mask for a line of slice that is in state `meta`; returns when the last
 * answer is at the slice.  LLC_DIRTY: the line comes along. */
FABRIC_COLD uint64_t fabric_snoop_cores(struct fabric *f, unsigned socket, unsigned slice, uint64_t line, unsigned meta,
			    uint32_t cores, enum leave_snoop_kind kind, uint64_t when)
{
	struct fabric_socket *s = &f->socket[socket];
	struct signal_tag tag = { .addr = line << 6, .tid = CBO_TID_NONE };
	uint64_t last = when;

	for (; cores; cores &= cores - 1) {
		unsigned core = (unsigned)__builtin_ctz(cores);
		struct signal_port *port = s->cbo[core].port;
		uint64_t in = fabric_ring(&s->ring, RING_IV, slice, core, when), came = in, at, back;

		if (sink_crowded(&s->snoops[core], CBO_CORE_SNOOPS, in))
			in = fabric_bounce(s, core, slice, RING_IV, &s->snoops[core], CBO_CORE_SNOOPS, in);
		at = in + f->at.core_snoop;
		sink_take(&s->snoops[core], came, at);
		back = fabric_ring(&s->ring, RING_AK, core, slice, at);
		fabric_pulse(f, s->cbo[slice].port, SIG_CBO_TXR_INSERT, when, 1, CBO_TXR_INSERT_IV_CACHE, &tag);
		fabric_pulse(f, port, SIG_CBO_TXR_INSERT, at, 1, CBO_TXR_INSERT_AK_CORE, &tag);
		fabric_pulse(f, port, SIG_CBO_SINK, at, 1, CBO_SINK_C2P_IV, &tag);
		if (meta & LLC_DIRTY) {
			at += f->at.core_data;
			back = fabric_ring(&s->ring, RING_BL, core, slice, at);
			fabric_pulse(f, port, SIG_CBO_TXR_INSERT, at, 1, CBO_TXR_INSERT_BL_CORE, &tag);
			fabric_pulse(f, s->cbo[slice].port, SIG_CBO_SINK, back, 2, CBO_SINK_P2C_BL, &tag);
		}
		fabric_pulse(f, s->cbo[slice].port, SIG_CBO_SINK, back, 1, CBO_SINK_P2C_AK, &tag);
		fabric_pulse(f, s->cbo[slice].port, SIG_CBO_RXR_INSERT, back, 1, CBO_RXR_INSERT_ISMQ, &tag);
		if (back > last)
			last = back;
		/* A core that is known to have dropped the line need not hear of it. */
		if (f->config.snoop_core && !(meta & LLC_GONE))
			f->config.snoop_core(f->config.ctx, socket, core, line, kind);
	}
	return last;
}

/* A snoop at the slice of the socket that is asked. */
struct probe {
	struct fabric_socket *s;
	struct cbo *cbo;
	struct signal_port *port;
	struct signal_tag tag;
	unsigned socket;
	uint64_t from;		/* into the TOR */
};

/* Who is asked, for which line. */
FABRIC_HOT void probe_enter(const struct fabric_walk *w, struct probe *b, unsigned peer)
{
	b->s = &w->f->socket[peer];
	KEEP(b->s);
	b->cbo = &b->s->cbo[w->slice];
	KEEP(b->cbo);
	b->port = b->cbo->port;
	b->socket = peer;
	if (FABRIC_TOLD)
		b->tag = (struct signal_tag){
			.addr = w->line << 6, .nid = (uint16_t)w->home_socket, .tid = CBO_TID_NONE,
		};
}

/* The tags say `state` at `look`. */
FABRIC_HOT void probe_look(const struct fabric_walk *w, struct probe *b, uint64_t arrive, uint64_t look, enum llc_state state)
{
	struct fabric *f = w->f;

	if (FABRIC_TOLD)
		b->tag.state = (uint8_t)state;
	fabric_pulse(f, b->port, SIG_CBO_RXR_INSERT, arrive, 1, CBO_RXR_INSERT_IPQ, &b->tag);
	fabric_span(f, b->port, SIG_CBO_RXR, arrive, b->from, 1, CBO_RXR_IPQ, &b->tag);
	fabric_lookup(f, b->cbo, look, CBO_LOOKUP_ANY | CBO_LOOKUP_REMOTE_SNOOP, state, &b->tag);
	fabric_pulse(f, b->port, SIG_CBO_SINK, arrive, 1, CBO_SINK_S2C_AD, &b->tag);
	if (b->from == arrive)
		fabric_pulse(f, b->port, SIG_CBO_STRAIGHT, arrive, 1, CBO_STRAIGHT_IPQ, &b->tag);
	fabric_pulse(f, b->port, SIG_CBO_SNOOP, look, 1,
		     (w->snoop == QPI_SNP_INV_OWN || w->snoop == QPI_SNP_INV_I_TO_E ? CBO_SNOOP_RFO : CBO_SNOOP_RD) |
			     fabric_state_flag(CBO_SNOOP_I, state), &b->tag);
}

/* The line is still on its way into this slice: the snoop waits for it. */
static uint64_t probe_wait(const struct fabric_walk *w, struct probe *b, uint64_t look)
{
	struct fabric *f = w->f;
	uint64_t there = cbo_pending(b->cbo, w->line, look);

	if (there <= look)
		return look;
	fabric_pulse(f, b->port, SIG_CBO_IPQ_RETRY, look, (there - look + f->at.retry - 1) / f->at.retry,
		     CBO_IPQ_RETRY_ADDR_CONFLICT, &b->tag);
	if (FABRIC_TOLD && there > look + BOUNCE_TRIES * f->at.retry)
		stop_tell(&b->s->stop[w->slice], b->port, STOP_INT_IPQ, look + BOUNCE_TRIES * f->at.retry, there);
	return there + f->at.tag;
}

/*
 * What becomes of the line in the socket that is asked, and what it answers (HSX uncore
 * manual, tables 2-264 and 2-265):
 *
 *	snoop		M		E, F		S
 *	data, code	RspSWb, S	RspFwdS, S	RspS
 *	own		RspFwdI, I	RspFwdI, I	RspI, I
 *	I to E		RspIWb, I	RspI, I		RspI, I
 *	current		RspFwd, -	RspFwd, -	RspS, -
 *
 * A line is M if the slice or the core that owns it has it so.
 */
static unsigned answer(struct fabric_walk *w, struct probe *b, struct llc_place *p, uint64_t *when)
{
	unsigned meta = llc_meta(p), state = meta & LLC_STATE, kind;
	bool dirty = meta & LLC_DIRTY, modified = dirty || state == LLC_M;
	bool shares = w->snoop == QPI_SNP_DATA || w->snoop == QPI_SNP_CODE;
	bool current = w->snoop == QPI_SNP_CUR;
	uint32_t ask = (shares || current) && !(meta & LLC_OWNED) ? 0 : llc_cores(p);

	if (current) {
		/* Only a look: nobody's copy changes. */
		*when = fabric_snoop_cores(w->f, b->socket, w->slice, w->line, meta | LLC_GONE, ask,
					   LEAVE_SNOOP_SHARE, *when);
		return state == LLC_S ? HA_RSP_S : HA_RSP_FWD;
	}
	*when = fabric_snoop_cores(w->f, b->socket, w->slice, w->line, meta, ask,
				   shares ? LEAVE_SNOOP_SHARE : LEAVE_SNOOP_INVALIDATE, *when);
	if (fabric_was_fse(meta))
		fabric_pulse(w->f, b->port, SIG_CBO_MISC, *when, 1, CBO_MISC_RSPI_WAS_FSE, &b->tag);
	if (shares) {
		kind = modified ? HA_RSP_S_WB : state == LLC_S ? HA_RSP_S : HA_RSP_FWD_S;
		llc_set(p, LLC_S);
		if (meta & LLC_GONE)
			llc_set_cores(p, 0);
		return kind;
	}
	if (w->snoop == QPI_SNP_INV_OWN)
		kind = modified || state != LLC_S ? HA_RSP_FWD_I : HA_RSP_I;
	else
		kind = modified ? HA_RSP_I_WB : HA_RSP_I;
	w->peer_modified = modified && kind == HA_RSP_FWD_I;
	llc_drop(p);
	return kind;
}

/* A packet from the slice that was asked to the home agent; returns when it is there. */
FABRIC_HOT uint64_t answer_home(const struct fabric_walk *w, struct probe *b, struct qpi_packet packet, uint64_t when)
{
	struct fabric *f = w->f;
	enum ring_kind kind = qpi_ring(packet.class);

	fabric_pulse(f, b->port, SIG_CBO_TXR_INSERT, when, 1,
		     kind == RING_BL ? CBO_TXR_INSERT_BL_CACHE : CBO_TXR_INSERT_AD_CACHE, &b->tag);
	uint64_t sent = when;

	if (packet.class == QPI_HOM_RSP)
		fabric_gone(f, STAYS_SNOOPED, b->port, sent);
	packet.to = (uint8_t)w->home_socket;
	if (w->home_socket == b->socket) {
		when = fabric_ring(&b->s->ring, kind, w->slice, w->stop, when);
	} else {
		when = fabric_cross_by(f, w->which, b->s, b->socket, w->slice, w->home_socket, packet, w->line, when);
		when = fabric_ring(&f->socket[w->home_socket].ring, kind,
				   fabric_gate(f, b->socket, w->home_socket, w->line), w->stop, when);
	}
	return fabric_message(w, FABRIC_SLICE_HOME, packet, w->line, w->home, b->socket, w->home_socket, sent,
			      when + f->at.home_in);
}

/* The slice gives this answer; returns when the home agent has it. */
FABRIC_HOT struct ha_response respond_only(const struct fabric_walk *w, struct probe *b, unsigned kind, uint64_t egress)
{
	struct qpi_packet packet = {
		.class = QPI_HOM_RSP, .requester = (uint8_t)w->socket, .opcode = kind & 0xf,
	};

	return (struct ha_response){
		.when = answer_home(w, b, packet, egress), .kind = (uint8_t)kind, .socket = (uint8_t)b->socket,
	};
}

/* With that its entry is over. */
FABRIC_HOT struct ha_response respond(const struct fabric_walk *w, struct probe *b, unsigned kind, uint64_t egress)
{
	struct ha_response response = respond_only(w, b, kind, egress);
	uint64_t flags = w->home_socket == b->socket ? CBO_TOR_LOCAL : CBO_TOR_REMOTE;

	fabric_tor(w->f, b->cbo, b->from, egress, flags, &b->tag);
	return response;
}

/* The slice has the line: with its answer it may send data home, or to who asked. */
static struct ha_response found_there(struct fabric_walk *w, struct probe *b, struct llc_place *p, uint64_t when)
{
	struct fabric *f = w->f;
	unsigned kind = answer(w, b, p, &when);
	uint64_t egress = when + f->at.go;
	struct ha_response response = respond(w, b, kind, egress);

	if (kind == HA_RSP_S_WB || kind == HA_RSP_I_WB) {
		struct qpi_packet packet = {
			.class = QPI_DRS, .requester = (uint8_t)w->socket,
			.opcode = kind == HA_RSP_S_WB ? QPI_WB_S_DATA : QPI_WB_I_DATA,
		};
		uint64_t data = answer_home(w, b, packet, egress + f->at.hit);

		response.when = data > response.when ? data : response.when;
	} else if (kind == HA_RSP_FWD_S || kind == HA_RSP_FWD_I || kind == HA_RSP_FWD) {
		struct qpi_packet packet = {
			.class = QPI_DRS, .opcode = QPI_DATA_C, .to = (uint8_t)w->socket,
			.rds = kind == HA_RSP_FWD ? QPI_RDS_I : kind == HA_RSP_FWD_S ? QPI_RDS_F :
			       w->peer_modified ? QPI_RDS_M : QPI_RDS_E,
			.requester = (uint8_t)w->socket, .core = w->op->to_core && !f->config.indirect,
		};

		fabric_pulse(f, b->port, SIG_CBO_TXR_INSERT, egress + f->at.hit,
			     1u + (packet.core && fabric_inside(f, b->socket, w->socket)), CBO_TXR_INSERT_BL_CACHE, &b->tag);
		f->gate = fabric_gate(f, b->socket, w->socket, w->line);
		w->peer_data = fabric_cross_line(f, w->which, b->socket, w->slice, w->socket, packet, w->line,
						 egress + f->at.hit);
		w->peer_data = fabric_message(w, FABRIC_SLICE_SLICE, packet, w->line, w->home, b->socket, w->socket,
					      egress + f->at.hit, w->peer_data);
	}
	return response;
}

/*
 * The socket's cache has, or had, lines of this page: look at the tags.  Returns when data that the
 * peer sends is at the R3QPI of who asked, or 0; *modified: and it is newer than memory's.
 */
FABRIC_COLD uint64_t probe_tags(struct fabric_walk w, unsigned peer, uint64_t arrive, uint64_t from,
				struct ha_response *response, bool *modified)
{
	uint64_t look = from + w.f->at.tag;
	struct llc_place p;
	struct probe b;

	probe_enter(&w, &b, peer);
	b.from = from;
	p = llc_find(&b.s->llc, w.slice, w.line);
	probe_look(&w, &b, arrive, look, llc_state(&p));
	if (p.way >= 0)
		*response = found_there(&w, &b, &p, probe_wait(&w, &b, look));
	else
		*response = respond(&w, &b, HA_RSP_I, look + w.f->at.go);
	*modified = w.peer_modified;
	return w.peer_data;
}

/* The snoop w->snoop is on the ring of another socket, at stop `stop`. */
FABRIC_HOT struct ha_response fabric_snoop_peer(struct fabric_walk *w, unsigned peer, unsigned stop, uint64_t when)
{
	struct fabric *f = w->f;
	uint64_t arrive, look;
	struct probe b;

	probe_enter(w, &b, peer);
	arrive = fabric_ring(&b.s->ring, RING_AD, stop, w->slice, when);
	b.from = arrive + calendar_book(&b.cbo->pipe, &f->uclk, arrive, 1);
	fabric_come(f, STAYS_IPQ, b.port, arrive);
	fabric_gone(f, STAYS_IPQ, b.port, b.from);
	fabric_come(f, STAYS_SNOOPED, b.port, b.from);
	fabric_outrun(b.s, w->slice, CBO_IPQ, arrive, b.from);
	if (FABRIC_TOLD && stop == RING_R3QPI)
		r3_use(&b.s->r3, b.s->ring.port[RING_R3QPI], R3_CBO + w->slice, when, b.from + (arrive - when));
	if (__builtin_expect(fabric_may_have(f, peer, w->line), 0)) {
		struct ha_response response;
		bool modified;

		w->peer_data = probe_tags(fabric_aside(w), peer, arrive, b.from, &response, &modified);
		w->peer_modified = modified;
		return response;
	}
	look = b.from + f->at.tag;
	if (!FABRIC_TOLD) {
		b.cbo->lumps.strange[w->home_socket == peer]++;
		return respond_only(w, &b, HA_RSP_I, look + f->at.go);
	}
	probe_look(w, &b, arrive, look, LLC_I);
	return respond(w, &b, HA_RSP_I, look + f->at.go);
}
