/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fabric to test: ports of all its boxes, counts hung on them, and home agents that
 * follow a script instead of a memory: READ_PS after it has a read and all snoop
 * responses the home agent sends the line, WRITE_PS after a write the completion.
 */
#ifndef BXS_TESTS_UNCORE_RIG_H
#define BXS_TESTS_UNCORE_RIG_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "signal/watch.h"
#include "signal_ids.h"
#include "uncore/fabric.h"
#include "uncore/ha/ha.h"

enum {
	RIG_SOCKETS = 4, RIG_CORES = 18, RIG_PORTS = 18 + 4 + 3 + 3 + 1 + 1 + 1 + 2, RIG_COUNTS = 2000,
	RIG_UCLK_KHZ = 2000000,	/* 500 ps, so that clocks and times divide */
	READ_PS = 40000, WRITE_PS = 10000,
	REMOTE = 30,		/* bit of a line that is homed in socket 1; the next one up, in socket 2 */
};

#define RIG_REMOTE (UINT64_C(1) << REMOTE)

struct ha {
	struct ha_world world;
	enum ha_snoop snoop;
	unsigned seen[256];	/* requests by opcode */
	unsigned response[256];	/* snoop responses by kind */
	unsigned partial;
	struct ha_request last;
};

struct rig_count {
	struct signal_port *port;
	struct signal_watch watch;
	struct signal_alt alt;
	unsigned sig;
	const char *type;
	unsigned socket;
};

struct rig {
	struct fabric *f;
	struct ha ha[RIG_SOCKETS];
	struct signal_clock uclk;
	struct { const char *type; unsigned box; struct signal_port port; } port[RIG_SOCKETS][RIG_PORTS];
	struct rig_count *count;	/* [RIG_COUNTS] */
	unsigned counts;
	struct { unsigned socket, core; uint64_t line; enum leave_snoop_kind kind; } snooped;
	unsigned snoops;
	uint64_t now;
};

void ha_world(struct ha *ha, const struct ha_world *world)
{
	ha->world = *world;
}

void ha_rewatch(struct ha *ha)
{
	(void)ha;
}

void ha_link_credit(struct ha *ha, bool data, unsigned link, uint64_t from, uint64_t to)
{
	(void)ha;
	(void)data;
	(void)link;
	(void)from;
	(void)to;
}

void ha_tell(struct ha *ha)
{
	(void)ha;
}

struct ha_reply ha_request(struct ha *ha, const struct ha_request *rq)
{
	struct ha_response asked[HA_PEERS];
	const struct ha_response *response = rq->response;
	unsigned n = rq->responses;
	struct ha_reply reply = { .direct = rq->direct };
	uint64_t last = rq->when;
	bool wrote = rq->opcode == HA_WB_MTOI;

	ha->seen[rq->opcode]++;
	ha->partial += rq->partial;
	ha->last = *rq;
	if (ha->snoop == HA_SNOOP_HOME && !wrote) {
		n = ha->world.snoop(ha->world.ctx, ha, rq, 3 & ~(1u << rq->socket), rq->when, asked);
		response = asked;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned kind = response[i].kind;

		ha->response[kind]++;
		if (response[i].when > last)
			last = response[i].when;
		reply.peer |= kind == HA_RSP_FWD_I || kind == HA_RSP_FWD_S || kind == HA_RSP_FWD;
		reply.shared |= kind == HA_RSP_S || kind == HA_RSP_FWD_S || kind == HA_RSP_S_WB;
	}
	reply.done = last + (wrote ? WRITE_PS : READ_PS);
	if (!wrote && rq->opcode != HA_INV_ITOE && !reply.peer)
		reply.data = reply.done;
	return reply;
}

static inline unsigned rig_home(void *ctx, uint64_t line)
{
	(void)ctx;
	return line >> REMOTE & 3;
}

static inline void rig_snooped(void *ctx, unsigned socket, unsigned core, uint64_t line,
			       enum leave_snoop_kind kind)
{
	struct rig *r = ctx;

	r->snooped.socket = socket;
	r->snooped.core = core;
	r->snooped.line = line;
	r->snooped.kind = kind;
	r->snoops++;
}

static inline void rig_open(struct rig *r, unsigned sockets, unsigned cores, unsigned ways, enum fabric_snoop snoop)
{
	static const struct { const char *type; unsigned boxes, signals; } types[] = {
		{ "cbo", 18, SIG_CBO_COUNT }, { "sbo", 4, SIG_SBO_COUNT }, { "qpi", 3, SIG_QPI_COUNT },
		{ "r3qpi", 3, SIG_R3QPI_COUNT }, { "r2pcie", 1, SIG_R2PCIE_COUNT }, { "ha", 2, SIG_HA_COUNT },
		{ "irp", 1, SIG_IRP_COUNT }, { "ubox", 1, SIG_UBOX_COUNT },
	};
	struct ha *ha[RIG_SOCKETS] = { &r->ha[0], &r->ha[1], &r->ha[2], &r->ha[3] };
	struct fabric_config config = {
		.sockets = sockets, .cores = cores, .ways = ways, .links = 2, .has = 1, .snoop = snoop,
		.uclk_khz = RIG_UCLK_KHZ, .qpi_mts = 8000, .ha = ha, .home = rig_home,
		.snoop_core = rig_snooped, .ctx = r,
	};

	memset(r, 0, sizeof *r);
	signal_clock_init(&r->uclk, RIG_UCLK_KHZ);
	r->count = calloc(RIG_COUNTS, sizeof *r->count);
	for (unsigned s = 0; s < sockets; s++)
		r->ha[s].snoop = snoop == FABRIC_SNOOP_SOURCE ? HA_SNOOP_SOURCE : HA_SNOOP_HOME;
	CHECK_EQ(__LINE__, fabric_new(&config, &r->f), 0);
	for (unsigned s = 0; s < sockets; s++)
		for (unsigned t = 0, n = 0; t < LEN(types); t++)
			for (unsigned b = 0; b < types[t].boxes; b++, n++) {
				struct signal_port *p = &r->port[s][n].port;

				r->port[s][n].type = types[t].type;
				r->port[s][n].box = b;
				CHECK_EQ(__LINE__, signal_port_init(p, types[t].signals, &r->uclk), 0);
				p->horizon = UINT64_MAX;
				CHECK_EQ(__LINE__, fabric_port(r->f, s, types[t].type, b, p), 1);
			}
}

/* Count signal sig of all boxes of a type in a socket, where (flags & care) == want. */
static inline void rig_watch(struct rig *r, unsigned socket, const char *type, unsigned sig, uint64_t care,
			     uint64_t want)
{
	for (unsigned i = 0; i < RIG_PORTS; i++) {
		struct rig_count *c = &r->count[r->counts];

		if (strcmp(r->port[socket][i].type, type) != 0)
			continue;
		if (++r->counts > RIG_COUNTS)
			abort();
		*c = (struct rig_count){ .port = &r->port[socket][i].port, .alt = { .care = care, .want = want },
					 .sig = sig, .type = type, .socket = socket };
		c->watch.alt = &c->alt;
		c->watch.alts = 1;
		signal_watch_hang(c->port, sig, &c->watch);
	}
	fabric_rewatch(r->f);
}

/* What the counts of that signal and condition have come to. */
static inline uint64_t rig_sum(const struct rig *r, unsigned socket, const char *type, unsigned sig, uint64_t care,
			       uint64_t want)
{
	uint64_t sum = 0;

	fabric_tell(r->f);
	for (unsigned i = 0; i < r->counts; i++) {
		const struct rig_count *c = &r->count[i];

		if (c->socket == socket && c->sig == sig && strcmp(c->type, type) == 0 && c->alt.care == care &&
		    c->alt.want == want)
			sum += (uint64_t)c->watch.sum;
	}
	return sum;
}

static inline struct fabric_reply rig_do(struct rig *r, unsigned socket, unsigned core, enum leave_kind kind,
					 uint64_t line)
{
	struct fabric_request rq = {
		.line = line, .when = r->now, .socket = (uint8_t)socket, .core = (uint8_t)core, .kind = (uint8_t)kind,
	};
	struct fabric_reply reply = fabric_request(r->f, &rq);

	r->now += 1000000;	/* one at a time: nobody is in another's way */
	return reply;
}

static inline void rig_close(struct rig *r)
{
	for (unsigned i = 0; i < r->counts; i++) {
		signal_watch_unhang(r->count[i].port, r->count[i].sig, &r->count[i].watch);
		signal_watch_free(&r->count[i].watch);
	}
	for (unsigned s = 0; s < RIG_SOCKETS; s++)
		for (unsigned i = 0; i < RIG_PORTS; i++)
			if (r->port[s][i].type)
				signal_port_free(&r->port[s][i].port);
	fabric_free(r->f);
	free(r->count);
}

#endif
