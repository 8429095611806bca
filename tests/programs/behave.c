/* SPDX-License-Identifier: BSD-2-Clause */
/* A program for tests of the runner: behaves as its first argument says. */
#include <cpuid.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int do_exit(char **argv)
{
	return atoi(argv[0]);
}

static int do_signal(char **argv)
{
	raise(atoi(argv[0]));
	return 0;
}

static int do_echo(char **argv)
{
	char buf[256];
	ssize_t n;

	while ((n = read(0, buf, sizeof buf)) > 0) {
		if (write(1, buf, (size_t)n) != n)
			return 1;
	}
	fprintf(stderr, "%s", argv[0]);
	return 0;
}

static int do_arguments(char **argv)
{
	for (; *argv; argv++)
		printf("[%s]", *argv);
	printf("%s\n", getenv("BEHAVE") ? getenv("BEHAVE") : "");
	return 0;
}

/* Reads `argv[0]` KiB, a byte a line. */
static int touch(const char *kilobytes)
{
	size_t n = strtoul(kilobytes, NULL, 0) << 10;
	volatile char *p = calloc(n, 1);
	int sum = 0;

	for (size_t i = 0; i < n; i += 64)
		sum += p[i];
	return sum;
}

static int do_touch(char **argv)
{
	return touch(argv[0]);
}

/* Says what processor it sees: signature, AVX, AVX2, fast strings. */
enum { ERMS = 1 << 9 };		/* leaf 7, EBX */

static int do_processor(char **argv)
{
	unsigned signature = 0, b = 0, c = 0, d = 0, leaf7 = 0, ignored;

	(void)argv;
	__get_cpuid(1, &signature, &b, &c, &d);
	__get_cpuid_count(7, 0, &ignored, &leaf7, &ignored, &ignored);
	printf("%#x%s%s%s\n", signature & ~0xfu, c & bit_AVX ? " avx" : "", leaf7 & bit_AVX2 ? " avx2" : "",
	       leaf7 & ERMS ? " erms" : "");
	return 0;
}

static void *count(void *arg)
{
	for (unsigned i = 0; i < 1000; i++)
		__atomic_fetch_add((long *)arg, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static int do_threads(char **argv)
{
	unsigned n = (unsigned)atoi(argv[0]);
	pthread_t *t = calloc(n, sizeof *t);
	long sum = 0;

	for (unsigned i = 0; i < n; i++)
		pthread_create(t + i, NULL, count, &sum);
	for (unsigned i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	printf("%ld\n", sum);
	return 0;
}

/* One thread waits for the other without ever leaving its caches. */
static volatile int flag;

static void *raise_flag(void *arg)
{
	(void)arg;
	usleep(1000);
	flag = 1;
	return NULL;
}

static int do_spin(char **argv)
{
	pthread_t t;

	(void)argv;
	pthread_create(&t, NULL, raise_flag, NULL);
	while (!flag)
		;
	pthread_join(t, NULL);
	return 0;
}

static int do_fork(char **argv)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(atoi(argv[0]));
	waitpid(pid, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	return 0;
}

/* A thread that is there while another one forks; it touches memory when the child has come and gone. */
static void *touch_later(void *kilobytes)
{
	flag = 1;
	while (flag != 2)
		;
	touch(kilobytes);
	return NULL;
}

static int do_beside(char **argv)
{
	pthread_t t;
	pid_t pid;

	pthread_create(&t, NULL, touch_later, argv[0]);
	while (!flag)
		;
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	flag = 2;
	pthread_join(t, NULL);
	return 0;
}

/* Ends its first thread alone, as clone() ends a child; a second one, if any, then says so or executes a program. */
static void *outlive(void *arg)
{
	char **argv = arg;

	usleep(2000);
	if (argv[1])
		execv(argv[0], argv);
	puts(argv[0]);
	exit(12);
}

static int do_leave(char **argv)
{
	pthread_t t;

	if (argv[1])
		pthread_create(&t, NULL, outlive, argv + 1);
	return (int)syscall(SYS_exit, atoi(argv[0]));
}

/* A child from a thread that is not the first ends alone, too. */
static void *leave_child(void *arg)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		syscall(SYS_exit, atoi(arg));
	waitpid(pid, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	return NULL;
}

static int do_leave_child(char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, leave_child, argv[0]);
	pthread_join(t, NULL);
	return 0;
}

static int do_execute(char **argv)
{
	execv(argv[0], argv);
	return 9;
}

/* Says who it is, then works (or sleeps, or a child of it sleeps) for ever. */
static int do_stay(char **argv)
{
	if (argv[0] && argv[0][0] == 'c' && fork() != 0)
		wait(NULL);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (volatile unsigned long i = 0;; i++) {
		if (argv[0] && !argv[1])
			pause();
	}
	return 0;
}

static void on_signal(int number)
{
	static const char text[] = "caught\n";

	if (write(1, text, sizeof text - 1) < 0)
		_exit(1);
	_exit(number);
}

static int do_catch(char **argv)
{
	signal(atoi(argv[0]), on_signal);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
	return 0;
}

static const struct {
	const char *name;
	int (*act)(char **argv);
} acts[] = {
	{ "exit", do_exit }, { "signal", do_signal }, { "echo", do_echo },
	{ "arguments", do_arguments }, { "touch", do_touch }, { "processor", do_processor },
	{ "threads", do_threads },
	{ "spin", do_spin }, { "fork", do_fork }, { "beside", do_beside }, { "execute", do_execute }, { "stay", do_stay },
	{ "catch", do_catch }, { "leave", do_leave }, { "leave-child", do_leave_child },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof acts / sizeof *acts; i++) {
		if (strcmp(acts[i].name, argv[1]) == 0)
			return acts[i].act(argv + 2);
	}
	return 99;
}
