/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing machine code: bytes, numbers, and jumps forward to places that are not known yet. */
#ifndef BXS_PLUGIN_EMIT_H
#define BXS_PLUGIN_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Second byte of a jump on a condition; JMP: the only byte of one on none. */
enum { JE = 0x84, JNE = 0x85, JBE = 0x86, JA = 0x87, JLE = 0x8e, JMP = 0xe9 };

struct emit {
	uint8_t *at;			/* where the next byte goes */
};

static inline void put(struct emit *e, const char *bytes, size_t n)
{
	memcpy(e->at, bytes, n);
	e->at += n;
}

static inline void put8(struct emit *e, unsigned n)
{
	*e->at++ = (uint8_t)n;
}

static inline void put32(struct emit *e, uint32_t n)
{
	memcpy(e->at, &n, sizeof n);
	e->at += sizeof n;
}

static inline void put64(struct emit *e, uint64_t n)
{
	memcpy(e->at, &n, sizeof n);
	e->at += sizeof n;
}

/* n bytes that do nothing, in as few instructions as can be. */
static inline void put_nop(struct emit *e, size_t n)
{
	static const char nop[9][10] = {
		"\x90", "\x66\x90", "\x0f\x1f\x00", "\x0f\x1f\x40\x00", "\x0f\x1f\x44\x00\x00",
		"\x66\x0f\x1f\x44\x00\x00", "\x0f\x1f\x80\x00\x00\x00\x00", "\x0f\x1f\x84\x00\x00\x00\x00\x00",
		"\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
	};

	while (n) {
		size_t some = n < 9 ? n : 9;

		put(e, nop[some - 1], some);
		n -= some;
	}
}

/*
 * Do n bytes, a jump or what the processor joins to one, lie apart from the ends of 32 bytes?  Processors from Skylake
 * to Cascade Lake decode a jump anew each time that ends or goes on behind such an end (Intel, "Mitigations for Jump
 * Conditional Code Erratum").
 */
static inline bool emit_is_apart(const uint8_t *at, size_t n)
{
	return (uintptr_t)at % 32 + n < 32;
}

/* The next n bytes, at most 31, are to be. */
static inline void put_apart(struct emit *e, size_t n)
{
	if (!emit_is_apart(e->at, n))
		put_nop(e, 32 - (uintptr_t)e->at % 32);
}

/* A jump into a chain: until it is known where, its place holds how far back the next of the chain is. */
static inline void jump(struct emit *e, unsigned condition, uint8_t **chain)
{
	uint32_t back;

	put_apart(e, condition == JMP ? 5 : 6);
	if (condition != JMP)
		put8(e, 0x0f);
	put8(e, condition);
	back = *chain ? (uint32_t)(e->at - *chain) : 0;
	*chain = e->at;
	put32(e, back);
}

/* All jumps of the chain lead to `where`. */
static inline void land_at(uint8_t *chain, const uint8_t *where)
{
	while (chain) {
		uint32_t back, by = (uint32_t)(where - (chain + 4));

		memcpy(&back, chain, sizeof back);
		memcpy(chain, &by, sizeof by);
		chain = back ? chain - back : NULL;
	}
}

/* ... here. */
static inline void land(struct emit *e, uint8_t *chain)
{
	land_at(chain, e->at);
}

#endif
