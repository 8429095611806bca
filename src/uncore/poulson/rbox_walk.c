/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet's way through routers, and what their ports tell of it. */
#include "base/bits.h"
#include "signal_ids.h"
#include "uncore/poulson/rbox.h"

enum { FLIGHT_PS = 13000 };	/* from the output port of one socket to the input port of another */

/* A packet on its way. */
struct walk {
	struct rbox *r;			/* of the socket that it is in */
	struct message m;
	enum message_class class;
	unsigned flits;
	bool through;			/* it leaves a socket that it has not come from */
	bool vn1;			/* it came to this socket so: on the second network */
};

/* How often a sum of this many bits overflows when `more` is added. */
static uint64_t overflows(uint64_t *sum, uint64_t more, unsigned bits)
{
	uint64_t before = *sum >> bits;

	*sum += more;
	return (*sum >> bits) - before;
}

static uint64_t in_clocks(const struct rbox *r, uint64_t from, uint64_t to)
{
	return (to - from) / r->uclk.period;
}

/* A clock of p->blocked: waits of one class that overlap are one. */
static void block(struct rbox_blocked *b, uint64_t from, uint64_t to)
{
	if (from < b->until)
		from = b->until;
	if (from >= to)
		return;
	b->sum += to - from;
	b->until = to;
}

/* Takes the flits of VNA, all of which are free at the time returned. */
static uint64_t take_vna(struct rbox_port *in, unsigned flits, uint64_t when)
{
	uint64_t free = when;

	for (unsigned i = 0; i < flits; i++) {
		uint64_t one = entries_take(&in->vna, when);

		free = one > free ? one : free;
	}
	return free;
}

/* Are there so many credits of VNA at `when`? */
static bool has_vna(const struct rbox_port *in, unsigned flits, uint64_t when)
{
	for (unsigned i = 0; i < flits; i++)
		if (in->vna.free[(in->vna.head + i) % ENTRIES_MOST] > when)
			return RBOX_VNA - entries_taken(&in->vna, when) >= flits;
	return true;
}

/* Room in the input buffer that the packet is sent to; the output port `out` waits for it, NULL: a box of the socket does. */
static uint64_t take_credit(struct walk *w, struct rbox_port *in, struct rbox_port *out, uint64_t when)
{
	uint64_t *reserved = &in->reserved[w->vn1][w->class], got = when;
	unsigned pool = w->flits <= QPI_LONG_HEADER ? 0 : 1;

	if (has_vna(in, w->flits, when)) {
		w->m.vn = MESSAGE_VNA;
		return take_vna(in, w->flits, when);
	}
	w->m.vn = w->vn1 ? MESSAGE_VN1 : MESSAGE_VN0;
	got = *reserved > when ? *reserved : when;
	*reserved = UINT64_MAX;		/* until give_credit() */
	if (out) {
		block(&out->blocked[w->vn1][w->class], when, got);
		block(&out->blocked[w->vn1][MESSAGE_CLASSES + pool], when, got > when ? got : when + w->r->uclk.period);
	}
	return got;
}

static void give_credit(const struct walk *w, struct rbox_port *in, uint64_t when)
{
	if (w->m.vn == MESSAGE_VNA)
		for (unsigned i = 0; i < w->flits; i++)
			entries_give(&in->vna, when);
	else
		in->reserved[w->vn1][w->class] = when;
}

static void tell_arrival(const struct walk *w, struct rbox_port *in, uint64_t when)
{
	static const struct { uint64_t packet, alloc; } flags[MESSAGE_CLASSES] = {
		[MESSAGE_HOM] = { ROUTER_PORT_HOM, ROUTER_PORT_HOM }, [MESSAGE_SNP] = { ROUTER_PORT_SNP, ROUTER_PORT_SNP },
		[MESSAGE_NDR] = { ROUTER_PORT_NDR, ROUTER_PORT_NDR }, [MESSAGE_NCS] = { ROUTER_PORT_NCS, ROUTER_PORT_NCS },
		[MESSAGE_DRS] = { ROUTER_PORT_DRS, ROUTER_PORT_DRS }, [MESSAGE_NCB] = { ROUTER_PORT_NCB, ROUTER_PORT_NCB },
	};
	struct signal_port *p = w->r->port_out;
	uint64_t home = w->class == MESSAGE_HOM && w->vn1 ? ROUTER_PORT_HOM1 : flags[w->class].alloc;

	signal_pulse(p, SIG_ROUTER_PORT, when, w->flits, ROUTER_PORT_FLIT_IN, &in->tag);
	signal_pulse(p, SIG_ROUTER_PORT, when, w->flits, ROUTER_PORT_PLAIN_IN, &in->tag);
	signal_pulse(p, SIG_ROUTER_PORT, when, 1,
		     ROUTER_PORT_PACKET | flags[w->class].packet | (ROUTER_PORT_VN0 << w->m.vn), &in->tag);
	signal_pulse(p, SIG_ROUTER_PORT, when, 1, ROUTER_PORT_ALLOC | home, &in->tag);
}

/* Into the entry table; home messages and those that find it full by way of the overflow table. */
static uint64_t enter_table(struct walk *w, struct rbox_port *in, uint64_t when)
{
	struct signal_port *p = w->r->port_out;
	uint64_t free = entries_take(&in->et[w->class], when), go = free > when ? free : when;
	unsigned kind = w->class == MESSAGE_HOM && w->vn1 ? MESSAGE_CLASSES : w->class;
	uint64_t flag = kind == MESSAGE_CLASSES ? ROUTER_PORT_HOM1 :
			w->class == MESSAGE_HOM ? ROUTER_PORT_HOM : w->class == MESSAGE_SNP ? ROUTER_PORT_SNP :
			w->class == MESSAGE_NDR ? ROUTER_PORT_NDR : w->class == MESSAGE_DRS ? ROUTER_PORT_DRS :
			w->class == MESSAGE_NCS ? ROUTER_PORT_NCS : ROUTER_PORT_NCB;
	uint64_t full;

	if (w->class != MESSAGE_HOM && go == when)
		return when;
	if (go < when + w->r->uclk.period)
		go = when + w->r->uclk.period;
	full = overflows(&in->eot_sum[kind], in_clocks(w->r, when, go), RBOX_EOT_SUM);
	if (p->any) {
		signal_pulse(p, SIG_ROUTER_PORT, when, 1, ROUTER_PORT_EOT_INSERT | flag, &in->tag);
		signal_pulse(p, SIG_ROUTER_PORT, go, full, ROUTER_PORT_EOT_SUM | flag, &in->tag);
		depth_stay(&in->eot, p, when, go);
	}
	return go;
}

/* What bids and wins at the input port; waited: not at once. */
static void tell_local(const struct walk *w, struct rbox_port *in, uint64_t bid, uint64_t go, bool killed)
{
	struct signal_port *p = w->r->port_out;
	uint64_t class = ROUTER_BID_HOM << w->class;

	signal_pulse(p, SIG_ROUTER_BID, bid, 1, ROUTER_BID_QUEUE | class, &in->tag);
	if (killed) {
		signal_pulse(p, SIG_ROUTER_BID, bid, 1, ROUTER_BID_QUEUE_FAIL | class, &in->tag);
		signal_pulse(p, SIG_ROUTER_BID, bid, 1, ROUTER_BID_QUEUE_KILL, &in->tag);
	}
	signal_pulse(p, SIG_ROUTER_BID, bid, 1, ROUTER_BID_LOCAL, &in->tag);
	if (go > bid)
		signal_pulse(p, SIG_ROUTER_BID, bid, 1, ROUTER_BID_LOCAL_FAIL, &in->tag);
	signal_pulse(p, SIG_ROUTER_PORT, go, 1, ROUTER_PORT_READ_WIN, &in->tag);
}

static void tell_packet(const struct walk *w, const struct rbox_port *in, uint64_t when)
{
	struct signal_tag tag;

	if (!signal_watched(w->r->port_out, SIG_ROUTER_PACKET))
		return;
	tag = message_tag(&w->m);
	tag.link = in->tag.link;
	signal_pulse(w->r->port_out, SIG_ROUTER_PACKET, when, 1, 0, &tag);
}

static void tell_output(const struct walk *w, struct rbox_port *out, uint64_t bid, uint64_t go)
{
	struct signal_port *p = w->r->port_out;
	uint64_t tail = go + (uint64_t)w->flits * out->rate.period, full;

	signal_pulse(p, SIG_ROUTER_BID, bid, 1, ROUTER_BID_GLOBAL, &out->tag);
	if (go > bid)
		signal_pulse(p, SIG_ROUTER_BID, bid, 1, ROUTER_BID_GLOBAL_FAIL, &out->tag);
	else if (w->flits > 1)
		signal_pulse(p, SIG_ROUTER_PORT, go, 1, ROUTER_PORT_FAST, &out->tag);
	signal_pulse(p, SIG_ROUTER_PORT, go, w->flits, ROUTER_PORT_FLIT_OUT, &out->tag);
	signal_pulse(p, SIG_ROUTER_PORT, go, w->flits, ROUTER_PORT_PLAIN_OUT, &out->tag);
	/* Flits that the crossbar brings faster than half a link takes them wait in the output buffer. */
	full = overflows(&out->out_sum, w->flits * in_clocks(w->r, bid, tail) / 2, RBOX_OUT_SUM);
	if (!out->half)
		return;
	signal_pulse(p, SIG_ROUTER_PORT, bid, w->flits, ROUTER_PORT_OUT_IN, &out->tag);
	signal_pulse(p, SIG_ROUTER_PORT, go, full, ROUTER_PORT_OUT_SUM, &out->tag);
	depth_stay(&out->buffer, p, bid, tail);
}

static void tell_waiting(const struct walk *w, struct rbox_port *in, uint64_t from, uint64_t to)
{
	uint64_t full = overflows(&in->et_sum[w->class], in_clocks(w->r, from, to), RBOX_ET_SUM);

	signal_pulse(w->r->port_out, SIG_ROUTER_BID, to, full, ROUTER_BID_ET_SUM | (ROUTER_BID_HOM << w->class), &in->tag);
}

/* A packet whose first flit is at the input port; it goes to `out`, and on to `next`, an input port of another socket, or
 * NULL.  Returns when its first flit is out. */
static uint64_t cross(struct walk *w, struct rbox_port *in, struct rbox_port *out, struct rbox_port *next, uint64_t when)
{
	struct rbox *r = w->r;
	uint64_t bid, go, sent, on;
	bool killed;
	struct walk left = *w;

	in->received += w->flits;
	out->sent += w->flits;
	if (r->port_out->any)
		tell_arrival(w, in, when);
	bid = enter_table(w, in, when);
	/* Home messages leave in the order in which they came, which walks do not tell in order. */
	killed = w->class == MESSAGE_HOM && in->home_came <= when && in->home_goes > bid;
	go = killed ? in->home_goes : bid;
	go += calendar_book(&in->in, &r->uclk, go, 1);
	on = go;
	if (next) {
		w->vn1 = w->through;
		on = take_credit(w, next, out, go);
	}
	sent = on + calendar_book(&out->out, &out->rate, on, w->flits);
	if (w->class == MESSAGE_HOM) {
		in->home_came = when;
		in->home_goes = go + r->uclk.period;
	}
	entries_give(&in->et[w->class], go + r->uclk.period);
	give_credit(&left, in, sent + (in->external ? FLIGHT_PS : (uint64_t)RBOX_RETURN * r->uclk.period));
	if (r->port_out->any) {
		tell_local(&left, in, bid, go, killed);
		tell_waiting(&left, in, bid, go + r->uclk.period);
		tell_packet(&left, in, go);
		tell_output(&left, out, go, sent);
	}
	return sent + (uint64_t)RBOX_THROUGH * r->uclk.period;
}

/* Idle flits bring the credits of a packet back over a link inside the socket. */
static void tell_credits(const struct walk *w, struct rbox_port *p, bool in, uint64_t when)
{
	signal_pulse(w->r->port_out, SIG_ROUTER_PORT, when, 1, in ? ROUTER_PORT_FLIT_IN : ROUTER_PORT_FLIT_OUT, &p->tag);
}

/* Of so many flits, is one damaged? */
static bool damages(struct chance *c, unsigned flits)
{
	bool hit = false;

	for (unsigned i = 0; c->below && i < flits; i++)
		hit |= chance_hits(c);
	return hit;
}

/* A packet arrives over a link at `when`.  As long as it is damaged its receiver asks for it again, which comes out of the
 * sender's retry buffer. */
static uint64_t arrive(struct walk *w, struct rbox_port *out, struct rbox *to, struct rbox_port *in, uint64_t when)
{
	static const uint64_t again[] = { ROUTER_PORT_FLIT_OUT, ROUTER_PORT_PLAIN_OUT, ROUTER_PORT_RETRY_READ };
	struct rbox *from = w->r;

	while (damages(&out->damaged, w->flits)) {
		uint64_t asked = when + FLIGHT_PS, sent = asked + calendar_book(&out->out, &out->rate, asked, w->flits);

		signal_pulse(to->port_out, SIG_ROUTER_PORT, when, 1, ROUTER_PORT_ERROR, &in->tag);
		/* What was damaged came in, too. */
		signal_pulse(to->port_out, SIG_ROUTER_PORT, when, w->flits, ROUTER_PORT_FLIT_IN, &in->tag);
		signal_pulse(to->port_out, SIG_ROUTER_PORT, when, w->flits, ROUTER_PORT_PLAIN_IN, &in->tag);
		for (size_t i = 0; i < LEN(again); i++)
			signal_pulse(from->port_out, SIG_ROUTER_PORT, sent, w->flits, again[i], &out->tag);
		out->sent += w->flits;
		in->received += w->flits;
		when = sent + FLIGHT_PS;
	}
	return when;
}

struct rbox_times rbox_send(struct rbox *r, const struct rbox_config *config, const struct rbox_trip *trip, uint64_t when)
{
	struct walk w = { .r = &r[trip->from], .m = trip->message, .class = message_class(trip->message.class),
			  .flits = message_flits(&trip->message) };
	struct rbox_port *in = &w.r->port[trip->from_port], *out;
	uint64_t slowest = w.r->uclk.period;
	struct rbox_times t = { .credit = take_credit(&w, in, NULL, when), .vna = w.m.vn == MESSAGE_VNA };
	unsigned at = trip->from, next;

	tell_credits(&w, in, false, t.credit + (uint64_t)RBOX_RETURN * w.r->uclk.period);
	t.header = t.credit + w.r->uclk.period;
	while (at != trip->to) {
		unsigned port = rbox_route(config, at, trip->to, trip->message.line, &next);

		w.through = at != trip->from;
		out = &w.r->port[port];
		t.header = cross(&w, in, out, &r[next].port[port], t.header) + FLIGHT_PS;
		t.header = arrive(&w, out, &r[next], &r[next].port[port], t.header);
		slowest = out->rate.period > slowest ? out->rate.period : slowest;
		w.r = &r[next];
		in = &w.r->port[port];
		at = next;
	}
	out = &w.r->port[trip->to_port];
	t.header = cross(&w, in, out, NULL, t.header);
	tell_credits(&w, out, true, t.header);
	t.tail = t.header + (uint64_t)w.flits * slowest;
	return t;
}
