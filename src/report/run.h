/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read one run's JSON lines into columns.  A series is one event or metric of one box and has a value for each interval.  Unusable lines
 * are left out with a sentence that says where and why; all other lines are kept.
 */
#ifndef BXS_REPORT_RUN_H
#define BXS_REPORT_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The columns of a series, with one number for each interval; NAN: no number. */
enum run_column { RUN_VALUE, RUN_ERROR, RUN_TRUTH, RUN_SPREAD, RUN_COLUMNS };

/* Validity of an interval in which the series has no line. */
enum { RUN_NO_LINE = 7 };

struct run_series {
	char *name, *box, *unit;
	int socket;			/* -1: the sum over all sockets */
	bool metric;
	double *column[RUN_COLUMNS];	/* one number for each interval; NULL: the series has no such column */
	uint8_t *validity;		/* enum bxs_validity, or RUN_NO_LINE */
	size_t filled;			/* intervals so far */
};

struct run_texts {
	char **text;
	size_t count, room;
};

struct run {
	const char *file;		/* the file's name for messages; belongs to the caller */
	json_t *head;			/* the first line, if it is a head; else NULL */
	struct run_series *series;
	size_t count, room, at;		/* at: the series to try first for the next line */
	uint64_t *time;			/* ends of the intervals, in nanoseconds */
	size_t times, time_room;
	struct run_texts notes, problems;
	size_t line, left_out;		/* lines read, and how many of them were left out */
	bool ended;			/* the lines that follow belong to another run */
};

/* Read one more line, with or without its newline; text[size] is 0.  Returns 0 or BXS_ENOMEM. */
int run_line(struct run *r, const char *text, size_t size);
/* No line follows: extend all series to the length of the run.  Returns 0 or BXS_ENOMEM. */
int run_end(struct run *r);
/* Read all lines of a file and call run_end().  Returns 0, BXS_EIO or BXS_ENOMEM. */
int run_file(struct run *r, FILE *from);
void run_free(struct run *r);

#endif
