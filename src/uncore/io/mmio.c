/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses to devices: by cores, by devices of other sockets; and locks of the whole machine. */
#include "uncore/io/mmio.h"

#include "uncore/cbo/entry.h"
#include "uncore/cbo/store.h"

static const struct signal_tag untold;

/* A message of the UBox's own leaves the ring, or gets onto it, at the stop beside the I/O. */
static void tell_ubox(const struct fabric *f, unsigned socket, uint64_t flag, uint64_t when)
{
	signal_pulse(f->socket[socket].ubox.port, SIG_UBOX_RING, when, 1, flag, &untold);
}

/* A message without coherence from a stop of one socket to the I/O stop of another; returns when
 * it is there. */
static uint64_t to_stop(struct fabric *f, unsigned from, unsigned stop, unsigned to, struct qpi_packet packet,
			uint64_t line, uint64_t when, const bool observed)
{
	enum ring_kind kind = qpi_ring(packet.class);

	packet.to = (uint8_t)to;
	packet.requester = (uint8_t)from;
	if (from != to) {
		when = fabric_cross(f, from, stop, to, packet, line, when, observed);
		stop = fabric_gate(f, from, to, line);
	}
	return fabric_ring(&f->socket[to].ring, kind, stop, RING_R2PCIE, when, observed);
}

/* The end of the link over which messages of a line come in from another socket. */
static struct qpi_end *way_in(struct fabric *f, unsigned from, unsigned to, uint64_t line)
{
	while (fabric_next(f, from, to) != to)
		from = fabric_next(f, from, to);
	return &f->end[to >> f->split][fabric_link(f, to, from, fabric_which(f, line))];
}

/* The device's answer gets to this socket's ring; returns when, and sets the stop. */
static uint64_t device_answer(struct transaction *w, struct qpi_packet packet, unsigned *stop, uint64_t when,
			      const bool observed)
{
	uint64_t sent = when;

	*stop = RING_R2PCIE;
	packet.to = packet.requester = (uint8_t)w->socket;
	if (w->home_socket != w->socket) {
		*stop = fabric_gate(w->f, w->home_socket, w->socket, w->line);
		when = fabric_cross(w->f, w->home_socket, RING_R2PCIE, w->socket, packet, w->line, when, observed);
	}
	return fabric_message(w, FABRIC_IO_SLICE, packet, w->line, w->home, w->home_socket, w->socket, sent, when);
}

uint64_t io_to_device(struct transaction *w, bool read, bool whole, uint64_t when, uint64_t *data,
			  unsigned *data_stop, const bool observed)
{
	struct fabric *f = w->f;
	struct irp *irp = &f->socket[w->home_socket].irp;
	enum irp_class class = read ? IRP_NCS : IRP_NCB;
	struct qpi_packet request = {
		.class = read ? QPI_NCS : QPI_NCB,
		.opcode = read	  ? QPI_NC_RD_PTL
			  : whole ? QPI_NC_WR
				  : QPI_NC_WR_PTL,
	};
	const struct qpi_packet over = { .class = QPI_NDR, .opcode = QPI_CMP };
	unsigned stop;
	uint64_t at, in, there, back;
	bool far;

	when = cbo_device_credit(w, whole, when, observed);
	cbo_pulse(f, w->cbo->port, SIG_CBO_TXR_INSERT, when, 1, CBO_TXR_INSERT_BL_CACHE, &w->tag, observed);
	at = to_stop(f, w->socket, w->slice, w->home_socket, request, w->line, when, observed);
	at = fabric_message(w, FABRIC_SLICE_IO, request, w->line, w->home, w->socket, w->home_socket, when, at);
	/* It has been taken off the ring, and that is known. */
	w->cbo->to_device =
		when + 2 * ring_latency(&w->s->ring, w->slice, w->home_socket == w->socket ? RING_R2PCIE : RING_R3QPI);
	there = irp_deliver(irp, class, at, f->at.r3_out, &in);
	if (observed && !fabric_inside(f, w->home_socket, w->socket)) {
		struct ring *ring = &f->socket[w->home_socket].ring;
		struct qpi_end *end = way_in(f, w->socket, w->home_socket, w->line);
		uint64_t way = ring_latency(ring, RING_R3QPI, RING_R2PCIE);

		qpi_use_io(end, request.class, at - way - f->at.r3_in, in + way);
		if (r3_use_for_io(&f->socket[w->home_socket].r3, ring->port[RING_R3QPI], read ? R3_R2_NCS : R3_R2_NCB,
				  at - way, in + way))
			signal_pulse(end->r3, SIG_R3QPI_IIO_REJECT, at - way, 1,
				     read ? R3QPI_IIO_REJECT_NCS : R3QPI_IIO_REJECT_NCB, &w->tag);
	}
	back = at + f->at.device > there ? at + f->at.device : there;
	irp_outbound(irp, class, there, back);
	fabric_residency_from(f, STAYS_OUTBOUND, irp->port, there, observed);
	fabric_residency_to(f, STAYS_OUTBOUND, irp->port, back, observed);
	far = !fabric_inside(f, w->home_socket, w->socket);
	if (read) {
		struct qpi_packet reply = { .class = QPI_DRS, .opcode = QPI_DATA_NC };

		*data = device_answer(w, reply, data_stop, irp_send(irp, IRP_BL, back), observed);
		/* The slice hears of it: from another socket with the data, else by an answer of its own. */
		back = far ? *data : irp_send(irp, IRP_AK, back);
		stop = *data_stop;
		if (!far && w->home_socket != w->socket)
			back = fabric_cross(f, w->home_socket, RING_R2PCIE, w->socket, over, w->line, back, observed);
	} else {
		back = irp_send(irp, far ? IRP_AD : IRP_AK, back);
		back = device_answer(w, over, &stop, back, observed);
	}
	back = fabric_ring(&w->s->ring, RING_AK, stop, w->slice, back, observed);
	cbo_pulse(f, w->cbo->port, SIG_CBO_SINK, back, 1, CBO_SINK_S2C_AK, &w->tag, observed);
	return back;
}

struct fabric_reply io_access(struct transaction *w, const struct fabric_request *r, const bool observed)
{
	struct fabric *f = w->f;
	bool read = r->kind == LEAVE_UC_READ;
	struct fabric_reply reply = { .source = FABRIC_FROM_DEVICE };
	unsigned stop = 0;
	uint64_t when, back, data = 0;

	if (observed)
		w->tag.nc = 1;
	w->home_socket = fabric_front(f, w->home_socket);
	when = (read ? cbo_enter(w, r, observed) : cbo_enter_with_data(w, r, observed)) + f->at.miss;
	back = io_to_device(w, read, false, when, &data, &stop, observed);
	if (read) {
		data = fabric_ring(&w->s->ring, RING_BL, stop, w->core, data, observed);
		cbo_pulse(f, w->s->cbo[w->core].port, SIG_CBO_SINK, data, 2, CBO_SINK_S2P_BL, &w->tag, observed);
		reply.when = data + f->at.core_in;
	} else {
		reply.when = cbo_go(w, back + f->at.go, observed);
	}
	cbo_leave(w, back, CBO_TOR_MISS | (read ? 0 : CBO_TOR_WB), observed);
	return reply;
}

/* From UBox to UBox of another socket. */
static uint64_t to_ubox(struct fabric *f, unsigned from, unsigned to, struct qpi_packet packet, uint64_t line,
			uint64_t when, const bool observed)
{
	uint64_t at = to_stop(f, from, RING_R2PCIE, to, packet, line, when, observed);
	bool asks = qpi_ring(packet.class) == RING_BL, far = !fabric_inside(f, from, to);

	/* Completions come on AK; to links they leave on AD. */
	tell_ubox(f, from, asks ? UBOX_RING_OUT_BL : far ? UBOX_RING_OUT_AD : UBOX_RING_OUT_AK, when);
	tell_ubox(f, to, asks ? UBOX_RING_IN_BL : UBOX_RING_IN_AK, at);
	return at;
}

/* All other sockets have stopped, or gone on, as the master asked at `when`: returns when the
 * last one has said so. */
static uint64_t ask_sockets(struct fabric *f, unsigned master, uint64_t line, uint64_t work, uint64_t when,
			    const bool observed)
{
	uint64_t last = when + work;

	for (unsigned s = 0; s < f->config.sockets; s++) {
		struct qpi_packet message = { .class = QPI_NCS, .opcode = QPI_NC_MSG_S };
		struct qpi_packet done = { .class = QPI_NDR, .opcode = QPI_CMP };
		uint64_t at;

		if (s == master)
			continue;
		at = to_ubox(f, master, s, message, line, when, observed) + work;
		at = to_ubox(f, s, master, done, line, at, observed);
		last = at > last ? at : last;
	}
	return last;
}

struct fabric_reply io_lock(struct transaction *w, const struct fabric_request *r, const bool observed)
{
	struct fabric *f = w->f;
	struct ubox *own = &w->s->ubox, *master = &f->socket[0].ubox;
	struct qpi_packet message = { .class = QPI_NCS, .opcode = QPI_NC_MSG_S };
	struct qpi_packet grant = { .class = QPI_NDR, .opcode = QPI_CMP };
	struct signal_port *core = w->s->cbo[w->core].port;
	uint64_t send = r->when + f->at.core_out, asked, at, granted, released;

	asked = fabric_ring(&w->s->ring, RING_BL, w->core, RING_R2PCIE, send, observed);
	cbo_pulse(f, core, SIG_CBO_TXR_INSERT, send, 1, CBO_TXR_INSERT_BL_CORE, &w->tag, observed);
	tell_ubox(f, w->socket, UBOX_RING_IN_BL, asked);
	at = asked;
	if (w->socket != 0)
		at = to_ubox(f, w->socket, 0, message, w->line, at, observed);
	if (at < master->locked)
		at = master->locked;
	granted = ask_sockets(f, 0, w->line, f->at.quiesce, at, observed);
	if (w->socket != 0)
		granted = to_ubox(f, 0, w->socket, grant, w->line, granted, observed);
	tell_ubox(f, w->socket, UBOX_RING_OUT_AK, granted);
	released = fabric_ring(&w->s->ring, RING_AK, RING_R2PCIE, w->core, granted, observed);
	cbo_pulse(f, core, SIG_CBO_SINK, released, 1, CBO_SINK_S2P_AK, &w->tag, observed);
	released += f->at.core_in;
	ubox_hold(own, asked, granted, released);
	master->locked = ask_sockets(f, 0, w->line, 0, released, observed);
	return (struct fabric_reply){ .when = released, .source = FABRIC_FROM_DEVICE };
}
