/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's request on its way through a slice: queue, passes, look-up, what is found or fetched, and the way back. */
#include "base/bits.h"
#include "uncore/poulson/cbox_core.h"

/* What a request wants. */
enum want {
	WANT_DATA, WANT_CODE, WANT_OWN,
	WANT_ALL,			/* ownership without the old line: all of it will be written */
	WANT_WRITE_BACK, WANT_FLUSH,
};

/* A request under way. */
struct walk {
	struct p9500 *p;
	const struct p9500_request *rq;
	struct p9500_socket *s;
	struct cbox *c;
	struct sbox *sbox;
	unsigned slice, half;
	enum want want;
	bool keeps;			/* the core gets the line */
	bool brings;			/* it sends a line along */
	uint64_t came;			/* into the queue */
	uint64_t when;			/* acknowledged; later: what was done since is done */
	unsigned entry;			/* of the MAF */
	struct p9500_reply reply;
};

static const struct {
	uint8_t want;
	bool keeps, brings;
} kinds[LEAVE_KINDS] = {
	[LEAVE_DRD] = { WANT_DATA, true, false }, [LEAVE_PF_DRD] = { WANT_DATA, true, false },
	[LEAVE_AHEAD] = { WANT_DATA, true, false }, [LEAVE_PF_LLC_DRD] = { WANT_DATA, false, false },
	[LEAVE_CRD] = { WANT_CODE, true, false }, [LEAVE_PF_CRD] = { WANT_CODE, true, false },
	[LEAVE_PF_LLC_CRD] = { WANT_CODE, false, false },
	[LEAVE_RFO] = { WANT_OWN, true, false }, [LEAVE_PF_RFO] = { WANT_OWN, true, false },
	[LEAVE_PF_LLC_RFO] = { WANT_OWN, false, false },
	[LEAVE_ITOM] = { WANT_ALL, true, false }, [LEAVE_WCILF] = { WANT_ALL, false, true },
	[LEAVE_WCIL] = { WANT_OWN, false, true },
	[LEAVE_WB_M] = { WANT_WRITE_BACK, false, true }, [LEAVE_CLFLUSH] = { WANT_FLUSH, false, false },
};

static uint64_t clocks(const struct walk *w, unsigned n)
{
	return (uint64_t)n * w->c->uclk.period;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static unsigned core_stop(const struct walk *w)
{
	return pring_stop_of_core(w->rq->core);
}

static unsigned slice_stop(const struct walk *w)
{
	return pring_stop_of_core(w->slice);
}

/* Flags of cbox.llc for what kind of request it is. */
static uint64_t kind_flag(const struct walk *w)
{
	return w->want == WANT_CODE ? CBOX_LLC_CODE : w->want >= WANT_WRITE_BACK ? CBOX_LLC_WRITE : CBOX_LLC_DATA;
}

static uint64_t state_flag(enum tags_state state)
{
	static const uint64_t flags[] = {
		[TAGS_I] = CBOX_LLC_I, [TAGS_S] = CBOX_LLC_S, [TAGS_E] = CBOX_LLC_E, [TAGS_M] = CBOX_LLC_M,
	};

	return flags[state];
}

/* From the core to the slice's queue.  A message that finds it full goes round until there is room. */
static void arrive(struct walk *w)
{
	uint64_t lap = clocks(w, PRING_LAP), laps = 0, first;

	first = cbox_ring(w->s, PRING_AD, core_stop(w), slice_stop(w), PRING_CORE, w->rq->when + clocks(w, CBOX_CORE_OUT));
	if (w->brings)
		first = later(first, cbox_ring(w->s, PRING_BL, core_stop(w), slice_stop(w), PRING_CORE,
					       w->rq->when + clocks(w, CBOX_CORE_OUT)));
	if (sink_crowded(&w->c->irq, CBOX_IRQ, first))
		laps = sink_laps(&w->c->irq, CBOX_IRQ, first, lap);
	if (laps)
		signal_pulse(w->c->port, SIG_CBOX_BOUNCE, first, laps, CBOX_BOUNCE_P2C | CBOX_BOUNCE_AD |
			     (core_stop(w) < slice_stop(w) ? CBOX_BOUNCE_SB : CBOX_BOUNCE_NSB), NULL);
	w->came = first + laps * lap;
	w->when = w->came + clocks(w, CBOX_QUEUE);
	w->when += calendar_book(&w->c->pipe, &w->c->uclk, w->when, 1);
}

/* Passes are rejected until then. */
static void reject(struct walk *w, uint64_t until, uint64_t why)
{
	uint64_t again = clocks(w, CBOX_AGAIN), tries;

	if (until <= w->when)
		return;
	tries = (until - w->when + again - 1) / again;
	signal_pulse(w->c->port, SIG_CBOX_NACK, w->when, tries, why, NULL);
	w->when += tries * again;
}

/* Until the request is acknowledged: nobody has its line, and what it will need is there. */
static void accept(struct walk *w, bool needs_home)
{
	struct table *maf = &w->c->maf;
	uint64_t free;
	int other;

	while ((other = table_find(maf, w->rq->line, w->when)) >= 0)
		reject(w, maf->until[other], CBOX_NACK_PA_BLOCK);
	w->entry = table_pick(maf, w->when);
	reject(w, maf->until[w->entry], CBOX_NACK_SECOND | CBOX_NACK_MAF_FULL);
	if (needs_home) {
		free = entries_take(&w->c->home, w->when);
		reject(w, free, CBOX_NACK_SECOND | CBOX_NACK_TRACKER);
	}
	sink_take(&w->c->irq, w->came, w->when);
	w->c->requests++;
	signal_pulse(w->c->port, SIG_CBOX_REQUEST, w->when, 1, 0, NULL);
	signal_span(w->c->port, SIG_CBOX_IRQ, w->came, w->when, 1, 0, NULL);
	signal_pulse(w->c->port, SIG_CBOX_ACK, w->when, 1, 0, NULL);
	signal_pulse(w->c->port, SIG_CBOX_ENTRY, w->when, 1, 0, NULL);
	cbox_tell_bypass(w->c, CBOX_INGRESS_IRQ, w->came, w->when);
}

/* The request is complete at `done`. */
static void retire(struct walk *w, uint64_t from, uint64_t done)
{
	done = later(done, from + clocks(w, 1));
	table_take(&w->c->maf, w->entry, w->rq->line, done);
	signal_span(w->c->port, SIG_CBOX_MAF, from, done, 1, 0, NULL);
}

static void tell_look_up(struct walk *w, bool hit, enum tags_state state)
{
	w->c->hits += hit;
	w->c->misses += !hit;
	signal_pulse(w->c->port, SIG_CBOX_LLC, w->when, 1,
		     (hit ? CBOX_LLC_HIT : CBOX_LLC_MISS) | state_flag(state) | kind_flag(w), NULL);
}

/* The request's message to a home agent, for a line. */
static struct rbox_trip to_home(const struct walk *w, uint64_t line, unsigned class, unsigned opcode)
{
	unsigned socket = p9500_home(w->p, line), home = ha_route(&w->p->socket[socket].bbox[0].map, line).agent;

	return (struct rbox_trip){
		.message = { .line = line, .class = (uint8_t)class, .opcode = (uint8_t)opcode,
			     .to = message_bbox(socket, home), .requester = message_sbox(w->rq->socket, w->half) },
		.from = w->rq->socket, .from_port = p9500_port_of_sbox(w->half), .to = (uint8_t)socket,
		.to_port = p9500_port_of_bbox(home),
	};
}

/* Over the ring and through the Sbox. */
static struct rbox_times send(struct walk *w, const struct rbox_trip *trip, uint64_t when)
{
	unsigned number = w->slice % SBOX_CBOXES;
	bool line = trip->message.class == QPI_DRS || trip->message.class == QPI_NCB;
	uint64_t ready = sbox_room(w->sbox, &trip->message, number, when), there;

	if (ready > when)
		signal_pulse(w->c->port, SIG_CBOX_NACK, when, 1, CBOX_NACK_SECOND | CBOX_NACK_S_FIFO, NULL);
	there = cbox_ring(w->s, line ? PRING_BL : PRING_AD, slice_stop(w), pring_stop_of_sbox(w->half), PRING_CBOX, ready);
	return sbox_send(w->sbox, w->p->router, &w->p->wires, trip, number, there);
}

static struct bbox_request request_of(const struct rbox_trip *trip, const struct rbox_times *at)
{
	return (struct bbox_request){ .message = trip->message, .at = *at, .socket = trip->to,
				      .home = trip->to_port == RBOX_B1 };
}

/* A packet that the home agent or a peer has sent; returns when it is at the slice, and has it go on to the core. */
static uint64_t receive(struct walk *w, const struct bbox_packet *packet, bool to_core, uint64_t *core_at)
{
	struct sbox_delivery d = { .half = w->half, .cbox = w->slice, .core = to_core ? w->rq->core : -1 };

	if (!packet->there)
		return 0;
	sbox_receive(w->sbox, &w->s->ring, &packet->message, &packet->at, &d);
	if (to_core && packet->message.class == QPI_DRS)
		*core_at = d.core_at;
	return d.slice_at;
}

/* A modified line goes home from `when` on; returns when that is complete. */
static uint64_t write_back(struct walk *w, uint64_t line, uint64_t when)
{
	struct rbox_trip trip = to_home(w, line, QPI_HOM_REQ, MESSAGE_WB_M_TO_I), data = trip;
	uint64_t begin = sbox_begin(w->sbox, when), done;
	struct rbox_times at, data_at;
	struct bbox_request rq;
	struct bbox_reply reply;

	data.message.class = QPI_DRS;
	data.message.opcode = QPI_WB_I_DATA;
	at = send(w, &trip, begin);
	data_at = send(w, &data, begin + clocks(w, CBOX_DATA));
	rq = request_of(&trip, &at);
	reply = bbox_write_back(w->p, &rq, &data_at);
	done = receive(w, &reply.completion, false, NULL);
	sbox_complete(w->sbox, &trip.message, begin, done, false);
	return done;
}

/* A line that had to go, at `when`: cores that have it lose it, what was written goes home. */
static void drive_out(struct walk *w, uint64_t word, uint64_t when)
{
	uint64_t line = word >> TAGS_LINE_SHIFT, free, from, done;
	struct cbox_asking a = { .line = line, .when = when, .socket = w->rq->socket, .slice = w->slice, .invalidate = true,
				 .evicts = true };
	enum tags_state state = cbox_state(&word);

	signal_pulse(w->c->port, SIG_CBOX_LLC, when, 1, CBOX_LLC_VICTIM | state_flag(state) | kind_flag(w), NULL);
	if (state == TAGS_I)
		return;
	free = entries_take(&w->c->viq, when);
	from = later(free, when);
	if (from > when)
		signal_pulse(w->c->port, SIG_CBOX_NACK, when, 1, CBOX_NACK_SECOND | CBOX_NACK_VIQ_FULL, NULL);
	a.when = from;
	done = cbox_ask_cores(w->p, &a, tags_cores(word), word);
	done = later(done, from + clocks(w, CBOX_DATA));
	signal_pulse(w->c->port, SIG_CBOX_VICTIM, from, 1, 0, NULL);
	if (state == TAGS_M || a.written)
		write_back(w, line, done);
	entries_give(&w->c->viq, done);
	signal_span(w->c->port, SIG_CBOX_VIQ, from, done, 1, 0, NULL);
}

static enum tags_state state_of(unsigned rds)
{
	return rds == QPI_RDS_M ? TAGS_M : rds == QPI_RDS_E ? TAGS_E : TAGS_S;
}

/* The core-valid bit and flags of a line that the core gets in this state. */
static uint64_t held_by_core(const struct walk *w, enum tags_state state)
{
	bool writes = w->want == WANT_OWN || w->want == WANT_ALL;

	if (!w->keeps)
		return 0;
	return UINT64_C(1) << w->rq->core | (state != TAGS_S && w->want != WANT_CODE ? TAGS_OWNED : 0) |
	       (writes ? TAGS_OWNED | TAGS_DIRTY : 0);
}

/* The line comes into the slice. */
static void fill(struct walk *w, enum tags_state state, uint64_t when)
{
	uint64_t old;

	if (!w->keeps && w->brings)
		state = TAGS_M;
	old = tags_fill(&w->s->tags, w->slice, w->rq->line, tags_with(state, held_by_core(w, state)));
	signal_pulse(w->c->port, SIG_CBOX_LLC, when, 1, CBOX_LLC_FILL | state_flag(state) | kind_flag(w), NULL);
	drive_out(w, old, when);
}

/* The core may go on: a go message, and the line from the slice if it has not come straight. */
static void go(struct walk *w, bool line, uint64_t when)
{
	uint64_t ack = cbox_ring(w->s, PRING_AK, slice_stop(w), core_stop(w), PRING_CBOX, when);

	w->reply.when = ack;
	if (line)
		w->reply.when = later(ack, cbox_ring(w->s, PRING_BL, slice_stop(w), core_stop(w), PRING_CBOX,
						     when + clocks(w, CBOX_DATA)));
	w->reply.when += clocks(w, CBOX_CORE_IN);
}

static unsigned opcode_of(const struct walk *w, bool here)
{
	switch (w->want) {
	case WANT_CODE: return MESSAGE_RD_CODE;
	case WANT_OWN: return here ? MESSAGE_INV_I_TO_E : MESSAGE_RD_INV_OWN;
	case WANT_ALL: return MESSAGE_INV_I_TO_E;
	case WANT_FLUSH: return MESSAGE_INV_X_TO_I;
	default: return MESSAGE_RD_DATA;
	}
}

static void set_source(struct walk *w, const struct bbox_reply *r, unsigned home)
{
	w->reply.source = r->peer ? FABRIC_FROM_PEER : home == w->rq->socket ? FABRIC_FROM_LOCAL : FABRIC_FROM_REMOTE;
	w->reply.found = !r->snooped ? FABRIC_NOT_SNOOPED : r->found_modified ? FABRIC_SNOOP_HITM :
			 r->peer || r->shared ? FABRIC_SNOOP_HIT : FABRIC_SNOOP_MISS;
}

/* Asks the line's home; `word` is what the slice has of it, or NULL.  Returns when the slice has the answer. */
static uint64_t fetch(struct walk *w, uint64_t *word)
{
	struct rbox_trip trip = to_home(w, w->rq->line, QPI_HOM_REQ, opcode_of(w, word != NULL));
	uint64_t asked = w->when + clocks(w, CBOX_TAGS), begin = sbox_begin(w->sbox, asked), core_at = 0, data, done;
	struct rbox_times at = send(w, &trip, begin);
	struct bbox_request rq = request_of(&trip, &at);
	struct bbox_reply r = bbox_request(w->p, &rq);
	enum tags_state state = TAGS_E;

	if (begin > asked)
		signal_pulse(w->c->port, SIG_CBOX_NACK, asked, 1, CBOX_NACK_SECOND | CBOX_NACK_S_TABLE, NULL);
	data = receive(w, &r.data, w->keeps, &core_at);
	done = later(data, receive(w, &r.completion, false, NULL));
	sbox_complete(w->sbox, &trip.message, begin, done, r.data.there && !r.completion.there);
	entries_give(&w->c->home, done);
	set_source(w, &r, trip.to);
	if (r.data.there)
		state = state_of(r.data.message.rds);
	if (w->want == WANT_FLUSH)
		return done;
	w->reply.grant = state == TAGS_S ? FABRIC_SHARED : w->want >= WANT_OWN ? FABRIC_MODIFIED : FABRIC_EXCLUSIVE;
	if (word)
		tags_set(word, !w->keeps && w->brings ? TAGS_M : state, held_by_core(w, state));
	else
		fill(w, state, data ? data : done);
	/* A core that waits for the line goes on with it; of what is about the line the slice takes care. */
	go(w, false, r.data.there ? data : done);
	if (core_at && w->want < WANT_OWN)
		w->reply.when = core_at + clocks(w, CBOX_CORE_IN);
	return done;
}

/* Other cores that may have the line and must hear of the request. */
static unsigned others(const struct walk *w, uint64_t word)
{
	unsigned cores = tags_cores(word) & ~(1u << w->rq->core);

	if (w->want == WANT_DATA || w->want == WANT_CODE)
		return word & TAGS_OWNED ? cores : 0;
	return cores;
}

static void ask_others(struct walk *w, uint64_t *word)
{
	struct cbox_asking a = { .line = w->rq->line, .when = w->when + clocks(w, CBOX_TAGS), .socket = w->rq->socket,
				 .slice = w->slice, .invalidate = w->want > WANT_CODE, .code = w->want == WANT_CODE };
	unsigned cores = others(w, *word);

	w->when += clocks(w, CBOX_TAGS);
	if (!cores)
		return;
	w->when = cbox_ask_cores(w->p, &a, cores, *word);
	/* A core that got it exclusive writes it without a word. */
	if (a.written)
		*word |= TAGS_DIRTY;
	w->reply.source = FABRIC_FROM_CORE;
	w->reply.found = *word & TAGS_DIRTY ? FABRIC_SNOOP_HITM : FABRIC_SNOOP_HIT;
}

/* A hit: the slice has all that the request needs. */
static void serve(struct walk *w, uint64_t *word)
{
	unsigned cores = tags_cores(*word);
	enum tags_state state;
	bool shared;

	ask_others(w, word);
	state = cbox_state(word);
	tags_touch(&w->s->tags, w->slice, word);
	if (w->want == WANT_DATA || w->want == WANT_CODE) {
		shared = state == TAGS_S || w->want == WANT_CODE || (cores & ~(1u << w->rq->core));
		tags_set(word, state, (w->keeps ? cores | 1u << w->rq->core : cores) |
			 (!shared && w->keeps ? TAGS_OWNED : 0));
		w->reply.grant = shared ? FABRIC_SHARED : FABRIC_EXCLUSIVE;
	} else {
		tags_set(word, w->brings ? TAGS_M : state, held_by_core(w, state));
		w->reply.grant = FABRIC_MODIFIED;
	}
	go(w, w->keeps && w->want <= WANT_OWN, w->when);
}

static void read_or_own(struct walk *w)
{
	uint64_t *word = tags_find(&w->s->tags, w->slice, w->rq->line);
	enum tags_state state = tags_state(word);
	bool hit = state == TAGS_E || state == TAGS_M || (state == TAGS_S && w->want <= WANT_CODE);
	uint64_t from, done;

	accept(w, !hit);
	from = w->when;
	tell_look_up(w, hit, state);
	if (hit) {
		serve(w, word);
		done = w->when;
	} else {
		if (word)
			ask_others(w, word);
		done = fetch(w, word);
	}
	if (!w->keeps)
		w->reply.grant = FABRIC_NONE;
	retire(w, from, done);
}

/* A modified line of a core: into the slice, or home if that has driven it out meanwhile. */
static void take_write_back(struct walk *w)
{
	uint64_t *word = tags_find(&w->s->tags, w->slice, w->rq->line), from;

	accept(w, false);
	from = w->when;
	tell_look_up(w, word != NULL, tags_state(word));
	w->when += clocks(w, CBOX_TAGS);
	if (word)
		tags_set(word, TAGS_M, tags_cores(*word) & ~(1u << w->rq->core));
	else
		w->when = write_back(w, w->rq->line, w->when);
	go(w, false, w->when);
	retire(w, from, w->when);
}

/* The line leaves all caches (fc): this slice's and its cores', then those of other sockets. */
static void flush(struct walk *w)
{
	uint64_t *word = tags_find(&w->s->tags, w->slice, w->rq->line), from, done;

	accept(w, true);
	from = w->when;
	tell_look_up(w, word != NULL, tags_state(word));
	if (word) {
		enum tags_state state;

		ask_others(w, word);
		state = cbox_state(word);
		tags_set(word, TAGS_I, 0);
		if (state == TAGS_M)
			w->when = write_back(w, w->rq->line, w->when);
	}
	done = fetch(w, NULL);
	go(w, false, done);
	retire(w, from, done);
}

struct p9500_reply cbox_request(struct p9500 *p, const struct p9500_request *rq)
{
	struct p9500_socket *s = &p->socket[rq->socket];
	unsigned slice = tags_slice(&s->tags, rq->line);
	struct walk w = {
		.p = p, .rq = rq, .s = s, .c = &s->cbox[slice], .sbox = &s->sbox[pring_half(slice)], .slice = slice,
		.half = pring_half(slice), .want = kinds[rq->kind].want, .keeps = kinds[rq->kind].keeps,
		.brings = kinds[rq->kind].brings, .reply = { .source = FABRIC_FROM_LLC },
	};

	arrive(&w);
	if (w.want == WANT_WRITE_BACK)
		take_write_back(&w);
	else if (w.want == WANT_FLUSH)
		flush(&w);
	else
		read_or_own(&w);
	return w.reply;
}
