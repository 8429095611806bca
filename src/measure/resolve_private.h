/* SPDX-License-Identifier: BSD-2-Clause */
/* An event string being resolved: for resolve*.c and subevent.c only. */
#ifndef BXS_MEASURE_RESOLVE_PRIVATE_H
#define BXS_MEASURE_RESOLVE_PRIVATE_H

#include "measure/field_private.h"

enum { UMASKS_MAX = 16 };

struct resolve {
	const struct names *n;
	struct event_scan *s;
	const struct event_words *w;
	event_fn emit;
	void *ctx;
	struct span box, event, sub;	/* .s NULL: not given */
	struct span rest;		/* event and subevent; both may have dots */
	struct span first;		/* of rest, up to its first dot */
	int socket, number, context;
	uint32_t type;			/* of the box, if it is no pattern; NAMES_NONE: unknown */
	unsigned group;
	bool pattern;			/* more than one event may come out */
	bool any_box, any_sub;		/* these parts are patterns */
	unsigned emitted;
	int skipped;			/* last error within a pattern */
};

static inline bool resolve_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* resolve_words.c */

/* Which part is what: a leading s0 is a socket; the next is a box if it names one. */
int resolve_split(struct resolve *r);
/*
 * The event of a type that the words name, or NAMES_NONE: the longest name that fits; what follows is the
 * subevent.  Sets r->event and r->sub.
 */
uint32_t resolve_find(struct resolve *r, unsigned type);
/* Has the machine box r->number of the type, if one is given? */
int resolve_check_box(const struct resolve *r, unsigned type);
/* These fail, and say what looks like what was written.  type -1: in no box of the family. */
int resolve_no_type(const struct resolve *r);
int resolve_no_event(const struct resolve *r, int type);

/* resolve_event.c: hand over what was meant; or an error. */

/* With the subevents in r->sub; of a pattern, all that it matches. */
int resolve_event(struct resolve *r, unsigned event);
/* 0x34 in place of a name.  A known code brings its restrictions with it. */
int resolve_raw(struct resolve *r, unsigned type, uint64_t code);
/* A counter that is a register of its own, by its name or as the event that it counts (or NAMES_NONE). */
int resolve_register(struct resolve *r, unsigned type, uint32_t reg, uint32_t event);

/* subevent.c */

/* The subevents A+B|C that r->sub names, as indices into cat_umasks; room for UMASKS_MAX. */
int resolve_subevents(struct resolve *r, unsigned event, uint32_t *umasks, unsigned *count);
/* Without a subevent: ANY or ALL if there is one, nothing if the event has none. */
int resolve_default(struct resolve *r, unsigned event, uint32_t *umask, unsigned *count);
/* The one named subevent of that mask; returns how many there are, 0 or 1. */
unsigned resolve_mask(unsigned event, uint32_t mask, uint32_t *umask);
/* Some events count nothing unless one of each kind of subevent is asked for: each=0x0f/0x70. */
int resolve_each(struct resolve *r, const struct cat_event *e, uint32_t mask);
/* Do these only set filters of an event that has masks as well? */
bool resolve_only_filters(const struct cat_event *e, const uint32_t *umasks, unsigned count);
/* The bits of subevents ORed: each must allow it. */
int resolve_or(struct resolve *r, unsigned event, const uint32_t *umasks, unsigned count,
	       uint32_t *mask);

#endif
