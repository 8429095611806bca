/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request's way through a home agent.
 *
 *	conflict queue, COHQ -> IMT -> directory cache -> snoops -----------> responses -.
 *	                               Zbox read -> directory word -> snoops -----------'|-> line or completion
 *	                                         '--> line in the fill buffer -----------'
 */
#include "base/bits.h"
#include "signal_ids.h"
#include "uncore/poulson/inside.h"

/* A request under way. */
struct walk {
	struct p9500 *p;
	struct bbox *b;
	struct zbox *z;
	const struct bbox_request *rq;
	struct ha_place place;
	unsigned from;			/* socket of the requester */
	unsigned entry;			/* of the IMT */
	uint64_t begin;			/* has it */
	uint64_t done;			/* all that the request waits for is there */
	uint64_t last;			/* the entry is free again */
	uint64_t read;			/* the line and its directory word are in a fill buffer */
	unsigned word;			/* the directory's, before */
	struct signal_tag tag;
	struct bbox_reply reply;
	bool local_shares, peer_shares;	/* who keeps the line: the socket's own cache, others */
	bool written;			/* memory was written, with the directory */
};

static uint64_t clocks(const struct walk *w, unsigned n)
{
	return (uint64_t)n * w->b->uclk.period;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_remote(const struct walk *w)
{
	return w->from != w->rq->socket;
}

/* A packet from the router; request: it becomes a live transaction. */
static void tell_in(const struct bbox *b, unsigned socket, const struct message *m, bool request, uint64_t when)
{
	bool local = message_socket(m->requester) == socket;
	struct signal_tag tag;

	if (!b->port->any)
		return;
	tag = message_tag(m);
	signal_pulse(b->port, SIG_BBOX_IN, when, 1, local ? BBOX_IN_RHNID | BBOX_IN_RSNID : 0, &tag);
	if (request)
		signal_pulse(b->port, SIG_BBOX_ENTER, when, 1, BBOX_ENTER_PACKET | (local ? BBOX_ENTER_LOCAL : 0), &tag);
	signal_pulse(b->port, SIG_BBOX_PASS, when, 1, BBOX_PASS_SUCCESS, NULL);
}

static void tell_out(const struct walk *w, const struct message *m, uint64_t when)
{
	unsigned socket = w->rq->socket;
	struct signal_tag tag;

	if (!w->b->port->any)
		return;
	tag = message_tag(m);
	signal_pulse(w->b->port, SIG_BBOX_OUT, when, 1,
		     (message_socket(m->to) == socket ? BBOX_OUT_DNID : 0) |
		     (message_socket(m->requester) == socket ? BBOX_OUT_RHNID : 0), &tag);
}

/* An entry of a queue of the arbiter, which holds some until *held. */
static void tell_queue(const struct walk *w, unsigned queue, uint64_t insert, uint64_t level, uint64_t *held, uint64_t from,
		       uint64_t to)
{
	struct bbox *b = w->b;
	bool empty = *held <= from;

	*held = later(*held, to);

	signal_pulse(b->port, SIG_BBOX_INSERT, from, 1, insert | (empty ? BBOX_INSERT_EMPTY : 0), &w->tag);
	_Static_assert(BBOX_INSERT_CFL0 == BBOX_REMOVE_CFL0 << 1, "insert has one more flag, the first");
	signal_pulse(b->port, SIG_BBOX_REMOVE, to, 1, insert >> 1, &w->tag);
	signal_span(b->port, SIG_BBOX_ARB, from, to, 1, level, &w->tag);
	depth_stay(&b->queue[queue], b->port, from, to);
}

static void tell_conflict(const struct walk *w, unsigned entry, uint64_t from, uint64_t to)
{
	struct bbox *b = w->b;

	/* That the queue is not empty is told once of clocks that several wait in. */
	if (to > b->held[BBOX_QUEUES + entry])
		signal_span(b->port, SIG_BBOX_ARB, later(from, b->held[BBOX_QUEUES + entry]), to, 1, BBOX_ARB_NE_CFL, &w->tag);
	tell_queue(w, BBOX_ANY_CFL, BBOX_INSERT_CFL0 << entry, BBOX_ARB_CFL, &b->held[BBOX_QUEUES + entry], from, to);
	depth_stay(&b->conflict[entry], b->port, from, to);
	signal_pulse(b->port, SIG_BBOX_PASS, from, 1, BBOX_PASS_REJECT, NULL);
}

/* Waits for the entry of its line, then for a free one; the request has its own from w->begin on. */
static void enter(struct walk *w)
{
	struct bbox *b = w->b;
	uint64_t line = w->rq->message.line;
	uint64_t when = w->rq->at.tail + clocks(w, BBOX_IN);
	bool popped = false;
	int other;

	when += calendar_book(&b->pipe, &b->uclk, when, 1);
	while ((other = table_find(&b->imt, line, when)) >= 0) {
		tell_conflict(w, (unsigned)other, when, b->imt.until[other]);
		when = b->imt.until[other];
		popped = true;
	}
	w->entry = table_pick(&b->imt, when);
	if (b->imt.until[w->entry] > when) {
		tell_queue(w, BBOX_COHQ, BBOX_INSERT_COHQ, BBOX_ARB_COHQ, &b->held[BBOX_COHQ], when, b->imt.until[w->entry]);
		signal_pulse(b->port, SIG_BBOX_PASS, when, 1, BBOX_PASS_REJECT, NULL);
		when = b->imt.until[w->entry];
	}
	w->begin = w->last = when;
	b->requests++;
	signal_pulse(b->port, SIG_BBOX_IMT, when, 1, popped ? BBOX_IMT_POP : BBOX_IMT_ALLOC, &w->tag);
}

static void leave(struct walk *w)
{
	struct bbox *b = w->b;
	bool local = !is_remote(w);
	uint64_t last = later(w->last, w->begin + clocks(w, 1));

	table_take(&b->imt, w->entry, w->rq->message.line, last);
	if (!b->port->any)
		return;
	signal_span(b->port, SIG_BBOX_ENTRIES, w->begin, last, 1, 0, &w->tag);
	depth_stay(&b->entries, b->port, w->begin, last);
	signal_span(b->port, SIG_BBOX_LIVE, w->rq->at.tail, w->done, 1, BBOX_LIVE_PACKET | (local ? BBOX_LIVE_LOCAL : 0), &w->tag);
	signal_pulse(b->port, SIG_BBOX_LEAVE, w->done, 1, BBOX_LEAVE_PACKET | (local ? BBOX_LEAVE_LOCAL : 0), &w->tag);
}

/* A command to the Zbox; returns when it is acknowledged. */
static uint64_t command(struct walk *w, enum zbox_command c, uint64_t when)
{
	struct bbox *b = w->b;
	struct zbox_line line = { .channel = w->place.channel, .buffer = w->entry, .line = w->place.line };
	struct zbox_answer a = zbox_command(w->z, c, &line, when);
	struct signal_tag tag = { .opc = (uint32_t)c, .addr = w->tag.addr };
	uint64_t ack = c == ZBOX_F2B ? when + clocks(w, 1) : a.ack;

	b->reads += c == ZBOX_READ;
	b->writes += c != ZBOX_READ && c != ZBOX_F2B;
	signal_pulse(b->port, SIG_BBOX_COMMAND, when, 1, 0, &tag);
	signal_span(b->port, SIG_BBOX_Z, when, ack, 1, 0, &tag);
	/* No F2B is acknowledged; the monitors make one up, a clock later (5.4.3.7). */
	signal_pulse(b->port, SIG_BBOX_Z_ACK, ack, 1, BBOX_Z_ACK_FIRST | (c == ZBOX_F2B ? 0 : BBOX_Z_ACK_ALL), &tag);
	return a.ack;
}

/* What the directory cache's matches compare (tables 5-28, 5-30). */
static void tell_dc_read(const struct walk *w, int way, unsigned word, bool second, uint64_t when)
{
	uint64_t line = w->rq->message.line;
	struct signal_tag tag = w->tag;

	tag.addr = (uint64_t)(way >= 0) | (way >= 0 ? UINT64_C(2) << way : 0) | (line >> 3 & 1) << 22 |
		   (uint64_t)(word & 0xfff) << 23 | (line & 1) << 35 | (uint64_t)second << 36;
	signal_pulse(w->b->port, SIG_BBOX_DC, when, 1, second ? BBOX_DC_READ2 : BBOX_DC_READ, &tag);
}

static void tell_dc_write(const struct walk *w, unsigned way, unsigned word, bool snoops, uint64_t when)
{
	uint64_t line = w->rq->message.line;
	struct signal_tag tag = w->tag;

	tag.addr = UINT64_C(1) << way | (uint64_t)(word & 0xfff) << 16 | (line & 1) << 28 | (line >> 3 & 1) << 29 |
		   UINT64_C(1) << 30 | (uint64_t)snoops << 36;
	signal_pulse(w->b->port, SIG_BBOX_DC, when, 1, BBOX_DC_WRITE, &tag);
}

static uint64_t directory_line(const struct walk *w)
{
	return w->rq->message.line - w->b->map.base;
}

/* The word in cache and memory becomes `word`. */
static void update(struct walk *w, unsigned word, uint64_t when)
{
	struct dcache *d = &w->b->dc;
	uint64_t line = directory_line(w);
	int way = dcache_find(d, line);
	bool evicted = false;

	dcache_put(d, line, word);
	if (!word) {
		if (way >= 0)
			dcache_drop(d, line, way);
		return;
	}
	if (way < 0) {
		way = (int)dcache_alloc(d, line, &evicted);
		signal_pulse(w->b->port, SIG_BBOX_DC, when, 1, BBOX_DC_ALLOC, &w->tag);
	}
	if (evicted)
		signal_pulse(w->b->port, SIG_BBOX_DC, when, 1, BBOX_DC_EVICT, &w->tag);
	if (signal_watched(w->b->port, SIG_BBOX_DC))
		tell_dc_write(w, (unsigned)way, word, w->reply.snooped, when);
}

static unsigned snoop_opcode(unsigned request)
{
	switch (request) {
	case MESSAGE_RD_CODE: return QPI_SNP_CODE;
	case MESSAGE_RD_DATA: return QPI_SNP_DATA;
	case MESSAGE_RD_INV_OWN: return QPI_SNP_INV_OWN;
	case MESSAGE_INV_X_TO_I: return MESSAGE_SNP_INV_X_TO_I;
	default: return QPI_SNP_INV_I_TO_E;
	}
}

static bool invalidates(const struct walk *w)
{
	return w->rq->message.opcode >= MESSAGE_RD_INV_OWN;
}

static void tell_forward(const struct walk *w, unsigned responder, uint64_t when)
{
	bool here = responder == w->rq->socket;
	uint64_t flag = is_remote(w) ? (here ? BBOX_FORWARD_REM_LOC : BBOX_FORWARD_REM_REM) :
			here ? BBOX_FORWARD_LOC_LOC : BBOX_FORWARD_LOC_REM;

	signal_pulse(w->b->port, SIG_BBOX_FORWARD, when, 1, flag, &w->tag);
}

/* The response of a socket's caches, and what comes with it. */
static void take_answer(struct walk *w, unsigned socket, const struct cbox_answer *a, uint64_t sent)
{
	bool here = socket == w->rq->socket, local = !is_remote(w);
	struct bbox *b = w->b;

	b->responses++;
	tell_in(b, w->rq->socket, &a->message, false, a->at.tail);
	signal_pulse(b->port, SIG_BBOX_RESPONSE, a->at.tail, 1, here ? BBOX_RESPONSE_LOCAL : BBOX_RESPONSE_REMOTE, &w->tag);
	signal_pulse(b->port, SIG_BBOX_LEAVE, a->at.tail, 1, BBOX_LEAVE_SNOOP | (local ? BBOX_LEAVE_LOCAL : 0), &w->tag);
	signal_span(b->port, SIG_BBOX_LIVE, sent, a->at.tail, 1, BBOX_LIVE_SNOOP | (local ? BBOX_LIVE_LOCAL : 0), &w->tag);
	w->done = later(w->done, a->at.tail);
	if (a->forwards) {
		tell_forward(w, socket, a->at.tail);
		w->reply.peer = true;
		w->reply.data = (struct bbox_packet){ true, a->data, a->data_at };
	}
	if (a->writes) {
		tell_in(b, w->rq->socket, &a->written, false, a->written_at.tail);
		w->reply.found_modified = true;
		w->written = true;
		w->done = later(w->done, a->written_at.tail);
	}
	if (a->message.opcode == MESSAGE_RSP_S || a->message.opcode == MESSAGE_RSP_FWD_S ||
	    a->message.opcode == MESSAGE_RSP_FWD_S_WB) {
		w->local_shares |= here;
		w->peer_shares |= !here;
	}
	if (a->data.rds == QPI_RDS_M && a->forwards)
		w->reply.found_modified = true;
}

/* The caches of one socket are asked at `when`. */
static void snoop(struct walk *w, unsigned socket, uint64_t when)
{
	struct p9500 *p = w->p;
	const struct bbox_request *rq = w->rq;
	unsigned sbox = pring_half(tags_slice(&p->socket[socket].tags, rq->message.line));
	struct rbox_trip trip = {
		.message = { .line = rq->message.line, .class = QPI_SNP, .opcode = (uint8_t)snoop_opcode(rq->message.opcode),
			     .to = message_sbox(socket, sbox), .requester = rq->message.requester },
		.from = (uint8_t)rq->socket, .from_port = p9500_port_of_bbox(rq->home), .to = (uint8_t)socket,
		.to_port = p9500_port_of_sbox(sbox),
	};
	struct cbox_probe probe = { .message = trip.message, .socket = socket, .home = (uint8_t)rq->socket,
				    .home_port = trip.from_port };
	uint64_t sent = when + calendar_book(&w->b->out, &w->b->uclk, when, 1);
	struct cbox_answer a;

	w->b->snoops++;
	w->reply.snooped = true;
	tell_out(w, &trip.message, sent);
	signal_pulse(w->b->port, SIG_BBOX_SNOOP, sent, 1,
		     socket == rq->socket ? BBOX_SNOOP_LOCAL : BBOX_SNOOP_REMOTE, &w->tag);
	signal_pulse(w->b->port, SIG_BBOX_ENTER, sent, 1, BBOX_ENTER_SNOOP | (is_remote(w) ? 0 : BBOX_ENTER_LOCAL), &w->tag);
	probe.at = rbox_send(p->router, &p->wires, &trip, sent);
	a = cbox_probe(p, &probe);
	take_answer(w, socket, &a, sent);
}

/* Sockets that may have the line by the directory, but the requester. */
static unsigned others(const struct walk *w)
{
	unsigned sockets = w->word & DCACHE_SOCKETS & ~(1u << w->from);

	/* Who only reads need not ask sharers: memory is up to date. */
	return invalidates(w) || dcache_state(w->word) == DCACHE_E ? sockets : 0;
}

static void snoop_all(struct walk *w, uint64_t known)
{
	uint64_t looked = w->begin + clocks(w, BBOX_DC);
	unsigned remote = others(w);

	if (remote || is_remote(w))
		signal_pulse(w->b->port, SIG_BBOX_DC, looked, 1, BBOX_DC_NEED_SNOOPS, &w->tag);
	/* No directory says what the socket's own caches have. */
	if (is_remote(w))
		snoop(w, w->rq->socket, looked);
	for (; remote; remote &= remote - 1) {
		if (!is_remote(w))
			signal_pulse(w->b->port, SIG_BBOX_DC, known, 1, BBOX_DC_SNP_LOC, &w->tag);
		snoop(w, (unsigned)__builtin_ctz(remote), known);
	}
}

/* Directory cache and memory are looked up at once; snoops go out when the word is known. */
static void look_up(struct walk *w)
{
	struct bbox *b = w->b;
	uint64_t looked = w->begin + clocks(w, BBOX_DC), known = looked, line = directory_line(w);
	int way = dcache_find(&b->dc, line);

	w->word = dcache_get(&b->dc, line);
	w->read = command(w, ZBOX_READ, looked);
	if (way < 0)
		known = w->read + clocks(w, BBOX_DC);
	w->done = known;
	if (signal_watched(b->port, SIG_BBOX_DC)) {
		tell_dc_read(w, way, way < 0 ? 0 : w->word, false, looked);
		if (way < 0 && w->word)
			tell_dc_read(w, way, w->word, true, known);
	}
	if (way < 0 && w->word)
		update(w, w->word, known);
	snoop_all(w, known);
	signal_pulse(b->port, SIG_BBOX_DC, w->begin, 1, BBOX_DC_INSERT, &w->tag);
	signal_pulse(b->port, SIG_BBOX_DC, known, 1, BBOX_DC_REMOVE, &w->tag);
	signal_span(b->port, SIG_BBOX_DC, w->begin, known, 1, BBOX_DC_STAY, &w->tag);
	depth_stay(&b->dc_ne, b->port, w->begin, known);
}

/* What the directory has to say from now on; the socket's own caches are not in it. */
static unsigned word_after(const struct walk *w)
{
	unsigned me = is_remote(w) ? 1u << w->from : 0, rest = w->word & DCACHE_SOCKETS & ~(1u << w->from);

	if (w->rq->message.opcode == MESSAGE_INV_X_TO_I)
		return 0;
	if (invalidates(w))
		return dcache_word(DCACHE_E, me);
	/* An owner that did not keep the line is one no longer. */
	if (dcache_state(w->word) == DCACHE_E && !w->peer_shares)
		rest = 0;
	if (rest || w->local_shares || w->rq->message.opcode == MESSAGE_RD_CODE)
		return dcache_word(DCACHE_S, me | rest);
	return dcache_word(DCACHE_E, me);
}

static bool shared_after(const struct walk *w)
{
	unsigned rest = w->word & DCACHE_SOCKETS & ~(1u << w->from);

	if (invalidates(w))
		return false;
	return w->local_shares || w->peer_shares || (dcache_state(w->word) == DCACHE_S && rest) ||
	       w->rq->message.opcode == MESSAGE_RD_CODE;
}

/* A packet to the requester's Sbox; one that finds the port to the router in use waits in a queue. */
static struct bbox_packet respond(struct walk *w, struct message m, uint64_t when)
{
	unsigned home = w->rq->home, from = w->rq->socket;
	unsigned queue = m.class == QPI_DRS ? BBOX_BRAQ : BBOX_NBRAQ;
	struct rbox_trip trip = { .from = (uint8_t)from, .from_port = p9500_port_of_bbox(home), .to = (uint8_t)w->from };
	uint64_t ready = when + clocks(w, BBOX_BACK), wait;
	struct bbox_packet out = { .there = true };

	m.line = w->rq->message.line;
	m.to = m.requester = w->rq->message.requester;
	trip.message = out.message = m;
	trip.to_port = p9500_port_of_sbox(m.to & 1);
	wait = calendar_book(&w->b->out, &w->b->uclk, ready, message_flits(&m));
	out.at = rbox_send(w->p->router, &w->p->wires, &trip, ready + wait);
	if (out.at.credit > ready)
		tell_queue(w, queue, BBOX_INSERT_BRAQ << (queue - BBOX_BRAQ), BBOX_ARB_BRAQ << (queue - BBOX_BRAQ),
			   &w->b->held[queue], ready, out.at.credit);
	tell_out(w, &m, out.at.credit);
	w->last = later(w->last, out.at.credit);
	return out;
}

/* Is the requester to have the line from memory? */
static bool sends_line(const struct walk *w)
{
	return w->rq->message.opcode <= MESSAGE_RD_INV_OWN && !w->reply.peer;
}

static void answer(struct walk *w)
{
	uint64_t when = w->done;

	w->reply.shared = shared_after(w);
	if (sends_line(w)) {
		struct message m = { .class = QPI_DRS, .opcode = QPI_DATA_C_CMP,
				     .rds = w->reply.shared ? QPI_RDS_S : QPI_RDS_E };

		when = later(when, w->read);
		w->reply.data = respond(w, m, when);
	} else {
		struct message m = { .class = QPI_NDR, .opcode = w->reply.peer ? QPI_CMP : QPI_GNT_CMP };

		w->reply.completion = respond(w, m, when);
	}
	w->done = w->reply.completion.there ? w->reply.completion.at.credit : w->reply.data.at.credit;
}

/* Memory gets what a cache has written, and the directory's new word; of the line itself a copy is in the fill buffer. */
static void write_memory(struct walk *w)
{
	unsigned word = word_after(w);
	uint64_t from = later(w->read, w->done);

	if (sends_line(w))
		w->read = from + clocks(w, ZBOX_F2B_CLOCKS + 1);
	if (w->written)
		w->last = later(w->last, command(w, ZBOX_WRITE, from));
	else if (word != w->word)
		w->last = later(w->last, command(w, sends_line(w) ? ZBOX_MEGAOP1 : ZBOX_MEGAOP2, from));
	else if (sends_line(w))
		w->last = later(w->last, command(w, ZBOX_F2B, from));
	if (word != w->word)
		update(w, word, from);
}

static struct walk start(struct p9500 *p, const struct bbox_request *rq)
{
	struct p9500_socket *s = &p->socket[rq->socket];
	struct walk w = {
		.p = p, .b = &s->bbox[rq->home], .z = &s->zbox[rq->home], .rq = rq,
		.from = message_socket(rq->message.requester), .tag = message_tag(&rq->message),
	};

	w.place = ha_route(&w.b->map, rq->message.line);
	tell_in(w.b, rq->socket, &rq->message, true, rq->at.tail);
	enter(&w);
	return w;
}

struct bbox_reply bbox_request(struct p9500 *p, const struct bbox_request *rq)
{
	struct walk w = start(p, rq);

	look_up(&w);
	write_memory(&w);
	answer(&w);
	leave(&w);
	return w.reply;
}

struct bbox_reply bbox_write_back(struct p9500 *p, const struct bbox_request *rq, const struct rbox_times *data)
{
	struct walk w = start(p, rq);
	struct message m = { .class = QPI_NDR, .opcode = QPI_CMP };
	struct message line = rq->message;

	line.class = QPI_DRS;
	line.opcode = QPI_WB_I_DATA;
	tell_in(w.b, rq->socket, &line, false, data->tail);
	w.word = dcache_get(&w.b->dc, directory_line(&w));
	w.done = command(&w, ZBOX_WRITE, later(w.begin + clocks(&w, BBOX_DC), data->tail));
	w.last = w.done;
	/* The line's directory word goes with it. */
	if (is_remote(&w) && w.word)
		update(&w, 0, w.begin);
	w.reply.completion = respond(&w, m, w.done);
	w.done = w.reply.completion.at.credit;
	leave(&w);
	return w.reply;
}
