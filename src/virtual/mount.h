/* SPDX-License-Identifier: BSD-2-Clause */
/* The file-system door: a machine's files, mounted through FUSE on a directory. */
#ifndef BXS_MOUNT_H
#define BXS_MOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "virtual/virtual.h"

struct mount;
struct perf_door;

struct mount_config {
	const char *dir;		/* an existing directory */
	bool allow_other;		/* other users may do what the owner may */
	/* The mount goes when we are killed: see guard.h.  Without, whoever mounts in a mount namespace of its own
	 * loses it with the namespace. */
	bool tidy;
	struct perf_door *perf;		/* whose events are files of the mount; NULL: there are none */
};

/* The directory of events, which the door alone opens files in. */
#define MOUNT_EVENTS "perf"

/*
 * Mount.  v outlives the mount.  A dead mount that lies on dir from before is taken away.  0; BXS_ENOENT (no such
 * directory), BXS_ENOTSUP (no FUSE here, or no permission; the machine has no such files), BXS_ENOMEM, with a sentence in why.
 */
int mount_open(struct virtual *v, const struct mount_config *config, struct mount **out, char *why,
	       size_t size);

/* Answer until the file system is unmounted or `stop` can be read (-1: there is none).  0 or BXS_EIO. */
int mount_serve(struct mount *m, int stop);

/* Unmount if it is mounted, and free.  NULL is allowed. */
void mount_close(struct mount *m);

#endif
