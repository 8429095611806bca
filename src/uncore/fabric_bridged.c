/* SPDX-License-Identifier: BSD-2-Clause */
/* The same as fabric_plain.c, with messages between rings and system. */
#define FABRIC_TOLD 0
#define FABRIC_BRIDGED 1

#include "uncore/fabric_way.h"

fabric_walk_fn *fabric_way_bridged(enum leave_kind kind)
{
	return ways[kind];
}

unsigned fabric_home_snoop_bridged(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
				 uint64_t when, struct ha_response *out)
{
	return fabric_home_snoop(ctx, ha, rq, sockets, when, out);
}
