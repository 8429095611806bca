/* SPDX-License-Identifier: BSD-2-Clause */
/* The head, which is the first of the JSON lines: what was measured, and on which machine. */
#ifndef BXS_REPORT_HEAD_H
#define BXS_REPORT_HEAD_H

#include <jansson.h>
#include <stdbool.h>

#include "boxscore.h"

enum { HEAD_FORMAT = 1 };	/* format of the lines: goes up with a change that old readers cannot ignore */

/*
 * Describe the machine: its family, the specification as given, all keys of the specification, and the boxes of a socket.  Callers add
 * what they measure.  NULL: no memory.
 */
json_t *head_of(const bxs_machine *m, const char *spec);

/* Check the head of a file.  NULL: readers can rely on it; else the first key that docs/reference/readings.md does not allow as it is. */
const char *head_fault(const json_t *head);

/* Make a JSON string of a text from the system, such as a file name.  Bytes that are not UTF-8 become "?". */
json_t *head_text(const char *text);

#endif
