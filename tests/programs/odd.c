/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that does what emulators get wrong, and checks itself: flags and registers across accesses, odd
 * instructions, signals in all places, code that changes, threads, processes.
 *
 * usage: odd [NAME...]: these checks, or all.  Prints what fails; the exit status is how many failed.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "program.h"

static uint64_t many[4096];

/* A long addition: the carry lives across loads and stores. */
static void flags(void)
{
	uint64_t a[4] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, 0 }, b[4] = { 1, 0, 0, 0 };
	uint64_t zero = 0, parity;

	__asm__("add %4, %0\n\tadc %5, %1\n\tadc %6, %2\n\tadc %7, %3"
		: "+m"(a[0]), "+m"(a[1]), "+m"(a[2]), "+m"(a[3]) : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]) : "cc");
	CHECK(a[0] == 0 && a[1] == 0 && a[2] == 0 && a[3] == 1);
	/* Set flags, jump to a block that only moves, read them behind it. */
	__asm__("mov $0x7f, %%al\n\tadd $1, %%al\n\tjmp 1f\n1:\tmov %2, %%rcx\n\tjmp 2f\n2:\tseto %%dl\n\tmovzx %%dl, %0\n\t"
		"sets %%dl\n\tmovzx %%dl, %1" : "=r"(zero), "=r"(parity) : "m"(many[0]) : "rax", "rcx", "rdx", "cc");
	CHECK(zero == 1 && parity == 1);
	/* Flags that only the way past a conditional jump reads; what it jumps to sets all of them. */
	__asm__("mov $1, %%ecx\n\tmov $0x7f, %%al\n\tadd $1, %%al\n\tjmp 1f\n1:\tmov %1, %%rdx\n\tjmp 2f\n2:\tjrcxz 3f\n\t"
		"seto %%al\n\tjmp 4f\n3:\txor %%eax, %%eax\n\tadd %%rdx, %%rax\n4:\tmovzx %%al, %0"
		: "=r"(zero) : "m"(many[0]) : "rax", "rcx", "rdx", "cc");
	CHECK(zero == 1);
	__asm__("stc\n\tmov %1, %%rcx\n\tinc %%rcx\n\tmov %%rcx, %1\n\tsetc %%al\n\tmovzx %%al, %0"
		: "=r"(zero), "+m"(many[1]) : : "rax", "rcx", "cc");
	CHECK(zero == 1);
}

static __thread uint64_t own[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static void segments(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 9; i++) {
		volatile unsigned at = i;

		sum += own[at];
		own[at] += at;
	}
	CHECK(sum == 45 && own[8] == 17);
	__asm__("mov %%fs:0, %0" : "=r"(sum));
	CHECK(sum == *(uint64_t *)sum);		/* the thread's block begins with its own address */
}

static void strings(void)
{
	static char from[5000], to[5000];
	size_t n = 1000;
	char *s = from, *d = to;

	memset(from, 'x', sizeof from);
	from[777] = 'y';
	__asm__ volatile("rep movsb" : "+S"(s), "+D"(d), "+c"(n) : : "memory");
	CHECK(n == 0 && s == from + 1000 && d == to + 1000 && !memcmp(from, to, 1000));
	n = 1000;
	d = to;
	__asm__ volatile("repne scasb" : "+D"(d), "+c"(n) : "a"('y') : "cc");
	CHECK(d == to + 778 && n == 222);
	n = 1000;
	s = from;
	d = to;
	to[500] = 'z';
	__asm__ volatile("repe cmpsb" : "+S"(s), "+D"(d), "+c"(n) : : "cc");
	CHECK(s == from + 501 && n == 499);
	n = 0;
	d = NULL;
	__asm__ volatile("rep stosq" : "+D"(d), "+c"(n) : "a"(0) : "memory");
	CHECK(!d);
	n = 10;
	d = to + 9;
	__asm__ volatile("std\n\trep stosb\n\tcld" : "+D"(d), "+c"(n) : "a"('q') : "memory", "cc");
	CHECK(to[0] == 'q' && to[9] == 'q' && to[10] != 'q' && d + 1 == to);
}

static void branches(void)
{
	uint64_t n = 7, sum = 0, back = 0;
	void *at;

	__asm__("1:\tadd $3, %1\n\tloop 1b" : "+c"(n), "+r"(sum) : : "cc");
	CHECK(sum == 21 && n == 0);
	__asm__("xor %%ecx, %%ecx\n\tjrcxz 1f\n\tmov $5, %0\n1:" : "+r"(sum) : : "rcx", "cc");
	CHECK(sum == 21);
	/* A call through memory, a return that takes arguments along, below the red zone. */
	__asm__ volatile("lea 2f(%%rip), %1\n\tsub $256, %%rsp\n\tpush $1\n\tpush $2\n\tmov %1, -16(%%rsp)\n\tcall *-16(%%rsp)\n\tjmp 3f\n"
			 "2:\tmov 16(%%rsp), %0\n\tret $16\n3:\tadd $256, %%rsp" : "=&r"(back), "=&r"(at) : : "memory", "cc");
	CHECK(back == 1);
	__asm__("xlatb" : "=a"(back) : "a"(3), "b"("abcdef"));
	CHECK((back & 0xff) == 'd');
}

static void vectors(void)
{
	double x[4] = { 1, 2, 3, 4 }, sum = 0;
	long double wide = 3;

	for (unsigned i = 0; i < 1000; i++) {
		sum += x[i & 3] * (double)(many[i] + 1);
		wide *= 1.0000001L;
		many[i * 4 & 4095]++;
	}
	CHECK(sum > 2500 && wide > 3.0002L && wide < 3.0004L);
}

/* Signals. */

static volatile sig_atomic_t caught;
static volatile int last_code;
static sigjmp_buf back_to;

static void count_one(int sig)
{
	(void)sig;
	caught++;
}

static void skip_load(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	caught++;
	last_code = info->si_code;
	/* The load is `mov (%rdi), %rax`, three bytes; it never happens. */
	uc->uc_mcontext.gregs[REG_RAX] = uc->uc_mcontext.gregs[REG_RBX] + 1;
	uc->uc_mcontext.gregs[REG_RIP] += 3;
}

static void jump_back(int sig)
{
	siglongjmp(back_to, sig);
}

static void listen_to(int sig, void (*handler)(int), int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = flags };

	sigaction(sig, &a, NULL);
}

static void faults(void)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO }, old;
	volatile int zero = 0;
	uint64_t got;

	a.sa_sigaction = skip_load;
	sigaction(SIGSEGV, &a, &old);
	caught = 0;
	__asm__ volatile(".byte 0x48, 0x8b, 0x07" : "=a"(got) : "D"(8), "b"(41) : "memory");
	CHECK(caught == 1 && got == 42 && last_code == SEGV_MAPERR);
	listen_to(SIGFPE, jump_back, 0);
	if (!sigsetjmp(back_to, 1))
		zero = 7 / zero;
	else
		caught++;
	CHECK(caught == 2);
	listen_to(SIGILL, jump_back, 0);
	if (!sigsetjmp(back_to, 1))
		__asm__ volatile("ud2");
	else
		caught++;
	CHECK(caught == 3);
	listen_to(SIGSEGV, jump_back, 0);
	if (!sigsetjmp(back_to, 1))
		((void (*)(void))8)();
	else
		caught++;
	CHECK(caught == 4);
	listen_to(SIGTRAP, count_one, 0);
	__asm__ volatile("int3");
	CHECK(caught == 5);
	sigaction(SIGSEGV, &old, NULL);
}

static volatile uintptr_t stack_of_handler;

static void note_stack(int sig)
{
	char here;

	(void)sig;
	stack_of_handler = (uintptr_t)&here;
}

static void interrupted(void)
{
	struct itimerval timer = { { 0, 2000 }, { 0, 2000 } }, off = { { 0, 0 }, { 0, 0 } };
	static char alternative[65536];
	stack_t s = { .ss_sp = alternative, .ss_size = sizeof alternative };
	uint64_t a = 1, b = 0;
	sigset_t set;
	int to[2];
	char c;

	/* A loop that only computes is interrupted, and goes on with its registers. */
	caught = 0;
	listen_to(SIGALRM, count_one, SA_RESTART);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (caught < 5) {
		a = a * 6364136223846793005u + 1442695040888963407u;
		b++;
		if (a == 0 && b == 0)
			break;
	}
	for (uint64_t i = 0, x = 1; i < b; i++, x = x * 6364136223846793005u + 1442695040888963407u)
		if (i == b - 1)
			CHECK(x * 6364136223846793005u + 1442695040888963407u == a);
	/* A call that is made again, and one that is not. */
	CHECK(pipe(to) == 0);
	if (fork() == 0) {
		usleep(30000);
		_exit(write(to[1], "x", 1) != 1);
	}
	CHECK(read(to[0], &c, 1) == 1 && c == 'x');
	while (wait(NULL) < 0 && errno == EINTR)
		;
	listen_to(SIGALRM, count_one, 0);
	errno = 0;
	CHECK(read(to[0], &c, 1) == -1 && errno == EINTR);
	CHECK(pause() == -1 && errno == EINTR);
	setitimer(ITIMER_REAL, &off, NULL);
	/* Blocked, then let through. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	listen_to(SIGUSR1, count_one, 0);
	caught = 0;
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	CHECK(caught == 0);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	CHECK(caught == 1);
	/* On a stack of its own. */
	sigaltstack(&s, NULL);
	listen_to(SIGUSR2, note_stack, SA_ONSTACK);
	raise(SIGUSR2);
	CHECK(stack_of_handler > (uintptr_t)alternative && stack_of_handler < (uintptr_t)alternative + sizeof alternative);
	close(to[0]);
	close(to[1]);
}

/* A signal that comes before a call that does not wait takes nothing from it. */
static void unbroken(void)
{
	struct itimerval timer = { { 0, 100 }, { 0, 100 } }, off = { { 0, 0 }, { 0, 0 } };
	long failed = 0;

	listen_to(SIGALRM, count_one, 0);
	caught = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	for (unsigned i = 0; i < 10000000 && caught < 100; i++)
		failed += syscall(SYS_getppid) < 0;
	CHECK(setitimer(ITIMER_REAL, &off, NULL) == 0);
	CHECK(caught >= 100 && failed == 0);
}

/* Code. */

static void *code_memory(int prot)
{
	return mmap(NULL, 8192, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int run_code(const void *at)
{
	int (*fn)(void);

	memcpy(&fn, &at, sizeof fn);
	return fn();
}

static void changing(void)
{
	static const unsigned char answer[] = { 0xb8, 1, 0, 0, 0, 0xc3 };	/* mov eax, 1; ret */
	unsigned char *code = code_memory(PROT_READ | PROT_WRITE | PROT_EXEC);

	memcpy(code, answer, sizeof answer);
	CHECK(run_code(code) == 1);
	for (unsigned char n = 2; n < 20; n++) {
		code[1] = n;
		CHECK(run_code(code) == n);
	}
	munmap(code, 8192);
	code = mmap(code, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	for (unsigned char n = 20; n < 30; n++) {
		mprotect(code, 8192, PROT_READ | PROT_WRITE);
		memcpy(code, answer, sizeof answer);
		code[1] = n;
		mprotect(code, 8192, PROT_READ | PROT_EXEC);
		CHECK(run_code(code) == n);
	}
	/* Across two pages. */
	mprotect(code, 8192, PROT_READ | PROT_WRITE);
	memcpy(code + 4096 - 3, answer, sizeof answer);
	mprotect(code, 8192, PROT_READ | PROT_EXEC);
	CHECK(run_code(code + 4096 - 3) == 1);
	/* An address relative to the instruction, far from everything: lea rax, [rip + 1]; ret; then what it names */
	mprotect(code, 8192, PROT_READ | PROT_WRITE);
	memcpy(code, "\x8b\x05\x01\x00\x00\x00\xc3\x2a\x00\x00\x00", 11);
	mprotect(code, 8192, PROT_READ | PROT_EXEC);
	CHECK(run_code(code) == 42);
	munmap(code, 8192);
}

/* Threads and processes. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t shared;

static void *work(void *arg)
{
	own[0] = (uintptr_t)arg;
	for (unsigned i = 0; i < 2000; i++) {
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
		__atomic_fetch_add(&many[0], 1, __ATOMIC_RELAXED);
	}
	return (void *)(uintptr_t)(own[0] * 2);
}

static void threads(void)
{
	pthread_t t[8];
	void *got;

	many[0] = 0;
	for (uintptr_t i = 0; i < 8; i++)
		CHECK(pthread_create(t + i, NULL, work, (void *)i) == 0);
	for (uintptr_t i = 0; i < 8; i++) {
		pthread_join(t[i], &got);
		CHECK((uintptr_t)got == i * 2);
	}
	CHECK(shared == 16000 && many[0] == 16000 && own[0] == 1);
}

static void processes(void)
{
	char *const command[] = { "/bin/sh", "-c", "exit 7", NULL };
	char self[4096] = "";
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(own[1] >= 2 ? 5 : 1);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 5);
	pid = vfork();
	if (pid == 0) {
		execv(command[0], command);
		_exit(127);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
	CHECK(system("exit 3") == 3 << 8);
	CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0 && strstr(self, "odd"));
	pid = fork();
	if (pid == 0) {
		volatile int *volatile none = (int *)16;

		signal(SIGSEGV, SIG_DFL);
		*none = 1;
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static const struct part all[] = {
	{ "flags", flags }, { "segments", segments }, { "strings", strings }, { "branches", branches }, { "vectors", vectors },
	{ "faults", faults }, { "interrupted", interrupted }, { "changing", changing }, { "threads", threads },
	{ "processes", processes }, { "unbroken", unbroken },
};

int main(int argc, char **argv)
{
	return run_parts(all, sizeof all / sizeof *all, argc, argv);
}
