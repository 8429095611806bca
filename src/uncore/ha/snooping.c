/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests for which the home agent asks the other caches, and what it remembers of them.
 *
 * Home snoop: it asks all while memory is read.  Directory: two bits of every line in memory come with
 * its data and say whether another socket may have it; only then it asks.  Caches of its own
 * socket are not in these bits: for a request from elsewhere they are asked while memory is read.  The HitME cache knows, for
 * lines that caches pass around, who has them, so that these are asked at once and nobody else.
 * With OSB the home agent asks all ahead of the directory as long as little is under way; data that
 * turns out to need no answer does not wait for any (EDR).
 */
#include "uncore/ha/snooping.h"

#include "uncore/ha/answer.h"
#include "uncore/ha/egress.h"
#include "uncore/ha/memory.h"
#include "uncore/ha/responses.h"
#include "uncore/ha/tracker.h"

/* A request in directory mode. */
struct ha_asked {
	struct ha_read memory;
	uint64_t may, known;	/* data may go; all is known */
	unsigned targets;	/* nodes that were asked */
	enum ha_dir is;		/* what the directory says; of an entry of the HitME cache HA_DIR_A */
	struct hitme_entry *entry;
	bool early;		/* asked before the directory was known */
	bool unasked;		/* shared by some who were not */
};

static bool own(const struct ha_transaction *w)
{
	return w->rq->opcode == HA_RD_INV_OWN || w->class == HA_CLASS_INVITOE;
}

static uint64_t number(const struct ha_transaction *w)
{
	struct ha_place at = ha_place(w->ha, w->rq->line);

	return at.line * w->ha->cfg.map.channels + at.channel;
}

static unsigned node(unsigned socket)
{
	return 1u << socket;
}

/* All nodes but who asks. */
static unsigned others(const struct ha_transaction *w)
{
	return ((2u << w->ha->cfg.peers) - 1) & ~node(w->rq->socket);
}

/* The HitME cache is looked up, because of a message of the kind that the flag says. */
static struct hitme_entry *look(const struct ha_transaction *w, uint64_t flag, uint64_t when, const bool observed)
{
	struct ha *ha = w->ha;
	struct hitme_entry *e = hitme_find(&ha->hitme, number(w));
	struct signal_tag tag = { .addr = w->rq->line << 6, .opc = w->rq->opcode };

	if (!ha->hitme.set)
		return NULL;
	ha_pulse(ha, SIG_HA_HITME_LOOKUP, when, flag, &tag, observed);
	if (!e)
		return NULL;
	ha_pulse(ha, SIG_HA_HITME_HIT, when, flag, &tag, observed);
	if (observed)
		signal_pulse(ha->port, SIG_HA_HITME_PRESENT, when, (unsigned)__builtin_popcount(e->present), flag,
			     &tag);
	return e;
}

/*
 * The line's directory entry becomes `want`.  The bits lie in memory: unless a write is
 * under way anyway, that costs one.
 */
static void update_directory(const struct ha_transaction *w, enum ha_dir is, enum ha_dir want, bool writing, uint64_t when,
			     const bool observed)
{
	struct ha *ha = w->ha;

	if (is == want)
		return;
	ha_dir_set(ha, number(w), want);
	ha_pulse(ha, SIG_HA_DIR_UPDATE, when, want == HA_DIR_I ? HA_DIR_UPDATE_CLEAR : HA_DIR_UPDATE_SET, NULL,
		 observed);
	if (!writing)
		ha_write_aside(ha, w->rq->line, when, observed);
}

/* Which look-up a snoop response makes; 0: none. */
static uint64_t response_flag(const struct ha_transaction *w, unsigned kind)
{
	switch (kind) {
	case HA_RSP_FWD: return 0;
	case HA_RSP_FWD_I:
	case HA_RSP_FWD_I_WB: return ha_local(w) ? HA_HITME_LOOKUP_RSPFWDI_LOCAL : HA_HITME_LOOKUP_RSPFWDI_REMOTE;
	case HA_RSP_FWD_S:
	case HA_RSP_FWD_S_WB: return HA_HITME_LOOKUP_RSPFWDS;
	default: return HA_HITME_LOOKUP_RSP;
	}
}

/* Who may have a line that one cache has forwarded to share it: without an entry yet, all who were
 * not asked as well, if the directory knew of some. */
static uint8_t sharers(const struct ha_transaction *w, const struct ha_asked *d)
{
	unsigned present = d->is == HA_DIR_I ? 0 : others(w) & ~d->targets;

	for (unsigned i = 0; i < w->responses; i++)
		if (ha_keeps(w->response[i].kind))
			present |= node(w->response[i].socket);
	return (uint8_t)(present | node(w->rq->socket));
}

/* A response changes what the HitME cache knows: see the masks ALLOCS and INVALS of its events. */
static struct hitme_entry *learn(const struct ha_transaction *w, const struct ha_asked *d, const struct ha_response *r,
				 const bool observed)
{
	uint64_t flag = response_flag(w, r->kind);
	struct hitme_entry *e = d->entry;

	if (!flag)
		return e;
	e = look(w, flag, r->when, observed);
	if (flag == HA_HITME_LOOKUP_RSP) {
		if (e && !ha_keeps(r->kind) && r->kind != HA_RSP_CNFLT)
			e->present &= (uint8_t)~node(r->socket);
	} else if (flag == HA_HITME_LOOKUP_RSPFWDS) {
		if (!e) {
			e = hitme_add(&w->ha->hitme, number(w));
			e->present = sharers(w, d);
			e->shared = true;
		}
	} else if (e && ha_local(w)) {
		hitme_drop(&w->ha->hitme, e);
		e = NULL;
	} else if (!e) {
		e = hitme_add(&w->ha->hitme, number(w));
	}
	return e;
}

/* All responses are in. */
static void learn_all(const struct ha_transaction *w, struct ha_asked *d, unsigned o, const bool observed)
{
	struct hitme_entry *e;

	if (!w->ha->hitme.set || w->rq->opcode == HA_NON_SNP_RD)
		return;
	for (unsigned i = 0; i < w->responses; i++)
		d->entry = learn(w, d, &w->response[i], observed);
	e = d->entry;
	if (!e || w->rq->opcode == HA_RD_CUR)
		return;
	if (own(w)) {
		e->present = (uint8_t)node(w->rq->socket);
		e->shared = false;
		return;
	}
	e->present |= (uint8_t)node(w->rq->socket);
	e->shared = e->shared || (o & HA_KEPT) || w->rq->opcode == HA_RD_CODE;
}

/* What the directory should say after a request without an entry in the HitME cache. */
static enum ha_dir directory_after(const struct ha_transaction *w, const struct ha_asked *d, unsigned o)
{
	const unsigned home = node(w->ha->cfg.socket);
	bool asked = d->targets & ~home, remote_kept = false;

	for (unsigned i = 0; i < w->responses; i++)
		remote_kept |= w->response[i].socket != w->ha->cfg.socket && ha_keeps(w->response[i].kind);
	if (own(w))
		return ha_local(w) ? HA_DIR_I : HA_DIR_A;
	if (w->rq->opcode == HA_RD_CUR)		/* nobody's copy changes */
		return asked && !remote_kept && !(o & HA_FORWARDED) && ha_local(w) ? HA_DIR_I : d->is;
	if (!ha_local(w))
		return w->rq->opcode == HA_RD_CODE || (o & HA_KEPT) || d->is == HA_DIR_S ? HA_DIR_S : HA_DIR_A;
	if (asked)
		return remote_kept ? HA_DIR_S : HA_DIR_I;
	return d->is;
}

/* Ask these nodes, which were not asked yet, at `when`; adds to w's responses. */
static void ask(struct ha_transaction *w, struct ha_asked *d, unsigned targets, uint64_t when, const bool observed)
{
	struct ha *ha = w->ha;

	d->targets |= targets;
	if (!targets || !ha->world.snoop)
		return;
	for (unsigned left = targets; left; left &= left - 1)
		when = ha_send(w, HA_SEND_SNOOP, HA_AD, when, observed);
	w->responses += ha->world.snoop(ha->world.ctx, ha, w->rq, targets, when, ha->own + w->responses);
	w->response = ha->own;
}

/* The responses of these nodes are in. */
static uint64_t answered(const struct ha_transaction *w, unsigned nodes)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < w->responses; i++)
		if (node(w->response[i].socket) & nodes)
			last = ha_later(last, w->response[i].when);
	return last;
}

/* The line has an entry: ask those who have it; memory's own bits are not needed. */
static void ask_present(struct ha_transaction *w, struct ha_asked *d, const bool observed)
{
	bool reads = !own(w);

	d->is = HA_DIR_A;
	ask(w, d, reads && d->entry->shared ? 0 : d->entry->present & others(w), w->in + w->ha->front, observed);
	if (w->class == HA_CLASS_READ)
		d->memory = ha_read_memory(w, observed);
}

/* So little is under way that nobody minds a few snoops more. */
static bool quiet(const struct ha *ha, const struct ha_transaction *w)
{
	return entries_taken(&ha->tracker, w->in) < ha->cfg.osb;
}

static void tell_osb(const struct ha_transaction *w, const struct ha_asked *d, bool needed, const bool observed)
{
	static const uint64_t flags[3][2] = {
		[HA_CLASS_READ] = { HA_OSB_READS_LOCAL, HA_OSB_REMOTE },
		[HA_CLASS_INVITOE] = { HA_OSB_INVITOE_LOCAL, HA_OSB_REMOTE },
	};
	uint64_t flag = d->early ? ha_class_flag(w, flags) : HA_OSB_CANCELLED;

	if (!w->ha->cfg.osb)
		return;
	if (d->early && needed && (!ha_local(w) || w->class == HA_CLASS_READ))
		flag |= ha_local(w) ? HA_OSB_READS_LOCAL_USEFUL : HA_OSB_REMOTE_USEFUL;
	ha_pulse(w->ha, SIG_HA_OSB, w->in + w->ha->front, flag, NULL, observed);
}

/* Nothing is known of the line but what memory says.  The bits come with the data, even when nobody wants these. */
static void ask_directory(struct ha_transaction *w, struct ha_asked *d, const bool observed)
{
	struct ha *ha = w->ha;
	bool needed;

	d->early = ha->cfg.osb && quiet(ha, w);
	ask(w, d, d->early ? others(w) : others(w) & node(ha->cfg.socket), w->in + ha->front, observed);
	d->memory = ha_read_memory(w, observed);
	d->is = ha_dir_get(ha, number(w));
	needed = d->is == HA_DIR_A || (d->is == HA_DIR_S && own(w));
	ha_pulse(ha, SIG_HA_DIR_LOOKUP, d->memory.data, needed ? HA_DIR_LOOKUP_SNP : HA_DIR_LOOKUP_NO_SNP, NULL,
		 observed);
	if (needed)
		ask(w, d, others(w) & ~d->targets, d->memory.data, observed);
	tell_osb(w, d, needed, observed);
	if (ha_local(w) && d->is == HA_DIR_I && w->class == HA_CLASS_READ)
		ha_pulse(ha, SIG_HA_DIR_LAT_OPT, d->memory.data, 0, NULL, observed);
	d->may = needed ? UINT64_MAX : ha_later(d->memory.data, answered(w, node(ha->cfg.socket)));
}

/* Data that need not wait for all the snoops that were sent ahead. */
static void tell_early(const struct ha_transaction *w, const struct ha_asked *d, const bool observed)
{
	uint64_t flag = HA_OSB_EDR_READS_LOCAL_I;

	if (d->is == HA_DIR_S)
		flag = ha_local(w) ? HA_OSB_EDR_READS_LOCAL_S : HA_OSB_EDR_READS_REMOTE_S;
	else if (!ha_local(w))
		flag = HA_OSB_EDR_READS_REMOTE_I;
	ha_pulse(w->ha, SIG_HA_OSB_EDR, d->may, flag, NULL, observed);
}

static struct ha_reply over(const struct ha_transaction *w, unsigned o, const struct ha_asked *d, const bool observed)
{
	struct ha_reply reply =
		ha_finish(w, o, w->class == HA_CLASS_READ, d->may < d->known ? d->may : d->known, d->known, observed);

	reply.unasked = d->unasked && !reply.peer;
	if (observed)
		ha_tell_pending(w, d->memory.data, &reply, observed);
	ha_leave(w, d->memory.bypass, ha_later(reply.data, reply.done), observed);
	return reply;
}

UNCORE_COLD struct ha_reply ha_ask_directory(struct ha_transaction *w, const bool observed)
{
	struct ha *ha = w->ha;
	struct ha_asked d = { .memory.data = w->in + ha->front, .may = UINT64_MAX };
	bool coherent = w->rq->opcode != HA_NON_SNP_RD;
	unsigned o;

	if (coherent)
		d.entry = look(w, HA_HITME_LOOKUP_READ_OR_INVITOE, d.memory.data, observed);
	if (!coherent)
		d.memory = ha_read_memory(w, observed);
	else if (d.entry)
		ask_present(w, &d, observed);
	else
		ask_directory(w, &d, observed);
	bool was_shared = coherent && !own(w) && (d.entry ? d.entry->shared : d.is == HA_DIR_S);

	o = ha_snoop_done(w, d.entry || d.early || !ha_local(w) ? w->in : d.memory.data, d.memory.data, observed);
	d.known = ha_later(d.memory.data, w->snooped);
	if (o & HA_WRITTEN)
		ha_write_aside(ha, w->rq->line, w->snooped, observed);
	learn_all(w, &d, o, observed);
	if (coherent)
		update_directory(w, d.is, d.entry ? HA_DIR_A : directory_after(w, &d, o), (o & HA_WRITTEN), d.known,
				 observed);
	if (d.early && w->class == HA_CLASS_READ && d.may != UINT64_MAX && !(o & HA_FORWARDED) && !(o & HA_WRITTEN))
		tell_early(w, &d, observed);
	else
		d.may = d.known;
	d.unasked = was_shared && d.targets != others(w);
	if (was_shared)
		o |= HA_KEPT;
	return over(w, o, &d, observed);
}

UNCORE_COLD struct ha_reply ha_ask_all(struct ha_transaction *w, const bool observed)
{
	struct ha *ha = w->ha;
	struct ha_asked d = { .memory.data = w->in + ha->front };
	unsigned o;

	if (w->rq->opcode != HA_NON_SNP_RD)
		ask(w, &d, others(w), d.memory.data, observed);
	if (w->class == HA_CLASS_READ)
		d.memory = ha_read_memory(w, observed);
	o = ha_snoop_done(w, w->in, d.memory.data, observed);
	if (o & HA_WRITTEN)
		ha_write_aside(ha, w->rq->line, w->snooped, observed);
	d.may = d.known = ha_later(d.memory.data, w->snooped);
	return over(w, o, &d, observed);
}

UNCORE_COLD void ha_directory_written_back(struct ha *ha, const struct ha_request *rq, uint64_t posted, const bool observed)
{
	const struct ha_transaction w = { .ha = ha, .rq = rq, .class = HA_CLASS_WRITE };
	struct hitme_entry *e;

	switch (rq->opcode) {
	case HA_WB_MTOI:
		e = look(&w, HA_HITME_LOOKUP_WBMTOI, posted, observed);
		if (e)
			hitme_drop(&ha->hitme, e);
		update_directory(&w, ha_dir_get(ha, number(&w)), HA_DIR_I, true, posted, observed);
		break;
	case HA_WB_MTOE:
	case HA_WB_MTOS:
		e = look(&w, HA_HITME_LOOKUP_WBMTOE_OR_S, posted, observed);
		if (e)
			e->shared = rq->opcode == HA_WB_MTOS;
		break;
	}
}
