/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks which CPUs there are and where it runs, and goes elsewhere.  Prints "name value" lines.
 *
 * usage: cpus WHAT [NUMBER...]
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Memory. */

enum { PAGE = 4096 };

static unsigned long policy(int mode, unsigned long nodes)
{
	return syscall(SYS_set_mempolicy, mode, &nodes, 8 * sizeof nodes + 1) < 0 ? (unsigned long)errno : 0;
}

static char *pages(long n)
{
	return mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* One store into every line. */
static void touch(volatile char *at, long n)
{
	for (long i = 0; i < n * PAGE; i += LINE)
		at[i] = 1;
}

static void tell_node(const char *name, const char *at)
{
	int node = -1;

	if (syscall(SYS_get_mempolicy, &node, NULL, 0UL, at, (unsigned long)(MPOL_F_NODE | MPOL_F_ADDR)) < 0)
		node = -errno;
	tell(name, node);
}

static void tell_policy(void)
{
	unsigned long nodes = 0;
	int mode = -1;

	tell("policy", syscall(SYS_get_mempolicy, &mode, &nodes, 8 * sizeof nodes, NULL, 0UL));
	tell("mode", mode);
	tell("nodes", (long)nodes);
}

/* By the thread's policy; `mode` and `nodes` are numbers of the kernel's. */
static void memory(int mode, unsigned long nodes, long n)
{
	char *at;

	tell("set", (long)policy(mode, nodes));
	tell_policy();
	at = pages(n);
	touch(at, n);
	tell_node("first", at);
	tell_node("last", at + (n - 1) * PAGE);
}

/* Of n pages those of the second half are bound to node 1, the thread's are to be on node 0. */
static void half(long n)
{
	unsigned long nodes = 2;
	char *at = pages(n);

	policy(MPOL_BIND, 1);
	tell("bound", syscall(SYS_mbind, at + n / 2 * PAGE, n / 2 * PAGE, MPOL_BIND, &nodes, 8 * sizeof nodes, 0));
	tell_node("untouched", at);
	touch(at, n);
	tell_node("first", at);
	tell_node("before", at + (n / 2 - 1) * PAGE);
	tell_node("behind", at + n / 2 * PAGE);
	tell_node("last", at + (n - 1) * PAGE);
}

/* As `numactl -m 1` does: a program inherits it, and so does a thread. */
static void *touch_some(void *at)
{
	touch(at, 1);
	tell_node("thread", at);
	return NULL;
}

static void inherit(char **argv)
{
	pthread_t t;

	if (argv[2]) {
		tell_policy();
		pthread_create(&t, NULL, touch_some, pages(1));
		pthread_join(t, NULL);
		return;
	}
	policy(MPOL_BIND, 2);
	execl(argv[0], argv[0], "inherit", "it", NULL);
}

static void wrong_memory(void)
{
	unsigned long far = 1UL << 40, set = 0;
	char *at = pages(1);

	tell("mode-77", (long)policy(77, 1));
	tell("bind-none", (long)policy(MPOL_BIND, 0));
	tell("default-some", (long)policy(MPOL_DEFAULT, 1));
	tell("local-some", (long)policy(MPOL_LOCAL, 1));
	tell("in-turn-none", (long)policy(MPOL_INTERLEAVE, 0));
	tell("not-there", (long)policy(MPOL_BIND, far));
	tell("nowhere", syscall(SYS_set_mempolicy, MPOL_BIND, 8, 64UL) < 0 ? errno : 0);
	tell("odd", syscall(SYS_mbind, at + 1, 4096UL, MPOL_BIND, &far, 64UL, 0) < 0 ? errno : 0);
	tell("unmapped", syscall(SYS_get_mempolicy, NULL, NULL, 0UL, 8UL, (unsigned long)(MPOL_F_NODE | MPOL_F_ADDR)) < 0 ? errno : 0);
	tell("short", syscall(SYS_get_mempolicy, NULL, &set, 1UL, NULL, 0UL) < 0 ? errno : 0);
	tell("any", syscall(SYS_get_mempolicy, NULL, &set, 64UL, NULL, (unsigned long)MPOL_F_MEMS_ALLOWED));
	tell("all", (long)set);
	tell("local", (long)policy(MPOL_LOCAL, 0));
	tell_policy();
	tell("preferred", (long)policy(MPOL_PREFERRED, 2));
	tell_policy();
	tell("default", (long)policy(MPOL_DEFAULT, 0));
	tell_policy();
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
	else if (!strcmp(what, "memory") && argc == 5)
		memory((int)number, strtoul(argv[3], NULL, 0), atol(argv[4]));
	else if (!strcmp(what, "half"))
		half(number);
	else if (!strcmp(what, "inherit"))
		inherit(argv);
	else if (!strcmp(what, "wrong-memory"))
		wrong_memory();
	else
		return 2;
	return 0;
}
