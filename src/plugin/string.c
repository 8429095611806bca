/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores of repeated string instructions.  The hardware does these a line at a time where it can (SDM vol. 3,
 * "Out-of-Order Stores for String Operations"): of a line that the instruction will fill it
 * takes ownership alone.  The emulator does them one by one; but as often as rcx says they go on, so when
 * the first of them reaches a line it is known whether the last one will.
 */
#include "plugin.h"
#include "registers.h"
#include "taint.h"
#include "qemu_plugin.h"

#define LINE 64

enum { RCX = 1, RSI = 6, RDI = 7 };

/* Upwards, and not out of the line that is being written or the next ones. */
static bool is_fast(const struct plugin_site *s, const struct plugin_registers *reg)
{
	uint64_t apart = reg->general[RDI] - reg->general[RSI];

	return reg->direction == 1 && (!(s->flags & SITE_COPY) || apart + LINE - 1 > 2 * (LINE - 1));
}

/* Will the stores from this one at addr on, each of 1 << shift bytes, fill the line at `line`? */
static bool fills(const struct plugin_registers *reg, uint64_t addr, unsigned shift, uint64_t line)
{
	uint64_t bytes = line + LINE - addr;

	return addr <= line && reg->general[RDI] == addr &&
	       reg->general[RCX] >= (bytes + (UINT64_C(1) << shift) - 1) >> shift;
}

void plugin_core_fill(unsigned vcpu, uint32_t info, uint64_t addr, void *data, const struct plugin_registers *reg)
{
	struct plugin_core *c = plugin_cores[vcpu];
	const struct plugin_site *s = data;
	unsigned shift = qemu_plugin_mem_size_shift(info);
	uint64_t end = addr + (UINT64_C(1) << shift);

	if (!c || !qemu_plugin_mem_is_store(info)) {
		plugin_core_other(vcpu, info, addr, data);
		return;
	}
	if (c->tainted)
		taint_dependence(c, s);
	for (uint64_t line = addr & -(uint64_t)LINE; line < end; line += LINE) {
		if (xcore_store_again(&c->x, line))
			continue;
		if (is_fast(s, reg) && fills(reg, addr, shift, line))
			xcore_fill_slow(&c->x, line);
		else
			xcore_store_slow(&c->x, line, 0);
	}
}
