/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent that raises every signal. */
#define HA_TOLD 1

#include "uncore/ha_way.h"

struct ha_reply ha_request_told(struct ha *ha, const struct ha_request *rq)
{
	return ha_way(ha, rq);
}
