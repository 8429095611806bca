/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes random numbers in each way there is, and prints them: tests/feed/test_chance.py says what they have to be.  usage: chance WHAT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define FLAGS 0x8d5			/* overflow, sign, zero, adjust, parity, carry */

static void print(const void *from, size_t n)
{
	const unsigned char *byte = from;

	for (size_t i = 0; i < n; i++)
		printf("%02x", byte[i]);
	printf("\n");
}

static void take(size_t n, unsigned flags)
{
	unsigned char bytes[64] = { 0 };
	long got = syscall(SYS_getrandom, bytes, n, flags);

	if (got < 0)
		printf("errno %d\n", errno);
	else
		print(bytes, (size_t)got);
}

static void call(void)
{
	take(8, 0);
	take(3, 1);
	take(17, 2);
	take(0, 0);
	take(8, 0x80);
}

/* What lies behind the last byte that is there is not written. */
static void edge(void)
{
	char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	long got;

	munmap(page + PAGE, PAGE);
	got = syscall(SYS_getrandom, page + PAGE - 16, 32, 0);
	printf("%ld\n", got);
	got = syscall(SYS_getrandom, page + PAGE, 8, 0);
	printf("%ld %d\n", got, errno);
}

static void device(const char *name)
{
	unsigned char bytes[12];
	int file = open(name, O_RDONLY);

	print(bytes, (size_t)read(file, bytes, sizeof bytes));
	close(file);
}

static void devices(void)
{
	char zero = 1;
	ssize_t got;
	int file = open("/dev/zero", O_RDONLY);

	device("/dev/urandom");
	device("/dev/random");
	got = read(file, &zero, 1);
	printf("%zd %d\n", got, zero);
}

/* The instruction, after all flags have been set. */
#define DRAW(name, type)							\
	{									\
		type value = (type)~(type)0;					\
		uint64_t flags;							\
		__asm__ volatile("pushq $0xad7; popfq; " name " %0; pushfq; popq %1" : "+r"(value), "=r"(flags) : : "cc", "memory"); \
		printf("%llx %llx\n", (unsigned long long)value, (unsigned long long)flags & FLAGS);	\
	}

static void instructions(void)
{
	DRAW("rdrand", uint64_t);
	DRAW("rdrand", uint32_t);
	DRAW("rdrand", uint16_t);
}

static void seed(void)
{
	DRAW("rdseed", uint64_t);
}

static void *again(void *arg)
{
	take(8, 0);
	return arg;
}

static void others(void)
{
	pthread_t thread;

	take(8, 0);
	pthread_create(&thread, NULL, again, NULL);
	pthread_join(thread, NULL);
	fflush(stdout);
	if (fork() == 0) {
		take(8, 0);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	take(8, 0);
}

static void date(void)
{
	printf("%ld\n", (long)time(NULL));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = { { "call", call }, { "edge", edge }, { "devices", devices }, { "instructions", instructions }, { "seed", seed }, { "others", others },
		    { "date", date }, };

	for (size_t i = 0; argc == 2 && i < sizeof all / sizeof *all; i++) {
		if (strcmp(argv[1], all[i].name) == 0) {
			all[i].run();
			return 0;
		}
	}
	fprintf(stderr, "usage: chance call|edge|devices|instructions|seed|others|date\n");
	return 2;
}
