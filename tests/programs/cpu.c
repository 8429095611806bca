/* SPDX-License-Identifier: BSD-2-Clause */
/* A client that asks for its processor in all the ways there are.  The first argument says which. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	__asm__ volatile("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "a"(leaf), "c"(subleaf));
}

static uint32_t x2apic(void)
{
	uint32_t r[4];

	cpuid(0xb, 0, r);
	return r[3];
}

/* The bytes of CPUID inside another instruction, and behind one. */
__attribute__((noinline)) static uint32_t look_alike(void)
{
	uint32_t value;

	__asm__ volatile("mov $0x90a20f31, %0" : "=r"(value));
	return value;
}

static int pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof set, &set);
}

static int leaf(char **arg)
{
	uint32_t r[4];

	cpuid((uint32_t)strtoul(arg[0], NULL, 0), (uint32_t)strtoul(arg[1], NULL, 0), r);
	printf("%08x %08x %08x %08x\n", r[0], r[1], r[2], r[3]);
	return 0;
}

static int count(char **arg)
{
	cpu_set_t set;

	(void)arg;
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1;
	printf("%ld %ld %d %d %d\n", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF),
	       get_nprocs(), get_nprocs_conf(), CPU_COUNT(&set));
	return 0;
}

/* Every CPU in turn: its number, node and APIC id. */
static int walk(char **arg)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	(void)arg;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		unsigned at = 99, node = 99;

		if (pin(cpu) != 0 || getcpu(&at, &node) != 0 || sched_getcpu() != (int)at)
			return 1;
		printf("%u:%u:%u ", at, node, x2apic());
	}
	printf("\n");
	return 0;
}

static int errors(char **arg)
{
	cpu_set_t set, small;
	char byte[1] = { 0 };

	(void)arg;
	CPU_ZERO(&set);
	printf("%d ", sched_setaffinity(0, sizeof set, &set) < 0 ? errno : 0);
	CPU_SET(1000, &set);
	printf("%d ", sched_setaffinity(0, sizeof set, &set) < 0 ? errno : 0);
	CPU_SET(1, &set);
	printf("%d ", sched_setaffinity(0x3ffffff, sizeof set, &set) < 0 ? errno : 0);
	printf("%d ", sched_getaffinity(0, sizeof byte, &small) < 0 ? errno : 0);
	printf("%d\n", sched_setaffinity(0, sizeof set, &set) < 0 ? errno : 0);
	return 0;
}

static void *say_where(void *arg)
{
	(void)arg;
	printf("%d ", sched_getcpu());
	return NULL;
}

static pthread_barrier_t meet;

static void *be_moved(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&meet);
	pthread_barrier_wait(&meet);
	printf("%d ", sched_getcpu());
	return NULL;
}

/* Inherited, by attribute, moved by another, in a child. */
static int threads(char **arg)
{
	pthread_attr_t attr;
	pthread_t t;
	cpu_set_t set;

	(void)arg;
	pin(3);
	pthread_create(&t, NULL, say_where, NULL);
	pthread_join(t, NULL);
	CPU_ZERO(&set);
	CPU_SET(5, &set);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof set, &set);
	if (pthread_create(&t, &attr, say_where, NULL) != 0)
		return 1;
	pthread_join(t, NULL);
	pthread_attr_destroy(&attr);
	pthread_barrier_init(&meet, NULL, 2);
	pthread_create(&t, NULL, be_moved, NULL);
	pthread_barrier_wait(&meet);
	CPU_ZERO(&set);
	CPU_SET(6, &set);
	if (pthread_setaffinity_np(t, sizeof set, &set) != 0)
		return 1;
	CPU_ZERO(&set);
	if (pthread_getaffinity_np(t, sizeof set, &set) != 0 || CPU_COUNT(&set) != 1 || !CPU_ISSET(6, &set))
		return 1;
	pthread_barrier_wait(&meet);
	pthread_join(t, NULL);
	fflush(stdout);
	if (fork() == 0) {
		printf("%d ", sched_getcpu());
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	printf("%d\n", sched_getcpu());
	return 0;
}

/* Eight threads, each on its CPU of two sockets of two cores, ask at once. */
static void *ask(void *arg)
{
	unsigned cpu = (unsigned)(uintptr_t)arg;

	pin(cpu);
	for (int i = 0; i < 2000; i++)
		if (x2apic() != (cpu % 4 << 1 | cpu / 4) || sched_getcpu() != (int)cpu)
			return NULL;
	return (void *)1;
}

static int crowd(char **arg)
{
	pthread_t t[8];
	unsigned well = 0;

	(void)arg;
	for (unsigned i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, ask, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < 8; i++) {
		void *ok;

		pthread_join(t[i], &ok);
		well += ok != NULL;
	}
	printf("%u\n", well);
	return 0;
}

static int become(char **arg)
{
	pin((unsigned)atoi(arg[0]));
	execl("/proc/self/exe", "cpu", "where", (char *)NULL);
	return 1;
}

static int where(char **arg)
{
	(void)arg;
	printf("%d\n", sched_getcpu());
	return 0;
}

/* A library that asks in its constructor. */
static int load(char **arg)
{
	for (int i = 0; i < 2; i++) {
		void *lib = dlopen(arg[0], RTLD_NOW);
		uint32_t *asked = lib ? dlsym(lib, "library_signature") : NULL;

		if (!asked)
			return 1;
		printf("%08x ", *asked);
		dlclose(lib);
	}
	printf("\n");
	return 0;
}

static sigjmp_buf back;

static void caught(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* SIGILL belongs to the client: its own handler, and no answer while it is blocked elsewhere. */
static int own(char **arg)
{
	struct sigaction old;
	sigset_t all;

	(void)arg;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	printf("%u ", x2apic() < 1000);
	signal(SIGILL, caught);
	if (sigaction(SIGILL, NULL, &old) != 0 || old.sa_handler != caught)
		return 1;
	if (sigsetjmp(back, 1) == 0)
		__asm__ volatile("ud2");
	else
		printf("caught ");
	printf("%u %x\n", x2apic() < 1000, look_alike());
	return 0;
}

static int die(char **arg)
{
	(void)arg;
	__asm__ volatile("ud2");
	return 0;
}

static int tsc(char **arg)
{
	unsigned aux;
	uint64_t first = __rdtsc();
	uint64_t second = __rdtscp(&aux);

	(void)arg;
	printf("%llu %llu %u %u\n", (unsigned long long)first, (unsigned long long)second, aux & 0xfff,
	       aux >> 12);
	return 0;
}

static void show(const struct timespec *t)
{
	printf("%lld.%09ld ", (long long)t->tv_sec, t->tv_nsec);
}

/* The kernel itself, whatever stands before the C library. */
static double world_now(void)
{
	struct timespec t;
	long result = SYS_clock_gettime;

	__asm__ volatile("syscall" : "+a"(result) : "D"(CLOCK_MONOTONIC), "S"(&t) : "rcx", "r11", "memory");
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int clocks(char **arg)
{
	struct timespec mono, real;
	struct timeval day;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	gettimeofday(&day, NULL);
	show(&mono);
	show(&real);
	printf("%lld.%06ld %lld\n", (long long)day.tv_sec, (long)day.tv_usec, (long long)time(NULL));
	return 0;
}

/* Memory in MB as three ask for it, then of each cache size in KB, ways and bytes of a line. */
static int sizes(char **arg)
{
	struct sysinfo info;

	(void)arg;
	sysinfo(&info);
	printf("%ld %ld %ld", sysconf(_SC_PHYS_PAGES) >> 8, get_avphys_pages() >> 8, (long)(info.totalram * info.mem_unit >> 20));
	for (int name = _SC_LEVEL1_ICACHE_SIZE; name < _SC_LEVEL4_CACHE_SIZE; name += 3)
		printf(" %ld/%ld/%ld", sysconf(name) >> 10, sysconf(name + 1), sysconf(name + 2));
	printf(" %ld\n", sysconf(_SC_LEVEL4_CACHE_SIZE));
	return 0;
}

/* By the kernel's numbers. */
static int numbers(char **arg)
{
	unsigned cpu = 99, node = 99;
	struct timespec t;
	cpu_set_t set;

	(void)arg;
	CPU_ZERO(&set);
	CPU_SET(6, &set);
	printf("%ld ", syscall(SYS_sched_setaffinity, 0, sizeof set, &set));
	CPU_ZERO(&set);
	printf("%ld ", syscall(SYS_sched_getaffinity, 0, sizeof set, &set));
	printf("%d ", CPU_COUNT(&set));
	printf("%ld ", syscall(SYS_getcpu, &cpu, &node, NULL));
	printf("%u %u %d ", cpu, node, sched_getcpu());
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	show(&t);
	CPU_ZERO(&set);
	printf("%ld ", syscall(SYS_sched_setaffinity, 0, sizeof set, &set));
	printf("%d ", errno);
	printf("%ld ", syscall(SYS_close, -1));
	printf("%d ", errno);
	printf("%d\n", syscall(SYS_getpid) == getpid());
	return 0;
}

/* Sleeping for 10 ms of the machine's time or the world's takes so many seconds at least. */
static int sleeps(char **arg)
{
	struct timespec until, ten = { .tv_nsec = 10000000 };
	double least = strtod(arg[0], NULL);

	for (int i = 0; i < 4; i++) {
		double began = world_now();
		int got;

		if (i == 0)
			got = usleep(10000);
		else if (i == 1)
			got = nanosleep(&ten, NULL);
		else if (i == 2)
			got = clock_nanosleep(CLOCK_MONOTONIC, 0, &ten, NULL);
		else {
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += 10000000;
			if (until.tv_nsec >= 1000000000) {
				until.tv_sec++;
				until.tv_nsec -= 1000000000;
			}
			got = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
		}
		printf("%d%s ", got, world_now() - began >= least ? "" : " early");
	}
	printf("%u\n", sleep(0));
	return 0;
}

/* Waiting until a moment 20 ms ahead of the client's clock takes 20 ms of the world's, even if the former stands. */
static int waits(char **arg)
{
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec until;
	sem_t sem;

	(void)arg;
	sem_init(&sem, 0, 0);
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 4; i++) {
		double began = world_now();
		int got;

		clock_gettime(i < 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &until);
		until.tv_nsec += 20000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		switch (i) {
		case 0:
			got = pthread_cond_timedwait(&cond, &mutex, &until);
			break;
		case 1:
			got = sem_timedwait(&sem, &until) < 0 ? errno : 0;
			break;
		case 2:
			got = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until);
			break;
		default:
			got = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
			break;
		}
		printf("%s%s ", got == ETIMEDOUT ? "timeout" : got ? "error" : "over",
		       world_now() - began >= 0.019 ? "" : " early");
	}
	printf("\n");
	return 0;
}

/* Everything that waits, for 10 ms of the client's clock; each gives 0 or an error when it is over. */

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t owned = PTHREAD_RWLOCK_INITIALIZER;
static pthread_t asleep;
static sem_t none;
static int word;

static struct timespec in_10ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 10000000;
	return (struct timespec){ t.tv_sec + t.tv_nsec / 1000000000, t.tv_nsec % 1000000000 };
}

/* A condition may be said to be true at any time: only its end counts. */
static int until_condition(bool monotonic)
{
	struct timespec t = in_10ms(monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME);
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	int err;

	pthread_mutex_lock(&mutex);
	do
		err = monotonic ? pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &t) : pthread_cond_timedwait(&cond, &mutex, &t);
	while (err == 0);
	return err;
}

static int until_c_condition(void)
{
	struct timespec t = in_10ms(CLOCK_REALTIME);
	cnd_t cond;
	mtx_t mutex;
	int got;

	cnd_init(&cond);
	mtx_init(&mutex, mtx_timed);
	mtx_lock(&mutex);
	do
		got = cnd_timedwait(&cond, &mutex, &t);
	while (got == thrd_success);
	return got == thrd_timedout ? ETIMEDOUT : EINVAL;
}

/* Another way to wait in each call; -1: there are no more. */
static int wait_once(unsigned way)
{
	struct timespec real = in_10ms(CLOCK_REALTIME), mono = in_10ms(CLOCK_MONOTONIC), ten = { .tv_nsec = 10000000 };
	struct itimerspec at = { .it_value = mono };
	struct timeval tv = { .tv_usec = 10000 };
	struct epoll_event event;
	unsigned long times;
	sigset_t set;
	int fd, got;

	switch (way) {
	case 0: return until_condition(false);
	case 1: return until_condition(true);
	case 2: return until_c_condition();
	case 3: return pthread_mutex_timedlock(&held, &real);
	case 4: return pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &mono);
	case 5: return mtx_timedlock((mtx_t *)&held, &real) == thrd_timedout ? ETIMEDOUT : EINVAL;
	case 6: return pthread_rwlock_timedrdlock(&owned, &real);
	case 7: return pthread_rwlock_timedwrlock(&owned, &real);
	case 8: return pthread_rwlock_clockrdlock(&owned, CLOCK_MONOTONIC, &mono);
	case 9: return pthread_rwlock_clockwrlock(&owned, CLOCK_MONOTONIC, &mono);
	case 10: return sem_timedwait(&none, &real) < 0 ? errno : 0;
	case 11: return sem_clockwait(&none, CLOCK_MONOTONIC, &mono) < 0 ? errno : 0;
	case 12: return pthread_timedjoin_np(asleep, NULL, &real);
	case 13: return pthread_clockjoin_np(asleep, NULL, CLOCK_MONOTONIC, &mono);
	case 14: return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &mono, NULL, -1) < 0 ? errno : 0;
	case 15: return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &real, NULL, -1) < 0 ? errno : 0;
	case 16: return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &ten) < 0 ? errno : 0;
	case 17: return poll(NULL, 0, 10) ? EINVAL : ETIMEDOUT;
	case 18: return ppoll(NULL, 0, &ten, NULL) ? EINVAL : ETIMEDOUT;
	case 19: return select(0, NULL, NULL, NULL, &tv) ? EINVAL : ETIMEDOUT;
	case 20: return pselect(0, NULL, NULL, NULL, &ten, NULL) ? EINVAL : ETIMEDOUT;
	case 21: case 22: case 23:
		fd = epoll_create1(0);
		got = way == 21 ? epoll_wait(fd, &event, 1, 10) : way == 22 ? epoll_pwait(fd, &event, 1, 10, NULL)
						      : epoll_pwait2(fd, &event, 1, &ten, NULL);
		close(fd);
		return got ? EINVAL : ETIMEDOUT;
	case 24:
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		return sigtimedwait(&set, NULL, &ten) < 0 && errno == EAGAIN ? ETIMEDOUT : EINVAL;
	case 25: return thrd_sleep(&ten, NULL) == 0 ? ETIMEDOUT : EINVAL;
	case 26: return syscall(SYS_nanosleep, &ten, NULL) == 0 ? ETIMEDOUT : EINVAL;
	case 27: return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &mono, NULL) == 0 ? ETIMEDOUT : EINVAL;
	case 28:
		/* In the world's time, but not at once. */
		fd = timerfd_create(CLOCK_MONOTONIC, 0);
		timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
		got = read(fd, &times, sizeof times) == sizeof times ? ETIMEDOUT : EINVAL;
		close(fd);
		return got;
	default: return -1;
	}
}

/* It holds the lock: nobody waits for one of its own. */
static void *sleep_long(void *locked)
{
	pthread_rwlock_wrlock(&owned);
	sem_post(locked);
	for (;;)
		pause();
	return NULL;
}

static double of_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Each wait that does not end because its time is over, or passes less than so much of the client's clock. */
static int until(char **arg)
{
	double least = strtod(arg[0], NULL);
	unsigned way = 0;
	sem_t locked;
	int err;

	sem_init(&none, 0, 0);
	sem_init(&locked, 0, 0);
	pthread_mutex_lock(&held);
	pthread_create(&asleep, NULL, sleep_long, &locked);
	sem_wait(&locked);
	for (;; way++) {
		double from = of_clock(), world = world_now();

		err = wait_once(way);
		if (err < 0)
			break;
		if (err != ETIMEDOUT)
			printf("%u: %s ", way, strerror(err));
		if (of_clock() - from < (way == 28 ? 0.0019 : least) || world_now() - world < 0.0099)
			printf("%u: early ", way);
	}
	printf("%u\n", way);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(char **arg);
} modes[] = {
	{ "leaf", leaf }, { "count", count }, { "walk", walk }, { "errors", errors }, { "threads", threads },
	{ "crowd", crowd }, { "become", become }, { "where", where }, { "load", load }, { "own", own },
	{ "die", die }, { "tsc", tsc }, { "clocks", clocks }, { "waits", waits }, { "numbers", numbers }, { "sleeps", sleeps }, { "sizes", sizes },
	{ "until", until },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
		if (strcmp(modes[i].name, argv[1]) == 0)
			return modes[i].run(argv + 2);
	return 64;
}
