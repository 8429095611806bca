/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets timers, and prints the ns of CLOCK_MONOTONIC at which they ran out, from when they were set, unless it says otherwise.
 *
 * usage: timers WHAT [NUMBER]
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BILLION INT64_C(1000000000)

enum { MOST = 64 };

static int64_t number, from;
static volatile sig_atomic_t count;
static volatile int64_t at[MOST];

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * BILLION + t.tv_nsec;
}

static void tell(const char *what, int64_t value)
{
	printf("%s %lld\n", what, (long long)value);
}

static struct timespec spec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / BILLION, .tv_nsec = ns % BILLION };
}

static struct timeval val_of(int64_t ns)
{
	return (struct timeval){ .tv_sec = ns / BILLION, .tv_usec = ns % BILLION / 1000 };
}

static struct itimerspec specs_of(int64_t ns, int64_t every)
{
	return (struct itimerspec){ .it_value = spec_of(ns), .it_interval = spec_of(every) };
}

static void catch(int sig)
{
	(void)sig;
	if (count < MOST)
		at[count] = now() - from;
	count++;
}

static void handle(int sig)
{
	struct sigaction a = { .sa_handler = catch };

	sigaction(sig, &a, NULL);
}

static void set(int which, int64_t ns, int64_t every)
{
	struct itimerval v = { .it_value = val_of(ns), .it_interval = val_of(every) };

	count = 0;
	from = now();
	setitimer(which, &v, NULL);
}

static void stop(int which)
{
	setitimer(which, &(struct itimerval){ 0 }, NULL);
}

/* The process waits in pause(), in sigsuspend() with the signal blocked before, and in a sleep that is cut short. */
static void do_alarm(void)
{
	struct timespec t = spec_of(5 * number);
	sigset_t block, none;

	handle(SIGALRM);
	from = now();
	alarm((unsigned)(number / BILLION));
	pause();
	tell("pause", at[0]);
	sigemptyset(&none);
	sigemptyset(&block);
	sigaddset(&block, SIGALRM);
	sigprocmask(SIG_BLOCK, &block, NULL);
	count = 0;
	from = now();
	alarm((unsigned)(number / BILLION));
	while (!count)
		sigsuspend(&none);
	tell("sigsuspend", at[0]);
	sigprocmask(SIG_UNBLOCK, &block, NULL);
	count = 0;
	from = now();
	alarm((unsigned)(number / BILLION));
	tell("sleep", nanosleep(&t, &t) < 0 && errno == EINTR ? at[0] : -1);
	tell("left", t.tv_sec * BILLION + t.tv_nsec);
	alarm(10);
	tell("seconds", alarm(0));
	tell("none", alarm(0));
}

/* The process works: its own clock is looked at in the handler alone. */
static void do_busy(void)
{
	handle(SIGALRM);
	set(ITIMER_REAL, number, 2 * number);
	while (count < 4)
		;
	stop(ITIMER_REAL);
	tell("first", at[0]);
	tell("second", at[1]);
	tell("fourth", at[3]);
}

/* Time in which the process sleeps does not count. */
static void do_work(void)
{
	struct timespec t = spec_of(number);

	for (int which = ITIMER_VIRTUAL; which <= ITIMER_PROF; which++) {
		handle(which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF);
		set(which, number, 0);
		nanosleep(&t, NULL);
		while (!count)
			;
		tell(which == ITIMER_VIRTUAL ? "virtual" : "prof", at[0]);
	}
}

static int64_t expirations(int file)
{
	uint64_t n = 0;

	return read(file, &n, sizeof n) == sizeof n ? (int64_t)n : -errno;
}

static void do_file(void)
{
	int file = timerfd_create(CLOCK_MONOTONIC, 0), other = dup(file), real = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	struct itimerspec t = specs_of(number, 2 * number), left;
	struct pollfd p = { .fd = other, .events = POLLIN };
	struct timespec wait = spec_of(5 * number);
	int64_t n;

	from = now();
	timerfd_settime(file, 0, &t, NULL);
	n = expirations(file);
	timerfd_gettime(file, &left);
	tell("read", now() - from);
	tell("expirations", n);
	tell("left", left.it_value.tv_nsec);
	tell("every", left.it_interval.tv_nsec);
	nanosleep(&wait, NULL);		/* to 6: it has run out at 3 and 5 */
	close(file);
	tell("missed", expirations(other));
	tell("polled", poll(&p, 1, -1));
	tell("poll", now() - from);
	tell("again", expirations(other));
	tell("nothing", expirations(real));
	timerfd_settime(real, TFD_TIMER_ABSTIME, &(struct itimerspec){ .it_value = { .tv_sec = 1 } }, NULL);
	tell("long-ago", expirations(real));
	p.fd = other;
	timerfd_settime(other, 0, &(struct itimerspec){ 0 }, NULL);
	tell("stopped", poll(&p, 1, (int)(9 * number / 1000000)));
}

/* Each of its own number; of those that run out while the signal is blocked one is told, and how many others there were. */
static void do_posix(void)
{
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 77 };
	struct itimerspec t = specs_of(3 * number, number), old;
	struct timespec wait = spec_of(10 * number + number / 2);
	siginfo_t info = { .si_signo = 0 };
	timer_t one, two;
	sigset_t block;

	handle(SIGRTMIN);
	timer_create(CLOCK_MONOTONIC, &how, &one);
	timer_create(CLOCK_REALTIME, &how, &two);
	count = 0;
	from = now();
	timer_settime(one, 0, &(struct itimerspec){ .it_value = spec_of(number) }, NULL);
	pause();
	tell("once", at[0]);
	sigemptyset(&block);
	sigaddset(&block, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &block, NULL);
	from = now();
	timer_settime(two, 0, &t, NULL);
	nanosleep(&wait, NULL);		/* it runs out at 3, 4, ... 10 */
	tell("signal", sigwaitinfo(&block, &info) == SIGRTMIN);
	tell("overrun", info.si_overrun);
	tell("value", info.si_code == SI_TIMER ? info.si_value.sival_int : -1);
	timer_gettime(two, &old);
	tell("left", old.it_value.tv_nsec);
	tell("deleted", timer_delete(two) == 0 && timer_gettime(two, &old) < 0 && errno == EINVAL);
}

static sem_t done;

static void expired(union sigval v)
{
	at[count++] = now() - from;
	if (count == v.sival_int)
		sem_post(&done);
}

static volatile int over;

static void *work(void *arg)
{
	while (!over)
		;
	return arg;
}

/* A thread of the library's is told, while another one works. */
static void do_thread(void)
{
	struct sigevent how = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired, .sigev_value.sival_int = 3 };
	struct itimerspec t = specs_of(number, 2 * number);
	pthread_t id;
	timer_t timer;

	sem_init(&done, 0, 0);
	pthread_create(&id, NULL, work, NULL);
	timer_create(CLOCK_MONOTONIC, &how, &timer);
	from = now();
	timer_settime(timer, 0, &t, NULL);
	sem_wait(&done);
	over = 1;
	pthread_join(id, NULL);
	tell("first", at[0]);
	tell("third", at[2]);
}

/* An alarm goes on with the process's next program, and not with its child. */
static void do_processes(void)
{
	int status = 0;
	pid_t child;

	handle(SIGALRM);
	from = now();
	alarm((unsigned)(3 * number / BILLION));
	child = fork();
	if (child == 0) {
		if (alarm((unsigned)(number / BILLION)) == 0)
			execlp("sleep", "sleep", "100", NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	tell("killed", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
	tell("child", now() - from);
	while (!count)
		pause();
	tell("parent", at[0]);
}

/* A socket may say how long its calls wait. */
static void do_socket(void)
{
	struct timeval v = val_of(number);
	int ends[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &v, sizeof v) < 0)
		exit(1);
	from = now();
	tell("recv", recv(ends[0], &byte, 1, 0) < 0 && errno == EAGAIN ? now() - from : -1);
	from = now();
	tell("read", read(ends[0], &byte, 1) < 0 && errno == EAGAIN ? now() - from : -1);
}

/* What the kernel refuses, is refused. */
static void do_wrong(void)
{
	struct itimerval many = { .it_value.tv_usec = 1000000 }, less = { .it_value.tv_sec = -1 };
	struct itimerspec t = specs_of(1, 0), negative = { .it_value.tv_nsec = -1 };
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = 200 };
	void *nowhere = (void *)(uintptr_t)8;
	int file = timerfd_create(CLOCK_MONOTONIC, 0);
	timer_t timer;

	tell("which", syscall(SYS_setitimer, 3, &many, NULL) < 0 && errno == EINVAL);
	tell("many-us", setitimer(ITIMER_REAL, &many, NULL) < 0 && errno == EINVAL);
	tell("negative", setitimer(ITIMER_REAL, &less, NULL) < 0 && errno == EINVAL);
	tell("nowhere", syscall(SYS_setitimer, ITIMER_REAL, nowhere, NULL) < 0 && errno == EFAULT);
	tell("get-nowhere", syscall(SYS_getitimer, ITIMER_REAL, nowhere) < 0 && errno == EFAULT);
	tell("signal", timer_create(CLOCK_MONOTONIC, &how, &timer) < 0 && errno == EINVAL);
	tell("clock", timer_create(77, NULL, &timer) < 0 && errno == EINVAL);
	tell("timer", syscall(SYS_timer_settime, 1234, 0, &t, NULL) < 0 && errno == EINVAL);
	tell("file-clock", timerfd_create(77, 0) < 0 && errno == EINVAL);
	tell("no-file", timerfd_settime(1, 0, &t, NULL) < 0 && errno == EINVAL);
	tell("file-flags", timerfd_settime(file, 8, &t, NULL) < 0 && errno == EINVAL);
	tell("file-ns", timerfd_settime(file, 0, &negative, NULL) < 0 && errno == EINVAL);
}

static const struct {
	const char *name;
	void (*fn)(void);
} rows[] = {
	{ "alarm", do_alarm }, { "busy", do_busy }, { "work", do_work }, { "file", do_file }, { "posix", do_posix },
	{ "thread", do_thread }, { "processes", do_processes }, { "socket", do_socket }, { "wrong", do_wrong },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	number = argc > 2 ? strtoll(argv[2], NULL, 0) : 0;
	for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(argv[1], rows[i].name) == 0) {
			rows[i].fn();
			return 0;
		}
	}
	return 64;
}
