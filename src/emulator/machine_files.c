/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files with which Linux describes CPUs, where the program sees the machine's (feed/files.h).  Opening one for reading gives its
 * text in a memfd.  For any other call, such as listing a directory, all files are written to a directory in /tmp and the path is
 * redirected.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "feed/files.h"
#include "emulator/native.h"
#include "plugin/life.h"

enum { PATH = 256 };

/* The text of all files, mapped at first use; forked children inherit it. */
static const char *archive;
static size_t archive_size;

struct entry {
	char kind;
	size_t bytes;
	const char *path;		/* not ended by 0 */
	size_t path_len;
	const char *text;
};

/* The archive is a descriptor of the machine's process, as is the segment, whose path is known. */
static bool map_archive(const struct ring_cpus *cpus)
{
	char name[sizeof plugin_life.path + 16];
	const char *slash = strrchr(plugin_life.path, '/');
	struct stat st;
	void *at = MAP_FAILED;
	int fd;

	if (archive || !slash)
		return archive;
	snprintf(name, sizeof name, "%.*s/%d", (int)(slash - plugin_life.path), plugin_life.path, (int)cpus->files);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return false;
	archive = at;
	archive_size = (size_t)st.st_size;
	return true;
}

/* Parse the entry at *from and move *from behind it.  False: there is none. */
static bool next_entry(size_t *from, struct entry *e)
{
	const char *at = archive + *from, *end = archive + archive_size, *line;
	char *rest;

	line = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
	if (!line || line - at < 5)
		return false;
	e->kind = at[0];
	e->bytes = strtoul(at + 2, &rest, 10);
	e->path = rest + 1;
	e->path_len = (size_t)(line - e->path);
	e->text = line + 1;
	if (e->path > line || e->bytes > (size_t)(end - e->text))
		return false;
	*from = (size_t)(e->text - archive) + e->bytes;
	return true;
}

static bool find_entry(const char *path, struct entry *out)
{
	size_t from = 0, len = strlen(path);

	while (next_entry(&from, out)) {
		if (out->path_len == len && !memcmp(out->path, path, len))
			return true;
	}
	return false;
}

static bool below(const char *path, const char *top)
{
	size_t n = strlen(top);

	return !strncmp(path, top, n) && (!path[n] || path[n] == '/');
}

static bool is_ours(const char *path)
{
	return below(path, FILES_CPUS) || below(path, FILES_NODES) || !strcmp(path, FILES_CPUINFO);
}

/* The directory in /tmp. */

static bool put_entry(const char *place, const struct entry *e)
{
	char path[PATH + FILES_PLACE_SIZE + 16], to[PATH];
	bool done;
	int fd;

	snprintf(path, sizeof path, "%s%.*s", place, (int)e->path_len, e->path);
	if (e->kind == FILES_DIR)
		return mkdir(path, 0755) == 0;
	if (e->kind == FILES_LINK) {
		snprintf(to, sizeof to, "%.*s", (int)e->bytes, e->text);
		return symlink(to, path) == 0;
	}
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
	done = fd >= 0 && write(fd, e->text, e->bytes) == (ssize_t)e->bytes;
	if (fd >= 0)
		close(fd);
	return done;
}

/* Remove the directories of machines that were killed. */
static void remove_stale(void)
{
	const char *prefix = strrchr(FILES_PLACE, '/') + 1;
	DIR *d = opendir("/tmp");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		pid_t machine = strncmp(e->d_name, prefix, strlen(prefix)) ? 0 : atoi(e->d_name + strlen(prefix));
		char path[sizeof e->d_name + 8];

		if (machine <= 0 || kill(machine, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof path, "/tmp/%s", e->d_name);
		files_remove(path);
	}
	if (d)
		closedir(d);
}

static bool is_own_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_uid == geteuid() || !st.st_uid);
}

/* Write the directory under another name and rename it, so that no process sees a part of it; the first one wins. */
static bool make_place(const char *place)
{
	char aside[FILES_PLACE_SIZE + 16];
	size_t from = 0;
	struct entry e;
	bool whole = true;

	if (is_own_dir(place))
		return true;
	remove_stale();
	snprintf(aside, sizeof aside, "%s.XXXXXX", place);
	if (!mkdtemp(aside))
		return false;
	chmod(aside, 0755);
	while (whole && next_entry(&from, &e))
		whole = put_entry(aside, &e);
	if (!whole || rename(aside, place) < 0)
		files_remove(aside);
	return is_own_dir(place);
}

/* Calls. */

/* The number of the call's argument that is a path, or -1. */
static int path_in(uint64_t num)
{
	switch (num) {
	case SYS_open: case SYS_stat: case SYS_lstat: case SYS_access: case SYS_readlink: case SYS_chdir: case SYS_statfs:
		return 0;
	case SYS_openat: case SYS_newfstatat: case SYS_statx: case SYS_faccessat: case SYS_faccessat2: case SYS_readlinkat:
		return 1;
	default:
		return -1;
	}
}

static int64_t open_text(const struct entry *e, uint64_t flags)
{
	char name[PATH];
	int fd;

	snprintf(name, sizeof name, "%.*s", (int)e->path_len, e->path);
	fd = memfd_create(name + 1, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (fd < 0)
		return -errno;
	if (write(fd, e->text, e->bytes) != (ssize_t)e->bytes || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return -ENOMEM;
	}
	return fd;
}

static bool reads_text(uint64_t num, const uint64_t arg[6], const char *path, struct entry *e, uint64_t *flags)
{
	*flags = arg[num == SYS_openat ? 2 : 1];
	return (num == SYS_open || num == SYS_openat) && !(*flags & (O_ACCMODE | O_DIRECTORY | O_PATH)) && find_entry(path, e) &&
	       e->kind == FILES_TEXT;
}

bool native_machine_file(uint64_t num, const uint64_t arg[6], int64_t *result)
{
	const struct ring_cpus *cpus = native_cpus();
	int at = cpus ? path_in(num) : -1;
	char path[PATH], place[FILES_PLACE_SIZE], there[PATH + FILES_PLACE_SIZE];
	uint64_t own[6], flags;
	struct entry e;
	size_t have;

	if (at < 0)
		return false;
	have = sizeof path - native_copy(path, (const void *)(uintptr_t)arg[at], sizeof path);
	if (!memchr(path, 0, have) || path[0] != '/' || !is_ours(path) || !map_archive(cpus))
		return false;
	if (reads_text(num, arg, path, &e, &flags)) {
		*result = open_text(&e, flags);
		return true;
	}
	files_place(plugin_life.segment->consumer, place);
	if (!make_place(place))
		return false;
	snprintf(there, sizeof there, "%s%s", place, path);
	memcpy(own, arg, sizeof own);
	own[at] = (uintptr_t)there;
	*result = native_system((int64_t)num, own);
	return true;
}
