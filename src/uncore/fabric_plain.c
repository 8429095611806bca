/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk for when nobody listens to more than lumps. */
#define FABRIC_TOLD 0
#define FABRIC_BRIDGED 0

#include "uncore/fabric_way.h"

fabric_walk_fn *fabric_way_plain(enum leave_kind kind)
{
	return ways[kind];
}

unsigned fabric_home_snoop_plain(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets,
				 uint64_t when, struct ha_response *out)
{
	return fabric_home_snoop(ctx, ha, rq, sockets, when, out);
}
