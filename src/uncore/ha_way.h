/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk through a home agent, made twice: HA_TOLD is 1 where all signals are raised, 0 where
 * nobody listens. */
#ifndef HA_TOLD
#error "to be included by ha_told.c and ha_plain.c"
#endif

#include "uncore/ha/inside.h"

/* A read with source snoop is one piece of code without calls; what is rarer stays out of it. */
#define HA_HOT static inline __attribute__((always_inline))
#define HA_COLD static __attribute__((noinline))

HA_HOT void ha_pulse(struct ha *ha, unsigned sig, uint64_t when, uint64_t flags, const struct signal_tag *tag)
{
	if (HA_TOLD)
		signal_pulse(ha->port, sig, when, 1, flags, tag);
}

HA_HOT void ha_span(struct ha *ha, unsigned sig, uint64_t from, uint64_t to, uint64_t flags)
{
	if (HA_TOLD)
		signal_span(ha->port, sig, from, to, 1, flags, NULL);
}

/* For the record of stays. */
HA_HOT void ha_note(const struct ha *ha, enum stays_where at, uint64_t from, uint64_t to)
{
	if (!HA_TOLD)
		return;
	stays_come(ha->stays, at, ha->port, from, 1);
	stays_leave(ha->stays, at, ha->port, to, 1);
}

/* A stay in one of the queues above. */
static inline void ha_stay(struct ha *ha, enum ha_depth which, uint64_t from, uint64_t to)
{
	if (HA_TOLD)
		depth_stay(&ha->depth[which], ha->port, from, to);
}

/* ha_snoop.h */

/* All responses are known, and memory has answered by `back`: what do they come to, as a set of enum ha_outcome, and
 * when was the last one in?  Tells of them and of the wait since `from`. */
HA_HOT unsigned ha_snoop_done(struct ha_walk *w, uint64_t from, uint64_t back);

/* ha_egress.h */

/* The message is ready: returns when it gets onto the ring. */
HA_HOT uint64_t ha_send(const struct ha_walk *w, enum ha_message message, enum ha_ring ring, uint64_t ready);

#include "uncore/ha_egress.h"
#include "uncore/ha_snoop.h"
#include "uncore/ha_request.h"
#include "uncore/ha_directory.h"
