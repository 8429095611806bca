/* SPDX-License-Identifier: BSD-2-Clause */
/* A message under way, and its way through a router: for bridge_walk.c only, which compiles it with the rest. */
#ifndef BXS_UNCORE_ROUTER_CROSS_H
#define BXS_UNCORE_ROUTER_CROSS_H

#include "uncore/router/inside.h"

/* A message under way. */
struct walk {
	struct bridge *b;
	const struct fabric_message *m;
	enum bridge_class class;
	unsigned flits;
	uint64_t waited;		/* for others */
	bool labelled;			/* the tag is made */
	struct signal_tag tag;
};

/* The message's own, for whoever is told of it first. */
static void label(struct walk *w)
{
	static const uint8_t states[] = {
		[QPI_RDS_M] = 3, [QPI_RDS_E] = 2, [QPI_RDS_S] = 1, [QPI_RDS_F] = 4,
	};
	const struct fabric_message *m = w->m;

	if (w->labelled)
		return;
	w->labelled = true;
	w->tag = (struct signal_tag){
		.addr = m->line << 6, .packet = { qpi_header(&m->packet) }, .opc = m->packet.opcode, .nid = m->packet.to,
		.state = m->packet.rds < LEN(states) ? states[m->packet.rds] : 0,
	};
}

static uint64_t clocks(const struct walk *w, unsigned n)
{
	return n * (uint64_t)w->b->uclk.period;
}

/* Part of a queue's sum: how often it overflows. */
static uint64_t overflows(uint64_t *sum, uint64_t more)
{
	uint64_t before = *sum >> SUM_BITS;

	*sum += more;
	return (*sum >> SUM_BITS) - before;
}

static void tell_input(const struct walk *w, struct signal_port *rbox, const struct signal_tag *tag, uint64_t in,
		       uint64_t go, bool waited)
{
	static const struct { uint64_t arb, packet, bid; } flags[B_CLASSES] = {
		[B_HOM] = { RBOX_PORT_ARB_HOM_VN0, RBOX_PORT_PKT_HOM, RBOX_BID_HOM },
		[B_SNP] = { RBOX_PORT_ARB_SNP, RBOX_PORT_PKT_SNP, RBOX_BID_SNP },
		[B_NDR] = { RBOX_PORT_ARB_NDR, RBOX_PORT_PKT_NDR, RBOX_BID_NDR },
		[B_DRS] = { RBOX_PORT_ARB_DRS, RBOX_PORT_PKT_DRS, RBOX_BID_DRS },
		[B_NCS] = { RBOX_PORT_ARB_NCS, RBOX_PORT_PKT_NCS, RBOX_BID_NCS },
		[B_NCB] = { RBOX_PORT_ARB_NCB, RBOX_PORT_PKT_NCB, RBOX_BID_NCB },
	};
	uint64_t bid = flags[w->class].bid;

	signal_pulse(rbox, SIG_RBOX_PACKET, in, 1, 0, tag);
	signal_pulse(rbox, SIG_RBOX_PORT, in, 1, flags[w->class].packet | RBOX_PORT_VNA, tag);
	signal_pulse(rbox, SIG_RBOX_PORT, in, 1, flags[w->class].arb, tag);
	signal_pulse(rbox, SIG_RBOX_PORT, go, 1, RBOX_PORT_INQUE_READ_WIN, tag);
	signal_pulse(rbox, SIG_RBOX_BID, in, 1, RBOX_BID_QUEUE | bid, tag);
	signal_pulse(rbox, SIG_RBOX_BID, go, 1, RBOX_BID_LOCAL, tag);
	if (!waited)
		return;
	signal_pulse(rbox, SIG_RBOX_BID, in, 1, RBOX_BID_QUEUE_FAIL | bid, tag);
	signal_pulse(rbox, SIG_RBOX_BID, in, 1, RBOX_BID_LOCAL_FAIL, tag);
}

static void tell_global(const struct walk *w, struct signal_port *rbox, const struct signal_tag *tag, uint64_t in,
			bool waited)
{
	static const uint64_t flags[B_CLASSES] = {
		[B_HOM] = RBOX_BID_HOM, [B_SNP] = RBOX_BID_SNP, [B_NDR] = RBOX_BID_NDR,
		[B_DRS] = RBOX_BID_DRS, [B_NCS] = RBOX_BID_NCS, [B_NCB] = RBOX_BID_NCB,
	};
	uint64_t bid = flags[w->class] | RBOX_BID_VN0;

	signal_pulse(rbox, SIG_RBOX_BID, in, 1, RBOX_BID_GLOBAL, tag);
	signal_pulse(rbox, SIG_RBOX_BID, in, 1, (waited ? RBOX_BID_GLOBAL_FAIL : RBOX_BID_AVAILABLE) | bid, tag);
}

/*
 * The flits of a message stay `clocks` in the output queue, and go at `go`.  What the port counts goes on while
 * nobody looks.
 */
static void count_output(const struct walk *w, struct bridge_router_port *p, struct signal_port *rbox, uint64_t in,
			 uint64_t go, uint64_t clocks)
{
	uint64_t n = w->flits, full = overflows(&p->output_sum, n * clocks);
	uint64_t retried = p->external ? overflows(&p->retry_sum, n * w->b->retry_clocks) : 0;

	p->sent += n;
	if (!rbox->any)
		return;
	signal_pulse(rbox, SIG_RBOX_PORT, go, n, RBOX_PORT_FLITS_SENT, &p->tag);
	depth_stay(&p->output, rbox, in, go);
	signal_pulse(rbox, SIG_RBOX_PORT, go, full, RBOX_PORT_OUTPUTQ_OV, &p->tag);
	if (!p->external)
		return;
	depth_stay(&p->retry, rbox, go, go + RETRY_PS);
	signal_pulse(rbox, SIG_RBOX_PORT, go + RETRY_PS, retried, RBOX_PORT_RETRYQ_OV, &p->tag);
}

/* Through the router of a socket, from its input port at `when`; returns when it leaves the output port. */
static uint64_t cross(struct walk *w, unsigned socket, unsigned from, unsigned to, uint64_t when)
{
	struct bridge_socket *s = &w->b->socket[socket];
	struct bridge_router_port *in = &s->port[from], *out = &s->port[to];
	struct signal_port *rbox = s->half[from / BRIDGE_SIDE].rbox;
	uint64_t first = calendar_book(&in->in, &w->b->uclk, when, 1), at = when + first;
	uint64_t second = calendar_book(&out->out, out->external ? &w->b->flit : &w->b->uclk, at, w->flits);
	uint64_t go = at + second + clocks(w, IN_ROUTER);

	if (rbox->any) {
		struct signal_tag tag;

		label(w);
		tag = w->tag;
		tag.link = (uint8_t)from;
		tell_input(w, rbox, &tag, when, at, first != 0);
		tell_global(w, rbox, &tag, at, second != 0);
	}
	count_output(w, out, s->half[to / BRIDGE_SIDE].rbox, at, go,
		     second ? (go - at) / w->b->uclk.period : IN_ROUTER);
	w->waited += first + (out->external && to != PORT_IO ? 0 : second);
	return go;
}

#endif
