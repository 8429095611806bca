/* SPDX-License-Identifier: BSD-2-Clause */
/* Snoops at a slice: what its tags say, and what it answers. */
#include "uncore/cbo/snoop.h"

/* Snoop the cores in the mask for a line of slice that is in state `meta`; returns when the last
 * answer is at the slice.  LLC_DIRTY: the line comes along. */
UNCORE_INLINE uint64_t snoop_cores(struct fabric *f, unsigned socket, unsigned slice, uint64_t line, unsigned meta,
				   uint32_t cores, enum leave_snoop_kind kind, uint64_t when, const bool observed)
{
	struct fabric_socket *s = &f->socket[socket];
	struct signal_tag tag = { .addr = line << 6, .tid = CBO_TID_NONE };
	uint64_t last = when;

	for (; cores; cores &= cores - 1) {
		unsigned core = (unsigned)__builtin_ctz(cores);
		struct signal_port *port = s->cbo[core].port;
		uint64_t in = fabric_ring(&s->ring, RING_IV, slice, core, when, observed), came = in, at, back;

		if (sink_crowded(&s->snoops[core], CBO_CORE_SNOOPS, in))
			in = ring_bounce(s, core, slice, RING_IV, &s->snoops[core], CBO_CORE_SNOOPS, in, observed);
		at = in + f->at.core_snoop;
		sink_take(&s->snoops[core], came, at);
		back = fabric_ring(&s->ring, RING_AK, core, slice, at, observed);
		cbo_pulse(f, s->cbo[slice].port, SIG_CBO_TXR_INSERT, when, 1, CBO_TXR_INSERT_IV_CACHE, &tag,
			     observed);
		cbo_pulse(f, port, SIG_CBO_TXR_INSERT, at, 1, CBO_TXR_INSERT_AK_CORE, &tag, observed);
		cbo_pulse(f, port, SIG_CBO_SINK, at, 1, CBO_SINK_C2P_IV, &tag, observed);
		if (meta & LLC_DIRTY) {
			at += f->at.core_data;
			back = fabric_ring(&s->ring, RING_BL, core, slice, at, observed);
			cbo_pulse(f, port, SIG_CBO_TXR_INSERT, at, 1, CBO_TXR_INSERT_BL_CORE, &tag, observed);
			cbo_pulse(f, s->cbo[slice].port, SIG_CBO_SINK, back, 2, CBO_SINK_P2C_BL, &tag, observed);
		}
		cbo_pulse(f, s->cbo[slice].port, SIG_CBO_SINK, back, 1, CBO_SINK_P2C_AK, &tag, observed);
		cbo_pulse(f, s->cbo[slice].port, SIG_CBO_RXR_INSERT, back, 1, CBO_RXR_INSERT_ISMQ, &tag, observed);
		if (back > last)
			last = back;
		/* A core that is known to have dropped the line need not hear of it. */
		if (f->config.snoop_core && !(meta & LLC_GONE))
			f->config.snoop_core(f->config.ctx, socket, core, line, kind);
	}
	return last;
}

UNCORE_COLD uint64_t cbo_snoop_cores_batched(struct fabric *f, unsigned socket, unsigned slice, uint64_t line,
						unsigned meta, uint32_t cores, enum leave_snoop_kind kind,
						uint64_t when)
{
	return snoop_cores(f, socket, slice, line, meta, cores, kind, when, false);
}

UNCORE_COLD uint64_t cbo_snoop_cores_observed(struct fabric *f, unsigned socket, unsigned slice, uint64_t line,
						 unsigned meta, uint32_t cores, enum leave_snoop_kind kind,
						 uint64_t when)
{
	return snoop_cores(f, socket, slice, line, meta, cores, kind, when, true);
}

/* The line is still on its way into this slice: the snoop waits for it. */
static uint64_t probe_wait(const struct transaction *w, struct cbo_probe *b, uint64_t look, const bool observed)
{
	struct fabric *f = w->f;
	uint64_t there = cbo_pending(b->cbo, w->line, look);

	if (there <= look)
		return look;
	cbo_pulse(f, b->port, SIG_CBO_IPQ_RETRY, look, (there - look + f->at.retry - 1) / f->at.retry,
		     CBO_IPQ_RETRY_ADDR_CONFLICT, &b->tag, observed);
	if (observed && there > look + RING_TRIES * f->at.retry)
		stop_tell(&b->s->stop[w->slice], b->port, STOP_INT_IPQ, look + RING_TRIES * f->at.retry, there);
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
static unsigned answer(struct transaction *w, struct cbo_probe *b, struct llc_place *p, uint64_t *when, const bool observed)
{
	unsigned meta = llc_meta(p), state = meta & LLC_STATE, kind;
	bool dirty = meta & LLC_DIRTY, modified = dirty || state == LLC_M;
	bool shares = w->snoop == QPI_SNP_DATA || w->snoop == QPI_SNP_CODE;
	bool current = w->snoop == QPI_SNP_CUR;
	uint32_t ask = (shares || current) && !(meta & LLC_OWNED) ? 0 : llc_cores(p);

	if (current) {
		/* Only a look: nobody's copy changes. */
		*when = cbo_snoop_cores(w->f, b->socket, w->slice, w->line, meta | LLC_GONE, ask, LEAVE_SNOOP_SHARE,
					   *when, observed);
		return state == LLC_S ? HA_RSP_S : HA_RSP_FWD;
	}
	*when = cbo_snoop_cores(w->f, b->socket, w->slice, w->line, meta, ask,
				   shares ? LEAVE_SNOOP_SHARE : LEAVE_SNOOP_INVALIDATE, *when, observed);
	if (fabric_was_fse(meta))
		cbo_pulse(w->f, b->port, SIG_CBO_MISC, *when, 1, CBO_MISC_RSPI_WAS_FSE, &b->tag, observed);
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

/* The slice has the line: with its answer it may send data home, or to who asked. */
static struct ha_response found_there(struct transaction *w, struct cbo_probe *b, struct llc_place *p, uint64_t when,
				      const bool observed)
{
	struct fabric *f = w->f;
	unsigned kind = answer(w, b, p, &when, observed);
	uint64_t egress = when + f->at.go;
	struct ha_response response = probe_respond(w, b, kind, egress, observed);

	if (kind == HA_RSP_S_WB || kind == HA_RSP_I_WB) {
		struct qpi_packet packet = {
			.class = QPI_DRS,
			.requester = (uint8_t)w->socket,
			.opcode = kind == HA_RSP_S_WB ? QPI_WB_S_DATA : QPI_WB_I_DATA,
		};
		uint64_t data = probe_answer_home(w, b, packet, egress + f->at.hit, observed);

		response.when = data > response.when ? data : response.when;
	} else if (kind == HA_RSP_FWD_S || kind == HA_RSP_FWD_I || kind == HA_RSP_FWD) {
		struct qpi_packet packet = {
			.class = QPI_DRS,
			.opcode = QPI_DATA_C,
			.to = (uint8_t)w->socket,
			.rds = kind == HA_RSP_FWD     ? QPI_RDS_I
			       : kind == HA_RSP_FWD_S ? QPI_RDS_F
			       : w->peer_modified     ? QPI_RDS_M
						      : QPI_RDS_E,
			.requester = (uint8_t)w->socket,
			.core = w->op->to_core && !f->config.indirect,
		};

		cbo_pulse(f, b->port, SIG_CBO_TXR_INSERT, egress + f->at.hit,
			     1u + (packet.core && fabric_inside(f, b->socket, w->socket)), CBO_TXR_INSERT_BL_CACHE,
			     &b->tag, observed);
		f->gate = fabric_gate(f, b->socket, w->socket, w->line);
		w->peer_data = fabric_cross_line(f, w->which, b->socket, w->slice, w->socket, packet, w->line,
						 egress + f->at.hit, observed);
		w->peer_data = fabric_message(w, FABRIC_SLICE_SLICE, packet, w->line, w->home, b->socket, w->socket,
					      egress + f->at.hit, w->peer_data);
	}
	return response;
}

UNCORE_COLD uint64_t probe_tags(struct transaction w, unsigned peer, uint64_t arrive, uint64_t from,
				struct ha_response *response, bool *modified, const bool observed)
{
	uint64_t look = from + w.f->at.tag;
	struct llc_place p;
	struct cbo_probe b;

	probe_enter(&w, &b, peer, observed);
	b.from = from;
	p = llc_find(&b.s->llc, w.slice, w.line);
	probe_look(&w, &b, arrive, look, llc_state(&p), observed);
	if (p.way >= 0)
		*response = found_there(&w, &b, &p, probe_wait(&w, &b, look, observed), observed);
	else
		*response = probe_respond(&w, &b, HA_RSP_I, look + w.f->at.go, observed);
	*modified = w.peer_modified;
	return w.peer_data;
}
