/* SPDX-License-Identifier: BSD-2-Clause */
/* The first of the JSON lines: what was measured, and on which machine. */
#ifndef BXS_REPORT_HEAD_H
#define BXS_REPORT_HEAD_H

#include <jansson.h>

#include "boxscore.h"

/*
 * What the machine is: family, spec as it was given, keys of a specification, boxes of a socket.  Callers add what they measure.
 * NULL: no memory.
 */
json_t *head_of(const bxs_machine *m, const char *spec);

#endif
