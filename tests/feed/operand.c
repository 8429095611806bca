/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses, sizes and register changes, on encodings written out by hand (Intel SDM vol. 2),
 * and what follows from them along a block.
 */
#include "check.h"
#include "plugin/follow.h"
#include "plugin/operand.h"

enum { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R12 = 12, R13 = 13, NO = OPERAND_NONE, IP = OPERAND_NEXT };
enum { LOSE_ALL = 0xffff };
#define B(r) (1U << (r))

static const struct row {
	int line;
	const char *code;
	unsigned size;
	unsigned bytes;
	struct operand_value at;	/* when bytes is not 0 */
	unsigned set;
	struct operand_value value;	/* when set is not NO */
	unsigned lost;
} rows[] = {
	/* Addresses. */
	{ LINE, "\x48\x8b\x07", 3, 8, { DI, NO, 0, 0 }, NO, { 0 }, B(AX) },		/* mov rax, [rdi] */
	{ LINE, "\x8b\x44\xc7\x10", 4, 4, { DI, AX, 3, 16 }, NO, { 0 }, B(AX) },	/* mov eax, [rdi+rax*8+16] */
	{ LINE, "\x66\x89\x47\xfe", 4, 2, { DI, NO, 0, -2 }, NO, { 0 }, 0 },		/* mov [rdi-2], ax */
	{ LINE, "\x88\x07", 2, 1, { DI, NO, 0, 0 }, NO, { 0 }, 0 },			/* mov [rdi], al */
	{ LINE, "\x4d\x8b\x04\x24", 4, 8, { R12, NO, 0, 0 }, NO, { 0 }, B(R8) },	/* mov r8, [r12] */
	{ LINE, "\x4b\x8b\x44\x25\x08", 5, 8, { R13, R12, 0, 8 }, NO, { 0 }, B(AX) },	/* mov rax, [r13+r12+8] */
	{ LINE, "\x48\x8b\x05\x10\0\0\0", 7, 8, { IP, NO, 0, 16 }, NO, { 0 }, B(AX) },	/* mov rax, [rip+16] */
	{ LINE, "\x8b\x04\x25\x40\0\0\0", 7, 4, { NO, NO, 0, 64 }, NO, { 0 }, B(AX) },	/* mov eax, [64] */
	{ LINE, "\x8b\x04\x8d\x40\0\0\0", 7, 4, { NO, CX, 2, 64 }, NO, { 0 }, B(AX) },	/* mov eax, [rcx*4+64] */
	{ LINE, "\x48\x8b\x04\x24", 4, 8, { SP, NO, 0, 0 }, NO, { 0 }, B(AX) },		/* mov rax, [rsp] */
	{ LINE, "\x48\x8b\x80\x00\xff\xff\xff", 7, 8, { AX, NO, 0, -256 }, NO, { 0 }, B(AX) },
	/* Not certain: segments, 32-bit addresses, locks, streams, strings, x87. */
	{ LINE, "\x64\x48\x8b\x04\x25\x28\0\0\0", 9, 0, { 0 }, NO, { 0 }, B(AX) },
	{ LINE, "\x67\x8b\x07", 3, 0, { 0 }, NO, { 0 }, B(AX) },
	{ LINE, "\xf0\x48\x01\x07", 4, 0, { 0 }, NO, { 0 }, 0 },
	{ LINE, "\x66\x0f\xe7\x07", 4, 0, { 0 }, NO, { 0 }, 0 },
	{ LINE, "\xa4", 1, 0, { 0 }, NO, { 0 }, LOSE_ALL },
	{ LINE, "\xf3\xaa", 2, 0, { 0 }, NO, { 0 }, LOSE_ALL },
	{ LINE, "\xdd\x07", 2, 0, { 0 }, NO, { 0 }, LOSE_ALL },
	/* Sizes. */
	{ LINE, "\x0f\xb6\x03", 3, 1, { BX, NO, 0, 0 }, NO, { 0 }, B(AX) },		/* movzx eax, byte */
	{ LINE, "\x0f\xbf\x03", 3, 2, { BX, NO, 0, 0 }, NO, { 0 }, B(AX) },		/* movsx eax, word */
	{ LINE, "\x48\x63\x03", 3, 4, { BX, NO, 0, 0 }, NO, { 0 }, B(AX) },		/* movsxd rax, dword */
	{ LINE, "\x0f\x94\x03", 3, 1, { BX, NO, 0, 0 }, NO, { 0 }, 0 },			/* sete [rbx] */
	{ LINE, "\x48\x0f\x44\x03", 4, 8, { BX, NO, 0, 0 }, NO, { 0 }, B(AX) },		/* cmove rax, [rbx] */
	{ LINE, "\xf6\x07\x01", 3, 1, { DI, NO, 0, 0 }, NO, { 0 }, 0 },			/* test byte [rdi], 1 */
	{ LINE, "\x48\xf7\x27", 3, 8, { DI, NO, 0, 0 }, NO, { 0 }, B(AX) | B(DX) },	/* mul qword [rdi] */
	{ LINE, "\xf3\x0f\x10\x07", 4, 4, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* movss */
	{ LINE, "\xf2\x0f\x58\x07", 4, 8, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* addsd */
	{ LINE, "\x66\x0f\x58\x07", 4, 16, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* addpd */
	{ LINE, "\xc5\xfd\x6f\x07", 4, 32, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* vmovdqa ymm0 */
	{ LINE, "\xf3\x0f\x7e\x07", 4, 8, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* movq xmm0, [rdi] */
	{ LINE, "\x66\x48\x0f\x7e\x07", 5, 8, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* movq [rdi], xmm0 */
	{ LINE, "\x66\x0f\x7e\x07", 4, 4, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* movd [rdi], xmm0 */
	{ LINE, "\x66\x0f\xd6\x07", 4, 8, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* movq [rdi], xmm0 */
	{ LINE, "\x66\x0f\xef\x07", 4, 16, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* pxor */
	{ LINE, "\xf2\x48\x0f\x2a\x07", 5, 8, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* cvtsi2sd xmm0, [rdi] */
	{ LINE, "\xf2\x0f\x2c\x07", 4, 8, { DI, NO, 0, 0 }, NO, { 0 }, B(AX) },		/* cvttsd2si eax, [rdi] */
	{ LINE, "\x66\x0f\x2e\x07", 4, 8, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* ucomisd */
	{ LINE, "\x0f\x12\x07", 3, 8, { DI, NO, 0, 0 }, NO, { 0 }, 0 },			/* movlps */
	{ LINE, "\x66\x0f\xc4\x07\x01", 5, 2, { DI, NO, 0, 0 }, NO, { 0 }, 0 },		/* pinsrw */
	/* The stack. */
	{ LINE, "\x53", 1, 8, { SP, NO, 0, -8 }, SP, { SP, NO, 0, -8 }, B(SP) },	/* push rbx */
	{ LINE, "\x5b", 1, 8, { SP, NO, 0, 0 }, SP, { SP, NO, 0, 8 }, B(SP) | B(BX) },	/* pop rbx */
	{ LINE, "\x41\x5c", 2, 8, { SP, NO, 0, 0 }, SP, { SP, NO, 0, 8 }, B(SP) | B(R12) },
	{ LINE, "\x5c", 1, 8, { SP, NO, 0, 0 }, NO, { 0 }, B(SP) },			/* pop rsp */
	{ LINE, "\x6a\x01", 2, 8, { SP, NO, 0, -8 }, SP, { SP, NO, 0, -8 }, B(SP) },	/* push 1 */
	{ LINE, "\xe8\0\0\0\0", 5, 8, { SP, NO, 0, -8 }, SP, { SP, NO, 0, -8 }, B(SP) },
	{ LINE, "\xff\xd0", 2, 8, { SP, NO, 0, -8 }, SP, { SP, NO, 0, -8 }, B(SP) },	/* call rax */
	{ LINE, "\xff\x17", 2, 0, { 0 }, NO, { 0 }, B(SP) },				/* call [rdi] */
	{ LINE, "\xff\x37", 2, 0, { 0 }, NO, { 0 }, B(SP) },				/* push [rdi] */
	{ LINE, "\xff\x27", 2, 8, { DI, NO, 0, 0 }, NO, { 0 }, B(SP) },			/* jmp [rdi] */
	{ LINE, "\xc3", 1, 8, { SP, NO, 0, 0 }, SP, { SP, NO, 0, 8 }, B(SP) },
	{ LINE, "\xc2\x10\0", 3, 8, { SP, NO, 0, 0 }, SP, { SP, NO, 0, 24 }, B(SP) },
	{ LINE, "\xc9", 1, 8, { BP, NO, 0, 0 }, SP, { BP, NO, 0, 8 }, B(SP) | B(BP) },	/* leave */
	{ LINE, "\x66\x53", 2, 0, { 0 }, NO, { 0 }, B(SP) },				/* push bx */
	/* What registers become. */
	{ LINE, "\x48\x89\xca", 3, 0, { 0 }, DX, { CX, NO, 0, 0 }, B(DX) },		/* mov rdx, rcx */
	{ LINE, "\x48\x8b\xca", 3, 0, { 0 }, CX, { DX, NO, 0, 0 }, B(CX) },		/* mov rcx, rdx */
	{ LINE, "\x89\xca", 2, 0, { 0 }, NO, { 0 }, B(DX) },				/* mov edx, ecx */
	{ LINE, "\x48\x8d\x44\xd6\x05", 5, 0, { 0 }, AX, { SI, DX, 3, 5 }, B(AX) },	/* lea rax, [rsi+rdx*8+5] */
	{ LINE, "\x8d\x44\xd6\x05", 4, 0, { 0 }, NO, { 0 }, B(AX) },			/* lea eax, ... */
	{ LINE, "\x48\x83\xc0\x10", 4, 0, { 0 }, AX, { AX, NO, 0, 16 }, B(AX) },	/* add rax, 16 */
	{ LINE, "\x48\x81\xec\0\x01\0\0", 7, 0, { 0 }, SP, { SP, NO, 0, -256 }, B(SP) },	/* sub rsp, 256 */
	{ LINE, "\x48\x83\xe4\xf0", 4, 0, { 0 }, NO, { 0 }, B(SP) },			/* and rsp, -16 */
	{ LINE, "\x48\x83\xf8\x10", 4, 0, { 0 }, NO, { 0 }, 0 },			/* cmp rax, 16 */
	{ LINE, "\x48\xff\xc0", 3, 0, { 0 }, AX, { AX, NO, 0, 1 }, B(AX) },		/* inc rax */
	{ LINE, "\x48\xff\xc8", 3, 0, { 0 }, AX, { AX, NO, 0, -1 }, B(AX) },		/* dec rax */
	{ LINE, "\xff\xc0", 2, 0, { 0 }, NO, { 0 }, B(AX) },				/* inc eax */
	{ LINE, "\x48\x01\xc8", 3, 0, { 0 }, AX, { AX, CX, 0, 0 }, B(AX) },		/* add rax, rcx */
	{ LINE, "\x48\x03\xc8", 3, 0, { 0 }, CX, { CX, AX, 0, 0 }, B(CX) },		/* add rcx, rax */
	{ LINE, "\xb9\xff\xff\xff\xff", 5, 0, { 0 }, CX, { NO, NO, 0, 0xffffffff }, B(CX) },
	{ LINE, "\x48\xc7\xc1\xff\xff\xff\xff", 7, 0, { 0 }, CX, { NO, NO, 0, -1 }, B(CX) },
	{ LINE, "\x31\xc9", 2, 0, { 0 }, CX, { NO, NO, 0, 0 }, B(CX) },			/* xor ecx, ecx */
	{ LINE, "\x31\xc8", 2, 0, { 0 }, NO, { 0 }, B(AX) },				/* xor eax, ecx */
	{ LINE, "\x66\x31\xc9", 3, 0, { 0 }, NO, { 0 }, B(CX) },			/* xor cx, cx */
	/* Second bytes of registers, implied ones, and those of which nothing is known. */
	{ LINE, "\xb4\x01", 2, 0, { 0 }, NO, { 0 }, B(SP) | B(AX) },			/* mov ah, 1 */
	{ LINE, "\x40\xb4\x01", 3, 0, { 0 }, NO, { 0 }, B(SP) },			/* mov spl, 1 */
	{ LINE, "\x0f\x94\xc4", 3, 0, { 0 }, NO, { 0 }, B(SP) | B(AX) },		/* sete ah */
	{ LINE, "\x0f\xb1\xca", 3, 0, { 0 }, NO, { 0 }, B(DX) | B(AX) },		/* cmpxchg edx, ecx */
	{ LINE, "\x48\x99", 2, 0, { 0 }, NO, { 0 }, B(DX) },				/* cqo */
	{ LINE, "\x48\x98", 2, 0, { 0 }, NO, { 0 }, B(AX) },				/* cdqe */
	{ LINE, "\x48\xf7\xf1", 3, 0, { 0 }, NO, { 0 }, B(AX) | B(DX) },		/* div rcx */
	{ LINE, "\x48\x91", 2, 0, { 0 }, NO, { 0 }, B(AX) | B(CX) },			/* xchg rcx, rax */
	{ LINE, "\x0f\xba\xe0\x01", 4, 0, { 0 }, NO, { 0 }, B(AX) },			/* bt eax, 1 */
	{ LINE, "\x0f\xa2", 2, 0, { 0 }, NO, { 0 }, LOSE_ALL },				/* cpuid */
	{ LINE, "\x0f\x05", 2, 0, { 0 }, NO, { 0 }, LOSE_ALL },				/* syscall */
	{ LINE, "\xc4\xe2\xf8\xf3\xca", 5, 0, { 0 }, NO, { 0 }, LOSE_ALL },		/* blsr: by VEX */
	{ LINE, "\x0f\x1f\x44\0\0", 5, 0, { 0 }, NO, { 0 }, 0 },			/* nop [rax+rax] */
	{ LINE, "\x74\x05", 2, 0, { 0 }, NO, { 0 }, 0 },				/* je */
	{ LINE, "\x0f\x84\0\0\0\0", 6, 0, { 0 }, NO, { 0 }, 0 },			/* je */
	{ LINE, "\x66\x0f\x3a\x0f\xc1\x08", 6, 0, { 0 }, NO, { 0 }, 0 },		/* palignr */
	{ LINE, "\x66\x0f\x3a\x16\xc1\x01", 6, 0, { 0 }, NO, { 0 }, LOSE_ALL },		/* pextrd ecx */
};

static void check_value(int line, struct operand_value got, struct operand_value want)
{
	CHECK_EQ(line, got.base, want.base);
	CHECK_EQ(line, got.index, want.index);
	CHECK_EQ(line, got.shift, want.shift);
	CHECK_EQ(line, (uint64_t)got.disp, (uint64_t)want.disp);
}

static struct operand decode(const char *code, size_t size)
{
	struct decode d = decode_instruction((const uint8_t *)code, size);

	return operand_decode((const uint8_t *)code, size, &d);
}

static void check_operand(const struct row *r)
{
	struct operand o = decode(r->code, r->size);

	CHECK_EQ(r->line, o.bytes, r->bytes);
	if (r->bytes)
		check_value(r->line, o.at, r->at);
	CHECK_EQ(r->line, o.set, r->set);
	if (r->set != NO)
		check_value(r->line, o.value, r->value);
	CHECK_EQ(r->line, o.lost, r->lost);
	/* Cut off anywhere, it is read without running over its end (sanitizers see to that). */
	for (unsigned n = 0; n < r->size; n++)
		decode(r->code, n);
}

/* The address of the last instruction of a block at 0x1000, from the registers at its start. */
static const struct block {
	int line;
	struct {
		const char *code;
		unsigned size;
	} insn[5];
	bool known;
	struct operand_value at;
} blocks[] = {
	/* mov rdx, rcx; add rdx, 8; mov rax, [rdx+8] */
	{ LINE, { { "\x48\x89\xca", 3 }, { "\x48\x83\xc2\x08", 4 }, { "\x48\x8b\x42\x08", 4 } },
	  true, { CX, NO, 0, 16 } },
	/* lea rsi, [rbx+rcx*8+4]; mov rax, [rsi+4] */
	{ LINE, { { "\x48\x8d\x74\xcb\x04", 5 }, { "\x48\x8b\x46\x04", 4 } },
	  true, { BX, CX, 3, 8 } },
	/* ... and with one more register there is no room. */
	{ LINE, { { "\x48\x8d\x74\xcb\x04", 5 }, { "\x48\x8b\x04\x16", 4 } }, false, { 0 } },
	/* lea rsi, [rbx+rcx*8]; mov rax, [rsi*1+7]: the sum as an index by itself. */
	{ LINE, { { "\x48\x8d\x34\xcb", 4 }, { "\x48\x8b\x04\x35\x07\0\0\0", 8 } },
	  true, { BX, CX, 3, 7 } },
	{ LINE, { { "\x48\x8d\x34\xcb", 4 }, { "\x48\x8b\x04\x75\x07\0\0\0", 8 } }, false, { 0 } },
	/* add rcx, 2; mov rax, [rdi+rcx*8] */
	{ LINE, { { "\x48\x83\xc1\x02", 4 }, { "\x48\x8b\x04\xcf", 4 } }, true, { DI, CX, 3, 16 } },
	/* mov ecx, 3; mov rax, [rdi+rcx*8] */
	{ LINE, { { "\xb9\x03\0\0\0", 5 }, { "\x48\x8b\x04\xcf", 4 } }, true, { DI, NO, 0, 24 } },
	/* push rax; push rbx; mov rcx, [rsp+8] */
	{ LINE, { { "\x50", 1 }, { "\x53", 1 }, { "\x48\x8b\x4c\x24\x08", 5 } },
	  true, { SP, NO, 0, -8 } },
	/* mov rax, [rip+16] at 0x1003, seven bytes long */
	{ LINE, { { "\x48\x89\xca", 3 }, { "\x48\x8b\x05\x10\0\0\0", 7 } },
	  true, { NO, NO, 0, 0x101a } },
	/* lea rcx, [rip+16]; mov rax, [rcx] */
	{ LINE, { { "\x48\x8d\x0d\x10\0\0\0", 7 }, { "\x48\x8b\x01", 3 } },
	  true, { NO, NO, 0, 0x1017 } },
	/* A loaded register, a shifted one, one behind something not known. */
	{ LINE, { { "\x48\x8b\x0f", 3 }, { "\x48\x8b\x01", 3 } }, false, { 0 } },
	{ LINE, { { "\x48\xc1\xe1\x03", 4 }, { "\x48\x8b\x01", 3 } }, false, { 0 } },
	{ LINE, { { "\x0f\xa2", 2 }, { "\x48\x8b\x07", 3 } }, false, { 0 } },
	/* ... which a constant or a move makes known again. */
	{ LINE, { { "\x48\xc1\xe1\x03", 4 }, { "\x31\xc9", 2 }, { "\x48\x8b\x01", 3 } },
	  true, { NO, NO, 0, 0 } },
	/* mov al, 1 changes rax; mov ah, 1 as well. */
	{ LINE, { { "\xb0\x01", 2 }, { "\x48\x8b\x08", 3 } }, false, { 0 } },
	{ LINE, { { "\xb4\x01", 2 }, { "\x48\x8b\x08", 3 } }, false, { 0 } },
	/* xchg leaves neither. */
	{ LINE, { { "\x48\x91", 2 }, { "\x48\x8b\x01", 3 } }, false, { 0 } },
};

static void check_block(const struct block *b)
{
	uint64_t next = 0x1000;
	struct operand_value at;
	struct follow f;
	bool known = false;

	follow_start(&f);
	for (unsigned i = 0; i < LEN(b->insn) && b->insn[i].size; i++) {
		struct operand o = decode(b->insn[i].code, b->insn[i].size);

		next += b->insn[i].size;
		known = follow_address(&f, &o, next, &at);
		follow_step(&f, &o, next);
	}
	CHECK_EQ(b->line, known, b->known);
	if (known)
		check_value(b->line, at, b->at);
}

int main(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++)
		check_operand(r);
	for (const struct block *b = blocks; b < blocks + LEN(blocks); b++)
		check_block(b);
	return check_done();
}
