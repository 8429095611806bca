/* SPDX-License-Identifier: BSD-2-Clause */
/* Entering a mount namespace, as root or as a user, and clearing it of processes. */
#include "virtual/space.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/error.h"

enum { SWEEPS = 1000, SWEEP_US = 1000 };

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

/* We become root of the new user namespace: tools ask for it. */
static int map_ids(uid_t uid, gid_t gid)
{
	char line[64];

	if (write_file("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
		return -1;
	snprintf(line, sizeof line, "0 %u 1", (unsigned)uid);
	if (write_file("/proc/self/uid_map", line) < 0)
		return -1;
	snprintf(line, sizeof line, "0 %u 1", (unsigned)gid);
	return write_file("/proc/self/gid_map", line);
}

static int leave_old(const struct complaint *c)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWNS) == 0)
		return 0;
	if (errno == EPERM && unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && map_ids(uid, gid) == 0)
		return 0;
	return complain(c, BXS_ENOTSUP, "no mount namespace of our own: %s; run as root, or let users have "
			"namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces), "
			"in a container --cap-add SYS_ADMIN", strerror(errno));
}

/* Directories that exist everywhere and that nothing of ours goes below. */
static int choose_stage(struct space *s, const struct complaint *c)
{
	static const char *const places[] = { "/proc/fs", "/mnt", "/media", "/srv" };

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (mount("boxscore", places[i], "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0)
			continue;
		snprintf(s->stage, sizeof s->stage, "%s", places[i]);
		snprintf(s->mount, sizeof s->mount, "%s/mount", places[i]);
		snprintf(s->build, sizeof s->build, "%s/build", places[i]);
		if (mkdir(s->mount, 0755) == 0 && mkdir(s->build, 0755) == 0)
			return 0;
	}
	return complain(c, BXS_ENOTSUP, "nothing can be mounted in a namespace of our own: %s",
			strerror(errno));
}

int space_enter(struct space *s, char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	int err = leave_old(&c);

	if (err < 0)
		return err;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return complain(&c, BXS_ENOTSUP, "mounts cannot be made private: %s", strerror(errno));
	return choose_stage(s, &c);
}

/* Is process `pid` in the namespace that `ours` names? */
static bool is_here(const char *pid, const char *ours)
{
	char path[300], theirs[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%s/ns/mnt", pid);
	n = readlink(path, theirs, sizeof theirs - 1);
	if (n < 0)
		return false;
	theirs[n] = '\0';
	return strcmp(theirs, ours) == 0;
}

static bool is_zombie(const char *pid)
{
	char path[300], text[512], *state;
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "/proc/%s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return true;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	state = strrchr(text, ')');
	return !state || state[1] == '\0' || state[2] == 'Z';
}

/* One round; how many were killed. */
static unsigned sweep_once(const char *ours)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	unsigned killed = 0;

	while (d && (e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid <= 1 || pid == getpid() || !is_here(e->d_name, ours) ||
		    is_zombie(e->d_name))
			continue;
		killed += kill(pid, SIGKILL) == 0;
	}
	if (d)
		closedir(d);
	return killed;
}

void space_sweep(void)
{
	char ours[64];
	ssize_t n = readlink("/proc/self/ns/mnt", ours, sizeof ours - 1);

	if (n < 0)
		return;
	ours[n] = '\0';
	for (unsigned i = 0; i < SWEEPS && sweep_once(ours); i++)
		usleep(SWEEP_US);
}
