/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking into the process that calls perf_event_open(). */
#include "virtual/perf_caller.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "virtual/mount_private.h"

enum { CAP_ADMIN = 21, CAP_OF_PERF = 38 };

static bool fetch(int tid, uint64_t from, void *to, size_t size)
{
	struct iovec here = { to, size }, there = { (void *)(uintptr_t)from, size };

	return process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* Tell the caller which size would be right. */
static int too_big(int tid, uint64_t attr)
{
	uint32_t right = perf_attr_size();
	struct iovec here = { &right, sizeof right };
	struct iovec there = { (void *)(uintptr_t)(attr + offsetof(struct perf_event_attr, size)), sizeof right };

	(void)!process_vm_writev(tid, &here, 1, &there, 1, 0);
	return -E2BIG;
}

static int fetch_attr(struct perf_caller *c, int tid, uint64_t from)
{
	uint32_t size;
	int err;

	if (!fetch(tid, from + offsetof(struct perf_event_attr, size), &size, sizeof size))
		return -EFAULT;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	c->call.attr = c->attr;
	c->call.size = size;
	if (size < PERF_ATTR_SIZE_VER0 || size > sizeof c->attr)
		return too_big(tid, from);
	if (!fetch(tid, from, c->attr, size))
		return -EFAULT;
	err = perf_attr_check(c->attr, size);
	return err == -E2BIG ? too_big(tid, from) : err;
}

/* The event that a descriptor of the caller leads to, by the inode of its file; 0: none of ours. */
static uint64_t event_of(int root, int tid, int fd)
{
	char path[64];
	struct stat file, mount;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", tid, fd);
	if (stat(path, &file) < 0 || fstat(root, &mount) < 0 || file.st_dev != mount.st_dev || file.st_ino <= MOUNT_FIRST_EVENT)
		return 0;
	return file.st_ino - MOUNT_FIRST_EVENT;
}

/* This computer's kernel has let programs have an event: not one that ours could be grouped with. */
static bool is_kernels(int tid, int fd)
{
	static const char name[] = "anon_inode:[perf_event]";
	char path[64], target[sizeof name];

	snprintf(path, sizeof path, "/proc/%d/fd/%d", tid, fd);
	return readlink(path, target, sizeof target) == sizeof name - 1 && memcmp(target, name, sizeof name - 1) == 0;
}

static void find_group(struct perf_caller *c, int root, int tid, int fd)
{
	if (fd == -1)
		return;
	c->call.group = fd < 0 ? 0 : event_of(root, tid, fd);
	if (!c->call.group)
		c->call.group_error = fd >= 0 && is_kernels(tid, fd) ? -EINVAL : -EBADF;
}

static bool lives(int pid)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%d", pid);
	return pid == 0 || (pid > 0 && access(path, F_OK) == 0);
}

static bool is_capable(int tid)
{
	char path[32], line[128];
	uint64_t caps = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps >> CAP_ADMIN & 1 || caps >> CAP_OF_PERF & 1;
}

int perf_caller_read(struct perf_caller *c, int root, int tid, const unsigned long long args[6])
{
	int err;

	memset(&c->call, 0, sizeof c->call);
	c->call.pid = (int)args[1];
	c->call.cpu = (int)args[2];
	c->call.flags = (unsigned long)args[4];
	err = perf_flags_check(c->call.flags);
	if (err == 0)
		err = fetch_attr(c, tid, args[0]);
	if (err < 0)
		return err;
	find_group(c, root, tid, (int)args[3]);
	c->call.pid_error = c->call.pid == -1 || lives(c->call.pid) ? 0 : -ESRCH;
	c->call.capable = is_capable(tid);
	return 0;
}

bool perf_caller_is_of_programs(const struct perf_caller *c)
{
	uint32_t type;

	memcpy(&type, c->attr, sizeof type);
	return c->call.pid != -1 && (type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT);
}
