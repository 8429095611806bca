/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that flushes lines and asks for them ahead: lines HOW COUNT.  HOW is a letter (see act()); COUNT lines, each in a
 * page of its own.
 *
 * It has no C library, and from the first of these on no other accesses but those that are meant (all is one
 * function), so that they can be counted by hand.
 */
#include <stdint.h>

#include "bare.h"

enum { PAGE = 4096, PAGES = 256, APART = PAGE + 128 };	/* the caches hold all of them, and what comes with them */

static _Alignas(PAGE) unsigned char data[PAGES * PAGE];

#define INLINE inline __attribute__((always_inline))
#define DO(insn, at) __asm__ volatile(insn : : "r"(at), "a"(7L) : "rdx", "memory")

static INLINE void act(char how, unsigned char *at)
{
	switch (how) {
	case 's':
		DO("mov %%rax, (%0)", at);
		break;
	case 'l':
		DO("mov (%0), %%rdx", at);
		break;
	case 'f':
		DO("clflush 8(%0)", at);
		break;
	case 'o':
		DO("clflushopt (%0)", at);
		break;
	case 'b':
		DO("clwb (%0)", at);
		break;
	case 'w':	/* stored, flushed and loaded, in one block of code */
		DO("mov %%rax, (%0)\n\tclflush (%0)\n\tmov (%0), %%rdx", at);
		break;
	case '0':
		DO("prefetcht0 (%0)", at);
		break;
	case '1':
		DO("prefetcht1 (%0)", at);
		break;
	case '2':
		DO("prefetcht2 63(%0)", at);
		break;
	case 'n':
		DO("prefetchnta (%0)", at);
		break;
	case 'e':
		DO("prefetchw (%0)", at);
		break;
	case 'x':	/* where nothing is mapped */
		DO("prefetcht0 (%0)", at + (UINT64_C(1) << 44));
		break;
	case 'i':	/* at an address that is only known there */
		DO("mov %0, %%rdx\n\timul $1, %%rdx, %%rdx\n\tprefetcht0 (%%rdx)", at);
		break;
	}
}

/* Each letter is done with all lines, then the next. */
static __attribute__((used, noreturn)) void start(const uint64_t *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	uint64_t count = number(argv[2]);

	for (const char *how = argv[1]; *how; how++)
		for (uint64_t i = 0; i < count; i++)
			act(*how, data + APART * i);
	__asm__ volatile("syscall" : : "a"(231), "D"(0));	/* exit_group */
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n");
