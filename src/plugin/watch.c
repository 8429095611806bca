/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct plugin_watch first;

_Thread_local struct plugin_watch *plugin_watching = &first;

/* All but one. */
static bool close_files(unsigned file)
{
	return syscall(SYS_close_range, file + 1, UINT_MAX, 0) == 0 && (!file || syscall(SYS_close_range, 0, file - 1, 0) == 0);
}

/*
 * No thread of the C library's: to that it is the one that made it, whose errno must not change.  So nothing here fails on
 * kernels that have what it needs, but when all is over.
 */
static int watch(void *arg)
{
	struct plugin_watch *w = arg;
	struct pollfd poll_fd[2] = { { .events = POLLIN }, { .events = POLLIN } };
	int pipe_fd[2];

	/* Without a watch, a program still ends when its ring is full (ring_wait). */
	if (!close_files(w->file < 0 ? UINT_MAX - 1 : (unsigned)w->file))
		return 0;
	poll_fd[0].fd = (int)syscall(SYS_pidfd_open, w->segment->consumer, 0);
	if (poll_fd[0].fd < 0 && w->file < 0)
		return 0;
	if (syscall(SYS_pipe2, pipe_fd, O_CLOEXEC) == 0) {
		poll_fd[1].fd = pipe_fd[0];
		w->end = pipe_fd[1];
	} else {
		poll_fd[1].fd = -1;
	}
	while (poll(poll_fd, 2, -1) < 0)
		;
	if (poll_fd[1].fd >= 0 && poll_fd[1].revents)
		return 0;
	if (atomic_load(&w->segment->detached) != RING_ALONE)
		kill(getpid(), SIGKILL);
	return 0;
}

void plugin_watch_start(struct plugin_watch *w, const struct ring_segment *s, int file)
{
	const int shares = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD;
	uint64_t all = UINT64_MAX, old;
	struct stat st;

	w->segment = s;
	w->file = file;
	w->end = -1;
	w->inode = fstat(file, &st) == 0 ? st.st_ino : 0;
	/* Those that the C library keeps for itself, too. */
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof all);
	if (clone(watch, w->stack + sizeof w->stack, shares | CLONE_PARENT_SETTID, w, &w->thread) < 0)
		w->thread = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof old);
	if (file >= 0)
		close(file);
}

/* If it is the segment that it has open as that. */
static int open_of(const struct plugin_watch *w, const char *thread)
{
	char name[320];
	struct stat st;
	int fd;

	snprintf(name, sizeof name, "/proc/self/task/%s/fd/%d", thread, w->file);
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, &st) == 0 && st.st_ino == w->inode))
		return fd;
	close(fd);
	return -1;
}

int plugin_watch_file(const struct plugin_watch *w)
{
	char thread[16];
	struct dirent *e;
	int fd;
	DIR *d;

	if (!w->thread || w->file < 0)
		return -1;
	snprintf(thread, sizeof thread, "%d", w->thread);
	fd = open_of(w, thread);
	/* In a namespace of its own it has another number there. */
	d = fd < 0 ? opendir("/proc/self/task") : NULL;
	while (d && fd < 0 && (e = readdir(d)))
		fd = e->d_name[0] == '.' ? -1 : open_of(w, e->d_name);
	if (d)
		closedir(d);
	return fd;
}

bool plugin_watch_stop(struct plugin_watch *w, int *file)
{
	char name[64];
	int end;

	snprintf(name, sizeof name, "/proc/self/task/%d/fd/%d", w->thread, w->end);
	end = w->thread && w->end >= 0 ? open(name, O_WRONLY | O_CLOEXEC) : -1;
	if (end < 0)
		return false;
	*file = plugin_watch_file(w);
	if (write(end, "", 1) == 1) {
		/* Until it is gone: its stack is the next one's, too. */
		while (syscall(SYS_tgkill, getpid(), w->thread, 0) == 0)
			usleep(20);
	}
	close(end);
	w->thread = 0;
	return true;
}
