/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for the end of the process that serves a mount. */
#include "virtual/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

bool guard_finds(unsigned major, unsigned minor, const char *type)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	unsigned ma, mi;
	char *line = NULL, is[64], *rest;
	size_t room = 0;
	bool found = false;

	while (f && !found && getline(&line, &room, f) > 0)
		found = sscanf(line, "%*u %*u %u:%u", &ma, &mi) == 2 && ma == major && mi == minor &&
			(rest = strstr(line, " - ")) && sscanf(rest, " - %63s", is) == 1 && strcmp(is, type) == 0;
	free(line);
	if (f)
		fclose(f);
	return found;
}

bool guard_mounted(const struct guard *g)
{
	return guard_finds(g->major, g->minor, GUARD_TYPE);
}

/* Until the other end is closed, by death, or a byte says that all is well. */
static _Noreturn void stand(int life, const char *dir, const struct guard *g)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t all;
	ssize_t n;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	if (dup2(life, 3) < 0)
		_exit(1);
	close_range(4, ~0U, 0);
	do
		n = read(3, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1 || !guard_mounted(g))
		_exit(0);
	if (umount2(dir, MNT_DETACH) < 0)
		execlp("fusermount3", "fusermount3", "-u", "-z", "-q", "--", dir, (char *)NULL);
	_exit(0);
}

int guard_open(struct guard *g, const char *dir)
{
	char *path = realpath(dir, NULL);
	struct statx root;
	int pipes[2];

	*g = (struct guard){ .life = -1 };
	/* What the kernel knows already: nobody would answer a question now. */
	if (!path || statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, 0, &root) < 0 || pipe2(pipes, O_CLOEXEC) < 0) {
		free(path);
		return BXS_EIO;
	}
	g->major = root.stx_dev_major;
	g->minor = root.stx_dev_minor;
	g->pid = fork();
	if (g->pid == 0)
		stand(pipes[0], path, g);
	close(pipes[0]);
	free(path);
	if (g->pid < 0) {
		close(pipes[1]);
		g->pid = 0;
		return BXS_EIO;
	}
	g->life = pipes[1];
	return 0;
}

void guard_close(struct guard *g)
{
	char byte = 0;

	if (!g->pid)
		return;
	if (write(g->life, &byte, 1) < 0)
		kill(g->pid, SIGKILL);
	close(g->life);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*g = (struct guard){ .life = -1 };
}
