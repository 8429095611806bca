/* SPDX-License-Identifier: BSD-2-Clause */
/* An event string being resolved: for resolve.c and subevent.c only. */
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

/* The subevents A+B|C that r->sub names, as indices into cat_umasks; room for UMASKS_MAX. */
int resolve_subevents(struct resolve *r, unsigned event, uint32_t *umasks, unsigned *count);
/* Without a subevent: ANY or ALL if there is one, nothing if the event has none. */
int resolve_default(struct resolve *r, unsigned event, uint32_t *umask, unsigned *count);
/* The one named subevent of that mask; returns how many there are, 0 or 1. */
unsigned resolve_mask(unsigned event, uint32_t mask, uint32_t *umask);
/* Some events count nothing unless one of each kind of subevent is asked for: each=0x0f/0x70. */
int resolve_each(struct resolve *r, const struct cat_event *e, uint32_t mask);
/* The bits of subevents ORed: each must allow it. */
int resolve_or(struct resolve *r, unsigned event, const uint32_t *umasks, unsigned count,
	       uint32_t *mask);

#endif
