/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's own record of how long who stays where, kept beside what counters are told.  It is made where the room is
 * given out and taken back, which is what makes the next one wait: by who hands a message over when it comes, by
 * who gets it when it has left.  Coming and leaving are noted apart; what lies between is
 *
 *	sum of stays = sum of the clocks in which they left - sum of those in which they came
 *
 * Only walks that raise all signals note anything.
 */
#ifndef BXS_UNCORE_STAYS_H
#define BXS_UNCORE_STAYS_H

#include "signal/signal.h"

enum stays_where {
	/* At a slice. */
	STAYS_IRQ, STAYS_PRQ, STAYS_IPQ,	/* from the ring into the pipeline */
	STAYS_PLACES,			/* places of requests that wait, or are to be tried again */
	STAYS_BACK,			/* requests sent back for want of an SBo's credit, which take no place */
	STAYS_TABLE,			/* entries of the table of requests */
	STAYS_CONFLICT,			/* of these: back in the queue, for the line is on its way */
	STAYS_SNOOPED, STAYS_EVICTED,	/* snoops and victims from the tags until they are over */
	/* At a home agent. */
	STAYS_HOME,			/* requests, as who asks sees it */
	STAYS_HOME_WAIT,		/* of these: without an entry of the tracker */
	STAYS_ASKED,			/* of these: until the last snoop response */
	STAYS_ANSWERED,			/* reads whose data is back from memory, until they are over */
	STAYS_HOME_AD, STAYS_HOME_AK, STAYS_HOME_BL,	/* egress */
	/* At a channel. */
	STAYS_READS, STAYS_WRITES,	/* from the home agent to the CAS */
	/* At R3QPI: packets for the link, by virtual network; at the link: flits, and shared credits of those received. */
	STAYS_VN0, STAYS_VN1,
	STAYS_TX, STAYS_RX, STAYS_VNA,
	/* Between ring and devices. */
	STAYS_R2PCIE, STAYS_IRP,	/* towards devices: lines; lines and messages */
	STAYS_OUTBOUND,			/* accesses of devices by cores */
	STAYS_LINES,			/* entries of the IRP */
	/* Between rings: at both SBos; credits for them. */
	STAYS_SWITCH,
	STAYS_KEPT,			/* of these: still at the stop for want of a credit, or going round */
	STAYS_CREDITS,
	STAYS_KINDS,
};

struct stays {
	struct {
		uint64_t came, left;		/* how many */
		uint64_t from, to;		/* sums of clocks */
	} at[STAYS_KINDS];
};

/* n come, or leave, at `when`, by the clock of a port; s may be NULL. */
static inline void stays_come(struct stays *s, enum stays_where at, const struct signal_port *p, uint64_t when, unsigned n)
{
	if (__builtin_expect(!s, 1) || !p->clock)
		return;
	s->at[at].came += n;
	s->at[at].from += n * signal_clocks(p->clock, when);
}

static inline void stays_leave(struct stays *s, enum stays_where at, const struct signal_port *p, uint64_t when, unsigned n)
{
	if (__builtin_expect(!s, 1) || !p->clock)
		return;
	s->at[at].left += n;
	s->at[at].to += n * signal_clocks(p->clock, when);
}

#endif
