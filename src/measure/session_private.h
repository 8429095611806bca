/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session is made of: for session*.c only. */
#ifndef BXS_MEASURE_SESSION_PRIVATE_H
#define BXS_MEASURE_SESSION_PRIVATE_H

#include "measure/assign.h"
#include "measure/session.h"

#define SESSION_ALWAYS UINT32_MAX	/* in every turn */

struct wanted {
	struct event_spec spec;
	char *name;
	unsigned bundle;
	int follows;		/* see assign.h */
	bool silent;		/* nothing drives it: not measured ... */
	bool absent;		/* ... since the machine has not what it is about */
};

/* One event on one box. */
struct slot {
	unsigned event;
	uint32_t turn;		/* SESSION_ALWAYS: in every turn */
	uint8_t counter, width, way;
	bool dead;		/* the register does not answer */
	bool wrapped, saturated;
	bool first;		/* it counted in the first turn of all */
	struct access_address ctr;
	uint64_t last;		/* as read */
	uint64_t count;		/* in this interval */
	struct access_answer *answer;	/* NULL: the truth is not asked for */
	uint64_t truth0, truth;	/* known at the start of this interval, and at the last read */
	struct access_address rest;	/* of the sum that overflows into the counter, if the event has one */
	uint64_t rest_last;
	uint64_t on;		/* picoseconds of this interval that it counted */
	/* Sums over the turns of this interval: time x rate^2 (counts a picosecond), and time^2. */
	double squares, lengths;
};

/* One box in which something is measured. */
struct box {
	uint16_t type, socket, number;
	unsigned slot0, slots;
	unsigned turns, turn;
};

struct core {
	uint64_t last[SESSION_CORE_KINDS], count[SESSION_CORE_KINDS];
	bool there;
};

struct session {
	struct session_config config;
	unsigned wants, wants_room;
	struct wanted *want;
	unsigned boxes, boxes_room;
	struct box *box;
	unsigned slots, slots_room;
	struct slot *slot;
	struct core *core;		/* sockets x cores */
	uint32_t global_ctl;		/* register with freeze strobes, NAMES_NONE: none */
	/* What stops and what starts; width 0: that is done by writing 0.  A box that follows the register
	 * by its own bit `glb_lcl` follows only then. */
	struct names_field frz_all, unfrz_all;
	bool level;		/* the register enables as long as it is set */
	bool running, paused;
	unsigned most_turns;		/* of all boxes; 1: everything is measured at once */
	uint64_t began, read_at;	/* time of the start and of the last read */
	uint64_t elapsed, interval;	/* of this interval; of the last one, 0: this is the first */
	uint64_t first;			/* length of the first turn of all; 0: it is not in this interval */
	uint64_t longest;		/* time in which no counter can go round */
	uint64_t tsc_last, tsc;
	unsigned tsc_mhz;
};

/* session_plan.c */

/* Where element i of a register of a box is. */
struct access_address session_address(uint32_t reg, unsigned socket, unsigned box, unsigned i);
/* Fill box and slot with what is wanted.  why: the text of an error. */
int session_plan(struct session *s, char *why, size_t size);

/* session_program.c */

/* Does the box answer? */
bool session_box_there(struct session *s, unsigned type, unsigned socket, unsigned box);
int session_program(struct session *s);			/* everything, frozen */
int session_program_turn(struct session *s, struct box *b);
int session_freeze(struct session *s);
int session_unfreeze(struct session *s);
void session_start_cores(struct session *s);
void session_read_cores(struct session *s);

/* session_truth.c */
int session_ask_truth(struct session *s);
void session_read_truth(struct session *s);
void session_forget_truth(struct session *s);

/* session.c */

/* What time it is after registers have been accessed at `now`. */
uint64_t session_clock(const struct session *s, uint64_t now);
/* Time in which the slot's counter cannot have gone round, whatever happens. */
uint64_t session_wrap_time(const struct session *s, const struct slot *slot);

#endif
