/* SPDX-License-Identifier: BSD-2-Clause */
/* Printing a reading: for output*.c only. */
#ifndef BXS_CLI_OUTPUT_PRIVATE_H
#define BXS_CLI_OUTPUT_PRIVATE_H

#include <math.h>

#include "output.h"
#include "report/shown.h"

struct printing {
	struct output *o;
	FILE *to;
	uint64_t time_ns;
	bxs_session *session;		/* the readings, or */
	const struct repeat *repeat;	/* the means */
	const struct repeat_row *row;	/* the reading is the mean of this; NULL: it is of one run */
};

static inline bool has_value(const struct bxs_reading *r)
{
	return r->validity < BXS_NOT_MODELLED;
}

/* How far the reading is from the truth, if both are known. */
static inline bool has_difference(const struct bxs_reading *r)
{
	return r->has_truth && has_value(r);
}

/* In percent of the truth; false: there is nothing to take a share of. */
static inline bool percent_off(const struct bxs_reading *r, double *percent)
{
	double difference = r->value - r->truth;

	if (r->truth == 0 && difference != 0)
		return false;
	*percent = r->truth == 0 ? 0 : 100 * difference / fabs(r->truth);
	return true;
}

/* output.c: a value as people read it, or a dash. */
void output_value(bool there, double value, char *out, size_t size);

/* output_data.c: one reading as an object or as separated values, and what stands above these.  0, or not. */
int output_json(const struct printing *p, const struct bxs_reading *r);
int output_separated(const struct printing *p, const struct bxs_reading *r);
void output_separated_head(const struct printing *p);

#endif
