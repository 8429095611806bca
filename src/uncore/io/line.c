/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device's transaction does for its line: from the IRP onto the ring, into a slice, home, and back. */
#include "uncore/io/line.h"

#include "uncore/cbo/age.h"
#include "uncore/cbo/entry.h"
#include "uncore/cbo/home.h"
#include "uncore/cbo/store.h"
#include "uncore/io/io.h"

static const struct signal_tag no_tag;

void io_start(struct transaction *w, struct fabric *f, unsigned socket, uint64_t line, const struct fabric_op *op)
{
	struct fabric_socket *s = &f->socket[socket];
	unsigned home = fabric_home_of(f, line);

	*w = (struct transaction){
		.f = f, .s = s, .op = op, .line = line, .socket = socket, .slice = llc_slice(&s->llc, line),
		.home = home, .home_socket = fabric_socket_of(f, home), .snoop = op->snoop,
		.stop = fabric_ha_stop(f, home), .which = fabric_which(f, line),
	};
	w->cbo = &s->cbo[w->slice];
	w->tag = (struct signal_tag){
		.addr = line << 6, .opc = op->opc, .nid = (uint16_t)w->home_socket, .tid = CBO_TID_IO,
	};
}

uint64_t io_enter(struct transaction *w, bool data, uint64_t when)
{
	struct fabric *f = w->f;
	struct ring *ring = &w->s->ring;
	uint64_t go = irp_send(&w->s->irp, IRP_AD, when), there = 0, tags;
	uint64_t arrive, came;

	if (go < w->s->alarm)
		go = ring_hold_back(f, w->s, RING_R2PCIE, go, &w->tag, true);
	arrive = came = fabric_ring(ring, RING_AD, RING_R2PCIE, w->slice, go, true);
	if (data) {
		there = fabric_ring(ring, RING_BL, RING_R2PCIE, w->slice, irp_send(&w->s->irp, IRP_BL, when), true);
		cbo_pulse(f, w->cbo->port, SIG_CBO_SINK, there, 2, CBO_SINK_S2C_BL, &w->tag, true);
	}
	if (sink_crowded(&w->cbo->prq, CBO_PRQ_PLACES, arrive))
		arrive =
			ring_bounce(w->s, w->slice, RING_R2PCIE, RING_AD, &w->cbo->prq, CBO_PRQ_PLACES, arrive, true);
	w->entry = cbo_accept(w->cbo, &f->uclk, arrive);
	cbo_accepted(w, STAYS_PRQ, true);
	if (w->entry.from > arrive)
		cbo_queued(f, w->s, w->slice, &w->cbo->prq, CBO_PRQ_PLACES, came, arrive, w->entry.from, true);
	cbo_outrun(w->s, w->slice, CBO_PRQ, w->entry.ready, w->entry.from, true);
	cbo_pulse(f, w->cbo->port, SIG_CBO_RXR_INSERT, arrive, 1, CBO_RXR_INSERT_PRQ, &w->tag, true);
	cbo_span(f, w->cbo->port, SIG_CBO_RXR, arrive, w->entry.from, 1, CBO_RXR_PRQ, &w->tag, true);
	tags = w->entry.from + f->at.tag;
	return there > tags ? there : tags;
}

/* The tags; a line on its way for somebody else is waited for. */
static uint64_t io_look_up(struct transaction *w, struct llc_place *p, uint64_t when)
{
	struct fabric *f = w->f;
	uint64_t there;

	*p = llc_find(&w->s->llc, w->slice, w->line);
	w->tag.state = (uint8_t)llc_state(p);
	cbo_lookup(f, w->cbo, when, w->op->lookup, llc_state(p), &w->tag, true);
	there = p->way < 0 ? when : cbo_pending(w->cbo, w->line, when);
	if (there == when)
		return when;
	cbo_send_back(f, w->s, w->slice, true, &w->tag, when, there, true);
	cbo_again(w, there, true);
	return there + f->at.tag;
}

/* An acknowledgement is at R2PCIe's stop at `when`; returns when R2PCIe takes it. */
static uint64_t take_ack(struct transaction *w, uint64_t when)
{
	struct irp *irp = &w->s->irp;
	struct ring *ring = &w->s->ring;
	uint64_t lap = ring_lap(ring, RING_R2PCIE), laps = 0, came = when, go;

	if (sink_crowded(&irp->acks, IRP_ACKS, when))
		laps = sink_laps(&irp->acks, IRP_ACKS, when, lap);
	signal_pulse(irp->stop, SIG_R2PCIE_AK_BOUNCE, when, laps,
		     ring_comes_down(ring, w->slice, RING_R2PCIE) ? R2PCIE_AK_BOUNCE_DN : R2PCIE_AK_BOUNCE_UP, &no_tag);
	ring_tell_laps(ring, RING_AK, w->slice, RING_R2PCIE, when, laps);
	when += laps * lap;
	go = when + calendar_book(&irp->in, &irp->uclk, when, 2);
	if (go > when)
		sink_take(&irp->acks, came, go);
	return go;
}

uint64_t io_acknowledge(struct transaction *w, uint64_t when)
{
	uint64_t at;

	cbo_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, when, 1, CBO_TXR_INSERT_AK_CACHE, &w->tag, true);
	at = take_ack(w, fabric_ring(&w->s->ring, RING_AK, w->slice, RING_R2PCIE, when, true)) + w->f->at.irp;
	signal_pulse(w->s->irp.port, SIG_IRP_AK_INSERT, at, 1, 0, &no_tag);
	signal_span(w->s->irp.port, SIG_IRP_AK, at - w->f->at.irp, at, 1, 0, &no_tag);
	return at;
}

/* Copies in cores, asked for what they have written or told to drop it. */
static uint64_t ask_cores(struct transaction *w, const struct llc_place *p, bool drop, uint64_t when)
{
	unsigned meta = llc_meta(p);

	if (!llc_cores(p) || (!drop && !(meta & LLC_OWNED)))
		return when;
	/* Who only lends its data need not change anything. */
	return cbo_snoop_cores(w->f, w->socket, w->slice, w->line, drop ? meta : meta | LLC_GONE, llc_cores(p),
				  LEAVE_SNOOP_INVALIDATE, when, true);
}

uint64_t io_read_line(struct transaction *w, uint64_t when, uint64_t *device)
{
	struct fabric *f = w->f;
	struct llc_place p;
	uint64_t flags = 0, egress, at, in;

	when = io_look_up(w, &p, io_enter(w, false, when));
	if (p.way >= 0) {
		egress = ask_cores(w, &p, false, when) + f->at.hit;
	} else {
		egress = cbo_ask_home_rare(w, w->op->home, false, when + f->at.miss, true).slice + f->at.go;
		flags = CBO_TOR_MISS;
	}
	cbo_pulse(f, w->cbo->port, SIG_CBO_TXR_INSERT, egress, 1, CBO_TXR_INSERT_BL_CACHE, &w->tag, true);
	cbo_leave(w, egress, flags, true);
	at = fabric_ring(&w->s->ring, RING_BL, w->slice, RING_R2PCIE, egress, true);
	*device = irp_deliver(&w->s->irp, IRP_DRS, at, f->at.irp, &in);
	return in;
}

uint64_t io_own_line(struct transaction *w, uint64_t when)
{
	struct fabric *f = w->f;
	struct llc_place p;
	enum llc_state state;
	struct fabric_home_reply home;
	struct cbo_ages ages = cbo_ages_look(f, w->socket, w->line);
	bool written;

	when = io_look_up(w, &p, io_enter(w, false, when));
	state = llc_state(&p);
	if (state == LLC_E || state == LLC_M) {
		written = state == LLC_M || llc_meta(&p) & LLC_DIRTY;
		when = ask_cores(w, &p, true, when) + f->at.go;
		llc_touch(&p);
		if (ages.on)
			cbo_ages_tell(&ages, when);
		llc_set(&p, written ? LLC_M : LLC_E);
		llc_set_cores(&p, 0);
		cbo_leave(w, when, 0, true);
		return io_acknowledge(w, when);
	}
	if (p.way >= 0) {
		ask_cores(w, &p, true, when);
		w->snoop = QPI_SNP_INV_I_TO_E;
		cbo_pulse(f, w->cbo->port, SIG_CBO_MISC, when, 1, CBO_MISC_RFO_HIT_S, &w->tag, true);
	}
	home = cbo_ask_home_rare(w, p.way >= 0 ? HA_INV_ITOE : w->op->home, false, when + f->at.miss, true);
	when = home.slice + f->at.fill;
	if (p.way >= 0) {
		llc_touch(&p);
		llc_set(&p, LLC_E);
		llc_set_cores(&p, 0);
	} else {
		struct llc_victim v =
			llc_fill_last(&w->s->llc, &p, w->line, w->peer_modified ? LLC_M : LLC_E, FABRIC_IO_WAYS);

		*fabric_present(f, w->line) |= (uint8_t)(1u << w->socket);
		if (v.meta & LLC_STATE)
			cbo_evict(w, &v, when, true);
	}
	if (ages.on)
		cbo_ages_tell(&ages, when);
	cbo_leave(w, when, CBO_TOR_MISS, true);
	return io_acknowledge(w, when);
}

bool io_still_owned(struct transaction *w, uint64_t when)
{
	struct llc_place p = llc_find(&w->s->llc, w->slice, w->line);
	struct signal_port *port = w->s->irp.port;
	enum llc_state state = llc_state(&p);
	bool shared;

	if ((state == LLC_E || state == LLC_M) && !llc_cores(&p))
		return true;
	shared = p.way >= 0 && !(llc_meta(&p) & LLC_DIRTY);
	signal_pulse(port, SIG_IRP_SNOOP, when, 1, IRP_SNOOP_HIT_ES | (shared ? IRP_SNOOP_DATA : IRP_SNOOP_INV),
		     &no_tag);
	signal_pulse(port, SIG_IRP_MISC1, when, 1,
		     shared ? IRP_MISC1_SLOW_S : IRP_MISC1_SLOW_I | IRP_MISC1_LOST_FWD, &no_tag);
	return false;
}

uint64_t io_put_line(struct transaction *w, uint64_t when)
{
	struct fabric *f = w->f;
	struct llc_place p;
	uint64_t flags = CBO_TOR_WB;

	when = io_look_up(w, &p, io_enter(w, true, when)) + f->at.go;
	if (p.way >= 0) {
		llc_set(&p, LLC_M);
	} else {
		when = cbo_write_own(w, false, when, true);
		flags |= CBO_TOR_MISS;
	}
	cbo_leave(w, when, flags, true);
	return io_acknowledge(w, when);
}
