/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What drives lines out of a slice or past it: victims of fills, write-backs of cores,
 * streaming stores, flushes.
 */
#include "uncore/fabric_walk.h"

/*
 * A fill drives a line out: its copies in cores go too, for the cache is inclusive, and
 * what was written goes to memory.
 */
FABRIC_HOT void fabric_evict(struct fabric_walk *w, const struct llc_victim *v, uint64_t when)
{
	static const uint64_t by_state[] = {
		[LLC_S] = CBO_VICTIM_S, [LLC_E] = CBO_VICTIM_E, [LLC_M] = CBO_VICTIM_M, [LLC_F] = CBO_VICTIM_F,
	};
	struct fabric *f = w->f;
	unsigned node = fabric_node_of(f, v->line), state = v->meta & LLC_STATE;
	bool dirty = v->meta & LLC_DIRTY, modified = dirty || state == LLC_M;
	uint64_t flags = CBO_TOR_EVICT |
			 (node == w->socket ? CBO_TOR_LOCAL : CBO_TOR_REMOTE);
	struct signal_tag tag;
	uint64_t end = when + f->at.go;

	if (FABRIC_TOLD)
		tag = (struct signal_tag){
			.addr = v->line << 6, .nid = (uint16_t)node,
			.tid = CBO_TID_NONE, .state = (uint8_t)state,
		};
	fabric_victim(f, w->cbo, when, by_state[state] | CBO_VICTIM_MISS, &tag);
	fabric_come(f, STAYS_EVICTED, w->cbo->port, when);
	if (v->cores)
		end = fabric_snoop_cores(f, w->socket, w->slice, v->line, v->meta, v->cores,
					 LEAVE_SNOOP_EVICT, end);
	else if (!modified)
		fabric_pulse(w->f, w->cbo->port, SIG_CBO_MISC, when, 1, CBO_MISC_CVZERO_PREFETCH_VICT, &tag);
	if (fabric_was_fse(v->meta))
		fabric_pulse(w->f, w->cbo->port, SIG_CBO_MISC, end, 1, CBO_MISC_RSPI_WAS_FSE, &tag);
	if (modified) {
		struct sink *credits = &w->cbo->writes[node];
		uint64_t came = end, sent = end;

		if (sink_crowded(credits, CBO_WRITE_CREDITS, end))
			sent = fabric_write_credit(f, w->s, w->slice, FABRIC_TOLD ? &tag : NULL, credits, end);
		end = fabric_write_home(f, w->socket, w->slice, FABRIC_TOLD ? &tag : NULL, v->line, false, sent);
		sink_take(credits, came, end);
	}
	fabric_gone(f, STAYS_EVICTED, w->cbo->port, end);
	fabric_tor(f, w->cbo, when, end, flags, &tag);
}

/* The core's data follows its request to the slice on the BL ring. */
FABRIC_HOT uint64_t fabric_enter_with_data(struct fabric_walk *w, const struct fabric_request *r)
{
	uint64_t send = r->when + w->f->at.core_out, tags = fabric_enter(w, r);
	uint64_t data = fabric_ring(&w->s->ring, RING_BL, w->core, w->slice, send);

	fabric_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_TXR_INSERT, send, 1, CBO_TXR_INSERT_BL_CORE, &w->tag);
	fabric_pulse(w->f, w->cbo->port, SIG_CBO_SINK, data, 2, CBO_SINK_P2C_BL, &w->tag);
	return data > tags ? data : tags;
}

FABRIC_HOT struct llc_place look_up(struct fabric_walk *w, uint64_t when)
{
	struct llc_place p = llc_find(&w->s->llc, w->slice, w->line);

	if (FABRIC_TOLD)
		w->tag.state = (uint8_t)llc_state(&p);
	fabric_lookup(w->f, w->cbo, when, w->op->lookup, llc_state(&p), &w->tag);
	fabric_tell_found(w, when, llc_state(&p));
	return p;
}

/* The go-ahead to the core; returns when it is rid of the request. */
FABRIC_HOT uint64_t fabric_go(struct fabric_walk *w, uint64_t when)
{
	fabric_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, when, 1, CBO_TXR_INSERT_AK_CACHE, &w->tag);
	when = fabric_ring(&w->s->ring, RING_AK, w->slice, w->core, when);
	fabric_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_SINK, when, 1, CBO_SINK_C2P_AK, &w->tag);
	return when + w->f->at.core_in;
}

/*
 * L2 gives a modified line back.  The slice has it, for it is inclusive; if a fill has
 * driven it out while the write-back was on its way, the line goes on to memory.
 */
FABRIC_HOT struct fabric_reply fabric_write_back(struct fabric_walk *w, const struct fabric_request *r)
{
	uint64_t when = fabric_enter_with_data(w, r), end = when + w->f->at.go, flags = CBO_TOR_WB;
	struct llc_place p = look_up(w, when);
	struct fabric_reply reply = { .source = FABRIC_FROM_LLC };

	if (p.way >= 0) {
		uint32_t me = 1u << w->core;

		/* Another core may own the line by now; then this data is old. */
		if (llc_cores(&p) & me) {
			llc_set(&p, LLC_M);
			llc_set_cores(&p, llc_cores(&p) & ~me);
		}
	} else {
		end = fabric_write_own(w, false, end);
		flags |= CBO_TOR_MISS;
	}
	reply.when = fabric_go(w, when + w->f->at.go);
	fabric_leave(w, end, flags);
	return reply;
}

/*
 * Take the line out of the socket, to memory if it was written; returns when it is done.  The core that asks has dropped
 * it by itself, and may have fetched it again by the time that its caches would hear of a snoop.
 */
static uint64_t drop_line(struct fabric_walk *w, struct llc_place *p, uint64_t when)
{
	unsigned meta = llc_meta(p);
	uint32_t me = llc_cores(p) & 1u << w->core;
	bool dirty = meta & LLC_DIRTY;
	uint64_t others = fabric_snoop_cores(w->f, w->socket, w->slice, w->line, meta, llc_cores(p) & ~me,
					     LEAVE_SNOOP_INVALIDATE, when);

	when = fabric_snoop_cores(w->f, w->socket, w->slice, w->line, meta | LLC_GONE, me, LEAVE_SNOOP_INVALIDATE, when);
	when = others > when ? others : when;
	if (dirty || (meta & LLC_STATE) == LLC_M)
		when = fabric_write_own(w, false, when);
	llc_drop(p);
	return when;
}

/*
 * A streaming store: the socket gets the line to itself without its data, and the core's
 * data goes to memory past the cache.  The core keeps its buffer until then.
 */
static struct fabric_reply fabric_stream(struct fabric_walk *w, const struct fabric_request *r)
{
	struct fabric *f = w->f;
	uint64_t when = fabric_enter_with_data(w, r), owned, end;
	struct llc_place p = look_up(w, when);
	bool here = p.way >= 0 && (llc_state(&p) == LLC_E || llc_state(&p) == LLC_M);
	struct fabric_reply reply = {
		.source = w->home_socket == w->socket ? FABRIC_FROM_LOCAL : FABRIC_FROM_REMOTE,
	};

	if (p.way >= 0) {
		if (llc_state(&p) == LLC_M)
			fabric_pulse(w->f, w->cbo->port, SIG_CBO_MISC, when, 1, CBO_MISC_WC_ALIASING, &w->tag);
		when = drop_line(w, &p, when);
	}
	owned = here ? when : fabric_home_rare(w, HA_INV_ITOE, false, when + f->at.miss).slice;
	end = fabric_write_own(w, r->kind == LEAVE_WCIL, owned + f->at.go);
	reply.when = fabric_go(w, owned + f->at.go);
	fabric_leave(w, end, CBO_TOR_WB | CBO_TOR_MISS);
	return reply;
}

/* CLFLUSH: out of this socket, then out of all others by way of the home agent. */
static struct fabric_reply fabric_flush(struct fabric_walk *w, const struct fabric_request *r)
{
	uint64_t when = fabric_enter(w, r);
	struct llc_place p = look_up(w, when);
	struct fabric_reply reply = {
		.source = w->home_socket == w->socket ? FABRIC_FROM_LOCAL : FABRIC_FROM_REMOTE,
	};

	if (p.way >= 0)
		when = drop_line(w, &p, when);
	when = fabric_home_rare(w, HA_INV_ITOE, false, when + w->f->at.miss).slice;
	reply.when = fabric_go(w, when + w->f->at.go);
	fabric_leave(w, when + w->f->at.go, CBO_TOR_MISS);
	return reply;
}
