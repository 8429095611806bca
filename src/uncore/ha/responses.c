/* SPDX-License-Identifier: BSD-2-Clause */
/* Snoop responses at the home agent: their signals. */
#include "uncore/ha/responses.h"

static uint64_t flag_of(unsigned kind)
{
	switch (kind) {
	case HA_RSP_I: return HA_RESPONSE_RSPI;
	case HA_RSP_S: return HA_RESPONSE_RSPS;
	case HA_RSP_FWD_I: return HA_RESPONSE_RSPIFWD;
	case HA_RSP_FWD_S: return HA_RESPONSE_RSPSFWD;
	case HA_RSP_I_WB:
	case HA_RSP_S_WB: return HA_RESPONSE_RSP_WB;
	case HA_RSP_FWD_I_WB:
	case HA_RSP_FWD_S_WB: return HA_RESPONSE_RSP_FWD_WB;
	case HA_RSP_CNFLT: return HA_RESPONSE_RSPCNFLCT;
	default: return HA_RESPONSE_OTHER;
	}
}

void ha_tell_responses(const struct ha_transaction *w, uint64_t from, const bool observed)
{
	struct ha *ha = w->ha;
	uint64_t who = ha_local(w) ? HA_RESPONSE_LOCAL : HA_RESPONSE_REMOTE;

	for (unsigned i = 0; i < w->responses; i++) {
		const struct ha_response *r = &w->response[i];
		struct signal_tag tag = { .addr = w->rq->line << 6, .opc = r->kind };

		ha_pulse(ha, SIG_HA_RESPONSE, r->when, flag_of(r->kind) | who, &tag, observed);
		ha_pulse(ha, SIG_HA_PACKET, r->when, HA_PACKET_AD, &tag, observed);
	}
	if (from >= w->snooped)
		return;
	ha_span(ha, SIG_HA_SNOOP, from, w->snooped, ha_local(w) ? HA_SNOOP_LOCAL : HA_SNOOP_REMOTE, observed);
	ha_stay(ha, ha_local(w) ? HA_Q_SNOOP_LOCAL : HA_Q_SNOOP_REMOTE, from, w->snooped, observed);
	ha_stay(ha, HA_Q_SNOOP_ALL, from, w->snooped, observed);
}
