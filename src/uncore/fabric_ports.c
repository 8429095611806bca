/* SPDX-License-Identifier: BSD-2-Clause */
/* The ports of the fabric's boxes, and what has to be walked for who listens there. */
#include <string.h>

#include "signal_ids.h"
#include "uncore/cbo/home.h"
#include "uncore/cbo/request.h"
#include "uncore/fabric_core.h"

/* What listeners need, found out anew before anything else happens. */
static void look_again(struct fabric *f)
{
	f->told = 0;
	for (unsigned s = 0; s < f->config.sockets; s++) {
		ring_rewatch(&f->socket[s].ring);
		for (unsigned i = 0; i < f->config.cores; i++)
			for (unsigned sig = 0; sig < SIG_CBO_COUNT; sig++)
				if (signal_watched(f->socket[s].cbo[i].port, sig))
					f->told |= UINT64_C(1) << sig;
	}
	fabric_wire_lanes(f);
	f->plain = fabric_lumps_do(f);
	for (unsigned kind = 0; kind < LEAVE_KINDS; kind++)
		f->walk[kind] = f->plain ? fabric_batched(kind) : fabric_observed;
	for (unsigned i = 0; i < f->config.sockets * f->config.has; i++) {
		ha_rewatch(f->ha[i]);
		ha_world(f->ha[i], &(struct ha_world){
			.ctx = f, .snoop = f->plain ? cbo_home_snoop_batched : cbo_home_snoop_observed,
		});
	}
}

/* Stands in for the walk while it is not known which one it must be. */
static struct fabric_reply walk_settled(struct fabric *f, const struct fabric_request *r)
{
	look_again(f);
	return f->walk[r->kind](f, r);
}

void fabric_rewatch(struct fabric *f)
{
	for (unsigned kind = 0; kind < LEAVE_KINDS; kind++)
		f->walk[kind] = walk_settled;
}

void fabric_settle(struct fabric *f)
{
	if (f->walk[0] == walk_settled)
		look_again(f);
}

bool fabric_plain(const struct fabric *f)
{
	return f->plain;
}

/* The cluster that has a box of the socket, and the box's number there; slices beyond the cores stay with the last. */
static unsigned cluster_of(const struct fabric *f, unsigned socket, unsigned stop, unsigned *box)
{
	unsigned each = stop == RING_CBO ? f->config.cores : f->config.has, first = socket << f->split;

	if (!f->split || *box < each || (stop != RING_CBO && stop != RING_HA))
		return first;
	*box -= each;
	return first + 1;
}

/* How many flits a link carries in a clock of its port. */
static unsigned flits(const struct fabric *f, const struct signal_port *link)
{
	return (f->config.qpi_mts * 1000 / 4 + link->clock->khz / 2) / link->clock->khz;
}

bool fabric_port(struct fabric *f, unsigned socket, const char *type, unsigned box, struct signal_port *port)
{
	static const struct { const char *type; uint8_t stop, boxes; } stops[] = {
		{ "cbo", RING_CBO, RING_CBOS }, { "sbo", RING_SBO, RING_SBOS }, { "ha", RING_HA, RING_HAS },
		{ "r2pcie", RING_R2PCIE, 1 }, { "r3qpi", RING_R3QPI, FABRIC_MAX_LINKS },
	};
	struct signal_port *p = port ? port : &f->silent;
	struct fabric_socket *s;

	if (socket >= f->config.sockets >> f->split)
		return false;
	if (strcmp(type, "qpi") == 0 && box < FABRIC_MAX_LINKS) {
		f->end[socket][box].link = p;
		if (port)
			qpi_end_bind(&f->end[socket][box], p, box < f->config.links ? flits(f, p) : 0, f->routed);
		fabric_rewatch(f);
		return true;
	}
	if (box == 0 && strcmp(type, "irp") == 0) {
		f->socket[socket << f->split].irp.port = p;
		return true;
	}
	if (box == 0 && strcmp(type, "ubox") == 0) {
		for (unsigned i = 0; i < 1u << f->split; i++)
			f->socket[(socket << f->split) + i].ubox.port = p;
		return true;
	}
	for (unsigned i = 0; i < LEN(stops); i++) {
		if (strcmp(type, stops[i].type) != 0 || box >= stops[i].boxes)
			continue;
		/* All links share one stop; its ring is told to the first. */
		if (stops[i].stop == RING_R3QPI)
			f->end[socket][box].r3 = p;
		s = &f->socket[cluster_of(f, socket, stops[i].stop, &box)];
		if (stops[i].stop == RING_R2PCIE)
			s->irp.stop = p;
		if (stops[i].stop != RING_R3QPI || box == 0)
			s->ring.port[stops[i].stop + box] = p;
		/* Both clusters' rings tell of both sides. */
		if (stops[i].stop == RING_SBO && f->split)
			s[1].ring.port[RING_SBO + box] = p;
		if (stops[i].stop == RING_CBO && box < f->config.cores)
			s->cbo[box].port = p;
		fabric_rewatch(f);
		return true;
	}
	return false;
}

void fabric_stays(struct fabric *f, struct stays *stays)
{
	f->stays = stays;
	for (unsigned s = 0; s < f->config.sockets; s++)
		f->socket[s].ring.stays = f->socket[s].irp.stays = stays;
	for (unsigned i = 0; i < f->config.sockets * f->config.sockets * f->parallel; i++)
		f->lane[i].stays = stays;
}
