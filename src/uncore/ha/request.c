/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of a request through a home agent.
 *
 *	arrives | tracker entry | memory read    | data back ...... | egress | gone
 *	        | (wait if full)| snoops out ........ last response |        |
 *
 * Source snoop: the requester has snooped, responses come here.  Where the home agent itself
 * asks, see snooping.c.
 */
#include "uncore/ha/answer.h"
#include "uncore/ha/memory.h"
#include "uncore/ha/responses.h"
#include "uncore/ha/snooping.h"
#include "uncore/ha/tracker.h"

/* Source snoop: memory is read while the responses come in. */
UNCORE_INLINE struct ha_reply source_snoop(struct ha *ha, const struct ha_request *rq, enum ha_class class,
					  const bool observed)
{
	struct ha_transaction w = ha_enter(ha, rq, class, observed);
	uint64_t back = w.in + ha->front;
	struct ha_reply reply;
	bool bypass = false;
	unsigned o;

	w.response = rq->response;
	w.responses = rq->responses;
	if (class == HA_CLASS_READ) {
		const struct ha_read memory = ha_read_memory(&w, observed);

		back = memory.data;
		bypass = memory.bypass;
	}
	o = ha_snoop_done(&w, w.in, back, observed);
	if (__builtin_expect(o & HA_WRITTEN, 0))
		ha_write_aside(ha, rq->line, w.snooped, observed);

	uint64_t known = ha_later(back, w.snooped);

	/* Nobody has it, nearly always: that shall be code of its own. */
	if (__builtin_expect(o == 0, 1))
		reply = ha_finish(&w, 0, class == HA_CLASS_READ, known, known, observed);
	else
		reply = ha_finish(&w, o, class == HA_CLASS_READ, known, known, observed);
	if (observed)
		ha_tell_pending(&w, back, &reply, observed);
	ha_leave(&w, bypass, reply.done, observed);
	return reply;
}

UNCORE_INLINE struct ha_reply write(struct ha *ha, const struct ha_request *rq, const bool observed)
{
	struct ha_transaction w = ha_enter(ha, rq, HA_CLASS_WRITE, observed);
	uint64_t posted = ha_write_memory(ha, rq->line, w.in + ha->front, rq->partial, observed);
	struct ha_reply reply = { .data = 0 };

	w.responses = 0;
	if (__builtin_expect(ha->cfg.snoop == HA_SNOOP_DIRECTORY, 0))
		ha_directory_written_back(ha, rq, posted, observed);
	reply.done = ha_send_done(&w, posted + ha->back, observed);
	ha_leave(&w, false, reply.done, observed);
	return reply;
}

static UNCORE_COLD struct ha_reply write_batched(struct ha *ha, const struct ha_request *rq)
{
	return write(ha, rq, false);
}

static UNCORE_COLD struct ha_reply write_observed(struct ha *ha, const struct ha_request *rq)
{
	return write(ha, rq, true);
}

/* What is rarer than a write, or a read with source snoop. */
static UNCORE_COLD struct ha_reply rest(struct ha *ha, const struct ha_request *rq, const bool observed)
{
	enum ha_class class = rq->opcode == HA_INV_ITOE ? HA_CLASS_INVITOE : HA_CLASS_READ;
	struct ha_transaction w;

	if (ha->cfg.snoop == HA_SNOOP_SOURCE)
		return source_snoop(ha, rq, HA_CLASS_INVITOE, observed);
	w = ha_enter(ha, rq, class, observed);
	return ha->cfg.snoop == HA_SNOOP_HOME ? ha_ask_all(&w, observed) : ha_ask_directory(&w, observed);
}

/* A read with source snoop is one piece of code without calls; what is rarer stays out of it. */
struct ha_reply ha_request_batched(struct ha *ha, const struct ha_request *rq)
{
	if (rq->opcode < HA_NON_SNP_WR && ha->cfg.snoop == HA_SNOOP_SOURCE)
		return source_snoop(ha, rq, HA_CLASS_READ, false);
	if (rq->opcode >= HA_NON_SNP_WR && rq->opcode != HA_INV_ITOE)
		return write_batched(ha, rq);
	return rest(ha, rq, false);
}

struct ha_reply ha_request_observed(struct ha *ha, const struct ha_request *rq)
{
	struct ha_reply reply;

	if (rq->opcode >= HA_NON_SNP_WR && rq->opcode != HA_INV_ITOE)
		return write_observed(ha, rq);
	if (rq->opcode == HA_INV_ITOE)
		return rest(ha, rq, true);
	if (ha->cfg.snoop == HA_SNOOP_SOURCE)
		reply = source_snoop(ha, rq, HA_CLASS_READ, true);
	else
		reply = rest(ha, rq, true);
	stays_leave(ha->stays, STAYS_ANSWERED, ha->port, reply.data ? reply.data : reply.done, 1);
	return reply;
}
