/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks which CPUs there are and where it runs, and goes elsewhere.  Prints "name value" lines.
 *
 * usage: cpus WHAT [NUMBER...]
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 256, LINE = 64 };

static void tell(const char *what, long value)
{
	printf("%s %ld\n", what, value);
	fflush(stdout);
}

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set) < 0)
		tell("error", errno);
}

static unsigned allowed(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) < 0 ? 0 : (unsigned)CPU_COUNT(&set);
}

static void where(const char *what)
{
	unsigned cpu = 0, node = 0, aux;
	char name[64];

	syscall(SYS_getcpu, &cpu, &node, NULL);
	__asm__ volatile("rdtscp" : "=c"(aux) : : "rax", "rdx");
	tell(what, cpu);
	snprintf(name, sizeof name, "%s-node", what);
	tell(name, node);
	snprintf(name, sizeof name, "%s-aux", what);
	tell(name, aux == (node << 12 | cpu) && sched_getcpu() == (int)cpu);
}

static void count(void)
{
	cpu_set_t set;

	tell("online", sysconf(_SC_NPROCESSORS_ONLN));
	tell("configured", sysconf(_SC_NPROCESSORS_CONF));
	tell("allowed", allowed());
	tell("bytes", syscall(SYS_sched_getaffinity, 0, sizeof set, &set));
	where("at");
}

static void go(int n, char **cpu)
{
	char name[32];

	for (int i = 0; i < n; i++) {
		pin((unsigned)atoi(cpu[i]));
		snprintf(name, sizeof name, "to-%s", cpu[i]);
		where(name);
	}
}

static void *in_thread(void *cpu)
{
	char name[32];

	snprintf(name, sizeof name, "thread-%ld", (long)(intptr_t)cpu);
	if ((intptr_t)cpu >= 0)
		pin((unsigned)(intptr_t)cpu);
	where(name);
	return NULL;
}

/* One after the other, so that they print in order. */
static void threads(int n, char **cpu)
{
	for (int i = 0; i < n; i++) {
		pthread_t t;

		pthread_create(&t, NULL, in_thread, (void *)(intptr_t)atoi(cpu[i]));
		pthread_join(t, NULL);
	}
	where("main");
}

static void *idle(void *done)
{
	while (!__atomic_load_n((int *)done, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	return (void *)(intptr_t)sched_getcpu();
}

/* Another thread is sent elsewhere. */
static void send(unsigned cpu)
{
	int done = 0;
	void *there;
	pthread_t t;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_create(&t, NULL, idle, &done);
	tell("sent", pthread_setaffinity_np(t, sizeof set, &set));
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	pthread_join(t, &there);
	tell("there", (long)(intptr_t)there);
}

static pthread_barrier_t together;

static void *meet(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&together);
	return (void *)(intptr_t)sched_getcpu();
}

/* So many at once: how many are on each CPU? */
static void crowd(int n)
{
	pthread_t t[MOST];
	unsigned on[MOST] = { 0 };

	pthread_barrier_init(&together, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		pthread_create(t + i, NULL, meet, NULL);
	for (int i = 0; i < n; i++) {
		void *cpu;

		pthread_join(t[i], &cpu);
		on[(intptr_t)cpu]++;
	}
	for (unsigned i = 0; i < MOST; i++) {
		char name[32];

		snprintf(name, sizeof name, "on-%u", i);
		if (on[i])
			tell(name, on[i]);
	}
}

static void children(char **argv, unsigned cpu)
{
	pin(cpu);
	if (fork() == 0) {
		where("forked");
		tell("forked-allowed", allowed());
		execl(argv[0], argv[0], "here", NULL);
		_exit(1);
	}
	wait(NULL);
}

static void wrong(void)
{
	unsigned long none = 0, far[16] = { [15] = 1UL << 63 }, set[16];

	errno = 0;
	tell("none", syscall(SYS_sched_setaffinity, 0, sizeof none, &none) < 0 ? errno : 0);
	tell("not-there", syscall(SYS_sched_setaffinity, 0, sizeof far, far) < 0 ? errno : 0);
	tell("nowhere", syscall(SYS_sched_setaffinity, 0, sizeof far, 8) < 0 ? errno : 0);
	tell("short", syscall(SYS_sched_getaffinity, 0, 0UL, set) < 0 ? errno : 0);
	tell("odd", syscall(SYS_sched_getaffinity, 0, 63UL, set) < 0 ? errno : 0);
	tell("no-room", syscall(SYS_sched_getaffinity, 0, sizeof set, 8) < 0 ? errno : 0);
	tell("no-thread", syscall(SYS_sched_getaffinity, 0x3ffffff, sizeof set, set) < 0 ? errno : 0);
	tell("plain", syscall(SYS_getcpu, NULL, NULL, NULL));
}

/* Read so many lines, each time on the next of these CPUs. */
static void read_on(long lines, int n, char **cpu)
{
	volatile char *at = aligned_alloc(4096, (size_t)lines * LINE);

	memset((char *)at, 1, (size_t)lines * LINE);
	for (int i = 0; i < n; i++) {
		pin((unsigned)atoi(cpu[i]));
		for (long k = 0; k < lines; k++)
			(void)at[k * LINE];
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long number = argc > 2 ? atol(argv[2]) : 0;

	if (!strcmp(what, "count"))
		count();
	else if (!strcmp(what, "here"))
		where("here"), tell("here-allowed", allowed());
	else if (!strcmp(what, "go"))
		go(argc - 2, argv + 2);
	else if (!strcmp(what, "threads"))
		threads(argc - 2, argv + 2);
	else if (!strcmp(what, "send"))
		send((unsigned)number);
	else if (!strcmp(what, "crowd"))
		crowd((int)number);
	else if (!strcmp(what, "children"))
		children(argv, (unsigned)number);
	else if (!strcmp(what, "wrong"))
		wrong();
	else if (!strcmp(what, "read"))
		read_on(number, argc - 3, argv + 3);
	else
		return 2;
	return 0;
}
