/* SPDX-License-Identifier: BSD-2-Clause */
/* An equation as the evaluator sees it: postfix steps.  For metric*.c only. */
#ifndef BXS_MEASURE_METRIC_PRIVATE_H
#define BXS_MEASURE_METRIC_PRIVATE_H

#include "measure/metric.h"

/* The deepest equation of the catalogue has 55 events, 22 metrics in it, 7 levels (HWDPREF_NOBUDDY, LLC_DREF_HIT). */
enum { METRIC_STEPS = 192, METRIC_TERMS = 64, METRIC_PARTS = 64, METRIC_TEXTS = 64, METRIC_DEPTH = 8, METRIC_SCOPES = 16 };

enum step_kind {
	STEP_NUMBER, STEP_EVENT, STEP_CONSTANT, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE,
	STEP_NEGATE, STEP_ROUND,
};

enum metric_constant {
	CONSTANT_BOX_CLOCKS, CONSTANT_TSC, CONSTANT_INTERVAL, CONSTANT_TSC_MHZ, CONSTANT_UNCORE_MHZ,
	CONSTANT_SECONDS, CONSTANT_INSTRUCTIONS, CONSTANT_CYCLES, CONSTANT_GB,
};

struct step {
	enum step_kind kind;
	unsigned index;		/* STEP_EVENT: term; STEP_CONSTANT: which */
	unsigned scope;		/* STEP_CONSTANT */
	double number;
};

/* What an equation's names and clocks are relative to: its box type.  A metric of another type in it has a scope of its own. */
struct metric_scope {
	int type;			/* index of the box type, or -1 */
	unsigned term;			/* the first event in it; METRIC_TERMS: none */
	unsigned clock_event;		/* counts clocks of the boxes' domain; NAMES_NONE */
};

struct metric {
	unsigned steps, terms, texts;
	struct step step[METRIC_STEPS];
	unsigned event[METRIC_TERMS];	/* of the session */
	/* A term may be the sum of several events, one for each port: further ones, by term. */
	unsigned parts;
	struct { unsigned term, event; } part[METRIC_PARTS];
	char *text[METRIC_TEXTS];	/* equations with their variables replaced */
	unsigned scopes;		/* the first is the metric's own */
	struct metric_scope scope[METRIC_SCOPES];
	unsigned uncore_event;		/* counts uncore clocks */
};

/* A copy in which x has its value and z, the direction of a link, is the receiving one; the caller's to free, NULL: no memory. */
char *metric_substitute(const char *equation, int x);

#endif
