/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading event strings letter by letter: for event.c, event_fields.c and metric_parse.c only. */
#ifndef BXS_MEASURE_EVENT_PRIVATE_H
#define BXS_MEASURE_EVENT_PRIVATE_H

#include "measure/event.h"

/* Does c come next? */
static inline bool event_peek(const struct event_scan *s, char c)
{
	return s->p < s->end && *s->p == c;
}

/* The same; then it is read. */
static inline bool event_accept(struct event_scan *s, char c)
{
	if (!event_peek(s, c))
		return false;
	s->p++;
	return true;
}

/* Can it be in the name of a field or register? */
bool event_is_word(char c);
/* Such a name; empty: there is none. */
struct span event_read_word(struct event_scan *s);
/* name or name=value, to w. */
int event_read_plain_field(struct event_scan *s, struct event_words *w);

#endif
