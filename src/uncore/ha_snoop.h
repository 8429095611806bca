/* SPDX-License-Identifier: BSD-2-Clause */
/* Snoop responses at the home agent: gathered, classified, told. */
#include "uncore/ha/inside.h"

/* What each response says, by its opcode. */
static const uint8_t outcomes[16] = {
	[HA_RSP_S & 15] = HA_KEPT, [HA_RSP_CNFLT & 15] = HA_CONFLICT, [HA_RSP_FWD & 15] = HA_FORWARDED | HA_KEPT,
	[HA_RSP_FWD_I & 15] = HA_FORWARDED, [HA_RSP_FWD_S & 15] = HA_FORWARDED | HA_KEPT,
	[HA_RSP_FWD_I_WB & 15] = HA_FORWARDED | HA_WRITTEN,
	[HA_RSP_FWD_S_WB & 15] = HA_FORWARDED | HA_WRITTEN | HA_KEPT, [HA_RSP_I_WB & 15] = HA_WRITTEN,
	[HA_RSP_S_WB & 15] = HA_WRITTEN | HA_KEPT,
};

static bool keeps(unsigned kind)
{
	return outcomes[kind & 15] & HA_KEPT;
}

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

static void tell_responses(const struct ha_walk *w, uint64_t from)
{
	struct ha *ha = w->ha;
	uint64_t who = ha_local(w) ? HA_RESPONSE_LOCAL : HA_RESPONSE_REMOTE;

	for (unsigned i = 0; i < w->responses; i++) {
		const struct ha_response *r = &w->response[i];
		struct signal_tag tag = { .addr = w->rq->line << 6, .opc = r->kind };

		ha_pulse(ha, SIG_HA_RESPONSE, r->when, flag_of(r->kind) | who, &tag);
		ha_pulse(ha, SIG_HA_PACKET, r->when, HA_PACKET_AD, &tag);
	}
	if (from >= w->snooped)
		return;
	ha_span(ha, SIG_HA_SNOOP, from, w->snooped, ha_local(w) ? HA_SNOOP_LOCAL : HA_SNOOP_REMOTE);
	ha_stay(ha, ha_local(w) ? HA_Q_SNOOP_LOCAL : HA_Q_SNOOP_REMOTE, from, w->snooped);
	ha_stay(ha, HA_Q_SNOOP_ALL, from, w->snooped);
}

/* Any number of responses. */
HA_HOT unsigned gather(struct ha_walk *w)
{
	unsigned outcome = 0;

	for (unsigned i = 0; i < w->responses; i++) {
		w->snooped = ha_later(w->snooped, w->response[i].when);
		outcome |= outcomes[w->response[i].kind & 15];
	}
	return outcome;
}

HA_HOT unsigned ha_snoop_done(struct ha_walk *w, uint64_t from, uint64_t back)
{
	unsigned outcome;

	w->snooped = 0;
	/* Two sockets: the usual case. */
	if (__builtin_expect(w->responses == 1, 1)) {
		w->snooped = w->response->when;
		outcome = outcomes[w->response->kind & 15];
	} else {
		outcome = gather(w);
	}
	if (!HA_TOLD || !w->responses)
		return outcome;
	ha_note(w->ha, STAYS_ASKED, from, ha_later(from, w->snooped));
	tell_responses(w, from);
	if (w->class == HA_CLASS_READ && w->snooped > back)
		ha_pulse(w->ha, SIG_HA_SNOOP_LATE, w->snooped,
			 ha_local(w) ? HA_SNOOP_LATE_LOCAL : HA_SNOOP_LATE_REMOTE, NULL);
	return outcome;
}
