/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one x86-64 instruction does with memory and general registers, as far as the feed
 * needs it: which accesses certainly happen, through which registers the address is made,
 * where a value goes.  Registers are bits, rax = bit 0 to r15 = bit 15, as encoded.
 *
 * An instruction it does not know has no flags, or DECODE_OTHER if it may access
 * memory; no count depends on knowing it.
 */
#ifndef BXS_PLUGIN_DECODE_H
#define BXS_PLUGIN_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DECODE_LOAD = 1,	/* loads, always */
	DECODE_STORE = 2,	/* stores, always */
	DECODE_OTHER = 4,	/* may access memory in ways not followed here */
	DECODE_LOCKED = 8,	/* takes ownership of the line with the load */
	DECODE_STREAM = 16,	/* the store is a streaming one */
	DECODE_REPEAT = 32,	/* string instruction with a repeat prefix */
	DECODE_FILL = 64,	/* a repeated one that stores at rdi as often as rcx says, */
	DECODE_COPY = 128,	/* ... namely what it loads at rsi */
	DECODE_FENCE = 256,	/* no access, but streaming stores before it are done */
	DECODE_FLUSH = 512,	/* no access either: a line goes to memory (clflush, clflushopt, clwb); */
	DECODE_AHEAD_L1 = 1024,	/* ... or is to come into L1D, L2 or both, but only if that */
	DECODE_AHEAD_L2 = 2048,	/* ... needs no fault (prefetchnta, prefetcht1 and t2, prefetcht0) */
	DECODE_AHEAD = DECODE_AHEAD_L1 | DECODE_AHEAD_L2,
};

struct decode {
	uint16_t flags;
	uint8_t parts;		/* 8-byte pieces of a load or store; 0: not known */
	uint16_t address;	/* registers that make the address of the access */
	uint16_t from;		/* registers whose values go into `to` */
	uint16_t to;		/* registers written; a loaded value goes there as well */
};

/* code: size bytes of one instruction. */
struct decode decode_instruction(const uint8_t *code, size_t size);

/* Is it a jump, or one on a condition, to an address that it names?  *by: how far behind itself. */
bool decode_jump(const uint8_t *code, size_t size, int64_t *by);

/* Are these bytes a whole instruction, not just the beginning of one? */
bool decode_is_whole(const uint8_t *code, size_t size);

/* How many of `size` bytes the first instruction takes; 0: there is none that ends within them. */
size_t decode_length(const uint8_t *code, size_t size);

#endif
