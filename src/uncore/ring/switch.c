/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told of messages that cross from ring to ring: credits of their stops, and the queues of the two SBos.  None of this
 * makes a message later: who wants for a credit or for room waits before the same switch as it would behind it.
 *
 *	stop ... SBo ingress | egress SBo ... stop	a line crosses every two clocks; twelve wait in the
 *						egress, the others in the ingress
 */
#include "signal_ids.h"
#include "uncore/ring/ring.h"
#include "uncore/ring/stop.h"

enum { NO_SIGNAL = 0xffff };

static const struct signal_tag no_tag;

bool ring_crossing_watched(const struct ring *r, unsigned stop)
{
	static const uint16_t sig[][16] = {
		{ SIG_CBO_SBO_ACQUIRE, SIG_CBO_SBO_CREDIT, SIG_CBO_IRQ_RETRY, SIG_CBO_ISMQ_RETRY, SIG_CBO_RXR_INSERT, SIG_CBO_RXR,
		  NO_SIGNAL },
		{ SIG_R3QPI_SBO_ACQUIRE, SIG_R3QPI_SBO_CREDIT, SIG_R3QPI_SBO_STALL, NO_SIGNAL },
		{ SIG_R2PCIE_SBO_ACQUIRE, SIG_R2PCIE_SBO_CREDIT, SIG_R2PCIE_SBO_STALL, NO_SIGNAL },
		{ SIG_HA_SBO_ACQUIRED, SIG_HA_SBO_CREDITS, SIG_HA_SBO_STALL, NO_SIGNAL },
		{ SIG_SBO_RXR_INSERT, SIG_SBO_RXR, SIG_SBO_RXR_BYPASS, SIG_SBO_TXR_INSERT, SIG_SBO_TXR, SIG_SBO_BOUNCE,
		  SIG_SBO_BOUNCE_CONTROL, SIG_SBO_SINK_STARVED, SIG_SBO_TXR_STARVED, SIG_SBO_TXR_ADS, SIG_SBO_CRD_STARVED,
		  SIG_SBO_BUSY_STARVED, SIG_SBO_FAST, NO_SIGNAL },
	};
	const uint16_t *s = sig[ring_class(stop)];

	for (unsigned i = 0; s[i] != NO_SIGNAL; i++)
		if (signal_watched(r->port[stop], s[i]))
			return true;
	return false;
}

static void tell_state(struct ring *r, unsigned stop, enum stop_state state, uint64_t from, uint64_t to)
{
	if (r->stop && from < to)
		stop_tell(&r->stop[stop], r->port[stop], state, from, to);
}

/* The first of n credits that nobody holds between `from` and `to`; NULL: all are in use. */
static struct ring_credit *free_credit(struct ring_credit *c, unsigned n, uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < n; i++)
		if (c[i].to <= from || c[i].from >= to)
			return &c[i];
	return NULL;
}

/* A stop's credit is in use. */
static void hold_credit(struct ring *r, unsigned stop, struct ring_credit *c, uint64_t from, uint64_t to)
{
	*c = (struct ring_credit){ from, to };
	stays_come(r->stays, STAYS_CREDITS, r->port[stop], from, 1);
	stays_leave(r->stays, STAYS_CREDITS, r->port[stop], to, 1);
}

/* A CBo's stop has a free credit; false: all are in use, the message goes all the same, but may bounce. */
static bool take_credit(struct ring *r, enum ring_kind kind, unsigned stop, uint64_t from, uint64_t to)
{
	unsigned n = kind == RING_AD ? RING_SBO_AD_CREDITS : RING_SBO_BL_CREDITS;
	struct ring_credit *c = free_credit(r->credit[stop][kind == RING_BL], n, from, to);

	if (c)
		hold_credit(r, stop, c, from, to);
	return c != NULL;
}

/*
 * Other stops wait for one of theirs, from `from` to `to`.  Returns when they get it: until then the message waits in
 * their egress for what it would otherwise wait for in the SBo.
 */
static uint64_t wait_credit(struct ring *r, enum ring_kind kind, unsigned stop, unsigned pair, uint64_t from, uint64_t to)
{
	unsigned n = stop == RING_R2PCIE ? RING_R2PCIE_CREDITS : RING_STOP_CREDITS;
	struct ring_credit *all = r->stop_credit[stop - RING_CBOS][pair][kind == RING_BL];
	struct ring_credit *c = free_credit(all, n, from, to);

	if (!c) {
		c = all;
		for (unsigned i = 1; i < n; i++)
			if (all[i].to < c->to)
				c = &all[i];
		from = c->to < to ? c->to : to;
	}
	hold_credit(r, stop, c, from, to);
	return from;
}

/* It is asked for at `when`, and held from `from` to `to`. */
static void tell_credit(struct ring *r, enum ring_kind kind, unsigned stop, unsigned pair, uint64_t when,
			uint64_t from, uint64_t to)
{
	struct signal_port *p = r->port[stop];
	bool bl = kind == RING_BL;
	uint64_t cbo = bl ? CBO_SBO_ACQUIRE_BL : CBO_SBO_ACQUIRE_AD;
	uint64_t r3 = (bl ? R3QPI_SBO_ACQUIRE_BL : R3QPI_SBO_ACQUIRE_AD) |
		      (pair ? R3QPI_SBO_ACQUIRE_SBO1 : R3QPI_SBO_ACQUIRE_SBO0);
	uint64_t r2 = bl ? R2PCIE_SBO_ACQUIRE_BL : R2PCIE_SBO_ACQUIRE_AD, each = UINT64_C(1) << (pair * 2 + bl);

	switch (ring_class(stop)) {
	case 0:
		signal_pulse(p, SIG_CBO_SBO_ACQUIRE, from, 1, cbo, &no_tag);
		signal_span(p, SIG_CBO_SBO_CREDIT, from, to, 1, cbo, &no_tag);
		break;
	case 1:
		signal_pulse(p, SIG_R3QPI_SBO_ACQUIRE, from, 1, r3, &no_tag);
		signal_span(p, SIG_R3QPI_SBO_CREDIT, from, to, 1, r3, &no_tag);
		signal_span(p, SIG_R3QPI_SBO_STALL, when, from, 1, each, &no_tag);
		break;
	case 2:
		signal_pulse(p, SIG_R2PCIE_SBO_ACQUIRE, from, 1, r2, &no_tag);
		signal_span(p, SIG_R2PCIE_SBO_CREDIT, from, to, 1, r2, &no_tag);
		signal_span(p, SIG_R2PCIE_SBO_STALL, when, from, 1, each, &no_tag);
		break;
	case 3:
		signal_pulse(p, SIG_HA_SBO_ACQUIRED, from, 1, each, &no_tag);
		signal_span(p, SIG_HA_SBO_CREDITS, from, to, 1, each, &no_tag);
		signal_span(p, SIG_HA_SBO_STALL, when, from, 1, each, &no_tag);
		break;
	}
}

/* A line that may bounce comes by at an SBo whose ingress holds no more until `room`: it is in some laps later. */
static uint64_t tell_bounces(struct ring *r, unsigned from, unsigned out, uint64_t arrive, uint64_t room)
{
	uint64_t lap = ring_lap(r, out), laps = room > arrive ? (room - arrive + lap - 1) / lap : 0;

	for (uint64_t i = 0; i < laps; i++)
		signal_pulse(r->port[out], SIG_SBO_BOUNCE, arrive + i * lap, 1, SBO_BOUNCE_BL_CORE, &no_tag);
	ring_tell_laps(r, RING_BL, from, out, arrive, laps);
	tell_state(r, out, STOP_CONTROL, arrive, arrive + laps * lap);
	tell_state(r, out, STOP_SINK_BL, arrive + lap, arrive + laps * lap);
	return arrive + laps * lap;
}

/* A line in the egress from `from` on is on its ring's slots at `go`. */
static void tell_egress(struct ring *r, unsigned in, uint64_t from, uint64_t go)
{
	uint64_t clock = r->config.uclk.period, *let_out = &r->let_out[in - RING_SBO];

	tell_state(r, in, STOP_TX_BL, from + STOP_STARVED * clock, go);
	/* The egress has been full since it came. */
	if (go - from < RING_SBO_PLACES * 2 * clock || go < *let_out)
		return;
	*let_out = go + STOP_FORCED * clock;
	signal_pulse(r->port[in], SIG_SBO_TXR_ADS, go, 1, SBO_TXR_ADS_BL, &no_tag);
}

static void tell_queues(struct ring *r, enum ring_kind kind, unsigned from, const struct ring_route *route, bool credited,
			const struct ring_crossing *at)
{
	struct signal_port *out = r->port[route->out], *in = r->port[route->in];
	uint64_t flag = kind == RING_AD ? (credited ? SBO_RXR_AD_CRD : SBO_RXR_AD_BNC) :
			kind == RING_BL ? (credited ? SBO_RXR_BL_CRD : SBO_RXR_BL_BNC) :
			kind == RING_AK ? SBO_RXR_AK : SBO_RXR_IV;
	uint64_t clock = r->config.uclk.period, room = RING_SBO_PLACES * 2 * clock, arrive = at->arrive, over = at->arrive;

	if (at->go - arrive > room)
		over = at->go - room;
	if (kind == RING_BL && !credited && over - arrive > room)
		arrive = tell_bounces(r, from, route->out, arrive, over - room);
	stays_leave(r->stays, STAYS_KEPT, out, arrive, 1);
	if (over == arrive) {
		signal_pulse(out, SIG_SBO_RXR_BYPASS, arrive, 1, flag, &no_tag);
	} else {
		signal_pulse(out, SIG_SBO_RXR_INSERT, arrive, 1, flag, &no_tag);
		signal_span(out, SIG_SBO_RXR, arrive, over, 1, flag, &no_tag);
		tell_state(r, route->out, credited ? STOP_RX_CRD : STOP_RX_BUSY, arrive + STOP_STARVED * clock, over);
	}
	signal_pulse(in, SIG_SBO_TXR_INSERT, over, 1, flag, &no_tag);
	signal_span(in, SIG_SBO_TXR, over, at->leave, 1, flag, &no_tag);
	if (kind == RING_BL)
		tell_egress(r, route->in, over, at->go);
}

void ring_tell_crossing(struct ring *r, enum ring_kind kind, unsigned from, const struct ring_route *route,
			const struct ring_crossing *at)
{
	struct ring_crossing c = *at;
	/* The credit comes back the way the message went. */
	uint64_t back = c.leave + (c.arrive - c.when), got = c.when;
	bool credited = true;

	r->tries = 0;
	stays_come(r->stays, STAYS_KEPT, r->port[route->out], at->arrive, 1);
	if (kind == RING_AD || kind == RING_BL) {
		if (from >= RING_CBOS)
			got = wait_credit(r, kind, from, route->lane, c.when, back);
		else
			credited = take_credit(r, kind, from, c.when, back);
		/* A slice tries again, as long as the line would only wait. */
		while (!credited && r->retry && got + r->retry - c.when <= c.go - at->arrive) {
			r->tries++;
			got += r->retry;
			credited = take_credit(r, kind, from, got, back);
		}
		if (credited)
			tell_credit(r, kind, from, route->lane, c.when, got, back);
		c.arrive = c.arrive + (got - c.when) < c.go ? c.arrive + (got - c.when) : c.go;
	}
	tell_queues(r, kind, from, route, credited, &c);
}
