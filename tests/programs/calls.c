/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that asks the kernel for what is not to be had, or for what an emulator may not know, and checks the answers.
 *
 * usage: calls [NAME...]: these checks, or all.  Prints what fails; the exit status is how many failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define CLONE_SIGHAND_ALONE (0x800 | SIGCHLD)

/* Bad pointers are the kernel's to refuse. */
static void bad_pointers(void)
{
	static const struct row {
		int line;
		long call, arg[4];
		int error;
	} rows[] = {
		{ __LINE__, SYS_openat, { AT_FDCWD, 8 }, EFAULT },
		{ __LINE__, SYS_open, { -1 }, EFAULT },
		{ __LINE__, SYS_readlink, { 8, 8, 8 }, EFAULT },
		{ __LINE__, SYS_readlink, { (long)"/proc/self/exe", 8, 8 }, EFAULT },
		{ __LINE__, SYS_rt_sigprocmask, { -1, 8, 0, 8 }, EFAULT },
		{ __LINE__, SYS_rt_sigprocmask, { -1, (long)"12345678", 0, 8 }, EINVAL },
		{ __LINE__, SYS_rt_sigpending, { 8, 8 }, EFAULT },
		{ __LINE__, SYS_rt_sigpending, { (long)&rows, 16 }, EINVAL },
		{ __LINE__, SYS_rt_sigaction, { SIGUSR1, 8, 0, 8 }, EFAULT },
		{ __LINE__, SYS_rt_sigaction, { SIGUSR1, 0, 8, 8 }, EFAULT },
		{ __LINE__, SYS_sigaltstack, { 8, 0 }, EFAULT },
		{ __LINE__, SYS_sigaltstack, { 0, 8 }, EFAULT },
		{ __LINE__, SYS_arch_prctl, { 0x1003, 8 }, EFAULT },
		{ __LINE__, SYS_clone, { CLONE_SIGHAND_ALONE }, EINVAL },
	};

	for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
		errno = 0;
		check(r->line, "refused", syscall(r->call, r->arg[0], r->arg[1], r->arg[2], r->arg[3]) == -1 && errno == r->error);
	}
}

static volatile sig_atomic_t caught;

static void count(int sig)
{
	(void)sig;
	caught++;
}

/* What waits behind the mask is told, and comes once the mask lets it: of whatever kind. */
static void pending(void)
{
	const int sigs[] = { SIGUSR1, SIGSEGV, SIGBUS, SIGRTMAX };

	for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++) {
		struct sigaction action = { .sa_handler = count };
		sigset_t one, seen, before;

		caught = 0;
		sigaction(sigs[i], &action, NULL);
		sigemptyset(&one);
		sigaddset(&one, sigs[i]);
		sigprocmask(SIG_BLOCK, &one, &before);
		CHECK(sigpending(&seen) == 0 && !sigismember(&seen, sigs[i]));
		kill(getpid(), sigs[i]);
		CHECK(sigpending(&seen) == 0 && sigismember(&seen, sigs[i]) && !sigismember(&seen, SIGUSR2));
		CHECK(caught == 0);
		sigprocmask(SIG_SETMASK, &before, NULL);
		CHECK(caught == 1);
		CHECK(sigpending(&seen) == 0 && !sigismember(&seen, sigs[i]));
		sigaction(sigs[i], &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	}
}

enum filter { STRICT, BY_PRCTL, BY_CALL };

/* In a process that has this filter getppid() is its end.  It exits by the one call that the strict mode leaves. */
static void be_filtered(enum filter how)
{
	static struct sock_filter code[] = {
		{ 0x20, 0, 0, 0 },				/* the call's number */
		{ 0x15, 0, 1, SYS_getppid },
		{ 6, 0, 0, SECCOMP_RET_KILL_PROCESS },
		{ 6, 0, 0, SECCOMP_RET_ALLOW },
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	long err;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (how == STRICT)
		err = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else if (how == BY_PRCTL)
		err = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	else
		err = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	if (err)
		syscall(SYS_exit, errno);
	syscall(SYS_getppid);
	syscall(SYS_exit, 0);
}

/* A filter is in force, or the program hears that there is none: both can be lived with, a wrong belief cannot. */
static void filters(void)
{
	static const struct {
		int line;
		enum filter how;
		int refused;
	} rows[] = {
		{ __LINE__, STRICT, EINVAL }, { __LINE__, BY_PRCTL, EINVAL }, { __LINE__, BY_CALL, ENOSYS },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int status = 0;
		pid_t pid = fork();

		if (!pid)
			be_filtered(rows[i].how);
		waitpid(pid, &status, 0);
		check(rows[i].line, "a filter is in force or refused",
		      WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == rows[i].refused));
	}
}

static const struct part all[] = { { "bad_pointers", bad_pointers }, { "pending", pending }, { "filters", filters } };

int main(int argc, char **argv)
{
	return run_parts(all, sizeof all / sizeof *all, argc, argv);
}
