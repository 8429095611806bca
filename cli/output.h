/* SPDX-License-Identifier: BSD-2-Clause */
/* Printing readings: as a table for people, separated values, or JSON lines. */
#ifndef BXS_CLI_OUTPUT_H
#define BXS_CLI_OUTPUT_H

#include <stdio.h>

#include "boxscore.h"
#include "repeat.h"
#include "report/run.h"

enum output_format { OUTPUT_TABLE, OUTPUT_SEPARATED, OUTPUT_JSON };

struct output {
	enum output_format format;
	const char *separator;
	enum bxs_by by;
	bool truth;		/* beside each reading, what it really was */
	bool intervals;		/* each reading says of what time it is */
	bool head;		/* JSON lines are between one about the machine and those of notes */
	struct run *page;	/* gets all JSON lines, whatever the format; NULL: nobody asks */
	bool repeated;		/* beside each reading, which is a mean, how much the runs differ */
	const char *path;	/* where it goes, for messages; NULL: file is a standard stream */
	FILE *file;
	unsigned width;		/* columns of the terminal; 0: lines may have any length */
	unsigned vague;		/* rows whose error is larger than what was read */
	bool began;		/* the head has been printed */
	bool broken;		/* file takes no more: what came since went to standard error */
};

/*
 * Print the readings of the interval that ends at time_ns.  What cannot be written to the
 * file is printed to standard error instead, so that no reading is lost.  0, or BXS_EIO or
 * BXS_ENOMEM.
 */
int output_interval(struct output *o, bxs_session *s, uint64_t time_ns);

/* The same for the means of several runs. */
int output_repeated(struct output *o, const struct repeat *r);

/* A line that is no reading, for JSON lines with a head and for the page.  0, BXS_EIO or BXS_ENOMEM. */
int output_line(struct output *o, const json_t *line);

/* A heading of the table, before the first interval; other formats have none. */
void output_heading(struct output *o, const char *text);

#endif
