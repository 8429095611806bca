/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that processes share: mapped files, anonymous shared memory, System V segments.  Each process has it at
 * addresses of its own, so what leaves a core names its lines by file and offset, in an address space of their own:
 * then the machine sees one line, whoever uses it.
 */
#ifndef BXS_PLUGIN_SHARED_H
#define BXS_PLUGIN_SHARED_H

#include "plugin.h"

#define PLUGIN_SHARED_SPACE 240		/* behind those of processes (RING_SPACES), before those of devices */
#define PLUGIN_SHARED_RANGES 64		/* mappings of a process; further ones are its own */

/* Mappings of this process: none is looked for while there are none. */
extern unsigned plugin_shared_ranges;

/* The process has made this system call, with success: its mappings may be other ones. */
void plugin_shared_called(int64_t num, const uint64_t arg[4], int64_t ret);

/* The record as the machine is to have it. */
void plugin_shared_name(struct leave_record *rec);

/* A snoop for such a line, for each address at which this process has it. */
void plugin_shared_snoop(struct plugin_core *c, const struct leave_snoop *snoop);

/* How the core holds the line that a snoop is about. */
enum cache_state plugin_holds(const struct plugin_core *c, const struct leave_snoop *line);

/* Any snoop, done to the core. */
static inline void plugin_snoop(struct plugin_core *c, const struct leave_snoop *snoop)
{
	if (__builtin_expect(snoop->space == PLUGIN_SHARED_SPACE, 0))
		plugin_shared_snoop(c, snoop);
	else
		xcore_snoop(&c->x, snoop);
}

#endif
