/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a slice sends back to its queue because something it needs is not there, and tries again every at.retry until it
 * is; and its data egress when that backs up.
 */
#include "uncore/fabric_walk.h"

/* Requests, of devices or cores, that are sent back at `when` and pass at `there` keep their places; returns how often
 * they try. */
FABRIC_COLD uint64_t fabric_send_back(const struct fabric *f, struct fabric_socket *s, unsigned slice, bool device,
				      const struct signal_tag *tag, uint64_t when, uint64_t there)
{
	struct cbo *cbo = &s->cbo[slice];
	uint64_t retry = f->at.retry, tries = (there - when + retry - 1) / retry;

	fabric_queued(f, s, slice, device ? &cbo->prq : &cbo->irq, device ? CBO_PRQ_PLACES : CBO_IRQ_PLACES, when, when, there);
	fabric_pulse(f, cbo->port, SIG_CBO_RXR_INSERT, when, tries,
		     device ? CBO_RXR_INSERT_PRQ_REJ : CBO_RXR_INSERT_IRQ_REJ, tag);
	fabric_span(f, cbo->port, SIG_CBO_RXR, when, there, 1, device ? CBO_RXR_PRQ_REJ : CBO_RXR_IRQ_REJ, tag);
	if (FABRIC_TOLD && tries >= BOUNCE_TRIES)
		stop_tell(&s->stop[slice], cbo->port, device ? STOP_INT_PRQ : STOP_INT_IRQ, when + BOUNCE_TRIES * retry,
			  there);
	return tries;
}

/* Those of cores say why. */
FABRIC_COLD uint64_t fabric_retry(const struct fabric *f, struct fabric_socket *s, unsigned slice,
				  const struct signal_tag *tag, uint64_t when, uint64_t there, uint64_t cause)
{
	uint64_t tries = fabric_send_back(f, s, slice, false, tag, when, there);

	fabric_pulse(f, s->cbo[slice].port, SIG_CBO_IRQ_RETRY, when, tries, cause, tag);
	return tries;
}

/*
 * Data that is ready at `ready` has its turn in the egress only at `go`.  Beyond what the egress holds, requests are sent
 * back instead; who is starved is let out now and then.  Returns when it is on the ring.
 */
FABRIC_COLD uint64_t fabric_egress_waits(const struct fabric *f, struct fabric_socket *s, unsigned slice,
					 const struct signal_tag *tag, uint64_t ready, uint64_t go)
{
	struct cbo *cbo = &s->cbo[slice];
	uint64_t clock = f->uclk.period, holds = CBO_EGRESS_LINES * 2 * clock, *let_out = &cbo->let_out;
	uint64_t head = *let_out > ready ? *let_out : ready;

	if (go > head + STOP_FORCED * clock) {
		*let_out = go = head + STOP_FORCED * clock;
		fabric_pulse(f, cbo->port, SIG_CBO_TXR_ADS, go, 1, CBO_TXR_ADS_BL, tag);
	}
	if (go > ready + holds)
		fabric_retry(f, s, slice, tag, ready, go - holds, CBO_IRQ_RETRY_FULL);
	if (FABRIC_TOLD && go > head + STOP_STARVED * clock)
		stop_tell(&s->stop[slice], cbo->port, STOP_TX_BL, head + STOP_STARVED * clock, go);
	return go;
}

/* A slice's line went onto the ring after so many tries for a credit of its SBo: for a request of a core or device, or of its own. */
FABRIC_COLD void tell_switch_tries(const struct fabric_walk *w, uint64_t when, uint64_t tries)
{
	const struct fabric *f = w->f;
	struct signal_port *port = w->cbo->port;
	bool device = w->tag.tid == CBO_TID_IO;

	if (w->tag.tid == CBO_TID_NONE) {
		fabric_pulse(f, port, SIG_CBO_ISMQ_RETRY, when, tries, CBO_ISMQ_RETRY_BL_SBO, &w->tag);
		return;
	}
	fabric_come(f, STAYS_BACK, port, when);
	fabric_gone(f, STAYS_BACK, port, when + tries * f->at.retry);
	if (!device)
		fabric_pulse(f, port, SIG_CBO_IRQ_RETRY, when, tries, CBO_IRQ_RETRY_BL_SBO, &w->tag);
	fabric_pulse(f, port, SIG_CBO_RXR_INSERT, when, tries, device ? CBO_RXR_INSERT_PRQ_REJ : CBO_RXR_INSERT_IRQ_REJ,
		     &w->tag);
	fabric_span(f, port, SIG_CBO_RXR, when, when + tries * f->at.retry, 1, device ? CBO_RXR_PRQ_REJ : CBO_RXR_IRQ_REJ,
		    &w->tag);
}

/* A slice's message goes onto the ring; it may have to try again for want of a credit of its SBo. */
FABRIC_HOT uint64_t fabric_ring_again(const struct fabric_walk *w, enum ring_kind kind, unsigned to, uint64_t when)
{
	struct ring *r = &w->s->ring;
	uint64_t at;

	if (!FABRIC_TOLD || kind != RING_BL)
		return fabric_ring(r, kind, w->slice, to, when);
	r->retry = w->f->at.retry;
	at = fabric_ring(r, kind, w->slice, to, when);
	r->retry = 0;
	if (r->tries)
		tell_switch_tries(w, when, r->tries);
	r->tries = 0;
	return at;
}

/* A slice has one credit for requests to devices; returns when it has it. */
FABRIC_HOT uint64_t fabric_device_credit(struct fabric_walk *w, bool device, uint64_t when)
{
	const struct signal_tag *tag = FABRIC_TOLD ? &w->tag : NULL;
	uint64_t there = w->cbo->to_device, tries;

	if (there <= when)
		return when;
	tries = device ? fabric_send_back(w->f, w->s, w->slice, true, tag, when, there) :
			 fabric_retry(w->f, w->s, w->slice, tag, when, there, CBO_IRQ_RETRY_IIO_CREDITS);
	return when + tries * w->f->at.retry;
}

/* A line that is driven out wants one of the credits for write-backs to its node; returns when it has one. */
FABRIC_COLD uint64_t fabric_write_credit(const struct fabric *f, struct fabric_socket *s, unsigned slice,
					 const struct signal_tag *tag, const struct sink *credits, uint64_t when)
{
	struct cbo *cbo = &s->cbo[slice];
	uint64_t retry = f->at.retry, tries = sink_laps(credits, CBO_WRITE_CREDITS, when, retry), there = when + tries * retry;

	if (tries)
		fabric_pulse(f, cbo->port, SIG_CBO_ISMQ_RETRY, when, tries, CBO_ISMQ_RETRY_WB_CREDITS, tag);
	if (FABRIC_TOLD && tries >= BOUNCE_TRIES)
		stop_tell(&s->stop[slice], cbo->port, STOP_INT_ISMQ, when + BOUNCE_TRIES * retry, there);
	return there;
}
