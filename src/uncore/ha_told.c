/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent that raises every signal. */
#define HA_TOLD 1

#include "uncore/ha_way.h"

struct ha_reply ha_request_told(struct ha *ha, const struct ha_request *rq)
{
	struct ha_reply reply = ha_way(ha, rq);

	if (rq->opcode < HA_NON_SNP_WR && rq->opcode != HA_INV_ITOE)
		stays_leave(ha->stays, STAYS_ANSWERED, ha->port, reply.data ? reply.data : reply.done, 1);
	return reply;
}
