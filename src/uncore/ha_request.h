/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of a request through a home agent.
 *
 *	arrives | tracker entry | memory read    | data back ...... | egress | gone
 *	        | (wait if full)| snoops out ........ last response |        |
 *
 * Source snoop: the requester has snooped, responses come here.  Where the home agent itself
 * asks, see ha_directory.h.
 */
#include "uncore/ha/inside.h"

enum {
	LATE = 60000,		/* ps behind others that are disorder, not a queue */
	SCARCE = 100000,	/* an entry free since so many ps: there are others */
};

static uint64_t class_flag(const struct ha_walk *w, const uint64_t flags[3][2])
{
	return flags[w->class][!ha_local(w)];
}

static void tell_arrival(const struct ha_walk *w)
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

	ha_pulse(ha, SIG_HA_REQUEST, w->rq->when, class_flag(w, flags), &tag);
	ha_pulse(ha, SIG_HA_PACKET, w->rq->when,
		     HA_PACKET_AD | (w->class == HA_CLASS_WRITE ? HA_PACKET_BL : 0), &tag);
	if (!signal_watched(ha->port, SIG_HA_TAD))
		return;
	while (region + 1 < cfg->tads && w->rq->line >= cfg->tad[region])
		region++;
	ha_pulse(ha, SIG_HA_TAD, w->rq->when, HA_TAD_REGION0 << region, &tag);
}

/* Requests for one line follow each other.  Returns when this one may go on. */
HA_HOT uint64_t line_free(const struct ha_walk *w)
{
	struct ha *ha = w->ha;
	const struct ha_line *l = w->line;
	uint64_t when = w->rq->when;

	if (__builtin_expect(l->line != w->rq->line + 1, 1) || when < l->from || when >= l->until)
		return when;
	ha_pulse(ha, SIG_HA_MEET, when, 0, NULL);
	if (l->socket != w->rq->socket)
		ha_span(ha, SIG_HA_CONFLICT, when, l->until, HA_CONFLICT_CONFLICT);
	return l->until;
}

/*
 * What comes in goes first: in its clock no request that waits gets an entry of the tracker.  Only booked while
 * entries are scarce, for else nobody waits.
 */
HA_COLD void come_in(struct ha *ha, uint64_t when, bool data, const struct ha_response *r, unsigned n)
{
	if (data) {
		calendar_book(&ha->in[HA_IN_DATA], &ha->uclk, when, 1);
		calendar_book(&ha->in[HA_IN_WRITE_BACK], &ha->uclk, when, 1);
	}
	for (; n; n--, r++) {
		calendar_book(&ha->in[HA_IN_RESPONSE], &ha->uclk, r->when, 1);
		if (outcomes[r->kind & 15] & HA_WRITTEN)
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

/* No entry of the tracker is free at `when`: the request waits in the backup tracker. */
HA_COLD uint64_t wait_entry(struct ha *ha, uint64_t free, uint64_t when)
{
	uint64_t in = when + LATE < ha->newest ? room_find(&ha->room, when, ha->cfg.trackers) : free, what;

	if (in == when)
		return in;
	while ((what = comes_in(ha, in)) != 0) {
		ha_pulse(ha, SIG_HA_NOT_ISSUED, in, what, NULL);
		in += ha->uclk.period;
	}
	return in;
}

/* The request arrives and gets an entry of the tracker. */
HA_HOT struct ha_walk enter(struct ha *ha, const struct ha_request *rq, enum ha_class class)
{
	struct ha_walk w = {
		.ha = ha, .rq = rq, .class = class, .line = &ha->line[(rq->line ^ rq->line >> 10) % HA_LINES],
	};
	uint64_t when;

	KEEP(w.line);
	if (HA_TOLD)
		tell_arrival(&w);
	when = line_free(&w);
	w.free = entries_take(&ha->tracker, when);
	w.in = __builtin_expect(w.free <= when, 1) ? when : wait_entry(ha, w.free, when);
	ha->newest = ha_later(ha->newest, when);
	ha_note(ha, STAYS_HOME_WAIT, rq->when, w.in);
	ha_pulse(ha, SIG_HA_ENTRY, w.in, w.in > when ? HA_ENTRY_WAIT : HA_ENTRY_BYPASS, NULL);
	if (w.in > when)
		ha_span(ha, SIG_HA_ENTRY_WAIT, when, w.in, 0);
	w.line->line = rq->line + 1;
	w.line->from = rq->when;
	w.line->socket = rq->socket;
	return w;
}

static void tell_stay(const struct ha_walk *w, bool bypass, uint64_t out)
{
	static const uint64_t flags[3][2] = {
		[HA_CLASS_READ] = { HA_TRACKER_READ_LOCAL, HA_TRACKER_READ_REMOTE },
		[HA_CLASS_INVITOE] = { HA_TRACKER_INVITOE_LOCAL, HA_TRACKER_INVITOE_REMOTE },
		[HA_CLASS_WRITE] = { HA_TRACKER_WRITE_LOCAL, HA_TRACKER_WRITE_REMOTE },
	};
	struct ha *ha = w->ha;

	ha_span(ha, SIG_HA_TRACKER, w->in, out, class_flag(w, flags));
	ha_stay(ha, ha_local(w) ? HA_Q_TRACKER_LOCAL : HA_Q_TRACKER_REMOTE, w->in, out);
	ha_stay(ha, HA_Q_TRACKER_ALL, w->in, out);
	ha_stay(ha, HA_Q_TRACKER_GP, w->in, out);
	/* A bypass while nothing else is here does not count as use of the backup tracker. */
	if (!signal_watched(ha->port, SIG_HA_BT) && !signal_watched(ha->port, SIG_HA_BT_NE))
		return;
	if (!bypass || entries_taken(&ha->tracker, w->rq->when)) {
		ha_span(ha, SIG_HA_BT, w->rq->when, out, 0);
		ha_stay(ha, HA_Q_BT, w->rq->when, out);
	}
}

/* The request leaves the tracker at `out`. */
HA_HOT void leave(const struct ha_walk *w, bool bypass, uint64_t out)
{
	struct ha *ha = w->ha;

	if (HA_TOLD)
		tell_stay(w, bypass, out);
	w->line->until = out;
	if (__builtin_expect(w->free + SCARCE > w->in, 0)) {
		room_stay(&ha->room, w->in, out);
		come_in(ha, w->rq->when, w->class == HA_CLASS_WRITE, w->response, w->responses);
		out = ha_later(w->free, out);
	}
	entries_give(&ha->tracker, out);
}

static void tell_read(struct ha *ha, struct ha_place at, uint64_t line, const struct imc_read *r)
{
	struct signal_tag tag = { .addr = line << 6 };

	ha_pulse(ha, SIG_HA_BYPASS, r->issued, r->bypass ? HA_BYPASS_TAKEN : HA_BYPASS_NOT_TAKEN, &tag);
	if (!r->bypass)
		ha_pulse(ha, SIG_HA_IMC_READ, r->issued, 0, &tag);
	ha_stay(ha, HA_Q_RPQ_CREDIT + at.channel, r->issued, r->credit);
}

/* One read of the channel; while nobody listens, only when its data comes is asked for. */
HA_HOT struct ha_read try_read(struct ha *ha, uint64_t line, uint64_t when)
{
	struct ha_place at = ha_place(ha, line);
	struct imc *imc = ha->cfg.imc[at.channel];
	struct imc_read r;

	if (!HA_TOLD)
		return (struct ha_read){ .data = imc_read_data(imc, at.line, when) };
	r = imc_read(imc, at.line, when);
	tell_read(ha, at, line, &r);
	return (struct ha_read){ r.data, r.bypass };
}

/* What memory answers may be damaged: then the home agent asks once more.  The eighth time is always right. */
HA_COLD struct ha_read read_again(struct ha *ha, uint64_t line, struct ha_read r)
{
	for (unsigned tries = 1; tries < 8 && chance_hits(&ha->error); tries++) {
		ha_pulse(ha, SIG_HA_RETRY, r.data, 0, NULL);
		r = try_read(ha, line, r.data + ha->front);
	}
	return r;
}

HA_HOT struct ha_read read_memory(const struct ha_walk *w)
{
	struct ha *ha = w->ha;
	struct ha_read r = try_read(ha, w->rq->line, w->in + ha->front);

	if (__builtin_expect(ha->error.below != 0, 0))
		r = read_again(ha, w->rq->line, r);
	if (HA_TOLD && w->class == HA_CLASS_READ)
		stays_come(ha->stays, STAYS_ANSWERED, ha->port, r.data, 1);
	return r;
}

/* Returns when the write is posted. */
HA_HOT uint64_t write_memory(struct ha *ha, uint64_t line, uint64_t when, bool partial)
{
	struct ha_place at = ha_place(ha, line);
	struct imc_write r = imc_write(ha->cfg.imc[at.channel], at.line, when, partial);
	struct signal_tag tag = { .addr = line << 6 };
	struct depth *credits = &ha->depth[HA_Q_WPQ_CREDIT + at.channel];
	uint64_t clock;

	if (!HA_TOLD)
		return r.issued;
	clock = signal_clocks(ha->port->clock, r.issued);
	ha_pulse(ha, SIG_HA_IMC_WRITE, r.issued,
		     partial ? HA_IMC_WRITE_PARTIAL : HA_IMC_WRITE_FULL, &tag);
	if (!r.merged &&
	    depth_listen(credits, ha->port, clock,
			 (int)imc_pending_writes(ha->cfg.imc[at.channel]) - 1))
		depth_change(credits, ha->port, clock, 1);
	return r.issued;
}

/* The same for what is no request to write: a line that a snoop brought, bits of the directory. */
HA_COLD void write_aside(struct ha *ha, uint64_t line, uint64_t when)
{
	write_memory(ha, line, when, false);
}

/* A line leaves for a core or a CBo on the same rings. */
HA_HOT bool goes_direct(const struct ha_walk *w, unsigned outcome, uint64_t when)
{
	struct ha *ha = w->ha;
	bool wants = w->rq->direct && ha->cfg.direct, direct = wants && !outcome;

	if (direct)
		ha_pulse(ha, SIG_HA_DIRECT, when, 0, NULL);
	else if (wants)
		ha_pulse(ha, SIG_HA_DIRECT_OVERRIDE, when, 0, NULL);
	return direct;
}

/* A read or an InvItoE is over: its data leaves at `may`, if any is to be sent, its completion with it, or
 * when all is known. */
HA_HOT struct ha_reply finish(const struct ha_walk *w, unsigned outcome, bool data, uint64_t may, uint64_t known)
{
	struct ha *ha = w->ha;
	struct ha_reply reply = { .data = 0 };
	enum ha_message message = HA_SEND_DATA_QPI;

	reply.shared = outcome & HA_KEPT;
	reply.peer = outcome & HA_FORWARDED;
	if (!data || reply.peer) {
		reply.done = ha_send_done(w, known + ha->back);
		return reply;
	}
	if (ha_near(w)) {
		reply.direct = goes_direct(w, outcome, may + ha->back);
		message = reply.direct ? HA_SEND_DATA_CORE : HA_SEND_DATA_CACHE;
	}
	reply.data = reply.done = ha_send(w, message, HA_BL, may + ha->back);
	if (may < known) {
		reply.apart = true;
		reply.done = ha_send_done(w, known + ha->back);
	}
	return reply;
}

static void tell_pending(const struct ha_walk *w, uint64_t from, const struct ha_reply *reply)
{
	if (w->class == HA_CLASS_READ)
		ha_span(w->ha, SIG_HA_PENDING, from, reply->data ? reply->data : reply->done,
			ha_local(w) ? HA_PENDING_LOCAL : HA_PENDING_REMOTE);
}

/* Source snoop: memory is read while the responses come in. */
HA_HOT struct ha_reply walk_source(struct ha *ha, const struct ha_request *rq, enum ha_class class)
{
	struct ha_walk w = enter(ha, rq, class);
	uint64_t back = w.in + ha->front;
	struct ha_reply reply;
	bool bypass = false;
	unsigned o;

	w.response = rq->response;
	w.responses = rq->responses;
	if (class == HA_CLASS_READ) {
		const struct ha_read memory = read_memory(&w);

		back = memory.data;
		bypass = memory.bypass;
	}
	o = ha_snoop_done(&w, w.in, back);
	if (__builtin_expect(o & HA_WRITTEN, 0))
		write_aside(ha, rq->line, w.snooped);

	uint64_t known = ha_later(back, w.snooped);

	/* Nobody has it, nearly always: that shall be code of its own. */
	if (__builtin_expect(o == 0, 1))
		reply = finish(&w, 0, class == HA_CLASS_READ, known, known);
	else
		reply = finish(&w, o, class == HA_CLASS_READ, known, known);
	if (HA_TOLD)
		tell_pending(&w, back, &reply);
	leave(&w, bypass, reply.done);
	return reply;
}
