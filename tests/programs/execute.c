/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes a program by one of the C library's functions.  usage: execute HOW PROGRAM WORD WORD */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int end_as(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

/* The functions that come back: the program's exit status. */
static int beside(const char *how, char **argv)
{
	char command[8192];
	pid_t pid = 0;
	int status = 0;

	if (!strcmp(how, "system")) {
		snprintf(command, sizeof command, "%s %s %s", argv[0], argv[1], argv[2]);
		return end_as(system(command));
	}
	if (!strcmp(how, "spawn"))
		posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
	else if (!strcmp(how, "spawnp"))
		posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	else
		pid = vfork();
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(125);
	}
	waitpid(pid, &status, 0);
	return end_as(status);
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *path = argv[2];

	if (argc != 5)
		return 64;
	argv += 2;
	if (!strcmp(how, "execve"))
		execve(path, argv, environ);
	else if (!strcmp(how, "execv"))
		execv(path, argv);
	else if (!strcmp(how, "execvp"))
		execvp(path, argv);
	else if (!strcmp(how, "execvpe"))
		execvpe(path, argv, environ);
	else if (!strcmp(how, "execl"))
		execl(path, argv[0], argv[1], argv[2], (char *)NULL);
	else if (!strcmp(how, "execlp"))
		execlp(path, argv[0], argv[1], argv[2], (char *)NULL);
	else if (!strcmp(how, "execle"))
		execle(path, argv[0], argv[1], argv[2], (char *)NULL, environ);
	else if (!strcmp(how, "fexecve"))
		fexecve(open(path, O_RDONLY | O_CLOEXEC), argv, environ);
	else
		return beside(how, argv);
	return 127;
}
