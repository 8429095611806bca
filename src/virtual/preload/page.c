/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting: finds the CPU page and, if there is one, puts the virtual processor in place. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/client.h"
#include "virtual/preload/preload.h"

static struct cpu_page *page;
static char page_name[64];

/* Does the library stand in for the C library's functions?  Not where boxscore-native has loaded it (client.c). */
static bool is_preloaded(void)
{
	return dlsym(RTLD_DEFAULT, CLIENT_OPEN) != NULL;
}

preload_function preload_next(const char *name)
{
	void *address = dlsym(is_preloaded() ? RTLD_NEXT : RTLD_DEFAULT, name);
	preload_function function;

	/* POSIX lets dlsym() return a function; C wants it copied. */
	memcpy(&function, &address, sizeof function);
	return function;
}

static bool is_page(const struct cpu_page *p)
{
	return p->magic == CPU_PAGE_MAGIC && p->size == sizeof *p && p->cpus > 0 &&
	       p->cpus <= CPU_PAGE_CPUS && p->cores > 0 && p->sockets > 0 && p->nodes > 0 &&
	       p->nodes <= p->sockets * p->cores && p->tsc_khz > 0 && p->leaves <= CPU_PAGE_LEAVES;
}

static struct cpu_page *map_page(const char *path)
{
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct stat st;
	void *map = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(struct cpu_page))
		map = mmap(NULL, sizeof(struct cpu_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return NULL;
	if (is_page(map))
		return map;
	munmap(map, sizeof(struct cpu_page));
	return NULL;
}

/*
 * Once: when libraries are begun, or earlier, when one that is begun before this one asks, as libnuma does.  But not
 * before the C library is: it has no environment until then.
 */
__attribute__((constructor)) static void start(void)
{
	static bool started;
	struct cpu_page *found;
	const char *path;

	if (started || !environ)
		return;
	started = true;
	path = secure_getenv(CPU_PAGE_VARIABLE);
	found = map_page(path);
	if (!found || (is_preloaded() && !preload_trap(SIGILL)))
		return;
	snprintf(page_name, sizeof page_name, "%s", path);
	page = found;
	pthread_atfork(NULL, NULL, preload_forked);
	if (is_preloaded())
		preload_scan();
}

const char *preload_page_name(void)
{
	return page_name;
}

struct cpu_page *preload_page(void)
{
	if (!page)
		start();
	return page;
}

__attribute__((destructor)) static void stop(void)
{
	if (page)
		preload_thread_end();
}
