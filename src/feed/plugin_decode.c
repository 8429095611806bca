// SPDX-License-Identifier: BSD-2-Clause
/*
 * A decoder of operands, not of meanings: prefixes, opcode map, ModRM and SIB of an x86-64
 * instruction, and a table of where each opcode's operands are (Intel SDM vol. 2, app. A).
 */
#include "feed/plugin_decode.h"

#include <stdbool.h>

/* Where the operands of an opcode are. */
enum form {
	F_NONE,		/* no memory, nothing to follow */
	F_OTHER,	/* may access memory */
	F_RM_R,		/* rm = rm op reg */
	F_R_RM,		/* reg = reg op rm */
	F_RM_IMM,	/* rm = rm op immediate */
	F_MOV_RM_R,	/* rm = reg */
	F_MOV_R_RM,	/* reg = rm */
	F_MOV_RM_IMM,	/* rm = immediate */
	F_MOV_O_IMM,	/* register in the opcode = immediate */
	F_CMP,		/* reads rm */
	F_LEA,
	F_PUSH, F_POP,	/* register in the opcode, or none */
	F_ACC,		/* rax = rax op immediate */
	F_XCHG,		/* rm <-> reg */
	F_XCHG_O,	/* rax <-> register in the opcode */
	F_XADD,
	F_STRING,
	F_RET, F_CALL, F_LEAVE,
	F_GROUP1, F_GROUP3, F_GROUP45,
	F_BSWAP,
	F_VLOAD,	/* vector register = rm */
	F_VSTORE,	/* rm = vector register */
	F_STREAM,	/* the same, past the caches */
	F_VTOR,		/* reg = vector rm */
	F_SET,		/* byte rm = condition */
	F_MOVD,		/* 0f 7e: a store, or with f3 a load */
	F_XSTATE,	/* 0f ae */
};

static const uint8_t one_byte[256] = {
	/* op rm,r; r,rm; acc,imm: eight operations; cmp writes nothing */
#define ALU(b) [(b)] = F_RM_R, [(b) + 1] = F_RM_R, [(b) + 2] = F_R_RM, [(b) + 3] = F_R_RM, \
	[(b) + 4] = F_ACC, [(b) + 5] = F_ACC
	ALU(0x00), ALU(0x08), ALU(0x10), ALU(0x18), ALU(0x20), ALU(0x28), ALU(0x30),
#undef ALU
	[0x38 ... 0x3b] = F_CMP,
	[0x50 ... 0x57] = F_PUSH, [0x58 ... 0x5f] = F_POP,
	[0x63] = F_MOV_R_RM, [0x68] = F_PUSH, [0x69] = F_MOV_R_RM, [0x6a] = F_PUSH,
	[0x6b] = F_MOV_R_RM, [0x6c ... 0x6f] = F_OTHER,
	[0x80 ... 0x83] = F_GROUP1, [0x84 ... 0x85] = F_CMP, [0x86 ... 0x87] = F_XCHG,
	[0x88 ... 0x89] = F_MOV_RM_R, [0x8a ... 0x8b] = F_MOV_R_RM,
	[0x8c] = F_OTHER, [0x8d] = F_LEA, [0x8e] = F_OTHER, [0x8f] = F_OTHER,
	[0x90 ... 0x97] = F_XCHG_O, [0x98] = F_ACC, [0x9c] = F_PUSH, [0x9d] = F_OTHER,
	[0xa0 ... 0xa3] = F_OTHER,
	[0xa4 ... 0xa7] = F_STRING, [0xaa ... 0xaf] = F_STRING,
	[0xb0 ... 0xbf] = F_MOV_O_IMM,
	[0xc0 ... 0xc1] = F_RM_IMM, [0xc2 ... 0xc3] = F_RET, [0xc6 ... 0xc7] = F_MOV_RM_IMM,
	[0xc8] = F_OTHER, [0xc9] = F_LEAVE, [0xca ... 0xcf] = F_OTHER,
	[0xd0 ... 0xd3] = F_RM_IMM, [0xd7 ... 0xdf] = F_OTHER,
	[0xe8] = F_CALL, [0xf6 ... 0xf7] = F_GROUP3, [0xfe ... 0xff] = F_GROUP45,
};

static const uint8_t map_0f[256] = {
	[0x00 ... 0x01] = F_OTHER, [0x0f] = F_OTHER,
	[0x10] = F_VLOAD, [0x11] = F_VSTORE, [0x12] = F_VLOAD, [0x13] = F_VSTORE,
	[0x14 ... 0x16] = F_VLOAD, [0x17] = F_VSTORE,
	[0x28] = F_VLOAD, [0x29] = F_VSTORE, [0x2a] = F_VLOAD, [0x2b] = F_STREAM,
	[0x2c ... 0x2d] = F_VTOR, [0x2e ... 0x2f] = F_VLOAD,
	[0x40 ... 0x4f] = F_R_RM, [0x50] = F_VTOR,
	[0x51 ... 0x6f] = F_VLOAD, [0x70] = F_VLOAD, [0x71 ... 0x73] = F_NONE,
	[0x74 ... 0x76] = F_VLOAD, [0x77] = F_NONE, [0x78 ... 0x7d] = F_VLOAD,
	[0x7e] = F_MOVD, [0x7f] = F_VSTORE,
	[0x90 ... 0x9f] = F_SET, [0xa0 ... 0xa1] = F_OTHER, [0xa3 ... 0xa5] = F_OTHER,
	[0xa8 ... 0xa9] = F_OTHER, [0xab ... 0xad] = F_OTHER, [0xae] = F_XSTATE, [0xaf] = F_R_RM,
	[0xb0 ... 0xb1] = F_RM_R, [0xb2 ... 0xb5] = F_OTHER, [0xb6 ... 0xb7] = F_MOV_R_RM,
	[0xb8] = F_MOV_R_RM, [0xba] = F_OTHER, [0xbb] = F_OTHER, [0xbc ... 0xbf] = F_MOV_R_RM,
	[0xc0 ... 0xc1] = F_XADD, [0xc2] = F_VLOAD, [0xc3] = F_STREAM, [0xc4] = F_VLOAD,
	[0xc5] = F_VTOR, [0xc6] = F_VLOAD, [0xc7] = F_OTHER, [0xc8 ... 0xcf] = F_BSWAP,
	[0xd0 ... 0xd5] = F_VLOAD, [0xd6] = F_VSTORE, [0xd7] = F_VTOR, [0xd8 ... 0xe6] = F_VLOAD,
	[0xe7] = F_STREAM, [0xe8 ... 0xf6] = F_VLOAD, [0xf7] = F_OTHER, [0xf8 ... 0xfe] = F_VLOAD,
};

struct cursor {
	const uint8_t *at, *end;
	uint8_t rex, modrm;
	bool locked, repeat, opsize, wide_address, vex;
	unsigned map;
};

static uint8_t next(struct cursor *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

static void read_prefixes(struct cursor *c)
{
	for (; c->at < c->end; c->at++) {
		switch (*c->at) {
		case 0xf0:
			c->locked = true;
			break;
		case 0xf2: case 0xf3:
			c->repeat = true;
			break;
		case 0x66:
			c->opsize = true;
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x67:
			break;
		default:
			if ((*c->at & 0xf0) == 0x40)
				c->rex = *c->at++;
			return;
		}
	}
}

/* REX, VEX and the escapes: leaves the opcode next.  VEX stores its R, X, B inverted. */
static void read_map(struct cursor *c)
{
	if (c->end - c->at >= 3 && (*c->at == 0xc5 || *c->at == 0xc4)) {
		bool two = next(c) == 0xc5;
		uint8_t b = next(c);

		c->vex = true;
		c->map = two ? 1 : b & 31;
		c->rex = (uint8_t)(two ? (~b >> 7 & 1) << 2 : ~b >> 5 & 7);
		if (!two)
			b = next(c);
		c->opsize = (b & 3) == 1;
		c->repeat = (b & 3) >= 2;
	} else if (c->at < c->end && *c->at == 0x0f) {
		c->at++;
		c->map = 1;
		if (c->at < c->end && (*c->at == 0x38 || *c->at == 0x3a))
			c->map = *c->at++ == 0x38 ? 2 : 3;
	}
}

static bool in_memory(const struct cursor *c)
{
	return c->modrm < 0xc0;
}

static uint16_t reg_bit(const struct cursor *c)
{
	return (uint16_t)(1U << ((c->modrm >> 3 & 7) | (c->rex & 4) << 1));
}

static uint16_t rm_bit(const struct cursor *c)
{
	return (uint16_t)(1U << ((c->modrm & 7) | (c->rex & 1) << 3));
}

/* Base and index of a memory operand. */
static uint16_t address_bits(const struct cursor *c)
{
	unsigned mod = c->modrm >> 6, rm = c->modrm & 7;
	unsigned sib, base, index;
	uint16_t bits = 0;

	if (rm != 4)
		return mod == 0 && rm == 5 ? 0 : rm_bit(c);
	sib = c->at < c->end ? *c->at : 0;
	base = (sib & 7) | (c->rex & 1U) << 3;
	index = (sib >> 3 & 7) | (c->rex & 2U) << 2;
	if (index != 4)
		bits |= (uint16_t)(1U << index);
	if (!(mod == 0 && (sib & 7) == 5))
		bits |= (uint16_t)(1U << base);
	return bits;
}

enum { RAX = 1 << 0, RCX = 1 << 1, RDX = 1 << 2, RSP = 1 << 4, RBP = 1 << 5, RSI = 1 << 6,
	RDI = 1 << 7 };

/* An operand that is read, written, or both, in memory or in a register. */
static void use_rm(const struct cursor *c, struct decode *d, bool reads, bool writes)
{
	if (in_memory(c)) {
		d->flags |= (uint8_t)((reads ? DECODE_LOAD : 0) | (writes ? DECODE_STORE : 0));
		d->address = address_bits(c);
		return;
	}
	if (reads)
		d->from |= rm_bit(c);
	if (writes)
		d->to |= rm_bit(c);
}

static void use_group(const struct cursor *c, struct decode *d, enum form form, uint8_t op)
{
	unsigned n = c->modrm >> 3 & 7;

	if (form == F_GROUP1) {
		use_rm(c, d, true, n != 7);
	} else if (form == F_GROUP3) {
		use_rm(c, d, true, n == 2 || n == 3);
		if (n >= 4) {
			d->from |= RAX;
			d->to |= RAX | RDX;
		}
	} else if (n < 2) {
		use_rm(c, d, true, true);
	} else if (op == 0xff && n < 7) {
		use_rm(c, d, true, false);
		d->from = 0;
		if (n == 2 || n == 6)
			d->flags |= DECODE_STORE;
		if (n == 3 || n == 5)
			d->flags = DECODE_OTHER;
	}
}

static void use_string(const struct cursor *c, struct decode *d, uint8_t op)
{
	if (c->repeat) {
		d->flags = DECODE_OTHER | DECODE_REPEAT;
		return;
	}
	d->flags = DECODE_OTHER;
	d->to = op >= 0xac && op <= 0xad ? RAX | RSI : 0;
}

static void use_vector(const struct cursor *c, struct decode *d, enum form form)
{
	bool load = form == F_VLOAD || form == F_VTOR || (form == F_MOVD && c->repeat);

	if (form == F_VTOR)
		d->to = reg_bit(c);
	if (!in_memory(c)) {
		if (form == F_MOVD && !c->repeat)
			d->to = rm_bit(c);
		return;
	}
	d->address = address_bits(c);
	d->flags = load ? DECODE_LOAD : DECODE_STORE;
	if (form == F_STREAM)
		d->flags |= DECODE_STREAM;
}

static void use_stack(struct decode *d, enum form form, uint8_t op, const struct cursor *c)
{
	uint16_t named = (uint16_t)(1U << ((op & 7) | (c->rex & 1) << 3));

	d->address = form == F_LEAVE ? RBP : RSP;
	d->flags = form == F_PUSH || form == F_CALL ? DECODE_STORE : DECODE_LOAD;
	if (form == F_POP)
		d->to = named;
	else if (form == F_LEAVE)
		d->to = RBP;
}

static void use_registers(const struct cursor *c, struct decode *d, enum form form, uint8_t op)
{
	uint16_t named = (uint16_t)(1U << ((op & 7) | (c->rex & 1) << 3));

	if (form == F_ACC) {
		d->from = d->to = RAX;
	} else if (form == F_MOV_O_IMM) {
		d->to = named;
	} else if (form == F_BSWAP) {
		d->from = d->to = named;
	} else if (form == F_XCHG_O) {
		d->from = d->to = op == 0x90 ? 0 : (uint16_t)(named | RAX);
	} else if (form == F_LEA) {
		d->from = address_bits(c);
		d->to = reg_bit(c);
	}
}

/* Operands of general registers and memory through ModRM. */
static void use_modrm(const struct cursor *c, struct decode *d, enum form form)
{
	switch (form) {
	case F_RM_R:
		use_rm(c, d, true, true);
		d->from |= reg_bit(c);
		break;
	case F_R_RM:
		use_rm(c, d, true, false);
		d->from |= reg_bit(c);
		d->to = reg_bit(c);
		break;
	case F_RM_IMM:
		use_rm(c, d, true, true);
		break;
	case F_MOV_RM_R:
		use_rm(c, d, false, true);
		d->from = reg_bit(c);
		break;
	case F_MOV_R_RM:
		use_rm(c, d, true, false);
		d->to = reg_bit(c);
		break;
	case F_MOV_RM_IMM: case F_SET:
		use_rm(c, d, false, true);
		break;
	case F_CMP:
		use_rm(c, d, true, false);
		d->from = 0;
		break;
	case F_XCHG: case F_XADD:
		use_rm(c, d, true, true);
		d->from |= reg_bit(c);
		d->to |= reg_bit(c);
		if (form == F_XCHG && in_memory(c))
			d->flags |= DECODE_LOCKED;
		break;
	default:
		break;
	}
}

static enum form form_of(const struct cursor *c, uint8_t op)
{
	switch (c->map) {
	case 0:
		return one_byte[op];
	case 1:
		return map_0f[op];
	case 2:
		if (op == 0x2a || op < 0x80)
			return F_VLOAD;
		if (op >= 0xf0 && op <= 0xf1)
			return c->repeat || op == 0xf0 ? F_MOV_R_RM : F_OTHER;
		return op >= 0xf2 && op <= 0xf7 && c->vex ? F_MOV_R_RM : F_OTHER;
	default:
		return op >= 0x14 && op <= 0x17 ? F_OTHER : op == 0xf0 ? F_MOV_R_RM : F_OTHER;
	}
}

struct decode decode_instruction(const uint8_t *code, size_t size)
{
	struct cursor c = { .at = code, .end = code + size };
	struct decode d = { 0 };

	read_prefixes(&c);
	read_map(&c);

	uint8_t op = next(&c);
	enum form form = form_of(&c, op);

	if (form == F_NONE)
		return d;
	if (form == F_OTHER) {
		d.flags = DECODE_OTHER;
		return d;
	}
	/* The other forms without ModRM do not look at it. */
	c.modrm = next(&c);
	if (form == F_XSTATE) {
		d.flags = in_memory(&c) ? DECODE_OTHER : 0;
	} else if (form == F_STRING) {
		use_string(&c, &d, op);
	} else if (form >= F_RET && form <= F_LEAVE) {
		use_stack(&d, form, op, &c);
	} else if (form == F_PUSH || form == F_POP) {
		use_stack(&d, form, op, &c);
		if (form == F_POP && c.opsize)
			d.to = 0;
	} else if (form >= F_GROUP1 && form <= F_GROUP45) {
		use_group(&c, &d, form, op);
	} else if (form >= F_VLOAD && form <= F_MOVD && form != F_SET) {
		use_vector(&c, &d, form);
	} else if (form == F_ACC || form == F_MOV_O_IMM || form == F_BSWAP || form == F_XCHG_O ||
		   form == F_LEA) {
		use_registers(&c, &d, form, op);
	} else {
		use_modrm(&c, &d, form);
	}
	if (c.locked && (d.flags & DECODE_LOAD))
		d.flags |= DECODE_LOCKED;
	return d;
}
