/* SPDX-License-Identifier: BSD-2-Clause */
/* Snoop responses at the home agent: gathered, classified, told. */
#ifndef BXS_UNCORE_HA_RESPONSES_H
#define BXS_UNCORE_HA_RESPONSES_H

#include "uncore/ha/signals.h"

/* What each response says, by its opcode. */
static const uint8_t ha_outcomes[16] = {
	[HA_RSP_S & 15] = HA_KEPT, [HA_RSP_CNFLT & 15] = HA_CONFLICT, [HA_RSP_FWD & 15] = HA_FORWARDED | HA_KEPT,
	[HA_RSP_FWD_I & 15] = HA_FORWARDED, [HA_RSP_FWD_S & 15] = HA_FORWARDED | HA_KEPT,
	[HA_RSP_FWD_I_WB & 15] = HA_FORWARDED | HA_WRITTEN,
	[HA_RSP_FWD_S_WB & 15] = HA_FORWARDED | HA_WRITTEN | HA_KEPT, [HA_RSP_I_WB & 15] = HA_WRITTEN,
	[HA_RSP_S_WB & 15] = HA_WRITTEN | HA_KEPT,
};

static inline bool ha_keeps(unsigned kind)
{
	return ha_outcomes[kind & 15] & HA_KEPT;
}

void ha_tell_responses(const struct ha_transaction *w, uint64_t from, const bool observed);

/* Any number of responses. */
UNCORE_INLINE unsigned ha_gather(struct ha_transaction *w)
{
	unsigned outcome = 0;

	for (unsigned i = 0; i < w->responses; i++) {
		w->snooped = ha_later(w->snooped, w->response[i].when);
		outcome |= ha_outcomes[w->response[i].kind & 15];
	}
	return outcome;
}

UNCORE_INLINE unsigned ha_snoop_done(struct ha_transaction *w, uint64_t from, uint64_t back, const bool observed)
{
	unsigned outcome;

	w->snooped = 0;
	/* Two sockets: the usual case. */
	if (__builtin_expect(w->responses == 1, 1)) {
		w->snooped = w->response->when;
		outcome = ha_outcomes[w->response->kind & 15];
	} else {
		outcome = ha_gather(w);
	}
	if (!observed || !w->responses)
		return outcome;
	ha_note(w->ha, STAYS_ASKED, from, ha_later(from, w->snooped), observed);
	ha_tell_responses(w, from, observed);
	if (w->class == HA_CLASS_READ && w->snooped > back)
		ha_pulse(w->ha, SIG_HA_SNOOP_LATE, w->snooped, ha_local(w) ? HA_SNOOP_LATE_LOCAL : HA_SNOOP_LATE_REMOTE,
			 NULL, observed);
	return outcome;
}

#endif
