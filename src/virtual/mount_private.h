/* SPDX-License-Identifier: BSD-2-Clause */
/* A mounted machine, for mount.c (its life) and mount_ops.c (what it answers). */
#ifndef BXS_MOUNT_PRIVATE_H
#define BXS_MOUNT_PRIVATE_H

#include <sys/types.h>

#include "virtual/mount.h"
#include "virtual/tree.h"

struct fuse_session;
struct fuse_lowlevel_ops;

struct mount {
	struct virtual *machine;
	struct tree tree;
	struct fuse_session *session;
	uid_t owner;
	gid_t group;
	bool share;			/* others may do what the owner may */
	bool mounted;			/* and to be unmounted by us */
};

extern const struct fuse_lowlevel_ops mount_ops;

#endif
