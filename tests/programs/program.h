/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program under test finds wrong itself: it prints the line and goes on; main() returns `failures`. */
#ifndef BXS_TEST_PROGRAM_H
#define BXS_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static int failures;

static void check(int line, const char *what, bool holds)
{
	if (!holds) {
		failures++;
		printf("%d: %s\n", line, what);
	}
}

#define CHECK(e) check(__LINE__, #e, e)

/* How a child has ended; -1: there is none. */
static inline int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

struct part {
	const char *name;
	void (*run)(void);
};

/* Those of n parts that argv names, or all, in their order.  Returns `failures`. */
static inline int run_parts(const struct part *part, size_t n, int argc, char **argv)
{
	for (size_t i = 0; i < n; i++) {
		bool wanted = argc == 1;

		for (int a = 1; a < argc; a++)
			wanted |= !strcmp(argv[a], part[i].name);
		if (wanted)
			part[i].run();
	}
	return failures;
}

#endif
