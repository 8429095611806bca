/* SPDX-License-Identifier: BSD-2-Clause */
/* The first of the JSON lines: what was measured, and on which machine. */
#ifndef BXS_REPORT_HEAD_H
#define BXS_REPORT_HEAD_H

#include <jansson.h>
#include <stdbool.h>

#include "boxscore.h"

enum { HEAD_FORMAT = 1 };	/* of the lines: a change that old readers cannot ignore gets another number */

/*
 * What the machine is: family, spec as it was given, keys of a specification, boxes of a socket.  Callers add what they measure.
 * NULL: no memory.
 */
json_t *head_of(const bxs_machine *m, const char *spec);

/* NULL: readers can rely on the head of a file; else the key that is not what docs/reference/readings.md says. */
const char *head_fault(const json_t *head);

/* A text of the system's, such as the name of a file: where it is not UTF-8, as JSON is, its other bytes become "?". */
json_t *head_text(const char *text);

#endif
