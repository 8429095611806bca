/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of event strings being applied to a spec: for field*.c, need*.c, resolve*.c and value.c only. */
#ifndef BXS_MEASURE_FIELD_PRIVATE_H
#define BXS_MEASURE_FIELD_PRIVATE_H

#include "measure/event.h"

enum { NEEDS_MAX = 16 };

struct apply {
	const struct names *n;
	struct event_scan *s;
	struct event_spec *spec;
	unsigned needs;
	struct cat_filter need[NEEDS_MAX];
	bool given[NEEDS_MAX];
	bool any;		/* nothing is known of what the event looks at */
	bool owner;		/* it looks at a packet through the filter registers as a whole */
	const struct cat_event *e;	/* NULL: raw */
	const uint32_t *umasks;
	unsigned count;
	struct span text;
	int port;		/* -1: the event has none */
	uint64_t control_given;	/* bits of the control that the event string gives */
	unsigned given_settings;	/* of the spec: those that the event string gives */
};

/* value.c */

/* The box type's name, for messages. */
const char *apply_box(const struct apply *a);

/*
 * The value given in w to field f (NULL: just bits) of `width` bits: the OR of the words in
 * A|B+C; without a value a field of one bit is set.  shown: what messages call the field.
 */
int apply_value(struct apply *a, const struct event_field *w, struct span shown,
		const struct cat_field *f, unsigned width, uint64_t *value, uint8_t *symbol);

/* field_fail.c */

/* Does the field of a control follow from the event, or from what is done with the counter? */
bool field_is_ours(const struct cat_field *f);

/* The box has no such field, no such register; the register has no such field; the event does not look at the field. */
int field_fail(struct apply *a, struct span name);
int field_fail_register(struct apply *a, struct span name);
int field_fail_in(struct apply *a, struct span name, const struct cat_reg *reg);
int field_fail_unseen(struct apply *a, struct span name, unsigned reg, const struct cat_field *f);

/* field_set.c */

/* The field that w names, to the value it gives. */
int apply_field(struct apply *a, const struct event_field *w);

/* One more setting, which must not overlap others; shown: what messages call it. */
int apply_setting(struct apply *a, const struct event_setting *set, struct span shown);

/* field.c */

/* The settings of a register become one of it as a whole; bits that none of them gives are `rest`. */
int apply_own(struct apply *a, unsigned reg, unsigned element, uint64_t rest);

/* port.c */

/* Does the event lie on a port that its string may choose? */
bool need_ported(const struct cat_event *e);
/* The port, before any field is applied. */
int need_start(struct apply *a, const struct event_words *w);
/* A setting of a port's register into the element of the event's port. */
void need_place(const struct apply *a, unsigned reg, struct event_setting *set);
/* Does the key `sub` of the event name the register? */
bool need_is_sub(const struct cat_event *e, unsigned reg);

/* need_look.c */

/* Does the event look at this field? */
bool need_looks(const struct apply *a, unsigned reg, const struct cat_field *f);
/* The one field of this name, in registers other than the control, that it looks at; or NULL. */
const struct cat_field *need_field(const struct apply *a, struct span name, unsigned *reg);
/* Whose needs count, with the columns that events and subevents both have (catalog.h). */
struct need_owner {
	const char *name;
	unsigned need0, needs, ask0, asks;
	uint32_t scale;
	uint16_t rest_reg, rest, message;
};

/* 0 is the event, i its subevent i - 1. */
struct need_owner need_owner(const struct apply *a, unsigned i);
/* Has the event subevents that are messages? */
bool need_has_message(const struct cat_event *e);
/* Is the field a filter that a scope of the event brings in? */
bool need_narrows(const struct apply *a, const struct cat_field *f);

/* need.c */

/* All that the event needs and its string does not give. */
int need_finish(struct apply *a);

#endif
