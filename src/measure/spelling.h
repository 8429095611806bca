/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as other tools spell them, turned into event strings of ours (event.h):
 *
 *	UNC_M_CAS_COUNT.RD                           Intel's event files, and perf with them
 *	uncore_imc_0/cas_count_read/, uncore_cbox/event=0x34,umask=0x11,filter_state=0x7f/
 *	cycles, LLC-loads                            perf
 *	hswep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY         libpfm4
 *	CAS_COUNT_RD:MBOX0C0                         LIKWID
 *	imc/config=0x304,name=READS                  PCM's pcm-raw
 *	cbo.r1134                                    umask and event as perf writes raw events
 *
 * Most names differ from ours in a prefix and in what separates their parts: rules turn those round.  The rest
 * are lines of the catalogue (struct cat_alias).  None of this is asked before a name has been looked up as
 * one of ours in vain.
 */
#ifndef BXS_MEASURE_SPELLING_H
#define BXS_MEASURE_SPELLING_H

#include "measure/event.h"

enum { SPELLING_SIZE = 640 };

enum spelling_kind {
	SPELLING_OURS = 0,	/* none of another tool's that is known */
	SPELLING_EVENT,
	SPELLING_EQUATION,	/* `text` is an equation (metric.h): the cores count it */
};

struct spelling {
	char text[SPELLING_SIZE];	/* the same in our notation */
	struct span name;		/* what it is called, part of what was written */
};

/*
 * Reads what stands at s->p, and moves it behind that.  An enum spelling_kind, or BXS_EINVAL or BXS_ENOENT with
 * s->err filled: it is another tool's, but nothing of ours.
 */
int spelling_read(const struct names *n, struct event_scan *s, struct spelling *out);

/*
 * The same at s->p in an equation, where `/`, `:` and `-` mean something else: only what can be nothing but another
 * tool's, such as PMU/.../, PMU::EVENT, EVENT:COUNTER, cpu-cycles; with `plain` also a name that stands for itself,
 * such as cycles.  out->text is an equation.
 */
int spelling_in_equation(const struct names *n, struct event_scan *s, bool plain, struct spelling *out);

/* How long PMU/.../ is that stands at text, whose commas are its own; 0: none does. */
size_t spelling_pmu_length(const struct names *n, const char *text);

/*
 * The same for words of an equation, whose text s is: their name alone, in an equation's notation.  What is written is
 * then in *words, to be resolved with *scan; all of it points into *out.  The error in s->err changes only with another tool's.
 */
int spelling_words(const struct names *n, const struct event_scan *s, const struct event_words *w, struct spelling *out,
		   struct event_scan *scan, struct event_words *words);

/* What stands ahead of the name that perf has for a type's PMU: "uncore_", but for the cores'. */
const char *spelling_pmu_prefix(const char *pmu);

/* tool: "perf"; text lives as long as the call. */
typedef void (*spelling_fn)(void *ctx, const char *tool, const char *text);

/* How other tools spell an event of the catalogue; umask: of cat_umasks, or NAMES_NONE. */
void spelling_each(const struct names *n, unsigned event, uint32_t umask, spelling_fn fn, void *ctx);

#endif
