/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks at clocks and waits, and prints ns that passed on CLOCK_MONOTONIC unless it says otherwise.
 *
 * usage: clocks WHAT [NUMBER]
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define BILLION INT64_C(1000000000)
#define ELEMENTS (UINT64_C(1) << 20)

static int64_t number;

static int64_t ns_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * BILLION + t.tv_nsec;
}

static int64_t now(void)
{
	return ns_of(CLOCK_MONOTONIC);
}

static struct timespec spec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / BILLION, .tv_nsec = ns % BILLION };
}

static void tell(const char *what, int64_t value)
{
	printf("%s %lld\n", what, (long long)value);
}

/* `rounds` rounds of four instructions or so. */
static void work(int64_t rounds)
{
	for (volatile int64_t i = 0; i < rounds; i++)
		;
}

static void do_sleep(void)
{
	struct timespec t = spec_of(number);
	int64_t from = now();

	nanosleep(&t, NULL);
	tell("slept", now() - from);
}

static void do_until(void)
{
	int64_t from = now(), real = ns_of(CLOCK_REALTIME);
	struct timespec t = spec_of(from + number);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	tell("until", now() - from);
	t = spec_of(real + 3 * number);
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
	tell("until-real", ns_of(CLOCK_REALTIME) - real);
}

static void do_nothing(void)
{
	int64_t from = now();

	tell("nothing", now() - from);
}

/* Ways to be told the time, around a sleep: all say the same. */
static void do_ways(void)
{
	struct timespec t = spec_of(number);
	int64_t from = now(), real = ns_of(CLOCK_REALTIME), boot = ns_of(CLOCK_BOOTTIME), ran = ns_of(CLOCK_PROCESS_CPUTIME_ID);
	struct timeval day[2];
	uint64_t tsc = __rdtsc();
	unsigned cpu;
	struct tms used;
	clock_t ticks = times(&used);

	gettimeofday(day, NULL);
	nanosleep(&t, NULL);
	gettimeofday(day + 1, NULL);
	tell("tsc", (int64_t)(__rdtscp(&cpu) - tsc));
	tell("monotonic", now() - from);
	tell("real", ns_of(CLOCK_REALTIME) - real);
	tell("boot", ns_of(CLOCK_BOOTTIME) - boot);
	tell("day", (day[1].tv_sec - day[0].tv_sec) * 1000000 + day[1].tv_usec - day[0].tv_usec);
	tell("ticks", times(&used) - ticks);
	tell("ran", ns_of(CLOCK_PROCESS_CPUTIME_ID) - ran);
	/* Some seconds to 1970 are few enough for this to be the same second as nearly always. */
	tell("seconds", time(NULL) - ns_of(CLOCK_REALTIME) / BILLION);
}

/* A thread that works is what the processor's time is of; one that sleeps is not. */
static void do_ran(void)
{
	int64_t from = now(), process = ns_of(CLOCK_PROCESS_CPUTIME_ID), thread = ns_of(CLOCK_THREAD_CPUTIME_ID), used;
	struct timespec t = spec_of(number);
	struct rusage usage;

	work(number / 10);
	used = now() - from;
	nanosleep(&t, NULL);
	tell("wall", used);
	tell("process", ns_of(CLOCK_PROCESS_CPUTIME_ID) - process);
	tell("thread", ns_of(CLOCK_THREAD_CPUTIME_ID) - thread);
	getrusage(RUSAGE_SELF, &usage);
	tell("usage", (int64_t)usage.ru_utime.tv_sec * BILLION + usage.ru_utime.tv_usec * 1000 - ns_of(CLOCK_PROCESS_CPUTIME_ID));
}

static void *worker(void *arg)
{
	int64_t from = now();

	work(*(int64_t *)arg);
	return (void *)(intptr_t)(now() - from);
}

/* One sleeps while the other works for longer than that. */
static void do_beside(void)
{
	int64_t rounds = number, from = now();
	struct timespec t = spec_of(number / 4);
	pthread_t id;
	void *worked;

	pthread_create(&id, NULL, worker, &rounds);
	nanosleep(&t, NULL);
	tell("slept", now() - from);
	pthread_join(id, &worked);
	tell("worked", (intptr_t)worked);
	tell("all", now() - from);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waker(void *arg)
{
	struct timespec t = spec_of(*(int64_t *)arg);

	nanosleep(&t, NULL);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int wait_for(int64_t ns)
{
	struct timespec t = spec_of(ns_of(CLOCK_REALTIME) + ns);
	int err = 0;

	pthread_mutex_lock(&lock);
	while (!ready && !err)
		err = pthread_cond_timedwait(&cond, &lock, &t);
	pthread_mutex_unlock(&lock);
	return err;
}

static void do_cond(void)
{
	int64_t from = now(), after = number;
	pthread_t id;

	tell("timed-out", wait_for(number) == ETIMEDOUT ? now() - from : -1);
	pthread_create(&id, NULL, waker, &after);
	from = now();
	tell("woken", wait_for(10 * number) == 0 ? now() - from : -1);
	pthread_join(id, NULL);
}

/* Nothing comes: each call ends by its time. */
static void do_poll(void)
{
	int ends[2], queue = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };
	struct timespec t = spec_of(number);
	struct timeval v = { .tv_usec = number / 1000 };
	struct pollfd p;
	sigset_t set;
	fd_set files;
	int64_t from;

	if (pipe(ends) < 0 || epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event) < 0)
		exit(1);
	p = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	from = now();
	tell("poll", poll(&p, 1, (int)(number / 1000000)) == 0 ? now() - from : -1);
	from = now();
	tell("ppoll", ppoll(&p, 1, &t, NULL) == 0 ? now() - from : -1);
	FD_ZERO(&files);
	FD_SET(ends[0], &files);
	from = now();
	tell("select", select(ends[0] + 1, &files, NULL, NULL, &v) == 0 ? now() - from : -1);
	FD_SET(ends[0], &files);
	from = now();
	tell("pselect", pselect(ends[0] + 1, &files, NULL, NULL, &t, NULL) == 0 ? now() - from : -1);
	from = now();
	tell("epoll", epoll_wait(queue, &event, 1, (int)(number / 1000000)) == 0 ? now() - from : -1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	from = now();
	tell("sigtimedwait", sigtimedwait(&set, NULL, &t) < 0 && errno == EAGAIN ? now() - from : -1);
}

static void *writer(void *arg)
{
	struct timespec t = spec_of(number);

	nanosleep(&t, NULL);
	if (write(*(int *)arg, "x", 1) != 1)
		exit(1);
	return NULL;
}

/* Something comes before the time is over; and to a wait for a signal. */
static void do_input(void)
{
	struct pollfd p = { .events = POLLIN };
	struct timespec t = spec_of(20 * number);
	int ends[2];
	pthread_t id;
	sigset_t set;
	int64_t from;

	if (pipe(ends) < 0)
		exit(1);
	p.fd = ends[0];
	pthread_create(&id, NULL, writer, ends + 1);
	from = now();
	tell("poll", poll(&p, 1, (int)(10 * number / 1000000)) == 1 ? now() - from : -1);
	pthread_join(id, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	from = now();
	if (fork() == 0) {
		t = spec_of(number);
		nanosleep(&t, NULL);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	tell("sigtimedwait", sigtimedwait(&set, NULL, &t) == SIGUSR1 ? now() - from : -1);
	wait(NULL);
}

/* From outside, while a thread sleeps again and again: how often it did is the host's to say, but the input comes. */
static void *sleeper(void *arg)
{
	struct timespec t = spec_of(number);

	while (arg)
		nanosleep(&t, NULL);
	return NULL;
}

static void do_outside(void)
{
	struct pollfd p = { .events = POLLIN };
	pthread_t id;
	char byte;

	pthread_create(&id, NULL, sleeper, &number);
	tell("poll", poll(&p, 1, 100000));
	tell("read", read(0, &byte, 1));
	tell("read-end", read(0, &byte, 1));
}

static void do_processes(void)
{
	int64_t from = now();
	struct timespec t = spec_of(number);

	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			nanosleep(&t, NULL);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	tell("three", now() - from);
}

static volatile sig_atomic_t caught;

static void catch(int sig)
{
	caught = sig;
}

/* A signal cuts a sleep short; what is left of it is told. */
static void do_signal(void)
{
	struct timespec t = spec_of(number), left = { 0 };
	pid_t child, self = getpid();
	int64_t from = now();
	int err;

	signal(SIGUSR1, catch);
	child = fork();
	if (child == 0) {
		t = spec_of(number / 4);
		nanosleep(&t, NULL);
		kill(self, SIGUSR1);
		_exit(0);
	}
	err = nanosleep(&t, &left) < 0 ? errno : 0;
	tell("cut", err == EINTR && caught == SIGUSR1 ? now() - from : -1);
	tell("left", left.tv_sec * BILLION + left.tv_nsec);
	waitpid(child, NULL, 0);
}

static int wrong(int64_t s, int64_t ns, clockid_t id)
{
	struct timespec t = { .tv_sec = s, .tv_nsec = ns };

	return clock_nanosleep(id, 0, &t, NULL);
}

/* What the kernel refuses, is refused. */
static void do_wrong(void)
{
	struct timespec *nowhere = (struct timespec *)(uintptr_t)8;

	tell("negative", wrong(-1, 0, CLOCK_MONOTONIC) == EINVAL);
	tell("too-many-ns", wrong(0, BILLION, CLOCK_MONOTONIC) == EINVAL);
	tell("negative-ns", wrong(0, -1, CLOCK_MONOTONIC) == EINVAL);
	tell("no-clock", wrong(0, 1, 77) == EINVAL);
	tell("nowhere", syscall(SYS_nanosleep, nowhere, NULL) < 0 && errno == EFAULT);
	tell("to-nowhere", syscall(SYS_clock_gettime, CLOCK_MONOTONIC, nowhere) < 0 && errno == EFAULT);
	tell("read-no-clock", clock_gettime(77, &(struct timespec){ 0 }) < 0 && errno == EINVAL);
}

/* As STREAM times itself: bytes read and written a ns, times a thousand, of its best pass. */
static void do_triad(void)
{
	double *a = aligned_alloc(64, ELEMENTS * 8), *b = aligned_alloc(64, ELEMENTS * 8), *c = aligned_alloc(64, ELEMENTS * 8);
	int64_t all = 0;

	for (uint64_t i = 0; i < ELEMENTS; i++)
		a[i] = b[i] = c[i] = 1;
	for (int64_t pass = 0; pass < number; pass++) {
		int64_t from = now();

		for (uint64_t i = 0; i < ELEMENTS; i++)
			a[i] = b[i] + 3 * c[i];
		all += now() - from;
	}
	tell("ns", all);
}

static const struct {
	const char *name;
	void (*fn)(void);
} rows[] = {
	{ "sleep", do_sleep }, { "until", do_until }, { "nothing", do_nothing }, { "ways", do_ways }, { "ran", do_ran },
	{ "beside", do_beside }, { "cond", do_cond }, { "poll", do_poll }, { "input", do_input }, { "outside", do_outside },
	{ "processes", do_processes }, { "signal", do_signal }, { "wrong", do_wrong }, { "triad", do_triad },
};

int main(int argc, char **argv)
{
	number = argc > 2 ? strtoll(argv[2], NULL, 0) : 0;
	for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(argv[1], rows[i].name) == 0) {
			rows[i].fn();
			return 0;
		}
	}
	return 64;
}
