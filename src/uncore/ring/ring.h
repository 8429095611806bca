/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings of a socket: stops, routes, the switches (SBos) between two rings.
 *
 *	ring 0 (up to 8 cores)             ring 1 (the rest)
 *	 R3QPI  R2PCIe SBo0  -----------  SBo2/1
 *	 c0             c4                c8        c13
 *	 c1             c5                c9        c14
 *	 c2             c6                c10       c15
 *	 c3             c7                c11       c16
 *	                                  c12       c17
 *	 HA0    SBo1  -----------------   SBo3      HA1
 *
 * Of two clusters each has a ring with half of the cores, R3QPI and R2PCIe, one side of the SBos (where ring 0 has
 * them) and its home agent.
 *
 * A die without SBos has all of its cores on ring 0.
 *
 * A message goes the shorter way round, one stop an uncore clock, and changes rings at
 * most once.  "Up" is clockwise on the left side of a ring and counter-clockwise on the
 * right.  Each stop but an SBo counts what passes it or ends there, an SBo what passes or
 * starts there (HSX uncore manual, 2.3.6, 2.4.6); this is walked stop by stop only for
 * rings that somebody watches.
 */
#ifndef BXS_UNCORE_RING_RING_H
#define BXS_UNCORE_RING_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/signal.h"
#include "uncore/calendar.h"
#include "uncore/stays.h"

enum ring_kind { RING_AD, RING_AK, RING_BL, RING_IV, RING_KINDS };

/* Stops: a core and the slice beside it share one. */
enum {
	RING_CBO = 0,
	RING_CBOS = 18,
	RING_R3QPI = RING_CBOS,
	RING_R2PCIE,
	RING_HA,
	RING_HAS = 2,
	RING_SBO = RING_HA + RING_HAS,
	RING_SBOS = 4,
	RING_STOPS = RING_SBO + RING_SBOS,
	RING_ROW = 32,		/* a power of two, to be found quickly */
};

/* Of a CBo's stop for messages to its SBo; of another stop's for those of each ring to each SBo. */
enum { RING_SBO_AD_CREDITS = 3, RING_SBO_BL_CREDITS = 2, RING_STOP_CREDITS = 4, RING_R2PCIE_CREDITS = 2 };
/* Lines that the ingress and the egress of an SBo hold: greatest increments of their occupancies. */
enum { RING_SBO_PLACES = 12 };

struct ring_config {
	unsigned cores, has;
	struct calendar_rate uclk;
	uint16_t hop, cross;	/* uclk: from stop to stop, through an SBo */
	bool whole;		/* one ring for all cores, however many */
	/* Where a socket is two clusters each has a ring of its own, with one side of so many pairs of SBos; 0: it is not. */
	uint8_t pairs, side;
};

/* From one stop to another, when nobody else is there. */
struct ring_route {
	uint32_t latency;	/* ps */
	uint8_t out, in;	/* SBo stops on the way, or 0: stays on its ring */
	uint8_t near;		/* clocks to the first of them */
	uint8_t lane;		/* which pair of SBos */
};

struct ring_credit {
	uint64_t from, to;	/* in use from, to */
};

struct stop;

struct ring {
	struct ring_route route[RING_STOPS][RING_ROW];
	struct signal_port *port[RING_STOPS];
	bool walk[RING_KINDS];	/* somebody watches this ring at some stop */
	bool slow[RING_KINDS];	/* or what messages of this kind do at SBos */
	bool credits;		/* somebody watches SBo credits or queues */
	struct ring_config config;
	struct ring_credit credit[RING_STOPS][2][RING_SBO_AD_CREDITS];
	struct ring_credit stop_credit[RING_STOPS - RING_CBOS][2][2][RING_STOP_CREDITS];	/* SBo; AD, BL */
	/* What only matters to who listens: states of stops (NULL: nobody); until then the anti-deadlock slot of an SBo was not
	 * free; may the message sent next go back to its queue, every so often, and how often did it. */
	struct stop *stop;
	struct stays *stays;		/* likewise */
	uint64_t let_out[RING_SBOS];
	uint32_t retry, tries;
	struct calendar cross[RING_SBOS];	/* BL, from each SBo on */
	/* Where stops lie, for walking. */
	uint8_t order[2][RING_STOPS], length[2];
	uint8_t ring_of[RING_STOPS], place[RING_STOPS];
	bool right[RING_STOPS];
};

/* Kinds of box at a stop: CBo, R3QPI, R2PCIe, home agent, SBo. */
static inline unsigned ring_class(unsigned stop)
{
	return stop < RING_R3QPI ? 0 : stop < RING_R2PCIE ? 1 : stop < RING_HA ? 2 : stop < RING_SBO ? 3 : 4;
}

/* All ports are bound to `silent`. */
void ring_init(struct ring *r, const struct ring_config *config, struct signal_port *silent);
/* The uncore clock changed: recompute latencies. */
void ring_uclk(struct ring *r, const struct calendar_rate *uclk);
/* Watches changed. */
void ring_rewatch(struct ring *r);

/* How long data that leaves its stop at `when` waits at its SBo to cross. */
static inline __attribute__((always_inline)) uint64_t ring_wait(struct ring *r, const struct ring_route *route, uint64_t when)
{
	return calendar_book(&r->cross[route->out - RING_SBO], &r->config.uclk,
			     when + route->near * r->config.uclk.period, 2);
}

/* Unloaded latency.  The way back is as long, and may be the one that lies near in memory. */
static inline uint64_t ring_latency(const struct ring *r, unsigned from, unsigned to)
{
	return __builtin_constant_p(from) ? r->route[from][to].latency : r->route[to][from].latency;
}

/* Out of the fast path: see ring_send(). */
uint64_t ring_send_slow(struct ring *r, enum ring_kind kind, unsigned from, unsigned to,
			uint64_t when);

/* ring_send() while nobody watches the rings. */
static inline __attribute__((always_inline)) uint64_t ring_pass(struct ring *r, enum ring_kind kind, unsigned from, unsigned to,
				 uint64_t when)
{
	const struct ring_route *route;

	/* Only data is dense enough to queue at an SBo. */
	if (kind != RING_BL)
		return when + ring_latency(r, from, to);
	route = &r->route[from][to];
	if (route->out)
		when += ring_wait(r, route, when);
	return when + route->latency;
}

/*
 * A message is on its way from stop to stop; returns when it (of a cache line: its first
 * half) is there.  BL messages are cache lines: two slots.
 */
static inline uint64_t ring_send(struct ring *r, enum ring_kind kind, unsigned from, unsigned to,
				 uint64_t when)
{
	if (__builtin_expect(r->slow[kind], 0))
		return ring_send_slow(r, kind, from, to, when);
	return ring_pass(r, kind, from, to, when);
}

/* The stop of a cluster's ring at which it is joined to the other's. */
static inline unsigned ring_gate(const struct ring *r, unsigned pair)
{
	return RING_SBO + r->config.side * r->config.pairs + pair;
}

/* A message of a stop of a cluster's ring goes over to the other's; returns when it is on that, at the gate of the same pair.
 * told: somebody may listen. */
uint64_t ring_over(struct ring *r, enum ring_kind kind, unsigned from, unsigned pair, uint64_t when, bool told);

/* A message to the other ring leaves its stop, is at its SBo, may cross, and is on the other ring. */
struct ring_crossing {
	uint64_t when, arrive, go, leave;
};

/* ring/switch.c: does somebody watch credits or SBos at a stop?  Tell them. */
bool ring_crossing_watched(const struct ring *r, unsigned stop);
void ring_tell_crossing(struct ring *r, enum ring_kind kind, unsigned from, const struct ring_route *route,
			const struct ring_crossing *at);

/* Do the distress wires of a ring reach this SBo?  Those of clusters have their own. */
static inline bool ring_hears(const struct ring *r, unsigned sbo)
{
	return !r->config.pairs || (sbo - RING_SBO) / r->config.pairs == r->config.side;
}

/* How long a message takes to go round the ring of a stop. */
static inline uint64_t ring_lap(const struct ring *r, unsigned stop)
{
	return (uint64_t)r->length[r->ring_of[stop]] * r->config.hop * r->config.uclk.period;
}

/* Does a message from one stop to another start downwards? */
bool ring_down(const struct ring *r, unsigned from, unsigned to);

/* Does it arrive downwards? */
bool ring_comes_down(const struct ring *r, unsigned from, unsigned to);

/* A message of stop `from` is at stop `to` at `when` and goes round so many times more: tell its slots. */
void ring_tell_laps(struct ring *r, enum ring_kind kind, unsigned from, unsigned to, uint64_t when, uint64_t laps);

#endif
