/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of a socket: where stops lie, messages that cross, slots stop by stop. */
#include <string.h>

#include "signal_ids.h"
#include "uncore/ring/ring.h"

enum { RING_0_CORES = 8, SMALL_DIE_CORES = 12, NO_SIGNAL = 0xffff };

/* The four ring signals of each kind of box. */
static const uint16_t slot_signal[][RING_KINDS] = {
	{ SIG_CBO_RING_AD, SIG_CBO_RING_AK, SIG_CBO_RING_BL, SIG_CBO_RING_IV },
	{ SIG_R3QPI_RING_AD, SIG_R3QPI_RING_AK, SIG_R3QPI_RING_BL, SIG_R3QPI_RING_IV },
	{ SIG_R2PCIE_RING_AD, SIG_R2PCIE_RING_AK, SIG_R2PCIE_RING_BL, SIG_R2PCIE_RING_IV },
	{ SIG_HA_RING_AD, SIG_HA_RING_AK, SIG_HA_RING_BL, NO_SIGNAL },
	{ SIG_SBO_RING_AD, SIG_SBO_RING_AK, SIG_SBO_RING_BL, SIG_SBO_RING_IV },
};

static void put(struct ring *r, unsigned ring, unsigned stop, bool right)
{
	r->ring_of[stop] = (uint8_t)ring;
	r->place[stop] = r->length[ring];
	r->right[stop] = right;
	r->order[ring][r->length[ring]++] = (uint8_t)stop;
}

/* Cores first .. first + n - 1: the first half up the left side or the others down the right. */
static void put_cores(struct ring *r, unsigned ring, unsigned first, unsigned n, bool right)
{
	unsigned left = (n + 1) / 2;

	if (right)
		for (unsigned i = left; i < n; i++)
			put(r, ring, first + i, true);
	else
		for (unsigned i = left; i-- > 0;)
			put(r, ring, first + i, false);
}

/* Clockwise from the bottom of the left side, as the picture in ring.h. */
static void lay_out(struct ring *r)
{
	unsigned cores = r->config.cores;
	bool together = cores < RING_0_CORES || r->config.pairs || r->config.whole;
	unsigned n0 = together ? cores : RING_0_CORES, n1 = cores - n0;
	bool two_pairs = r->config.pairs ? r->config.pairs > 1 : n1 && cores > SMALL_DIE_CORES;

	put_cores(r, 0, 0, n0, false);
	put(r, 0, RING_R3QPI, false);
	put(r, 0, RING_R2PCIE, false);
	if (n1 || r->config.pairs)
		put(r, 0, ring_gate(r, 0), true);
	put_cores(r, 0, 0, n0, true);
	if (two_pairs)
		put(r, 0, ring_gate(r, 1), true);
	if (r->config.has > 1 && !n1)
		put(r, 0, RING_HA + 1, false);
	put(r, 0, RING_HA, false);
	if (!n1)
		return;
	put_cores(r, 1, n0, n1, false);
	put(r, 1, RING_SBO + (two_pairs ? 2 : 1), false);
	put_cores(r, 1, n0, n1, true);
	if (r->config.has > 1)
		put(r, 1, RING_HA + 1, false);
	if (two_pairs)
		put(r, 1, RING_SBO + 3, false);
}

/* Stops from one to another of the same ring; *clockwise is the way to go. */
static unsigned hops(const struct ring *r, unsigned from, unsigned to, bool *clockwise)
{
	unsigned length = r->length[r->ring_of[from]];
	unsigned cw = (r->place[to] + length - r->place[from]) % length;

	*clockwise = cw * 2 <= length;
	return *clockwise ? cw : length - cw;
}

static struct ring_route find_route(const struct ring *r, unsigned from, unsigned to)
{
	const struct ring_config *c = &r->config;
	bool two_pairs = c->cores > SMALL_DIE_CORES, clockwise;
	unsigned best = UINT32_MAX, ring = r->ring_of[from];
	struct ring_route route = { 0 };

	if (ring == r->ring_of[to]) {
		route.latency = hops(r, from, to, &clockwise) * c->hop * c->uclk.period;
		return route;
	}
	for (unsigned i = 0; i < (two_pairs ? 2 : 1); i++) {
		/* Of two ways of the same length, half the pairs of stops take each. */
		unsigned pair = i ^ ((from + to) & two_pairs);
		unsigned near = RING_SBO + pair, far = RING_SBO + (two_pairs ? 2 : 1) + pair;
		unsigned out = ring == 0 ? near : far, in = ring == 0 ? far : near;
		unsigned n = hops(r, from, out, &clockwise) + hops(r, in, to, &clockwise);

		if (n < best) {
			best = n;
			route.near = (uint8_t)(hops(r, from, out, &clockwise) * c->hop);
			route.out = (uint8_t)out;
			route.in = (uint8_t)in;
			route.lane = (uint8_t)pair;
		}
	}
	route.latency = (best * c->hop + c->cross) * c->uclk.period;
	return route;
}

void ring_uclk(struct ring *r, const struct calendar_rate *uclk)
{
	r->config.uclk = *uclk;
	for (unsigned ring = 0; ring < 2; ring++)
		for (unsigned other = 0; other < 2; other++)
			for (unsigned i = 0; i < r->length[ring]; i++)
				for (unsigned j = 0; j < r->length[other]; j++) {
					unsigned from = r->order[ring][i], to = r->order[other][j];

					r->route[from][to] = find_route(r, from, to);
				}
	memset(r->cross, 0, sizeof r->cross);
}

void ring_init(struct ring *r, const struct ring_config *config, struct signal_port *silent)
{
	memset(r, 0, sizeof *r);
	r->config = *config;
	for (unsigned i = 0; i < RING_STOPS; i++)
		r->port[i] = silent;
	lay_out(r);
	ring_uclk(r, &config->uclk);
}

void ring_rewatch(struct ring *r)
{
	r->credits = false;
	memset(r->walk, 0, sizeof r->walk);
	for (unsigned stop = 0; stop < RING_STOPS; stop++) {
		r->credits |= ring_crossing_watched(r, stop);
		for (unsigned kind = 0; kind < RING_KINDS; kind++) {
			uint16_t sig = slot_signal[ring_class(stop)][kind];

			if (sig != NO_SIGNAL && signal_watched(r->port[stop], sig))
				r->walk[kind] = true;
			r->walk[kind] |= stop < RING_CBOS && signal_watched(r->port[stop], SIG_CBO_DEPART);
		}
	}
	for (unsigned kind = 0; kind < RING_KINDS; kind++)
		r->slow[kind] = r->walk[kind] || r->credits;
}

static uint64_t clock_of(const struct ring *r, uint64_t when)
{
	return (uint64_t)(((bits_u128)when * r->config.uclk.mult) >> 64);
}

/* A message that went onto its ring in clock `start` is at a stop at `when`.  All kinds of box number their flags alike:
 * even and odd of up (clockwise on the left), even and odd of down. */
static void tell_slots(struct ring *r, enum ring_kind kind, unsigned at, bool clockwise, uint64_t start, uint64_t when)
{
	static const struct signal_tag tag;
	uint16_t sig = slot_signal[ring_class(at)][kind];
	unsigned slots = kind == RING_BL || kind == RING_IV ? 2 : 1, down = clockwise == r->right[at];

	if (sig == NO_SIGNAL || !signal_watched(r->port[at], sig))
		return;
	for (unsigned s = 0; s < slots; s++)
		signal_deliver_pulse(r->port[at], sig, when + (uint64_t)s * r->config.uclk.period, 1,
				     UINT64_C(1) << (down * 2 + ((start + s) & 1)), &tag);
}

/* Tell the slots that a message takes at each stop of one ring. */
static void walk_stops(struct ring *r, enum ring_kind kind, unsigned from, unsigned to, uint64_t when)
{
	static const struct signal_tag tag;
	bool clockwise;
	unsigned n = hops(r, from, to, &clockwise), ring = r->ring_of[from];
	unsigned length = r->length[ring], place = r->place[from];

	if (from < RING_CBOS && signal_watched(r->port[from], SIG_CBO_DEPART))
		signal_deliver_pulse(r->port[from], SIG_CBO_DEPART, when, 1,
				     CBO_DEPART_AD << kind |
				     (clockwise == r->right[from] ? CBO_DEPART_DOWN : CBO_DEPART_UP), &tag);
	for (unsigned i = 0; i <= n; i++) {
		unsigned at = r->order[ring][(place + (clockwise ? i : length - i)) % length];

		if (at >= RING_SBO ? i < n : i > 0)
			tell_slots(r, kind, at, clockwise, clock_of(r, when),
				   when + (uint64_t)i * r->config.hop * r->config.uclk.period);
	}
}

bool ring_down(const struct ring *r, unsigned from, unsigned to)
{
	const struct ring_route *route = &r->route[from][to];
	bool clockwise;

	hops(r, from, route->out ? route->out : to, &clockwise);
	return clockwise == r->right[from];
}

bool ring_comes_down(const struct ring *r, unsigned from, unsigned to)
{
	const struct ring_route *route = &r->route[from][to];
	bool clockwise;

	hops(r, route->in ? route->in : from, to, &clockwise);
	return clockwise == r->right[to];
}

void ring_tell_laps(struct ring *r, enum ring_kind kind, unsigned from, unsigned to, uint64_t when, uint64_t laps)
{
	const struct ring_route *route = &r->route[from][to];
	unsigned ring = r->ring_of[to], length = r->length[ring], place = r->place[to];
	uint64_t hop = (uint64_t)r->config.hop * r->config.uclk.period;
	bool clockwise;
	unsigned n = hops(r, route->in ? route->in : from, to, &clockwise);

	if (!r->walk[kind])
		return;
	for (uint64_t i = 1; i <= laps * length; i++)
		tell_slots(r, kind, r->order[ring][(place + (clockwise ? i : length - i % length)) % length], clockwise,
			   clock_of(r, when) - (uint64_t)n * r->config.hop, when + i * hop);
}

/* A message to the other ring, told; returns when it is on that. */
static uint64_t cross(struct ring *r, enum ring_kind kind, unsigned from, const struct ring_route *route, uint64_t when)
{
	uint64_t arrive = when + r->route[from][route->out].latency;
	uint64_t go = arrive + (kind == RING_BL ? ring_wait(r, route, when) : 0);
	uint64_t leave = go + (uint64_t)r->config.cross * r->config.uclk.period;

	if (r->walk[kind])
		walk_stops(r, kind, from, route->out, when);
	stays_come(r->stays, STAYS_SWITCH, r->port[route->out], arrive, 1);
	stays_leave(r->stays, STAYS_SWITCH, r->port[route->in], leave, 1);
	if (r->credits)
		ring_tell_crossing(r, kind, from, route, &(struct ring_crossing){ when, arrive, go, leave });
	return leave;
}

uint64_t ring_send_slow(struct ring *r, enum ring_kind kind, unsigned from, unsigned to, uint64_t when)
{
	const struct ring_route *route = &r->route[from][to];
	uint64_t leave;

	if (!route->out) {
		walk_stops(r, kind, from, to, when);
		return when + route->latency;
	}
	leave = cross(r, kind, from, route, when);
	if (r->walk[kind])
		walk_stops(r, kind, route->in, to, leave);
	return leave + r->route[route->in][to].latency;
}

uint64_t ring_over(struct ring *r, enum ring_kind kind, unsigned from, unsigned pair, uint64_t when, bool told)
{
	unsigned out = ring_gate(r, pair), all = 2u * RING_SBO + 2u * pair + r->config.pairs;
	struct ring_route route = {
		.out = (uint8_t)out, .in = (uint8_t)(all - out), .lane = (uint8_t)pair,
		.near = (uint8_t)(r->route[from][out].latency / r->config.uclk.period),
	};

	if (told && r->slow[kind])
		return cross(r, kind, from, &route, when);
	if (kind == RING_BL)
		when += ring_wait(r, &route, when);
	return when + r->route[from][out].latency + (uint64_t)r->config.cross * r->config.uclk.period;
}
