/* SPDX-License-Identifier: BSD-2-Clause */
/* Readings of the same thing in several runs: their mean, and how much they differ. */
#ifndef BXS_CLI_REPEAT_H
#define BXS_CLI_REPEAT_H

#include "boxscore.h"

enum { REPEAT_MOST = 1000 };	/* runs */

/* What one row of the readings was in all runs in which it was there. */
struct repeat_row {
	struct bxs_reading reading;	/* strings are the row's own; value, error and truth: means of the runs */
	unsigned runs;			/* runs so far */
	double squares;			/* sum of the squared differences from the mean */
};

struct repeat {
	unsigned rows, room, at;	/* at: where the next reading of this run is looked for first */
	struct repeat_row *row;
	unsigned runs;			/* that have ended with readings */
	double time_ns;			/* machine time of a run: the mean */
};

/* A run has ended after so much machine time; its readings follow. */
void repeat_begin(struct repeat *r, uint64_t time_ns);
/* One more reading of that run.  0 or BXS_ENOMEM. */
int repeat_add(struct repeat *r, const struct bxs_reading *reading);
/* Standard deviation of the runs' values, with n - 1; 0 of a single run. */
double repeat_spread(const struct repeat_row *row);
void repeat_free(struct repeat *r);

#endif
