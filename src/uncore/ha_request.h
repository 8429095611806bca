/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of a request through a home agent.
 *
 *	arrives | tracker entry | memory read    | data back ...... | egress | gone
 *	        | (wait if full)| snoops out ........ last response |        |
 *
 * Source snoop: the requester has snooped, responses come here.  Home snoop: the home
 * agent snoops while memory is read.  Directory: it snoops when the line is back, if the
 * line's directory bits say that another socket may have it; caches of its own socket
 * are not in the directory and are always asked for a request from elsewhere.
 */
#include "uncore/ha_core.h"

enum {
	LATE = 60000,		/* ps behind others that are disorder, not a queue */
	SCARCE = 1000000,	/* an entry free since so many ps: there are others */
};

static const uint8_t class_of[16] = {
	[HA_INV_ITOE] = HA_CLASS_INVITOE, [HA_NON_SNP_WR] = HA_CLASS_WRITE, [HA_WB_MTOI] = HA_CLASS_WRITE,
	[HA_WB_MTOE] = HA_CLASS_WRITE, [HA_WB_MTOS] = HA_CLASS_WRITE,
};

static uint64_t class_flag(const struct ha_walk *w, const uint64_t flags[3][2])
{
	return flags[w->class][!w->local];
}

HA_HOT void tell_arrival(const struct ha_walk *w)
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

	if (!HA_TOLD)
		return;
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
HA_HOT uint64_t line_free(struct ha_walk *w, struct ha_line **entry)
{
	struct ha *ha = w->ha;
	uint64_t line = w->rq->line, when = w->rq->when;
	struct ha_line *l = &ha->line[(line ^ line >> 10) % HA_LINES];

	*entry = l;
	if ((l->line & bits_low(56)) != line + 1 || when < l->from || when >= l->until)
		return when;
	ha_pulse(ha, SIG_HA_MEET, when, 0, NULL);
	if (l->line >> 56 != w->rq->socket)
		ha_span(ha, SIG_HA_CONFLICT, when, l->until, HA_CONFLICT_CONFLICT);
	return l->until;
}

/* The request gets an entry of the tracker. */
HA_HOT void enter(struct ha_walk *w, uint64_t when)
{
	struct ha *ha = w->ha;
	bool late = when + LATE < ha->newest;

	ha->newest = ha_later(ha->newest, when);
	w->free = pool_take(&ha->tracker);
	if (w->free <= when)
		w->in = when;
	else if (late)
		w->in = room_find(&ha->room, when, ha->cfg.trackers);
	else
		w->in = w->free;
	ha_pulse(ha, SIG_HA_ENTRY, w->in, w->in > when ? HA_ENTRY_WAIT : HA_ENTRY_BYPASS, NULL);
	if (w->in > when)
		ha_span(ha, SIG_HA_ENTRY_WAIT, when, w->in, 0);
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
	ha_stay(ha, w->local ? HA_Q_TRACKER_LOCAL : HA_Q_TRACKER_REMOTE, w->in, out);
	ha_stay(ha, HA_Q_TRACKER_ALL, w->in, out);
	ha_stay(ha, HA_Q_TRACKER_GP, w->in, out);
	/* A bypass while nothing else is here does not count as use of the backup tracker. */
	if (!bypass || ha->drained > w->rq->when) {
		ha_span(ha, SIG_HA_BT, w->rq->when, out, 0);
		ha_stay(ha, HA_Q_BT, w->rq->when, out);
	}
}

/* The request leaves the tracker at `out`. */
HA_HOT void leave(struct ha_walk *w, struct ha_line *l, bool bypass, uint64_t out)
{
	struct ha *ha = w->ha;

	pool_give(&ha->tracker, ha_later(w->free, out));
	if (w->free + SCARCE > w->in)
		room_stay(&ha->room, w->in, out);
	if (HA_TOLD)
		tell_stay(w, bypass, out);
	ha->drained = ha_later(ha->drained, out);
	*l = (struct ha_line){ .line = (uint64_t)w->rq->socket << 56 | (w->rq->line + 1),
			       .from = w->rq->when, .until = out };
}

HA_HOT struct imc_read read_memory(struct ha_walk *w)
{
	struct ha *ha = w->ha;
	struct imc_read r = imc_read(ha->cfg.imc[w->at.channel], w->at.line, w->in + ha->front);
	struct signal_tag tag = { .addr = w->rq->line << 6 };

	if (!HA_TOLD)
		return r;
	ha_pulse(ha, SIG_HA_BYPASS, r.issued,
		     r.bypass ? HA_BYPASS_TAKEN : HA_BYPASS_NOT_TAKEN, &tag);
	if (!r.bypass)
		ha_pulse(ha, SIG_HA_IMC_READ, r.issued, 0, &tag);
	ha_stay(ha, HA_Q_RPQ_CREDIT + w->at.channel, r.issued, r.credit);
	return r;
}

/* Returns when the write is posted. */
static uint64_t write_memory(struct ha_walk *w, uint64_t when, bool partial)
{
	struct ha *ha = w->ha;
	struct imc_write r = imc_write(ha->cfg.imc[w->at.channel], w->at.line, when, partial);
	struct signal_tag tag = { .addr = w->rq->line << 6 };
	struct depth *credits = &ha->depth[HA_Q_WPQ_CREDIT + w->at.channel];
	uint64_t clock;

	if (!HA_TOLD)
		return r.issued;
	clock = signal_clocks(ha->port->clock, r.issued);
	ha_pulse(ha, SIG_HA_IMC_WRITE, r.issued,
		     partial ? HA_IMC_WRITE_PARTIAL : HA_IMC_WRITE_FULL, &tag);
	if (!r.merged &&
	    depth_listen(credits, ha->port, clock,
			 (int)imc_pending_writes(ha->cfg.imc[w->at.channel]) - 1))
		depth_change(credits, ha->port, clock, 1);
	return r.issued;
}

/*
 * The line's directory entry becomes `want`.  The bits lie in memory: unless a write is
 * under way anyway, that costs one.
 */
static void update_directory(struct ha_walk *w, enum ha_dir is, enum ha_dir want, bool writing,
			     uint64_t when)
{
	struct ha *ha = w->ha;

	if (is == want)
		return;
	ha_dir_set(ha, &w->at, want);
	ha_pulse(ha, SIG_HA_DIR_UPDATE, when,
		     want == HA_DIR_I ? HA_DIR_UPDATE_CLEAR : HA_DIR_UPDATE_SET, NULL);
	if (!writing)
		write_memory(w, when, false);
}

/* What the responses come to. */
struct outcome {
	bool forwarded, written, kept, conflict;
};

HA_HOT bool keeps(unsigned kind)
{
	return kind == HA_RSP_S || kind == HA_RSP_FWD || kind == HA_RSP_FWD_S ||
	       kind == HA_RSP_FWD_S_WB || kind == HA_RSP_S_WB;
}

HA_HOT struct outcome judge(const struct ha_walk *w)
{
	struct outcome o = { 0 };

	for (unsigned i = 0; i < w->responses; i++) {
		unsigned kind = w->response[i].kind;

		if (__builtin_expect(kind == HA_RSP_I, 1))
			continue;
		o.forwarded |= kind >= HA_RSP_FWD && kind <= HA_RSP_FWD_S_WB;
		o.written |= kind >= HA_RSP_FWD_I_WB && kind <= HA_RSP_S_WB;
		o.kept |= keeps(kind);
		o.conflict |= kind == HA_RSP_CNFLT;
	}
	return o;
}

/* Directory mode, once memory has answered at `when`: snoop or not.  Returns the state. */
static enum ha_dir ask_by_directory(struct ha_walk *w, uint64_t when)
{
	struct ha *ha = w->ha;
	enum ha_dir is = ha_dir_get(ha, &w->at);
	bool reads = w->rq->opcode == HA_RD_DATA || w->rq->opcode == HA_RD_CODE ||
		     w->rq->opcode == HA_RD_CUR;
	bool others = is == HA_DIR_A || (is == HA_DIR_S && !reads);

	ha_pulse(ha, SIG_HA_DIR_LOOKUP, when,
		     others ? HA_DIR_LOOKUP_SNP : HA_DIR_LOOKUP_NO_SNP, NULL);
	if (others || !w->local)
		ha_snoop_ask(w, when, !others);
	else if (w->class == HA_CLASS_READ)
		ha_pulse(ha, SIG_HA_DIR_LAT_OPT, when, 0, NULL);
	return is;
}

/* What the directory should say after the request. */
static enum ha_dir directory_after(const struct ha_walk *w, enum ha_dir is,
				   const struct outcome *o)
{
	bool remote_kept = false;

	for (unsigned i = 0; i < w->responses; i++)
		remote_kept |= w->response[i].socket != w->ha->cfg.socket &&
			       keeps(w->response[i].kind);
	if (!w->local && w->rq->opcode != HA_RD_CUR)
		return w->rq->opcode == HA_RD_CODE || o->kept ? HA_DIR_S : HA_DIR_A;
	if (w->responses && !w->ha->here)
		return remote_kept ? HA_DIR_S : HA_DIR_I;
	return is;
}

/* Snoops, and memory when the request wants the line.  Returns when all is known. */
HA_HOT uint64_t gather(struct ha_walk *w, struct imc_read *memory, enum ha_dir *is)
{
	const struct ha_config *cfg = &w->ha->cfg;
	bool coherent = w->rq->opcode != HA_NON_SNP_RD;
	uint64_t asked = w->in, known = w->in + w->ha->front;

	w->response = w->rq->response;
	w->responses = w->rq->responses;
	if (coherent && cfg->snoop == HA_SNOOP_HOME)
		ha_snoop_ask(w, known, false);
	/* The directory bits come with the line, even when nobody wants the line. */
	if (w->class == HA_CLASS_READ || cfg->snoop == HA_SNOOP_DIRECTORY) {
		*memory = read_memory(w);
		known = memory->data;
	}
	if (coherent && cfg->snoop == HA_SNOOP_DIRECTORY) {
		asked = known;
		*is = ask_by_directory(w, known);
	}
	if (!w->responses)
		return known;
	ha_snoop_done(w, asked);
	if (w->class == HA_CLASS_READ && w->snooped > memory->data)
		ha_pulse(w->ha, SIG_HA_SNOOP_LATE, w->snooped,
			     w->local ? HA_SNOOP_LATE_LOCAL : HA_SNOOP_LATE_REMOTE, NULL);
	return ha_later(known, w->snooped);
}

/* Data leaves the home agent, or only the completion. */
HA_HOT void answer(struct ha_walk *w, const struct outcome *o, uint64_t ready,
		   struct ha_reply *reply)
{
	struct ha *ha = w->ha;
	enum ha_message message = HA_SEND_DATA_QPI;

	if (w->class != HA_CLASS_READ || o->forwarded) {
		reply->done = ha_send_done(w, ready);
		return;
	}
	if (w->local) {
		reply->direct = w->rq->direct && !o->written && !o->kept && !o->conflict;
		message = reply->direct ? HA_SEND_DATA_CORE : HA_SEND_DATA_CACHE;
		if (reply->direct)
			ha_pulse(ha, SIG_HA_DIRECT, ready, 0, NULL);
		else if (w->rq->direct)
			ha_pulse(ha, SIG_HA_DIRECT_OVERRIDE, ready, 0, NULL);
	}
	reply->data = reply->done = ha_send(w, message, HA_BL, ready);
}

HA_HOT void walk_read(struct ha_walk *w, struct ha_reply *reply, bool *bypass)
{
	struct ha *ha = w->ha;
	struct imc_read memory = { .data = 0 };
	enum ha_dir is = HA_DIR_I;
	uint64_t known = gather(w, &memory, &is);
	struct outcome o = judge(w);

	if (o.written)
		write_memory(w, w->snooped, false);
	if (ha->cfg.snoop == HA_SNOOP_DIRECTORY && w->rq->opcode != HA_NON_SNP_RD)
		update_directory(w, is, directory_after(w, is, &o), o.written, known);
	answer(w, &o, known + ha->back, reply);
	reply->shared = o.kept;
	reply->peer = o.forwarded;
	reply->ordered = ha_later(w->snooped, w->rq->when);
	*bypass = memory.bypass;
	if (w->class == HA_CLASS_READ)
		ha_span(ha, SIG_HA_PENDING, memory.data, reply->done, w->local ? HA_PENDING_LOCAL : HA_PENDING_REMOTE);
}

HA_HOT void walk_write(struct ha_walk *w, struct ha_reply *reply)
{
	struct ha *ha = w->ha;
	uint64_t posted = write_memory(w, w->in + ha->front, w->rq->partial);

	if (ha->cfg.snoop == HA_SNOOP_DIRECTORY && w->rq->opcode == HA_WB_MTOI && !w->local)
		update_directory(w, ha_dir_get(ha, &w->at), HA_DIR_I, true, posted);
	reply->done = ha_send_done(w, posted + ha->back);
	reply->ordered = w->rq->when;
}

HA_HOT struct ha_reply ha_way(struct ha *ha, const struct ha_request *rq)
{
	struct ha_walk w;
	struct ha_reply reply = { .data = 0 };
	struct ha_line *line;
	bool bypass = false;

	w.ha = ha;
	w.rq = rq;
	w.at = ha_route(&ha->cfg.map, rq->line);
	w.local = rq->socket == ha->cfg.socket;
	w.class = (enum ha_class)class_of[rq->opcode & 15];
	w.responses = 0;
	w.snooped = 0;
	tell_arrival(&w);
	enter(&w, line_free(&w, &line));
	if (w.class == HA_CLASS_WRITE)
		walk_write(&w, &reply);
	else
		walk_read(&w, &reply, &bypass);
	leave(&w, line, bypass, reply.done);
	return reply;
}
