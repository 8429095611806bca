/* SPDX-License-Identifier: BSD-2-Clause */
/* Who calls perf_event_open(), and what with, as far as it stands in that process and not in the call's numbers. */
#ifndef BXS_PERF_CALLER_H
#define BXS_PERF_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/perf.h"

enum { PERF_CALLER_ATTR = 4096 };

struct perf_caller {
	struct perf_call call;
	uint8_t attr[PERF_CALLER_ATTR];
};

/*
 * The call of thread tid with these arguments; events are files of the mount whose root is `root`.  0, or the error that
 * ends the call: -EFAULT, -EINVAL, -E2BIG.
 */
int perf_caller_read(struct perf_caller *c, int root, int tid, const unsigned long long args[6]);

/*
 * Is it about programs, not about processors (faults, switches, breakpoints, a probe of a process)?  Programs run on this
 * computer, whose kernel may answer.
 */
bool perf_caller_is_of_programs(const struct perf_caller *c);

#endif
