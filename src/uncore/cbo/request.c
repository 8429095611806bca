/* SPDX-License-Identifier: BSD-2-Clause */
/* A request of a core: into its slice, what the tags say, data from the slice or beyond. */
#include "uncore/cbo/request.h"

#include "uncore/cbo/age.h"
#include "uncore/cbo/entry.h"
#include "uncore/cbo/home.h"
#include "uncore/cbo/ops.h"
#include "uncore/cbo/store.h"
#include "uncore/io/mmio.h"

/* Another request for the line waits for its fill or for snooped cores: this one goes back to its queue and tries again until
 * that is done. */
UNCORE_INLINE uint64_t wait_pending(struct transaction *w, uint64_t when, const bool observed)
{
	struct fabric *f = w->f;
	uint64_t there = cbo_pending(w->cbo, w->line, when);

	if (there == when)
		return when;

	/* It keeps its place, and lets others pass. */
	cbo_retry(f, w->s, w->slice, observed ? &w->tag : NULL, when, there, CBO_IRQ_RETRY_ADDR_CONFLICT, observed);
	cbo_again(w, there, observed);
	return there + f->at.tag;
}

/* Data, or with no_data only the go-ahead, from the slice to the core. */
UNCORE_INLINE uint64_t answer_core(struct transaction *w, uint64_t egress, bool data, const bool observed)
{
	struct fabric *f = w->f;
	struct ring *ring = &w->s->ring;
	uint64_t go = egress, at = fabric_ring(ring, RING_AK, w->slice, w->core, egress, observed);

	cbo_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, egress, 1, CBO_TXR_INSERT_AK_CACHE, &w->tag, observed);
	if (data) {
		go = egress + calendar_book(&w->cbo->bl, &f->uclk, egress, 2);
		if (__builtin_expect(go > egress, 0))
			go = cbo_egress_waits(f, w->s, w->slice, observed ? &w->tag : NULL, egress, go, observed);
		cbo_pulse(w->f, w->cbo->port, SIG_CBO_TXR_INSERT, egress, 1, CBO_TXR_INSERT_BL_CACHE, &w->tag,
			     observed);
		at = cbo_ring_again(w, RING_BL, w->core, go, observed);
		cbo_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_SINK, at, 2, CBO_SINK_C2P_BL, &w->tag, observed);
	}
	cbo_pulse(w->f, w->s->cbo[w->core].port, SIG_CBO_SINK, at, 1, CBO_SINK_C2P_AK, &w->tag, observed);
	return at + f->at.core_in;
}

UNCORE_INLINE void misc(const struct transaction *w, uint64_t when, uint64_t flag, const bool observed)
{
	cbo_pulse(w->f, w->cbo->port, SIG_CBO_MISC, when, 1, flag, &w->tag, observed);
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
UNCORE_INLINE uint64_t share_with(struct transaction *w, unsigned *meta, uint32_t *cores, uint64_t when,
				  const bool observed)
{
	when = cbo_snoop_cores(w->f, w->socket, w->slice, w->line, *meta, *cores, LEAVE_SNOOP_SHARE, when, observed);
	if (fabric_was_fse(*meta))
		misc(w, when, CBO_MISC_RSPI_WAS_FSE, observed);
	if (*meta & LLC_GONE)
		*cores = 0;
	*meta = *meta & LLC_DIRTY ? LLC_M : *meta & LLC_STATE;
	return when;
}

UNCORE_INLINE struct fabric_reply hit_read(struct transaction *w, struct llc_place *p, uint64_t when,
					   const bool observed)
{
	struct fabric_reply reply = { .source = FABRIC_FROM_LLC };
	uint32_t me = 1u << w->core, cores = llc_cores(p);
	unsigned meta = llc_meta(p);
	uint64_t egress = when;

	if (w->op->data && !w->op->code && (meta & LLC_STATE) != LLC_M && !cores)
		misc(w, when, CBO_MISC_CVZERO_PREFETCH_MISS, observed);
	if (!w->op->to_core) {
		llc_touch(p);
		reply.when = when;
		cbo_leave(w, when + w->f->at.go, 0, observed);
		return reply;
	}
	if ((meta & LLC_OWNED) && cores != me) {
		reply.source = FABRIC_FROM_CORE;
		reply.found = found_in_core(meta);
		egress = share_with(w, &meta, &cores, when, observed);
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
	reply.when = answer_core(w, egress, true, observed);
	if (reply.source == FABRIC_FROM_CORE)
		cbo_leave_asked(w, egress, observed);
	else
		cbo_leave(w, egress, 0, observed);
	return reply;
}

/* The socket has the line to itself: other cores lose it, this one may write. */
static UNCORE_COLD struct fabric_reply hit_own(struct transaction walk, struct llc_place place, uint64_t when,
					       const bool observed)
{
	struct transaction *w = &walk;
	struct llc_place *p = &place;
	struct fabric_reply reply = { .source = FABRIC_FROM_LLC };
	uint32_t me = 1u << w->core, others = llc_cores(p) & ~me;
	unsigned meta = llc_meta(p), state = meta & LLC_STATE;
	uint64_t egress = when;
	bool data = w->op->data;

	llc_touch(p);
	if (others) {
		bool dirty = meta & LLC_DIRTY;

		egress = cbo_snoop_cores(w->f, w->socket, w->slice, w->line, meta, others, LEAVE_SNOOP_INVALIDATE,
					    when, observed);
		reply.source = FABRIC_FROM_CORE;
		reply.found = found_in_core(meta);
		if (fabric_was_fse(meta))
			misc(w, egress, CBO_MISC_RSPI_WAS_FSE, observed);
		if (dirty)
			state = LLC_M;
		meta = state;
	}
	llc_set(p, state | LLC_OWNED | (meta & LLC_DIRTY) | (w->op->writes ? LLC_DIRTY : 0));
	llc_set_cores(p, me);
	reply.grant = FABRIC_EXCLUSIVE;
	egress += data ? w->f->at.hit : w->f->at.go;
	reply.when = answer_core(w, egress, data, observed);
	if (others)
		cbo_leave_asked(w, egress, observed);
	else
		cbo_leave(w, egress, 0, observed);
	return reply;
}

/* State, holder and core-valid bits of a line that has just come. */
UNCORE_INLINE unsigned new_state(const struct transaction *w, const struct fabric_home_reply *home)
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
UNCORE_INLINE struct fabric_reply read_answer(struct transaction *w, const struct fabric_home_reply *home,
					      const bool observed)
{
	const struct fabric_op *op = w->op;
	const struct fabric_latency *at = &w->f->at;
	struct fabric_reply reply = {
		.source = home->peer			? FABRIC_FROM_PEER
			  : w->home_socket == w->socket ? FABRIC_FROM_LOCAL
							: FABRIC_FROM_REMOTE,
	};

	/* A line that another socket had modified may have come by way of the home agent. */
	if (home->written)
		reply.found = FABRIC_SNOOP_HITM;
	else if (home->peer)
		reply.found = w->peer_modified ? FABRIC_SNOOP_HITM : FABRIC_SNOOP_HIT;
	if (!op->to_core)
		reply.when = home->slice + at->fill;
	else if (home->core)
		reply.when = home->core + at->core_in;
	else
		reply.when = answer_core(w, home->slice + at->go, op->data, observed);
	return reply;
}

/* The socket does not have the line: the home agent gives it, out of memory or by way of another
 * socket's cache. */
UNCORE_INLINE struct fabric_reply miss(struct transaction *w, struct llc_place *p, uint64_t when, const bool observed)
{
	struct fabric *f = w->f;
	const struct fabric_op *op = w->op;
	struct fabric_home_reply home;

	fabric_find(w);
	home = cbo_ask_home(w, op->home, op->to_core, when + f->at.miss, observed);

	struct fabric_reply reply = read_answer(w, &home, observed);
	uint64_t end = home.slice + f->at.fill;
	unsigned meta = new_state(w, &home);
	struct llc_victim v = llc_fill(&w->s->llc, p, w->line, meta, op->to_core ? 1u << w->core : 0);
	static const uint64_t fill[] = {
		[LLC_S] = CBO_FILL_S,
		[LLC_E] = CBO_FILL_E,
		[LLC_M] = CBO_FILL_M,
		[LLC_F] = CBO_FILL_F,
	};
	uint8_t *present = fabric_present(f, w->line);

	if (!(*present >> w->socket & 1))
		*present |= (uint8_t)(1u << w->socket);
	cbo_pulse(f, w->cbo->port, SIG_CBO_FILL, end, 1,
		     fill[meta & LLC_DIRTY ? LLC_M : meta & LLC_STATE] |
			     fabric_state_flag(CBO_FILL_OVER_I, v.meta & LLC_STATE),
		     &w->tag, observed);
	if (v.meta & LLC_STATE)
		cbo_evict(w, &v, end, observed);
	if (op->to_core)
		reply.grant = meta & LLC_OWNED ? FABRIC_EXCLUSIVE : FABRIC_SHARED;
	cbo_leave(w, end, CBO_TOR_MISS, observed);
	return reply;
}

/* The socket has the line, but not to itself: the home agent lets it have that. */
static UNCORE_COLD struct fabric_reply upgrade(struct transaction walk, struct llc_place place, uint64_t when,
					       const bool observed)
{
	struct transaction *w = &walk;
	struct llc_place *p = &place;
	struct fabric *f = w->f;
	uint32_t me = 1u << w->core;
	struct fabric_home_reply home;
	struct fabric_reply reply;

	misc(w, when, CBO_MISC_RFO_HIT_S, observed);
	cbo_snoop_cores(f, w->socket, w->slice, w->line, 0, llc_cores(p) & ~me, LEAVE_SNOOP_INVALIDATE, when,
			   observed);
	w->snoop = QPI_SNP_INV_I_TO_E;
	fabric_find(w);
	home = cbo_ask_home_rare(w, HA_INV_ITOE, true, when + f->at.miss, observed);
	reply = read_answer(w, &home, observed);
	llc_touch(p);
	llc_set(p, new_state(w, &home));
	llc_set_cores(p, me);
	reply.grant = FABRIC_EXCLUSIVE;
	cbo_leave(w, home.slice + f->at.fill, CBO_TOR_MISS, observed);
	return reply;
}

/* Where the request goes, and what it may ask for there. */
UNCORE_INLINE struct transaction set_out(struct fabric *f, const struct fabric_request *r, const struct fabric_op *op,
					 const bool observed)
{
	struct transaction w;

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
	if (observed) {
		fabric_find(&w);
		w.tag = (struct signal_tag){
			.addr = r->line << 6,
			.opc = w.op->opc,
			.nid = (uint16_t)w.home_socket,
			.tid = cbo_tid(r->core, r->thread),
		};
	}
	return w;
}

/* What wants a line, or the right to write it. */
UNCORE_INLINE struct fabric_reply get_line(struct fabric *f, const struct fabric_request *r, const struct fabric_op *op,
					   const bool observed)
{
	struct transaction walk = set_out(f, r, op, observed), *w = &walk;
	uint64_t when = cbo_enter(w, r, observed);
	struct llc_place p = llc_find(&w->s->llc, w->slice, w->line);
	enum llc_state state = llc_state(&p);

	if (observed)
		w->tag.state = (uint8_t)state;
	cbo_lookup(w->f, w->cbo, when, w->op->lookup, state, &w->tag, observed);
	cbo_tell_found(w, when, state, observed);
	if (state == LLC_I)
		return miss(w, &p, when, observed);
	when = wait_pending(w, when, observed);
	if (!w->op->own || !w->op->to_core)
		return hit_read(w, &p, when, observed);
	if (state == LLC_E || state == LLC_M)
		return hit_own(fabric_aside(w, observed), p, when, observed);
	return upgrade(fabric_aside(w, observed), p, when, observed);
}

static UNCORE_COLD struct fabric_reply note(struct fabric *f, const struct fabric_request *r)
{
	fabric_note(f, r);
	return (struct fabric_reply){ .when = r->when };
}

UNCORE_INLINE struct fabric_reply give_back(struct fabric *f, const struct fabric_request *r, const bool observed)
{
	struct transaction w = set_out(f, r, &ops[LEAVE_WB_M], observed);

	return cbo_write_back(&w, r, observed);
}

static UNCORE_COLD struct fabric_reply rare(struct fabric *f, const struct fabric_request *r, const bool observed)
{
	struct transaction w = set_out(f, r, &ops[r->kind], observed);

	fabric_find(&w);
	switch (r->kind) {
	case LEAVE_WCIL:
	case LEAVE_WCILF:
		return cbo_stream(&w, r, observed);
	case LEAVE_CLFLUSH:
		return cbo_flush(&w, r, observed);
	case LEAVE_UC_READ:
	case LEAVE_UC_WRITE:
		return io_access(&w, r, observed);
	default:
		return io_lock(&w, r, observed);
	}
}

/* The compiler knows what the most frequent kinds ask for: they have functions of their own. */
static struct fabric_reply read_data(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[LEAVE_DRD], false);	/* LEAVE_PF_DRD's and LEAVE_AHEAD's are the same */
}

static struct fabric_reply own_to_write(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[LEAVE_RFO], false);
}

static struct fabric_reply own_ahead(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[LEAVE_PF_RFO], false);
}

static struct fabric_reply get_batched(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[r->kind], false);
}

static struct fabric_reply get_observed(struct fabric *f, const struct fabric_request *r)
{
	return get_line(f, r, &ops[r->kind], true);
}

static struct fabric_reply give_back_batched(struct fabric *f, const struct fabric_request *r)
{
	return give_back(f, r, false);
}

static struct fabric_reply give_back_observed(struct fabric *f, const struct fabric_request *r)
{
	return give_back(f, r, true);
}

static struct fabric_reply rare_batched(struct fabric *f, const struct fabric_request *r)
{
	return rare(f, r, false);
}

static struct fabric_reply rare_observed(struct fabric *f, const struct fabric_request *r)
{
	return rare(f, r, true);
}

/* By kind, in batched and in observed runs. */
static const struct {
	fabric_request_fn *batched, *observed;
} handlers[LEAVE_KINDS] = {
	[LEAVE_DRD] = { read_data, get_observed }, [LEAVE_PF_DRD] = { read_data, get_observed },
	[LEAVE_AHEAD] = { read_data, get_observed },
	[LEAVE_RFO] = { own_to_write, get_observed }, [LEAVE_PF_RFO] = { own_ahead, get_observed },
	[LEAVE_CRD] = { get_batched, get_observed }, [LEAVE_PF_CRD] = { get_batched, get_observed },
	[LEAVE_PF_LLC_DRD] = { get_batched, get_observed }, [LEAVE_PF_LLC_RFO] = { get_batched, get_observed },
	[LEAVE_PF_LLC_CRD] = { get_batched, get_observed }, [LEAVE_ITOM] = { get_batched, get_observed },
	[LEAVE_WB_M] = { give_back_batched, give_back_observed },
	[LEAVE_WB_E] = { note, note }, [LEAVE_DIRTY] = { note, note },
	[LEAVE_WCIL] = { rare_batched, rare_observed }, [LEAVE_WCILF] = { rare_batched, rare_observed },
	[LEAVE_CLFLUSH] = { rare_batched, rare_observed }, [LEAVE_LOCK] = { rare_batched, rare_observed },
	[LEAVE_UC_READ] = { rare_batched, rare_observed }, [LEAVE_UC_WRITE] = { rare_batched, rare_observed },
};

fabric_request_fn *fabric_batched(enum leave_kind kind)
{
	return handlers[kind].batched;
}

struct fabric_reply fabric_observed(struct fabric *f, const struct fabric_request *r)
{
	struct cbo_ages ages = cbo_ages_look(f, r->socket, r->line);
	struct fabric_reply reply = handlers[r->kind].observed(f, r);

	if (ages.on && (ops[r->kind].data || ops[r->kind].to_core))
		cbo_ages_tell(&ages, reply.when);
	return reply;
}
