/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with children in its own memory, as vfork() and posix_spawn() make them, which checks itself: what is the
 * child's alone, what is both's, and how the parent goes on when the child has another program, ends or is killed.
 *
 * usage: spawn [NAME...]: these checks, or all.  Prints what fails; the exit status is how many failed.
 *        spawn =report: what it was started with, for such a check.
 *        spawn =crowd: more threads at a time than can be traced.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

extern char **environ;

static volatile int shared;
static volatile int *volatile nowhere = (int *)8;
static volatile char *memory;		/* MEMORY bytes */

#define MEMORY ((size_t)1 << 22)

static void *work(void *arg)
{
	for (size_t i = 0; !arg || i < (uintptr_t)arg; i++)
		memory[i * 4160 % MEMORY]++;
	return NULL;
}

static void on_signal(int sig)
{
	shared += sig;
}

/* What posix_spawn() says, and how the child ends. */

static const char *self = "/proc/self/exe";

static void missing(void)
{
	char *const argv[] = { (char *)"x", NULL };
	pid_t pid;

	/* A place that may not be looked at would be the answer. */
	setenv("PATH", "/usr/bin:/bin", 1);
	CHECK(posix_spawn(&pid, "/no/such/program", NULL, NULL, argv, environ) == ENOENT);
	CHECK(posix_spawnp(&pid, "no-such-program", NULL, NULL, argv, environ) == ENOENT);
	CHECK(posix_spawn(&pid, "/etc/passwd", NULL, NULL, argv, environ) == EACCES);
	CHECK(posix_spawn(&pid, "/etc", NULL, NULL, argv, environ) == EACCES);
	CHECK(system("exit 3") == 3 << 8);
	CHECK(system("/no/such/program 2>/dev/null") == 127 << 8);
}

/* Of a program started with f and a: one line; its exit status is 0. */
static void reported(const posix_spawn_file_actions_t *f, const posix_spawnattr_t *a, int from, char *line, size_t size)
{
	char *const argv[] = { (char *)"spawn", (char *)"=report", NULL };
	ssize_t n = -1;
	pid_t pid;
	int err = posix_spawn(&pid, self, f, a, argv, environ);

	CHECK(err == 0);
	if (!err) {
		CHECK(status_of(pid) == 0);
		n = read(from, line, size - 1);
	}
	line[n > 0 ? n : 0] = 0;
}

static int report(void)
{
	struct sigaction now;
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigaction(SIGUSR1, NULL, &now);
	printf("leads %d, blocked %d %d, ignored %d, file %d\n", getpgrp() == getpid(), sigismember(&mask, SIGUSR2),
	       sigismember(&mask, SIGHUP), now.sa_handler == SIG_IGN, fcntl(9, F_GETFD) >= 0);
	return 0;
}

static void attributes(void)
{
	posix_spawn_file_actions_t f;
	posix_spawnattr_t a;
	sigset_t usr1, usr2;
	char line[100];
	int to[2];

	CHECK(pipe2(to, O_CLOEXEC) == 0);
	posix_spawn_file_actions_init(&f);
	posix_spawn_file_actions_adddup2(&f, to[1], 1);
	posix_spawnattr_init(&a);
	reported(&f, &a, to[0], line, sizeof line);
	CHECK(!strcmp(line, "leads 0, blocked 0 0, ignored 0, file 0\n"));
	signal(SIGUSR1, SIG_IGN);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	posix_spawnattr_setsigmask(&a, &usr2);
	posix_spawnattr_setpgroup(&a, 0);
	posix_spawnattr_setflags(&a, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	posix_spawn_file_actions_addopen(&f, 9, "/dev/null", O_RDONLY, 0);
	reported(&f, &a, to[0], line, sizeof line);
	CHECK(!strcmp(line, "leads 1, blocked 1 0, ignored 1, file 1\n"));
	posix_spawnattr_setsigdefault(&a, &usr1);
	posix_spawnattr_setflags(&a, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_addclose(&f, 9);
	reported(&f, &a, to[0], line, sizeof line);
	CHECK(!strcmp(line, "leads 0, blocked 0 0, ignored 0, file 0\n"));
	signal(SIGUSR1, SIG_DFL);
	posix_spawn_file_actions_addopen(&f, 8, "/no/such/file", O_RDONLY, 0);
	CHECK(posix_spawn(&(pid_t){ 0 }, self, &f, &a, (char *const[]){ (char *)"spawn", NULL }, environ) == ENOENT);
	close(to[0]);
	close(to[1]);
}

static void pipes(void)
{
	char line[32] = "";
	FILE *f = popen("exit 4", "r");

	CHECK(f && pclose(f) == 4 << 8);
	f = popen("echo one two", "r");
	CHECK(f && fgets(line, sizeof line, f) && !strcmp(line, "one two\n") && pclose(f) == 0);
	f = popen("/no/such/program 2>/dev/null", "r");
	CHECK(f && pclose(f) == 127 << 8);
}

/* Signals that come while a program is replaced leave no trace in the next one's mask. */
static void replaced(void)
{
	char line[100];
	int to[2];

	CHECK(pipe(to) == 0);
	for (unsigned i = 0; i < 10; i++) {
		ssize_t n;
		pid_t pid = fork();

		if (pid == 0) {
			dup2(to[1], 1);
			signal(SIGCHLD, on_signal);
			execl(self, "spawn", "=report", (char *)NULL);
			_exit(1);
		}
		/* Ever more time between them: when it has come through one, the next waits already. */
		for (useconds_t pause = 20; waitpid(pid, NULL, WNOHANG) == 0; pause += 5) {
			kill(pid, SIGCHLD);
			usleep(pause);
		}
		n = read(to[0], line, sizeof line - 1);
		line[n > 0 ? n : 0] = 0;
		CHECK(!strcmp(line, "leads 0, blocked 0 0, ignored 0, file 0\n"));
	}
	close(to[0]);
	close(to[1]);
}

/* What is both's. */

static void memory_is_both(void)
{
	static char *volatile place;
	char *volatile heap;
	volatile pid_t child = 0, me = getpid();
	pid_t pid = vfork();

	if (pid == 0) {
		child = getpid();
		shared = 5;
		place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		place[7] = 'x';
		heap = sbrk(65536);
		heap[60000] = 'y';
		_exit(7);
	}
	/* Before it is waited for. */
	CHECK(shared == 5 && child == pid && child != me && place[7] == 'x' && heap[60000] == 'y');
	CHECK(status_of(pid) == 7 << 8);
	CHECK(getpid() == me);
	munmap(place, 4096);
}

/* The child has its own. */
static void rest_is_its_own(void)
{
	struct sigaction before, now;
	sigset_t set, mask;
	int fd = open("/dev/null", O_RDONLY);
	char here[4096], there[4096];
	pid_t pid;

	shared = 0;
	signal(SIGUSR1, on_signal);
	sigaction(SIGHUP, NULL, &before);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	CHECK(getcwd(here, sizeof here));
	pid = vfork();
	if (pid == 0) {
		kill(getpid(), SIGUSR1);
		signal(SIGUSR1, SIG_IGN);
		signal(SIGHUP, on_signal);
		sigprocmask(SIG_BLOCK, &set, NULL);
		kill(getpid(), SIGUSR2);
		close(fd);
		_exit(chdir("/proc"));
	}
	CHECK(status_of(pid) == 0 && shared == SIGUSR1);
	sigaction(SIGUSR1, NULL, &now);
	CHECK(now.sa_handler == on_signal);
	raise(SIGUSR1);
	CHECK(shared == 2 * SIGUSR1);
	sigaction(SIGHUP, NULL, &now);
	CHECK(now.sa_handler == before.sa_handler);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGUSR2));
	CHECK(fcntl(fd, F_GETFD) >= 0 && close(fd) == 0);
	CHECK(getcwd(there, sizeof there) && !strcmp(here, there));
	signal(SIGUSR1, SIG_DFL);
}

/* Another program, or none. */
static void executes(void)
{
	volatile int err = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
		_exit(1);
	}
	CHECK(status_of(pid) == 6 << 8);
	for (volatile unsigned i = 0; i < 3; i++) {
		static const char *const path[] = { "/no/such/program", "/etc/passwd", (const char *)8 };
		static const int want[] = { ENOENT, EACCES, EFAULT };

		pid = vfork();
		if (pid == 0) {
			execl(path[i], "x", (char *)NULL);
			err = errno;
			_exit(2);
		}
		CHECK(status_of(pid) == 2 << 8 && err == want[i]);
	}
}

static void nested(void)
{
	volatile int inner = 0, forked = 0;
	volatile pid_t p;
	pid_t pid = vfork();

	if (pid == 0) {
		p = vfork();
		if (p == 0) {
			shared = 11;
			_exit(3);
		}
		inner = status_of(p);
		/* This one has memory of its own. */
		p = fork();
		if (p == 0) {
			shared = 12;
			p = vfork();
			if (p == 0)
				_exit(++shared);
			_exit(status_of(p) >> 8 == 13 && shared == 13 ? 4 : 5);
		}
		forked = status_of(p);
		_exit(shared);
	}
	CHECK(status_of(pid) == 11 << 8 && inner == 3 << 8 && forked == 4 << 8 && shared == 11);
}

/* As C libraries call it: on a stack of its own, files shared, too; the number it had is gone when it ends. */
static int write_and_close(void *arg)
{
	shared = 21;
	close(*(int *)arg);
	return 9;
}

static void cloned(void)
{
	static char stack[65536];
	static pid_t number, set;
	int fd = open("/dev/null", O_RDONLY);
	pid_t pid;

	pid = clone(write_and_close, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &fd);
	CHECK(shared == 21 && status_of(pid) == 9 << 8 && fcntl(fd, F_GETFD) >= 0);
	shared = 0;
	number = 1;
	pid = clone(write_and_close, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_PARENT_SETTID |
		    CLONE_CHILD_CLEARTID | SIGCHLD, &fd, &set, NULL, &number);
	CHECK(shared == 21 && status_of(pid) == 9 << 8 && fcntl(fd, F_GETFD) < 0);
	CHECK(set == pid && number == 0);
}

/* Children that are killed. */

static volatile pid_t victim;

static void *kill_it(void *arg)
{
	while (!victim)
		usleep(50);
	usleep(100 + (useconds_t)(shared * 37 % 900));
	kill(victim, (int)(uintptr_t)arg);
	return NULL;
}

static void killed(void)
{
	static const int by[] = { SIGKILL, SIGTERM, SIGSEGV };
	pthread_t t;

	for (volatile unsigned i = 0; i < 3; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			kill(getpid(), by[i]);
			_exit(1);
		}
		CHECK((status_of(pid) & 0x7f) == by[i]);
	}
	/* Its own fault. */
	victim = vfork();
	if (victim == 0) {
		*nowhere = 1;
		_exit(1);
	}
	CHECK((status_of(victim) & 0x7f) == SIGSEGV);
	/* In the midst of its work, or asleep: the parent and its threads go on. */
	for (shared = 0; shared < 40; shared++) {
		volatile int sig = shared & 1 ? SIGKILL : SIGTERM;
		pid_t pid;

		victim = 0;
		pthread_create(&t, NULL, kill_it, (void *)(uintptr_t)sig);
		pid = vfork();
		if (pid == 0) {
			victim = getpid();
			if (shared & 2)
				work(NULL);
			for (;;)
				pause();
		}
		CHECK((status_of(pid) & 0x7f) == sig);
		pthread_join(t, NULL);
		work((void *)1000);
	}
}

/* ... and while its code changes. */
static void killed_at_change(void)
{
	char *volatile code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t t;

	code[0] = (char)0xc3;			/* ret */
	for (shared = 0; shared < 40; shared++) {
		pid_t pid;

		victim = 0;
		pthread_create(&t, NULL, kill_it, (void *)(uintptr_t)SIGKILL);
		pid = vfork();
		if (pid == 0) {
			victim = getpid();
			for (;;) {
				mprotect(code, 4096, PROT_READ | PROT_EXEC);
				((void (*)(void))(uintptr_t)code)();
				mprotect(code, 4096, PROT_READ | PROT_WRITE);
			}
		}
		CHECK((status_of(pid) & 0x7f) == SIGKILL);
		pthread_join(t, NULL);
	}
	munmap(code, 4096);
}

/* With threads. */

static void *make_children(void *arg)
{
	for (volatile int i = 0; i < 20; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			memory[(uintptr_t)arg]++;
			if (i % 5 == 4)
				execl("/bin/true", "true", (char *)NULL);
			_exit(i);
		}
		CHECK(status_of(pid) == (i % 5 == 4 ? 0 : i << 8));
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[3];

	for (uintptr_t i = 0; i < 3; i++)
		memory[i] = 0;
	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(t + i, NULL, make_children, (void *)i);
	for (uintptr_t i = 0; i < 3; i++) {
		work((void *)20000);
		pthread_join(t[i], NULL);
	}
	for (uintptr_t i = 0; i < 3; i++)
		CHECK(memory[i] >= 20);
}

static int told[2];

/* Lives on when the process that made it has gone. */
static void *make_survivor(void *arg)
{
	pid_t pid = vfork();

	if (pid == 0) {
		write(told[1], "b", 1);
		usleep(20000);
		work((void *)20000);
		write(told[1], "e", 1);
		if (arg)
			execl("/bin/true", "true", (char *)NULL);
		_exit(0);
	}
	return arg;
}

static void survivors(void)
{
	for (volatile unsigned i = 0; i < 8; i++) {
		pid_t pid;
		pthread_t t;
		char c[3] = "";

		CHECK(pipe(told) == 0);
		pid = fork();
		if (pid == 0) {
			pthread_create(&t, NULL, work, NULL);
			pthread_create(&t, NULL, make_survivor, i & 1 ? &told : NULL);
			read(told[0], c, 1);
			if (i & 2)
				_exit(5);
			execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
		}
		close(told[1]);
		CHECK(status_of(pid) == 5 << 8);
		/* The other end is closed when it has gone, too. */
		CHECK(read(told[0], c, 2) == 1 && c[0] == 'e' && read(told[0], c, 1) == 0);
		close(told[0]);
	}
}

static const struct part all[] = {
	{ "missing", missing }, { "attributes", attributes }, { "pipes", pipes }, { "replaced", replaced },
	{ "memory_is_both", memory_is_both }, { "rest_is_its_own", rest_is_its_own }, { "executes", executes },
	{ "nested", nested }, { "cloned", cloned }, { "killed", killed }, { "killed_at_change", killed_at_change },
	{ "threads", threads }, { "survivors", survivors },
};

static void *work_together(void *barrier)
{
	pthread_barrier_wait(barrier);
	work((void *)3000);
	pthread_barrier_wait(barrier);
	return NULL;
}

static int crowd(void)
{
	enum { CROWD = 300 };
	pthread_barrier_t barrier;
	pthread_t t[CROWD];

	pthread_barrier_init(&barrier, NULL, CROWD);
	for (unsigned i = 0; i < CROWD; i++)
		CHECK(pthread_create(t + i, NULL, work_together, &barrier) == 0);
	for (unsigned i = 0; i < CROWD; i++)
		pthread_join(t[i], NULL);
	return failures;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "=report"))
		return report();
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (argc == 2 && !strcmp(argv[1], "=crowd"))
		return crowd();
	return run_parts(all, sizeof all / sizeof *all, argc, argv);
}
