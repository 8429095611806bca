/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which event sits on which counter of a box, and in which turn.
 *
 * All events of one turn need a counter of their own, among those that can count them, and the filters and
 * sub-controls of the box are shared: two events of one turn must not need different values of the same bits.
 * Where a port has two equal selections, events may use either.  What does not fit in one turn is spread over
 * the fewest turns that hold it.
 */
#ifndef BXS_MEASURE_ASSIGN_H
#define BXS_MEASURE_ASSIGN_H

#include "measure/event.h"

enum { ASSIGN_COUNTERS = 32, ASSIGN_NAMED = 8 };

struct assign_want {
	uint32_t counters;	/* mask; 0: needs none (a fixed or free-running counter) */
	int follows;		/* index of the event that must sit on counter 0 in the same
				 * turn, or -1 */
	unsigned group;		/* events of one group (not 0) must share a turn */
	unsigned bundle;	/* events of one bundle (not 0) share a turn if that is possible */
	bool loose;		/* may be kept apart from others without asking */
	bool two_ways;		/* may use the second of two selections as well */
	unsigned settings;
	const struct event_setting *setting;
};

struct assign_place {
	unsigned turn;
	unsigned counter;	/* meaningless when no counter is needed */
	unsigned way;		/* 0 or 1: which selection */
};

enum assign_reason {
	ASSIGN_FILTER,		/* each two need different values of the same bits */
	ASSIGN_COUNTER,		/* they can only be counted by the same counter */
	ASSIGN_CROWD,		/* more than the counters and selections that can hold them: none too many to be so */
};

struct assign_conflict {
	enum assign_reason reason;
	unsigned n, event[ASSIGN_NAMED];	/* how many there are, and indices of the first wants of them */
	struct event_setting at, other;	/* ASSIGN_FILTER: what they fight over, the first's view and the second's */
	unsigned counter;		/* ASSIGN_COUNTER */
};

/*
 * turns_allowed: without it, two events that are not loose and could never share a turn
 * are BXS_ETURNS.  place: n entries.
 * Returns 0, BXS_ENOMEM, or with *why filled BXS_ETURNS or BXS_ECONFLICT: turns do not help those of one group, and those
 * that follow one another.
 */
int assign_counters(const struct assign_want *want, unsigned n, bool turns_allowed,
		    struct assign_place *place, unsigned *turns, struct assign_conflict *why);

#endif
