/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that becomes another one, in all ways there are.
 *
 * usage: become WORD... PROGRAM [ARGUMENT...]: the words are steps, in their order, of which the last executes:
 *	drop		gives up the rights of the superuser, if it has them
 *	fork, vfork	goes on in a child, with whose status it ends
 *	away		works in the root directory from here on
 *	plain		execve()
 *	self		execve() of /proc/self/exe, whatever the program's name
 *	file, closing	fexecve(), with a descriptor that stays open or is closed on exec
 *	memory		fexecve() of a copy that has no name
 *	below		execveat(), the name being relative to a directory
 *	nofollow	execveat(), no symbolic link
 *	odd		execveat() with a flag that does not exist
 *        become =work N [ARGUMENT...]: N rounds of work; prints the arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, REST = 9 };

extern char **environ;

static int work(char **argv)
{
	volatile long rounds = atol(*argv++);

	while (rounds > 0)
		rounds--;
	for (; *argv; argv++)
		printf("[%s]", *argv);
	puts("");
	return 0;
}

static void drop(void)
{
	if (getuid() == 0 && (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		perror("become: drop");
}

static int end_as(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : REST;
}

static int copy(const char *path)
{
	int from = open(path, O_RDONLY), to = memfd_create("copy", MFD_CLOEXEC);
	struct stat st;

	if (fstat(from, &st) < 0 || sendfile(to, from, NULL, (size_t)st.st_size) != st.st_size)
		perror("become: copy");
	close(from);
	return to;
}

static void execute(const char *how, char **argv)
{
	char *name = strrchr(argv[0], '/');

	if (!strcmp(how, "plain"))
		execv(argv[0], argv);
	else if (!strcmp(how, "self"))
		execv("/proc/self/exe", argv);
	else if (!strcmp(how, "file"))
		fexecve(open(argv[0], O_RDONLY), argv, environ);
	else if (!strcmp(how, "closing"))
		fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), argv, environ);
	else if (!strcmp(how, "memory"))
		fexecve(copy(argv[0]), argv, environ);
	else if (!strcmp(how, "nofollow"))
		syscall(SYS_execveat, AT_FDCWD, argv[0], argv, environ, AT_SYMLINK_NOFOLLOW);
	else if (!strcmp(how, "odd"))
		syscall(SYS_execveat, AT_FDCWD, argv[0], argv, environ, 1 << 30);
	else if (!strcmp(how, "below") && name) {
		*name = 0;
		syscall(SYS_execveat, open(argv[0], O_PATH | O_DIRECTORY), name + 1, argv, environ, 0);
	}
	perror("become");
	_exit(REST);
}

int main(int argc, char **argv)
{
	char **volatile next = argv + 1;
	pid_t pid;

	if (argc > 2 && !strcmp(argv[1], "=work"))
		return work(argv + 2);
	for (; next[0] && next[1]; next++) {
		if (!strcmp(next[0], "drop")) {
			drop();
		} else if (!strcmp(next[0], "away")) {
			if (chdir("/") < 0)
				return REST;
		} else if (!strcmp(next[0], "fork")) {
			pid = fork();
			if (pid)
				return end_as(pid);
		} else if (!strcmp(next[0], "vfork")) {
			pid = vfork();
			if (pid)
				return end_as(pid);
		} else {
			execute(next[0], next + 1);
		}
	}
	return REST;
}
