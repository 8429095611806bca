/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control groups name CPUs and memory nodes by the system's numbers, of which the machine may have more.  Tools that look
 * there (hwloc) would leave out all of the machine that the system has not got.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/bits.h"
#include "virtual/space.h"

static const struct limit {
	const char *file, *ours;	/* both hold a list such as 0-17 */
} limits[] = {
	{ "cpuset.cpus", "cpu/online" },
	{ "cpuset.cpus.effective", "cpu/online" },
	{ "cpuset.effective_cpus", "cpu/online" },
	{ "cpuset.mems", "node/online" },
	{ "cpuset.mems.effective", "node/online" },
	{ "cpuset.effective_mems", "node/online" },
};

static void cover_group(const struct space *s, const char *dir)
{
	for (const struct limit *l = limits; l < limits + LEN(limits); l++) {
		char ours[PATH_MAX], path[PATH_MAX];
		int n = snprintf(path, sizeof path, "%s/%s", dir, l->file);

		snprintf(ours, sizeof ours, "%s/sys/devices/system/%s", s->mount, l->ours);
		if (n < (int)sizeof path && access(path, F_OK) == 0)
			mount(ours, path, NULL, MS_BIND, NULL);
	}
}

/* The group and those that it is in: a group without a limit of its own has that of the next outer one. */
static void cover_groups(const struct space *s, const char *top, const char *group)
{
	char dir[PATH_MAX];
	int n = snprintf(dir, sizeof dir, "%s%s", top, group);

	if (n >= (int)sizeof dir)
		return;
	for (;;) {
		char *slash = strrchr(dir, '/');

		cover_group(s, dir);
		if (strlen(dir) <= strlen(top) || !slash)
			return;
		*slash = '\0';
	}
}

/* Lines such as 4:cpu,cpuset:/group of version 1, 0::/group of version 2. */
void space_cover_limits(const struct space *s)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (!controllers[1])
			cover_groups(s, "/sys/fs/cgroup", group);
		else if (strstr(controllers, "cpuset"))
			cover_groups(s, "/sys/fs/cgroup/cpuset", group);
	}
	free(line);
	if (f)
		fclose(f);
}
