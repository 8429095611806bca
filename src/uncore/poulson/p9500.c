/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the sockets of an Itanium 9500 machine, binds their ports, and hands each request to the box that it begins in. */
#include "uncore/poulson/p9500.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "uncore/poulson/cbox_core.h"
#include "uncore/poulson/noncoherent.h"

_Static_assert((int)SIG_CBOX_COUNT <= SILENT_SIGNALS && (int)SIG_BRIDGE_COUNT <= SILENT_SIGNALS &&
	       (int)SIG_BBOX_COUNT <= SILENT_SIGNALS && (int)SIG_IMC_COUNT <= SILENT_SIGNALS &&
	       (int)SIG_ROUTER_COUNT <= SILENT_SIGNALS, "the silent port has room");

/*
 * Between a memory controller and its modules are serial links and a buffer; so many clocks of memory each way, as on the
 * Xeons that have the same buffers (machine/xeon_parts.c).
 */
enum { SERIAL = 8 };

static int socket_init(struct p9500 *p, unsigned number)
{
	const struct p9500_config *c = &p->config;
	struct p9500_socket *s = &p->socket[number];
	struct ha_map map = { .base = number * (c->memory >> 6), .lines = c->memory >> 6, .agents = P9500_HOMES,
			      .channels = ZBOX_CHANNELS };
	struct imc_config memory;
	int err = tags_init(&s->tags, c->slices);

	imc_config_ddr3(&memory, c->ddr_mts, c->ranks);
	memory.front += SERIAL;
	memory.back += SERIAL;
	memory.dram.dimm_bits = (uint8_t)__builtin_ctz(c->ranks / c->dimms);
	pring_init(&s->ring, c->uclk_khz, &p->silent.port);
	for (unsigned i = 0; i < P9500_CORES; i++)
		cbox_init(&s->cbox[i], c->uclk_khz, &p->silent.port);
	for (unsigned i = 0; i < PRING_SBOXES; i++)
		sbox_init(&s->sbox[i], c->uclk_khz, c->core_khz, &p->silent.port);
	for (unsigned i = 0; err == 0 && i < P9500_HOMES; i++) {
		err = bbox_init(&s->bbox[i], &map, c->uclk_khz, &p->silent.port);
		if (err == 0)
			err = zbox_init(&s->zbox[i], &memory, c->uclk_khz, &p->silent.port);
	}
	rbox_init(&p->router[number], &p->wires, &p->silent.port);
	return err;
}

static bool is_count(unsigned n, unsigned most)
{
	return n > 0 && n <= most;
}

int p9500_new(const struct p9500_config *config, struct p9500 **out)
{
	unsigned n = config->sockets;
	struct p9500 *p;
	int err = 0;

	if (!is_count(n, P9500_SOCKETS) || (n & (n - 1)) || !is_count(config->cores, P9500_CORES) ||
	    !is_count(config->slices, P9500_CORES) || !is_count(config->links, 2) || !is_count(config->dimms, 2) ||
	    config->ranks % config->dimms || !config->uclk_khz || !config->core_khz ||
	    !config->qpi_mts || !config->memory || config->memory % 64 || !config->snoop_core)
		return BXS_EINVAL;
	p = calloc(1, sizeof *p);
	if (!p)
		return BXS_ENOMEM;
	p->config = *config;
	p->wires = (struct rbox_config){ .sockets = n, .links = config->links, .uclk_khz = config->uclk_khz,
					 .qpi_mts = config->qpi_mts };
	silent_init(&p->silent);
	p->socket = calloc(n, sizeof *p->socket);
	p->router = calloc(n, sizeof *p->router);
	if (!p->socket || !p->router)
		err = BXS_ENOMEM;
	for (unsigned i = 0; err == 0 && i < n; i++)
		err = socket_init(p, i);
	if (err < 0) {
		p9500_free(p);
		return err;
	}
	*out = p;
	return 0;
}

static void socket_free(struct p9500_socket *s)
{
	tags_free(&s->tags);
	for (unsigned i = 0; i < PRING_SBOXES; i++)
		sbox_free(&s->sbox[i]);
	for (unsigned i = 0; i < P9500_HOMES; i++) {
		bbox_free(&s->bbox[i]);
		zbox_free(&s->zbox[i]);
	}
}

void p9500_free(struct p9500 *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->config.sockets; i++) {
		if (p->socket)
			socket_free(&p->socket[i]);
		if (p->router)
			rbox_free(&p->router[i]);
	}
	free(p->socket);
	free(p->router);
	free(p);
}

bool p9500_port(struct p9500 *p, unsigned socket, const char *type, unsigned box, struct signal_port *port)
{
	struct p9500_socket *s = &p->socket[socket < p->config.sockets ? socket : 0];

	if (!port)
		port = &p->silent.port;
	if (socket >= p->config.sockets)
		return false;
	if (strcmp(type, "rbox") == 0 && box == 0) {
		p->router[socket].port_out = port;
	} else if (strcmp(type, "cbox") == 0 && box < P9500_CORES) {
		s->cbox[box].port = port;
		s->ring.port[pring_stop_of_core(box)] = port;
	} else if (strcmp(type, "sbox") == 0 && box < PRING_SBOXES) {
		s->sbox[box].port = port;
		s->ring.port[pring_stop_of_sbox(box)] = port;
	} else if (strcmp(type, "bbox") == 0 && box < P9500_HOMES) {
		s->bbox[box].port = port;
	} else if (strcmp(type, "zbox") == 0 && box < P9500_HOMES) {
		zbox_port(&s->zbox[box], port);
	} else {
		return false;
	}
	return true;
}

static struct zbox *zbox_of(struct p9500 *p, unsigned number)
{
	return &p->socket[number / P9500_HOMES].zbox[number % P9500_HOMES];
}

void p9500_core_clock(struct p9500 *p, unsigned socket, uint32_t khz)
{
	for (unsigned i = 0; i < PRING_SBOXES; i++)
		p->socket[socket].sbox[i].core = calendar_rate(khz);
}

void p9500_throttle(struct p9500 *p, enum imc_cause cause, unsigned ranks, uint64_t from, uint64_t length, uint64_t period)
{
	for (unsigned i = 0; i < p->config.sockets * P9500_HOMES; i++)
		zbox_throttle(zbox_of(p, i), cause, ranks, from, length, period);
}

void p9500_heat(struct p9500 *p, unsigned modules, uint64_t from, uint64_t length, uint64_t period)
{
	for (unsigned i = 0; i < p->config.sockets * P9500_HOMES; i++)
		zbox_heat(zbox_of(p, i), modules, from, length, period);
}

void p9500_memory_fault(struct p9500 *p, enum zbox_fault fault, uint64_t rate, uint64_t seed)
{
	for (unsigned i = 0; i < p->config.sockets * P9500_HOMES; i++)
		zbox_of(p, i)->chance[fault] = chance_start(rate, seed, i * ZBOX_FAULTS + fault);
}

void p9500_link_errors(struct p9500 *p, uint64_t rate, uint64_t seed)
{
	for (unsigned i = 0; i < p->config.sockets; i++)
		rbox_errors(&p->router[i], rate, seed, i);
}

/* What only the model has to know: a core has written, or dropped, a line that it owns.  No message, no time. */
static void note(struct p9500 *p, const struct p9500_request *rq)
{
	struct tags *t = &p->socket[rq->socket].tags;
	uint64_t *word = tags_find(t, tags_slice(t, rq->line), rq->line);

	if (!word || tags_cores(*word) != 1u << rq->core)
		return;
	if (rq->kind == LEAVE_DIRTY)
		tags_set(word, tags_state(word), tags_cores(*word) | TAGS_OWNED | TAGS_DIRTY);
	else
		tags_set(word, tags_state(word), tags_cores(*word) & 0);
}

struct p9500_reply p9500_request(struct p9500 *p, const struct p9500_request *rq)
{
	switch (rq->kind) {
	case LEAVE_DIRTY:
	case LEAVE_WB_E:
		note(p, rq);
		return (struct p9500_reply){ .when = rq->when };
	case LEAVE_UC_READ:
	case LEAVE_UC_WRITE:
	case LEAVE_LOCK:
		return noncoherent_request(p, rq);
	default:
		return cbox_request(p, rq);
	}
}

void p9500_prefetch(const struct p9500 *p, unsigned socket, uint64_t line)
{
	const struct tags *t = &p->socket[socket].tags;

	tags_prefetch(t, tags_slice(t, line), line);
}

void p9500_advance(struct p9500 *p, uint64_t now)
{
	for (unsigned i = 0; i < p->config.sockets; i++) {
		struct p9500_socket *s = &p->socket[i];

		for (unsigned b = 0; b < P9500_HOMES; b++) {
			sbox_advance(&s->sbox[b], now);
			bbox_advance(&s->bbox[b], now);
			zbox_advance(&s->zbox[b], now);
		}
		rbox_advance(&p->router[i], now);
	}
}

bool p9500_broken(const struct p9500 *p)
{
	for (unsigned i = 0; i < p->config.sockets; i++)
		for (unsigned b = 0; b < P9500_HOMES; b++)
			if (p->socket[i].bbox[b].dc.lost)
				return true;
	return false;
}
