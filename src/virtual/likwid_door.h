/* SPDX-License-Identifier: BSD-2-Clause */
/* The door for LIKWID's access mode "daemon": see likwid_protocol.h. */
#ifndef BXS_LIKWID_DOOR_H
#define BXS_LIKWID_DOOR_H

#include <stddef.h>

#include "virtual/likwid_protocol.h"
#include "virtual/virtual.h"

struct likwid_door;

/*
 * Answer v's registers at the abstract socket `name`, in a thread with all signals blocked, to processes of our
 * user.  0; BXS_EIO (the name is taken) or BXS_ENOMEM, with a sentence in why.
 */
int likwid_door_open(struct virtual *v, const char *name, struct likwid_door **out, char *why, size_t size);
void likwid_door_close(struct likwid_door *d);	/* NULL is allowed */

/* What the door answers to one record of process pid, apart from LIKWID_EXIT. */
void likwid_answer(struct virtual *v, unsigned pid, struct likwid_record *r);

/*
 * The directory of our daemon in front of PATH and the door's name in the environment, for what this process
 * executes.  0, BXS_ENOTSUP with a sentence in why: there is no daemon where it belongs, or BXS_EIO.
 */
int likwid_environment(const char *name, char *why, size_t size);

#endif
