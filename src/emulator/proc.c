/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files below /proc/self in which the kernel tells of this emulator, too: the program opens a copy without that.  A thread less,
 * and of the memory only what is the program's.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/native.h"

enum { NAME = 96 };

struct text {
	char *at;
	size_t n, room;
};

static bool add(struct text *t, const char *from, size_t n)
{
	if (t->n + n + 1 > t->room) {
		size_t room = 2 * (t->room + n + 2048);
		char *more = realloc(t->at, room);

		if (!more)
			return false;
		t->at = more;
		t->room = room;
	}
	memcpy(t->at + t->n, from, n);
	t->n += n;
	t->at[t->n] = 0;
	return true;
}

static bool read_all(int fd, struct text *t)
{
	char some[4096];
	ssize_t n;

	while ((n = read(fd, some, sizeof some)) > 0) {
		if (!add(t, some, (size_t)n))
			return false;
	}
	return n == 0 && t->n;
}

/* Threads: the plugin's watch is none of the program's. */

static unsigned hidden(void)
{
	return plugin_watching->thread > 0;
}

static bool put_status(struct text *out, const char *line, size_t n)
{
	char own[32];

	if (strncmp(line, "Threads:", 8) != 0)
		return add(out, line, n);
	snprintf(own, sizeof own, "Threads:\t%lu\n", strtoul(line + 8, NULL, 10) - hidden());
	return add(out, own, strlen(own));
}

/* The 20th field, the 18th behind the name. */
static bool put_stat(struct text *out, const char *line, size_t n)
{
	const char *at = strrchr(line, ')');
	char own[32], *end;

	for (unsigned i = 2; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return add(out, line, n);
	snprintf(own, sizeof own, " %lu", strtoul(at, &end, 10) - hidden());
	return add(out, line, (size_t)(at - line)) && add(out, own, strlen(own)) && add(out, end, n - (size_t)(end - line));
}

/* Memory. */

/* The line of a mapping, cut to what the program has of it. */
static bool put_mapping(struct text *out, const char *line, size_t n, bool *own)
{
	uint64_t from, to, first, end;
	char range[48];
	int used = 0;

	if (sscanf(line, "%lx-%lx%n", &from, &to, &used) != 2) {
		/* In smaps, of the mapping before. */
		return !*own || add(out, line, n);
	}
	*own = !strncmp(line, "ffff", 4);
	if (*own)
		return add(out, line, n);
	for (first = from, end = to; native_next_own(&first, &end); first = end, end = to) {
		/* The kernel has been told of the stack (names.c), but that may be in vain. */
		const char *name = memchr(line, '[', n) ? NULL : native_memory_name(first);
		size_t rest = n - (size_t)used;

		*own = true;
		snprintf(range, sizeof range, "%08lx-%08lx", first, end);
		if (!add(out, range, strlen(range)) || !add(out, line + used, name ? rest - 1 : rest))
			return false;
		if (name && (!add(out, "                          ", 26) || !add(out, name, strlen(name)) || !add(out, "\n", 1)))
			return false;
	}
	return true;
}

enum file { STATUS, STAT, MAPS };

static bool rewrite(enum file what, const struct text *in, struct text *out)
{
	bool own = false, fine = true;
	const char *end;

	for (const char *line = in->at; fine && *line; line = end) {
		const char *newline = strchr(line, '\n');
		size_t n;

		end = newline ? newline + 1 : line + strlen(line);
		n = (size_t)(end - line);
		fine = what == STATUS ? put_status(out, line, n) : what == STAT ? put_stat(out, line, n) :
		       put_mapping(out, line, n, &own);
	}
	return fine;
}

/* A file of this process's or thread's own; what comes behind /proc/self/, or NULL. */
static const char *below_self(const char *name)
{
	char own[48];
	size_t n;

	if (strncmp(name, "/proc/", 6) != 0)
		return NULL;
	if (!strncmp(name, "/proc/self/", 11))
		name += 11;
	else if (!strncmp(name, "/proc/thread-self/", 18))
		return name + 18;
	else if (n = (size_t)snprintf(own, sizeof own, "/proc/%d/", (int)getpid()), !strncmp(name, own, n))
		name += n;
	else
		return NULL;
	if (!strncmp(name, "task/", 5) && strchr(name + 5, '/'))
		name = strchr(name + 5, '/') + 1;
	return name;
}

static bool find(const char *name, enum file *what)
{
	const char *own = below_self(name);

	if (!own)
		return false;
	*what = !strcmp(own, "status") ? STATUS : !strcmp(own, "stat") ? STAT : MAPS;
	return *what != MAPS || !strcmp(own, "maps") || !strcmp(own, "smaps");
}

bool native_open_own(uint64_t path, int flags, int64_t *result)
{
	struct text in = { 0 }, out = { 0 };
	char name[NAME];
	enum file what;
	size_t have = sizeof name - native_copy(name, (const void *)(uintptr_t)path, sizeof name);
	int fd, copy;

	if (!memchr(name, 0, have) || (flags & O_ACCMODE) != O_RDONLY || !find(name, &what))
		return false;
	fd = open(name, flags | O_CLOEXEC);
	if (fd < 0)
		return false;
	copy = memfd_create(name + 1, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (copy >= 0 && read_all(fd, &in) && rewrite(what, &in, &out) && write(copy, out.at, out.n) == (ssize_t)out.n)
		lseek(copy, 0, SEEK_SET);
	else
		ftruncate(copy, 0);
	close(fd);
	free(in.at);
	free(out.at);
	*result = copy < 0 ? -EMFILE : copy;
	return true;
}

/* Entries of a directory, of which one goes. */

struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static bool lists_threads(int fd)
{
	char link[48], to[64], own[48];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	snprintf(own, sizeof own, "/proc/%d/task", (int)getpid());
	n = readlink(link, to, sizeof to - 1);
	to[n > 0 ? n : 0] = 0;
	return !strcmp(to, own);
}

int64_t native_hide_thread(int fd, uint64_t at, int64_t bytes)
{
	char name[16];

	if (!hidden() || bytes <= 0 || !lists_threads(fd))
		return bytes;
	snprintf(name, sizeof name, "%d", plugin_watching->thread);
	for (int64_t i = 0; i < bytes;) {
		struct entry *e = (struct entry *)(at + (uint64_t)i);
		uint16_t size = e->bytes;

		if (!strcmp(e->name, name)) {
			memmove(e, (char *)e + size, (size_t)(bytes - i - size));
			return bytes - size;
		}
		i += size;
	}
	return bytes;
}
