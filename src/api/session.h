/* SPDX-License-Identifier: BSD-2-Clause */
/* The public session, for the files of this layer. */
#ifndef BXS_API_SESSION_H
#define BXS_API_SESSION_H

#include "api/machine.h"
#include "feed/feed.h"
#include "measure/metric.h"

/* Something asked for: an event of the session below, or a metric over several. */
struct api_item {
	char *name;
	const char *unit, *text;	/* own if `owned` */
	char *owned;
	unsigned event;
	struct metric *metric;		/* NULL: an event */
	int type;			/* index of the box type, -1: none in particular */
};

struct trace_writer;

/* A program on this computer, which waits for the session's start. */
struct api_child {
	int pid;			/* 0: none */
	int line;			/* a byte lets it go on, what keeps it from becoming the program comes back; -1: it has */
	int status;			/* as of waitpid(); -1: it has not ended */
	const char *name;		/* the caller's, until it has gone on */
};

enum { API_PROGRAMS = 16 };

struct bxs_session {
	bxs_machine *machine;
	struct names *names;
	struct session *session;	/* made when the first event is asked for */
	struct session_config config;
	unsigned items, room, bundles;
	struct api_item *item;
	struct session *watch;		/* of look-ups of the last-level cache, beside what was asked for; NULL: nobody looks */
	struct metric *lookups;
	uint64_t forwards;		/* of the machine when it was started */
	struct feed *feed;
	struct feed *program[API_PROGRAMS];	/* parts of feed, or the first is the feed */
	unsigned programs;
	struct api_child child;		/* where this computer is measured, in the place of programs that drive a machine */
	struct trace_writer *writer;
	char left_out[600];		/* of the patterns asked for last that left something out */
	char record[256];		/* the writer's file, for messages */
	bool started, stopped, ended;
	bool *chosen;			/* a flag for each core that is measured; NULL: all are */
	const char *region;		/* counted is what is within; NULL: all */
	uint64_t entered, within;	/* how often it has begun; has begun and not ended */
	uint64_t began, read_at;	/* picoseconds */
	uint64_t turn_end;		/* accesses of the embedding program's own: when counters have to be read */
};

/* The measuring session, made if there is none yet; NULL: out of memory. */
struct session *api_session(bxs_session *s);
/* 0, or BXS_EINVAL with a sentence: bxs_session_start() has not been called, or failed. */
int api_started(const bxs_session *s);
/* It is about to be started: with the truth, begin to know what bxs_session_witness() tells.  0 or BXS_ENOMEM. */
int api_watch(bxs_session *s);
/* Have programs done what is in no reading? */
bool api_is_partial(const bxs_session *s);
/* 0, or BXS_EINVAL with a sentence: it has been started, so that nothing more can be asked for. */
int api_open(const bxs_session *s);
/* The same, and nothing drives the machine yet. */
int api_undriven(const bxs_session *s);

/* local.c, of a session on this computer: start the program, which waits; let it go on; let time pass until `end` (picoseconds), as
 * bxs_session_run(); end it. */
int api_child_start(bxs_session *s, const struct bxs_program *program);
int api_child_go(bxs_session *s);
int api_child_run(bxs_session *s, uint64_t end);
void api_child_end(bxs_session *s);
/* Picoseconds: when the counters have to be read at the latest. */
uint64_t api_turn_end(const bxs_session *s);

/* What opening a feed came to, with a sentence for people: err, noted with the machine where it is negative. */
int api_feed(const bxs_session *s, int err, const char *why);

/* Is that core left out, or (-1) all cores of the socket, and with them the socket? */
bool api_spares(const bxs_session *s, unsigned socket, int core);

/* One more item, taken over with its name and owned text; BXS_ENOMEM: freed. */
int api_add_item(bxs_session *s, const struct api_item *item);

/* A metric by its equation; unit and text are the caller's and live as long as s. */
int api_add_equation(bxs_session *s, const char *name, const char *equation, const char *unit,
		     const char *text, int type, int x);

/* The metric, or where there is one for each rank or node, that of the first. */
int api_add_first(bxs_session *s, const char *metric);

/* The metric of the default set of a box type, or (empty) of any, that has this name, or exactly this one;
 * BXS_ENOENT, without a message: none has. */
int api_add_summary(bxs_session *s, struct span box, struct span name, bool exact);

#endif
