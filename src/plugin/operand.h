/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one x86-64 instruction does as far as addresses are concerned: where its memory
 * operand lies and how long it is, and how general registers change, so that the addresses of
 * a whole block can be told from the registers at its start (follow.c).
 *
 * Unlike struct decode, counts depend on this: what is not certain is said to be lost.
 */
#ifndef BXS_PLUGIN_OPERAND_H
#define BXS_PLUGIN_OPERAND_H

#include <stddef.h>
#include <stdint.h>

#include "decode.h"

enum {
	OPERAND_NONE = 16,	/* no register: 0 */
	OPERAND_NEXT = 17,	/* address of the next instruction */
};

/* base + (index << shift) + disp; registers as encoded, before the instruction. */
struct operand_value {
	uint8_t base, index, shift;
	int64_t disp;
};

struct operand {
	struct operand_value at;	/* the memory operand, when bytes is not 0 */
	uint8_t bytes;			/* of the access; 0: none, or not certain */
	uint8_t set;			/* this register takes `value`; OPERAND_NONE: no such */
	struct operand_value value;
	uint16_t lost;			/* registers that take values not followed, a bit each */
};

/* code: `size` bytes of one whole instruction, of which decode_instruction() has said d. */
struct operand operand_decode(const uint8_t *code, size_t size, const struct decode *d);

#endif
