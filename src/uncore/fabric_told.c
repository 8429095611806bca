/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk that raises every signal at its time. */
#define FABRIC_TOLD 1
#define FABRIC_BRIDGED 0

#include "uncore/fabric_way.h"
#include "uncore/fabric_device.h"

struct fabric_reply fabric_walk_told(struct fabric *f, const struct fabric_request *r)
{
	struct ages ages = ages_look(f, r->socket, r->line);
	struct fabric_reply reply = ways[r->kind](f, r);

	if (ages.on && (ops[r->kind].data || ops[r->kind].to_core))
		ages_tell(&ages, reply.when);
	return reply;
}

unsigned fabric_home_snoop_told(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
				uint64_t when, struct ha_response *out)
{
	return fabric_home_snoop(ctx, ha, rq, sockets, when, out);
}
