/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that a client executes.  Each one gets the library preloaded or, where that is impossible, runs under the emulator.  The
 * library is put into the program's environment even if the client has removed it (env -i).
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "virtual/client_program.h"
#include "virtual/preload/preload.h"

/* How a command is executed: in this process's place, or beside it. */
struct how {
	pid_t *pid;			/* NULL: in its place */
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
};

static const struct how here = { 0 };

static int start(const struct how *how, const char *path, char *const argv[], char *const envp[])
{
	if (how->pid)
		return PRELOAD_NEXT(posix_spawn)(how->pid, path, how->actions, how->attributes, argv, envp);
	return PRELOAD_NEXT(execve)(path, argv, envp);
}

/* As the C library does: a file that is not a program is a script for the shell. */
static int start_unknown(const struct how *how, const char *file, bool search, char *const argv[], char *const envp[])
{
	if (!search)
		return start(how, file, argv, envp);
	if (how->pid)
		return PRELOAD_NEXT(posix_spawnp)(how->pid, file, how->actions, how->attributes, argv, envp);
	return PRELOAD_NEXT(execvpe)(file, argv, envp);
}

/* number: the descriptor of `file` if the program is executed by that (fexecve()); NULL: by its path. */
static int execute_as(const struct how *how, const char *file, bool search, const char *number, char *const argv[], char *const envp[])
{
	const struct cpu_page *page = preload_page();
	struct target t;
	char room[TARGET_PATH], text[CLIENT_TEXT];
	const char *path = search ? client_find(file, room) : file;
	enum client_way way = client_way_of(path, &t);
	char *command[client_count(argv) + CLIENT_WORDS], *environment[client_count(envp) + CLIENT_VARIABLES];
	const struct client_parts parts = { .emulator = page->emulator, .library = page->library, .page = preload_page_name(),
					    .file = number };
	bool emulated = way == CLIENT_EMULATED && page->emulator[0];

	if (way == CLIENT_32_BIT || way == CLIENT_PRIVILEGED || (way == CLIENT_EMULATED && !emulated))
		client_unserved(preload_page(), way, path);
	client_environment(environment, text, &parts, !emulated && way != CLIENT_32_BIT, envp);
	if (!emulated)
		return way == CLIENT_UNKNOWN ? start_unknown(how, file, search, argv, environment)
					     : start(how, path, argv, environment);
	client_emulated(command, &parts, &t, argv);
	return start(how, page->emulator, command, environment);
}

static int execute(const struct how *how, const char *file, bool search, char *const argv[], char *const envp[])
{
	return preload_page() ? execute_as(how, file, search, NULL, argv, envp) : start_unknown(how, file, search, argv, envp);
}

PRELOAD_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return execute(&here, path, false, argv, envp);
}

PRELOAD_EXPORT int execv(const char *path, char *const argv[])
{
	return execute(&here, path, false, argv, environ);
}

PRELOAD_EXPORT int execvp(const char *file, char *const argv[])
{
	return execute(&here, file, true, argv, environ);
}

PRELOAD_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return execute(&here, file, true, argv, envp);
}

/* The file stays open for the emulator. */
PRELOAD_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	char path[40], number[12];
	int kept, err;

	if (!preload_page())
		return PRELOAD_NEXT(fexecve)(fd, argv, envp);
	kept = fcntl(fd, F_DUPFD, 3);
	if (kept < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", kept);
	snprintf(number, sizeof number, "%d", kept);
	err = execute_as(&here, path, false, number, argv, envp);
	close(kept);
	return err;
}

/* The number of words of an argument list that ends with NULL; its first word has been read already. */
static size_t count_list(va_list list)
{
	va_list copy;
	size_t n = 1;

	va_copy(copy, list);
	while (va_arg(copy, char *))
		n++;
	va_end(copy);
	return n;
}

#define TAKE_LIST(words, first, list)							\
	do {										\
		(words)[0] = (char *)(uintptr_t)(first);				\
		for (size_t taken = 1; ((words)[taken] = va_arg(list, char *)); taken++)	\
			;								\
	} while (0)

PRELOAD_EXPORT int execl(const char *path, const char *first, ...)
{
	va_list list;

	va_start(list, first);
	char *words[count_list(list) + 1];

	TAKE_LIST(words, first, list);
	va_end(list);
	return execute(&here, path, false, words, environ);
}

PRELOAD_EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;

	va_start(list, first);
	char *words[count_list(list) + 1];

	TAKE_LIST(words, first, list);
	va_end(list);
	return execute(&here, file, true, words, environ);
}

PRELOAD_EXPORT int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	va_list list;

	va_start(list, first);
	char *words[count_list(list) + 1];

	TAKE_LIST(words, first, list);
	envp = va_arg(list, char *const *);
	va_end(list);
	return execute(&here, path, false, words, envp);
}

PRELOAD_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *actions,
			       const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const envp[restrict])
{
	pid_t unwanted;

	return execute(&(struct how){ pid ? pid : &unwanted, actions, attributes }, path, false, argv, envp);
}

PRELOAD_EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *actions,
				const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const envp[restrict])
{
	pid_t unwanted;

	return execute(&(struct how){ pid ? pid : &unwanted, actions, attributes }, file, true, argv, envp);
}
