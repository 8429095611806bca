/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of perf's events: their names are known while the door opens them, and what is done with them is done with the event. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#include "virtual/mount_private.h"
#include "virtual/perf_door.h"

enum { MOST_READ = 1 << 16, MOST_OUT = 64 };

static struct perf_event *event_of(const struct fuse_file_info *fi)
{
	return (struct perf_event *)(uintptr_t)fi->fh;
}

static struct stat attributes(const struct mount *m, fuse_ino_t ino)
{
	return (struct stat){ .st_ino = ino, .st_mode = S_IFREG | 0600, .st_nlink = 1, .st_uid = m->owner, .st_gid = m->group };
}

void mount_event_lookup(fuse_req_t req, const char *name)
{
	struct fuse_entry_param e = { .attr_timeout = 0 };
	char *end;
	uint64_t id = strtoull(name, &end, 10);

	if (*end || end == name || id >= MOUNT_FIRST_EVENT) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	e.ino = MOUNT_FIRST_EVENT + id;
	e.attr = attributes(mount_of(req), e.ino);
	fuse_reply_entry(req, &e);
}

void mount_event_getattr(fuse_req_t req, fuse_ino_t ino)
{
	struct stat st = attributes(mount_of(req), ino);

	fuse_reply_attr(req, &st, 0);
}

/* Only the door may open an event by name; everybody else gets EACCES. */
void mount_event_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct mount *m = mount_of(req);
	struct perf_event *e = m->perf ? perf_door_take(m->perf, ino - MOUNT_FIRST_EVENT, (int)fuse_req_ctx(req)->pid) : NULL;

	if (!e) {
		fuse_reply_err(req, EACCES);
		return;
	}
	fi->fh = (uintptr_t)e;
	fi->direct_io = 1;
	fi->nonseekable = 1;
	/* The open was interrupted, so no release will follow. */
	if (fuse_reply_open(req, fi) == -ENOENT)
		perf_event_free(e);
}

void mount_event_read(fuse_req_t req, size_t size, const struct fuse_file_info *fi)
{
	size_t room = size < MOST_READ ? size : MOST_READ;
	void *buf = malloc(room ? room : 1);
	long got = buf ? perf_event_read(event_of(fi), buf, room) : -ENOMEM;

	if (got < 0)
		fuse_reply_err(req, (int)-got);
	else
		fuse_reply_buf(req, buf, (size_t)got);
	free(buf);
}

void mount_event_ioctl(fuse_req_t req, unsigned request, const void *arg, const struct fuse_file_info *fi, const void *in,
		       size_t out_size)
{
	char out[MOST_OUT] = { 0 };
	long answer = out_size > sizeof out ? -ENOTTY : perf_event_ioctl(event_of(fi), request, (uintptr_t)arg, in, out);

	if (answer < 0)
		fuse_reply_err(req, (int)-answer);
	else
		fuse_reply_ioctl(req, (int)answer, out, out_size);
}

/* An event without a buffer has hung up; other files can always be read. */
void mount_event_poll(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi, struct fuse_pollhandle *handle)
{
	(void)fi;
	if (handle)
		fuse_pollhandle_destroy(handle);
	fuse_reply_poll(req, ino >= MOUNT_FIRST_EVENT ? POLLHUP : POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM);
}

void mount_event_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	if (ino >= MOUNT_FIRST_EVENT)
		perf_event_free(event_of(fi));
	fuse_reply_err(req, 0);
}
