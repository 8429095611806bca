/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The readings of one run, from JSON lines into columns: a series is one event or metric of one box, with a value for each
 * interval.  Lines that cannot be used are left out, and a sentence says where and why; all else is kept.
 */
#ifndef BXS_REPORT_RUN_H
#define BXS_REPORT_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a series has a number of in each interval; NAN: none there. */
enum run_column { RUN_VALUE, RUN_ERROR, RUN_TRUTH, RUN_SPREAD, RUN_COLUMNS };

/* Validity of an interval in which the series has no line. */
enum { RUN_NO_LINE = 7 };

struct run_series {
	char *name, *box, *unit;
	int socket;			/* -1: summed over all */
	bool metric;
	double *column[RUN_COLUMNS];	/* a number an interval; NULL: it has none */
	uint8_t *validity;		/* enum bxs_validity, or RUN_NO_LINE */
	size_t filled;			/* intervals so far */
};

struct run_texts {
	char **text;
	size_t count, room;
};

struct run {
	const char *file;		/* for messages, the caller's */
	json_t *head;			/* the first line, if it is about the machine; NULL: there is none */
	struct run_series *series;
	size_t count, room, at;		/* at: where the next line's series is looked for first */
	uint64_t *time;			/* ends of the intervals, in nanoseconds */
	size_t times, time_room;
	struct run_texts notes, problems;
	size_t line, left_out;		/* lines read; those of them that were left out */
	bool ended;			/* what follows is of another run */
};

/* One more line, with or without its end; text[size] is 0.  0, or BXS_ENOMEM. */
int run_line(struct run *r, const char *text, size_t size);
/* No line follows: all series become as long as the run.  0, or BXS_ENOMEM. */
int run_end(struct run *r);
/* All lines of a file, and its end.  0, BXS_EIO, or BXS_ENOMEM. */
int run_file(struct run *r, FILE *from);
void run_free(struct run *r);

#endif
