// SPDX-License-Identifier: BSD-2-Clause
/*
 * A decoder of operands, not of meanings: prefixes, opcode map, ModRM and SIB of an x86-64
 * instruction, and a table of where each opcode's operands are (Intel SDM vol. 2, app. A).
 * Lengths are asked for only where the emulator cuts instructions off.
 */
#include "feed/plugin_decode.h"

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
};

static const char one_byte[257] =
	"MMRRaa..MMRRaa.."	/* 00 */
	"MMRRaa..MMRRaa.."	/* 10 */
	"MMRRaa..MMRRaa.."	/* 20 */
	"MMRRaa..cccc...."	/* 30 */
	"................"	/* 40 */
	"PPPPPPPPpppppppp"	/* 50 */
	"...r....PrProooo"	/* 60 */
	"................"	/* 70 */
	"1111ccXXwwrroLoo"	/* 80 */
	"xxxxxxxxa...Po.."	/* 90 */
	"oooossss..ssssss"	/* a0 */
	"kkkkkkkkkkkkkkkk"	/* b0 */
	"IItt..iioloooooo"	/* c0 */
	"IIII...ooooooooo"	/* d0 */
	"........C......."	/* e0 */
	"......33......44";	/* f0 */

static const char map_0f[257] =
	"oo.............o"	/* 00 */
	"vVvVvvvV........"	/* 10 */
	"........vVvSggvv"	/* 20 */
	"................"	/* 30 */
	"RRRRRRRRRRRRRRRR"	/* 40 */
	"gvvvvvvvvvvvvvvv"	/* 50 */
	"vvvvvvvvvvvvvvvv"	/* 60 */
	"v...vvv.vvvvvvDV"	/* 70 */
	"................"	/* 80 */
	"eeeeeeeeeeeeeeee"	/* 90 */
	"oo.ooo..oo.oooAR"	/* a0 */
	"MMoooorrr.oorrrr"	/* b0 */
	"ddvSvgvobbbbbbbb"	/* c0 */
	"vvvvvvVgvvvvvvvv"	/* d0 */
	"vvvvvvvSvvvvvvvv"	/* e0 */
	"vvvvvvvovvvvvvv.";	/* f0 */

struct cursor {
	const uint8_t *at, *end;
	uint8_t rex, modrm;
	bool locked, repeat, opsize, vex, wide;	/* wide: VEX.L, 32-byte vectors */
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
		c->wide = b & 4;
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
	if (c->repeat) {
		d->flags = DECODE_OTHER | DECODE_REPEAT;
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
		return c->repeat ? 1 : whole;
	if (op >= 0x28 && op <= 0x29)
		return whole;
	if (op == 0x6f || op == 0x7f)
		return c->opsize || c->repeat ? whole : 1;
	if (op >= 0x54 && op <= 0x57)
		return whole;
	return 0;
}

static void use_vector(const struct cursor *c, struct decode *d, enum form form, uint8_t op)
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
		return (enum form)one_byte[op];
	case 1:
		return (enum form)map_0f[op];
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
	switch (form) {
	case F_XSTATE:
		d.flags = in_memory(&c) ? DECODE_OTHER : 0;
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

/* The bytes that follow the opcode, by opcode: m ModRM, b a byte, w two bytes, z two or four, and
 * their combinations. */
enum tail {
	T_NONE = '.', T_M = 'm', T_B = 'b', T_Z = 'z', T_MB = 'B', T_MZ = 'Z', T_W = 'w', T_WB = 'W',
	T_V = 'v',		/* as wide as the register */
	T_O = 'o',		/* an address */
	T_TB = 't', T_TZ = 'T',	/* ModRM, and an immediate if its middle is 0 or 1 */
};

static const char one_byte_tail[257] =
	"mmmmbz..mmmmbz.."	/* 00 */
	"mmmmbz..mmmmbz.."	/* 10 */
	"mmmmbz..mmmmbz.."	/* 20 */
	"mmmmbz..mmmmbz.."	/* 30 */
	"................"	/* 40 */
	"................"	/* 50 */
	"..mm....zZbB...."	/* 60 */
	"bbbbbbbbbbbbbbbb"	/* 70 */
	"BZBBmmmmmmmmmmmm"	/* 80 */
	"................"	/* 90 */
	"oooo....bz......"	/* a0 */
	"bbbbbbbbvvvvvvvv"	/* b0 */
	"BBw.WWBZW.w..b.."	/* c0 */
	"mmmm....mmmmmmmm"	/* d0 */
	"bbbbbbbbzz.b...."	/* e0 */
	"......tT......mm";	/* f0 */

static const char map_0f_tail[257] =
	"mmmm.........m.B"	/* 00 */
	"mmmmmmmmmmmmmmmm"	/* 10 */
	"mmmmmmmmmmmmmmmm"	/* 20 */
	"................"	/* 30 */
	"mmmmmmmmmmmmmmmm"	/* 40 */
	"mmmmmmmmmmmmmmmm"	/* 50 */
	"mmmmmmmmmmmmmmmm"	/* 60 */
	"BBBBmmm.mmmmmmmm"	/* 70 */
	"zzzzzzzzzzzzzzzz"	/* 80 */
	"mmmmmmmmmmmmmmmm"	/* 90 */
	"...mBm.....mBmmm"	/* a0 */
	"mmmmmmmmmmBmmmmm"	/* b0 */
	"mmBmBBBm........"	/* c0 */
	"mmmmmmmmmmmmmmmm"	/* d0 */
	"mmmmmmmmmmmmmmmm"	/* e0 */
	"mmmmmmmmmmmmmmmm";	/* f0 */

/* Bytes of ModRM, SIB and displacement; the ModRM byte is next. */
static size_t modrm_length(const struct cursor *c)
{
	size_t left = (size_t)(c->end - c->at);
	unsigned modrm = left > 0 ? c->at[0] : 0, sib = left > 1 ? c->at[1] : 0;
	unsigned mod = modrm >> 6, rm = modrm & 7;
	size_t n = 1;

	if (mod == 3)
		return n;
	n += rm == 4;
	if (mod == 1)
		return n + 1;
	if (mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5))
		n += 4;
	return n;
}

static size_t tail_length(const struct cursor *c, enum tail tail)
{
	size_t z = c->opsize && !(c->rex & 8) ? 2 : 4;
	bool tests = c->end > c->at && (*c->at >> 3 & 7) < 2;

	switch (tail) {
	case T_NONE:
		return 0;
	case T_M:
		return modrm_length(c);
	case T_B:
		return 1;
	case T_Z:
		return z;
	case T_MB:
		return modrm_length(c) + 1;
	case T_MZ:
		return modrm_length(c) + z;
	case T_W:
		return 2;
	case T_WB:
		return 3;
	case T_V:
		return c->rex & 8 ? 8 : z;
	case T_O:
		return 8;
	case T_TB:
		return modrm_length(c) + tests;
	case T_TZ:
		return modrm_length(c) + (tests ? z : 0);
	}
	return 0;
}

/* EVEX: 62, three bytes of which the first names the map and the second the operand size, opcode; leaves
 * what follows the opcode next. */
static uint8_t read_evex(struct cursor *c)
{
	uint8_t map = 0, prefix = 0;

	next(c);
	map = next(c);
	prefix = next(c);
	next(c);
	c->vex = true;
	c->map = map & 7;
	c->opsize = (prefix & 3) == 1;
	return next(c);
}

/* The end of the instruction at `code`, which may lie behind the bytes that are there. */
static size_t length(const uint8_t *code, size_t size)
{
	struct cursor c = { .at = code, .end = code + size };
	enum tail tail = T_MB;
	uint8_t op;

	read_prefixes(&c);
	if (c.at < c.end && *c.at == 0x62) {
		op = read_evex(&c);
	} else {
		read_map(&c);
		if (c.at >= c.end)
			return size + 1;
		op = next(&c);
	}
	if (c.map == 0)
		tail = (enum tail)one_byte_tail[op];
	else if (c.map == 1)
		tail = (enum tail)map_0f_tail[op];
	else if (c.map != 3)
		tail = T_M;
	return (size_t)(c.at - code) + tail_length(&c, tail);
}

bool decode_is_whole(const uint8_t *code, size_t size)
{
	return length(code, size) <= size;
}

size_t decode_length(const uint8_t *code, size_t size)
{
	size_t n = length(code, size);

	return n <= size ? n : 0;
}
