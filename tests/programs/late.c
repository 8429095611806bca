/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late MS COMMAND [ARGUMENT...]: runs the command and delays the start of each thread and process that it creates by MS
 * milliseconds, as on a host that has no free processor for it, while all others go on.  Exits with the command's status.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 256

/* Tasks held before their first instruction, and until when (ms). */
static struct {
	pid_t task;
	long until;
} held[MOST];
static pid_t known[MOST];

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Is the task new?  Remembers it. */
static int is_new(pid_t task)
{
	for (int i = 0; i < MOST; i++) {
		if (known[i] == task)
			return 0;
		if (!known[i]) {
			known[i] = task;
			return 1;
		}
	}
	return 0;
}

static void hold(pid_t task, long until)
{
	for (int i = 0; i < MOST; i++) {
		if (!held[i].task) {
			held[i].task = task;
			held[i].until = until;
			return;
		}
	}
	ptrace(PTRACE_CONT, task, NULL, 0);
}

static void let_go(void)
{
	for (int i = 0; i < MOST; i++) {
		if (held[i].task && held[i].until <= now_ms()) {
			ptrace(PTRACE_CONT, held[i].task, NULL, 0);
			held[i].task = 0;
		}
	}
}

/* A task has stopped.  Hold a new one.  Otherwise continue it, and deliver the signal that stopped it unless the stop is ptrace's own. */
static void stopped(pid_t task, int status, long delay)
{
	int sig = WSTOPSIG(status);

	if (is_new(task))
		hold(task, now_ms() + delay);
	else
		ptrace(PTRACE_CONT, task, NULL, (long)(sig == SIGTRAP || status >> 16 ? 0 : sig));
}

int main(int argc, char **argv)
{
	long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
	long delay = argc > 2 ? atol(argv[1]) : 0;
	pid_t first, task;
	int status;

	if (argc < 3)
		return 64;
	first = fork();
	if (first == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (first < 0 || waitpid(first, &status, 0) < 0 || ptrace(PTRACE_SETOPTIONS, first, NULL, options) < 0)
		return 71;
	is_new(first);
	ptrace(PTRACE_CONT, first, NULL, 0);
	for (;;) {
		task = waitpid(-1, &status, __WALL | WNOHANG);
		if (task < 0 && errno == ECHILD)
			return 71;
		if (task > 0 && WIFSTOPPED(status))
			stopped(task, status, delay);
		else if (task == first)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (task == 0)
			usleep(1000);
		let_go();
	}
}
