/* SPDX-License-Identifier: BSD-2-Clause */
/* Feeding a log back: the same accesses at the same moments of machine time, and whether they say the same. */
#ifndef BXS_LOG_REPLAY_H
#define BXS_LOG_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "virtual/virtual.h"

enum { LOG_SPEC = 512 };

/* What a log says of itself; load and faults are "" when there were none. */
struct log_header {
	char spec[LOG_SPEC], load[LOG_SPEC], faults[LOG_SPEC];
};

/* 0; BXS_ENOENT, BXS_EINVAL (not a log) with a sentence in why. */
int log_header(const char *path, struct log_header *out, char *why, size_t size);

struct log_result {
	uint64_t accesses, reads, differ;	/* differ: reads and faults that came out differently */
};

/*
 * Feed the log at path to v, which has not been started.  differ is called with each line that came out differently and
 * what came out ("0x1f" or "#GP").  0; BXS_ENOENT, BXS_EINVAL (a line that cannot be understood) with a sentence in why.
 */
int log_replay(struct virtual *v, const char *path, struct log_result *out,
	       void (*differ)(void *ctx, uint64_t number, const char *line, const char *got), void *ctx, char *why,
	       size_t size);

#endif
