/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at the lines used last, as instructions: with registers that are borrowed, and the core at gs. */
#ifndef BXS_NATIVE_INLINE_LOOK_H
#define BXS_NATIVE_INLINE_LOOK_H

#include <string.h>

#include "native/inline_private.h"

#define CORE(member) (NATIVE_ENV(core) + (int32_t)offsetof(struct plugin_core, member))

static inline void put_rex(struct emit *e, bool wide, unsigned reg, unsigned index, unsigned base)
{
	put8(e, 0x40 | (wide ? 8 : 0) | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
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
	unsigned shift = scale ? (unsigned)__builtin_ctz(scale) : 0;

	put_rex(e, true, reg, index == NATIVE_NO_REGISTER ? 0 : index, base == NATIVE_NO_REGISTER ? 0 : base);
	put8(e, 0x8d);
	put8(e, (base == NATIVE_NO_REGISTER ? 0x04 : 0x84) | (reg & 7) << 3);
	put8(e, shift << 6 | (index == NATIVE_NO_REGISTER ? 4 : index & 7) << 3 | (base == NATIVE_NO_REGISTER ? 5 : base & 7));
	put32(e, (uint32_t)disp);
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

static inline void put_limit(struct emit *e, unsigned reg, unsigned room, uint8_t **no)
{
	put_rex(e, true, 0, 0, reg);
	put8(e, 0x83);
	put8(e, 0xf8 | (reg & 7));			/* cmp reg, room */
	put8(e, room);
	jump(e, JA, no);
}

/* c->borrowed[0] -= recent line `i` of the set in [1], which goes into [2] if there is one; jump unless there is room. */
static inline void put_compare(struct inline_code *c, unsigned i, bool written, unsigned room, uint8_t **no)
{
	struct emit *e = c->code;
	int32_t at = (written ? CORE(x.recent[0].written) : CORE(x.recent[0].line)) + 8 * (int32_t)i;
	unsigned a = c->borrowed[0], set = c->borrowed[1], line = c->borrowed[2];

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
	unsigned set = c->borrowed[1];

	put8(e, 0x65);
	put_rex(e, false, 0, 0, set);
	put8(e, 0xc6);
	put8(e, 0x80 | (set & 7));			/* mov byte gs:[set + newer], */
	put32(e, (uint32_t)CORE(x.recent[0].newer));
	put8(e, newer);
}

static inline void put_count(struct emit *e, unsigned instructions, uint8_t **none)
{
	PUT(e, "\x65\x81\x2c\x25");			/* sub dword gs:[left], instructions */
	put32(e, (uint32_t)CORE(x.left));
	put32(e, instructions);
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
	memcpy(o.borrowed, c->borrowed, sizeof o.borrowed);
	c->out[c->outs] = o;
	return &c->out[c->outs++];
}

static inline void put_line(struct inline_code *c, uint64_t line, struct inline_out o)
{
	struct inline_out *out = way_out(c, o);
	struct emit *e = c->code;
	int32_t at = CORE(x.last_fetch) + 8 * (int32_t)(line % XCORE_SETS);

	out->line = line;
	if (line <= INT32_MAX) {
		PUT(e, "\x65\x48\x81\x3c\x25");		/* cmp qword gs:[last_fetch], line */
		put32(e, (uint32_t)at);
		put32(e, (uint32_t)line);
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

static inline void borrow(struct inline_code *c, uint32_t used, unsigned n)
{
	static const uint8_t order[] = { NATIVE_RDX, NATIVE_RCX, NATIVE_RSI, NATIVE_RDI, NATIVE_RAX, 8, 9, 10, 11, NATIVE_RBX,
					 NATIVE_RBP, 13, 14, 15 };
	unsigned found = 0;

	memset(c->borrowed, NATIVE_NO_REGISTER, sizeof c->borrowed);
	for (unsigned i = 0; i < sizeof order && found < n; i++) {
		if (!(used >> order[i] & 1))
			c->borrowed[found++] = order[i];
	}
	if (found < n)
		native_die("a block of code leaves no register free");
}

static inline void put_borrow(struct inline_code *c)
{
	struct emit *e = c->code;

	for (unsigned n = 0; n < sizeof c->borrowed; n++) {
		if (c->borrowed[n] != NATIVE_NO_REGISTER)
			put_spill(e, c->borrowed[n]);
	}
	if (!c->live)
		return;
	put_spill(e, NATIVE_RAX);
	put_save_flags(e);
	put_fill(e, NATIVE_RAX);
}

static inline void put_give_back(struct emit *e, const uint8_t *borrowed)
{
	for (unsigned n = 0; n < 3; n++) {
		if (borrowed[n] != NATIVE_NO_REGISTER)
			put_fill(e, borrowed[n]);
	}
}

static inline void put_return_all(struct inline_code *c)
{
	struct emit *e = c->code;

	if (c->live) {
		put_load_flags(e);
		put_fill(e, NATIVE_RAX);
	}
	put_give_back(e, c->borrowed);
}

#endif
