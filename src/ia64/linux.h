/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Linux answers to a static program for IA-64: its system calls, on this computer's files and the machine's time.
 *
 * A call takes up to eight arguments and answers a value, or a negated error number as the kernel's own functions do; IA-64 has
 * the numbers of errors, flags and signals that x86-64 has, so they pass unchanged.  A call that ends the program answers
 * CALL_ENDS and has filled in the stop; one that does not return where it came from answers CALL_JUMPS, and the stop has where.
 */
#ifndef BXS_IA64_LINUX_H
#define BXS_IA64_LINUX_H

#include <errno.h>

#include "machine.h"

#define CALL_ENDS INT64_MIN
#define CALL_JUMPS (INT64_MIN + 1)

/* The working directory, as calls with a directory name it (AT_FDCWD). */
#define LINUX_CWD ((uint64_t)-100)

typedef int64_t linux_call(struct ia64 *m, const uint64_t *a);

/* What this computer's kernel has answered the library, as a call answers it. */
static inline int64_t linux_answer(int64_t result)
{
	return result < 0 ? -errno : result;
}

/* Where time begins, and the files that the program starts with; what was opened is closed. */
void linux_start(struct linux_state *l);
void linux_end(struct linux_state *l);

/* Nanoseconds of the machine's time since the program began. */
uint64_t linux_now(const struct ia64 *m);

/* This process's descriptor for the program's, -1: it has none. */
int linux_file(const struct ia64 *m, uint64_t fd);
/* The same for a directory that paths begin in, which may be AT_FDCWD. */
int linux_dir(const struct ia64 *m, uint64_t fd);
/* The lowest free descriptor from `from` on for what was opened; takes it over, also where none is free (-EMFILE). */
int64_t linux_file_add(struct ia64 *m, int fd, uint64_t from);

/* Signals that wait reach a program that goes on at a place; the stop says where it goes on now.  False: it ends. */
bool linux_signals(struct ia64 *m, uint64_t ip, unsigned slot);
/* A fault that has stopped the program is a signal that it handles; the stop says where. */
bool linux_fault(struct ia64 *m);
void linux_signals_end(struct linux_state *l);

/* linux_memory.c */
linux_call linux_brk, linux_mmap, linux_munmap, linux_mprotect, linux_mremap, linux_madvise, linux_msync;
/* linux_file.c */
linux_call linux_open, linux_openat, linux_creat, linux_close, linux_read, linux_write, linux_pread, linux_pwrite, linux_readv,
	linux_writev, linux_lseek, linux_dup, linux_dup2, linux_dup3, linux_pipe, linux_pipe2, linux_fcntl, linux_ioctl,
	linux_fsync, linux_fdatasync, linux_ftruncate, linux_fchmod, linux_getdents64, linux_fadvise, linux_flock;
/* linux_path.c */
linux_call linux_stat, linux_lstat, linux_fstat, linux_fstatat, linux_access, linux_faccessat, linux_unlink, linux_unlinkat,
	linux_rename, linux_renameat, linux_mkdir, linux_mkdirat, linux_rmdir, linux_chdir, linux_fchdir, linux_getcwd,
	linux_readlink, linux_readlinkat, linux_chmod, linux_link, linux_symlink, linux_truncate, linux_utimensat, linux_statfs;
/* linux_process.c */
linux_call linux_exit, linux_getpid, linux_getppid, linux_getuid, linux_geteuid, linux_getgid, linux_getegid, linux_uname,
	linux_umask, linux_getrlimit, linux_setrlimit, linux_prlimit, linux_getrusage, linux_sysinfo, linux_getrandom,
	linux_futex, linux_robust_list, linux_yield, linux_affinity;
/* linux_signal.c */
linux_call linux_kill, linux_tkill, linux_tgkill, linux_sigaction, linux_sigprocmask, linux_sigpending, linux_sigreturn;
/* linux_time.c */
linux_call linux_gettimeofday, linux_clock_gettime, linux_clock_getres, linux_nanosleep, linux_clock_nanosleep, linux_times;

#endif
