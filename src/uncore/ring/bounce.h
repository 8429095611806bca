/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops that have no room: messages that bounce, distress, sources that hold back for it.
 *
 * A queue at a stop that fills up to its mark raises the distress wires of its ring until it has emptied below.  As long
 * as they are up, cores and devices hold their requests back; only the anti-deadlock slot lets one out now and then.
 */
#ifndef BXS_UNCORE_RING_BOUNCE_H
#define BXS_UNCORE_RING_BOUNCE_H

#include "uncore/cbo/signals.h"
#include "uncore/fabric_core.h"
#include "uncore/observed.h"

/* Clocks until a queue that waits for the pipeline is starved; tries until an entry is. */
enum { RING_OUTRUN = 8, RING_TRIES = 4 };

/* A message is off the ring at `when` if one of n places is free, else some laps later; returns when.  Until then its
 * sender lets nothing out through the anti-deadlock slot. */
uint64_t ring_bounce(struct fabric_socket *s, unsigned stop, unsigned from, enum ring_kind kind,
		       const struct sink *places, unsigned n, uint64_t when, const bool observed);

/* A request, which came by at `came` first, waits in one of the slice's ingress queues. */
void cbo_queued(const struct fabric *f, struct fabric_socket *s, unsigned slice, struct sink *places, unsigned n,
		   uint64_t came, uint64_t arrive, uint64_t until, const bool observed);

/* A queue has waited for the pipeline while others got it. */
UNCORE_INLINE void cbo_outrun(struct fabric_socket *s, unsigned slice, enum cbo_queue queue, uint64_t ready,
				 uint64_t from, const bool observed)
{
	struct cbo *c = &s->cbo[slice];
	bool others = false;
	uint64_t starved = ready + RING_OUTRUN * s->ring.config.uclk.period;

	if (!observed)
		return;
	for (unsigned i = 0; i < CBO_QUEUES; i++)
		others |= i != queue && c->got[i] > ready;
	c->got[queue] = from;
	if (others && from > starved)
		stop_tell(&s->stop[slice], c->port, STOP_EXT_IRQ + queue, starved, from);
}

/* A stop wants to send a request while the wires may be up; returns when it does. */
uint64_t ring_hold_back(const struct fabric *f, struct fabric_socket *s, unsigned stop, uint64_t when,
			  const struct signal_tag *tag, const bool observed);

#endif
