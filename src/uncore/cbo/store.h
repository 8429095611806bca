/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What drives lines out of a slice or past it: victims of fills, write-backs of cores,
 * streaming stores, flushes.
 */
#ifndef BXS_UNCORE_CBO_STORE_H
#define BXS_UNCORE_CBO_STORE_H

#include "uncore/cbo/entry.h"
#include "uncore/cbo/home.h"

/*
 * A fill drives a line out: its copies in cores go too, for the cache is inclusive, and
 * what was written goes to memory.
 */
UNCORE_INLINE void cbo_evict(struct transaction *w, const struct llc_victim *v, uint64_t when, const bool observed)
{
	static const uint64_t by_state[] = {
		[LLC_S] = CBO_VICTIM_S,
		[LLC_E] = CBO_VICTIM_E,
		[LLC_M] = CBO_VICTIM_M,
		[LLC_F] = CBO_VICTIM_F,
	};
	struct fabric *f = w->f;
	unsigned node = fabric_node_of(f, v->line), state = v->meta & LLC_STATE;
	bool dirty = v->meta & LLC_DIRTY, modified = dirty || state == LLC_M;
	uint64_t flags = CBO_TOR_EVICT | (node == w->socket ? CBO_TOR_LOCAL : CBO_TOR_REMOTE);
	struct signal_tag tag;
	uint64_t end = when + f->at.go;

	if (observed)
		tag = (struct signal_tag){
			.addr = v->line << 6,
			.nid = (uint16_t)node,
			.tid = CBO_TID_NONE,
			.state = (uint8_t)state,
		};
	cbo_victim(f, w->cbo, when, by_state[state] | CBO_VICTIM_MISS, &tag, observed);
	fabric_residency_from(f, STAYS_EVICTED, w->cbo->port, when, observed);
	if (v->cores)
		end = cbo_snoop_cores(f, w->socket, w->slice, v->line, v->meta, v->cores, LEAVE_SNOOP_EVICT, end,
					 observed);
	else if (!modified)
		cbo_pulse(w->f, w->cbo->port, SIG_CBO_MISC, when, 1, CBO_MISC_CVZERO_PREFETCH_VICT, &tag, observed);
	if (fabric_was_fse(v->meta))
		cbo_pulse(w->f, w->cbo->port, SIG_CBO_MISC, end, 1, CBO_MISC_RSPI_WAS_FSE, &tag, observed);
	if (modified) {
		struct sink *credits = &w->cbo->writes[node];
		uint64_t came = end, sent = end;

		if (sink_crowded(credits, CBO_WRITE_CREDITS, end))
			sent = cbo_write_credit(f, w->s, w->slice, observed ? &tag : NULL, credits, end, observed);
		end = cbo_write_home(f, w->socket, w->slice, observed ? &tag : NULL, v->line, false, sent, observed);
		sink_take(credits, came, end);
	}
	fabric_residency_to(f, STAYS_EVICTED, w->cbo->port, end, observed);
	cbo_tor(f, w->cbo, when, end, flags, &tag, observed);
}

/* The core's data follows its request to the slice on the BL ring. */
UNCORE_INLINE uint64_t cbo_enter_with_data(struct transaction *w, const struct fabric_request *r,
					      const bool observed)
{
	uint64_t send = r->when + w->f->at.core_out, tags = cbo_enter(w, r, observed);
	uint64_t data = fabric_ring(&w->s->ring, RING_BL, w->core, w->slice, send, observed);

	cbo_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_TXR_INSERT, send, 1, CBO_TXR_INSERT_BL_CORE, &w->tag,
		     observed);
	cbo_pulse(w->f, w->cbo->port, SIG_CBO_SINK, data, 2, CBO_SINK_P2C_BL, &w->tag, observed);
	return data > tags ? data : tags;
}

/* What a request finds in its slice. */
UNCORE_INLINE void cbo_tell_found(const struct transaction *w, uint64_t when, unsigned state, const bool observed)
{
	bool upgrade = w->op->own && w->op->to_core && (state == LLC_S || state == LLC_F);
	uint64_t flags = fabric_state_flag(CBO_FOUND_I, state) | (upgrade ? CBO_FOUND_UPGRADE : 0) |
			 (w->op->lookup & CBO_LOOKUP_WRITE ? CBO_FOUND_WRITE : 0);

	cbo_pulse(w->f, w->cbo->port, SIG_CBO_FOUND, when, 1, flags, &w->tag, observed);
	if (!observed && __builtin_expect(w->f->config.message != NULL, 0))
		w->cbo->lumps.found[flags]++;
}

UNCORE_INLINE struct llc_place cbo_look_up(struct transaction *w, uint64_t when, const bool observed)
{
	struct llc_place p = llc_find(&w->s->llc, w->slice, w->line);

	if (observed)
		w->tag.state = (uint8_t)llc_state(&p);
	cbo_lookup(w->f, w->cbo, when, w->op->lookup, llc_state(&p), &w->tag, observed);
	cbo_tell_found(w, when, llc_state(&p), observed);
	return p;
}

/* The go-ahead to the core; returns when it is rid of the request. */
UNCORE_INLINE uint64_t cbo_go(struct transaction *w, uint64_t when, const bool observed)
{
	cbo_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, when, 1, CBO_TXR_INSERT_AK_CACHE, &w->tag, observed);
	when = fabric_ring(&w->s->ring, RING_AK, w->slice, w->core, when, observed);
	cbo_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_SINK, when, 1, CBO_SINK_C2P_AK, &w->tag, observed);
	return when + w->f->at.core_in;
}

/*
 * L2 gives a modified line back.  The slice has it, for it is inclusive; if a fill has
 * driven it out while the write-back was on its way, the line goes on to memory.
 */
UNCORE_INLINE struct fabric_reply cbo_write_back(struct transaction *w, const struct fabric_request *r,
						    const bool observed)
{
	uint64_t when = cbo_enter_with_data(w, r, observed), end = when + w->f->at.go, flags = CBO_TOR_WB;
	struct llc_place p = cbo_look_up(w, when, observed);
	struct fabric_reply reply = { .source = FABRIC_FROM_LLC };

	if (p.way >= 0) {
		uint32_t me = 1u << w->core;

		/* Another core may own the line by now, or this one may have been asked to share it: then this data is old or known. */
		if (llc_cores(&p) & me) {
			if (llc_meta(&p) & LLC_OWNED)
				llc_set(&p, LLC_M);
			llc_set_cores(&p, llc_cores(&p) & ~me);
		}
	} else {
		end = cbo_write_own(w, false, end, observed);
		flags |= CBO_TOR_MISS;
	}
	reply.when = cbo_go(w, when + w->f->at.go, observed);
	cbo_leave(w, end, flags, observed);
	return reply;
}

/*
 * A streaming store: the socket gets the line to itself without its data, and the core's
 * data goes to memory past the cache.  The core keeps its buffer until then.
 */
struct fabric_reply cbo_stream(struct transaction *w, const struct fabric_request *r, const bool observed);

/* CLFLUSH: out of this socket, then out of all others by way of the home agent. */
struct fabric_reply cbo_flush(struct transaction *w, const struct fabric_request *r, const bool observed);

#endif
