/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds bridges and router, binds their ports, and tells what passes with time alone. */
#include "uncore/router/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

_Static_assert((int)SIG_HA_COUNT <= BRIDGE_SIGNALS && (int)SIG_CBO_COUNT <= BRIDGE_SIGNALS &&
	       (int)SIG_SBOX_COUNT <= BRIDGE_SIGNALS && (int)SIG_RBOX_COUNT <= BRIDGE_SIGNALS,
	       "the silent port has room");

/* Entries of the queues (2.5.6): one each for router and home agent, or for each C-Box. */
enum { HOM_ENTRIES = 64, SNP_ENTRIES = 32, NDR_ENTRIES = 16, DRS_ENTRIES = 4, NC_ENTRIES = 2,
       RING_ENTRIES = 36, SYSTEM_ENTRIES = 8 };

static struct depth queue(unsigned ne, unsigned full, uint64_t flags, int entries)
{
	return (struct depth){ .signal = { (uint16_t)ne, (uint16_t)full }, .full = entries,
			       .flags = { flags, flags } };
}

static void half_init(struct bridge_half *h, struct signal_port *silent)
{
	static const struct { uint64_t flags; uint8_t at, entries, each; } outs[] = {
		{ SBOX_OUT_NE_HOM | SBOX_OUT_NE_TO_R, OUT_HOM_R, HOM_ENTRIES, 1 },
		{ SBOX_OUT_NE_HOM | SBOX_OUT_NE_TO_B, OUT_HOM_B, HOM_ENTRIES, 1 },
		{ SBOX_OUT_NE_SNP, OUT_SNP, SNP_ENTRIES, 1 },
		{ SBOX_OUT_NE_NDR, OUT_NDR, NDR_ENTRIES, 1 },
		{ SBOX_OUT_NE_DRS, OUT_DRS, DRS_ENTRIES, BRIDGE_SIDE },
		{ SBOX_OUT_NE_NCS, OUT_NCS, NC_ENTRIES, BRIDGE_SIDE },
		{ SBOX_OUT_NE_NCB, OUT_NCB, NC_ENTRIES, BRIDGE_SIDE },
	};
	static const struct { uint64_t flags; int entries; } ins[INS] = {
		[IN_SNP] = { SBOX_IN_NE_SNP, RING_ENTRIES }, [IN_NDR] = { SBOX_IN_NE_NDR, NDR_ENTRIES },
		[IN_R2S] = { SBOX_IN_NE_R2S, SYSTEM_ENTRIES }, [IN_B2S] = { SBOX_IN_NE_B2S, SYSTEM_ENTRIES },
	};

	h->sbox = h->rbox = h->bbox = silent;
	for (size_t i = 0; i < LEN(outs); i++)
		for (unsigned k = 0; k < outs[i].each; k++)
			h->out[outs[i].at + k] =
				queue(SIG_SBOX_OUT_NE, SIG_SBOX_OUT_FULL,
				      outs[i].flags | (outs[i].each > 1 ? SBOX_OUT_NE_C0 << k : 0),
				      outs[i].entries);
	for (unsigned i = 0; i < INS; i++)
		h->in[i] = queue(SIG_SBOX_IN_NE, SIG_SBOX_IN_FULL, ins[i].flags, ins[i].entries);
}

/* Of the links between sockets a machine has as many as it needs: one to each other one, all to a single one. */
static void port_init(struct bridge_router_port *p, unsigned number, const struct bridge_config *config)
{
	static const int8_t link[BRIDGE_PORTS] = { 0, 1, -1, -1, 2, 3, -1, -1 };
	unsigned links = config->sockets == 2 ? config->links : config->sockets - 1;

	p->tag.link = (uint8_t)number;
	p->output = queue(SIG_RBOX_PORT, DEPTH_NONE, RBOX_PORT_OUTPUTQ_NE, 1);
	p->retry = queue(SIG_RBOX_PORT, DEPTH_NONE, RBOX_PORT_RETRYQ_NE, 1);
	p->output.tag = p->retry.tag = &p->tag;
	p->external = link[number] >= 0;
	p->wired = number == PORT_IO || (p->external && (unsigned)link[number] < links);
}

int bridge_new(const struct bridge_config *config, struct bridge **out)
{
	struct bridge *b;

	if (config->sockets == 0 || config->sockets > FABRIC_MAX_SOCKETS || config->slices == 0 ||
	    config->slices > BRIDGE_SBOXES * BRIDGE_SIDE || !config->uclk_khz || !config->qpi_mts)
		return BXS_EINVAL;
	b = calloc(1, sizeof *b);
	if (!b)
		return BXS_ENOMEM;
	b->config = *config;
	b->silent.watch = b->nobody;
	b->flit = calendar_rate((uint64_t)config->qpi_mts * 1000 / 4);
	b->socket = calloc(config->sockets, sizeof *b->socket);
	if (!b->socket) {
		bridge_free(b);
		return BXS_ENOMEM;
	}
	for (unsigned s = 0; s < config->sockets; s++) {
		for (unsigned h = 0; h < BRIDGE_SBOXES; h++)
			half_init(&b->socket[s].half[h], &b->silent);
		for (unsigned p = 0; p < BRIDGE_PORTS; p++)
			port_init(&b->socket[s].port[p], p, config);
		for (unsigned c = 0; c < FABRIC_MAX_CORES; c++)
			b->socket[s].cbox[c] = &b->silent;
	}
	bridge_uclk(b, config->uclk_khz);
	*out = b;
	return 0;
}

void bridge_free(struct bridge *b)
{
	if (!b)
		return;
	for (unsigned s = 0; b->socket && s < b->config.sockets; s++) {
		for (unsigned h = 0; h < BRIDGE_SBOXES; h++) {
			for (unsigned i = 0; i < OUTS; i++)
				depth_free(&b->socket[s].half[h].out[i]);
			for (unsigned i = 0; i < INS; i++)
				depth_free(&b->socket[s].half[h].in[i]);
		}
		for (unsigned p = 0; p < BRIDGE_PORTS; p++) {
			depth_free(&b->socket[s].port[p].output);
			depth_free(&b->socket[s].port[p].retry);
		}
	}
	free(b->socket);
	free(b);
}

bool bridge_port(struct bridge *b, unsigned socket, const char *type, unsigned box, struct signal_port *port)
{
	struct bridge_socket *s = &b->socket[socket];
	struct signal_port *p = port ? port : &b->silent;

	if (socket >= b->config.sockets)
		return false;
	if (strcmp(type, "cbox") == 0 && box < b->config.slices) {
		s->cbox[box] = p;
		return true;
	}
	if (box >= BRIDGE_SBOXES)
		return false;
	if (strcmp(type, "sbox") == 0)
		s->half[box].sbox = p;
	else if (strcmp(type, "rbox") == 0)
		s->half[box].rbox = p;
	else if (strcmp(type, "bbox") == 0)
		s->half[box].bbox = p;
	else
		return false;
	return true;
}

void bridge_uclk(struct bridge *b, uint32_t khz)
{
	b->uclk = calendar_rate(khz);
	b->retry_clocks = RETRY_PS / b->uclk.period;
	for (unsigned s = 0; s < b->config.sockets; s++) {
		for (unsigned h = 0; h < BRIDGE_SBOXES; h++) {
			struct bridge_half *half = &b->socket[s].half[h];

			memset(&half->to_r, 0, sizeof half->to_r);
			memset(&half->to_b, 0, sizeof half->to_b);
			memset(half->ring, 0, sizeof half->ring);
		}
		for (unsigned p = 0; p < BRIDGE_PORTS; p++) {
			struct bridge_router_port *port = &b->socket[s].port[p];

			memset(&port->in, 0, sizeof port->in);
			if (!port->external)
				memset(&port->out, 0, sizeof port->out);
		}
	}
}

static void sweep(struct depth *d, struct signal_port *p, uint64_t now)
{
	if (d->on)
		depth_sweep(d, p, signal_clocks(p->clock, now));
}

/* A link never rests: what is no flit of a message is a null flit.  They are told in a clock that is over at `now`. */
static void tell_idle(struct bridge *b, struct bridge_router_port *p, struct signal_port *rbox, uint64_t now)
{
	uint64_t all = (uint64_t)(((bits_u128)now * b->flit.mult) >> 64), due = p->sent + p->idle;
	uint64_t when = now > b->uclk.period ? now - b->uclk.period : 0;

	if (!p->wired || all <= due)
		return;
	p->idle += all - due;
	signal_pulse(rbox, SIG_RBOX_PORT, when, all - due, RBOX_PORT_FLITS_SENT, &p->tag);
	signal_pulse(rbox, SIG_RBOX_PORT, when, all - due, RBOX_PORT_NULL_IDLE, &p->tag);
}

void bridge_advance(struct bridge *b, uint64_t now)
{
	for (unsigned s = 0; s < b->config.sockets; s++) {
		struct bridge_socket *socket = &b->socket[s];

		for (unsigned h = 0; h < BRIDGE_SBOXES; h++) {
			for (unsigned i = 0; i < OUTS; i++)
				sweep(&socket->half[h].out[i], socket->half[h].sbox, now);
			for (unsigned i = 0; i < INS; i++)
				sweep(&socket->half[h].in[i], socket->half[h].sbox, now);
		}
		for (unsigned i = 0; i < BRIDGE_PORTS; i++) {
			struct bridge_router_port *p = &socket->port[i];
			struct signal_port *rbox = socket->half[i / BRIDGE_SIDE].rbox;

			sweep(&p->output, rbox, now);
			sweep(&p->retry, rbox, now);
			tell_idle(b, p, rbox, now);
		}
	}
}
