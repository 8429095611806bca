/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of code that stubs of blocks and of accesses share: finding the core, counting. */
#ifndef BXS_PLUGIN_STUB_PARTS_H
#define BXS_PLUGIN_STUB_PARTS_H

#include <stddef.h>

#include "plugin.h"
#include "emit.h"

#define PUT_INTO(e, bytes) put(e, bytes, sizeof(bytes) - 1)

/* s: something with the code in it. */
#define PUT(s, bytes) PUT_INTO(&(s)->code, bytes)

#define CORE(member) ((uint32_t)offsetof(struct plugin_core, member))

static inline void jump_to(struct emit *e, uint64_t where)
{
	PUT_INTO(e, "\x48\xb8");			/* mov rax, where */
	put64(e, where);
	PUT_INTO(e, "\xff\xe0");			/* jmp rax */
}

static inline uint32_t plugin_here_offset(void)
{
	char *base;

	__asm__("mov %%fs:0, %0" : "=r"(base));
	return (uint32_t)((char *)&plugin_here - base);
}

/* r8 = plugin_here */
static inline void put_here(struct emit *e)
{
	PUT_INTO(e, "\x64\x4c\x8b\x04\x25");		/* mov r8, fs:plugin_here */
	put32(e, plugin_here_offset());
}

/* Count the block; jump if none of its core's instructions are left. */
static inline void put_start(struct emit *e, const struct plugin_block *b, uint8_t **not_left)
{
	put_here(e);
	PUT_INTO(e, "\x41\x81\xa8");			/* sub dword [r8 + left], instructions */
	put32(e, CORE(x.left));
	put32(e, b->instructions);
	jump(e, JLE, not_left);
}

/* It will be counted elsewhere. */
static inline void put_not_counted(struct emit *e, const struct plugin_block *b)
{
	PUT_INTO(e, "\x41\x81\x80");			/* add dword [r8 + left], instructions */
	put32(e, CORE(x.left));
	put32(e, b->instructions);
}

#endif
