// SPDX-License-Identifier: BSD-2-Clause
/* Calls on files by name. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "linux.h"
#include "user.h"

/* Linux 6.1, arch/ia64/include/uapi/asm/stat.h. */
struct ia64_stat {
	uint64_t dev, ino, nlink;
	uint32_t mode, uid, gid, pad;
	uint64_t rdev, size, atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns, blksize, blocks, unused[3];
};

static int64_t put_stat(struct ia64 *m, uint64_t to, const struct stat *st)
{
	const struct ia64_stat s = {
		.dev = st->st_dev, .ino = st->st_ino, .nlink = st->st_nlink, .mode = st->st_mode, .uid = st->st_uid,
		.gid = st->st_gid, .rdev = st->st_rdev, .size = (uint64_t)st->st_size,
		.atime = (uint64_t)st->st_atim.tv_sec, .atime_ns = (uint64_t)st->st_atim.tv_nsec,
		.mtime = (uint64_t)st->st_mtim.tv_sec, .mtime_ns = (uint64_t)st->st_mtim.tv_nsec,
		.ctime = (uint64_t)st->st_ctim.tv_sec, .ctime_ns = (uint64_t)st->st_ctim.tv_nsec,
		.blksize = (uint64_t)st->st_blksize, .blocks = (uint64_t)st->st_blocks,
	};

	return user_write(m, to, &s, sizeof s) ? 0 : -EFAULT;
}

int64_t linux_fstatat(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	struct stat st;
	int err = user_string(m, path, sizeof path, a[1]);

	if (err < 0)
		return err;
	return fstatat(linux_dir(m, a[0]), path, &st, (int)a[3]) < 0 ? -errno : put_stat(m, a[2], &st);
}

int64_t linux_stat(struct ia64 *m, const uint64_t *a)
{
	return linux_fstatat(m, (const uint64_t[]){ LINUX_CWD, a[0], a[1], 0 });
}

int64_t linux_lstat(struct ia64 *m, const uint64_t *a)
{
	return linux_fstatat(m, (const uint64_t[]){ LINUX_CWD, a[0], a[1], AT_SYMLINK_NOFOLLOW });
}

int64_t linux_fstat(struct ia64 *m, const uint64_t *a)
{
	struct stat st;

	return fstat(linux_file(m, a[0]), &st) < 0 ? -errno : put_stat(m, a[1], &st);
}

int64_t linux_faccessat(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	int64_t err = user_string(m, path, sizeof path, a[1]);

	return err < 0 ? err : linux_answer(faccessat(linux_dir(m, a[0]), path, (int)a[2], 0));
}

int64_t linux_access(struct ia64 *m, const uint64_t *a)
{
	return linux_faccessat(m, (const uint64_t[]){ LINUX_CWD, a[0], a[1] });
}

int64_t linux_unlinkat(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	int64_t err = user_string(m, path, sizeof path, a[1]);

	return err < 0 ? err : linux_answer(unlinkat(linux_dir(m, a[0]), path, (int)a[2]));
}

int64_t linux_unlink(struct ia64 *m, const uint64_t *a)
{
	return linux_unlinkat(m, (const uint64_t[]){ LINUX_CWD, a[0], 0 });
}

int64_t linux_rmdir(struct ia64 *m, const uint64_t *a)
{
	return linux_unlinkat(m, (const uint64_t[]){ LINUX_CWD, a[0], AT_REMOVEDIR });
}

int64_t linux_mkdirat(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	int64_t err = user_string(m, path, sizeof path, a[1]);

	return err < 0 ? err : linux_answer(mkdirat(linux_dir(m, a[0]), path, (mode_t)a[2] & ~m->linux_state.umask));
}

int64_t linux_mkdir(struct ia64 *m, const uint64_t *a)
{
	return linux_mkdirat(m, (const uint64_t[]){ LINUX_CWD, a[0], a[1] });
}

int64_t linux_chmod(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	int64_t err = user_string(m, path, sizeof path, a[0]);

	return err < 0 ? err : linux_answer(fchmodat(linux_dir(m, LINUX_CWD), path, (mode_t)a[1], 0));
}

int64_t linux_chown(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	int64_t err = user_string(m, path, sizeof path, a[0]);

	return err < 0 ? err : linux_answer(fchownat(linux_dir(m, LINUX_CWD), path, (uid_t)a[1], (gid_t)a[2], 0));
}

int64_t linux_truncate(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	int64_t err = user_string(m, path, sizeof path, a[0]);
	int file = err < 0 ? -1 : openat(linux_dir(m, LINUX_CWD), path, O_WRONLY | O_CLOEXEC);

	if (err < 0 || file < 0)
		return err < 0 ? err : -errno;
	err = linux_answer(ftruncate(file, (off_t)a[1]));
	close(file);
	return err;
}

/* The program's working directory is a descriptor: this process stays where it is. */
static int64_t move_to(struct ia64 *m, int dir)
{
	struct linux_state *l = &m->linux_state;

	if (dir < 0)
		return -errno;
	if (l->cwd != AT_FDCWD)
		close(l->cwd);
	l->cwd = dir;
	return 0;
}

int64_t linux_chdir(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	int64_t err = user_string(m, path, sizeof path, a[0]);

	return err < 0 ? err : move_to(m, openat(linux_dir(m, LINUX_CWD), path, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

int64_t linux_fchdir(struct ia64 *m, const uint64_t *a)
{
	int file = linux_file(m, a[0]);

	return file < 0 ? -EBADF : move_to(m, openat(file, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Two names. */
static int64_t two_paths(struct ia64 *m, uint64_t from, uint64_t to, char paths[2][PATH_MAX])
{
	int err = user_string(m, paths[0], PATH_MAX, from);

	return err < 0 ? err : user_string(m, paths[1], PATH_MAX, to);
}

int64_t linux_renameat(struct ia64 *m, const uint64_t *a)
{
	char paths[2][PATH_MAX];
	int64_t err = two_paths(m, a[1], a[3], paths);

	return err < 0 ? err : linux_answer(renameat(linux_dir(m, a[0]), paths[0], linux_dir(m, a[2]), paths[1]));
}

int64_t linux_rename(struct ia64 *m, const uint64_t *a)
{
	return linux_renameat(m, (const uint64_t[]){ LINUX_CWD, a[0], LINUX_CWD, a[1] });
}

int64_t linux_link(struct ia64 *m, const uint64_t *a)
{
	char paths[2][PATH_MAX];
	int64_t err = two_paths(m, a[0], a[1], paths);

	return err < 0 ? err : linux_answer(linkat(linux_dir(m, LINUX_CWD), paths[0], linux_dir(m, LINUX_CWD), paths[1], 0));
}

int64_t linux_symlink(struct ia64 *m, const uint64_t *a)
{
	char paths[2][PATH_MAX];
	int64_t err = two_paths(m, a[0], a[1], paths);

	return err < 0 ? err : linux_answer(symlinkat(paths[0], linux_dir(m, LINUX_CWD), paths[1]));
}

int64_t linux_readlinkat(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX], target[PATH_MAX];
	int err = user_string(m, path, sizeof path, a[1]);
	ssize_t length;

	if (err < 0)
		return err;
	length = readlinkat(linux_dir(m, a[0]), path, target, a[3] < sizeof target ? a[3] : sizeof target);
	if (length < 0)
		return -errno;
	return user_write(m, a[2], target, (size_t)length) ? length : -EFAULT;
}

int64_t linux_readlink(struct ia64 *m, const uint64_t *a)
{
	return linux_readlinkat(m, (const uint64_t[]){ LINUX_CWD, a[0], a[1], a[2] });
}

/* The kernel's answer is the length with the end. */
int64_t linux_getcwd(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX], link[32];
	ssize_t length;

	snprintf(link, sizeof link, m->linux_state.cwd == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", m->linux_state.cwd);
	length = readlink(link, path, sizeof path - 1);
	if (length < 0)
		return -errno;
	path[length++] = '\0';
	if ((uint64_t)length > a[1])
		return -ERANGE;
	return user_write(m, a[0], path, (size_t)length) ? length : -EFAULT;
}

/* A name that is NULL stands for the file `dir`. */
int64_t linux_utimensat(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	struct timespec times[2];
	int err = a[1] ? user_string(m, path, sizeof path, a[1]) : 0;

	if (err < 0)
		return err;
	if (a[2] && !user_read(m, times, a[2], sizeof times))
		return -EFAULT;
	err = a[1] ? utimensat(linux_dir(m, a[0]), path, a[2] ? times : NULL, (int)a[3]) : futimens(linux_dir(m, a[0]), a[2] ? times : NULL);
	return err < 0 ? -errno : 0;
}

/* struct statfs is that of x86-64. */
int64_t linux_statfs(struct ia64 *m, const uint64_t *a)
{
	char path[PATH_MAX];
	struct statfs st;
	int err = user_string(m, path, sizeof path, a[0]), file = err < 0 ? -1 : openat(linux_dir(m, LINUX_CWD), path, O_PATH | O_CLOEXEC);

	if (err < 0 || file < 0)
		return err < 0 ? err : -errno;
	err = fstatfs(file, &st);
	close(file);
	return err < 0 ? -errno : user_write(m, a[1], &st, sizeof st) ? 0 : -EFAULT;
}
