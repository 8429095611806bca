/* SPDX-License-Identifier: BSD-2-Clause */
/* A move between memory and a general register: all that compilers make of a volatile access to a device's register. */
#ifndef BXS_PRELOAD_MOVE_H
#define BXS_PRELOAD_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct move {
	bool store;
	bool immediate;			/* stores `value`, not a register */
	bool high;			/* ah, ch, dh, bh: register number 0 to 3 */
	bool sign;			/* a load extends the sign */
	uint8_t reg;			/* as encoded, rax = 0 to r15 = 15 */
	uint8_t size;			/* bytes of memory: 1, 2, 4 or 8 */
	uint8_t width;			/* bytes of the register that a load writes; 4 clears the rest */
	uint8_t length;			/* of the instruction */
	uint64_t value;
};

/* false: the instruction is none, or moves nothing to or from memory. */
bool move_decode(const uint8_t *code, size_t size, struct move *out);

/* The register's new value when `loaded` comes from memory, and what a store of it writes. */
uint64_t move_load(const struct move *m, uint64_t before, uint64_t loaded);
uint64_t move_store(const struct move *m, uint64_t value);

#endif
