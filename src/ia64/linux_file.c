// SPDX-License-Identifier: BSD-2-Clause
/* Calls on open files.  The program's descriptors are numbers of its own for some of this process's. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "linux.h"
#include "user.h"

int linux_file(const struct ia64 *m, uint64_t fd)
{
	return fd < LINUX_FILES ? m->linux_state.file[fd] : -1;
}

int linux_dir(const struct ia64 *m, uint64_t fd)
{
	return (int)fd == AT_FDCWD ? m->linux_state.cwd : linux_file(m, fd);
}

int64_t linux_file_add(struct ia64 *m, int fd, uint64_t from)
{
	if (fd < 0)
		return -errno;
	for (uint64_t i = from; i < LINUX_FILES; i++)
		if (m->linux_state.file[i] < 0) {
			m->linux_state.file[i] = fd;
			return (int64_t)i;
		}
	close(fd);
	return -EMFILE;
}

int64_t linux_openat(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	int err = user_string(m, path, sizeof path, a[1]);

	if (err < 0)
		return err;
	return linux_file_add(m, openat(linux_dir(m, a[0]), path, (int)a[2] | O_CLOEXEC, (mode_t)a[3] & ~m->linux_state.umask), 0);
}

int64_t linux_open(struct ia64 *m, const uint64_t *a)
{
	return linux_openat(m, (const uint64_t[]){ LINUX_CWD, a[0], a[1], a[2] });
}

int64_t linux_creat(struct ia64 *m, const uint64_t *a)
{
	return linux_openat(m, (const uint64_t[]){ LINUX_CWD, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1] });
}

/* What this process was started with stays open for it. */
static int drop(struct ia64 *m, uint64_t fd)
{
	int was = linux_file(m, fd);

	m->linux_state.file[fd] = -1;
	return was > 2 ? close(was) : 0;
}

int64_t linux_close(struct ia64 *m, const uint64_t *a)
{
	return linux_file(m, a[0]) < 0 ? -EBADF : linux_answer(drop(m, a[0]));
}

/* --- Transfers --- */

/* Nobody reads any more: the signal is the program's, not this process's. */
static int64_t write_out(struct ia64 *m, int file, const struct user_pieces *p)
{
	static const struct timespec at_once;
	sigset_t pipe, was;
	int64_t answer;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &was);
	answer = linux_answer(writev(file, p->v, p->n));
	if (answer == -EPIPE) {
		sigtimedwait(&pipe, NULL, &at_once);
		linux_signal(m, m->linux_state.thread, SIGPIPE);
	}
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return answer;
}

static int64_t transfer(struct ia64 *m, uint64_t fd, const struct user_pieces *p, const uint64_t *offset, bool out)
{
	int file = linux_file(m, fd);

	if (file < 0)
		return -EBADF;
	if (!offset && linux_wait_for_file(m, file, out ? POLLOUT : POLLIN))
		return CALL_WAITS;
	if (offset)
		return linux_answer(out ? pwritev(file, p->v, p->n, (off_t)*offset) : preadv(file, p->v, p->n, (off_t)*offset));
	return out ? write_out(m, file, p) : linux_answer(readv(file, p->v, p->n));
}

static int64_t plain(struct ia64 *m, const uint64_t *a, const uint64_t *offset, bool out)
{
	struct user_pieces p = { .n = 0 };

	if (!user_add(m, &p, a[1], a[2], out ? IA64_READ : IA64_WRITE))
		return -EFAULT;
	return transfer(m, a[0], &p, offset, out);
}

int64_t linux_read(struct ia64 *m, const uint64_t *a) { return plain(m, a, NULL, false); }
int64_t linux_write(struct ia64 *m, const uint64_t *a) { return plain(m, a, NULL, true); }
int64_t linux_pread(struct ia64 *m, const uint64_t *a) { return plain(m, a, &a[3], false); }
int64_t linux_pwrite(struct ia64 *m, const uint64_t *a) { return plain(m, a, &a[3], true); }

static int64_t vector(struct ia64 *m, const uint64_t *a, bool out)
{
	struct user_pieces p = { .n = 0 };
	uint64_t piece[2];

	if (a[2] > 1024)
		return -EINVAL;
	for (uint64_t i = 0; i < a[2] && p.n < USER_PIECES; i++)
		if (!user_read(m, piece, a[1] + i * sizeof piece, sizeof piece) ||
		    !user_add(m, &p, piece[0], piece[1], out ? IA64_READ : IA64_WRITE))
			return -EFAULT;
	return transfer(m, a[0], &p, NULL, out);
}

int64_t linux_readv(struct ia64 *m, const uint64_t *a) { return vector(m, a, false); }
int64_t linux_writev(struct ia64 *m, const uint64_t *a) { return vector(m, a, true); }

int64_t linux_lseek(struct ia64 *m, const uint64_t *a)
{
	return linux_answer(lseek(linux_file(m, a[0]), (off_t)a[1], (int)a[2]));
}

int64_t linux_getdents64(struct ia64 *m, const uint64_t *a)
{
	uint8_t entries[32768];
	int64_t got = linux_answer(syscall(SYS_getdents64, linux_file(m, a[0]), entries, a[2] < sizeof entries ? a[2] : sizeof entries));

	return got > 0 && !user_write(m, a[1], entries, (size_t)got) ? -EFAULT : got;
}

/* --- Descriptors --- */

static int64_t dup_from(struct ia64 *m, uint64_t fd, uint64_t from)
{
	int file = linux_file(m, fd);

	if (file < 0)
		return -EBADF;
	return from < LINUX_FILES ? linux_file_add(m, fcntl(file, F_DUPFD_CLOEXEC, 3), from) : -EINVAL;
}

int64_t linux_dup(struct ia64 *m, const uint64_t *a)
{
	return dup_from(m, a[0], 0);
}

int64_t linux_dup2(struct ia64 *m, const uint64_t *a)
{
	if (linux_file(m, a[0]) < 0 || a[1] >= LINUX_FILES)
		return -EBADF;
	if (a[0] == a[1])
		return (int64_t)a[1];
	if (linux_file(m, a[1]) >= 0)
		drop(m, a[1]);
	return dup_from(m, a[0], a[1]);
}

int64_t linux_dup3(struct ia64 *m, const uint64_t *a)
{
	return a[0] == a[1] ? -EINVAL : linux_dup2(m, a);
}

static int64_t make_pipe(struct ia64 *m, int flags, int64_t ends[2])
{
	int fd[2];

	ends[0] = ends[1] = -1;
	if (pipe2(fd, flags | O_CLOEXEC) < 0)
		return -errno;
	ends[0] = linux_file_add(m, fd[0], 0);
	ends[1] = linux_file_add(m, fd[1], 0);
	return ends[0] < 0 ? ends[0] : ends[1] < 0 ? ends[1] : 0;
}

/* The second descriptor is in r9. */
int64_t linux_pipe(struct ia64 *m, const uint64_t *a)
{
	int64_t ends[2], err = make_pipe(m, 0, ends);

	(void)a;
	if (err < 0)
		return err;
	m->gr[9] = (struct gr){ (uint64_t)ends[1], 0 };
	return ends[0];
}

int64_t linux_pipe2(struct ia64 *m, const uint64_t *a)
{
	int64_t ends[2], err = make_pipe(m, (int)a[1], ends);
	int fd[2];

	if (err < 0)
		return err;
	fd[0] = (int)ends[0];
	fd[1] = (int)ends[1];
	return user_write(m, a[0], fd, sizeof fd) ? 0 : -EFAULT;
}

static int64_t lock(struct ia64 *m, const uint64_t *a, int file)
{
	struct flock lock;

	if (!user_read(m, &lock, a[2], sizeof lock))
		return -EFAULT;
	if (fcntl(file, (int)a[1], &lock) < 0)
		return -errno;
	return a[1] == F_GETLK && !user_write(m, a[2], &lock, sizeof lock) ? -EFAULT : 0;
}

int64_t linux_fcntl(struct ia64 *m, const uint64_t *a)
{
	int file = linux_file(m, a[0]);

	if (file < 0)
		return -EBADF;
	switch (a[1]) {
	case F_DUPFD: case F_DUPFD_CLOEXEC: return dup_from(m, a[0], a[2]);
	case F_GETFD: case F_SETFD: return 0;	/* nothing is executed that could inherit it */
	case F_GETFL: return linux_answer(fcntl(file, F_GETFL));
	case F_SETFL: return linux_answer(fcntl(file, F_SETFL, (int)a[2]));
	case F_GETLK: case F_SETLK: case F_SETLKW: return lock(m, a, file);
	default: return -EINVAL;
	}
}

/* Terminals tell what they are; the kernel's struct termios has fewer control characters than the library's. */
int64_t linux_ioctl(struct ia64 *m, const uint64_t *a)
{
	int file = linux_file(m, a[0]);
	struct { tcflag_t flags[4]; cc_t line, cc[19]; } termios;
	struct winsize size;
	int bytes;

	if (file < 0)
		return -EBADF;
	switch (a[1]) {
	case TCGETS:
		if (ioctl(file, TCGETS, &termios) < 0)
			return -errno;
		return user_write(m, a[2], &termios, sizeof termios) ? 0 : -EFAULT;
	case TIOCGWINSZ:
		if (ioctl(file, TIOCGWINSZ, &size) < 0)
			return -errno;
		return user_write(m, a[2], &size, sizeof size) ? 0 : -EFAULT;
	case FIONREAD:
		if (ioctl(file, FIONREAD, &bytes) < 0)
			return -errno;
		return user_write(m, a[2], &bytes, sizeof bytes) ? 0 : -EFAULT;
	default:
		return -ENOTTY;
	}
}

int64_t linux_fsync(struct ia64 *m, const uint64_t *a) { return linux_answer(fsync(linux_file(m, a[0]))); }
int64_t linux_fdatasync(struct ia64 *m, const uint64_t *a) { return linux_answer(fdatasync(linux_file(m, a[0]))); }
int64_t linux_ftruncate(struct ia64 *m, const uint64_t *a) { return linux_answer(ftruncate(linux_file(m, a[0]), (off_t)a[1])); }
int64_t linux_fchmod(struct ia64 *m, const uint64_t *a) { return linux_answer(fchmod(linux_file(m, a[0]), (mode_t)a[1])); }
int64_t linux_fchown(struct ia64 *m, const uint64_t *a) { return linux_answer(fchown(linux_file(m, a[0]), (uid_t)a[1], (gid_t)a[2])); }
int64_t linux_flock(struct ia64 *m, const uint64_t *a) { return linux_answer(flock(linux_file(m, a[0]), (int)a[1])); }
int64_t linux_fadvise(struct ia64 *m, const uint64_t *a) { return linux_file(m, a[0]) < 0 ? -EBADF : 0; }
