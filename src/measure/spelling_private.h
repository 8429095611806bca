/* SPDX-License-Identifier: BSD-2-Clause */
/* Another tool's event being turned into ours: for spelling*.c only. */
#ifndef BXS_MEASURE_SPELLING_PRIVATE_H
#define BXS_MEASURE_SPELLING_PRIVATE_H

#include "measure/event_private.h"
#include "measure/spelling.h"

#define CORES_PMU "cpu"		/* perf's for the cores, the only one that is not behind uncore_ */

struct spelt {
	const struct names *n;
	struct event_scan *s;
	struct span name;		/* as in struct spelling */
	uint32_t type;			/* index into cat_types, NAMES_NONE: not known yet */
	int box;			/* -1: all */
	bool full;			/* some part was too long */
	char event[192];		/* EVENT.SUBEVENT, or all of an event string when type is not known */
	char fields[224];		/* :field=value... */
	char regs[160];			/* REGISTER[hi:lo]=value,... */
};

/* Append to one of the parts. */
void spelt_put(struct spelt *x, char *part, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
#define SPELT_PUT(x, part, ...) spelt_put((x), (x)->part, sizeof (x)->part, __VA_ARGS__)

int spelt_fail(struct spelt *x, struct span at, int code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Letters, digits and underscores from p on, and what of `more` stands between them. */
struct span spelt_word(const struct event_scan *s, const char *p, const char *more);

/* Does it begin so, but for case? */
bool spelt_begins(struct span text, const char *prefix);

/*
 * The type that the tool calls so, with or without a number behind that, which goes to *number (-1: none).
 * NAMES_NONE: none of this family.
 */
uint32_t spelt_type(const struct names *n, enum cat_tool tool, struct span name, int *number);

/*
 * The catalogue's line about a name, of this type or of none: 1 and what it stands for in out; 0: there is none;
 * BXS_ENOENT: there is no counterpart, and s->err says why.
 */
int spelt_alias(struct spelt *x, enum cat_tool tool, unsigned type, struct span name, char *out, size_t size);

/* A field by the tool's name; without a value (.s NULL) it is a flag. */
int spelt_field(struct spelt *x, enum cat_tool tool, struct span name, struct span value);

/* Each reads its style from s->p on.  An enum spelling_kind or an error. */
int spelt_dotted(struct spelt *x, struct span pmu);	/* UNC_..., behind PMU:: if there is one (libpfm4) */
int spelt_pmu(struct spelt *x, struct span pmu);	/* PMU/.../ */
int spelt_likwid(struct spelt *x);
bool spelt_at_counter(struct spelt *x, const char *p);	/* a counter of LIKWID's? */

/* Event select and umask in `event`; a register value that a control of the type would get, into event and fields. */
int spelt_encode(struct spelt *x, uint64_t event, uint64_t umask);
int spelt_config(struct spelt *x, struct span at, uint64_t config);

#endif
