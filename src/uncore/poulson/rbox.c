/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds routers, finds ways between sockets, and tells what passes with time alone. */
#include "uncore/poulson/rbox.h"

#include "base/bits.h"
#include "signal_ids.h"

/* Sockets are numbered so that a link joins two whose numbers differ by the same bits at both ends. */
static const struct wire {
	uint8_t sockets, differ, port;
} wires[] = {
	{ 2, 1, RBOX_QPI0 }, { 2, 1, RBOX_QPI1 },
	{ 4, 1, RBOX_QPI0 }, { 4, 2, RBOX_QPI1 }, { 4, 3, RBOX_QPI2 },
	{ 8, 1, RBOX_QPI0 }, { 8, 2, RBOX_QPI1 }, { 8, 4, RBOX_QPI2 }, { 8, 3, RBOX_QPIH4 }, { 8, 7, RBOX_QPIH5 },
};

static const struct wire *find_wire(unsigned sockets, unsigned differ, unsigned skip)
{
	for (size_t i = 0; i < LEN(wires); i++)
		if (wires[i].sockets == sockets && wires[i].differ == differ && skip-- == 0)
			return &wires[i];
	return NULL;
}

unsigned rbox_route(const struct rbox_config *config, unsigned from, unsigned to, uint64_t line, unsigned *next)
{
	unsigned differ = from ^ to;
	unsigned turn = config->sockets == 2 && config->links > 1 ? (unsigned)(line ^ line >> 7) & 1 : 0;
	const struct wire *w = find_wire(config->sockets, differ, turn);

	/* Of eight sockets two pairs of numbers have no link: by way of the socket that differs in the highest bit. */
	if (!w)
		w = find_wire(config->sockets, differ & 4, 0);
	*next = from ^ w->differ;
	return w->port;
}

static bool is_wired(const struct rbox_config *config, unsigned port)
{
	for (size_t i = 0; i < LEN(wires); i++)
		if (wires[i].port == port && wires[i].sockets == config->sockets &&
		    (config->sockets != 2 || config->links > 1 || port == RBOX_QPI0))
			return true;
	return false;
}

static void port_init(struct rbox_port *p, unsigned number, const struct rbox_config *config)
{
	bool inside = number == RBOX_B0 || number == RBOX_B1 || number == RBOX_S0 || number == RBOX_S1;

	p->tag.link = (uint8_t)number;
	p->external = !inside;
	p->half = number == RBOX_QPIH4 || number == RBOX_QPIH5;
	p->wired = inside || is_wired(config, number);
	/* A flit takes four transfers, on half the lanes eight. */
	p->rate = calendar_rate(inside ? config->uclk_khz : (uint64_t)config->qpi_mts * 1000 / (p->half ? 8 : 4));
	entries_init(&p->vna, RBOX_VNA);
	for (unsigned c = 0; c < MESSAGE_CLASSES; c++)
		entries_init(&p->et[c], RBOX_ET);
	p->eot = (struct depth){ .signal = { SIG_ROUTER_PORT, DEPTH_NONE }, .flags = { ROUTER_PORT_EOT_NE },
				 .full = 1, .tag = &p->tag };
	p->buffer = (struct depth){ .signal = { SIG_ROUTER_PORT, DEPTH_NONE }, .flags = { ROUTER_PORT_OUT_NE },
				    .full = 1, .tag = &p->tag };
}

void rbox_init(struct rbox *r, const struct rbox_config *config, struct signal_port *silent)
{
	*r = (struct rbox){ .uclk = calendar_rate(config->uclk_khz), .port_out = silent };
	for (unsigned i = 0; i < RBOX_PORTS; i++)
		port_init(&r->port[i], i, config);
}

void rbox_free(struct rbox *r)
{
	for (unsigned i = 0; i < RBOX_PORTS; i++) {
		depth_free(&r->port[i].eot);
		depth_free(&r->port[i].buffer);
	}
}

void rbox_errors(struct rbox *r, uint64_t rate, uint64_t seed, uint64_t stream)
{
	for (unsigned i = 0; i < RBOX_PORTS; i++)
		r->port[i].damaged = chance_start(rate, seed, stream * RBOX_PORTS + i);
}

static uint64_t clocks_until(const struct calendar_rate *rate, uint64_t when)
{
	return (uint64_t)(((bits_u128)when * rate->mult) >> 64);
}

/* A link between sockets never rests: what is no flit of a packet is an idle one, both ways. */
static void tell_idle(struct rbox *r, struct rbox_port *p, uint64_t now)
{
	uint64_t all = clocks_until(&p->rate, now), out = p->sent + p->idle_sent, in = p->received + p->idle_received;
	uint64_t when = now > r->uclk.period ? now - r->uclk.period : 0;

	if (all > out) {
		signal_pulse(r->port_out, SIG_ROUTER_PORT, when, all - out, ROUTER_PORT_FLIT_OUT, &p->tag);
		p->idle_sent += all - out;
	}
	if (all > in) {
		signal_pulse(r->port_out, SIG_ROUTER_PORT, when, all - in, ROUTER_PORT_FLIT_IN, &p->tag);
		p->idle_received += all - in;
	}
}

/* The clocks in which what the port sends to had credits: all but those in which somebody had to wait for them. */
static void tell_available(struct rbox *r, struct rbox_port *p, uint64_t now)
{
	uint64_t clocks = clocks_until(&r->uclk, now) - clocks_until(&r->uclk, p->told);
	uint64_t when = now > r->uclk.period ? now - r->uclk.period : 0;

	for (unsigned vn = 0; vn < 2; vn++)
		for (unsigned c = 0; c < LEN(p->blocked[vn]); c++) {
			struct rbox_blocked *b = &p->blocked[vn][c];
			uint64_t lost = b->sum / r->uclk.period;

			lost = lost < clocks ? lost : clocks;
			b->sum -= lost * r->uclk.period;
			signal_pulse(r->port_out, SIG_ROUTER_BID, when, clocks - lost,
				     ROUTER_BID_AVAILABLE | (ROUTER_BID_HOM << c) | (ROUTER_BID_VN0 << vn), &p->tag);
		}
}

void rbox_advance(struct rbox *r, uint64_t now)
{
	for (unsigned i = 0; i < RBOX_PORTS; i++) {
		struct rbox_port *p = &r->port[i];

		if (!p->wired || now <= p->told)
			continue;
		if (p->eot.on)
			depth_sweep(&p->eot, r->port_out, signal_clocks(r->port_out->clock, now));
		if (p->buffer.on)
			depth_sweep(&p->buffer, r->port_out, signal_clocks(r->port_out->clock, now));
		if (p->external)
			tell_idle(r, p, now);
		tell_available(r, p, now);
		p->told = now;
	}
}
