/* SPDX-License-Identifier: BSD-2-Clause */
/* What writer and reader of trace files share; the format is described in trace.h. */
#ifndef BXS_FEED_TRACE_FORMAT_H
#define BXS_FEED_TRACE_FORMAT_H

#include <stdint.h>

#include "feed/trace.h"

#define TRACE_MAGIC "BXSTRACE"
#define TRACE_LONGEST_SLEEP (UINT64_C(1) << 56)	/* 20 hours */

enum {
	TRACE_MAGIC_SIZE = 8,
	TRACE_BLOCK = 1 << 18,		/* bytes of records in a block, at most */
	TRACE_RECORD_MAX = 48,		/* bytes of one record with its space, at most */
	TRACE_KIND = 31, TRACE_FLAGS_SHIFT = 5, TRACE_OTHER = 128,
	TRACE_KINDS = LEAVE_REGION,	/* marks of regions are not kept */
	TRACE_SPACE = 30, TRACE_SLEEP = 31,
};

_Static_assert((int)TRACE_KINDS <= (int)TRACE_SPACE && TRACE_KINDS + 1 == LEAVE_KINDS, "kinds have to fit below the trace's own");

/* What the next record is relative to; zero at the start of each block. */
struct trace_core {
	uint64_t line;
	uint8_t space;
};

struct trace_state {
	uint32_t core;
	struct trace_core cores[TRACE_MAX_CORES];
};

static inline uint64_t trace_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t trace_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

#endif
