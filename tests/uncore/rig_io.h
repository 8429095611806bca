/* SPDX-License-Identifier: BSD-2-Clause */
/* A device's access on a test's rig. */
#ifndef BXS_TESTS_RIG_IO_H
#define BXS_TESTS_RIG_IO_H

#include "rig.h"
#include "uncore/io/io.h"

/* At the rig's time; returns when it is done. */
static inline uint64_t rig_io(struct rig *r, unsigned socket, unsigned kind, uint64_t line)
{
	struct fabric_io io = { .line = line, .when = r->now, .socket = (uint8_t)socket, .kind = (uint8_t)kind };

	return fabric_io(r->f, &io);
}

#endif
