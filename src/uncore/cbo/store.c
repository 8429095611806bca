/* SPDX-License-Identifier: BSD-2-Clause */
/* Streaming stores and flushes. */
#include "uncore/cbo/store.h"

/*
 * Take the line out of the socket, to memory if it was written; returns when it is done.  The core that asks has dropped
 * it by itself, and may have fetched it again by the time that its caches would hear of a snoop.
 */
static uint64_t drop_line(struct transaction *w, struct llc_place *p, uint64_t when, const bool observed)
{
	unsigned meta = llc_meta(p);
	uint32_t me = llc_cores(p) & 1u << w->core;
	bool dirty = meta & LLC_DIRTY;
	uint64_t others = cbo_snoop_cores(w->f, w->socket, w->slice, w->line, meta, llc_cores(p) & ~me,
					     LEAVE_SNOOP_INVALIDATE, when, observed);

	when = cbo_snoop_cores(w->f, w->socket, w->slice, w->line, meta | LLC_GONE, me, LEAVE_SNOOP_INVALIDATE, when,
				  observed);
	when = others > when ? others : when;
	if (dirty || (meta & LLC_STATE) == LLC_M)
		when = cbo_write_own(w, false, when, observed);
	llc_drop(p);
	return when;
}

struct fabric_reply cbo_stream(struct transaction *w, const struct fabric_request *r, const bool observed)
{
	struct fabric *f = w->f;
	uint64_t when = cbo_enter_with_data(w, r, observed), owned, end;
	struct llc_place p = cbo_look_up(w, when, observed);
	bool here = p.way >= 0 && (llc_state(&p) == LLC_E || llc_state(&p) == LLC_M);
	struct fabric_reply reply = {
		.source = w->home_socket == w->socket ? FABRIC_FROM_LOCAL : FABRIC_FROM_REMOTE,
	};

	if (p.way >= 0) {
		if (llc_state(&p) == LLC_M)
			cbo_pulse(w->f, w->cbo->port, SIG_CBO_MISC, when, 1, CBO_MISC_WC_ALIASING, &w->tag,
				     observed);
		when = drop_line(w, &p, when, observed);
	}
	owned = here ? when : cbo_ask_home_rare(w, HA_INV_ITOE, false, when + f->at.miss, observed).slice;
	end = cbo_write_own(w, r->kind == LEAVE_WCIL, owned + f->at.go, observed);
	reply.when = cbo_go(w, owned + f->at.go, observed);
	cbo_leave(w, end, CBO_TOR_WB | CBO_TOR_MISS, observed);
	return reply;
}

struct fabric_reply cbo_flush(struct transaction *w, const struct fabric_request *r, const bool observed)
{
	uint64_t when = cbo_enter(w, r, observed);
	struct llc_place p = cbo_look_up(w, when, observed);
	struct fabric_reply reply = {
		.source = w->home_socket == w->socket ? FABRIC_FROM_LOCAL : FABRIC_FROM_REMOTE,
	};

	if (p.way >= 0)
		when = drop_line(w, &p, when, observed);
	when = cbo_ask_home_rare(w, HA_INV_ITOE, false, when + w->f->at.miss, observed).slice;
	reply.when = cbo_go(w, when + w->f->at.go, observed);
	cbo_leave(w, when + w->f->at.go, CBO_TOR_MISS, observed);
	return reply;
}
