/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between the parts of the operand decoder: a cursor that walks through the bytes of an
 * instruction, and the forms that opcodes take (Intel SDM vol. 2, ch. 2 and app. A).
 */
#ifndef BXS_PLUGIN_FORM_H
#define BXS_PLUGIN_FORM_H

#include <stdbool.h>
#include <stdint.h>

/* Where the operands of an opcode are; the letters draw the opcode maps below. */
enum form {
	F_NONE = '.',		/* no memory, nothing to follow */
	F_OTHER = 'o',	/* may access memory */
	F_RM_R = 'M',		/* rm = rm op reg */
	F_R_RM = 'R',		/* reg = reg op rm */
	F_RM_IMM = 'I',	/* rm = rm op immediate */
	F_MOV_RM_R = 'w',	/* rm = reg */
	F_MOV_R_RM = 'r',	/* reg = rm */
	F_MOV_RM_IMM = 'i',	/* rm = immediate */
	F_MOV_O_IMM = 'k',	/* register in the opcode = immediate */
	F_CMP = 'c',		/* reads rm */
	F_LEA = 'L',
	F_PUSH = 'P', F_POP = 'p',	/* register in the opcode, or none */
	F_ACC = 'a',		/* rax = rax op immediate */
	F_XCHG = 'X',		/* rm <-> reg */
	F_XCHG_O = 'x',	/* rax <-> register in the opcode */
	F_XADD = 'd',
	F_STRING = 's',
	F_RET = 't', F_CALL = 'C', F_LEAVE = 'l',
	F_GROUP1 = '1', F_GROUP3 = '3', F_GROUP45 = '4',
	F_BSWAP = 'b',
	F_VLOAD = 'v',	/* vector register = rm */
	F_VSTORE = 'V',	/* rm = vector register */
	F_STREAM = 'S',	/* the same, past the caches */
	F_VTOR = 'g',		/* reg = vector rm */
	F_SET = 'e',		/* byte rm = condition */
	F_MOVD = 'D',		/* 0f 7e: a store, or with f3 a load */
	F_XSTATE = 'A',	/* 0f ae */
	F_PREFETCH = 'h',	/* the line of rm */
};

struct cursor {
	const uint8_t *at, *end;
	uint8_t rex;			/* 0: none; else R is bit 2, X bit 1, B bit 0, W bit 3 */
	uint8_t modrm;
	uint8_t rep;			/* 0xf2 or 0xf3, as prefix or said by VEX; 0: neither */
	bool locked, opsize, vex;
	bool wide;			/* VEX.L, 32-byte vectors */
	bool segment;			/* fs or gs */
	bool narrow;			/* addresses of 32 bits */
	unsigned map;
};

static inline uint8_t form_next(struct cursor *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

static inline bool form_in_memory(const struct cursor *c)
{
	return c->modrm < 0xc0;
}

/* Registers named by the second and third field of ModRM. */
static inline unsigned form_reg(const struct cursor *c)
{
	return (c->modrm >> 3 & 7) | (c->rex & 4U) << 1;
}

static inline unsigned form_rm(const struct cursor *c)
{
	return (c->modrm & 7) | (c->rex & 1U) << 3;
}

/* Prefixes, REX, VEX and escapes: leaves the opcode next. */
void form_prefixes(struct cursor *c);
enum form form_of(const struct cursor *c, uint8_t op);

#endif
