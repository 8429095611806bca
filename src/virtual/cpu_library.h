/* SPDX-License-Identifier: BSD-2-Clause */
/* The library that shows a client the machine's processor, and the page it reads: see cpu_page.h. */
#ifndef BXS_CPU_LIBRARY_H
#define BXS_CPU_LIBRARY_H

#include <limits.h>
#include <stddef.h>

#include "virtual/cpu_page.h"

struct machine;

struct cpu_library {
	char path[PATH_MAX];		/* of the library */
	int fd;				/* of the page, in memory: gone with the last process that uses it; -1: none */
	struct cpu_page *page;
};

/*
 * Make the page of m and find the library (path NULL: where it belongs).  0; BXS_ENOTSUP: there is no library, or
 * nobody knows m's processors; BXS_EIO; with a sentence in why.
 */
int cpu_library_open(struct cpu_library *l, const struct machine *m, const char *path, char *why, size_t size);
void cpu_library_close(struct cpu_library *l);	/* a zeroed one with fd -1 is allowed */

/* Let programs that this process executes use it, while the process that opened it lives.  0 or -1 with errno set. */
int cpu_library_environment(const struct cpu_library *l);

#endif
