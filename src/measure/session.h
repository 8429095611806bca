/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session: a set of events that are being measured.  It finds out which boxes are there,
 * places events on counters, programs registers as the hardware wants it, reads, and
 * keeps for each reading how far it can be trusted.  All of it through access.h.
 *
 * The caller owns time: it says what time it is when it starts and reads, in picoseconds
 * of the measured machine, and lets time pass in between, never more than
 * session_step() at once.
 */
#ifndef BXS_MEASURE_SESSION_H
#define BXS_MEASURE_SESSION_H

#include "access/access.h"
#include "base/error.h"
#include "measure/event.h"

struct session;

struct session_config {
	struct access *access;
	const struct names *names;
	unsigned sockets, cores, nodes;	/* cores and nodes of a socket */
	bool model;		/* the machine is simulated: unbound events count nothing */
	/* Has the machine not the part of the hardware of this name, of len characters?  NULL: it has all. */
	bool (*lacks)(const void *ctx, const char *part, size_t len);
	/* Is nothing to be measured on that box, though its registers may answer?  NULL: never. */
	bool (*hollow)(const void *ctx, unsigned type, unsigned socket, unsigned box);
	/* Is nothing to be measured on that core?  NULL: never. */
	bool (*spared)(const void *ctx, unsigned socket, unsigned core);
	/* What time it is, where accessing registers takes some: that of programming and reading does not count.  NULL: it takes none. */
	uint64_t (*clock)(const void *ctx);
	/* Does a counter with this control count nothing on the machine?  NULL: never. */
	bool (*silent)(const void *ctx, unsigned type, uint64_t control);
	const void *lacks_ctx;	/* of all five */
	bool turns;		/* whatever cannot be measured at once is measured in turns */
	uint64_t turn;		/* picoseconds of a turn; 0: as we think best */
	bool truth;		/* ask the machine for what every event really did as well */
};

/* What the cores of a socket tell besides the uncore. */
enum session_core { SESSION_INSTRUCTIONS, SESSION_CYCLES, SESSION_REFERENCE, SESSION_CORE_KINDS };

struct session_value {
	double value;		/* meaningless when there is none (see validity) */
	double error;		/* the truth lies within 95 times in 100; 0 unless scaled */
	enum bxs_validity validity;
};

/* The config's pointers must live as long as the session.  0 or BXS_ENOMEM. */
int session_new(const struct session_config *config, struct session **out);
void session_free(struct session *s);		/* NULL is allowed */

/*
 * Ask for an event, before session_start().  bundle: events of one bundle (not 0) are measured at
 * the same time if possible.  name: for messages.  Returns the number by which its values are
 * asked for; the same event asked for twice has one number.  BXS_ENOMEM; BXS_EINVAL: no counter can
 * hold it, or no such socket; why says so.
 */
int session_add(struct session *s, const struct event_spec *spec, struct span name,
		unsigned bundle, char *why, size_t size);
const struct event_spec *session_spec(const struct session *s, unsigned event);
/* How many events were asked for, and what each was called. */
unsigned session_events(const struct session *s);
const char *session_name(const struct session *s, unsigned event);

/*
 * Place events on counters, program and start.  BXS_ECONFLICT, or BXS_ETURNS where turns would
 * help: why names the events and what they fight over.  BXS_ENOTSUP: what is measured does not know the truth.  BXS_ENOMEM, BXS_EIO.
 */
/* Nothing runs on the cores that would tell of events by their codes: before session_start(). */
void session_untold(struct session *s);
int session_start(struct session *s, uint64_t now, char *why, size_t size);

/*
 * Instead of session_start(), and with the truth asked for: what the events really do from here on is known, but nothing is
 * programmed.  session_look() brings what session_truth() and metric_truth() say up to now.  Errors as of session_start().
 */
int session_watch(struct session *s, char *why, size_t size);
void session_look(struct session *s);

/* Let at most so many picoseconds pass until the next read; changes with every read. */
uint64_t session_step(const struct session *s);

/* Freeze, read everything, pass on to the next turn, run on.  0 or BXS_EIO. */
int session_read(struct session *s, uint64_t now);
/* The same, and stay frozen. */
int session_stop(struct session *s, uint64_t now);

/*
 * From the last read on, or before session_start(): time passes and nothing of it counts, neither events nor the time itself; or
 * (false) it does again.
 */
void session_pause(struct session *s, bool pause);

/* Begin a new interval: values count from the last read on. */
void session_clear(struct session *s);
/* Picoseconds of the interval so far. */
uint64_t session_time(const struct session *s);

/* Calls fn for every box that measures the event, in order. */
void session_each_box(const struct session *s, unsigned event,
		      void (*fn)(void *ctx, unsigned socket, unsigned box), void *ctx);

/* Why an event that is not silent has no value, if it has none. */
enum session_none {
	SESSION_NO_PART,	/* the machine has nothing that it could count */
	SESSION_NO_BOX,		/* there is no such box */
	SESSION_NO_ANSWER,	/* a register does not answer, or takes no such value */
	SESSION_NO_TURN,	/* its turn did not come */
};
enum session_none session_none(const struct session *s, unsigned event);
/* The same in words. */
const char *session_none_text(enum session_none none);

/* Sum over the boxes of an event; socket, box: -1 for all. */
void session_value(const struct session *s, unsigned event, int socket, int box,
		   struct session_value *out);
/* The same by what the machine knows: exact, or without value where there is no box or no model. */
void session_truth(const struct session *s, unsigned event, int socket, int box,
		   struct session_value *out);
/* Sum over the cores of a socket, -1: all. */
void session_core(const struct session *s, enum session_core kind, int socket,
		  struct session_value *out);
/* Time stamp counter of socket 0 over the interval, and its frequency in MHz; 0: unknown. */
uint64_t session_tsc(const struct session *s);
unsigned session_tsc_mhz(const struct session *s);

/* In how many turns the events are measured, of the type that needs most; 1 when all at once. */
unsigned session_most_turns(const struct session *s);

#endif
