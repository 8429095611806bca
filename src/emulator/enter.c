/* SPDX-License-Identifier: BSD-2-Clause */
/* Between C code and the cache: all registers of the program go in and out. */
#include "emulator/emit.h"

enum { STATES = 7 };			/* x87, SSE, AVX */

void (*native_enter)(void);
uint8_t *native_leave, *native_spill;

/* xsave64 or xrstor64 gs:[vector]; rax and rdx are lost */
static void put_states(struct emit *e, unsigned modrm)
{
	put_constant(e, NATIVE_RAX, STATES);
	PUT(e, "\x31\xd2");			/* xor edx, edx */
	PUT(e, "\x65\x48\x0f\xae");
	put8(e, modrm);
	put8(e, 0x25);
	put32(e, (uint32_t)NATIVE_ENV(vector));
}

static void put_in_cache(struct emit *e, bool on)
{
	PUT(e, "\x65\xc6\x04\x25");		/* mov byte gs:[in_cache], on */
	put32(e, (uint32_t)NATIVE_ENV(in_cache));
	put8(e, on);
}

static void put_enter(struct emit *e)
{
	PUT(e, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57");	/* push rbx, rbp, r12 to r15 */
	PUT(e, "\x48\x83\xec\x08");		/* sub rsp, 8 */
	PUT(e, "\x0f\xae\x1c\x24");		/* stmxcsr [rsp] */
	PUT(e, "\xd9\x7c\x24\x04");		/* fnstcw [rsp + 4] */
	put_save(e, NATIVE_RSP, NATIVE_ENV(host_sp));
	put_states(e, 0x2c);			/* xrstor64 */
	put_in_cache(e, true);
	PUT(e, "\x65\xff\x34\x25");		/* push qword gs:[flags] */
	put32(e, (uint32_t)NATIVE_ENV(flags));
	PUT(e, "\x9d");				/* popfq */
	for (unsigned reg = 0; reg < 16; reg++)
		put_fill(e, reg);
	PUT(e, "\x65\xff\x24\x25");		/* jmp gs:[target] */
	put32(e, (uint32_t)NATIVE_ENV(target));
}

static void put_leave(struct emit *e)
{
	native_spill = e->at;
	for (unsigned reg = 0; reg < 16; reg++)
		put_spill(e, reg);
	put_load(e, NATIVE_RSP, NATIVE_ENV(host_sp));
	PUT(e, "\x9c\x58");			/* pushfq; pop rax */
	put_save(e, NATIVE_RAX, NATIVE_ENV(flags));
	PUT(e, "\x6a\x02\x9d");			/* push 2; popfq: C code knows no alignment check and goes upwards */
	put_states(e, 0x24);			/* xsave64 */
	native_leave = e->at;
	put_load(e, NATIVE_RSP, NATIVE_ENV(host_sp));
	put_in_cache(e, false);
	PUT(e, "\xfc");				/* cld */
	PUT(e, "\xdb\xe2");			/* fnclex: what the program's x87 has to complain of waits for the program */
	PUT(e, "\x0f\xae\x14\x24");		/* ldmxcsr [rsp] */
	PUT(e, "\xd9\x6c\x24\x04");		/* fldcw [rsp + 4] */
	PUT(e, "\x48\x83\xc4\x08");		/* add rsp, 8 */
	PUT(e, "\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");	/* pop r15 to r12, rbp, rbx; ret */
}

void native_enter_init(struct emit *e)
{
	memcpy(&native_enter, &e->at, sizeof native_enter);
	put_enter(e);
	put_leave(e);
}

/*
 * A system call that a signal cannot slip in before: if one waits when it comes to `syscall`, or comes before
 * that, the call is not made (the handler in signal.c does the latter).
 */
_Static_assert(NATIVE_UNMADE == -512, "as written below");
_Static_assert(offsetof(struct native_env, queued) == 176, "as written below");
__asm__(".pushsection .text\n"
	".globl native_system, native_system_begin, native_system_end\n"
	".hidden native_system, native_system_begin, native_system_end\n"
	"native_system:\n"
	"	mov %rdi, %rax\n"
	"	mov (%rsi), %rdi\n"
	"	mov 16(%rsi), %rdx\n"
	"	mov 24(%rsi), %r10\n"
	"	mov 32(%rsi), %r8\n"
	"	mov 40(%rsi), %r9\n"
	"	mov 8(%rsi), %rsi\n"
	"	xor %ecx, %ecx\n"
	"native_system_begin:\n"
	"	cmpq $0, %gs:176\n"
	"	jne 1f\n"
	"	syscall\n"
	"native_system_end:\n"
	"	ret\n"
	"1:	mov $-512, %rax\n"
	"	ret\n"
	".popsection\n");

/* Into and out of memory that may not be there: signal.c goes on behind the copying when it faults. */
__asm__(".pushsection .text\n"
	".globl native_copy, native_copy_begin, native_copy_end, native_restorer\n"
	".hidden native_copy, native_copy_begin, native_copy_end, native_restorer\n"
	"native_copy:\n"
	"	mov %rdx, %rcx\n"
	"native_copy_begin:\n"
	"	rep movsb\n"
	"native_copy_end:\n"
	"	mov %rcx, %rax\n"
	"	ret\n"
	"native_restorer:\n"
	"	mov $15, %eax\n"
	"	syscall\n"
	".popsection\n");
