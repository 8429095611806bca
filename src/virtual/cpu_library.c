/* SPDX-License-Identifier: BSD-2-Clause */
/* Handing a client the library and the page that show it the machine's processor. */
#include "virtual/cpu_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/error.h"
#include "feed/module.h"
#include "virtual/cpuid.h"

#define LIBRARY "libboxscore-cpu.so"

static int find(struct cpu_library *l, const char *path, const struct complaint *c)
{
	char missing[400];

	if (path) {
		snprintf(l->path, sizeof l->path, "%s", path);
	} else if (!module_find(LIBRARY, l->path, sizeof l->path)) {
		module_missing(LIBRARY, missing, sizeof missing);
		return complain(c, BXS_ENOTSUP, "%s; --native does without", missing);
	}
	return access(l->path, R_OK) == 0 ? 0 : complain(c, BXS_ENOTSUP, "%s: %s", l->path, strerror(errno));
}

/* A file of memory that is named by our process: whoever we run may open it. */
static int make_page(struct cpu_library *l, const struct machine *m, const struct complaint *c)
{
	char name[64];
	int err;

	l->fd = memfd_create("boxscore-cpu", MFD_CLOEXEC);
	if (l->fd < 0)
		return complain(c, BXS_EIO, "no memory to share: %s", strerror(errno));
	snprintf(name, sizeof name, "/proc/self/fd/%d", l->fd);
	err = cpuid_create(name, m, &l->page);
	if (err == BXS_ENOTSUP)
		return complain(c, err, "what CPUID says on this machine is not known; --native does without");
	return err < 0 ? complain(c, err, "no memory to share: %s", strerror(errno)) : 0;
}

int cpu_library_open(struct cpu_library *l, const struct machine *m, const char *path, char *why, size_t size)
{
	const struct complaint c = { .why = why, .size = size };
	int err;

	*l = (struct cpu_library){ .fd = -1 };
	err = find(l, path, &c);
	return err < 0 ? err : make_page(l, m, &c);
}

void cpu_library_close(struct cpu_library *l)
{
	if (l->page)
		munmap(l->page, sizeof *l->page);
	if (l->fd >= 0)
		close(l->fd);
	*l = (struct cpu_library){ .fd = -1 };
}

int cpu_library_environment(const struct cpu_library *l)
{
	const char *others = getenv("LD_PRELOAD");
	char page[64], *list = NULL;
	int err;

	/* The process that opened it waits for the client: its descriptors stay. */
	snprintf(page, sizeof page, "/proc/%d/fd/%d", (int)getppid(), l->fd);
	if (asprintf(&list, "%s%s%s", l->path, others && *others ? ":" : "",
		     others && *others ? others : "") < 0)
		return -1;
	err = setenv("LD_PRELOAD", list, 1) < 0 || setenv(CPU_PAGE_VARIABLE, page, 1) < 0 ? -1 : 0;
	free(list);
	return err;
}
