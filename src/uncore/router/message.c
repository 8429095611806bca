/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message on its way through S-Boxes and routers:
 *
 *	slice | ring | S-Box | router | link ... | router | S-Box | ring | slice
 *	              \______________ B-Box ______________/
 *
 * S- and B-Box of one half speak with each other, past the router.  Each step has a calendar, a flit a clock; the
 * wire of a link has its own in the fabric, so that an external port's is for telling only.
 */
#include "uncore/router/cross.h"

/* The half of a socket that a slice belongs to. */
static unsigned half_of(const struct walk *w)
{
	return w->m->slice * BRIDGE_SBOXES / w->b->config.slices;
}

static unsigned side_of(const struct walk *w)
{
	return w->m->slice - (half_of(w) * w->b->config.slices + 1) / BRIDGE_SBOXES;
}

/* The port of the router for link i of a socket. */
static unsigned port_of_link(unsigned link)
{
	static const uint8_t port[] = { 0, 1, 4 };

	return port[link];
}

static uint64_t out_flags(const struct walk *w, bool to_b)
{
	uint64_t flags = (SBOX_SENT_HOM << w->class) | (to_b ? SBOX_SENT_TO_B : SBOX_SENT_TO_R);

	return w->class >= B_DRS ? flags | SBOX_SENT_C0 << side_of(w) : flags;
}

static unsigned out_queue(const struct walk *w, bool to_b)
{
	switch (w->class) {
	case B_HOM: return to_b ? OUT_HOM_B : OUT_HOM_R;
	case B_SNP: return OUT_SNP;
	case B_NDR: return OUT_NDR;
	case B_DRS: return OUT_DRS + side_of(w);
	case B_NCS: return OUT_NCS + side_of(w);
	default: return OUT_NCB + side_of(w);
	}
}

static void tell_bypass(const struct walk *w, struct signal_port *sbox, bool to_b, uint64_t when)
{
	uint64_t flag = w->class == B_HOM ? (to_b ? SBOX_BYPASS_S2B_HOM : SBOX_BYPASS_R_HOM) :
			w->class == B_SNP ? (w->b->config.sockets > 2 ? SBOX_BYPASS_R_BIG_SNP : SBOX_BYPASS_R_SNP) : 0;

	if (flag)
		signal_pulse(sbox, SIG_SBOX_BYPASS, when, 1, flag, &w->tag);
}

static void tell_request(const struct walk *w, struct bridge_half *h, uint64_t when)
{
	bool local = w->m->from == w->m->to;

	if (w->m->packet.class != QPI_HOM_REQ)
		return;
	h->since = when;
	signal_pulse(h->sbox, SIG_SBOX_REQUEST, when, 1, local ? SBOX_REQUEST_LOCAL : SBOX_REQUEST_REMOTE, &w->tag);
}

/* The C-Box's own queue, until the message is off its ring. */
static void tell_cbox(struct walk *w, uint64_t from, uint64_t to)
{
	struct signal_port *cbox = w->b->socket[w->m->from].cbox[w->m->slice];
	bool response = w->m->packet.class == QPI_HOM_RSP;

	if (w->class != B_HOM || !cbox->any)
		return;
	label(w);
	signal_pulse(cbox, SIG_CBO_TO_SYSTEM, from, 1,
		     response ? CBO_TO_SYSTEM_RESPONSE : CBO_TO_SYSTEM_REQUEST, &w->tag);
	signal_span(cbox, SIG_CBO_TO_SYSTEM_QUEUE, from, to, 1,
		    response ? CBO_TO_SYSTEM_QUEUE_RESPONSE : CBO_TO_SYSTEM_QUEUE_REQUEST, &w->tag);
}

/* From the ring through the S-Box, to the router or to its own B-Box; returns when it is off the S-Box. */
static uint64_t leave_ring(struct walk *w, bool to_b)
{
	struct bridge_half *h = &w->b->socket[w->m->from].half[half_of(w)];
	uint64_t in = w->m->sent + clocks(w, IN_RING);
	uint64_t wait = calendar_book(to_b ? &h->to_b : &h->to_r, &w->b->uclk, in, w->flits);
	uint64_t go = in + clocks(w, IN_SBOX) + wait, flags;

	w->waited += wait;
	tell_cbox(w, w->m->sent, in);
	h->since = 0;
	if (!h->sbox->any)
		return go;
	label(w);
	flags = out_flags(w, to_b);
	tell_request(w, h, in);
	signal_span(h->sbox, SIG_SBOX_OUT, in, go, 1, flags, &w->tag);
	depth_stay(&h->out[out_queue(w, to_b)], h->sbox, in, go);
	signal_pulse(h->sbox, SIG_SBOX_SENT, go, 1, flags, &w->tag);
	if (w->class >= B_DRS)
		signal_pulse(h->sbox, SIG_SBOX_FLITS, go, w->flits, SBOX_FLITS_DRS << (w->class - B_DRS), &w->tag);
	if (!to_b)
		signal_pulse(h->sbox, SIG_SBOX_PACKET, go, 1, 0, &w->tag);
	if (!wait)
		tell_bypass(w, h->sbox, to_b, go);
	return go;
}

/* The request that this message answers is complete. */
static void tell_complete(const struct walk *w, struct bridge_half *h, uint64_t when)
{
	bool local = w->m->from == w->m->to;

	if (w->m->way != FABRIC_HOME_SLICE || w->class == B_SNP || !h->since)
		return;
	signal_span(h->sbox, SIG_SBOX_REQUESTS, h->since, when, 1,
		    local ? SBOX_REQUESTS_LOCAL : SBOX_REQUESTS_REMOTE, &w->tag);
	h->since = 0;
}

static void tell_egress(const struct walk *w, struct signal_port *sbox, unsigned ring, uint64_t when, bool waited)
{
	static const uint64_t flags[3][2] = {
		{ SBOX_EGRESS_AD_CW, SBOX_EGRESS_AD_CCW }, { SBOX_EGRESS_AK_CW, SBOX_EGRESS_AK_CCW },
		{ SBOX_EGRESS_BL_CW, SBOX_EGRESS_BL_CCW },
	};
	uint64_t way = flags[ring][side_of(w) >= BRIDGE_SIDE / 2];

	signal_pulse(sbox, SIG_SBOX_EGRESS, when, 1, (waited ? SBOX_EGRESS_WIN : SBOX_EGRESS_BYPASS) | way, &w->tag);
	if (waited)
		signal_pulse(sbox, SIG_SBOX_EGRESS, when, 1, SBOX_EGRESS_LOSS | way, &w->tag);
}

/* Off router or B-Box at `when`, through the S-Box of the slice onto its ring. */
static void enter_ring(struct walk *w, bool from_b, uint64_t when)
{
	static const struct { uint64_t received, in; uint8_t ring, queue; } flags[B_CLASSES] = {
		[B_SNP] = { SBOX_RECEIVED_SNP, SBOX_IN_SNP, 0, IN_SNP },
		[B_NDR] = { SBOX_RECEIVED_NDR, SBOX_IN_NDR, 1, IN_NDR },
		[B_DRS] = { SBOX_RECEIVED_DRS, 0, 2, INS },
	};
	struct bridge_half *h = &w->b->socket[w->m->to].half[half_of(w)];
	unsigned ring = flags[w->class].ring, queue = flags[w->class].queue;
	uint64_t system = from_b ? SBOX_IN_B2S : SBOX_IN_R2S, sorted = when + clocks(w, 1), go = when + clocks(w, IN_SBOX);
	uint64_t wait = calendar_book(&h->ring[ring], &w->b->uclk, go, ring == 2 ? 2 : 1);

	w->waited += wait;
	if (!h->sbox->any)
		return;
	label(w);
	tell_complete(w, h, go + wait);
	signal_pulse(h->sbox, SIG_SBOX_RECEIVED, when, 1,
		     flags[w->class].received | (from_b ? SBOX_RECEIVED_FROM_B : SBOX_RECEIVED_FROM_R), &w->tag);
	signal_span(h->sbox, SIG_SBOX_IN, when, sorted, 1, system, &w->tag);
	depth_stay(&h->in[from_b ? IN_B2S : IN_R2S], h->sbox, when, sorted);
	if (flags[w->class].in) {
		signal_span(h->sbox, SIG_SBOX_IN, sorted, go + wait, 1, flags[w->class].in, &w->tag);
		depth_stay(&h->in[queue], h->sbox, sorted, go + wait);
	} else if (from_b && !wait) {
		signal_pulse(h->sbox, SIG_SBOX_BYPASS, go, 1, SBOX_BYPASS_B2S_DRS, &w->tag);
	}
	tell_egress(w, h->sbox, ring, go + wait, wait != 0);
}

/* At a home agent: what comes in or goes out; near: from or to the S-Box of its half. */
static void tell_home(struct walk *w, unsigned socket, bool out, bool near, uint64_t when)
{
	struct signal_port *bbox = w->b->socket[socket].half[w->m->home].bbox;
	uint64_t flags = (out ? HA_MESSAGE_OUT : HA_MESSAGE_IN) | (near ? HA_MESSAGE_NEAR : 0) |
			 (w->m->packet.class == QPI_HOM_RSP ? HA_MESSAGE_RESPONSE : 0);

	if (!bbox->any)
		return;
	label(w);
	signal_pulse(bbox, SIG_HA_MESSAGE, when, 1, flags, &w->tag);
}

static unsigned port_b(const struct walk *w)
{
	return w->m->home * BRIDGE_SIDE + PORT_B;
}

static unsigned port_s(const struct walk *w)
{
	return half_of(w) * BRIDGE_SIDE + PORT_S;
}

/* The far router's input port, told from the time at which the message is there. */
static uint64_t arrive(struct walk *w, unsigned to)
{
	const struct fabric_message *m = w->m;
	uint64_t early = clocks(w, IN_ROUTER + IN_SBOX);
	uint64_t when = m->got > m->sent + early ? m->got - early : m->sent;

	return cross(w, m->to, port_of_link(m->far), to, when);
}

/* A message to a home agent. */
static void to_home(struct walk *w)
{
	const struct fabric_message *m = w->m;
	bool here = m->from == m->to, near = here && half_of(w) == m->home;
	uint64_t when = leave_ring(w, near);

	if (here && !near)
		when = cross(w, m->from, port_s(w), port_b(w), when);
	if (!here) {
		cross(w, m->from, port_s(w), port_of_link(m->link), when);
		when = arrive(w, port_b(w));
	}
	tell_home(w, m->to, false, near, when);
}

static void from_home(struct walk *w)
{
	const struct fabric_message *m = w->m;
	bool here = m->from == m->to, near = here && half_of(w) == m->home;
	uint64_t when = m->sent;

	tell_home(w, m->from, true, near, when);
	if (here && !near)
		when = cross(w, m->from, port_b(w), port_s(w), when);
	if (!here) {
		cross(w, m->from, port_b(w), port_of_link(m->link), when);
		when = arrive(w, port_s(w));
	}
	enter_ring(w, near, when);
}

/* Devices are behind the I/O hub of the socket that the address belongs to. */
static void to_device(struct walk *w)
{
	const struct fabric_message *m = w->m;
	bool here = m->from == m->to;

	cross(w, m->from, port_s(w), here ? PORT_IO : port_of_link(m->link), leave_ring(w, false));
	if (!here)
		arrive(w, PORT_IO);
}

static void from_device(struct walk *w)
{
	const struct fabric_message *m = w->m;
	bool here = m->from == m->to;
	uint64_t when = cross(w, m->from, PORT_IO, here ? port_s(w) : port_of_link(m->link), m->sent);

	enter_ring(w, false, here ? when : arrive(w, port_s(w)));
}

static enum bridge_class class_of(unsigned class)
{
	switch (class) {
	case QPI_SNP: return B_SNP;
	case QPI_NDR: return B_NDR;
	case QPI_DRS: return B_DRS;
	case QPI_NCS: return B_NCS;
	case QPI_NCB: return B_NCB;
	default: return B_HOM;
	}
}

uint64_t bridge_message(void *ctx, const struct fabric_message *m)
{
	struct walk w;

	w.b = ctx;
	w.m = m;
	w.class = class_of(m->packet.class);
	w.flits = qpi_flits(m->packet.class, m->packet.opcode);
	w.waited = 0;
	w.labelled = false;
	switch ((enum fabric_way)m->way) {
	case FABRIC_SLICE_HOME:
		to_home(&w);
		break;
	case FABRIC_HOME_SLICE:
		from_home(&w);
		break;
	case FABRIC_SLICE_SLICE:
		cross(&w, m->from, port_s(&w), port_of_link(m->link), leave_ring(&w, false));
		enter_ring(&w, false, arrive(&w, port_s(&w)));
		break;
	case FABRIC_SLICE_IO:
		to_device(&w);
		break;
	case FABRIC_IO_SLICE:
		from_device(&w);
		break;
	}
	return w.waited;
}
