/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Linux answers to a static program for IA-64: its system calls, on this computer's files and the machine's time.
 *
 * A call takes up to eight arguments and answers a value, or a negated error number as the kernel's own functions do; IA-64 has
 * the numbers of errors, flags and signals that x86-64 has, so they pass unchanged.  A call that ends the program answers
 * CALL_ENDS and has filled in the stop; one that does not return where it came from answers CALL_JUMPS, and the stop has where;
 * one whose thread waits answers CALL_WAITS, and whatever ends the wait gives its answer.
 */
#ifndef BXS_IA64_LINUX_H
#define BXS_IA64_LINUX_H

#include <errno.h>

#include "machine.h"

#define CALL_ENDS INT64_MIN
#define CALL_JUMPS (INT64_MIN + 1)
#define CALL_WAITS (INT64_MIN + 2)
#define NEVER UINT64_MAX

/* The working directory, as calls with a directory name it (AT_FDCWD). */
#define LINUX_CWD ((uint64_t)-100)

/* Registers that are put aside, and where the program goes on with them; for a signal also its frame and what it has blocked. */
struct linux_context {
	struct linux_context *next;
	uint64_t frame, mask, ip;
	unsigned slot;
	uint8_t registers[offsetof(struct ia64, alat)];
	_Alignas(struct alat) uint8_t speculation[offsetof(struct ia64, code_page) - offsetof(struct ia64, alat)];	/* the ALAT */
};

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
/* A signal for a thread; a wait of the thread's ends, and its call is made again where the handler asks for it. */
void linux_signal(struct ia64 *m, struct linux_thread *t, uint64_t signal);
void linux_signals_end(struct linux_thread *t);

/* linux_turn.c: is the thread at hand the only one; the one of a number, or NULL. */
bool linux_alone(const struct ia64 *m);
struct linux_thread *linux_thread(struct ia64 *m, int32_t id);
/* The thread at hand waits for a futex (0: none) until a time; what its call answers now, or CALL_WAITS.  late is the answer then. */
int64_t linux_wait(struct ia64 *m, uint64_t futex, uint64_t bits, uint64_t until, int64_t late);
/* The thread at hand waits until a file of this process's is ready (POLLIN...), if others can go on meanwhile; false: it need not. */
bool linux_wait_for_file(struct ia64 *m, int file, int events);
/* A thread that waits goes on with an answer of its call. */
void linux_wake(struct linux_thread *t, int64_t answer);
/* The thread at hand leaves its turn to others before the next instruction. */
void linux_give_way(struct linux_state *l);
/* The registers as they are, and where the stop says, are a thread's. */
void linux_put_aside(struct ia64 *m, struct linux_thread *t);
/* linux_thread.c: it is in the ring no longer. */
void linux_thread_gone(struct linux_state *l, struct linux_thread *t);
/* What a call answers, in r8 and r10. */
void linux_put_answer(struct ia64 *m, int64_t answer);
/* linux_processors.c: as linux_turn(), where there are several processors. */
bool linux_processors_turn(struct ia64 *m);
/* Who waited can go on from now on; where a new thread begins. */
void linux_ready(struct ia64 *m, struct linux_thread *t);
unsigned linux_emptiest(const struct linux_state *l);
/* The registers of a thread that was put aside are the machine's; neither hints nor the ALAT outlive that. */
void linux_take_up(struct ia64 *m, struct linux_thread *t);
/* Has come what it waits for? */
bool linux_can_go_on(struct linux_thread *t, uint64_t now);
/* Waits in vain: the program ends. */
int64_t linux_stuck(struct ia64 *m);
/* Blocks until a file is ready for one of the threads that wait for files, and returns that thread.  For when no thread can run. */
struct linux_thread *linux_wait_outside(struct linux_state *l);
/* A thread that waits makes its call anew. */
void linux_call_again(struct linux_thread *t);
/* Before the next instruction: if it is another thread's, the stop has where; false: it is not, or there is none. */
bool linux_turn(struct ia64 *m);
void linux_threads_end(struct linux_state *l);
/* linux_futex.c: wake at most so many of those that wait for a futex and have one of the bits; how many. */
int64_t linux_futex_wake(struct ia64 *m, uint64_t address, uint64_t most, uint64_t bits);
/* linux_time.c: when an absolute time of a clock is; a struct timespec of the program in nanoseconds (UINT64_MAX / 2 at most). */
uint64_t linux_moment(const struct ia64 *m, uint64_t clock, uint64_t ns);
int64_t linux_timespec(struct ia64 *m, uint64_t address, uint64_t *ns);
/* Told the user, once, of what the program does not get. */
void linux_note(struct ia64 *m, const char *text);

/* linux_memory.c */
linux_call linux_brk, linux_mmap, linux_mmap2, linux_munmap, linux_mprotect, linux_mremap, linux_madvise, linux_msync;
/* linux_file.c */
linux_call linux_open, linux_openat, linux_creat, linux_close, linux_read, linux_write, linux_pread, linux_pwrite, linux_readv,
	linux_writev, linux_lseek, linux_dup, linux_dup2, linux_dup3, linux_pipe, linux_pipe2, linux_fcntl, linux_ioctl,
	linux_fsync, linux_fdatasync, linux_ftruncate, linux_fchmod, linux_fchown, linux_getdents64, linux_fadvise, linux_flock;
/* linux_path.c */
linux_call linux_stat, linux_lstat, linux_fstat, linux_fstatat, linux_access, linux_faccessat, linux_unlink, linux_unlinkat,
	linux_rename, linux_renameat, linux_mkdir, linux_mkdirat, linux_rmdir, linux_chdir, linux_fchdir, linux_getcwd,
	linux_readlink, linux_readlinkat, linux_chmod, linux_chown, linux_link, linux_symlink, linux_truncate, linux_utimensat, linux_statfs;
/* linux_process.c */
linux_call linux_exit, linux_getpid, linux_getppid, linux_getuid, linux_geteuid, linux_getgid, linux_getegid, linux_uname,
	linux_umask, linux_getrlimit, linux_setrlimit, linux_prlimit, linux_getrusage, linux_sysinfo, linux_getrandom,
	linux_affinity;
/* linux_thread.c, linux_turn.c, linux_futex.c */
linux_call linux_clone, linux_clone2, linux_thread_exit, linux_gettid, linux_set_tid_address, linux_robust_list, linux_yield, linux_futex;
/* linux_signal.c */
linux_call linux_kill, linux_tkill, linux_tgkill, linux_sigaction, linux_sigprocmask, linux_sigpending, linux_sigreturn;
/* linux_time.c */
linux_call linux_gettimeofday, linux_clock_gettime, linux_clock_getres, linux_nanosleep, linux_clock_nanosleep, linux_times;

#endif
