/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of event strings being applied to a spec: for field.c and value.c only. */
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
};

/* The box type's name, for messages. */
const char *apply_box(const struct apply *a);

/*
 * The value given in w to field f (NULL: just bits) of `width` bits: the OR of the words in
 * A|B+C; without a value a field of one bit is set.  shown: what messages call the field.
 */
int apply_value(struct apply *a, const struct event_field *w, struct span shown,
		const struct cat_field *f, unsigned width, uint64_t *value, uint8_t *symbol);

#endif
