/* SPDX-License-Identifier: BSD-2-Clause */
/* The same as fabric_plain.c, with messages between rings and system. */
#define FABRIC_TOLD 0
#define FABRIC_BRIDGED 1

#include "uncore/fabric_way.h"

struct fabric_reply fabric_walk_bridged(struct fabric *f, const struct fabric_request *r)
{
	return fabric_way(f, r);
}

unsigned fabric_home_snoop_bridged(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
				 uint64_t when, struct ha_response *out)
{
	return fabric_home_snoop(ctx, ha, rq, sockets, when, out);
}
