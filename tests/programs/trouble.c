/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that gets into trouble as real ones do, and checks itself: processes that end or are stopped while their threads
 * are at work, signals that come in numbers or at the worst time.
 *
 * usage: trouble [NAME...]: these checks, or all.  Prints what fails; the exit status is how many failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define MEMORY ((size_t)64 << 20)

static volatile char *memory;

/* A line after the other, none of them in a cache. */
static void *work(void *arg)
{
	for (size_t i = 0; !arg || i < (uintptr_t)arg; i++)
		memory[i * 4160 % MEMORY]++;
	return NULL;
}

/* Into the midst of three threads' work. */
static void start_work(unsigned us)
{
	pthread_t t;

	for (unsigned i = 0; i < 3; i++)
		pthread_create(&t, NULL, work, NULL);
	usleep(us);
}

/* The process ends, or is replaced, while its threads work. */
static void endings(void)
{
	for (unsigned i = 0; i < 16; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			start_work(50 + 20 * i);
			if (i % 2)
				exit(5);
			execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
		}
		CHECK(status_of(pid) == 5 << 8);
	}
}

/* Work goes on while another process of the program is stopped. */
static void stopped(void)
{
	pid_t pid = fork();

	if (pid == 0)
		work(NULL);
	usleep(2000);
	kill(pid, SIGSTOP);
	work((void *)(uintptr_t)100000);
	kill(pid, SIGCONT);
	kill(pid, SIGTERM);
	CHECK(status_of(pid) == SIGTERM);
}

/* The numbers of files are the program's, and it may close them all and be stopped then. */
static void files(void)
{
	char name[64], what[64];
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/* Whoever runs the test may have left some open, but no process. */
		for (int i = 3; i < 64; i++) {
			memset(what, 0, sizeof what);
			snprintf(name, sizeof name, "/proc/self/fd/%d", i);
			CHECK(readlink(name, what, sizeof what - 1) < 0 || !strstr(what, "pidfd"));
			close(i);
		}
		for (int i = 3; i < 8; i++)
			CHECK(open("/etc/passwd", O_RDONLY) == i);
		raise(SIGSTOP);
		usleep(10000);
		_exit(failures);
	}
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	usleep(1000);
	kill(pid, SIGCONT);
	CHECK(status_of(pid) == 0);
}

/* Processes whose numbers are others than they seem, where such may be made. */
static void numbers(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (unshare(CLONE_NEWPID) < 0)
			_exit(0);
		pid = fork();
		if (pid == 0) {
			work((void *)(uintptr_t)100000);
			_exit(getpid() == 1 ? 0 : 1);
		}
		_exit(status_of(pid) != 0);
	}
	CHECK(status_of(pid) == 0);
}

static pthread_mutex_t left;

static void *leave_locked(void *arg)
{
	pthread_mutex_lock(&left);
	return arg;
}

/* A mutex whose holder has ended says so to the next, at once. */
static void robust(void)
{
	pthread_mutexattr_t a;
	pthread_t t;
	bool told = true;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	for (unsigned i = 0; i < 50; i++) {
		pthread_mutex_init(&left, &a);
		pthread_create(&t, NULL, leave_locked, NULL);
		pthread_join(t, NULL);
		told &= pthread_mutex_trylock(&left) == EOWNERDEAD;
	}
	CHECK(told);
}

/* Signals. */

static volatile int caught;
static volatile int *volatile nowhere = (int *)8;
static int order[200];
static sigjmp_buf back_to;

static void count_one(int sig)
{
	(void)sig;
	caught++;
}

static void note_value(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	order[caught++] = info->si_value.sival_int;
}

static void jump_back(int sig)
{
	siglongjmp(back_to, sig);
}

static void fault_again(int sig)
{
	caught += sig == SIGSEGV;
	if (caught > 100)
		_exit(1);
	*nowhere = 1;
}

static void listen_to(int sig, void (*handler)(int), int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = flags };

	caught = 0;
	sigaction(sig, &a, NULL);
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* The C library's own signals. */
static void cancelled(void)
{
	pthread_t t;
	void *got;

	for (unsigned i = 0; i < 5; i++) {
		CHECK(pthread_create(&t, NULL, wait_for_ever, NULL) == 0);
		usleep(1000);
		pthread_cancel(t);
		pthread_join(t, &got);
		CHECK(got == PTHREAD_CANCELED);
	}
	pthread_create(&t, NULL, wait_for_ever, NULL);
	CHECK(setgid(getgid()) == 0 && setuid(getuid()) == 0);
	pthread_cancel(t);
	pthread_join(t, &got);
}

/* Each is handled once, one after the other; in sigsuspend() as many as it lets through. */
static void in_order(void)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO };
	sigset_t set, none;
	bool all = true;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	a.sa_sigaction = note_value;
	sigaction(SIGRTMIN + 1, &a, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 150; i++)
		CHECK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = i }) == 0);
	caught = 0;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	CHECK(caught == 150);
	for (int i = 0; i < 150; i++)
		all &= order[i] == i;
	CHECK(all);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	listen_to(SIGUSR1, count_one, 0);
	listen_to(SIGUSR2, count_one, 0);
	raise(SIGUSR1);
	raise(SIGUSR2);
	CHECK(sigsuspend(&none) == -1 && errno == EINTR && caught == 2);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A fault in the handler of a fault is the end, and so is a stack that is full. */
static void doubly(void)
{
	static char small[16384];
	stack_t s = { .ss_sp = small, .ss_size = sizeof small };
	sigset_t set, now;

	for (unsigned i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			sigaltstack(&s, NULL);
			listen_to(SIGSEGV, fault_again, i ? SA_ONSTACK | SA_NODEFER : 0);
			sigemptyset(&set);
			sigaddset(&set, SIGSEGV);
			if (i == 2)
				sigprocmask(SIG_BLOCK, &set, NULL);
			fault_again(0);
		}
		CHECK((status_of(pid) & 0x7f) == SIGSEGV);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	listen_to(SIGSEGV, count_one, 0);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, NULL, &now);
	raise(SIGSEGV);
	CHECK(sigismember(&now, SIGSEGV) && caught == 0);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	CHECK(caught == 1);
}

/* SIGCHLD says what it is asked to. */
static void children(void)
{
	pid_t pid;
	int status;

	listen_to(SIGCHLD, count_one, SA_NOCLDSTOP | SA_RESTART);
	pid = fork();
	if (pid == 0) {
		raise(SIGSTOP);
		_exit(3);
	}
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) && caught == 0);
	kill(pid, SIGCONT);
	CHECK(status_of(pid) == 3 << 8 && caught == 1);
	listen_to(SIGCHLD, count_one, SA_NOCLDWAIT | SA_RESTART);
	if (fork() == 0)
		_exit(0);
	CHECK(wait(&status) == -1 && errno == ECHILD);
	signal(SIGCHLD, SIG_DFL);
}

static void alarm_in(long us)
{
	struct itimerval t = { { 0, 0 }, { 0, us } };

	setitimer(ITIMER_REAL, &t, NULL);
}

/* Calls that end with EINTR, whether the handler lets calls be made again or not, and one of the others. */
static void broken_calls(void)
{
	struct timeval tv = { 2, 0 };
	struct timespec ts = { 2, 0 };
	uint32_t word = 0;
	int to[2];
	char c;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, to) == 0);
	listen_to(SIGALRM, count_one, SA_RESTART);
	setsockopt(to[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	alarm_in(5000);
	CHECK(recv(to[0], &c, 1, 0) == -1 && errno == EINTR);
	alarm_in(5000);
	CHECK(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &ts, NULL, 0) == -1 && errno == EINTR && caught == 2);
	if (fork() == 0) {
		usleep(20000);
		_exit(write(to[0], "x", 1) != 1);
	}
	alarm_in(5000);
	CHECK(read(to[1], &c, 1) == 1 && c == 'x' && caught == 3);
	wait(NULL);
	close(to[0]);
	close(to[1]);
}

/* What the processor complains of late: between the division and the complaint is a system call. */
static void late_faults(void)
{
	long double one = 1, zero = 0;
	fenv_t before;

	fegetenv(&before);
	listen_to(SIGFPE, jump_back, 0);
	if (!sigsetjmp(back_to, 1)) {
		feenableexcept(FE_DIVBYZERO);
		__asm__ volatile("fldt %1\n\tfldt %0\n\tfdivrp" : : "m"(zero), "m"(one));
		syscall(SYS_getppid);
		__asm__ volatile("fwait");
	} else {
		caught++;
	}
	CHECK(caught == 1);
	fesetenv(&before);
}

static const struct part all[] = {
	{ "endings", endings }, { "stopped", stopped }, { "files", files }, { "numbers", numbers }, { "robust", robust },
	{ "cancelled", cancelled }, { "in_order", in_order }, { "doubly", doubly },
	{ "children", children }, { "broken_calls", broken_calls }, { "late_faults", late_faults },
};

int main(int argc, char **argv)
{
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return run_parts(all, sizeof all / sizeof *all, argc, argv);
}
