/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client that asks for all that it wants to know by instructions of its own, so that no preloaded library can answer.
 *
 * usage: client_kind STEP... [PROGRAM [ARGUMENT...]]: the words are steps, in their order; the program is executed behind "exec".
 *	cpu		CPUID: signature and the last-level cache in KB
 *	affinity	the CPUs that it may use: bytes that the kernel has filled, the number of CPUs
 *	pin CPU		asks for one; prints the CPU and node that it is on, by the system call and by RDTSCP, and in a thread's eyes
 *	tsc MHZ		does the counter run at that rate of CLOCK_MONOTONIC, and has a sleep of 20 ms lasted as long?  By
 *			the times around both ends, so that a computer that keeps it waiting does not matter
 *	waits		ways to wait of which each lasted 20 ms and then said so
 *	memory		of sysinfo(), in GB
 *	block SIGNAL	blocks it, and sends it to itself
 *	pending		signals that are blocked and wait
 *	name		argv[0]
 *	exec, below	by execve(), execveat()
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

enum { CPUS = 1024 };
#define MS INT64_C(1000000)

extern char **environ;

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static void cpu(void)
{
	uint32_t a = 1, b, c = 0, d, sets;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	printf("%x ", a);
	a = 4;
	c = 3;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	sets = c + 1;
	printf("%u\n", ((b >> 22) + 1) * ((b & 0xfff) + 1) * sets >> 10);
}

static long count_cpus(unsigned *count)
{
	uint64_t mask[CPUS / 64] = { 0 };
	long bytes = call(SYS_sched_getaffinity, 0, sizeof mask, (long)mask, 0, 0, 0);

	*count = 0;
	for (unsigned i = 0; i < CPUS; i++)
		*count += mask[i / 64] >> i % 64 & 1;
	return bytes;
}

static void affinity(void)
{
	unsigned count;
	long bytes = count_cpus(&count);

	printf("%ld %u\n", bytes, count);
}

static void *look(void *count)
{
	count_cpus(count);
	return NULL;
}

static void pin(unsigned long wanted)
{
	uint64_t mask[CPUS / 64] = { 0 };
	unsigned now = 0, node = 0, count = 0;
	uint32_t a, b, c;
	pthread_t thread;
	long err;

	mask[wanted / 64] = UINT64_C(1) << wanted % 64;
	err = call(SYS_sched_setaffinity, 0, sizeof mask, (long)mask, 0, 0, 0);
	call(SYS_getcpu, (long)&now, (long)&node, 0, 0, 0, 0);
	__asm__ volatile("rdtscp" : "=a"(a), "=d"(b), "=c"(c));
	pthread_create(&thread, NULL, look, &count);
	pthread_join(thread, NULL);
	printf("%ld %u:%u %u:%u %u\n", err, now, node, c & 0xfff, c >> 12, count);
}

static int64_t now(void)
{
	struct timespec t;

	call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static uint64_t counter(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* A thousandth is allowed for: clocks are read in whole nanoseconds. */
static void tsc(double mhz)
{
	struct timespec t = { 0, 20 * MS };
	int64_t a = now(), b, c, d;
	uint64_t x = counter(), y;
	double cycles;

	b = now();
	call(SYS_nanosleep, (long)&t, 0, 0, 0, 0, 0);
	c = now();
	y = counter();
	d = now();
	cycles = (double)(y - x) / mhz * 1e3;
	printf("%s %s\n", cycles >= (double)(c - b) * 0.999 && cycles <= (double)(d - a) * 1.001 ? "right" : "wrong",
	       d - a >= 20 * MS ? "long" : "short");
}

static void told(const char *name, int64_t begun, bool over)
{
	printf("%s%s ", name, !over ? " ended otherwise" : now() - begun < 20 * MS ? " too short" : "");
}

static void waits(void)
{
	struct timespec t = { 0, 20 * MS }, left = t, real;
	struct timeval tv = { 0, 20000 };
	struct epoll_event event;
	uint64_t set = UINT64_C(1) << (SIGUSR1 - 1), none[16] = { 1 };
	struct pollfd in = { .fd = 0 };
	uint32_t word = 0;
	int epoll = epoll_create1(0);
	int64_t begun;

	begun = now();
	told("poll", begun, call(SYS_poll, (long)&in, 0, 20, 0, 0, 0) == 0);
	begun = now();
	told("ppoll", begun, call(SYS_ppoll, (long)&in, 0, (long)&left, 0, 8, 0) == 0 && left.tv_nsec == 0);
	begun = now();
	told("select", begun, call(SYS_select, 1, 0, 0, (long)none, (long)&tv, 0) == 0 && tv.tv_usec == 0 && none[0] == 0);
	left = t;
	begun = now();
	told("pselect6", begun, call(SYS_pselect6, 0, 0, 0, 0, (long)&left, 0) == 0);
	begun = now();
	told("epoll_wait", begun, call(SYS_epoll_wait, epoll, (long)&event, 1, 20, 0, 0) == 0);
	begun = now();
	told("epoll_pwait2", begun, call(SYS_epoll_pwait2, epoll, (long)&event, 1, (long)&t, 0, 8) == 0);
	begun = now();
	told("futex", begun, call(SYS_futex, (long)&word, FUTEX_WAIT, 0, (long)&t, 0, 0) == -ETIMEDOUT);
	begun = now();
	call(SYS_clock_gettime, CLOCK_REALTIME, (long)&real, 0, 0, 0, 0);
	real.tv_nsec += 20 * MS;
	real.tv_sec += real.tv_nsec / (1000 * MS);
	real.tv_nsec %= 1000 * MS;
	told("futex until", begun,
	     call(SYS_futex, (long)&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, (long)&real, 0, -1) == -ETIMEDOUT);
	begun = now();
	told("rt_sigtimedwait", begun, call(SYS_rt_sigtimedwait, (long)&set, 0, (long)&t, 8, 0, 0) == -EAGAIN);
	begun = now();
	told("clock_nanosleep", begun, call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&t, 0, 0, 0) == 0);
	/* Times that do not wait, and one that is none, are the kernel's. */
	printf("%ld %ld %ld\n", call(SYS_poll, (long)&in, 0, 0, 0, 0, 0), call(SYS_nanosleep, 8, 0, 0, 0, 0, 0),
	       call(SYS_clock_gettime, CLOCK_MONOTONIC, 8, 0, 0, 0, 0));
}

static void memory(void)
{
	struct sysinfo info;

	call(SYS_sysinfo, (long)&info, 0, 0, 0, 0, 0);
	printf("%lu\n", info.totalram * info.mem_unit >> 30);
}

static void block(int sig)
{
	uint64_t set = UINT64_C(1) << (sig - 1);

	call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&set, 0, 8, 0, 0);
	call(SYS_kill, getpid(), sig, 0, 0, 0, 0);
}

static void pending(void)
{
	uint64_t blocked = 0, waits_ = 0;

	call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&blocked, 8, 0, 0);
	call(SYS_rt_sigpending, (long)&waits_, 8, 0, 0, 0, 0);
	printf("%lx %lx\n", (unsigned long)blocked, (unsigned long)waits_);
}

static void execute(long number, char **argv)
{
	long err;

	fflush(stdout);
	if (number == SYS_execveat)
		err = call(number, AT_FDCWD, (long)argv[0], (long)argv, (long)environ, 0, 0);
	else
		err = call(number, (long)argv[0], (long)argv, (long)environ, 0, 0, 0);
	printf("%s: %s\n", argv[0], strerror((int)-err));
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *step = argv[i];

		if (!strcmp(step, "cpu"))
			cpu();
		else if (!strcmp(step, "affinity"))
			affinity();
		else if (!strcmp(step, "pin") && i + 1 < argc)
			pin(strtoul(argv[++i], NULL, 0));
		else if (!strcmp(step, "tsc") && i + 1 < argc)
			tsc(atof(argv[++i]));
		else if (!strcmp(step, "waits"))
			waits();
		else if (!strcmp(step, "memory"))
			memory();
		else if (!strcmp(step, "block") && i + 1 < argc)
			block(atoi(argv[++i]));
		else if (!strcmp(step, "pending"))
			pending();
		else if (!strcmp(step, "name"))
			printf("%s\n", argv[0]);
		else if (i + 1 < argc && (!strcmp(step, "exec") || !strcmp(step, "below"))) {
			execute(*step == 'e' ? SYS_execve : SYS_execveat, argv + i + 1);
			return 1;
		}
	}
	return 3;
}
