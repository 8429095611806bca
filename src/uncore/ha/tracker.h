/* SPDX-License-Identifier: BSD-2-Clause */
/* A request takes an entry of the home agent's tracker, and gives it back. */
#ifndef BXS_UNCORE_HA_TRACKER_H
#define BXS_UNCORE_HA_TRACKER_H

#include "uncore/ha/signals.h"

enum {
	HA_LATE = 60000,		/* ps behind others that are disorder, not a queue */
	HA_SCARCE = 100000,	/* an entry free since so many ps: there are others */
};

static inline uint64_t ha_class_flag(const struct ha_transaction *w, const uint64_t flags[3][2])
{
	return flags[w->class][!ha_local(w)];
}

void ha_tell_arrival(const struct ha_transaction *w, const bool observed);

/* Requests for one line follow each other.  Returns when this one may go on. */
UNCORE_INLINE uint64_t ha_line_free(const struct ha_transaction *w, const bool observed)
{
	struct ha *ha = w->ha;
	const struct ha_line *l = w->line;
	uint64_t when = w->rq->when;

	if (__builtin_expect(l->line != w->rq->line + 1, 1) || when < l->from || when >= l->until)
		return when;
	ha_pulse(ha, SIG_HA_MEET, when, 0, NULL, observed);
	if (l->socket != w->rq->socket)
		ha_span(ha, SIG_HA_CONFLICT, when, l->until, HA_CONFLICT_CONFLICT, observed);
	return l->until;
}

/*
 * What comes in goes first: in its clock no request that waits gets an entry of the tracker.  Only booked while
 * entries are scarce, for else nobody waits.
 */
void ha_come_in(struct ha *ha, uint64_t when, bool data, const struct ha_response *r, unsigned n);

/* No entry of the tracker is free at `when`: the request waits in the backup tracker. */
uint64_t ha_wait_entry(struct ha *ha, uint64_t free, uint64_t when, const bool observed);

/* The request arrives and gets an entry of the tracker. */
UNCORE_INLINE struct ha_transaction ha_enter(struct ha *ha, const struct ha_request *rq, enum ha_class class, const bool observed)
{
	struct ha_transaction w = {
		.ha = ha,
		.rq = rq,
		.class = class,
		.line = &ha->line[(rq->line ^ rq->line >> 10) % HA_LINES],
	};
	uint64_t when;

	KEEP(w.line);
	if (observed)
		ha_tell_arrival(&w, observed);
	when = ha_line_free(&w, observed);
	w.free = entries_take(&ha->tracker, when);
	w.in = __builtin_expect(w.free <= when, 1) ? when : ha_wait_entry(ha, w.free, when, observed);
	ha->newest = ha_later(ha->newest, when);
	ha_note(ha, STAYS_HOME_WAIT, rq->when, w.in, observed);
	ha_pulse(ha, SIG_HA_ENTRY, w.in, w.in > when ? HA_ENTRY_WAIT : HA_ENTRY_BYPASS, NULL, observed);
	if (w.in > when)
		ha_span(ha, SIG_HA_ENTRY_WAIT, when, w.in, 0, observed);
	w.line->line = rq->line + 1;
	w.line->from = rq->when;
	w.line->socket = rq->socket;
	return w;
}

void ha_tell_tracker(const struct ha_transaction *w, bool bypass, uint64_t out, const bool observed);

/* The request leaves the tracker at `out`. */
UNCORE_INLINE void ha_leave(const struct ha_transaction *w, bool bypass, uint64_t out, const bool observed)
{
	struct ha *ha = w->ha;

	if (observed)
		ha_tell_tracker(w, bypass, out, observed);
	w->line->until = out;
	if (__builtin_expect(w->free + HA_SCARCE > w->in, 0)) {
		room_stay(&ha->room, w->in, out);
		ha_come_in(ha, w->rq->when, w->class == HA_CLASS_WRITE, w->response, w->responses);
		out = ha_later(w->free, out);
	}
	entries_give(&ha->tracker, out);
}

#endif
