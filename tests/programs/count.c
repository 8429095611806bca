/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program whose instructions and lines are counted: ROUNDS times two instructions, and one load of each of LINES
 * lines that nobody has touched, in an order that no prefetcher foresees.
 *
 * usage: count ROUNDS LINES
 *
 * A run with more rounds, its arguments being of one length, retires two instructions more for each.
 */
#include "bare.h"

enum { LINE = 64, MOST = 1 << 16, STEP = 40503 };	/* STEP is odd: a permutation of the lines */

static unsigned char far[MOST * LINE] __attribute__((aligned(4096)));

static __attribute__((used, noreturn)) void start(const uint64_t *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	uint64_t rounds = number(argv[1]), lines = number(argv[2]);

	__asm__ volatile("1:\n\tdec %0\n\tjnz 1b" : "+r"(rounds));
	for (uint64_t i = 0; i < lines; i++)
		(void)*(volatile unsigned char *)(far + i * STEP % MOST * LINE);
	__asm__ volatile("syscall" : : "a"(231), "D"(0));	/* exit_group */
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n");
