/* SPDX-License-Identifier: BSD-2-Clause */
/* A request of a core: into its slice, what the tags say, data from the slice or beyond. */
#include "uncore/fabric_ops.h"
#include "uncore/fabric_walk.h"

/* A request has an entry of the table: for it that of the queue is over. */
FABRIC_HOT void fabric_accepted(const struct fabric_walk *w, enum stays_where queue)
{
	fabric_come(w->f, queue, w->cbo->port, w->entry.arrive);
	fabric_gone(w->f, queue, w->cbo->port, w->entry.from);
	fabric_come(w->f, STAYS_TABLE, w->cbo->port, w->entry.from);
}

/* The line will be there only at `there`: until then the request is back in its queue. */
FABRIC_HOT void fabric_again(struct fabric_walk *w, uint64_t there)
{
	fabric_come(w->f, STAYS_CONFLICT, w->cbo->port, w->entry.from);
	fabric_gone(w->f, STAYS_CONFLICT, w->cbo->port, there);
	w->entry.from = there;
}

/* Where the core stands on the ring is where the slice of its number stands. */
FABRIC_HOT uint64_t fabric_enter(struct fabric_walk *w, const struct fabric_request *r)
{
	struct fabric *f = w->f;
	struct signal_port *own = w->s->cbo[w->core].port, *port = w->cbo->port;
	uint64_t send = r->when + f->at.core_out, go = send, arrive, came;

	if (__builtin_expect(send < w->s->alarm, 0))
		go = fabric_hold_back(f, w->s, w->core, send, FABRIC_TOLD ? &w->tag : NULL);
	arrive = came = fabric_ring(&w->s->ring, RING_AD, w->core, w->slice, go);
	if (sink_crowded(&w->cbo->irq, CBO_IRQ_PLACES, arrive))
		arrive = fabric_bounce(w->s, w->slice, w->core, RING_AD, &w->cbo->irq, CBO_IRQ_PLACES, arrive);
	w->entry = cbo_accept(w->cbo, &f->uclk, arrive);
	fabric_accepted(w, STAYS_IRQ);
	if (__builtin_expect(w->entry.from > arrive, 0))
		fabric_queued(f, w->s, w->slice, &w->cbo->irq, CBO_IRQ_PLACES, came, arrive, w->entry.from);
	fabric_outrun(w->s, w->slice, CBO_IRQ, w->entry.ready, w->entry.from);
	fabric_pulse(w->f, own, SIG_CBO_TXR_INSERT, send, 1, CBO_TXR_INSERT_AD_CORE, &w->tag);
	fabric_pulse(w->f, port, SIG_CBO_RXR_INSERT, arrive, 1, CBO_RXR_INSERT_IRQ, &w->tag);
	fabric_span(w->f, port, SIG_CBO_RXR, arrive, w->entry.from, 1, CBO_RXR_IRQ, &w->tag);
	fabric_pulse(w->f, port, SIG_CBO_SINK, arrive, 1, CBO_SINK_P2C_AD, &w->tag);
	if (w->entry.from == arrive)
		fabric_pulse(w->f, port, SIG_CBO_STRAIGHT, arrive, 1, CBO_STRAIGHT_IRQ, &w->tag);
	return w->entry.from + f->at.tag;
}

FABRIC_HOT void fabric_leave(struct fabric_walk *w, uint64_t end, uint64_t flags)
{
	cbo_hold(w->cbo, &w->entry, w->line, end, flags & CBO_TOR_MISS);
	fabric_gone(w->f, STAYS_TABLE, w->cbo->port, end);
	flags |= CBO_TOR_IRQ | (w->home_socket == w->socket ? CBO_TOR_LOCAL : CBO_TOR_REMOTE);
	fabric_tor(w->f, w->cbo, w->entry.from, end, flags, &w->tag);
}

/* The line is on its way into the slice for somebody else: the request goes back to its
 * queue and tries again until it is there. */
FABRIC_HOT uint64_t wait_pending(struct fabric_walk *w, uint64_t when)
{
	struct fabric *f = w->f;
	uint64_t there = cbo_pending(w->cbo, w->line, when);

	if (there == when)
		return when;

	/* It keeps its place, and lets others pass. */
	fabric_retry(f, w->s, w->slice, FABRIC_TOLD ? &w->tag : NULL, when, there, CBO_IRQ_RETRY_ADDR_CONFLICT);
	fabric_again(w, there);
	return there + f->at.tag;
}

/* Data, or with no_data only the go-ahead, from the slice to the core. */
FABRIC_HOT uint64_t answer_core(struct fabric_walk *w, uint64_t egress, bool data)
{
	struct fabric *f = w->f;
	struct ring *ring = &w->s->ring;
	uint64_t go = egress, at = fabric_ring(ring, RING_AK, w->slice, w->core, egress);

	fabric_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, egress, 1, CBO_TXR_INSERT_AK_CACHE, &w->tag);
	if (data) {
		go = egress + calendar_book(&w->cbo->bl, &f->uclk, egress, 2);
		if (__builtin_expect(go > egress, 0))
			go = fabric_egress_waits(f, w->s, w->slice, FABRIC_TOLD ? &w->tag : NULL, egress, go);
		fabric_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, egress, 1, CBO_TXR_INSERT_BL_CACHE, &w->tag);
		at = fabric_ring_again(w, RING_BL, w->core, go);
		fabric_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_SINK, at, 2, CBO_SINK_C2P_BL, &w->tag);
	}
	fabric_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_SINK, at, 1, CBO_SINK_C2P_AK, &w->tag);
	return at + f->at.core_in;
}

FABRIC_HOT void misc(const struct fabric_walk *w, uint64_t when, uint64_t flag)
{
	fabric_pulse(w->f, w->cbo->port, SIG_CBO_MISC, when, 1, flag, &w->tag);
}

/* What the snoop of a core that the slice has this line for will find. */
static uint8_t found_in_core(unsigned meta)
{
	if (meta & LLC_DIRTY)
		return FABRIC_SNOOP_HITM;
	return meta & LLC_GONE ? FABRIC_SNOOP_MISS : FABRIC_SNOOP_HIT;
}

/*
 * A read finds the line, and another core may hold it exclusive: ask that core.  Its
 * copy becomes shared, or turns out to be gone; the slice takes what it has written.
 */
FABRIC_HOT uint64_t share_with(struct fabric_walk *w, unsigned *meta, uint32_t *cores, uint64_t when)
{
	when = fabric_snoop_cores(w->f, w->socket, w->slice, w->line, *meta, *cores, LEAVE_SNOOP_SHARE, when);
	if (fabric_was_fse(*meta))
		misc(w, when, CBO_MISC_RSPI_WAS_FSE);
	if (*meta & LLC_GONE)
		*cores = 0;
	*meta = *meta & LLC_DIRTY ? LLC_M : *meta & LLC_STATE;
	return when;
}

FABRIC_HOT struct fabric_reply hit_read(struct fabric_walk *w, struct llc_place *p, uint64_t when)
{
	struct fabric_reply reply = { .source = FABRIC_FROM_LLC };
	uint32_t me = 1u << w->core, cores = llc_cores(p);
	unsigned meta = llc_meta(p);
	uint64_t egress = when;

	if (w->op->data && !w->op->code && (meta & LLC_STATE) != LLC_M && !cores)
		misc(w, when, CBO_MISC_CVZERO_PREFETCH_MISS);
	if (!w->op->to_core) {
		llc_touch(p);
		reply.when = when;
		fabric_leave(w, when + w->f->at.go, 0);
		return reply;
	}
	if ((meta & LLC_OWNED) && cores != me) {
		reply.source = FABRIC_FROM_CORE;
		reply.found = found_in_core(meta);
		egress = share_with(w, &meta, &cores, when);
	}
	if ((meta & LLC_OWNED) && cores == me) {
		/* Its own line again: still its own. */
		reply.grant = meta & LLC_DIRTY ? FABRIC_MODIFIED : FABRIC_EXCLUSIVE;
		meta &= ~(unsigned)LLC_GONE;
	} else if (!w->op->code && !(cores & ~me) && ((meta & LLC_STATE) == LLC_E || (meta & LLC_STATE) == LLC_M)) {
		reply.grant = FABRIC_EXCLUSIVE;
		meta = (meta & LLC_STATE) | LLC_OWNED;
	} else {
		reply.grant = FABRIC_SHARED;
		me |= cores;
	}
	llc_hit(p, meta, me);
	egress += w->f->at.hit;
	reply.when = answer_core(w, egress, true);
	fabric_leave(w, egress, 0);
	return reply;
}

/* The socket has the line to itself: other cores lose it, this one may write. */
FABRIC_COLD struct fabric_reply hit_own(struct fabric_walk walk, struct llc_place place, uint64_t when)
{
	struct fabric_walk *w = &walk;
	struct llc_place *p = &place;
	struct fabric_reply reply = { .source = FABRIC_FROM_LLC };
	uint32_t me = 1u << w->core, others = llc_cores(p) & ~me;
	unsigned meta = llc_meta(p), state = meta & LLC_STATE;
	uint64_t egress = when;
	bool data = w->op->data;

	llc_touch(p);
	if (others) {
		bool dirty = meta & LLC_DIRTY;

		egress = fabric_snoop_cores(w->f, w->socket, w->slice, w->line, meta, others,
					    LEAVE_SNOOP_INVALIDATE, when);
		reply.source = FABRIC_FROM_CORE;
		reply.found = found_in_core(meta);
		if (fabric_was_fse(meta))
			misc(w, egress, CBO_MISC_RSPI_WAS_FSE);
		if (dirty)
			state = LLC_M;
		meta = state;
	}
	llc_set(p, state | LLC_OWNED | (meta & LLC_DIRTY) | (w->op->writes ? LLC_DIRTY : 0));
	llc_set_cores(p, me);
	reply.grant = FABRIC_EXCLUSIVE;
	egress += data ? w->f->at.hit : w->f->at.go;
	reply.when = answer_core(w, egress, data);
	fabric_leave(w, egress, 0);
	return reply;
}

/* State, holder and core-valid bits of a line that has just come. */
FABRIC_HOT unsigned new_state(const struct fabric_walk *w, const struct fabric_home_reply *home)
{
	const struct fabric_op *op = w->op;

	if (op->own)
		return (w->peer_modified ? LLC_M : LLC_E) | (op->to_core ? LLC_OWNED : 0) |
		       (op->writes ? LLC_DIRTY : 0);
	if (op->code || home->shared || home->peer)
		return home->unasked ? LLC_S : LLC_F;
	return LLC_E | (op->to_core ? LLC_OWNED : 0);
}

/* When the request is over, and where what it got came from. */
FABRIC_HOT struct fabric_reply read_answer(struct fabric_walk *w, const struct fabric_home_reply *home)
{
	const struct fabric_op *op = w->op;
	const struct fabric_latency *at = &w->f->at;
	struct fabric_reply reply = {
		.source = home->peer ? FABRIC_FROM_PEER :
			  w->home_socket == w->socket ? FABRIC_FROM_LOCAL : FABRIC_FROM_REMOTE,
	};

	if (home->peer)
		reply.found = w->peer_modified ? FABRIC_SNOOP_HITM : FABRIC_SNOOP_HIT;
	if (!op->to_core)
		reply.when = home->slice + at->fill;
	else if (home->core)
		reply.when = home->core + at->core_in;
	else
		reply.when = answer_core(w, home->slice + at->go, op->data);
	return reply;
}

/* The socket does not have the line: the home agent gives it, out of memory or by way of another
 * socket's cache. */
FABRIC_HOT struct fabric_reply miss(struct fabric_walk *w, struct llc_place *p, uint64_t when)
{
	struct fabric *f = w->f;
	const struct fabric_op *op = w->op;
	struct fabric_home_reply home;

	fabric_find(w);
	home = fabric_home(w, op->home, op->to_core, when + f->at.miss);

	struct fabric_reply reply = read_answer(w, &home);
	uint64_t end = home.slice + f->at.fill;
	unsigned meta = new_state(w, &home);
	struct llc_victim v = llc_fill(&w->s->llc, p, w->line, meta, op->to_core ? 1u << w->core : 0);
	static const uint64_t fill[] = {
		[LLC_S] = CBO_FILL_S, [LLC_E] = CBO_FILL_E, [LLC_M] = CBO_FILL_M, [LLC_F] = CBO_FILL_F,
	};
	uint8_t *present = fabric_present(f, w->line);

	if (!(*present >> w->socket & 1))
		*present |= (uint8_t)(1u << w->socket);
	fabric_pulse(f, w->cbo->port, SIG_CBO_FILL, end, 1,
		     fill[meta & LLC_DIRTY ? LLC_M : meta & LLC_STATE] |
		     fabric_state_flag(CBO_FILL_OVER_I, v.meta & LLC_STATE), &w->tag);
	if (v.meta & LLC_STATE)
		fabric_evict(w, &v, end);
	if (op->to_core)
		reply.grant = meta & LLC_OWNED ? FABRIC_EXCLUSIVE : FABRIC_SHARED;
	fabric_leave(w, end, CBO_TOR_MISS);
	return reply;
}

/* The socket has the line, but not to itself: the home agent lets it have that. */
FABRIC_COLD struct fabric_reply upgrade(struct fabric_walk walk, struct llc_place place, uint64_t when)
{
	struct fabric_walk *w = &walk;
	struct llc_place *p = &place;
	struct fabric *f = w->f;
	uint32_t me = 1u << w->core;
	struct fabric_home_reply home;
	struct fabric_reply reply;

	misc(w, when, CBO_MISC_RFO_HIT_S);
	fabric_snoop_cores(f, w->socket, w->slice, w->line, 0, llc_cores(p) & ~me, LEAVE_SNOOP_INVALIDATE, when);
	w->snoop = QPI_SNP_INV_I_TO_E;
	fabric_find(w);
	home = fabric_home_rare(w, HA_INV_ITOE, true, when + f->at.miss);
	reply = read_answer(w, &home);
	llc_touch(p);
	llc_set(p, new_state(w, &home));
	llc_set_cores(p, me);
	reply.grant = FABRIC_EXCLUSIVE;
	fabric_leave(w, home.slice + f->at.fill, CBO_TOR_MISS);
	return reply;
}

/* Where the request goes, and what it may ask for there. */
FABRIC_HOT struct fabric_walk set_out(struct fabric *f, const struct fabric_request *r, const struct fabric_op *op)
{
	struct fabric_walk w;

	w.f = f;
	w.s = &f->socket[r->socket];
	KEEP(w.s);
	w.line = r->line;
	w.socket = r->socket;
	w.core = r->core;
	w.slice = r->slice;
	w.cbo = &w.s->cbo[w.slice];
	KEEP(w.cbo);
	w.op = op;
	w.home_socket = fabric_node_of(f, r->line);
	w.home = w.which = w.stop = 0;
	w.snoop = w.op->snoop;
	w.peer_data = 0;
	w.peer_modified = false;
	if (FABRIC_TOLD) {
		fabric_find(&w);
		w.tag = (struct signal_tag){
			.addr = r->line << 6, .opc = w.op->opc, .nid = (uint16_t)w.home_socket,
			.tid = cbo_tid(r->core, r->thread),
		};
	}
	return w;
}

/* What wants a line, or the right to write it. */
FABRIC_HOT struct fabric_reply get_line(struct fabric *f, const struct fabric_request *r, const struct fabric_op *op)
{
	struct fabric_walk walk = set_out(f, r, op), *w = &walk;
	uint64_t when = fabric_enter(w, r);
	struct llc_place p = llc_find(&w->s->llc, w->slice, w->line);
	enum llc_state state = llc_state(&p);

	if (FABRIC_TOLD)
		w->tag.state = (uint8_t)state;
	fabric_lookup(w->f, w->cbo, when, w->op->lookup, state, &w->tag);
	fabric_tell_found(w, when, state);
	if (state == LLC_I)
		return miss(w, &p, when);
	when = wait_pending(w, when);
	if (!w->op->own || !w->op->to_core)
		return hit_read(w, &p, when);
	if (state == LLC_E || state == LLC_M)
		return hit_own(fabric_aside(w), p, when);
	return upgrade(fabric_aside(w), p, when);
}

FABRIC_COLD struct fabric_reply note(struct fabric *f, const struct fabric_request *r)
{
	fabric_note(f, r);
	return (struct fabric_reply){ .when = r->when };
}

FABRIC_COLD struct fabric_reply read_or_own(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[r->kind]);
}

/* Most are of these kinds.  In code of their own the compiler knows what they ask for. */
FABRIC_COLD struct fabric_reply read_data(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[LEAVE_DRD]);	/* LEAVE_PF_DRD's and LEAVE_AHEAD's are the same */
}

FABRIC_COLD struct fabric_reply own_to_write(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[LEAVE_RFO]);
}

FABRIC_COLD struct fabric_reply own_ahead(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[LEAVE_PF_RFO]);
}

FABRIC_COLD struct fabric_reply give_back(struct fabric *f, const struct fabric_request *r)
{
	struct fabric_walk w = set_out(f, r, &ops[r->kind]);

	return fabric_write_back(&w, r);
}

FABRIC_COLD struct fabric_reply rare(struct fabric *f, const struct fabric_request *r)
{
	struct fabric_walk w = set_out(f, r, &ops[r->kind]);

	fabric_find(&w);
	switch (r->kind) {
	case LEAVE_WCIL:
	case LEAVE_WCILF:
		return fabric_stream(&w, r);
	case LEAVE_CLFLUSH:
		return fabric_flush(&w, r);
	case LEAVE_UC_READ:
	case LEAVE_UC_WRITE:
		return fabric_device(&w, r);
	default:
		return fabric_lock(&w, r);
	}
}

enum { OFTEN = !FABRIC_TOLD && !FABRIC_BRIDGED };	/* elsewhere that is not worth the room */

static fabric_walk_fn *const ways[LEAVE_KINDS] = {
	[LEAVE_DRD] = OFTEN ? read_data : read_or_own, [LEAVE_PF_DRD] = OFTEN ? read_data : read_or_own,
	[LEAVE_AHEAD] = OFTEN ? read_data : read_or_own,
	[LEAVE_RFO] = OFTEN ? own_to_write : read_or_own, [LEAVE_PF_RFO] = OFTEN ? own_ahead : read_or_own,
	[LEAVE_CRD] = read_or_own, [LEAVE_PF_CRD] = read_or_own, [LEAVE_PF_LLC_DRD] = read_or_own,
	[LEAVE_PF_LLC_RFO] = read_or_own, [LEAVE_PF_LLC_CRD] = read_or_own, [LEAVE_ITOM] = read_or_own,
	[LEAVE_WB_M] = give_back, [LEAVE_WB_E] = note, [LEAVE_DIRTY] = note, [LEAVE_WCIL] = rare, [LEAVE_WCILF] = rare,
	[LEAVE_CLFLUSH] = rare, [LEAVE_LOCK] = rare, [LEAVE_UC_READ] = rare, [LEAVE_UC_WRITE] = rare,
};
