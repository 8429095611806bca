/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which addresses of a block of code can be told from the registers at its start: those made of
 * registers that have only been moved, added to or set to constants since.
 */
#ifndef BXS_PLUGIN_FOLLOW_H
#define BXS_PLUGIN_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "operand.h"

/* What each register holds, in terms of the registers at the start of the block. */
struct follow {
	struct operand_value reg[16];
	uint16_t known;			/* a bit for each register of which that can be said */
};

/* At the start of a block: each register holds itself. */
void follow_start(struct follow *k);

/* Where the operand of the next instruction lies; next: the address behind that
 * instruction.  False: it cannot be told. */
bool follow_address(const struct follow *k, const struct operand *o, uint64_t next,
		   struct operand_value *out);

/* That instruction is done. */
void follow_step(struct follow *k, const struct operand *o, uint64_t next);

#endif
