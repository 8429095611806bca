/* SPDX-License-Identifier: BSD-2-Clause */
/* How long instructions are (asked for where the emulator cuts them off), and how far jumps go. */
#include "decode.h"

#include <string.h>

#include "form.h"

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

/* The end of the instruction at `code`, which may lie behind the bytes that are there. */
static size_t length(const uint8_t *code, size_t size)
{
	struct cursor c = { .at = code, .end = code + size };
	enum tail tail = T_MB;
	uint8_t op;

	form_prefixes(&c);
	if (c.at >= c.end)
		return size + 1;
	op = form_next(&c);
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

bool decode_jump(const uint8_t *code, size_t size, int64_t *by)
{
	int32_t n;

	if (size == 2 && ((code[0] & 0xf0) == 0x70 || code[0] == 0xeb)) {
		*by = (int8_t)code[1];
		return true;
	}
	if (!(size == 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80) && !(size == 5 && code[0] == 0xe9))
		return false;
	memcpy(&n, code + size - 4, sizeof n);
	*by = n;
	return true;
}
