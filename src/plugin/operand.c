/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses, access sizes and register changes of an instruction (Intel SDM vol. 2).
 */
#include "operand.h"

#include "form.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, ALL = 0xffff };

static const struct operand_value nothing = { OPERAND_NONE, OPERAND_NONE, 0, 0 };

static struct operand_value constant(int64_t n)
{
	return (struct operand_value){ OPERAND_NONE, OPERAND_NONE, 0, n };
}

static struct operand_value beside(unsigned reg, int64_t n)
{
	return (struct operand_value){ (uint8_t)reg, OPERAND_NONE, 0, n };
}

static bool is_long(const struct cursor *c)
{
	return c->rex & 8;
}

/* Little-endian, sign-extended. */
static int64_t read_number(struct cursor *c, unsigned bytes)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < bytes; i++)
		n |= (uint64_t)form_next(c) << 8 * i;
	return (int64_t)(n << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

/* The memory operand; ModRM is read, and afterwards its tail as well. */
static struct operand_value read_address(struct cursor *c)
{
	unsigned mod = c->modrm >> 6, rm = c->modrm & 7, sib;
	struct operand_value v = nothing;

	if (rm == 4) {
		sib = form_next(c);
		v.shift = (uint8_t)(sib >> 6);
		v.index = (uint8_t)((sib >> 3 & 7) | (c->rex & 2U) << 2);
		if (v.index == 4)
			v.index = OPERAND_NONE;
		if (mod != 0 || (sib & 7) != 5)
			v.base = (uint8_t)((sib & 7) | (c->rex & 1U) << 3);
		else
			v.disp = read_number(c, 4);
	} else if (mod == 0 && rm == 5) {
		v = (struct operand_value){ OPERAND_NEXT, OPERAND_NONE, 0, read_number(c, 4) };
	} else {
		v.base = (uint8_t)form_rm(c);
	}
	if (mod == 1)
		v.disp = read_number(c, 1);
	else if (mod == 2)
		v.disp = read_number(c, 4);
	return v;
}

/* Does the opcode of the first map, or its kin of the second, work on bytes? */
static bool is_byte(const struct cursor *c, uint8_t op)
{
	if (c->map == 1)
		return (op >= 0x90 && op <= 0x9f) || op == 0xb0 || op == 0xc0;
	if (c->map != 0)
		return false;
	return (op < 0x40 && !(op & 1)) || op == 0x80 || op == 0x84 || op == 0x86 || op == 0x88 ||
	       op == 0x8a || (op >= 0xb0 && op <= 0xb7) || op == 0xc0 || op == 0xc6 || op == 0xd0 ||
	       op == 0xd2 || op == 0xf6 || op == 0xfe;
}

/* How long an access of general registers is. */
static unsigned general_bytes(const struct cursor *c, uint8_t op)
{
	if (is_byte(c, op))
		return 1;
	if (c->map == 0 && op == 0x63)
		return 4;
	if (c->map == 1 && (op & 0xf6) == 0xb6)		/* movzx, movsx */
		return op & 1 ? 2 : 1;
	return is_long(c) ? 8 : c->opsize ? 2 : 4;
}

/* Of arithmetic that comes in four sizes, by prefix: ps, pd, ss, sd. */
static unsigned four_ways(const struct cursor *c)
{
	return c->rep == 0xf3 ? 4 : c->rep == 0xf2 ? 8 : c->wide ? 32 : 16;
}

/* Moves and conversions, whose sizes go by no rule. */
static unsigned odd_vector_bytes(const struct cursor *c, uint8_t op, unsigned whole)
{
	unsigned general = is_long(c) ? 8 : 4;

	switch (op) {
	case 0x12: case 0x13: case 0x16: case 0x17:
		return c->rep ? 0 : 8;
	case 0x2a:
		return c->rep ? general : 0;
	case 0x2c: case 0x2d:
		return c->rep == 0xf3 ? 4 : c->rep ? 8 : 0;
	case 0x2e: case 0x2f:
		return c->opsize ? 8 : 4;
	case 0x5a:
		return c->rep ? four_ways(c) : c->opsize ? whole : c->wide ? 0 : 8;
	case 0x6e:
		return general;
	case 0x7e:
		return c->rep == 0xf3 ? 8 : general;
	case 0xc4:
		return 2;
	case 0xd6:
		return c->opsize ? 8 : 0;
	default:
		return 0;
	}
}

/* Of the second map's vector instructions; the others are not certain. */
static unsigned vector_bytes(const struct cursor *c, uint8_t op)
{
	unsigned whole = c->wide ? 32 : 16;
	bool shift = op >= 0xd1 && op <= 0xf3 && (op & 15) >= 1 && (op & 15) <= 3;

	if (op == 0x10 || op == 0x11 || op == 0x51 || op == 0x58 || op == 0x59 ||
	    (op >= 0x5c && op <= 0x5f) || op == 0xc2)
		return four_ways(c);
	if (op == 0x14 || op == 0x15 || op == 0x28 || op == 0x29 || (op >= 0x54 && op <= 0x57) ||
	    op == 0x5b || op == 0xc6)
		return whole;
	if (op == 0x6f || op == 0x7f)
		return c->opsize || c->rep ? whole : 8;
	if ((op >= 0x60 && op <= 0x6d) || (op >= 0x74 && op <= 0x76))
		return c->opsize ? whole : 0;
	if (op >= 0xd1 && op != 0xd6 && op != 0xd7 && op != 0xe6 && op != 0xe7)
		return !c->opsize ? 0 : shift ? 16 : whole;
	return odd_vector_bytes(c, op, whole);
}

static unsigned access_bytes(const struct cursor *c, const struct decode *d, enum form form, uint8_t op)
{
	bool vector = form == F_VLOAD || form == F_VSTORE || form == F_VTOR || form == F_MOVD;

	if (!(d->flags & (DECODE_LOAD | DECODE_STORE | DECODE_AHEAD)) || c->segment || c->narrow || c->map > 1)
		return 0;
	if (d->flags & (DECODE_OTHER | DECODE_LOCKED | DECODE_STREAM))
		return 0;
	if (form == F_PREFETCH)
		return 1;
	return vector ? vector_bytes(c, op) : general_bytes(c, op);
}

/* Instructions without memory operand that leave general registers alone. */
static bool is_inert(const struct cursor *c, uint8_t op)
{
	if (c->map == 1)
		return op == 0x0d || (op >= 0x18 && op <= 0x1f) || op == 0x77 || (op & 0xf0) == 0x80;
	return c->map == 0 && ((op & 0xf0) == 0x70 || op == 0x3c || op == 0x3d || op == 0x90 ||
			       op == 0xa8 || op == 0xa9 || op == 0xe9 || op == 0xeb || op == 0xf5 ||
			       (op >= 0xf8 && op <= 0xfd));
}

/* Bit tests and double shifts: their register operand is the one of rm. */
static bool is_bits(const struct cursor *c, uint8_t op)
{
	return c->map == 1 && (op == 0xa3 || op == 0xa4 || op == 0xa5 || op == 0xab || op == 0xac ||
			       op == 0xad || op == 0xb3 || op == 0xba || op == 0xbb);
}

/* Registers that the instruction may write. */
static uint16_t written(const struct cursor *c, const struct decode *d, enum form form, uint8_t op)
{
	uint16_t to = d->to;

	if (form == F_NONE && c->map == 0 && op == 0x99)
		return 1 << RDX;
	if (form == F_NONE)
		return is_inert(c, op) ? 0 : ALL;
	if (is_bits(c, op) && !form_in_memory(c))
		return (uint16_t)(1U << form_rm(c));
	if (c->map == 3)	/* extractions and string compares write registers */
		return (op >= 0x14 && op <= 0x17) || op >= 0x60 ? ALL : 0;
	if (d->flags & DECODE_OTHER || form == F_OTHER || form == F_STRING || form == F_XSTATE)
		return ALL;
	if (c->map > 1 && !(form == F_VLOAD))
		return ALL;
	if (c->map == 1 && (op == 0xb0 || op == 0xb1))
		to |= 1 << RAX;
	/* Without REX, registers 4 to 7 of a byte are the second bytes of 0 to 3. */
	if (is_byte(c, op) && !c->rex)
		to |= to >> 4 & 15;
	return to;
}

/* Push, pop, call, return, leave: the stack pointer moves and is the address. */
static void use_stack(struct cursor *c, struct operand *o, enum form form, uint8_t op)
{
	bool down = form == F_PUSH || form == F_CALL;
	int64_t more = 0;

	o->lost |= 1 << RSP;
	if (c->opsize || c->segment)
		return;
	if (form == F_RET && op == 0xc2)
		more = read_number(c, 2) & 0xffff;
	o->bytes = 8;
	o->at = beside(form == F_LEAVE ? RBP : RSP, down ? -8 : 0);
	if (form == F_POP && ((op & 7U) | (c->rex & 1U) << 3) == RSP)
		return;
	o->set = RSP;
	o->value = beside(form == F_LEAVE ? RBP : RSP, down ? -8 : 8 + more);
}

/* Immediate of an arithmetic instruction of group 1. */
static int64_t group_immediate(struct cursor *c, uint8_t op)
{
	return read_number(c, op == 0x83 ? 1 : 4);
}

/* 64-bit arithmetic between registers. */
static void use_long(struct cursor *c, struct operand *o, uint8_t op)
{
	unsigned reg = form_reg(c), rm = form_rm(c), n = c->modrm >> 3 & 7;

	if (op == 0x89 || op == 0x01) {
		o->set = (uint8_t)rm;
		o->value = beside(op == 0x89 ? reg : rm, 0);
		if (op == 0x01)
			o->value.index = (uint8_t)reg;
	} else if (op == 0x8b || op == 0x03) {
		o->set = (uint8_t)reg;
		o->value = beside(op == 0x8b ? rm : reg, 0);
		if (op == 0x03)
			o->value.index = (uint8_t)rm;
	} else if ((op == 0x83 || op == 0x81) && (n == 0 || n == 5)) {
		int64_t by = group_immediate(c, op);

		o->set = (uint8_t)rm;
		o->value = beside(rm, n ? -by : by);
	} else if (op == 0xff && n < 2) {
		o->set = (uint8_t)rm;
		o->value = beside(rm, n ? -1 : 1);
	}
}

/* What registers become, where that can be said. */
static void use_value(struct cursor *c, struct operand *o, enum form form, uint8_t op)
{
	unsigned named = (op & 7) | (c->rex & 1U) << 3;

	if (c->map != 0 || c->opsize)
		return;
	if (form == F_MOV_O_IMM && op >= 0xb8) {
		int64_t n = read_number(c, is_long(c) ? 8 : 4);

		o->set = (uint8_t)named;
		o->value = constant(is_long(c) ? n : n & 0xffffffff);
	} else if (op == 0xc7 && !form_in_memory(c)) {
		int64_t n = read_number(c, 4);

		o->set = (uint8_t)form_rm(c);
		o->value = constant(is_long(c) ? n : n & 0xffffffff);
	} else if ((op == 0x31 || op == 0x33 || op == 0x29 || op == 0x2b) && !form_in_memory(c) &&
		   form_reg(c) == form_rm(c)) {
		o->set = (uint8_t)form_rm(c);
		o->value = constant(0);
	} else if (is_long(c) && !form_in_memory(c)) {
		use_long(c, o, op);
	}
}

/* Group 5: calls and pushes of a value in memory are two accesses, so not followed. */
static void use_jump(struct cursor *c, struct operand *o)
{
	unsigned n = c->modrm >> 3 & 7;

	o->lost |= 1 << RSP;
	if (n == 2 && !form_in_memory(c)) {
		use_stack(c, o, F_CALL, 0xff);
	} else if (n == 4 && form_in_memory(c) && !c->segment && !c->narrow) {
		o->at = read_address(c);
		o->bytes = 8;
	}
}

static bool has_modrm(enum form form)
{
	return form != F_NONE && form != F_ACC && form != F_MOV_O_IMM && form != F_BSWAP &&
	       form != F_XCHG_O && form != F_STRING && form != F_RET && form != F_CALL &&
	       form != F_LEAVE && form != F_PUSH && form != F_POP;
}

struct operand operand_decode(const uint8_t *code, size_t size, const struct decode *d)
{
	struct cursor c = { .at = code, .end = code + size };
	struct operand o = { .set = OPERAND_NONE, .at = nothing };

	form_prefixes(&c);

	uint8_t op = form_next(&c);
	enum form form = form_of(&c, op);

	if (has_modrm(form))
		c.modrm = form_next(&c);
	o.lost = written(&c, d, form, op);
	if (form == F_PUSH || form == F_POP || form == F_RET || form == F_CALL || form == F_LEAVE) {
		use_stack(&c, &o, form, op);
		return o;
	}
	if (form == F_GROUP45 && op == 0xff && (c.modrm >> 3 & 7) >= 2) {
		use_jump(&c, &o);
		return o;
	}
	if (has_modrm(form) && form_in_memory(&c)) {
		o.bytes = (uint8_t)access_bytes(&c, d, form, op);
		o.at = read_address(&c);
		if (form == F_LEA && is_long(&c) && !c.narrow && !c.opsize) {
			o.set = (uint8_t)form_reg(&c);
			o.value = o.at;
		}
	}
	use_value(&c, &o, form, op);
	return o;
}
