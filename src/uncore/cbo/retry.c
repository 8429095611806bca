/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that a slice sends back to their queue, and its data egress when that backs up. */
#include "uncore/cbo/retry.h"

#include "uncore/ring/bounce.h"

UNCORE_COLD uint64_t cbo_send_back(const struct fabric *f, struct fabric_socket *s, unsigned slice, bool device,
				      const struct signal_tag *tag, uint64_t when, uint64_t there, const bool observed)
{
	struct cbo *cbo = &s->cbo[slice];
	uint64_t retry = f->at.retry, tries = (there - when + retry - 1) / retry;

	cbo_queued(f, s, slice, device ? &cbo->prq : &cbo->irq, device ? CBO_PRQ_PLACES : CBO_IRQ_PLACES, when, when,
		      there, observed);
	cbo_pulse(f, cbo->port, SIG_CBO_RXR_INSERT, when, tries,
		     device ? CBO_RXR_INSERT_PRQ_REJ : CBO_RXR_INSERT_IRQ_REJ, tag, observed);
	cbo_span(f, cbo->port, SIG_CBO_RXR, when, there, 1, device ? CBO_RXR_PRQ_REJ : CBO_RXR_IRQ_REJ, tag,
		    observed);
	if (observed && tries >= RING_TRIES)
		stop_tell(&s->stop[slice], cbo->port, device ? STOP_INT_PRQ : STOP_INT_IRQ, when + RING_TRIES * retry,
			  there);
	return tries;
}

UNCORE_COLD uint64_t cbo_retry(const struct fabric *f, struct fabric_socket *s, unsigned slice,
				  const struct signal_tag *tag, uint64_t when, uint64_t there, uint64_t cause,
				  const bool observed)
{
	uint64_t tries = cbo_send_back(f, s, slice, false, tag, when, there, observed);

	cbo_pulse(f, s->cbo[slice].port, SIG_CBO_IRQ_RETRY, when, tries, cause, tag, observed);
	return tries;
}

UNCORE_COLD uint64_t cbo_egress_waits(const struct fabric *f, struct fabric_socket *s, unsigned slice,
					 const struct signal_tag *tag, uint64_t ready, uint64_t go, const bool observed)
{
	struct cbo *cbo = &s->cbo[slice];
	uint64_t clock = f->uclk.period, holds = CBO_EGRESS_LINES * 2 * clock, *let_out = &cbo->let_out;
	uint64_t head = *let_out > ready ? *let_out : ready;

	if (go > head + STOP_FORCED * clock) {
		*let_out = go = head + STOP_FORCED * clock;
		cbo_pulse(f, cbo->port, SIG_CBO_TXR_ADS, go, 1, CBO_TXR_ADS_BL, tag, observed);
	}
	if (go > ready + holds)
		cbo_retry(f, s, slice, tag, ready, go - holds, CBO_IRQ_RETRY_FULL, observed);
	if (observed && go > head + STOP_STARVED * clock)
		stop_tell(&s->stop[slice], cbo->port, STOP_TX_BL, head + STOP_STARVED * clock, go);
	return go;
}

UNCORE_COLD void cbo_tell_switch_tries(const struct transaction *w, uint64_t when, uint64_t tries, const bool observed)
{
	const struct fabric *f = w->f;
	struct signal_port *port = w->cbo->port;
	bool device = w->tag.tid == CBO_TID_IO;

	if (w->tag.tid == CBO_TID_NONE) {
		cbo_pulse(f, port, SIG_CBO_ISMQ_RETRY, when, tries, CBO_ISMQ_RETRY_BL_SBO, &w->tag, observed);
		return;
	}
	fabric_residency_from(f, STAYS_BACK, port, when, observed);
	fabric_residency_to(f, STAYS_BACK, port, when + tries * f->at.retry, observed);
	if (!device)
		cbo_pulse(f, port, SIG_CBO_IRQ_RETRY, when, tries, CBO_IRQ_RETRY_BL_SBO, &w->tag, observed);
	cbo_pulse(f, port, SIG_CBO_RXR_INSERT, when, tries, device ? CBO_RXR_INSERT_PRQ_REJ : CBO_RXR_INSERT_IRQ_REJ,
		     &w->tag, observed);
	cbo_span(f, port, SIG_CBO_RXR, when, when + tries * f->at.retry, 1,
		    device ? CBO_RXR_PRQ_REJ : CBO_RXR_IRQ_REJ, &w->tag, observed);
}

uint64_t cbo_device_credit(struct transaction *w, bool device, uint64_t when, const bool observed)
{
	const struct signal_tag *tag = observed ? &w->tag : NULL;
	uint64_t there = w->cbo->to_device, tries;

	if (there <= when)
		return when;
	tries = device ? cbo_send_back(w->f, w->s, w->slice, true, tag, when, there, observed)
		       : cbo_retry(w->f, w->s, w->slice, tag, when, there, CBO_IRQ_RETRY_IIO_CREDITS, observed);
	return when + tries * w->f->at.retry;
}

UNCORE_COLD uint64_t cbo_write_credit(const struct fabric *f, struct fabric_socket *s, unsigned slice,
					 const struct signal_tag *tag, const struct sink *credits, uint64_t when,
					 const bool observed)
{
	struct cbo *cbo = &s->cbo[slice];
	uint64_t retry = f->at.retry, tries = sink_laps(credits, CBO_WRITE_CREDITS, when, retry),
		 there = when + tries * retry;

	if (tries)
		cbo_pulse(f, cbo->port, SIG_CBO_ISMQ_RETRY, when, tries, CBO_ISMQ_RETRY_WB_CREDITS, tag, observed);
	if (observed && tries >= RING_TRIES)
		stop_tell(&s->stop[slice], cbo->port, STOP_INT_ISMQ, when + RING_TRIES * retry, there);
	return there;
}
