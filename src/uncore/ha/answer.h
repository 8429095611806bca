/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent answers a read or an InvItoE. */
#ifndef BXS_UNCORE_HA_ANSWER_H
#define BXS_UNCORE_HA_ANSWER_H

#include "uncore/ha/egress.h"

/* A line leaves for a core or a CBo on the same rings. */
UNCORE_INLINE bool ha_goes_direct(const struct ha_transaction *w, unsigned outcome, uint64_t when, const bool observed)
{
	struct ha *ha = w->ha;
	bool wants = w->rq->direct && ha->cfg.direct, direct = wants && !outcome;

	if (direct)
		ha_pulse(ha, SIG_HA_DIRECT, when, 0, NULL, observed);
	else if (wants)
		ha_pulse(ha, SIG_HA_DIRECT_OVERRIDE, when, 0, NULL, observed);
	return direct;
}

/* A read or an InvItoE is over: its data leaves at `may`, if any is to be sent, its completion with it, or
 * when all is known. */
UNCORE_INLINE struct ha_reply ha_finish(const struct ha_transaction *w, unsigned outcome, bool data, uint64_t may, uint64_t known,
				     const bool observed)
{
	struct ha *ha = w->ha;
	struct ha_reply reply = { .data = 0 };
	enum ha_message message = HA_SEND_DATA_QPI;

	reply.shared = outcome & HA_KEPT;
	reply.peer = outcome & HA_FORWARDED;
	reply.written = outcome & HA_WRITTEN;
	if (!data || reply.peer) {
		reply.done = ha_send_done(w, known + ha->back, observed);
		return reply;
	}
	if (ha_near(w)) {
		reply.direct = ha_goes_direct(w, outcome, may + ha->back, observed);
		message = reply.direct ? HA_SEND_DATA_CORE : HA_SEND_DATA_CACHE;
	}
	reply.data = reply.done = ha_send(w, message, HA_BL, may + ha->back, observed);
	if (may < known) {
		reply.apart = true;
		reply.done = ha_send_done(w, known + ha->back, observed);
	}
	return reply;
}

UNCORE_INLINE void ha_tell_pending(const struct ha_transaction *w, uint64_t from, const struct ha_reply *reply,
				const bool observed)
{
	if (w->class == HA_CLASS_READ)
		ha_span(w->ha, SIG_HA_PENDING, from, reply->data ? reply->data : reply->done,
			ha_local(w) ? HA_PENDING_LOCAL : HA_PENDING_REMOTE, observed);
}

#endif
