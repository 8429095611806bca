/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with marked regions whose instructions and lines can be counted by hand: region ROUNDS.
 *
 *	"far"		2048 lines are read
 *	"near"		ROUNDS times (at most 8) 1024 lines are read, each of an array of its own; between the rounds,
 *			outside of it, 512 lines
 *	"nested"	begins twice and ends twice; there are 100 loops between the ends
 *	"open"		ends once before it begins, then 100 loops, and never ends again
 */
#include <stdint.h>

#include "bare.h"
#include "boxscore/region.h"

enum { LINE = 64, FAR = 2048, NEAR = 1024, BETWEEN = 512, ROUNDS = 8 };

static _Alignas(4096) unsigned char far[FAR * LINE], near[ROUNDS][NEAR * LINE], between[ROUNDS][BETWEEN * LINE];

/* 1 + 2 n instructions. */
#define LOOP(n) __asm__ volatile("mov %0, %%ecx\n0:\tdec %%ecx\n\tjnz 0b" : : "i"(n) : "rcx")

/* 1 + 4 n instructions between the marks, which are one each: `at` is in its register before. */
#define REGION(name, array, n) do { \
	unsigned char *at = array; \
	__asm__ volatile("" : "+d"(at)); \
	BXS_REGION_BEGIN(name); \
	__asm__ volatile("mov %1, %%ecx\n0:\tmovb (%0), %%al\n\tadd $64, %0\n\tdec %%ecx\n\tjnz 0b" \
			 : "+d"(at) : "i"(n) : "rax", "rcx", "memory"); \
	BXS_REGION_END(name); \
} while (0)

static __attribute__((used, noreturn)) void start(const uint64_t *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	uint64_t rounds = number(argv[1]);

	REGION("far", far, FAR);
	for (uint64_t i = 0; i < rounds; i++) {
		REGION("near", near[i], NEAR);
		REGION("between", between[i], BETWEEN);
	}
	BXS_REGION_BEGIN("nested");
	BXS_REGION_BEGIN("nested");
	LOOP(100);
	BXS_REGION_END("nested");
	LOOP(100);
	BXS_REGION_END("nested");
	BXS_REGION_END("open");
	LOOP(100);
	BXS_REGION_BEGIN("open");
	__asm__ volatile("syscall" : : "a"(231), "D"(0));	/* exit_group */
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n");
