// SPDX-License-Identifier: BSD-2-Clause
/* System calls by number (Linux 6.1, arch/ia64/kernel/syscalls/syscall.tbl): number in r15, arguments in the outputs. */
#include "linux.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FIRST = 1024, CALLS = 334 };

static linux_call *const calls[CALLS] = {
	[1] = linux_thread_exit, [2] = linux_read, [3] = linux_write, [4] = linux_open, [5] = linux_close, [6] = linux_creat,
	[7] = linux_link, [8] = linux_unlink, [10] = linux_chdir, [11] = linux_fchdir, [14] = linux_chmod, [15] = linux_chown, [16] = linux_lseek,
	[17] = linux_getpid, [18] = linux_getppid, [22] = linux_getuid, [23] = linux_geteuid, [25] = linux_access,
	[27] = linux_fsync, [28] = linux_fdatasync, [29] = linux_kill, [30] = linux_rename, [31] = linux_mkdir,
	[32] = linux_rmdir, [33] = linux_dup, [34] = linux_pipe, [35] = linux_times, [36] = linux_brk, [38] = linux_getgid,
	[39] = linux_getegid, [41] = linux_ioctl, [42] = linux_fcntl, [43] = linux_umask, [46] = linux_dup2,
	[60] = linux_setrlimit, [61] = linux_getrlimit, [62] = linux_getrusage, [63] = linux_gettimeofday, [67] = linux_symlink,
	[68] = linux_readlink, [73] = linux_truncate, [74] = linux_ftruncate, [75] = linux_fchmod, [76] = linux_fchown, [79] = linux_statfs,
	[81] = linux_gettid, [103] = linux_sysinfo, [104] = linux_clone, [106] = linux_uname, [121] = linux_flock, [122] = linux_readv,
	[123] = linux_writev, [124] = linux_pread, [125] = linux_pwrite, [127] = linux_mmap, [128] = linux_munmap,
	[131] = linux_mprotect, [132] = linux_mremap, [133] = linux_msync, [140] = linux_yield, [144] = linux_nanosleep, [148] = linux_mmap2,
	[153] = linux_sigaction, [154] = linux_sigpending, [155] = linux_sigprocmask, [157] = linux_sigreturn,
	[160] = linux_getcwd, [185] = linux_madvise, [186] = linux_stat,
	[187] = linux_lstat, [188] = linux_fstat, [189] = linux_clone2, [190] = linux_getdents64, [205] = linux_tkill, [206] = linux_futex,
	[208] = linux_affinity, [209] = linux_set_tid_address, [210] = linux_fadvise, [211] = linux_tgkill, [212] = linux_exit,
	[230] = linux_clock_gettime, [231] = linux_clock_getres, [232] = linux_clock_nanosleep, [257] = linux_openat,
	[258] = linux_mkdirat, [262] = linux_fstatat, [263] = linux_unlinkat, [264] = linux_renameat, [267] = linux_readlinkat,
	[269] = linux_faccessat, [274] = linux_robust_list, [282] = linux_utimensat, [292] = linux_dup3, [293] = linux_pipe2,
	[301] = linux_prlimit, [315] = linux_getrandom,
};

void linux_start(struct linux_state *l)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*l = (struct linux_state){ .started_s = (uint64_t)now.tv_sec, .started_ns = (uint64_t)now.tv_nsec,
				   .cwd = AT_FDCWD, .umask = 022,
				   .main = { .next = &l->main, .id = getpid(), .until = NEVER }, .thread = &l->main,
				   .slice_end = NEVER, .last_id = getpid(),
				   .mmap_next = UINT64_C(0x2000000800000000), .random = UINT64_C(0x9e3779b97f4a7c15) };
	for (int i = 0; i < LINUX_FILES; i++)
		l->file[i] = i < 3 ? i : -1;
}

void linux_end(struct linux_state *l)
{
	for (int i = 0; i < LINUX_FILES; i++)
		if (l->file[i] > 2)
			close(l->file[i]);
	if (l->cwd != AT_FDCWD)
		close(l->cwd);
	linux_threads_end(l);
}

void linux_note(struct ia64 *m, const char *text)
{
	if (!m->note[0])
		snprintf(m->note, sizeof m->note, "%s: the program was told ENOSYS", text);
}

static int64_t unknown(struct ia64 *m, uint64_t number)
{
	char text[64];

	snprintf(text, sizeof text, "system call %" PRIu64 " is not there", number);
	linux_note(m, text);
	return -ENOSYS;
}

static const struct ia64_op *resume(struct ia64 *m)
{
	const struct ia64_op *op = machine_jump(m, NULL, m->stop.ip);

	return op ? op + m->stop.slot : NULL;
}

static void stop_behind(struct ia64 *m, const struct ia64_op *op)
{
	const struct ia64_op *next = next_op(op);

	m->stop = (struct ia64_stop){ .why = IA64_RUNNING, .ip = machine_ip(m, next), .slot = next->slot };
}

/* The instruction to go on at, in a signal handler if one is due.  NULL: the program has ended, or threads are to be looked at first. */
static const struct ia64_op *go_on(struct ia64 *m)
{
	if (!linux_signals(m, m->stop.ip, m->stop.slot) || m->linux_state.look)
		return NULL;
	return resume(m);
}

static linux_call *find(const struct ia64 *m, uint64_t number)
{
	linux_call *call = number >= FIRST && number < FIRST + CALLS ? calls[number - FIRST] : NULL;

	return m->alone && call != linux_exit && call != linux_thread_exit ? NULL : call;
}

void linux_put_answer(struct ia64 *m, int64_t answer)
{
	bool failed = answer < 0 && answer >= -4095;

	m->gr[8] = (struct gr){ (uint64_t)(failed ? -answer : answer), 0 };
	m->gr[10] = (struct gr){ failed ? ~UINT64_C(0) : 0, 0 };
}

const struct ia64_op *system_call(struct ia64 *m, const struct ia64_op *op)
{
	struct linux_thread *t = m->linux_state.thread;
	uint64_t number = gr(m, 15), a[8];
	linux_call *call = find(m, number);
	int64_t answer;

	for (unsigned i = 0; i < 8; i++)
		a[i] = m->sol + i < m->sof ? gr(m, 32 + m->sol + i) : 0;
	stop_behind(m, op);
	answer = call ? call(m, a) : unknown(m, number);
	if (answer == CALL_ENDS || answer == CALL_WAITS) {
		t->call_ip = machine_ip(m, op);
		t->call_slot = op->slot;
	}
	if (answer == CALL_WAITS)
		return NULL;
	if (answer == CALL_ENDS) {
		m->stop.ip = t->call_ip;
		m->stop.slot = t->call_slot;
		return NULL;
	}
	if (answer != CALL_JUMPS)
		linux_put_answer(m, answer);
	if (answer != CALL_JUMPS && !m->code_left && !m->linux_state.look && !(t->pending & ~t->mask))
		return next_op(op);
	return go_on(m);
}
