/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a ring stop is going through, clock by clock: whoever causes it tells spans, which may overlap, and a counter sees
 * each clock once.  Nothing here changes what happens.
 */
#ifndef BXS_UNCORE_RING_STOP_H
#define BXS_UNCORE_RING_STOP_H

#include "uncore/depth.h"
#include "uncore/ring/ring.h"

enum stop_state {
	STOP_FAST,		/* a distress wire is up */
	STOP_THROTTLE,		/* messages are held back for it */
	STOP_CONTROL,		/* a place is kept for a message that bounced */
	STOP_SINK_AD, STOP_SINK_BL, STOP_SINK_IV,	/* a message bounces again and again */
	STOP_TX_AD, STOP_TX_BL,		/* a message waits overlong for a slot */
	STOP_RX_CRD, STOP_RX_BUSY,	/* a line waits overlong before the other ring, with a credit, or behind such */
	STOP_EXT_IRQ, STOP_EXT_IPQ, STOP_EXT_PRQ,	/* a queue waits overlong for the others */
	STOP_INT_IRQ, STOP_INT_IPQ, STOP_INT_PRQ, STOP_INT_ISMQ,	/* an entry is tried again and again */
	STOP_STATES,
};

/* Clocks until an egress that holds back is starved, and until it may use the anti-deadlock slot. */
enum { STOP_STARVED = 16, STOP_FORCED = 32 };

struct stop {
	struct depth state[STOP_STATES];
};

void stop_init(struct stop *s, unsigned number);
void stop_free(struct stop *s);
/* Tell p everything before `when`. */
void stop_advance(struct stop *s, struct signal_port *p, uint64_t when);

static inline void stop_tell(struct stop *s, struct signal_port *p, enum stop_state state, uint64_t from, uint64_t to)
{
	depth_stay(&s->state[state], p, from, to);
}

#endif
