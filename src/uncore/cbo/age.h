/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a request does to the ages of its set, found by comparing before and after.  The manual's ages count the other way
 * round: 3 is the youngest, 0 goes next.
 */
#ifndef BXS_UNCORE_CBO_AGE_H
#define BXS_UNCORE_CBO_AGE_H

#include "uncore/fabric_core.h"

struct cbo_ages {
	struct fabric_socket *s;
	struct cbo *cbo;
	uint64_t line;
	unsigned slice;
	int way;			/* of the line, -1: it was not there */
	bool on;
	uint8_t meta[LLC_WAYS];
};

struct cbo_ages cbo_ages_look(struct fabric *f, unsigned socket, uint64_t line);

/* The line was looked for, and if it was there it was touched. */
void cbo_ages_tell(const struct cbo_ages *a, uint64_t when);

#endif
