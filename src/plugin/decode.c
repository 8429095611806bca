/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A decoder of operands, not of meanings: prefixes, opcode map, ModRM and SIB of an x86-64
 * instruction, and a table of where each opcode's operands are (Intel SDM vol. 2, app. A).
 */
#include "decode.h"

#include "form.h"

static uint16_t reg_bit(const struct cursor *c)
{
	return (uint16_t)(1U << form_reg(c));
}

static uint16_t rm_bit(const struct cursor *c)
{
	return (uint16_t)(1U << form_rm(c));
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
	if (form_in_memory(c)) {
		d->flags |= (uint16_t)((reads ? DECODE_LOAD : 0) | (writes ? DECODE_STORE : 0));
		d->parts = 1;
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
	if (c->rep) {
		d->flags = DECODE_OTHER | DECODE_REPEAT;
		if ((op == 0xa4 || op == 0xa5) && !c->narrow)
			d->flags |= DECODE_FILL | DECODE_COPY;
		if ((op == 0xaa || op == 0xab) && !c->narrow)
			d->flags |= DECODE_FILL;
		return;
	}
	d->flags = DECODE_OTHER;
	d->to = op >= 0xac && op <= 0xad ? RAX | RSI : 0;
}

/*
 * How many pieces a vector access has, for the opcodes where that is plain: moves and
 * arithmetic on whole registers or on one element (prefix f2 or f3).
 */
static unsigned vector_parts(const struct cursor *c, uint8_t op)
{
	unsigned whole = c->wide ? 4 : 2;

	if (c->map != 1)
		return 0;
	if ((op >= 0x10 && op <= 0x11) || (op >= 0x58 && op <= 0x5f && op != 0x5a && op != 0x5b) ||
	    op == 0x51)
		return c->rep ? 1 : whole;
	if (op >= 0x28 && op <= 0x29)
		return whole;
	if (op == 0x6f || op == 0x7f)
		return c->opsize || c->rep ? whole : 1;
	if (op >= 0x54 && op <= 0x57)
		return whole;
	return 0;
}

static void use_vector(const struct cursor *c, struct decode *d, enum form form, uint8_t op)
{
	bool load = form == F_VLOAD || form == F_VTOR || (form == F_MOVD && c->rep);

	if (form == F_VTOR)
		d->to = reg_bit(c);
	if (!form_in_memory(c)) {
		if (form == F_MOVD && !c->rep)
			d->to = rm_bit(c);
		return;
	}
	d->address = address_bits(c);
	d->flags = load ? DECODE_LOAD : DECODE_STORE;
	d->parts = (uint8_t)vector_parts(c, op);
	if (form == F_STREAM)
		d->flags |= DECODE_STREAM;
}

static void use_stack(const struct cursor *c, struct decode *d, enum form form, uint8_t op)
{
	uint16_t named = (uint16_t)(1U << ((op & 7) | (c->rex & 1) << 3));

	d->address = form == F_LEAVE ? RBP : RSP;
	d->flags = form == F_PUSH || form == F_CALL ? DECODE_STORE : DECODE_LOAD;
	d->parts = 1;
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
		if (form == F_XCHG && form_in_memory(c))
			d->flags |= DECODE_LOCKED;
		break;
	default:
		break;
	}
}

/* What a program says of a line, without an access.  prefetchw is nothing to processors before Broadwell. */
static void use_hint(const struct cursor *c, struct decode *d, enum form form)
{
	static const uint16_t ahead[8] = { DECODE_AHEAD_L1, DECODE_AHEAD, DECODE_AHEAD_L2, DECODE_AHEAD_L2 };

	d->flags = form == F_PREFETCH ? ahead[c->modrm >> 3 & 7] : DECODE_FLUSH;
	if (d->flags)
		d->address = address_bits(c);
}

/* 0f ae: fences, flushes; the others move states. */
static void use_states(const struct cursor *c, struct decode *d)
{
	unsigned n = c->modrm >> 3 & 7;

	if (!form_in_memory(c)) {
		if (c->modrm >= 0xf0 && !c->rep && !c->opsize)
			d->flags = DECODE_FENCE;		/* mfence, sfence */
	} else if (!c->rep && !c->vex && (n == 7 || (n == 6 && c->opsize))) {
		use_hint(c, d, F_XSTATE);
	} else {
		d->flags = DECODE_OTHER;
	}
}

struct decode decode_instruction(const uint8_t *code, size_t size)
{
	struct cursor c = { .at = code, .end = code + size };
	struct decode d = { 0 };

	form_prefixes(&c);

	uint8_t op = form_next(&c);
	enum form form = form_of(&c, op);

	if (form == F_NONE)
		return d;
	if (form == F_OTHER) {
		/* maskmovq and maskmovdqu stream what they store, byte by byte. */
		d.flags = c.map == 1 && op == 0xf7 ? DECODE_OTHER | DECODE_STREAM : DECODE_OTHER;
		return d;
	}
	/* The other forms without ModRM do not look at it. */
	c.modrm = form_next(&c);
	switch (form) {
	case F_XSTATE:
		use_states(&c, &d);
		break;
	case F_PREFETCH:
		if (form_in_memory(&c))
			use_hint(&c, &d, form);
		break;
	case F_STRING:
		use_string(&c, &d, op);
		break;
	case F_RET: case F_CALL: case F_LEAVE: case F_PUSH: case F_POP:
		use_stack(&c, &d, form, op);
		break;
	case F_GROUP1: case F_GROUP3: case F_GROUP45:
		use_group(&c, &d, form, op);
		break;
	case F_VLOAD: case F_VSTORE: case F_STREAM: case F_VTOR: case F_MOVD:
		use_vector(&c, &d, form, op);
		break;
	case F_ACC: case F_MOV_O_IMM: case F_BSWAP: case F_XCHG_O: case F_LEA:
		use_registers(&c, &d, form, op);
		break;
	default:
		use_modrm(&c, &d, form);
	}
	if (c.locked && (d.flags & DECODE_LOAD))
		d.flags |= DECODE_LOCKED;
	return d;
}
