/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Covering the system's files with the machine's.  A file or directory that is there gets the machine's one bound
 * over it.  One that is not needs a parent that can hold it: the nearest directory that exists is put together
 * anew on a tmpfs, from its old entries (bound) and the new one, and laid over itself.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/complain.h"
#include "base/error.h"
#include "virtual/space.h"

/* What of the machine lies over what of the system; must: also where the system has nothing of the kind. */
static const struct cover {
	const char *path;
	bool must;
} covers[] = {
	{ "/dev/cpu", true },
	{ "/dev/mem", true },
	{ "/proc/cpuinfo", false },
	{ "/proc/meminfo", false },
	{ "/proc/stat", false },
	{ "/proc/bus/pci", true },
	{ "/proc/sys/kernel/nmi_watchdog", false },
	{ "/proc/sys/kernel/perf_event_paranoid", false },
	{ "/sys/bus/event_source/devices", true },
	{ "/sys/bus/pci/devices", true },
	{ "/sys/devices/system/cpu", true },
	{ "/sys/devices/system/node", true },
	{ "/sys/firmware/acpi/tables/MCFG", true },
	{ "/sys/firmware/dmi", true },
	{ "/sys/module/msr/parameters/allow_writes", false },
};

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/*
 * The kernel looks for pts beside the node of ptmx that is opened, and beside a bound one it looks in the old directory,
 * where nothing is mounted any more: so this node is made anew, or is that of pts where only root may make any.
 */
static int keep_ptmx(const struct stat *st, const char *to)
{
	mode_t mask = umask(0);
	int err = mknod(to, st->st_mode, st->st_rdev);

	umask(mask);
	return err < 0 ? symlink("pts/ptmx", to) : 0;
}

static bool is_ptmx(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(5, 2);
}

/* Bind one entry of an old directory into the new one, or copy it if it is a link. */
static int keep_entry(const char *from, const char *to)
{
	char target[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	if (lstat(from, &st) < 0)
		return 0;		/* gone since: nothing to keep */
	if (S_ISLNK(st.st_mode)) {
		n = readlink(from, target, sizeof target - 1);
		if (n < 0)
			return 0;
		target[n] = '\0';
		return symlink(target, to);
	}
	if (is_ptmx(&st))
		return keep_ptmx(&st, to);
	if (S_ISDIR(st.st_mode)) {
		if (mkdir(to, 0755) < 0)
			return -1;
	} else {
		fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
		if (fd < 0)
			return -1;
		close(fd);
	}
	return mount(from, to, NULL, MS_BIND | MS_REC, NULL);
}

/* Lay a tmpfs over dir that holds what dir held, but for what drop(name) says. */
static int rebuild(const struct space *s, const char *dir, bool (*drop)(const char *name))
{
	struct dirent *e;
	DIR *d = opendir(dir);
	int err = 0;

	if (!d)
		return -1;
	if (mount("boxscore", s->build, "tmpfs", MS_NOSUID, "mode=755") < 0) {
		closedir(d);
		return -1;
	}
	while (err == 0 && (e = readdir(d)) != NULL) {
		char from[PATH_MAX + 256], to[PATH_MAX + 256];

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || (drop && drop(e->d_name)))
			continue;
		snprintf(from, sizeof from, "%s/%s", dir, e->d_name);
		snprintf(to, sizeof to, "%s/%s", s->build, e->d_name);
		err = keep_entry(from, to);
	}
	closedir(d);
	return err < 0 ? err : mount(s->build, dir, NULL, MS_MOVE, NULL);
}

/* Make path, which does not exist, as a place to bind a directory or file over. */
static int make_place(const struct space *s, const char *path, bool is_dir)
{
	char parent[PATH_MAX], at[PATH_MAX];
	char *slash;
	int fd;

	snprintf(parent, sizeof parent, "%s", path);
	do {
		slash = strrchr(parent, '/');
		*slash = '\0';
	} while (*parent && !exists(parent));
	if (!*parent || rebuild(s, parent, NULL) < 0)
		return -1;
	for (const char *p = path + strlen(parent) + 1;; p++) {
		size_t len = strcspn(p, "/");

		p += len;
		snprintf(at, sizeof at, "%.*s", (int)(p - path), path);
		if (!*p && !is_dir) {
			fd = open(at, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
			return fd < 0 ? -1 : close(fd);
		}
		if (mkdir(at, 0755) < 0)
			return -1;
		if (!*p)
			return 0;
	}
}

static int cover(const struct space *s, const struct cover *c)
{
	char ours[PATH_MAX];
	struct stat st;

	snprintf(ours, sizeof ours, "%s%s", s->mount, c->path);
	if (stat(ours, &st) < 0)
		return errno == ENOENT ? 0 : -1;	/* the machine has none */
	if (!exists(c->path)) {
		if (!c->must)
			return 0;
		if (make_place(s, c->path, S_ISDIR(st.st_mode)) < 0)
			return -1;
	}
	return mount(ours, c->path, NULL, MS_BIND, NULL);
}

/* PCI functions, and PMUs of processors. */
static bool in_devices(const char *name)
{
	return strncmp(name, "pci", 3) == 0 || strncmp(name, "uncore_", 7) == 0 || strcmp(name, "cpu") == 0 ||
	       strcmp(name, "software") == 0;
}

static bool in_platform(const char *name)
{
	return strncmp(name, "coretemp.", 9) == 0;
}

static bool in_virtual(const char *name)
{
	return strcmp(name, "dmi") == 0 || strcmp(name, "powercap") == 0;
}

static bool in_class(const char *name)
{
	return strcmp(name, "hwmon") == 0 || strcmp(name, "pci_bus") == 0 || in_virtual(name);
}

/* Directories of which some entries are the machine's in place of the system's.  The first is that of the next two. */
static const struct mixture {
	const char *path;
	bool (*ours)(const char *name);
} mixtures[] = {
	{ "/sys/devices", in_devices },
	{ "/sys/devices/platform", in_platform },
	{ "/sys/devices/virtual", in_virtual },
	{ "/sys/class", in_class },
};

static int mix(const struct space *s, const struct mixture *m)
{
	char ours[PATH_MAX], from[PATH_MAX + 256], to[PATH_MAX + 256];
	struct dirent *e;
	int err = 0;
	DIR *d;

	snprintf(ours, sizeof ours, "%s%s", s->mount, m->path);
	d = opendir(ours);
	if (!d)
		return -1;
	if (!exists(m->path))
		err = mkdir(m->path, 0755);
	if (err == 0)
		err = rebuild(s, m->path, m->ours);
	while (err == 0 && (e = readdir(d)) != NULL) {
		if (!m->ours(e->d_name))
			continue;
		snprintf(from, sizeof from, "%s/%s", ours, e->d_name);
		snprintf(to, sizeof to, "%s/%s", m->path, e->d_name);
		err = mkdir(to, 0755) < 0 ? -1 : mount(from, to, NULL, MS_BIND, NULL);
	}
	closedir(d);
	return err;
}

int space_cover(const struct space *s, char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };

	for (size_t i = 0; i < LEN(mixtures); i++)
		if (mix(s, &mixtures[i]) < 0)
			return complain(&c, BXS_ENOTSUP, "%s cannot be covered: %s", mixtures[i].path, strerror(errno));
	for (size_t i = 0; i < LEN(covers); i++)
		if (cover(s, &covers[i]) < 0)
			return complain(&c, BXS_ENOTSUP, "%s cannot be covered: %s", covers[i].path,
					strerror(errno));
	space_cover_limits(s);
	if (umount2(s->stage, MNT_DETACH) < 0)
		return complain(&c, BXS_ENOTSUP, "%s cannot be unmounted: %s", s->stage, strerror(errno));
	return 0;
}
