/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into a program, an allocator that fails on demand: allocation number FAILING_AT, counted from 1, and with FAILING_ON
 * all behind it.  At the end, FAILING_COUNT names a file that gets how many there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long made, at;
static bool on, begun;
static char count_file[256];

static bool fails(void)
{
	if (!begun)
		return false;
	made++;
	if (made != at && !(on && at && made > at))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

/* Only this program fails: what it starts has its memory, and the same environment whichever allocation fails. */
static __attribute__((constructor)) void begin(void)
{
	static const char *const own[] = { "LD_PRELOAD", "FAILING_AT", "FAILING_ON", "FAILING_COUNT" };
	const char *number = getenv("FAILING_AT"), *file = getenv("FAILING_COUNT");

	at = number ? strtoul(number, NULL, 10) : 0;
	on = getenv("FAILING_ON") != NULL;
	if (file)
		snprintf(count_file, sizeof count_file, "%s", file);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		unsetenv(own[i]);
	begun = true;
}

static __attribute__((destructor)) void end(void)
{
	char text[24];
	int fd;

	if (!*count_file)
		return;
	begun = false;
	fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	snprintf(text, sizeof text, "%lu\n", made);
	if (fd >= 0 && write(fd, text, strlen(text)) >= 0)
		close(fd);
}
