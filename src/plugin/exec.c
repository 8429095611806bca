/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that executes another: it is carried on under the emulator. */
#include "life.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "plugin.h"
#include "watch.h"
#include "feed/target.h"

/* This thread's process has been counted as one that goes on untraced. */
static _Thread_local bool let_go;

/*
 * Program memory is where the program thinks it is (the emulator maps x86-64 on x86-64 one
 * to one), but a bad pointer must be the program's fault, not ours.  This thread's number, not the
 * process's: that has no memory once its first thread has ended.
 */
bool plugin_peek(uint64_t at, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };

	return process_vm_readv(gettid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

static bool peek_text(uint64_t at, char *to, size_t room)
{
	for (size_t i = 0; i < room; i++) {
		if (!plugin_peek(at + i, to + i, 1))
			return false;
		if (!to[i])
			return true;
	}
	return false;
}

struct execution {
	char name[TARGET_PATH];		/* of the file, as the kernel tells a script's interpreter */
	bool by_file;			/* ... below a file of the program's */
	int file;			/* that */
	uint64_t argv, envp;
};

/* False: the kernel refuses it, or does something else. */
static bool name_at(struct execution *x, int file, uint64_t path_at, unsigned flags)
{
	char path[TARGET_PATH];
	struct stat st;

	if (flags & ~(unsigned)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) || !peek_text(path_at, path, sizeof path))
		return false;
	if (!path[0] && !(flags & AT_EMPTY_PATH))
		return false;
	x->by_file = path[0] != '/' && file != AT_FDCWD;
	x->file = file;
	if (!x->by_file)
		memcpy(x->name, path, sizeof path);
	else if ((size_t)snprintf(x->name, sizeof x->name, "/dev/fd/%d%s%s", file, path[0] ? "/" : "", path) >= sizeof x->name)
		return false;
	return !path[0] || !(flags & AT_SYMLINK_NOFOLLOW) || (lstat(x->name, &st) == 0 && !S_ISLNK(st.st_mode));
}

bool plugin_is_self(const char *name)
{
	char own[64];

	snprintf(own, sizeof own, "/proc/%d/exe", (int)getpid());
	return !strcmp(name, own) || !strcmp(name, "/proc/self/exe") || !strcmp(name, "/proc/thread-self/exe");
}

static bool read_call(int64_t num, const uint64_t arg[5], struct execution *x)
{
	if (num == SYS_execveat) {
		x->argv = arg[2];
		x->envp = arg[3];
		return name_at(x, (int)arg[0], arg[1], (unsigned)arg[4]);
	}
	x->argv = arg[1];
	x->envp = arg[2];
	x->by_file = false;
	return peek_text(arg[0], x->name, sizeof x->name);
}

static bool understand(int64_t num, const uint64_t arg[5], struct execution *x)
{
	if (!read_call(num, arg, x))
		return false;
	if (plugin_is_self(x->name))
		snprintf(x->name, sizeof x->name, "%s", plugin_program());
	return true;
}

/* What it is; false: nothing that can be traced. */
static bool inspect(const struct execution *x, struct target *t)
{
	char why[TARGET_PATH + 64];
	struct stat st;

	if (stat(x->name, &st) < 0 || (st.st_mode & (S_ISUID | S_ISGID)) || target_inspect(x->name, t, why, sizeof why) < 0)
		return false;
	/* The interpreter of a script could not open it. */
	return !t->extras || !x->by_file || !(fcntl(x->file, F_GETFD) & FD_CLOEXEC);
}

/* Out of the way of the standard files; 0: none.  Closed on exec, or (F_DUPFD) not. */
static int hand_on(int file, int how)
{
	int kept = file < 0 ? -1 : fcntl(file, how, 3);

	if (file >= 0)
		close(file);
	return kept < 0 ? 0 : kept;
}

/* Only comes back when it fails. */
static void go_on(const struct execution *x, struct target *t)
{
	/* Who goes never frees it; a child in the same memory leaves that to its parent's thread. */
	static _Thread_local char **command;
	char qemu[TARGET_PATH], *none[] = { t->path, NULL };
	ssize_t n = readlink("/proc/thread-self/exe", qemu, sizeof qemu - 1);
	struct target_emulator e = { .qemu = qemu, .plugin = plugin_file(), .segment = plugin_life.path,
				     .processor = plugin_life.processor };
	int program;
	uint64_t word = 0;

	if (n < 0 || !e.plugin || (x->argv && !plugin_peek(x->argv, &word, 8)))
		return;
	qemu[n] = 0;
	program = hand_on(open(t->path, O_RDONLY | O_CLOEXEC), F_DUPFD_CLOEXEC);
	e.handed = hand_on(plugin_watch_file(plugin_watching), F_DUPFD);
	e.option = plugin_options(t, program);
	free(command);
	command = target_command(t, word ? (char **)(uintptr_t)x->argv : none, &e);
	/* One that cannot reach the segment would tell nobody. */
	if (command && (e.handed || access(plugin_life.path, R_OK | W_OK) == 0)) {
		ring_announce(plugin_life.segment, 1);
		plugin_end_cores();
		ring_settle(plugin_life.segment, getpid());
		execve(qemu, command, (char **)(uintptr_t)x->envp);
		/* The new rights may not reach to where it lies. */
		if (errno == EACCES)
			execve("/proc/thread-self/exe", command, (char **)(uintptr_t)x->envp);
		plugin_begin_core();
	}
	if (program)
		close(program);
	if (e.handed)
		close(e.handed);
}

void plugin_execute(int64_t num, const uint64_t arg[5])
{
	struct target t;
	struct execution x;

	if (ring_detached(plugin_life.segment))
		return;
	if (understand(num, arg, &x) && inspect(&x, &t))
		go_on(&x, &t);
	atomic_fetch_add(&plugin_life.segment->untraced, 1);
	let_go = true;
}

void plugin_not_executed(void)
{
	if (let_go)
		atomic_fetch_sub(&plugin_life.segment->untraced, 1);
	let_go = false;
}
