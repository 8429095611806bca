/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program whose code changes, and that checks what runs: within the block that runs, through a second mapping, on the
 * stack, through the kernel.  Its stack may be run (linked so).
 *
 * Prints what fails; the exit status is how many failed.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

enum { PAGE = 4096, RWX = PROT_READ | PROT_WRITE | PROT_EXEC };

static int run(const void *at)
{
	int (*fn)(void);

	memcpy(&fn, &at, sizeof fn);
	return fn();
}

static unsigned char *map(size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return mmap(NULL, bytes, prot, flags, fd, offset);
}

/* mov eax, n; ret */
static void answer(unsigned char *at, unsigned char n)
{
	const unsigned char code[] = { 0xb8, n, 0, 0, 0, 0xc3 };

	memcpy(at, code, sizeof code);
}

/* The block that runs. */
static void change_itself(unsigned char *code)
{
	/* mov byte [rip + 1], 42: the 1 in mov eax, 1; ret */
	static const unsigned char next[] = { 0xc6, 5, 1, 0, 0, 0, 42, 0xb8, 1, 0, 0, 0, 0xc3 };
	/* The same behind a store elsewhere in the page. */
	static const unsigned char second[] = { 0xc6, 5, 0, 4, 0, 0, 7, 0xc6, 5, 1, 0, 0, 0, 43, 0xb8, 1, 0, 0, 0, 0xc3 };
	/* xor eax, eax; mov ecx, 3; 1: add eax, 1; mov byte [rip - 8], 5: that 1; dec ecx; jnz 1b; ret */
	static const unsigned char loop[] = { 0x31, 0xc0, 0xb9, 3, 0, 0, 0, 0x83, 0xc0, 1, 0xc6, 5, 0xf8, 0xff, 0xff, 0xff, 5,
					      0xff, 0xc9, 0x75, 0xf2, 0xc3 };
	/* push rbx; mov ebx, 9; cmp ebx, 10; mov byte [rip + 4], 0xd8; jc 1f; ret; 1: mov eax, ecx; pop rbx; ret: eax, ebx then */
	static const unsigned char keeps[] = { 0x53, 0xbb, 9, 0, 0, 0, 0x83, 0xfb, 10, 0xc6, 5, 4, 0, 0, 0, 0xd8, 0x72, 1, 0xc3,
					       0x89, 0xc8, 0x5b, 0xc3 };

	for (int i = 0; i < 2; i++) {
		memcpy(code, next, sizeof next);
		CHECK(run(code) == 42);
		memcpy(code, second, sizeof second);
		CHECK(run(code) == 43 && code[0x407] == 7);
		memcpy(code, loop, sizeof loop);
		CHECK(run(code) == 1 + 5 + 5);
		memcpy(code, keeps, sizeof keeps);
		CHECK(run(code) == 9);
	}
}

static void itself(void)
{
	unsigned char *code = map(PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* Often enough that nobody watches it any more. */
	for (unsigned i = 0; i < 100; i++)
		change_itself(code);
	munmap(code, PAGE);
}

/* Written here, run there. */
static void follow(int line, unsigned char *here, unsigned char *there)
{
	for (unsigned char n = 1; n < 8; n++) {
		answer(here, n);
		check(line, "what was written there runs here", run(there) == n);
	}
}

static void twice(void)
{
	int fd = memfd_create("code", 0);
	unsigned char *here, *there, *third;

	if (fd < 0 || ftruncate(fd, 4 * PAGE))
		return;
	here = map(4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	there = map(4 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	follow(__LINE__, here, there);
	follow(__LINE__, here + PAGE - 3, there + PAGE - 3);
	/* Not from the start of the file. */
	third = map(PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 2 * PAGE);
	follow(__LINE__, here + 2 * PAGE + 100, third + 100);
	/* Both run it. */
	answer(here + 2 * PAGE, 77);
	CHECK(run(third) == 77 && run(there + 2 * PAGE) == 77);
	answer(here + 2 * PAGE, 78);
	CHECK(run(third) == 78 && run(there + 2 * PAGE) == 78);
	/* Only mapped to write, or only then given the right, when it has run. */
	munmap(here, 4 * PAGE);
	CHECK(run(there) == 7);
	here = map(4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	follow(__LINE__, here, there);
	mprotect(here, PAGE, PROT_READ);
	CHECK(run(there) == 7);
	mprotect(here, PAGE, PROT_READ | PROT_WRITE);
	answer(here, 9);
	CHECK(run(there) == 9);
	/* A copy that shows what the file is. */
	munmap(third, PAGE);
	third = map(PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE);
	follow(__LINE__, here + PAGE, third);
	/* The kernel writes. */
	answer(here, 11);
	CHECK(run(there) == 11);
	CHECK(pread(fd, here, 6, 2 * PAGE) == 6 && run(there) == 78);
	close(fd);
	/* Without a file, seen a second time. */
	here = map(PAGE, RWX, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	there = mremap(here, 0, PAGE, MREMAP_MAYMOVE);
	follow(__LINE__, here, there);
	follow(__LINE__, there, here);
}

static void moved(void)
{
	unsigned char *code = map(PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	follow(__LINE__, code, code);
	code = mremap(code, PAGE, 8 * PAGE, MREMAP_MAYMOVE);
	CHECK(run(code) == 7);
	follow(__LINE__, code, code);
	follow(__LINE__, code + 5 * PAGE, code + 5 * PAGE);
	/* A store to what may not be written any more is no change of code. */
	CHECK(mprotect(code, PAGE, PROT_READ | PROT_EXEC) == 0);
	follow(__LINE__, code + PAGE, code + PAGE);
	CHECK(run(code) == 7);
	munmap(code, 8 * PAGE);
}

static void by_kernel(void)
{
	unsigned char *code = map(PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), next[6];
	int to[2];

	answer(code, 1);
	answer(next, 2);
	CHECK(run(code) == 1);
	CHECK(pipe(to) == 0 && write(to[1], next, sizeof next) == sizeof next);
	CHECK(read(to[0], code, sizeof next) == sizeof next && run(code) == 2);
	close(to[0]);
	close(to[1]);
	munmap(code, PAGE);
}

static __attribute__((noinline)) int on_stack(unsigned char n)
{
	unsigned char code[16];

	answer(code, n);
	__asm__ volatile("" : : "r"(code) : "memory");
	return run(code);
}

/* Over and over, which must not fill anything: the same code, written each time; now and then another. */
static void often(void)
{
	int fd = memfd_create("code", 0);
	unsigned char *here, *there;

	for (unsigned i = 0; i < 300000; i++) {
		unsigned char n = i % 10000 ? 5 : (unsigned char)(i / 10000);

		if (on_stack(n) != n)
			CHECK(!"the code as it was written");
	}
	if (fd < 0 || ftruncate(fd, PAGE))
		return;
	here = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	there = map(PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	close(fd);
	for (unsigned i = 0; i < 3000; i++) {
		answer(here, (unsigned char)i);
		if (run(there) != (unsigned char)i)
			CHECK(!"the code as it was written there");
	}
}

/* In a segment of its own, which may be written and run. */
extern unsigned char segment[64] __attribute__((visibility("hidden")));
__asm__(".pushsection .changes, \"awx\", @progbits\nsegment:\t.zero 64\n\t.popsection");

static void in_place(void)
{
	unsigned char here[64];
	uintptr_t page = (uintptr_t)here & -(uintptr_t)PAGE;

	for (unsigned char n = 1; n < 8; n++)
		CHECK(on_stack(n) == n);
	follow(__LINE__, segment, segment);
	CHECK(mprotect((void *)page, PAGE, RWX | PROT_GROWSDOWN) == 0);
	follow(__LINE__, here, here);
}

static void *store_beside(void *at)
{
	for (unsigned i = 0; i < 3000; i++)
		((volatile unsigned char *)at)[i % 100] = (unsigned char)i;
	return NULL;
}

/* Two threads store to the page at once; only one of them finds it watched. */
static void together(void)
{
	unsigned char *code = map(PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t t;

	answer(code, 0);
	CHECK(pthread_create(&t, NULL, store_beside, code + 1024) == 0);
	for (unsigned i = 0; i < 3000; i++) {
		code[1] = (unsigned char)i;
		if (run(code) != (unsigned char)i)
			CHECK(!"the code as it is");
	}
	pthread_join(t, NULL);
	munmap(code, PAGE);
}

int main(void)
{
	itself();
	twice();
	moved();
	by_kernel();
	in_place();
	together();
	often();
	return failures;
}
