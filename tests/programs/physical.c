/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client that maps the configuration space of a memory channel from /dev/mem.  Each form of move is done on the
 * mapping and on ordinary memory that holds the same bytes: the processor says what is right.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHANNEL 0x87fa0000		/* 7f:14.0 of the window at 2 GB */
enum { PAGE = 4096, CTR0 = 0xa0, CTR_BITS = 48 };

static volatile uint8_t *window, ordinary[PAGE];
static int memory;
static unsigned checks, wrong;

static void check(const char *what, uint64_t got, uint64_t want)
{
	checks++;
	if (got == want)
		return;
	wrong++;
	printf("%s: %#llx, want %#llx\n", what, (unsigned long long)got, (unsigned long long)want);
}

/* A load of each form, into a register that was all ones. */
#define LOADS(X) \
	X(l8, "movb (%1), %%al") X(l8h, "movb (%1), %%ah") X(l16, "movw (%1), %%ax") X(l32, "movl (%1), %%eax") \
	X(l64, "movq (%1), %%rax") X(z8_16, "movzbw (%1), %%ax") X(z8_32, "movzbl (%1), %%eax") \
	X(z16, "movzwl (%1), %%eax") X(s8_16, "movsbw (%1), %%ax") X(s8_32, "movsbl (%1), %%eax") \
	X(s8_64, "movsbq (%1), %%rax") X(s16_64, "movswq (%1), %%rax") X(s32, "movslq (%1), %%rax") \
	X(sib, "xorl %%ecx, %%ecx; movl (%1,%%rcx,4), %%eax") X(far, "leaq -200(%1), %%rcx; movl 200(%%rcx), %%eax") \
	X(r8, "movq %%rax, %%r8; movb (%1), %%r8b; movq %%r8, %%rax") \
	X(r15, "movq %%rax, %%r15; movw (%1), %%r15w; movq %%r15, %%rax") \
	X(sil, "movq %%rax, %%rsi; movb (%1), %%sil; movq %%rsi, %%rax")
#define LOAD(name, text) \
	static uint64_t load_##name(volatile uint8_t *at) \
	{ \
		uint64_t rax = UINT64_MAX; \
		__asm__ volatile(text : "+a"(rax) : "d"(at) : "rcx", "rsi", "r8", "r15", "memory"); \
		return rax; \
	}
LOADS(LOAD)

/* A store of each form. */
#define STORES(X) \
	X(b, "movb %%al, (%1)") X(bh, "movb %%ah, (%1)") X(w, "movw %%ax, (%1)") X(l, "movl %%eax, (%1)") \
	X(q, "movq %%rax, (%1)") X(ib, "movb $0x85, (%1)") X(iw, "movw $0x8584, (%1)") \
	X(il, "movl $0x87868584, (%1)") X(iq, "movq $-2, (%1)") X(r9b, "movq %%rax, %%r9; movb %%r9b, (%1)") \
	X(disp, "leaq -20(%1), %%r9; movl $0x1234567, 20(%%r9)")
#define STORE(name, text) \
	static void store_##name(volatile uint8_t *at) \
	{ \
		__asm__ volatile(text : : "a"(UINT64_C(0x8899aabbccddeeff)), "d"(at) : "r9", "memory"); \
	}
STORES(STORE)

static void compare_loads(void)
{
	static const struct { const char *name; uint64_t (*load)(volatile uint8_t *at); } loads[] = {
#define X(name, text) { text, load_##name },
		LOADS(X)
#undef X
	};

	pread(memory, (void *)(uintptr_t)ordinary, PAGE, CHANNEL);
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
		for (unsigned at = 0; at < 8; at++)
			check(loads[i].name, loads[i].load(window + CTR0 + at), loads[i].load(ordinary + CTR0 + at));
}

static uint64_t counter(volatile uint8_t *page)
{
	uint64_t value;

	memcpy(&value, (void *)(uintptr_t)(page + CTR0), sizeof value);
	return value & ((UINT64_C(1) << CTR_BITS) - 1);
}

static void compare_stores(void)
{
	static const struct { const char *name; void (*store)(volatile uint8_t *at); } stores[] = {
#define X(name, text) { text, store_##name },
		STORES(X)
#undef X
	};

	for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
		volatile uint8_t seen[PAGE];

		stores[i].store(window + CTR0);
		stores[i].store(ordinary + CTR0);
		pread(memory, (void *)(uintptr_t)seen, PAGE, CHANNEL);
		check(stores[i].name, counter(seen), counter(ordinary));
	}
}

static int refused(int fd, size_t size, int protection, off_t at)
{
	return mmap(NULL, size, protection, MAP_SHARED, fd, at) == MAP_FAILED ? errno : 0;
}

static void refusals(void)
{
	int reading = open("/dev/mem", O_RDONLY);

	check("memory", (uint64_t)refused(memory, PAGE, PROT_READ, 0x100000), EPERM);
	check("over the end of the first megabyte", (uint64_t)refused(memory, 2 * PAGE, PROT_READ, 0xff000), EPERM);
	check("over the end", (uint64_t)refused(memory, 2 * PAGE, PROT_READ, 0x8ffff000), EPERM);
	check("not a page", (uint64_t)refused(memory, PAGE, PROT_READ, CHANNEL + 8), EINVAL);
	check("nothing", (uint64_t)refused(memory, 0, PROT_READ, CHANNEL), EINVAL);
	check("writing what is open for reading",
	      (uint64_t)refused(reading, PAGE, PROT_READ | PROT_WRITE, CHANNEL), EACCES);
	close(reading);
}

static sigjmp_buf back;

static void caught(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* What is the client's own still comes to it: nowhere, no move, a mapping that has been given back. */
static void own_faults(void)
{
	volatile uint8_t *second = mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, memory, CHANNEL);
	volatile unsigned faults = 0;

	signal(SIGSEGV, caught);
	if (sigsetjmp(back, 1) == 0)
		__asm__ volatile("movb $1, 16" : : : "memory");
	else
		faults++;
	if (sigsetjmp(back, 1) == 0)
		__asm__ volatile("addl $1, (%0)" : : "r"(window + CTR0) : "memory");
	else
		faults++;
	check("the vendor of the third function", second[2 * PAGE], 0x86);
	munmap((void *)(uintptr_t)second, 3 * PAGE);
	if (sigsetjmp(back, 1) == 0)
		(void)second[0];
	else
		faults++;
	check("faults of its own", faults, 3);
}

int main(void)
{
	static const uint64_t start = UINT64_C(0x8182f3849586);
	pid_t child;
	int status;

	memory = open("/dev/mem", O_RDWR);
	window = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, CHANNEL);
	if (window == MAP_FAILED)
		return 1;
	pwrite(memory, &start, sizeof start, CHANNEL + CTR0);
	compare_loads();
	compare_stores();
	refusals();
	own_faults();
	signal(SIGSEGV, SIG_DFL);
	child = fork();
	if (child == 0)
		_exit(window[0] == 0x86 ? 3 : 4);
	waitpid(child, &status, 0);
	check("a child", (uint64_t)WEXITSTATUS(status), 3);
	close(memory);
	check("the file closed", window[0], 0x86);
	printf("%u checks, %u wrong\n", checks, wrong);
	return wrong != 0;
}
