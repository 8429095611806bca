/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at the lines used last, as instructions: with registers that are borrowed, and the core at gs. */
#ifndef BXS_NATIVE_INLINE_LOOK_H
#define BXS_NATIVE_INLINE_LOOK_H

#include <string.h>

#include "emulator/inline_private.h"

#define CORE(member) (NATIVE_ENV(core) + (int32_t)offsetof(struct plugin_core, member))

static inline void put_rex(struct emit *e, bool wide, unsigned reg, unsigned index, unsigned base)
{
	unsigned bits = (wide ? 8 : 0) | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;

	if (bits)
		put8(e, 0x40 | bits);
}

/* op reg, gs:[index + at] */
static inline void put_indexed(struct emit *e, unsigned opcode, unsigned reg, unsigned index, int32_t at)
{
	put8(e, 0x65);
	put_rex(e, true, reg, 0, index);
	put8(e, opcode);
	put8(e, 0x80 | (reg & 7) << 3 | (index & 7));
	put32(e, (uint32_t)at);
}

static inline bool is_near(uint64_t n)
{
	return (int64_t)n == (int32_t)n;
}

/* lea reg, [base + index * scale + disp]; NATIVE_NO_REGISTER: none */
static inline void put_lea(struct emit *e, unsigned reg, unsigned base, unsigned index, unsigned scale, int32_t disp)
{
	bool based = base != NATIVE_NO_REGISTER, indexed = index != NATIVE_NO_REGISTER;
	unsigned shift = scale ? (unsigned)__builtin_ctz(scale) : 0;
	unsigned wide = !based || disp != (int8_t)disp ? 4 : 1;		/* bytes of disp */
	unsigned mode = !based ? 0 : wide == 4 ? 0x80 : 0x40;

	put_rex(e, true, reg, indexed ? index : 0, based ? base : 0);
	put8(e, 0x8d);
	if (based && !indexed && (base & 7) != NATIVE_RSP) {
		put8(e, mode | (reg & 7) << 3 | (base & 7));
	} else {
		put8(e, mode | 4 | (reg & 7) << 3);
		put8(e, shift << 6 | (indexed ? index & 7 : 4) << 3 | (based ? base & 7 : 5));
	}
	put(e, (const char *)&disp, wide);
}

/* reg = where the access lies, at another displacement */
static inline void put_known(struct emit *e, unsigned reg, const struct plugin_known *k, uint64_t disp)
{
	unsigned base = k->keep ? k->base : NATIVE_NO_REGISTER, index = k->scale ? k->index : NATIVE_NO_REGISTER;

	if (base == NATIVE_NO_REGISTER && index == NATIVE_NO_REGISTER) {
		put_constant(e, reg, disp);
	} else if (is_near(disp)) {
		put_lea(e, reg, base, index, k->scale, (int32_t)disp);
	} else {
		put_constant(e, reg, disp);
		if (base != NATIVE_NO_REGISTER)
			put_lea(e, reg, base, reg, 1, 0);
		if (index != NATIVE_NO_REGISTER)
			put_lea(e, reg, reg, index, k->scale, 0);
	}
}

/* to = the place of the set of `from` among the recent lines */
static inline void put_set(struct emit *e, unsigned to, unsigned from)
{
	put_rex(e, false, from, 0, to);
	put8(e, 0x89);
	put8(e, 0xc0 | (from & 7) << 3 | (to & 7));	/* mov */
	put_rex(e, false, 0, 0, to);
	put8(e, 0x81);
	put8(e, 0xe0 | (to & 7));			/* and to, set */
	put32(e, (XCORE_SETS - 1) << 6);
}

/* reg = where in its line */
static inline void put_within(struct emit *e, unsigned reg)
{
	put_rex(e, false, 0, 0, reg);
	put8(e, 0x83);
	put8(e, 0xe0 | (reg & 7));			/* and reg, 63 */
	put8(e, 63);
}

static inline void put_limit(struct emit *e, unsigned reg, unsigned room, uint8_t **no)
{
	put_apart(e, 10);				/* both: they are one to the processor */
	put_rex(e, true, 0, 0, reg);
	put8(e, 0x83);
	put8(e, 0xf8 | (reg & 7));			/* cmp reg, room */
	put8(e, room);
	jump(e, JA, no);
}

/* c->borrowed.reg[0] -= recent line `i` of the set in [1], which goes into [2] if there is one; jump unless there is room. */
static inline void put_compare(struct inline_code *c, unsigned i, bool written, unsigned room, uint8_t **no)
{
	struct emit *e = c->code;
	int32_t at = (written ? CORE(x.recent[0].written) : CORE(x.recent[0].line)) + 8 * (int32_t)i;
	unsigned a = c->borrowed.reg[0], set = c->borrowed.reg[1], line = c->borrowed.reg[2];

	if (line != NATIVE_NO_REGISTER) {
		put_indexed(e, 0x8b, line, set, at);	/* mov line, gs:[set + at] */
		put_rex(e, true, line, 0, a);
		put8(e, 0x29);
		put8(e, 0xc0 | (line & 7) << 3 | (a & 7));	/* sub a, line */
	} else {
		put_indexed(e, 0x2b, a, set, at);	/* sub a, gs:[set + at] */
	}
	put_limit(e, a, room, no);
}

static inline void put_newer(struct inline_code *c, unsigned newer)
{
	struct emit *e = c->code;
	unsigned set = c->borrowed.reg[1];

	put8(e, 0x65);
	put_rex(e, false, 0, 0, set);
	put8(e, 0xc6);
	put8(e, 0x80 | (set & 7));			/* mov byte gs:[set + newer], */
	put32(e, (uint32_t)CORE(x.recent[0].newer));
	put8(e, newer);
}

static inline void put_count(struct emit *e, unsigned instructions, uint8_t **none)
{
	bool few = instructions <= INT8_MAX;

	put8(e, 0x65);
	put8(e, few ? 0x83 : 0x81);
	PUT(e, "\x2c\x25");				/* sub dword gs:[left], instructions */
	put32(e, (uint32_t)CORE(x.left));
	put(e, (const char *)&instructions, few ? 1 : 4);
	jump(e, JLE, none);
}

static inline void put_latest(struct emit *e, const struct plugin_block *b)
{
	put_note(e, CORE(latest), (int32_t)(intptr_t)b);
}

static inline struct inline_out *way_out(struct inline_code *c, struct inline_out o)
{
	if (c->outs == INLINE_OUTS)
		native_die("a block of code has too many accesses");
	o.borrowed = c->borrowed;
	c->out[c->outs] = o;
	return &c->out[c->outs++];
}

/* cmp qword gs:[at], line */
static inline void put_same_line(struct emit *e, int32_t at, uint64_t line)
{
	PUT(e, "\x65\x48\x81\x3c\x25");
	put32(e, (uint32_t)at);
	put32(e, (uint32_t)line);
}

static inline void put_line(struct inline_code *c, uint64_t line, struct inline_out o)
{
	struct inline_out *out = way_out(c, o);
	struct emit *e = c->code;
	int32_t at = CORE(x.last_fetch) + 8 * (int32_t)(line % XCORE_SETS);

	out->line = line;
	if (line <= INT32_MAX) {
		put_same_line(e, at, line);
	} else {
		put_save(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
		put_constant(e, NATIVE_RAX, line);
		put_env(e, 0x39, NATIVE_RAX, at);	/* cmp gs:[last_fetch], rax */
		put_load(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
	}
	jump(e, JNE, &out->from);
	out->back = e->at;
}

/* Borrowing. */

/* n registers, those first that hold nothing. */
static inline void borrow(struct inline_code *c, uint32_t used, uint32_t dead, unsigned n)
{
	static const uint8_t order[] = { NATIVE_RDX, NATIVE_RCX, NATIVE_RSI, NATIVE_RDI, NATIVE_RAX, 8, 9, 10, 11, NATIVE_RBX,
					 NATIVE_RBP, 13, 14, 15 };
	unsigned found = 0;

	memset(c->borrowed.reg, NATIVE_NO_REGISTER, sizeof c->borrowed.reg);
	c->borrowed.dead = (uint16_t)(dead & ~used);
	for (unsigned i = 0; i < 2 * sizeof order && found < n; i++) {
		unsigned reg = order[i % sizeof order];

		if (!(used >> reg & 1) && (c->borrowed.dead >> reg & 1) == (i < sizeof order))
			c->borrowed.reg[found++] = (uint8_t)reg;
	}
	if (found < n)
		native_die("a block of code leaves no register free");
}

/* Is it to be as it was afterwards? */
static inline bool is_lent(const struct inline_borrowed *b, unsigned reg)
{
	return reg != NATIVE_NO_REGISTER && !(b->dead >> reg & 1);
}

static inline void put_lent(struct emit *e, const struct inline_borrowed *b, unsigned from, void (*put_one)(struct emit *, unsigned))
{
	for (unsigned n = from; n < INLINE_BORROWED; n++) {
		if (is_lent(b, b->reg[n]))
			put_one(e, b->reg[n]);
	}
}

static inline void put_borrow(struct inline_code *c)
{
	struct emit *e = c->code;
	bool rax = is_lent(&c->borrowed, NATIVE_RAX);

	put_lent(e, &c->borrowed, 0, put_spill);
	if (!c->live)
		return;
	if (rax)
		put_spill(e, NATIVE_RAX);
	put_save_flags(e);
	if (rax)
		put_fill(e, NATIVE_RAX);
}

static inline void put_give_back(struct emit *e, const struct inline_borrowed *b)
{
	put_lent(e, b, 0, put_fill);
}

static inline void put_return_all(struct inline_code *c)
{
	struct emit *e = c->code;

	if (c->live) {
		put_load_flags(e);
		if (is_lent(&c->borrowed, NATIVE_RAX))
			put_fill(e, NATIVE_RAX);
	}
	put_give_back(e, &c->borrowed);
}

#endif
