/* SPDX-License-Identifier: BSD-2-Clause */
/* A selection being worked out: for select.c, select_rows.c and select_alts.c only. */
#ifndef BXS_PMU_SELECT_PRIVATE_H
#define BXS_PMU_SELECT_PRIVATE_H

#include "pmu/engine.h"

/* The alternatives under construction. */
struct select_alts {
	struct box *box;
	struct counter *c;		/* whose alternatives and tests they are */
	const struct cat_event *e;
	uint64_t rows;			/* selected */
	unsigned alts, tests;
	unsigned flag0;			/* the flag of row 0 */
	unsigned test0, test_end;	/* of the alternatives that are being added */
	bool full;			/* there were more than a counter has room for */
};

/* Subevent i of an event: its row i. */
static inline const struct cat_umask *select_row(const struct cat_event *e, unsigned i)
{
	return &cat_umasks[e->umask0 + i];
}

/* Sets of rows are bits: bit i stands for row i of the event. */

/* select_rows.c */

/* A mask, with all of those that it implies. */
uint32_t select_implied(const struct cat_event *e, uint32_t umask);

/* The rows that mask `umask` selects; none: the selection counts nothing. */
uint64_t select_rows_of_mask(const struct cat_event *e, uint32_t umask);

/* The rows that need no mask but what the registers of the box now hold. */
uint64_t select_rows_held(const struct box *b, const struct counter *c, const struct cat_event *e);

/* `rows`, which mask `umask` selects, and those whose console occurrences it takes as well: parts of it. */
uint64_t select_rows_parts(const struct cat_event *e, uint64_t rows, uint32_t umask);

/* Those of `rows` whose mask lies within `mask`. */
uint64_t select_rows_within(const struct cat_event *e, uint64_t rows, uint32_t mask);

/*
 * What the picks of different fields say must hold together: one set of `rows` for each field, into
 * set[2].  Returns the number of sets.
 */
unsigned select_pick_sets(const struct cat_event *e, uint64_t rows, uint64_t *set);

/* select_alts.c */

/* The tests of all alternatives to come: event, thread filter, qualifiers, row u (or NULL). */
void select_start_tests(struct select_alts *b, const struct pmu_selection *s, uint64_t qualifiers,
			const struct cat_umask *u);

/* One more alternative, with the tests that were started. */
void select_add(struct select_alts *b, const struct cat_cond *cond);

/*
 * Rows that must all hold, one of each set: an alternative for each choice.  cond is what must hold
 * beside them.
 */
void select_choose(struct select_alts *b, const uint64_t *set, unsigned sets,
		   const struct cat_cond *cond);

#endif
