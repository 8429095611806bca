/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent to which nobody listens. */
#define HA_TOLD 0

#include "uncore/ha_way.h"

struct ha_reply ha_request_plain(struct ha *ha, const struct ha_request *rq)
{
	return ha_way(ha, rq);
}
