/* SPDX-License-Identifier: BSD-2-Clause */
/* A mounted machine, for mount.c (its life), mount_ops.c (names) and mount_files.c (contents). */
#ifndef BXS_MOUNT_PRIVATE_H
#define BXS_MOUNT_PRIVATE_H

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
#include <sys/types.h>

#include "virtual/guard.h"
#include "virtual/mount.h"
#include "virtual/tree.h"

struct mount {
	struct virtual *machine;
	struct tree tree;
	struct cpu_page *cpu;		/* what CPUID says */
	struct fuse_session *session;
	uid_t owner;
	gid_t group;
	struct timespec since;		/* all files are from then */
	bool share;			/* others may do what the owner may */
	struct guard guard;
	bool mounted;			/* and to be unmounted by us */
	struct perf_door *perf;		/* NULL: nobody opens events */
	uint32_t events;		/* the node of their directory */
};

extern const struct fuse_lowlevel_ops mount_ops;

struct mount *mount_of(fuse_req_t req);
/* Inode n is node n - 1; NULL: there is none. */
const struct tree_node *mount_node(fuse_req_t req, fuse_ino_t ino);

/* mount_files.c: operations on files that are not directories; see struct fuse_lowlevel_ops. */
void mount_file_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void mount_file_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi);
void mount_file_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t offset,
		      struct fuse_file_info *fi);
void mount_file_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned int cmd, void *arg, struct fuse_file_info *fi,
		      unsigned flags, const void *in, size_t in_size, size_t out_size);

/* mount_events.c: the same for the files of events, whose inodes begin here. */
#define MOUNT_FIRST_EVENT (UINT64_C(1) << 32)

void mount_event_lookup(fuse_req_t req, const char *name);
void mount_event_getattr(fuse_req_t req, fuse_ino_t ino);
void mount_event_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void mount_event_read(fuse_req_t req, size_t size, const struct fuse_file_info *fi);
void mount_event_ioctl(fuse_req_t req, unsigned request, const void *arg, const struct fuse_file_info *fi, const void *in,
		       size_t out_size);
void mount_event_poll(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct fuse_pollhandle *handle);
void mount_event_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);

#endif
