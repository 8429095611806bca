/* SPDX-License-Identifier: BSD-2-Clause */
/* A request of a core takes an entry of its slice's TOR, and gives it back. */
#ifndef BXS_UNCORE_CBO_ENTRY_H
#define BXS_UNCORE_CBO_ENTRY_H

#include "uncore/cbo/retry.h"
#include "uncore/ring/bounce.h"
#include "uncore/transaction.h"

/* A request has an entry of the table: for it that of the queue is over. */
UNCORE_INLINE void cbo_accepted(const struct transaction *w, enum stays_where queue, const bool observed)
{
	fabric_residency_from(w->f, queue, w->cbo->port, w->entry.arrive, observed);
	fabric_residency_to(w->f, queue, w->cbo->port, w->entry.from, observed);
	fabric_residency_from(w->f, STAYS_TABLE, w->cbo->port, w->entry.from, observed);
}

/* The line will be there only at `there`: until then the request is back in its queue. */
UNCORE_INLINE void cbo_again(struct transaction *w, uint64_t there, const bool observed)
{
	fabric_residency_from(w->f, STAYS_CONFLICT, w->cbo->port, w->entry.from, observed);
	fabric_residency_to(w->f, STAYS_CONFLICT, w->cbo->port, there, observed);
	w->entry.from = there;
}

/* Where the core stands on the ring is where the slice of its number stands. */
UNCORE_INLINE uint64_t cbo_enter(struct transaction *w, const struct fabric_request *r, const bool observed)
{
	struct fabric *f = w->f;
	struct signal_port *own = w->s->cbo[w->core].port, *port = w->cbo->port;
	uint64_t send = r->when + f->at.core_out, go = send, arrive, came;

	if (__builtin_expect(send < w->s->alarm, 0))
		go = ring_hold_back(f, w->s, w->core, send, observed ? &w->tag : NULL, observed);
	arrive = came = fabric_ring(&w->s->ring, RING_AD, w->core, w->slice, go, observed);
	if (sink_crowded(&w->cbo->irq, CBO_IRQ_PLACES, arrive))
		arrive =
			ring_bounce(w->s, w->slice, w->core, RING_AD, &w->cbo->irq, CBO_IRQ_PLACES, arrive, observed);
	w->entry = cbo_accept(w->cbo, &f->uclk, arrive);
	cbo_accepted(w, STAYS_IRQ, observed);
	if (__builtin_expect(w->entry.from > arrive, 0))
		cbo_queued(f, w->s, w->slice, &w->cbo->irq, CBO_IRQ_PLACES, came, arrive, w->entry.from, observed);
	cbo_outrun(w->s, w->slice, CBO_IRQ, w->entry.ready, w->entry.from, observed);
	cbo_pulse(w->f, own, SIG_CBO_TXR_INSERT, send, 1, CBO_TXR_INSERT_AD_CORE, &w->tag, observed);
	cbo_pulse(w->f, port, SIG_CBO_RXR_INSERT, arrive, 1, CBO_RXR_INSERT_IRQ, &w->tag, observed);
	cbo_span(w->f, port, SIG_CBO_RXR, arrive, w->entry.from, 1, CBO_RXR_IRQ, &w->tag, observed);
	cbo_pulse(w->f, port, SIG_CBO_SINK, arrive, 1, CBO_SINK_P2C_AD, &w->tag, observed);
	if (w->entry.from == arrive)
		cbo_pulse(w->f, port, SIG_CBO_STRAIGHT, arrive, 1, CBO_STRAIGHT_IRQ, &w->tag, observed);
	return w->entry.from + f->at.tag;
}

UNCORE_INLINE void cbo_leave(struct transaction *w, uint64_t end, uint64_t flags, const bool observed)
{
	cbo_hold(w->cbo, &w->entry, w->line, end, flags & CBO_TOR_MISS);
	fabric_residency_to(w->f, STAYS_TABLE, w->cbo->port, end, observed);
	flags |= CBO_TOR_IRQ | (w->home_socket == w->socket ? CBO_TOR_LOCAL : CBO_TOR_REMOTE);
	cbo_tor(w->f, w->cbo, w->entry.from, end, flags, &w->tag, observed);
}

/* The same for a hit that snooped cores: other requests for the line are sent back until it has left the TOR. */
UNCORE_INLINE void cbo_leave_asked(struct transaction *w, uint64_t end, const bool observed)
{
	cbo_leave(w, end, 0, observed);
	cbo_hold(w->cbo, &w->entry, w->line, end, true);
}

#endif
