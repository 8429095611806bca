/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is special about a box type, found in a table by the names of family and type.
 * Most types need nothing; everything that the catalogue can say is said there.
 */
#ifndef BXS_PMU_HOOKS_H
#define BXS_PMU_HOOKS_H

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
struct signal_test;
struct pmu_sum;

/* How the subevents of one event combine where "any of the selected bits" is not the rule. */
struct pmu_masks {
	uint32_t code, ext;
	uint32_t qualifiers;	/* bits that narrow what the others select */
	uint32_t groups[2];	/* one bit of each group must be selected, and hold */
	uint32_t alone;		/* bits that count nothing together with others */
	bool once;		/* adds 1 in a clock, however many of the bits hold */
};

/* A free-running counter: which event of its box it counts, through a threshold. */
struct pmu_free {
	const char *reg;	/* end of the register's name */
	const char *event;
	uint32_t umask;
	uint16_t threshold;
};

struct pmu_hooks {
	const char *type;
	const struct pmu_masks *masks;		/* ends with a row of code CAT_ABSENT */
	const struct pmu_free *free;		/* ends with a row of reg NULL */
	uint8_t fixed_message;			/* GLOBAL_STATUS bit of the fixed counter */
	bool has_fixed_message;
	/* What a control says, where the fields alone do not tell. */
	void (*decode)(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s);
	/* The test of a filter field without `match` in the catalogue; false: it tests nothing. */
	bool (*filter)(const struct cat_field *f, uint64_t value, struct signal_test *out);
	/* Change the alternatives of c, for filters that need more than a match. */
	void (*narrow)(struct box *b, struct counter *c, const struct cat_event *e);
	/*
	 * Which element of array register r the control of c leads to, and in *second whether to
	 * the second of two selections in it; CAT_ABSENT: to none.  Without the hook: the counter's
	 * own number for the control itself, 0 for others.
	 */
	uint32_t (*element)(const struct box *b, const struct counter *c, const struct cat_reg *r,
			    bool *second);
	/*
	 * The controls select signals, and what of a signal is counted the registers say: each event
	 * on the signal whose needs hold.
	 */
	bool by_signal;
	/* What an event that lacks what it needs counts is the clock of the box, not nothing. */
	bool clocks_unmet;
	/* Does an occurrence of subevent u count for a control that selects `wide`? */
	bool (*widens)(const struct cat_event *e, const struct cat_umask *u,
		       const struct cat_umask *wide);
	/* An event that counts overflows of a sum that the box keeps; false: e counts itself. */
	bool (*sum)(const struct box *b, const struct counter *c, const struct cat_event *e,
		    struct pmu_sum *out);
	/* An occurrence from outside reaches the box; *n: how often it counts.  false: not at all. */
	bool (*tell)(struct box *b, const struct cat_event *e, const struct signal_tag *tag,
		     uint64_t *n);
	/* Is counter c switched on, as far as registers other than its control say? */
	bool (*runs)(const struct box *b, const struct counter *c);
	/* What the box keeps beside its registers, in box.own: made once, freed.  0 or BXS_ENOMEM. */
	int (*init)(struct box *b);
	void (*release)(struct box *b);
	/* Out of reset. */
	void (*restart)(struct box *b);
	/* Does a write of this register fault now? */
	bool (*locked)(const struct box *b, uint32_t slot);
	/* Software wrote `written` to a register that held `old`; what it holds now is stored. */
	void (*wrote)(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
	/* Software reads a register that holds `value`: what it gets. */
	uint64_t (*shown)(struct box *b, uint32_t slot, uint64_t value);
	/* Would the manual call what software reads now undefined? */
	bool (*undefined)(const struct box *b, uint32_t slot);
	/*
	 * The console raises an event, in place of telling all who selected it.  A box with this
	 * hook judges what happens before it tells, so its counters look at no filters.
	 */
	int (*raise)(struct box *b, const struct cat_event *e, bool level, uint64_t n);
	/* A counter overflowed at the end of a clock that is over at `when`: all that follows. */
	void (*overflowed)(struct box *b, struct counter *c, uint64_t when);
};

struct pmu_family_hooks {
	const char *family;
	const struct pmu_hooks *hooks;		/* ends with a row of type NULL */
	/*
	 * Dword `offset` of the configuration space of a function, apart from the registers of
	 * the catalogue; false: the function does not exist.
	 */
	bool (*config)(const struct pmu *p, unsigned socket, enum cat_bus bus, uint32_t base,
		       uint32_t offset, uint32_t *value);
	/* What a core does; see pmu_tell(). */
	int (*tell)(struct pmu *p, const struct door *d, char *why, size_t size);
};

extern const struct pmu_family_hooks pmu_hsx, pmu_nhmex, pmu_poulson, pmu_snbep;

#endif
