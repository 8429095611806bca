/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves (Intel SDM vol. 2: MOV, MOVZX, MOVSX, MOVSXD), decoded and done by hand. */
#include "virtual/preload/move.h"

#include <string.h>

#include "base/bits.h"
#include "plugin/decode.h"
#include "plugin/form.h"

enum { REX_W = 8, AH = 4 };

static uint64_t low(uint64_t value, unsigned bytes)
{
	return value & bits_low(8 * bytes);
}

static uint64_t extend(uint64_t value, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static bool moves(const struct cursor *c, uint8_t op, unsigned operand, struct move *m)
{
	m->width = (uint8_t)operand;
	m->size = (uint8_t)operand;
	if (c->map == 1) {
		m->sign = op >= 0xbe;
		m->size = op & 1 ? 2 : 1;
		return op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf;
	}
	m->store = op != 0x8a && op != 0x8b && op != 0x63;
	m->immediate = op == 0xc6 || op == 0xc7;
	if (op == 0x63) {
		m->sign = true;
		m->size = 4;
	} else if (!(op & 1)) {
		m->size = m->width = 1;
	}
	return c->map == 0 && ((op >= 0x88 && op <= 0x8b) || m->immediate || op == 0x63);
}

bool move_decode(const uint8_t *code, size_t size, struct move *out)
{
	struct cursor c = { .at = code, .end = code + size };
	struct move m = { .length = (uint8_t)decode_length(code, size) };
	uint8_t op;

	if (!m.length)
		return false;
	form_prefixes(&c);
	op = form_next(&c);
	c.modrm = form_next(&c);
	if (c.vex || c.rep || c.locked || !form_in_memory(&c) ||
	    !moves(&c, op, c.rex & REX_W ? 8 : c.opsize ? 2 : 4, &m))
		return false;
	m.reg = (uint8_t)form_reg(&c);
	if (m.immediate) {
		unsigned bytes = m.size < 4 ? m.size : 4;

		if (m.reg & 7)
			return false;
		memcpy(&m.value, code + m.length - bytes, bytes);
		m.value = extend(m.value, bytes);
	} else if (m.width == 1 && !c.rex && m.reg >= AH) {
		m.high = true;
		m.reg -= AH;
	}
	*out = m;
	return true;
}

uint64_t move_load(const struct move *m, uint64_t before, uint64_t loaded)
{
	uint64_t value = m->sign ? extend(loaded, m->size) : low(loaded, m->size);

	if (m->high)
		return (before & ~UINT64_C(0xff00)) | value << 8;
	if (m->width >= 4)
		return low(value, m->width);
	return (before & ~bits_low(8 * m->width)) | low(value, m->width);
}

uint64_t move_store(const struct move *m, uint64_t value)
{
	return low(m->immediate ? m->value : m->high ? value >> 8 : value, m->size);
}
