/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The seam between simulated hardware and performance monitoring: "this
 * happened", "this queue now holds".  Hardware raises signals on the port of its
 * box and knows nothing of counters; the PMU hangs watches on the port and knows
 * nothing of caches.  A signal that nobody watches costs one branch.
 *
 * Time is machine time in picoseconds since reset.  A port belongs to one clock
 * domain and turns time into clocks itself.
 *
 * Order.  The simulated hardware walks a transaction from box to box in one
 * go, so it tells of the near future, and not in order of time.  A watch with
 * threshold 0 only adds, and sums do not depend on order.  A watch with a
 * threshold keeps a window of clocks that is stepped when the port is closed
 * up to a time (signal_close).  What is told of a clock already closed falls into
 * the first open one: nothing that is summed is lost.  Whoever closes more than is
 * over says from where on clocks may still be told of (signal_port.late): there a
 * threshold looks once more, and what it finds is counted with the first open clock.
 */
#ifndef BXS_SIGNAL_H
#define BXS_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

/*
 * A clock domain: frequency in kHz, exact.  Clock k of the domain starts at
 * t0 + (k - k0) * 10^9 / khz picoseconds; a change of frequency moves (t0, k0).
 */
struct signal_clock {
	uint64_t t0, k0;
	uint64_t mult;			/* khz * 2^64 / 10^9, rounded up */
	uint32_t khz;
};

void signal_clock_init(struct signal_clock *c, uint32_t khz);
/* From `when` on (not before the last change) the domain runs at khz. */
void signal_clock_change(struct signal_clock *c, uint64_t when, uint32_t khz);

/* Move the origin up to a whole millisecond before `when`: keeps long runs exact. */
void signal_clock_settle(struct signal_clock *c, uint64_t when);

/* Clocks of c that are complete at time `when`; times before the origin count as the origin. */
static inline uint64_t signal_clocks(const struct signal_clock *c, uint64_t when)
{
	uint64_t passed = when > c->t0 ? when - c->t0 : 0;

	return c->k0 + (uint64_t)(((bits_u128)passed * c->mult) >> 64);
}

/* The earliest time at which `clocks` clocks of c are complete. */
uint64_t signal_clock_time(const struct signal_clock *c, uint64_t clocks);

/*
 * What travels with an occurrence, for filters to look at.  A hardware box sets the
 * members that its signals' tags name and leaves the rest 0.
 *
 * A packet is a link packet's header as the match registers see it, match0 | match1 << 32.
 * Two may pass in one clock, one in each slot; the second one holds SIGNAL_SLOT, a bit
 * that the registers reserve, when it is there.
 */
#define SIGNAL_SLOT UINT64_C(1)

struct signal_tag {
	uint64_t addr;		/* physical byte address */
	uint64_t packet[2];	/* for qpi */
	uint32_t opc;		/* cbo: IDI opcode 0x180..0x1e6; ha: class << 4 | opcode */
	uint16_t nid;		/* target node, a bit number */
	uint8_t tid;		/* bit 5 not a thread, 4:1 core, 0 thread */
	uint8_t state;		/* bit number in the state filter: I S E M F D M' */
	uint8_t link;
	uint8_t nc, isoc, c6;
	uint8_t freq;		/* pcu: in 100 MHz */
};

struct signal_watch;
struct signal_standing;
struct signal_latch;

/*
 * The outlet of one box.  watch[sig] is the list of who listens to signal sig of
 * the box's type (SIG_CBO_LOOKUP, ...), NULL when nobody does.
 */
struct signal_port {
	struct signal_watch **watch;
	const struct signal_clock *clock;
	uint64_t closed;		/* clocks below this are closed */
	uint64_t late;			/* clocks from here on may be told of even when closed */
	uint64_t horizon;		/* no close comes before this clock */
	uint64_t sure;			/* what happens before this time lies below the horizon; see
					 * signal_port_horizon() */
	struct signal_standing *standing;	/* levels told, see watch.h */
	struct signal_latch *latch;
	unsigned standings, standing_room, standing_limit;
	uint16_t signals;
	uint16_t watches;		/* how many listen */
	bool any;			/* somebody listens to some signal of this port */
	bool exact;			/* times matter even to who only adds: an overflow is near */
	bool broken;			/* out of memory: an occurrence was lost */
};

/* A port of `signals` signals that nobody listens to.  0 or BXS_ENOMEM. */
int signal_port_init(struct signal_port *p, unsigned signals, const struct signal_clock *clock);
void signal_port_free(struct signal_port *p);

/* Clocks below this are closed and not late: nobody asks for them again. */
static inline uint64_t signal_past(const struct signal_port *p)
{
	return p->late < p->closed ? p->late : p->closed;
}

/* Until told otherwise: what happens from time `when` on may be told of even after it was closed. */
void signal_port_late(struct signal_port *p, uint64_t when);

/*
 * The promise that clocks are not closed before those of time `when` are: until then
 * sums need not remember what they are made of.  0: nothing is promised.
 */
void signal_port_horizon(struct signal_port *p, uint64_t when);

/* Out of the fast paths below; called only when somebody listens. */
void signal_deliver_pulse(struct signal_port *p, unsigned sig, uint64_t when, uint64_t n,
			  uint64_t flags, const struct signal_tag *tag);
void signal_deliver_span(struct signal_port *p, unsigned sig, uint64_t from, uint64_t to,
			 uint64_t n, uint64_t flags, const struct signal_tag *tag);
void signal_deliver_state(struct signal_port *p, unsigned sig, uint64_t from, uint64_t to,
			  uint64_t flags, const struct signal_tag *tag);

/* Does somebody listen?  To skip the work of making a tag or of walking ring stops. */
static inline bool signal_watched(const struct signal_port *p, unsigned sig)
{
	return __builtin_expect(p->watch[sig] != NULL, 0);
}

/* The event happened n times in the clock that holds `when`. */
static inline void signal_pulse(struct signal_port *p, unsigned sig, uint64_t when, uint64_t n,
				uint64_t flags, const struct signal_tag *tag)
{
	if (signal_watched(p, sig))
		signal_deliver_pulse(p, sig, when, n, flags, tag);
}

/*
 * The queue holds n more from time `from` to time `to`: one entry's whole stay.  A sum has
 * all of it, as it has the pulse of its coming, even what lies in closed clocks; a threshold
 * has it from the port's late clocks on.
 */
static inline void signal_span(struct signal_port *p, unsigned sig, uint64_t from, uint64_t to,
			       uint64_t n, uint64_t flags, const struct signal_tag *tag)
{
	if (signal_watched(p, sig))
		signal_deliver_span(p, sig, from, to, n, flags, tag);
}

/* It is so from time `from` to time `to`; closed clocks have had what they were told. */
static inline void signal_state(struct signal_port *p, unsigned sig, uint64_t from, uint64_t to,
				uint64_t flags, const struct signal_tag *tag)
{
	if (signal_watched(p, sig))
		signal_deliver_state(p, sig, from, to, flags, tag);
}

/*
 * The queue holds `delta` more (or fewer) from `when` on, until told otherwise.  The
 * port remembers standing levels, so that a watch hung later starts right: for states
 * that last, such as a core's power state; an entry's stay in a queue is a span.
 */
void signal_level(struct signal_port *p, unsigned sig, uint64_t when, int64_t delta,
		  uint64_t flags, const struct signal_tag *tag);

#endif
