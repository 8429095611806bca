/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions of devices: through the IRP onto the ring, into a slice, home, and back. */
#include "uncore/fabric_io.h"

#include "uncore/fabric_age.h"
#include "uncore/fabric_walk.h"

/* What a kind asks the slice for, how the IRP calls that, and which transaction it is. */
static const struct {
	struct fabric_op op;
	uint64_t coherent, transaction, second;
} kinds[FABRIC_IO_KINDS] = {
	[FABRIC_IO_READ] = { { CBO_PCI_RD_CUR, HA_RD_CUR, QPI_SNP_CUR, .data = true, .lookup = CBO_LOOKUP_ANY | CBO_LOOKUP_READ },
			     IRP_COHERENT_PCIRDCUR, IRP_TRANSACTION_READ, IRP_MISC0_RD_SECOND },
	[FABRIC_IO_WRITE] = { { CBO_I_TO_M, HA_INV_ITOE, QPI_SNP_INV_I_TO_E, .own = true,
				.lookup = CBO_LOOKUP_ANY },
			      IRP_COHERENT_PCITOM, IRP_TRANSACTION_WR_PREF, IRP_MISC0_WR_SECOND },
	[FABRIC_IO_PARTIAL] = { { CBO_RFO, HA_RD_INV_OWN, QPI_SNP_INV_OWN, .own = true, .data = true,
				  .lookup = CBO_LOOKUP_ANY | CBO_LOOKUP_READ },
				IRP_COHERENT_RFO, IRP_TRANSACTION_WR_PREF, IRP_MISC0_WR_SECOND },
	[FABRIC_IO_ATOMIC] = { { CBO_RFO, HA_RD_INV_OWN, QPI_SNP_INV_OWN, .own = true, .data = true,
				 .lookup = CBO_LOOKUP_ANY | CBO_LOOKUP_READ },
			       IRP_COHERENT_RFO, IRP_TRANSACTION_WR_PREF, IRP_MISC0_ATOMIC_SECOND },
	[FABRIC_IO_PEER_READ] = { { .opc = CBO_PRD }, 0, IRP_TRANSACTION_READ, 0 },
	[FABRIC_IO_PEER_WRITE] = { { .opc = CBO_PCI_WILF }, 0, IRP_TRANSACTION_WRITE, 0 },
};

static const struct fabric_op write_back = {
	.opc = CBO_WB_M_TO_I, .lookup = CBO_LOOKUP_ANY | CBO_LOOKUP_WRITE,
};

static const struct signal_tag no_tag;

static void io_start(struct fabric_walk *w, struct fabric *f, unsigned socket, uint64_t line,
		  const struct fabric_op *op)
{
	struct fabric_socket *s = &f->socket[socket];
	unsigned home = fabric_home_of(f, line);

	*w = (struct fabric_walk){
		.f = f, .s = s, .op = op, .line = line, .socket = socket, .slice = llc_slice(&s->llc, line),
		.home = home, .home_socket = fabric_socket_of(f, home), .snoop = op->snoop,
		.stop = fabric_ha_stop(f, home), .which = fabric_which(f, line),
	};
	w->cbo = &s->cbo[w->slice];
	w->tag = (struct signal_tag){
		.addr = line << 6, .opc = op->opc, .nid = (uint16_t)w->home_socket, .tid = CBO_TID_IO,
	};
}

/* The request is ready in the IRP at `when`: over the ring into the slice; returns when its tags
 * are read. */
static uint64_t io_enter(struct fabric_walk *w, bool data, uint64_t when)
{
	struct fabric *f = w->f;
	struct ring *ring = &w->s->ring;
	uint64_t go = irp_send(&w->s->irp, IRP_AD, when), there = 0, tags;
	uint64_t arrive;

	if (go < w->s->alarm)
		go = fabric_hold_back(f, w->s, RING_R2PCIE, go, &w->tag);
	arrive = fabric_ring(ring, RING_AD, RING_R2PCIE, w->slice, go);
	if (data) {
		there = fabric_ring(ring, RING_BL, RING_R2PCIE, w->slice, irp_send(&w->s->irp, IRP_BL, when));
		fabric_pulse(f, w->cbo->port, SIG_CBO_SINK, there, 2, CBO_SINK_S2C_BL, &w->tag);
	}
	if (sink_crowded(&w->cbo->prq, arrive))
		arrive = fabric_bounce(w->s, w->slice, RING_R2PCIE, RING_AD, &w->cbo->prq, CBO_PRQ_PLACES, arrive);
	w->entry = cbo_accept(w->cbo, &f->uclk, arrive);
	fabric_accepted(w, STAYS_PRQ);
	if (w->entry.from > arrive)
		fabric_queued(f, w->s, w->slice, &w->cbo->prq, CBO_PRQ_PLACES, arrive, w->entry.from);
	fabric_outrun(w->s, w->slice, CBO_PRQ, w->entry.ready, w->entry.from);
	fabric_pulse(f, w->cbo->port, SIG_CBO_RXR_INSERT, arrive, 1, CBO_RXR_INSERT_PRQ, &w->tag);
	fabric_span(f, w->cbo->port, SIG_CBO_RXR, arrive, w->entry.from, 1, CBO_RXR_PRQ, &w->tag);
	tags = w->entry.from + f->at.tag;
	return there > tags ? there : tags;
}

/* The tags; a line on its way for somebody else is waited for. */
static uint64_t io_look_up(struct fabric_walk *w, struct llc_place *p, uint64_t when)
{
	struct fabric *f = w->f;
	uint64_t there;

	*p = llc_find(&w->s->llc, w->slice, w->line);
	w->tag.state = (uint8_t)llc_state(p);
	fabric_lookup(f, w->cbo, when, w->op->lookup, llc_state(p), &w->tag);
	there = p->way < 0 ? when : cbo_pending(w->cbo, w->line, when);
	if (there == when)
		return when;
	fabric_send_back(f, w->s, w->slice, true, &w->tag, when, there);
	fabric_again(w, there);
	return there + f->at.tag;
}

/* An acknowledgement is at R2PCIe's stop at `when`; returns when R2PCIe takes it. */
static uint64_t take_ack(struct fabric_walk *w, uint64_t when)
{
	struct irp *irp = &w->s->irp;
	struct ring *ring = &w->s->ring;
	uint64_t lap = ring_lap(ring, RING_R2PCIE), laps = 0, go;

	if (sink_crowded(&irp->acks, when))
		laps = sink_laps(&irp->acks, IRP_ACKS, when, lap);
	signal_pulse(irp->stop, SIG_R2PCIE_AK_BOUNCE, when, laps,
		     ring_comes_down(ring, w->slice, RING_R2PCIE) ? R2PCIE_AK_BOUNCE_DN : R2PCIE_AK_BOUNCE_UP, &no_tag);
	ring_tell_laps(ring, RING_AK, w->slice, RING_R2PCIE, when, laps);
	when += laps * lap;
	go = when + calendar_book(&irp->in, &irp->uclk, when, 2);
	if (go > when)
		sink_take(&irp->acks, IRP_ACKS, when, go);
	return go;
}

/* The slice's answer without data; returns when the IRP has it. */
static uint64_t acknowledge(struct fabric_walk *w, uint64_t when)
{
	uint64_t at;

	fabric_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, when, 1, CBO_TXR_INSERT_AK_CACHE, &w->tag);
	at = take_ack(w, fabric_ring(&w->s->ring, RING_AK, w->slice, RING_R2PCIE, when)) + w->f->at.irp;
	signal_pulse(w->s->irp.port, SIG_IRP_AK_INSERT, at, 1, 0, &no_tag);
	signal_span(w->s->irp.port, SIG_IRP_AK, at - w->f->at.irp, at, 1, 0, &no_tag);
	return at;
}

/* Copies in cores, asked for what they have written or told to drop it. */
static uint64_t ask_cores(struct fabric_walk *w, const struct llc_place *p, bool drop, uint64_t when)
{
	unsigned meta = llc_meta(p);

	if (!llc_cores(p) || (!drop && !(meta & LLC_OWNED)))
		return when;
	/* Who only lends its data need not change anything. */
	return fabric_snoop_cores(w->f, w->socket, w->slice, w->line, drop ? meta : meta | LLC_GONE, llc_cores(p),
				  LEAVE_SNOOP_INVALIDATE, when);
}

/* Returns when the data is in the IRP; *device: at the device. */
static uint64_t read_line(struct fabric_walk *w, uint64_t when, uint64_t *device)
{
	struct fabric *f = w->f;
	struct llc_place p;
	uint64_t flags = 0, egress, at, in;

	when = io_look_up(w, &p, io_enter(w, false, when));
	if (p.way >= 0) {
		egress = ask_cores(w, &p, false, when) + f->at.hit;
	} else {
		egress = fabric_home_rare(w, w->op->home, false, when + f->at.miss).slice + f->at.go;
		flags = CBO_TOR_MISS;
	}
	fabric_pulse(f, w->cbo->port, SIG_CBO_TXR_INSERT, egress, 1, CBO_TXR_INSERT_BL_CACHE, &w->tag);
	fabric_leave(w, egress, flags);
	at = fabric_ring(&w->s->ring, RING_BL, w->slice, RING_R2PCIE, egress);
	*device = irp_deliver(&w->s->irp, IRP_DRS, at, f->at.irp, &in);
	return in;
}

/* The line belongs to this IRP alone; returns when it knows. */
static uint64_t own_line(struct fabric_walk *w, uint64_t when)
{
	struct fabric *f = w->f;
	struct llc_place p;
	enum llc_state state;
	struct fabric_home_reply home;
	struct ages ages = ages_look(f, w->socket, w->line);
	bool written;

	when = io_look_up(w, &p, io_enter(w, false, when));
	state = llc_state(&p);
	if (state == LLC_E || state == LLC_M) {
		written = state == LLC_M || llc_meta(&p) & LLC_DIRTY;
		when = ask_cores(w, &p, true, when) + f->at.go;
		llc_touch(&p);
		if (ages.on)
			ages_tell(&ages, when);
		llc_set(&p, written ? LLC_M : LLC_E);
		llc_set_cores(&p, 0);
		fabric_leave(w, when, 0);
		return acknowledge(w, when);
	}
	if (p.way >= 0) {
		ask_cores(w, &p, true, when);
		w->snoop = QPI_SNP_INV_I_TO_E;
		fabric_pulse(f, w->cbo->port, SIG_CBO_MISC, when, 1, CBO_MISC_RFO_HIT_S, &w->tag);
	}
	home = fabric_home_rare(w, p.way >= 0 ? HA_INV_ITOE : w->op->home, false, when + f->at.miss);
	when = home.slice + f->at.fill;
	if (p.way >= 0) {
		llc_touch(&p);
		llc_set(&p, LLC_E);
		llc_set_cores(&p, 0);
	} else {
		struct llc_victim v = llc_fill_last(&w->s->llc, &p, w->line, w->peer_modified ? LLC_M : LLC_E,
						    FABRIC_IO_WAYS);

		*fabric_present(f, w->line) |= (uint8_t)(1u << w->socket);
		if (v.meta & LLC_STATE)
			fabric_evict(w, &v, when);
	}
	if (ages.on)
		ages_tell(&ages, when);
	fabric_leave(w, when, CBO_TOR_MISS);
	return acknowledge(w, when);
}

/* Does the IRP still have the line?  If not, tell who took it. */
static bool still_owned(struct fabric_walk *w, uint64_t when)
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

/* The write puts its data into the slice. */
static uint64_t put_line(struct fabric_walk *w, uint64_t when)
{
	struct fabric *f = w->f;
	struct llc_place p;
	uint64_t flags = CBO_TOR_WB;

	when = io_look_up(w, &p, io_enter(w, true, when)) + f->at.go;
	if (p.way >= 0) {
		llc_set(&p, LLC_M);
	} else {
		when = fabric_write_own(w, false, when);
		flags |= CBO_TOR_MISS;
	}
	fabric_leave(w, when, flags);
	return acknowledge(w, when);
}

/* Another transaction for the line is under way: its entry, or -1. */
static int primary(const struct irp *irp, uint64_t line, uint64_t when)
{
	for (unsigned i = 0; i < IRP_ENTRIES; i++)
		if (irp->line[i] == line + 1 && irp->entry.until[i] > when)
			return (int)i;
	return -1;
}

/* An entry for the transaction.  Writes hold theirs until they have had their turn. */
static unsigned take_entry(struct fabric *f, unsigned socket, uint64_t line, uint64_t *when)
{
	struct irp *irp = &f->socket[socket].irp;
	unsigned place = irp_place(&irp->entry, IRP_ENTRIES);

	while (irp->entry.until[place] == UINT64_MAX) {
		fabric_io_finish(f, irp_first(irp)->turn);
		place = irp_place(&irp->entry, IRP_ENTRIES);
	}
	if (irp->entry.until[place] > *when) {
		signal_pulse(irp->port, SIG_IRP_MISC1, *when, 1, IRP_MISC1_THROTTLE, &no_tag);
		*when = irp->entry.until[place];
	}
	irp->line[place] = line + 1;
	stays_come(irp->stays, STAYS_LINES, irp->port, *when, 1);
	return place;
}

static void give_entry(struct irp *irp, unsigned place, uint64_t when)
{
	irp->entry.until[place] = when;
	stays_leave(irp->stays, STAYS_LINES, irp->port, when, 1);
}

/* The write waits behind one of the same line, which hands the line on instead of giving it back. */
static uint64_t follow(struct irp *irp, uint64_t line, uint64_t when)
{
	uint64_t owned = when;

	for (unsigned i = 0; i < irp->writes; i++) {
		struct irp_write *first = &irp->write[(irp->head + i) % IRP_ENTRIES];

		if (first->line != line || first->handed)
			continue;
		first->handed = true;
		owned = first->owned > when ? first->owned : when;
	}
	signal_pulse(irp->port, SIG_IRP_MISC0, owned, 1, IRP_MISC0_PF_ACK, &no_tag);
	return owned;
}

static bool write_waits(const struct irp *irp, uint64_t line)
{
	for (unsigned i = 0; i < irp->writes; i++) {
		const struct irp_write *w = &irp->write[(irp->head + i) % IRP_ENTRIES];

		if (w->line == line && !w->handed)
			return true;
	}
	return false;
}

static uint64_t io_write(struct fabric_walk *w, const struct fabric_io *io)
{
	struct irp *irp = &w->s->irp;
	uint64_t when = io->when, owned;
	bool second = primary(irp, io->line, when) >= 0, follows = write_waits(irp, io->line);
	unsigned place = take_entry(w->f, io->socket, io->line, &when);
	struct irp_write *entry = &irp->write[(irp->head + irp->writes) % IRP_ENTRIES];
	uint64_t turn;

	if (second)
		signal_pulse(irp->port, SIG_IRP_MISC0, when, 1, kinds[io->kind].second, &no_tag);
	signal_pulse(irp->port, SIG_IRP_TRANSACTION, when, 1, kinds[io->kind].transaction, &no_tag);
	if (follows && write_waits(irp, io->line)) {
		owned = follow(irp, io->line, when);
	} else {
		signal_pulse(irp->port, SIG_IRP_COHERENT, when, 1, kinds[io->kind].coherent, &no_tag);
		owned = own_line(w, when + w->f->at.irp);
	}
	/* One turn a clock at most; data is there with the transaction, ownership later. */
	turn = owned > irp->last_turn ? owned : irp->last_turn + irp->uclk.period;
	irp->last_turn = turn;
	irp->entry.until[place] = UINT64_MAX;
	*entry = (struct irp_write){ .line = io->line, .owned = owned, .turn = turn, .place = (uint8_t)place,
				     .atomic = io->kind == FABRIC_IO_ATOMIC };
	irp->writes++;
	signal_span(irp->port, SIG_IRP_OUTSTANDING, when, turn, 1, IRP_OUTSTANDING_WRITE, &no_tag);
	signal_span(irp->port, SIG_IRP_OWNED, owned, turn, 1, 0, &no_tag);
	depth_stay(&irp->ordering, irp->port, owned, turn);
	return owned;
}

/* The oldest write of a socket has its turn. */
static void finish_write(struct fabric *f, unsigned socket)
{
	struct irp *irp = &f->socket[socket].irp;
	struct irp_write e = *irp_first(irp);
	uint64_t when = e.turn, done = when, put;
	struct fabric_walk w;

	irp->head = (irp->head + 1) % IRP_ENTRIES;
	irp->writes--;
	io_start(&w, f, socket, e.line, &kinds[FABRIC_IO_WRITE].op);
	signal_pulse(irp->port, SIG_IRP_MISC0, when, 1, IRP_MISC0_FAST_REQ, &no_tag);
	signal_pulse(irp->port, SIG_IRP_TRANSACTION, when, 1,
		     e.atomic ? IRP_TRANSACTION_ATOMIC : IRP_TRANSACTION_WRITE, &no_tag);
	if (!still_owned(&w, when)) {
		signal_pulse(irp->port, SIG_IRP_MISC0, when, 1, IRP_MISC0_FAST_REJ, &no_tag);
		signal_pulse(irp->port, SIG_IRP_COHERENT, when, 1, IRP_COHERENT_RFO, &no_tag);
		io_start(&w, f, socket, e.line, &kinds[FABRIC_IO_PARTIAL].op);
		done = own_line(&w, when + f->at.irp);
		signal_pulse(irp->port, SIG_IRP_TRANSACTION, done, 1,
			     e.atomic ? IRP_TRANSACTION_ATOMIC : IRP_TRANSACTION_WRITE, &no_tag);
	}
	put = done;
	if (e.handed) {
		done += (uint64_t)IRP_SECONDARY * irp->uclk.period;
		signal_pulse(irp->port, SIG_IRP_MISC0, done, 1, IRP_MISC0_FAST_XFER, &no_tag);
		signal_pulse(irp->port, SIG_IRP_MISC1, done, 1, IRP_MISC1_VALID, &no_tag);
	} else {
		signal_pulse(irp->port, SIG_IRP_COHERENT, done, 1, IRP_COHERENT_WBMTOI, &no_tag);
		io_start(&w, f, socket, e.line, &write_back);
		done = put_line(&w, done);
		signal_span(irp->port, SIG_IRP_UNANSWERED, put, done, 1, 0, &no_tag);
	}
	give_entry(irp, e.place, done);
	signal_span(irp->port, SIG_IRP_OWNED, put, done, 1, 0, &no_tag);
	signal_span(irp->port, SIG_IRP_OUTSTANDING, when, done, 1, IRP_OUTSTANDING_WRITE, &no_tag);
}

static uint64_t io_read(struct fabric_walk *w, const struct fabric_io *io)
{
	struct irp *irp = &w->s->irp;
	uint64_t when = io->when, in, device;
	int before = primary(irp, io->line, when);
	unsigned place;

	if (before >= 0) {
		/* What the first one has is no right to read for the second: it asks for itself. */
		signal_pulse(irp->port, SIG_IRP_MISC0, when, 1, kinds[io->kind].second, &no_tag);
		signal_pulse(irp->port, SIG_IRP_MISC1, when, 1, IRP_MISC1_INVALID, &no_tag);
	}
	place = take_entry(w->f, io->socket, io->line, &when);
	signal_pulse(irp->port, SIG_IRP_TRANSACTION, when, 1, kinds[io->kind].transaction, &no_tag);
	signal_pulse(irp->port, SIG_IRP_COHERENT, when, 1, kinds[io->kind].coherent, &no_tag);
	in = read_line(w, when + w->f->at.irp, &device);
	give_entry(irp, place, in);
	signal_span(irp->port, SIG_IRP_OUTSTANDING, when, in, 1, IRP_OUTSTANDING_READ, &no_tag);
	return device;
}

/* To a device of this or another socket, past all caches. */
static uint64_t io_peer(struct fabric_walk *w, const struct fabric_io *io)
{
	struct fabric *f = w->f;
	struct irp *irp = &w->s->irp;
	bool read = io->kind == FABRIC_IO_PEER_READ;
	uint64_t when = io->when, back, data = 0;
	unsigned stop = 0;

	w->tag.nc = 1;
	w->home_socket = fabric_front(f, w->home_socket);
	signal_pulse(irp->port, SIG_IRP_TRANSACTION, when, 1, kinds[io->kind].transaction, &no_tag);
	if (w->home_socket != w->socket) {
		unsigned link = fabric_link(f, w->socket, w->home_socket, w->which);
		uint64_t flag = link ? R2PCIE_PEER_PRQ1 : R2PCIE_PEER_PRQ0;

		signal_pulse(irp->stop, SIG_R2PCIE_PEER, when, 1, flag, &no_tag);
	}
	when = io_enter(w, !read, when + f->at.irp) + f->at.miss;
	back = fabric_to_device(w, read, true, when, &data, &stop);
	fabric_leave(w, back, CBO_TOR_MISS | (read ? 0 : CBO_TOR_WB));
	if (!read)
		return acknowledge(w, back + f->at.go);
	data = fabric_ring(&w->s->ring, RING_BL, stop, RING_R2PCIE, data);
	return irp_deliver(irp, IRP_DRS, data, f->at.irp, NULL);
}

uint64_t fabric_io_walk(struct fabric *f, const struct fabric_io *io)
{
	struct fabric_walk w;

	if (io->kind == FABRIC_IO_INTERRUPT) {
		struct fabric_socket *s = &f->socket[io->socket];

		signal_pulse(s->irp.port, SIG_IRP_TRANSACTION, io->when, 1, IRP_TRANSACTION_OTHER, &no_tag);
		ubox_tell_core(&s->ubox, UBOX_OTHER, io->when + f->at.irp);
		return io->when + f->at.irp;
	}
	io_start(&w, f, io->socket, io->line, &kinds[io->kind].op);
	switch (io->kind) {
	case FABRIC_IO_READ:
		return io_read(&w, io);
	case FABRIC_IO_PEER_READ:
	case FABRIC_IO_PEER_WRITE:
		return io_peer(&w, io);
	default:
		return io_write(&w, io);
	}
}

void fabric_io_finish(struct fabric *f, uint64_t until)
{
	for (unsigned s = 0; s < f->config.sockets; s++) {
		struct irp *irp = &f->socket[s].irp;

		while (irp->writes && irp_first(irp)->turn <= until)
			finish_write(f, s);
	}
}
