/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The egress queues of a home agent: a message waits for its slot of the ring.  Each
 * ring has two schedulers that take turns; a line is two slots of BL.
 */
#ifndef BXS_UNCORE_HA_EGRESS_H
#define BXS_UNCORE_HA_EGRESS_H

#include "uncore/ha/signals.h"

void ha_tell_sent(const struct ha_transaction *w, enum ha_message message, unsigned scheduler, uint64_t ready, uint64_t off,
	       const bool observed);

UNCORE_INLINE uint64_t ha_send(const struct ha_transaction *w, enum ha_message message, enum ha_ring ring, uint64_t ready,
			       const bool observed)
{
	struct ha *ha = w->ha;
	unsigned scheduler = ha->turn++ % HA_SCHEDULERS;
	uint64_t off =
		ready + ha->slots[ring] + calendar_book(&ha->ring[ring][scheduler], &ha->uclk, ready, ha_slots(ring));

	ha_note(ha, STAYS_HOME_AD + ring, ready, off, observed);
	if (observed)
		ha_tell_sent(w, message, scheduler, ready, off, observed);
	return off;
}

/* The completion without data. */
UNCORE_INLINE uint64_t ha_send_done(const struct ha_transaction *w, uint64_t ready, const bool observed)
{
	return ha_near(w) ? ha_send(w, HA_SEND_CMP, HA_AK, ready, observed)
			  : ha_send(w, HA_SEND_CMP_QPI, HA_AD, ready, observed);
}

#endif
