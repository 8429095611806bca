/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mount namespace of our own, in which a machine's files lie over the system's: what is done there
 * nobody else sees, and it is gone with the last process in it.
 */
#ifndef BXS_SPACE_H
#define BXS_SPACE_H

#include <stddef.h>

struct space {
	char stage[32];			/* a directory that is out of the way */
	char mount[40];			/* below it: where the machine's files are mounted first */
	char build[40];			/* below it: where directories are put together */
};

/*
 * Move this process into a mount namespace of its own, as root of a user namespace when it has no right to
 * otherwise, and prepare *s.  Call it before there are threads.  0; BXS_ENOTSUP: the kernel or the container
 * forbids it, with a sentence in why; the process may then be half moved and should end.
 */
int space_enter(struct space *s, char *why, size_t size);

/*
 * Lay what is mounted on s->mount over the system's files and take the stage away.  0 or BXS_ENOTSUP with a
 * sentence in why.
 */
int space_cover(const struct space *s, char *why, size_t size);

/*
 * Of that: what the control groups of this process say about the CPUs and nodes it may use is the machine's instead, all of
 * them.  Where that cannot be done the system's stay.
 */
void space_cover_limits(const struct space *s);

/* Kill all processes of this mount namespace but ourselves, until there are none left. */
void space_sweep(void);

#endif
