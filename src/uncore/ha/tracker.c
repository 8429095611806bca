/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracker of a home agent: requests that wait for an entry, and signals. */
#include "uncore/ha/tracker.h"

#include "uncore/ha/responses.h"

void ha_tell_arrival(const struct ha_transaction *w, const bool observed)
{
	static const uint64_t flags[3][2] = {
		[HA_CLASS_READ] = { HA_REQUEST_READ_LOCAL, HA_REQUEST_READ_REMOTE },
		[HA_CLASS_INVITOE] = { HA_REQUEST_INVITOE_LOCAL, HA_REQUEST_INVITOE_REMOTE },
		[HA_CLASS_WRITE] = { HA_REQUEST_WRITE_LOCAL, HA_REQUEST_WRITE_REMOTE },
	};
	struct ha *ha = w->ha;
	const struct ha_config *cfg = &w->ha->cfg;
	struct signal_tag tag = { .addr = w->rq->line << 6, .opc = w->rq->opcode };
	unsigned region = 0;

	ha_pulse(ha, SIG_HA_REQUEST, w->rq->when, ha_class_flag(w, flags), &tag, observed);
	ha_pulse(ha, SIG_HA_PACKET, w->rq->when, HA_PACKET_AD | (w->class == HA_CLASS_WRITE ? HA_PACKET_BL : 0), &tag,
		 observed);
	if (!signal_watched(ha->port, SIG_HA_TAD))
		return;
	while (region + 1 < cfg->tads && w->rq->line >= cfg->tad[region])
		region++;
	ha_pulse(ha, SIG_HA_TAD, w->rq->when, HA_TAD_REGION0 << region, &tag, observed);
}

UNCORE_COLD void ha_come_in(struct ha *ha, uint64_t when, bool data, const struct ha_response *r, unsigned n)
{
	if (data) {
		calendar_book(&ha->in[HA_IN_DATA], &ha->uclk, when, 1);
		calendar_book(&ha->in[HA_IN_WRITE_BACK], &ha->uclk, when, 1);
	}
	for (; n; n--, r++) {
		calendar_book(&ha->in[HA_IN_RESPONSE], &ha->uclk, r->when, 1);
		if (ha_outcomes[r->kind & 15] & HA_WRITTEN)
			calendar_book(&ha->in[HA_IN_DATA], &ha->uclk, r->when, 1);
	}
}

static uint64_t comes_in(const struct ha *ha, uint64_t when)
{
	static const uint64_t flags[HA_INS] = {
		[HA_IN_RESPONSE] = HA_NOT_ISSUED_RESPONSE, [HA_IN_DATA] = HA_NOT_ISSUED_DATA,
		[HA_IN_WRITE_BACK] = HA_NOT_ISSUED_WRITE_BACK,
	};
	uint64_t what = 0;

	for (unsigned i = 0; i < HA_INS; i++)
		if (calendar_taken(&ha->in[i], &ha->uclk, when))
			what |= flags[i];
	return what;
}

UNCORE_COLD uint64_t ha_wait_entry(struct ha *ha, uint64_t free, uint64_t when, const bool observed)
{
	uint64_t in = when + HA_LATE < ha->newest ? room_find(&ha->room, when, ha->cfg.trackers) : free, what;

	if (in == when)
		return in;
	while ((what = comes_in(ha, in)) != 0) {
		ha_pulse(ha, SIG_HA_NOT_ISSUED, in, what, NULL, observed);
		in += ha->uclk.period;
	}
	return in;
}

void ha_tell_tracker(const struct ha_transaction *w, bool bypass, uint64_t out, const bool observed)
{
	static const uint64_t flags[3][2] = {
		[HA_CLASS_READ] = { HA_TRACKER_READ_LOCAL, HA_TRACKER_READ_REMOTE },
		[HA_CLASS_INVITOE] = { HA_TRACKER_INVITOE_LOCAL, HA_TRACKER_INVITOE_REMOTE },
		[HA_CLASS_WRITE] = { HA_TRACKER_WRITE_LOCAL, HA_TRACKER_WRITE_REMOTE },
	}, bt[3][2] = {
		[HA_CLASS_READ] = { HA_BT_READ_LOCAL, HA_BT_READ_REMOTE },
		[HA_CLASS_INVITOE] = { HA_BT_INVITOE_LOCAL, HA_BT_INVITOE_REMOTE },
		[HA_CLASS_WRITE] = { HA_BT_WRITE_LOCAL, HA_BT_WRITE_REMOTE },
	};
	struct ha *ha = w->ha;

	ha_span(ha, SIG_HA_TRACKER, w->in, out, ha_class_flag(w, flags), observed);
	ha_stay(ha, ha_local(w) ? HA_Q_TRACKER_LOCAL : HA_Q_TRACKER_REMOTE, w->in, out, observed);
	ha_stay(ha, HA_Q_TRACKER_ALL, w->in, out, observed);
	ha_stay(ha, HA_Q_TRACKER_GP, w->in, out, observed);
	/* A bypass while nothing else is here does not count as use of the backup tracker. */
	if (!signal_watched(ha->port, SIG_HA_BT) && !signal_watched(ha->port, SIG_HA_BT_NE))
		return;
	if (!bypass || entries_taken(&ha->tracker, w->rq->when)) {
		ha_span(ha, SIG_HA_BT, w->rq->when, out, ha_class_flag(w, bt), observed);
		ha_stay(ha, ha_local(w) ? HA_Q_BT_LOCAL : HA_Q_BT_REMOTE, w->rq->when, out, observed);
		ha_stay(ha, HA_Q_BT_ALL, w->rq->when, out, observed);
	}
}
