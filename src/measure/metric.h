/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics: equations over readings, in the manual's notation (docs/reference/catalogue.md).
 *
 *	(TOR_OCCUPANCY.OPCODE / TOR_INSERTS.OPCODE) with:Cn_MSR_PMON_BOX_FILTER1.opc=0x182
 *
 * Besides events, numbers and other metrics an equation may use
 *
 *	SAMPLE_INTERVAL, TOTAL_CORE_CYCLES	clocks of the box over the interval; summed
 *						over boxes like the events beside them
 *	TSC					time stamp counts, summed likewise
 *	TOTAL_INTERVAL				time stamp counts of the interval, not summed
 *	TSC_SPEED				MHz of the time stamp counter
 *	UNCORE_FREQUENCY			MHz of the uncore clock, measured
 *	SECONDS					of the interval
 *	INST_RETIRED.ALL, CORE_CYCLES		of the cores of the socket
 *	GB_CONVERSION				2^30
 *	ROUND(value, digits)
 */
#ifndef BXS_MEASURE_METRIC_H
#define BXS_MEASURE_METRIC_H

#include "measure/session.h"

struct metric;

/*
 * Compile an equation and ask the session for what it needs.
 *
 * type:   index of the box type in which events without a box are looked up, or -1.
 * x:      what a variable x stands for (RANKx, NODEx); -1: there must be none.
 * bundle: for session_add().
 * Returns 0, BXS_ENOMEM, BXS_ENOENT or BXS_EINVAL with err filled (err->at counts in the
 * equation).
 */
int metric_new(struct session *s, const struct names *n, const char *equation, int type, int x,
	       unsigned bundle, struct metric **out, struct event_error *err);
void metric_free(struct metric *m);		/* NULL is allowed */

/*
 * The value over the session's interval; socket, box: -1 for all.  When there is none, out->validity
 * says so and why (size bytes) names what is missing.
 */
void metric_value(const struct metric *m, const struct session *s, int socket, int box,
		  struct session_value *out, char *why, size_t size);

/* The same over what the machine knows (see session_truth()). */
void metric_truth(const struct metric *m, const struct session *s, int socket, int box,
		  struct session_value *out);

/* Is everything in the equation that is an event measured on some box? */
bool metric_measurable(const struct metric *m, const struct session *s);

/* An event of the equation whose boxes are those of the metric; NAMES_NONE: none. */
unsigned metric_event(const struct metric *m);

/*
 * Find a metric of the catalogue by name, in one box type or (-1) in all.  A name with a number where
 * the catalogue's has x (RANK3 for RANKx) is found too, and *x is the number; else -1.
 * Returns its index into cat_metrics, or NAMES_NONE; *matches: how many have the name.
 */
uint32_t metric_find(const struct names *n, int type, struct span name, int *x, unsigned *matches);
/* A metric by name: of the catalogue's, or of the default set. */
struct metric_found {
	uint32_t equation;	/* string of the catalogue */
	int type, x;		/* type: -1 for what belongs to no box type */
	unsigned matches;	/* how many have the name; the first is told of */
};

/*
 * Find a metric by name, in one box type or (-1) in all: the catalogue's first, since names may differ in
 * case alone (QPI_DATA_BW is the manual's, qpi_data_bw the default set's).  False: there is none.
 */
bool metric_look_up(const struct names *n, int type, struct span name, struct metric_found *out);
/* Would that find a metric whose name in the catalogue is pattern? */
bool metric_is_called(const char *pattern, struct span name);
/* Does the equation have a variable x? */
bool metric_has_x(const char *equation);

#endif
