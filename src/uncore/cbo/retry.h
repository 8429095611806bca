/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a slice sends back to its queue because something it needs is not there, and tries again every at.retry until it
 * is; and its data egress when that backs up.
 */
#ifndef BXS_UNCORE_CBO_RETRY_H
#define BXS_UNCORE_CBO_RETRY_H

#include "uncore/cbo/signals.h"
#include "uncore/qpi/cross.h"
#include "uncore/transaction.h"

/* Requests, of devices or cores, that are sent back at `when` and pass at `there` keep their places; returns how often
 * they try. */
uint64_t cbo_send_back(const struct fabric *f, struct fabric_socket *s, unsigned slice, bool device,
			  const struct signal_tag *tag, uint64_t when, uint64_t there, const bool observed);

/* Those of cores say why. */
uint64_t cbo_retry(const struct fabric *f, struct fabric_socket *s, unsigned slice, const struct signal_tag *tag,
		      uint64_t when, uint64_t there, uint64_t cause, const bool observed);

/*
 * Data that is ready at `ready` has its turn in the egress only at `go`.  Beyond what the egress holds, requests are sent
 * back instead; who is starved is let out now and then.  Returns when it is on the ring.
 */
uint64_t cbo_egress_waits(const struct fabric *f, struct fabric_socket *s, unsigned slice,
			     const struct signal_tag *tag, uint64_t ready, uint64_t go, const bool observed);

/* A slice's line went onto the ring after so many tries for a credit of its SBo: for a request of a core or device, or of its own. */
void cbo_tell_switch_tries(const struct transaction *w, uint64_t when, uint64_t tries, const bool observed);

/* A slice's message goes onto the ring; it may have to try again for want of a credit of its SBo. */
UNCORE_INLINE uint64_t cbo_ring_again(const struct transaction *w, enum ring_kind kind, unsigned to, uint64_t when,
					 const bool observed)
{
	struct ring *r = &w->s->ring;
	uint64_t at;

	if (!observed || kind != RING_BL)
		return fabric_ring(r, kind, w->slice, to, when, observed);
	r->retry = w->f->at.retry;
	at = fabric_ring(r, kind, w->slice, to, when, observed);
	r->retry = 0;
	if (r->tries)
		cbo_tell_switch_tries(w, when, r->tries, observed);
	r->tries = 0;
	return at;
}

/* A slice has one credit for requests to devices; returns when it has it. */
uint64_t cbo_device_credit(struct transaction *w, bool device, uint64_t when, const bool observed);

/* A line that is driven out wants one of the credits for write-backs to its node; returns when it has one. */
uint64_t cbo_write_credit(const struct fabric *f, struct fabric_socket *s, unsigned slice,
			     const struct signal_tag *tag, const struct sink *credits, uint64_t when,
			     const bool observed);

#endif
