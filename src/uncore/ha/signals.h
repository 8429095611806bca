/* SPDX-License-Identifier: BSD-2-Clause */
/* The signals of a home agent, raised in observed runs only. */
#ifndef BXS_UNCORE_HA_SIGNALS_H
#define BXS_UNCORE_HA_SIGNALS_H

#include "uncore/ha/inside.h"
#include "uncore/observed.h"

UNCORE_INLINE void ha_pulse(struct ha *ha, unsigned sig, uint64_t when, uint64_t flags, const struct signal_tag *tag,
			    const bool observed)
{
	if (observed)
		signal_pulse(ha->port, sig, when, 1, flags, tag);
}

UNCORE_INLINE void ha_span(struct ha *ha, unsigned sig, uint64_t from, uint64_t to, uint64_t flags, const bool observed)
{
	if (observed)
		signal_span(ha->port, sig, from, to, 1, flags, NULL);
}

/* For the record of stays. */
UNCORE_INLINE void ha_note(const struct ha *ha, enum stays_where at, uint64_t from, uint64_t to, const bool observed)
{
	if (!observed)
		return;
	stays_come(ha->stays, at, ha->port, from, 1);
	stays_leave(ha->stays, at, ha->port, to, 1);
}

/* A stay in one of the queues above. */
UNCORE_INLINE void ha_stay(struct ha *ha, enum ha_depth which, uint64_t from, uint64_t to, const bool observed)
{
	if (observed)
		depth_stay(&ha->depth[which], ha->port, from, to);
}

#endif
