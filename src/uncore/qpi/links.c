/* SPDX-License-Identifier: BSD-2-Clause */
/* The lanes between sockets: what they connect, their clocks, what befalls them. */
#include "uncore/fabric_core.h"

static unsigned lanes(const struct fabric *f)
{
	return f->config.sockets * f->config.sockets * f->parallel;
}

/* The number of a lane's link at the sender. */
static unsigned lane_link(const struct fabric *f, unsigned lane)
{
	unsigned pair = lane / f->parallel, from = pair / f->config.sockets, to = pair % f->config.sockets;

	return fabric_inside(f, from, to) ? 0 : fabric_link(f, from, to, lane % f->parallel);
}

static void wire_lane(struct fabric *f, struct qpi_lane *l, unsigned from, unsigned to, unsigned which)
{
	l->drain = &f->socket[to].drain;
	l->from = &f->end[from >> f->split][fabric_link(f, from, to, which)];
	l->to = &f->end[to >> f->split][fabric_link(f, to, from, which)];
}

void fabric_wire_lanes(struct fabric *f)
{
	unsigned n = f->config.sockets;

	for (unsigned from = 0; from < n; from++)
		for (unsigned to = 0; to < n; to++)
			for (unsigned w = 0; w < f->parallel && !fabric_inside(f, from, to) && fabric_next(f, from, to) == to; w++) {
				struct qpi_lane *l = &f->lane[(from * n + to) * f->parallel + w];

				if (f->lanes[from][to] + w != l)
					continue;
				wire_lane(f, l, from, to, w);
				qpi_rewatch(l);
			}
}

/* All clusters of two sockets use the same links.  What goes from cluster to cluster of one takes none (ring_over()). */
static struct qpi_lane *first_lane(struct fabric *f, unsigned from, unsigned to)
{
	if (!fabric_inside(f, from, to)) {
		from = fabric_front(f, from);
		to = fabric_front(f, to);
	}
	return &f->lane[(from * f->config.sockets + to) * f->parallel];
}

static void make_trouble(struct fabric *f)
{
	struct qpi_conditions is = {
		.vna = f->config.vna ? f->config.vna : QPI_ROOM, .narrows = f->config.narrows,
	};

	for (unsigned i = 0; i < lanes(f); i++) {
		qpi_trouble_init(&f->trouble[i], &is, lane_link(f, i), i);
		f->lane[i].trouble = f->trouble[i].always && f->lane[i].from ? &f->trouble[i] : NULL;
	}
}

void fabric_links_init(struct fabric *f)
{
	for (unsigned s = 0; s < f->config.sockets; s++)
		for (unsigned i = 0; i < FABRIC_MAX_LINKS; i++)
			qpi_end_init(&f->end[s][i], &f->silent);
	for (unsigned from = 0; from < f->config.sockets; from++)
		for (unsigned to = 0; to < f->config.sockets; to++)
			f->lanes[from][to] = first_lane(f, from, to);
	for (unsigned i = 0; i < lanes(f); i++) {
		f->lane[i].flit = calendar_rate((uint64_t)f->config.qpi_mts * 1000 / 4);
		f->lane[i].flight = FABRIC_FLIGHT_PS;
	}
	fabric_wire_lanes(f);
	make_trouble(f);
}

void fabric_links_free(struct fabric *f)
{
	for (unsigned s = 0; s < f->config.sockets; s++)
		for (unsigned i = 0; i < FABRIC_MAX_LINKS; i++)
			qpi_end_free(&f->end[s][i]);
	for (unsigned i = 0; f->trouble && i < lanes(f); i++)
		qpi_trouble_free(&f->trouble[i]);
}

void fabric_links_uclk(struct fabric *f)
{
	for (unsigned i = 0; i < lanes(f); i++) {
		f->lane[i].uclk = f->uclk;
		f->lane[i].out = f->at.r3_out;
		f->lane[i].in = f->at.r3_in;
		f->lane[i].credit = f->at.credit;
	}
}

void fabric_links_advance(struct fabric *f, uint64_t now)
{
	for (unsigned i = 0; i < lanes(f); i++)
		if (f->trouble[i].always && f->lane[i].from)
			qpi_trouble_advance(&f->lane[i], &f->trouble[i], now);
	for (unsigned s = 0; s < f->config.sockets; s++)
		for (unsigned i = 0; i < FABRIC_MAX_LINKS; i++)
			qpi_end_advance(&f->end[s][i], now);
}

void fabric_link_errors(struct fabric *f, uint64_t below, uint64_t seed)
{
	for (unsigned i = 0; i < lanes(f); i++) {
		if (!f->lane[i].from)
			continue;
		f->trouble[i].is.error = chance_start(below, seed, i);
		f->trouble[i].always = true;
		f->lane[i].trouble = &f->trouble[i];
	}
}

void fabric_hold(struct fabric *f, uint64_t until)
{
	for (unsigned i = 0; i < lanes(f); i++)
		if (f->lane[i].from)
			qpi_hold(&f->lane[i], &f->trouble[i], until);
}

void fabric_links_sleep(struct fabric *f, uint64_t when, bool sleep)
{
	for (unsigned s = 0; s < f->config.sockets; s++)
		for (unsigned i = 0; i < FABRIC_MAX_LINKS; i++)
			if (f->end[s][i].link != &f->silent)
				qpi_end_sleep(&f->end[s][i], when, sleep);
	for (unsigned i = 0; i < lanes(f); i++)
		if (f->lane[i].from)
			qpi_trouble_sleep(&f->lane[i], &f->trouble[i], when, sleep);
}

void fabric_tell_home_credit(struct fabric *f, unsigned socket, unsigned stop, unsigned next, unsigned which,
			     enum ring_kind ring, uint64_t sent)
{
	const struct qpi_lane *lane = &f->lanes[socket][next][which];
	struct ha *ha = f->ha[socket << f->has_shift | (stop - RING_HA)];

	ha_link_credit(ha, ring == RING_BL, fabric_link(f, socket, next, which), sent,
		       lane->went + ring_latency(&f->socket[socket].ring, RING_R3QPI, stop));
}
