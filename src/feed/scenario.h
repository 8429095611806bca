/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scenarios: text files that say which kernels run on which cores, phase after phase, on which
 * machine, and what is worth measuring there (docs/guide/scenarios.md has the grammar).
 */
#ifndef BXS_FEED_SCENARIO_H
#define BXS_FEED_SCENARIO_H

#include "feed/feed.h"

enum {
	SCENARIO_PHASES = 64, SCENARIO_RUNS = 256, SCENARIO_LIST = 16, SCENARIO_LINE = 1000,
	SCENARIO_NAME = 40,
};

/* A statement that names something: its text, and its line for messages. */
struct scenario_text {
	char *text;		/* NULL: there is none */
	unsigned line;
};

struct scenario_phase {
	char name[SCENARIO_NAME];
	unsigned line;
	uint64_t limit;		/* picoseconds after which it is ended; 0: when all runs have ended */
	uint64_t rest;		/* picoseconds in which nothing runs; then it has no runs */
	uint64_t times;
	unsigned run0, runs;
};

enum scenario_kind { SCENARIO_EVENTS, SCENARIO_METRICS, SCENARIO_DMA, SCENARIO_FAULT, SCENARIO_KINDS };

struct scenario {
	char *file;
	char name[SCENARIO_NAME];
	char *about;
	struct scenario_text machine;
	unsigned lists[SCENARIO_KINDS];
	struct scenario_text list[SCENARIO_KINDS][SCENARIO_LIST];
	unsigned phases, runs;
	struct scenario_phase phase[SCENARIO_PHASES];
	struct scenario_text run[SCENARIO_RUNS];	/* kernels, phase after phase */
};

/*
 * Read len characters of text, which came out of `file`.  0, BXS_ENOMEM, or BXS_EINVAL with
 * "file:line: what is wrong" in why.
 */
int scenario_parse(const char *file, const char *text, size_t len, struct scenario **out, char *why, size_t size);
void scenario_free(struct scenario *s);		/* NULL is allowed */

#define SCENARIO_SUFFIX ".scenario"

/* Of a file: as scenario_parse(), and BXS_ENOENT. */
int scenario_read(const char *path, struct scenario **out, char *why, size_t size);
/* A shipped one by its name, or a file, whose name has a slash or the suffix. */
int scenario_find(const char *name, struct scenario **out, char *why, size_t size);
/* How long NAME of NAME.scenario is; 0: the file is none. */
size_t scenario_name_length(const char *file);

/* Drive the machine by it; s outlives the feed.  Kernels that the machine cannot run, or that meet on a core,
 * are found here: BXS_EINVAL or BXS_ENOTSUP, with file and line in why. */
int scenario_open(struct machine *m, const struct scenario *s, struct feed **out, char *why, size_t size);

#endif
