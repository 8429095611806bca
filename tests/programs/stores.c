/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that stores: stores HOW OFFSET COUNT SWEEP.  HOW is a letter (see `ways`), OFFSET that of the first byte
 * in a page, COUNT how often the instruction is repeated; SWEEP: so many lines are read afterwards.
 *
 * It has no C library, and from the first of these stores on no other accesses but those that are meant (all is one
 * function), so that they can be counted by hand.
 */
#include <emmintrin.h>
#include <stdint.h>

#include "bare.h"

enum { PAGE = 4096, LINE = 64, ROOM = 64 * PAGE };

static _Alignas(PAGE) unsigned char to[ROOM], from[ROOM], far[64 << 20];

#define INLINE inline __attribute__((always_inline))

/* Upwards from `d`; copies come from `s`. */
#define REPEAT(insn) __asm__ volatile("rep " insn : "+D"(d), "+S"(s), "+c"(n) : "a"(0x55) : "memory")

static INLINE void repeat(char how, unsigned char *d, const unsigned char *s, uint64_t n)
{
	switch (how) {
	case 'b':
		REPEAT("stosb");
		break;
	case 'w':
		REPEAT("stosw");
		break;
	case 'd':
		REPEAT("stosl");
		break;
	case 'q':
		REPEAT("stosq");
		break;
	case 'c':
		REPEAT("movsb");
		break;
	case 'm':
		REPEAT("movsq");
		break;
	case 'D':	/* downwards: `d` is the end */
		d += n - 1;
		__asm__ volatile("std; rep stosb; cld" : "+D"(d), "+c"(n) : "a"(0x55) : "memory");
		break;
	case 'e':	/* edi and ecx; the program is below 4 GB */
		__asm__ volatile("addr32 rep stosb" : "+D"(d), "+c"(n) : "a"(0x55) : "memory");
		break;
	}
}

/* Both halves of each line, with something between them. */
static INLINE void stream_halves(char how, unsigned char *d, uint64_t n)
{
	for (uint64_t i = 0; i < 8 * n; i++) {
		if (how == 's' && i % 8 == 4)
			_mm_sfence();
		if (how == 'f' && i % 8 == 4)
			_mm_mfence();
		if (how == 'k' && i % 8 == 4)
			__asm__ volatile("lock orq $0, (%0)" : : "r"(from) : "memory", "cc");
		if (how == 'v' && i % 8 == 4)
			(void)*(volatile unsigned char *)(d + 8 * i);
		_mm_stream_si64((long long *)(d + 8 * i), 1);
	}
}

/* n times, one behind the other or a line apart. */
static INLINE void stream(char how, unsigned char *d, uint64_t n)
{
	long long ones = -1;

	__asm__("" : "+r"(ones));		/* not a constant in memory */
	for (uint64_t i = 0; i < n; i++) {
		if (how == 'i')
			_mm_stream_si64((long long *)(d + 8 * i), 1);
		else if (how == 'x')
			_mm_stream_si128((__m128i *)(d + 16 * i), _mm_setzero_si128());
		else if (how == 'y')	/* the lower half of 16 bytes */
			_mm_maskmoveu_si128(_mm_setzero_si128(), _mm_cvtsi64_si128(ones), (char *)(d + 16 * i));
		else if (how == 'p')
			_mm_stream_si64((long long *)(d + LINE * i), 1);
	}
}

/* Under a mask, and gathered: n times, a page apart. */
static INLINE void masked(char how, unsigned char *d, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		unsigned char *at = d + PAGE * i;

		if (how == 'L')		/* load, the lowest of four 8 bytes */
			__asm__ volatile("vmovq %1, %%xmm1\n\tvmaskmovpd (%0), %%ymm1, %%ymm0"
					 : : "r"(at), "r"((int64_t)-1) : "xmm0", "xmm1", "memory");
		else if (how == 'U')	/* store, the upper 16 of 32 bytes */
			__asm__ volatile("vpcmpeqd %%xmm1, %%xmm1, %%xmm1\n\tvperm2f128 $8, %%ymm1, %%ymm1, %%ymm1\n\t"
					 "vmaskmovps %%ymm1, %%ymm1, (%0)" : : "r"(at) : "xmm1", "memory");
		else if (how == 'S')	/* the same as whole numbers */
			__asm__ volatile("vpcmpeqd %%xmm1, %%xmm1, %%xmm1\n\tvperm2f128 $8, %%ymm1, %%ymm1, %%ymm1\n\t"
					 "vpmaskmovq %%ymm1, %%ymm1, (%0)" : : "r"(at) : "xmm1", "memory");
		else			/* gather 8 bytes at 1024 behind it, and none at it */
			__asm__ volatile("vmovq %1, %%xmm2\n\tvpslldq $8, %%xmm2, %%xmm2\n\t"
					 "vpcmpeqd %%xmm1, %%xmm1, %%xmm1\n\tvpslldq $8, %%xmm1, %%xmm1\n\t"
					 "vpgatherqq %%xmm1, (%0, %%xmm2, 8), %%xmm0"
					 : : "r"(at), "r"((uint64_t)128) : "xmm0", "xmm1", "xmm2", "memory");
	}
}

static INLINE void act(char how, uint64_t offset, uint64_t count)
{
	unsigned char *d = to + offset;

	if (how == 'h') {		/* halves of lines, with a load between them */
		repeat('b', d, from, 0);
		for (uint64_t i = 0; i < count; i++) {
			repeat('b', d + 32 * i, from, 32);
			(void)*(volatile unsigned char *)from;
		}
	} else if (how == 'o' || how == 'O') {	/* what is stored comes again, 8 bytes or a line further */
		repeat('c', d + (how == 'o' ? 8 : LINE), d, count);
	} else if (how == 'l') {	/* after lines have been read */
		for (uint64_t i = 0; i < count; i += LINE)
			(void)*(volatile unsigned char *)(d + i);
		repeat('b', d, from, count);
	} else if (how == 's' || how == 'f' || how == 'k' || how == 'v') {
		stream_halves(how, d, count);
	} else if (how == 'L' || how == 'U' || how == 'S' || how == 'g') {
		masked(how, d, count);
	} else if (how == 'i' || how == 'x' || how == 'y' || how == 'p') {
		stream(how, d, count);
	} else {
		repeat(how, d, from, count);
	}
}

static __attribute__((used, noreturn)) void start(const uint64_t *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	uint64_t offset = number(argv[2]), count = number(argv[3]), sweep = number(argv[4]);

	act(*argv[1], offset, count);
	for (uint64_t i = 0; i < sweep; i++)
		(void)*(volatile unsigned char *)(far + LINE * (i % (sizeof far / LINE)));
	__asm__ volatile("syscall" : : "a"(231), "D"(0));	/* exit_group */
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n");
