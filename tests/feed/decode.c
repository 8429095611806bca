/* SPDX-License-Identifier: BSD-2-Clause */
/* The operand decoder, on encodings written out by hand (Intel SDM vol. 2). */
#include "check.h"
#include "plugin/decode.h"

enum { AX = 1, CX = 2, DX = 4, BX = 8, SP = 16, BP = 32, SI = 64, DI = 128, R8 = 256, R9 = 512,
	R12 = 1 << 12, R13 = 1 << 13, R15 = 1 << 15 };
enum { L = DECODE_LOAD, S = DECODE_STORE, O = DECODE_OTHER };

static const struct row {
	int line;
	const char *code;
	unsigned size;
	unsigned flags, parts;
	unsigned address, from, to;
} rows[] = {
	{ LINE, "\x48\x8b\x07", 3, L, 1, DI, 0, AX },			/* mov rax, [rdi] */
	{ LINE, "\x48\x8b\x04\xc7", 4, L, 1, DI | AX, 0, AX },		/* mov rax, [rdi+rax*8] */
	{ LINE, "\x4d\x8b\x04\x24", 4, L, 1, R12, 0, R8 },		/* mov r8, [r12] */
	{ LINE, "\x4b\x8b\x44\x3d\x08", 5, L, 1, R13 | R15, 0, AX },	/* mov rax, [r13+r15+8] */
	{ LINE, "\x8b\x05\0\0\0\0", 6, L, 1, 0, 0, AX },		/* mov eax, [rip+0] */
	{ LINE, "\x8b\x04\x25\0\0\0\0", 7, L, 1, 0, 0, AX },		/* mov eax, [0] */
	{ LINE, "\x64\x48\x8b\x04\x25\x28\0\0\0", 9, L, 1, 0, 0, AX },	/* mov rax, fs:[0x28] */
	{ LINE, "\x48\x89\x0f", 3, S, 1, DI, CX, 0 },			/* mov [rdi], rcx */
	{ LINE, "\x48\x89\xca", 3, 0, 0, 0, CX, DX },			/* mov rdx, rcx */
	{ LINE, "\xc7\x07\x01\0\0\0", 6, S, 1, DI, 0, 0 },		/* mov dword [rdi], 1 */
	{ LINE, "\xb9\x01\0\0\0", 5, 0, 0, 0, 0, CX },			/* mov ecx, 1 */
	{ LINE, "\x41\xb9\x01\0\0\0", 6, 0, 0, 0, 0, R9 },		/* mov r9d, 1 */
	{ LINE, "\x48\x03\x07", 3, L, 1, DI, AX, AX },			/* add rax, [rdi] */
	{ LINE, "\x48\x01\x07", 3, L | S, 1, DI, AX, 0 },		/* add [rdi], rax */
	{ LINE, "\x48\x01\xc8", 3, 0, 0, 0, AX | CX, AX },		/* add rax, rcx */
	{ LINE, "\x48\x3b\x07", 3, L, 1, DI, 0, 0 },			/* cmp rax, [rdi] */
	{ LINE, "\x48\x39\x07", 3, L, 1, DI, 0, 0 },			/* cmp [rdi], rax */
	{ LINE, "\x48\x83\x07\x01", 4, L | S, 1, DI, 0, 0 },		/* add qword [rdi], 1 */
	{ LINE, "\x48\x83\x3f\x01", 4, L, 1, DI, 0, 0 },		/* cmp qword [rdi], 1 */
	{ LINE, "\x48\x83\xc0\x01", 4, 0, 0, 0, AX, AX },		/* add rax, 1 */
	{ LINE, "\xf6\x07\x01", 3, L, 1, DI, 0, 0 },			/* test byte [rdi], 1 */
	{ LINE, "\x48\xf7\x27", 3, L, 1, DI, AX, AX | DX },		/* mul qword [rdi] */
	{ LINE, "\xff\x07", 2, L | S, 1, DI, 0, 0 },			/* inc dword [rdi] */
	{ LINE, "\xff\x17", 2, L | S, 1, DI, 0, 0 },			/* call [rdi] */
	{ LINE, "\xff\xd0", 2, S, 0, 0, 0, 0 },				/* call rax */
	{ LINE, "\xff\xe0", 2, 0, 0, 0, 0, 0 },				/* jmp rax */
	{ LINE, "\xe8\0\0\0\0", 5, S, 1, SP, 0, 0 },			/* call */
	{ LINE, "\xc3", 1, L, 1, SP, 0, 0 },				/* ret */
	{ LINE, "\xc9", 1, L, 1, BP, 0, BP },				/* leave */
	{ LINE, "\x53", 1, S, 1, SP, 0, 0 },				/* push rbx */
	{ LINE, "\x41\x5c", 2, L, 1, SP, 0, R12 },			/* pop r12 */
	{ LINE, "\x48\x8d\x04\xd6", 4, 0, 0, 0, SI | DX, AX },		/* lea rax, [rsi+rdx*8] */
	{ LINE, "\x0f\xb6\x03", 3, L, 1, BX, 0, AX },			/* movzx eax, byte [rbx] */
	{ LINE, "\x48\x63\x03", 3, L, 1, BX, 0, AX },			/* movsxd rax, [rbx] */
	{ LINE, "\x0f\xaf\x03", 3, L, 1, BX, AX, AX },			/* imul eax, [rbx] */
	{ LINE, "\x0f\x44\x03", 3, L, 1, BX, AX, AX },			/* cmove eax, [rbx] */
	{ LINE, "\x0f\x94\x03", 3, S, 1, BX, 0, 0 },			/* sete [rbx] */
	{ LINE, "\xf0\x48\x0f\xc1\x03", 5, L | S | DECODE_LOCKED, 1, BX, AX, AX },
									/* lock xadd [rbx], rax */
	{ LINE, "\xf0\x48\x0f\xb1\x0b", 5, L | S | DECODE_LOCKED, 1, BX, CX, 0 },
									/* lock cmpxchg [rbx], rcx */
	{ LINE, "\x48\x87\x03", 3, L | S | DECODE_LOCKED, 1, BX, AX, AX },	/* xchg [rbx], rax */
	{ LINE, "\xf3\x48\xa5", 3, O | DECODE_REPEAT | DECODE_FILL | DECODE_COPY, 0, 0, 0, 0 },
									/* rep movsq */
	{ LINE, "\xf3\xaa", 2, O | DECODE_REPEAT | DECODE_FILL, 0, 0, 0, 0 },	/* rep stosb */
	{ LINE, "\xf3\x48\xab", 3, O | DECODE_REPEAT | DECODE_FILL, 0, 0, 0, 0 },	/* rep stosq */
	{ LINE, "\x67\xf3\xaa", 3, O | DECODE_REPEAT, 0, 0, 0, 0 },	/* rep stosb [edi], by ecx */
	{ LINE, "\xf3\xac", 2, O | DECODE_REPEAT, 0, 0, 0, 0 },		/* rep lodsb */
	{ LINE, "\xf3\xa6", 2, O | DECODE_REPEAT, 0, 0, 0, 0 },		/* repe cmpsb */
	{ LINE, "\xa4", 1, O, 0, 0, 0, 0 },				/* movsb */
	{ LINE, "\xdd\x07", 2, O, 0, 0, 0, 0 },				/* fld qword [rdi] */
	/* Vectors: pieces of eight bytes. */
	{ LINE, "\xf2\x0f\x10\x04\xc7", 5, L, 1, DI | AX, 0, 0 },	/* movsd xmm0, [rdi+rax*8] */
	{ LINE, "\x66\x0f\x28\x07", 4, L, 2, DI, 0, 0 },		/* movapd xmm0, [rdi] */
	{ LINE, "\x0f\x11\x07", 3, S, 2, DI, 0, 0 },			/* movups [rdi], xmm0 */
	{ LINE, "\xf3\x0f\x6f\x07", 4, L, 2, DI, 0, 0 },		/* movdqu xmm0, [rdi] */
	{ LINE, "\x66\x0f\x58\x07", 4, L, 2, DI, 0, 0 },		/* addpd xmm0, [rdi] */
	{ LINE, "\xf2\x0f\x58\x07", 4, L, 1, DI, 0, 0 },		/* addsd xmm0, [rdi] */
	{ LINE, "\xc5\xfd\x6f\x07", 4, L, 4, DI, 0, 0 },		/* vmovdqa ymm0, [rdi] */
	{ LINE, "\xc5\xf9\x6f\x07", 4, L, 2, DI, 0, 0 },		/* vmovdqa xmm0, [rdi] */
	{ LINE, "\xc4\xc1\x7d\x7f\x04\x24", 6, S, 4, R12, 0, 0 },	/* vmovdqa [r12], ymm0 */
	{ LINE, "\x66\x0f\xe7\x07", 4, S | DECODE_STREAM, 0, DI, 0, 0 },	/* movntdq */
	{ LINE, "\x66\x0f\xf7\xc1", 4, O | DECODE_STREAM, 0, 0, 0, 0 },	/* maskmovdqu xmm0, xmm1 */
	{ LINE, "\xc4\xe2\x75\x2c\x00", 5, O, 0, 0, 0, 0 },		/* vmaskmovps ymm0, ymm1, [rax] */
	{ LINE, "\xc4\xe2\x75\x2f\x00", 5, O, 0, 0, 0, 0 },		/* vmaskmovpd [rax], ymm1, ymm0 */
	{ LINE, "\x66\x0f\xf6\xc1", 4, 0, 0, 0, 0, 0 },			/* psadbw xmm0, xmm1 */
	{ LINE, "\x48\x0f\xc3\x07", 4, S | DECODE_STREAM, 0, DI, 0, 0 },	/* movnti */
	{ LINE, "\xf3\x0f\x7e\x07", 4, L, 0, DI, 0, 0 },		/* movq xmm0, [rdi] */
	{ LINE, "\x66\x48\x0f\x7e\xc0", 5, 0, 0, 0, 0, AX },		/* movq rax, xmm0 */
	{ LINE, "\x0f\xae\xf0", 3, DECODE_FENCE, 0, 0, 0, 0 },		/* mfence */
	{ LINE, "\x0f\xae\xf8", 3, DECODE_FENCE, 0, 0, 0, 0 },		/* sfence */
	{ LINE, "\x0f\xae\xe8", 3, 0, 0, 0, 0, 0 },			/* lfence */
	{ LINE, "\xf3\x0f\xae\xf0", 4, 0, 0, 0, 0, 0 },			/* umonitor eax */
	/* Lines that are flushed and asked for. */
	{ LINE, "\x0f\xae\x3f", 3, DECODE_FLUSH, 0, DI, 0, 0 },			/* clflush [rdi] */
	{ LINE, "\x66\x41\x0f\xae\x3c\x24", 6, DECODE_FLUSH, 0, R12, 0, 0 },	/* clflushopt [r12] */
	{ LINE, "\x66\x0f\xae\x37", 4, DECODE_FLUSH, 0, DI, 0, 0 },		/* clwb [rdi] */
	{ LINE, "\x0f\xae\x37", 3, O, 0, 0, 0, 0 },				/* xsaveopt [rdi] */
	{ LINE, "\xf3\x0f\xae\x37", 4, O, 0, 0, 0, 0 },				/* clrssbsy [rdi] */
	{ LINE, "\x0f\x18\x07", 3, DECODE_AHEAD_L1, 0, DI, 0, 0 },		/* prefetchnta [rdi] */
	{ LINE, "\x0f\x18\x0c\xc7", 4, DECODE_AHEAD, 0, DI | AX, 0, 0 },		/* prefetcht0 [rdi+rax*8] */
	{ LINE, "\x0f\x18\x17", 3, DECODE_AHEAD_L2, 0, DI, 0, 0 },		/* prefetcht1 [rdi] */
	{ LINE, "\x0f\x18\x1f", 3, DECODE_AHEAD_L2, 0, DI, 0, 0 },		/* prefetcht2 [rdi] */
	{ LINE, "\x0f\x18\x27", 3, 0, 0, 0, 0, 0 },				/* nothing yet */
	{ LINE, "\x0f\x18\xc7", 3, 0, 0, 0, 0, 0 },				/* nop edi */
	{ LINE, "\x0f\x0d\x0f", 3, 0, 0, 0, 0, 0 },				/* prefetchw [rdi] */
	/* Nothing, and cut off. */
	{ LINE, "\x90", 1, 0, 0, 0, 0, 0 },
	{ LINE, "\x0f\x1f\x44\0\0", 5, 0, 0, 0, 0, 0 },			/* nop [rax+rax] */
	{ LINE, "\x0f\x05", 2, 0, 0, 0, 0, 0 },				/* syscall */
	{ LINE, "\x74\x05", 2, 0, 0, 0, 0, 0 },				/* je */
	{ LINE, "\x0f\x84\0\0\0\0", 6, 0, 0, 0, 0, 0 },			/* je */
	{ LINE, "\xf7\x07\x01\0\0\0", 6, L, 1, DI, 0, 0 },		/* test dword [rdi], 1 */
	{ LINE, "\x66\xc7\x07\x01\0", 5, S, 1, DI, 0, 0 },		/* mov word [rdi], 1 */
	{ LINE, "\x48\xb8\0\0\0\0\0\0\0\0", 10, 0, 0, 0, 0, AX },	/* mov rax, 0 */
	{ LINE, "\xc8\0\0\0", 4, O, 0, 0, 0, 0 },			/* enter */
	{ LINE, "\x48\x8b\x84\x24\0\0\0\0", 8, L, 1, SP, 0, AX },	/* mov rax, [rsp+0] */
	{ LINE, "\x66\x0f\x3a\x0f\xc1\x08", 6, O, 0, 0, 0, 0 },	/* palignr */
};

/* Instructions that the emulator does not run, as found in libraries: only their length matters. */
static const struct length_row {
	int line;
	const char *code;
	unsigned size;
} lengths[] = {
	{ LINE, "\x62\xf1\xfe\x48\x6f\x06", 6 },			/* vmovdqu64 zmm0, [rsi] */
	{ LINE, "\x62\xf1\xfe\x48\x6f\x46\x01", 7 },		/* with an 8-bit displacement */
	{ LINE, "\x62\xf3\x7d\x48\x25\xc0\xff", 7 },		/* vpternlogd zmm0, zmm0, zmm0, 255 */
	{ LINE, "\x62\xf2\x7d\x28\x58\x05\0\0\0\0", 10 },	/* vpbroadcastd ymm0, [rip+0] */
	{ LINE, "\x62\xf1\x65\x28\x72\xd0\x05", 7 },		/* vpsrld ymm3, ymm0, 5 */
	{ LINE, "\xc5\xf8\x77", 3 },				/* vzeroupper */
	{ LINE, "\xc4\xe3\x7d\x39\xc1\x01", 6 },		/* vextracti128 xmm1, ymm0, 1 */
	{ LINE, "\x0f\x0b", 2 },					/* ud2 */
	{ LINE, "\x0f\xa2", 2 },					/* cpuid */
	{ LINE, "\x0f\x01\xf9", 3 },				/* rdtscp */
	{ LINE, "\x9b", 1 },					/* fwait, ahead of fstcw */
};

/* Jumps to an address that they name, and others. */
static const struct jump_row {
	int line;
	const char *code;
	unsigned size;
	bool jumps;
	int64_t by;
} jumps[] = {
	{ LINE, "\x75\xf0", 2, true, -16 },			/* jne */
	{ LINE, "\xeb\x7f", 2, true, 127 },			/* jmp */
	{ LINE, "\x0f\x85\x00\xff\xff\xff", 6, true, -256 },	/* jne */
	{ LINE, "\xe9\x00\x00\x01\x00", 5, true, 65536 },
	{ LINE, "\xe8\x00\x00\x01\x00", 5, false, 0 },	/* call */
	{ LINE, "\xe2\xf0", 2, false, 0 },			/* loop counts in a register */
	{ LINE, "\xff\xe0", 2, false, 0 },			/* jmp rax */
	{ LINE, "\x0f\x85\x00\xff\xff", 5, false, 0 },		/* only a part */
	{ LINE, "\xc3", 1, false, 0 },
};

int main(void)
{
	for (const struct jump_row *r = jumps; r < jumps + LEN(jumps); r++) {
		int64_t by = 0;

		CHECK_EQ(r->line, decode_jump((const uint8_t *)r->code, r->size, &by), r->jumps);
		CHECK_EQ(r->line, by, r->by);
	}
	for (const struct length_row *r = lengths; r < lengths + LEN(lengths); r++) {
		uint8_t code[16] = { 0 };

		memcpy(code, r->code, r->size);
		CHECK_EQ(r->line, decode_length(code, sizeof code), r->size);
		CHECK_EQ(r->line, decode_length(code, r->size), r->size);
		CHECK_EQ(r->line, decode_length(code, r->size - 1), 0);
	}
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct decode d = decode_instruction((const uint8_t *)r->code, r->size);

		CHECK_EQ(r->line, d.flags, r->flags);
		CHECK_EQ(r->line, d.parts, r->parts);
		CHECK_EQ(r->line, d.address, r->address);
		CHECK_EQ(r->line, d.from, r->from);
		CHECK_EQ(r->line, d.to, r->to);
		for (unsigned n = 0; n <= r->size && r->size; n++)
			CHECK_EQ(r->line, decode_is_whole((const uint8_t *)r->code, n),
				 n == r->size);
	}
	return check_done();
}
