/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a box type does that the columns of the catalogue cannot say: three small tables of operations, each of
 * which a mechanism supplies whole or not at all.  A box asks for mechanisms by name (`uses`); where two of them
 * supply the same table, the later one stands.  Any operation may be NULL.
 */
#ifndef BXS_PMU_OPS_H
#define BXS_PMU_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"

struct box;
struct counter;
struct door;
struct pmu;
struct pmu_type;
struct pmu_selection;
struct signal_tag;

/* What a control selects. */
struct pmu_select_ops {
	/* What a control says, where the fields alone do not tell. */
	void (*decode)(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s);
	/* Bind counter c, in place of hanging it on a signal: see cpu.c. */
	void (*bind)(struct box *b, struct counter *c);
	/* What such a counter has counted since it was bound. */
	uint64_t (*since)(const struct box *b, const struct counter *c);
	/* Change the alternatives of c, for filters that need more than a match. */
	void (*narrow)(struct box *b, struct counter *c, const struct cat_event *e);
	/*
	 * Which element of array register r the control of c leads to, and in *second whether to
	 * the second of two selections in it; CAT_ABSENT: to none.  Without the operation: the counter's
	 * own number for the control itself, 0 for others.
	 */
	uint32_t (*element)(const struct box *b, const struct counter *c, const struct cat_reg *r,
			    bool *second);
};

/* What registers do beside holding their fields. */
struct pmu_register_ops {
	/* Out of reset. */
	void (*restart)(struct box *b);
	/* Is the register there?  NULL: all are. */
	bool (*there)(const struct box *b, uint32_t slot);
	/* Does this write of the register fault now? */
	bool (*locked)(const struct box *b, uint32_t slot, uint64_t written);
	/* Software wrote `written` to a register that held `old`; what it holds now is stored. */
	void (*wrote)(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
	/* Software reads a register that holds `value`: what it gets. */
	uint64_t (*shown)(struct box *b, uint32_t slot, uint64_t value);
	/* Would the manual call what software reads now undefined? */
	bool (*undefined)(const struct box *b, uint32_t slot);
};

/* How what happens becomes counts, and what follows from them. */
struct pmu_count_ops {
	/* What the box keeps beside its registers, in box.own: made once, freed.  0 or BXS_ENOMEM. */
	int (*init)(struct box *b);
	void (*release)(struct box *b);
	/* Is counter c switched on, as far as registers other than its control say? */
	bool (*runs)(const struct box *b, const struct counter *c);
	/* A counter overflowed at the end of a clock that is over at `when`: all that follows. */
	void (*overflowed)(struct box *b, struct counter *c, uint64_t when);
	/* An occurrence from outside reaches the box; *n: how often it counts.  false: not at all. */
	bool (*tell)(struct box *b, const struct cat_event *e, const struct signal_tag *tag,
		     uint64_t *n);
	/*
	 * The console raises an event, in place of telling all who selected it.  A box with this
	 * operation judges what happens before it tells, so its counters look at no filters.
	 */
	int (*raise)(struct box *b, const struct cat_event *e, const struct cat_umask *u, bool level, uint64_t n);
	/* What a core does; see pmu_tell(). */
	int (*door)(struct pmu *p, const struct door *d, char *why, size_t size);
};

/* A mechanism's tables; NULL: it leaves that one to others. */
struct pmu_mechanism {
	const struct pmu_select_ops *select;
	const struct pmu_register_ops *reg;
	const struct pmu_count_ops *count;
};

/* The tables of all that a box type uses, never NULL (mechanism.c). */
struct pmu_mechanism pmu_mechanisms(const struct cat_type *type);

#endif
