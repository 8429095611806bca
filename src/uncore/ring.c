/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of a socket: where stops lie, messages that cross, slots stop by stop. */
#include <string.h>

#include "signal_ids.h"
#include "uncore/ring.h"

enum { RING_0_CORES = 8, SMALL_DIE_CORES = 12, NO_SIGNAL = 0xffff };

/* The four ring signals of each kind of box. */
static const uint16_t slot_signal[][RING_KINDS] = {
	{ SIG_CBO_RING_AD, SIG_CBO_RING_AK, SIG_CBO_RING_BL, SIG_CBO_RING_IV },
	{ SIG_R3QPI_RING_AD, SIG_R3QPI_RING_AK, SIG_R3QPI_RING_BL, SIG_R3QPI_RING_IV },
	{ SIG_R2PCIE_RING_AD, SIG_R2PCIE_RING_AK, SIG_R2PCIE_RING_BL, SIG_R2PCIE_RING_IV },
	{ SIG_HA_RING_AD, SIG_HA_RING_AK, SIG_HA_RING_BL, NO_SIGNAL },
	{ SIG_SBO_RING_AD, SIG_SBO_RING_AK, SIG_SBO_RING_BL, SIG_SBO_RING_IV },
};

static unsigned class_of(unsigned stop)
{
	return stop < RING_R3QPI ? 0 : stop < RING_R2PCIE ? 1 : stop < RING_HA ? 2 :
	       stop < RING_SBO ? 3 : 4;
}

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
	unsigned n0 = cores < RING_0_CORES || r->config.single ? cores : RING_0_CORES, n1 = cores - n0;
	bool two_pairs = cores > SMALL_DIE_CORES;

	put_cores(r, 0, 0, n0, false);
	put(r, 0, RING_R3QPI, false);
	put(r, 0, RING_R2PCIE, false);
	if (n1)
		put(r, 0, RING_SBO, true);
	put_cores(r, 0, 0, n0, true);
	if (two_pairs)
		put(r, 0, RING_SBO + 1, true);
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

static bool crossing_watched(const struct ring *r, unsigned stop)
{
	static const uint16_t sig[][5] = {
		{ SIG_CBO_SBO_ACQUIRE, SIG_CBO_SBO_CREDIT, NO_SIGNAL },
		{ SIG_R3QPI_SBO_ACQUIRE, SIG_R3QPI_SBO_CREDIT, NO_SIGNAL },
		{ SIG_R2PCIE_SBO_ACQUIRE, SIG_R2PCIE_SBO_CREDIT, NO_SIGNAL },
		{ SIG_HA_SBO_ACQUIRED, SIG_HA_SBO_CREDITS, SIG_HA_SBO_STALL, NO_SIGNAL },
		{ SIG_SBO_RXR_INSERT, SIG_SBO_RXR, SIG_SBO_RXR_BYPASS, SIG_SBO_TXR_INSERT, SIG_SBO_TXR },
	};
	const uint16_t *s = sig[class_of(stop)];

	for (unsigned i = 0; i < 5 && s[i] != NO_SIGNAL; i++)
		if (signal_watched(r->port[stop], s[i]))
			return true;
	return false;
}

void ring_rewatch(struct ring *r)
{
	r->credits = false;
	memset(r->walk, 0, sizeof r->walk);
	for (unsigned stop = 0; stop < RING_STOPS; stop++) {
		r->credits |= crossing_watched(r, stop);
		for (unsigned kind = 0; kind < RING_KINDS; kind++) {
			uint16_t sig = slot_signal[class_of(stop)][kind];

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
	uint16_t sig = slot_signal[class_of(at)][kind];
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

/* Take one of a stop's credits for messages to an SBo; false: all are in use, the
 * message goes all the same, but may bounce. */
static bool take_credit(struct ring *r, enum ring_kind kind, unsigned stop, uint64_t from, uint64_t to)
{
	unsigned n = kind == RING_AD ? RING_SBO_AD_CREDITS : RING_SBO_BL_CREDITS;
	struct ring_credit *c = r->credit[stop][kind == RING_BL];

	if (stop >= RING_CBOS)
		return true;
	for (unsigned i = 0; i < n; i++)
		if (c[i].to <= from || c[i].from >= to) {
			c[i] = (struct ring_credit){ from, to };
			return true;
		}
	return false;
}

/*
 * A home agent's message needs a credit of its SBo from `from` to `to`.  Returns when it gets one: until then
 * it waits at the home agent's egress for what it would otherwise wait for in the SBo, so it crosses no later.
 */
static uint64_t take_ha_credit(struct ring *r, enum ring_kind kind, unsigned stop, unsigned pair, uint64_t from,
			       uint64_t to)
{
	struct ring_credit *c = r->ha_credit[stop - RING_HA][pair][kind == RING_BL], *soonest = c;

	for (unsigned i = 0; i < RING_HA_CREDITS; i++) {
		if (c[i].to <= from || c[i].from >= to) {
			c[i] = (struct ring_credit){ from, to };
			return from;
		}
		if (c[i].to < soonest->to)
			soonest = &c[i];
	}
	from = soonest->to < to ? soonest->to : to;
	*soonest = (struct ring_credit){ from, to };
	return from;
}

/* It is asked for at `when`, and held from `from` to `to`. */
static void tell_credit(struct ring *r, enum ring_kind kind, unsigned stop, unsigned pair, uint64_t when,
			uint64_t from, uint64_t to)
{
	static const struct signal_tag tag;
	struct signal_port *p = r->port[stop];
	bool bl = kind == RING_BL;
	uint64_t cbo = bl ? CBO_SBO_ACQUIRE_BL : CBO_SBO_ACQUIRE_AD;
	uint64_t r3 = (bl ? R3QPI_SBO_ACQUIRE_BL : R3QPI_SBO_ACQUIRE_AD) |
		      (pair ? R3QPI_SBO_ACQUIRE_SBO1 : R3QPI_SBO_ACQUIRE_SBO0);
	uint64_t ha = UINT64_C(1) << (pair * 2 + bl);

	switch (class_of(stop)) {
	case 0:
		signal_pulse(p, SIG_CBO_SBO_ACQUIRE, from, 1, cbo, &tag);
		signal_span(p, SIG_CBO_SBO_CREDIT, from, to, 1, cbo, &tag);
		break;
	case 1:
		signal_pulse(p, SIG_R3QPI_SBO_ACQUIRE, from, 1, r3, &tag);
		signal_span(p, SIG_R3QPI_SBO_CREDIT, from, to, 1, r3, &tag);
		break;
	case 2:
		signal_pulse(p, SIG_R2PCIE_SBO_ACQUIRE, from, 1,
			     bl ? R2PCIE_SBO_ACQUIRE_BL : R2PCIE_SBO_ACQUIRE_AD, &tag);
		signal_span(p, SIG_R2PCIE_SBO_CREDIT, from, to, 1,
			    bl ? R2PCIE_SBO_CREDIT_BL : R2PCIE_SBO_CREDIT_AD, &tag);
		break;
	case 3:
		if (from > when)
			signal_span(p, SIG_HA_SBO_STALL, when, from, 1, ha, &tag);
		signal_pulse(p, SIG_HA_SBO_ACQUIRED, from, 1, ha, &tag);
		signal_span(p, SIG_HA_SBO_CREDITS, from, to, 1, ha, &tag);
		break;
	}
}

/* The switch's queues: in at `arrive`, across at `go`, on the other ring at `leave`. */
static void tell_switch(struct ring *r, enum ring_kind kind, const struct ring_route *route, bool credited,
			uint64_t arrive, uint64_t go, uint64_t leave)
{
	static const struct signal_tag tag;
	struct signal_port *out = r->port[route->out], *in = r->port[route->in];
	uint64_t flag = kind == RING_AD ? (credited ? SBO_RXR_AD_CRD : SBO_RXR_AD_BNC) :
			kind == RING_BL ? (credited ? SBO_RXR_BL_CRD : SBO_RXR_BL_BNC) :
			kind == RING_AK ? SBO_RXR_AK : SBO_RXR_IV;

	if (go == arrive) {
		signal_pulse(out, SIG_SBO_RXR_BYPASS, arrive, 1, flag, &tag);
	} else {
		signal_pulse(out, SIG_SBO_RXR_INSERT, arrive, 1, flag, &tag);
		signal_span(out, SIG_SBO_RXR, arrive, go, 1, flag, &tag);
	}
	signal_pulse(in, SIG_SBO_TXR_INSERT, go, 1, flag, &tag);
	signal_span(in, SIG_SBO_TXR, go, leave, 1, flag, &tag);
}

uint64_t ring_send_slow(struct ring *r, enum ring_kind kind, unsigned from, unsigned to, uint64_t when)
{
	const struct ring_route *route = &r->route[from][to];
	uint64_t arrive, go, leave;

	if (!route->out) {
		walk_stops(r, kind, from, to, when);
		return when + route->latency;
	}
	arrive = when + r->route[from][route->out].latency;
	go = arrive + (kind == RING_BL ? ring_wait(r, route, when) : 0);
	leave = go + (uint64_t)r->config.cross * r->config.uclk.period;
	if (r->walk[kind]) {
		walk_stops(r, kind, from, route->out, when);
		walk_stops(r, kind, route->in, to, leave);
	}
	if (r->credits) {
		bool credited = true;

		if (kind == RING_AD || kind == RING_BL) {
			/* The credit comes back the way the message went. */
			uint64_t back = leave + (arrive - when);

			uint64_t got = when;

			if (from >= RING_HA && from < RING_SBO)
				got = take_ha_credit(r, kind, from, route->lane, when, back);
			else
				credited = take_credit(r, kind, from, when, back);
			if (credited)
				tell_credit(r, kind, from, route->lane, when, got, back);
			arrive = arrive + (got - when) < go ? arrive + (got - when) : go;
		}
		tell_switch(r, kind, route, credited, arrive, go, leave);
	}
	return leave + r->route[route->in][to].latency;
}
