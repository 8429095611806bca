/* SPDX-License-Identifier: BSD-2-Clause */
/* What the calls of blocks (block.c) and of single accesses (access.c) share: counting a block, lines. */
#ifndef BXS_PLUGIN_START_H
#define BXS_PLUGIN_START_H

#include "plugin.h"

/* Stands for cores that are not known: none of its instructions are left. */
extern struct plugin_core plugin_nobody;

/* Count the block and fetch its code: everything but the plain case. */
void plugin_start_slow(struct plugin_core *c, const struct plugin_block *b);

static inline void plugin_start(struct plugin_core *c, const struct plugin_block *b)
{
	c->latest = NULL;
	if (__builtin_expect(b->plain && xcore_can_fetch(&c->x, b->code) &&
			     xcore_can_fetch(&c->x, b->code2) &&
			     c->x.left + c->x.held > b->instructions, 1))
		c->x.left -= b->instructions;
	else
		plugin_start_slow(c, b);
}

static inline uint64_t plugin_next_line(uint64_t addr)
{
	return (addr | 63) + 1;
}

#endif
