/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program under test finds wrong itself: it prints the line and goes on; main() returns `failures`. */
#ifndef BXS_TEST_PROGRAM_H
#define BXS_TEST_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

static int failures;

static void check(int line, const char *what, bool holds)
{
	if (!holds) {
		failures++;
		printf("%d: %s\n", line, what);
	}
}

#define CHECK(e) check(__LINE__, #e, e)

#endif
