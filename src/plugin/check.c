/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "registers.h"
#include "qemu_plugin.h"

#ifdef BXS_CHECKED

/*
 * The thread's block under way: where its known accesses should be, which have been there, and
 * which somewhere else.  QEMU 7.2 calls for accesses that helpers of another instruction make (xsave)
 * as well, so one right call is enough.
 */
static _Thread_local struct {
	const struct plugin_block *block;
	uint64_t at[PLUGIN_KNOWN_MAX], strange[PLUGIN_KNOWN_MAX];
	uint64_t right, wrong;
} expected;

static void end_block(void)
{
	uint64_t wrong = expected.wrong & ~expected.right;
	unsigned i;

	if (!wrong)
		return;
	i = (unsigned)__builtin_ctzll(wrong);
	fprintf(stderr, "boxscore-plugin: code line %#" PRIx64 ", access %u: at %#" PRIx64
		" instead of %#" PRIx64 "\n", expected.block->code << 6, i, expected.strange[i],
		expected.at[i]);
	abort();
}

void plugin_check_note(unsigned vcpu, void *data, const uint64_t *reg)
{
	const struct plugin_block *b = data;

	(void)vcpu;
	end_block();
	expected.block = b;
	expected.right = expected.wrong = 0;
	for (unsigned i = 0; i < b->n; i++)
		expected.at[i] = plugin_known_at(b->known + i, reg);
}

static void compare_access(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	const struct plugin_site *s = data;
	uint64_t from = expected.at[s->known], bit = UINT64_C(1) << s->known;
	uint64_t end = from + 64 - s->block->known[s->known].room;
	bool store = qemu_plugin_mem_is_store(info);

	(void)vcpu;
	if (expected.block == s->block && addr >= from &&
	    addr + (1U << qemu_plugin_mem_size_shift(info)) <= end &&
	    s->flags & (store ? SITE_STORE : SITE_LOAD | SITE_AHEAD)) {
		expected.right |= bit;
	} else {
		expected.wrong |= bit;
		expected.strange[s->known] = addr;
	}
}

void plugin_check_block(struct qemu_plugin_tb *tb, const struct plugin_block *b)
{
	if (b->n)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, plugin_registers_check,
						     QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)b);
}

void plugin_check_site(struct qemu_plugin_insn *insn, const struct plugin_site *s)
{
	qemu_plugin_register_vcpu_mem_cb(insn, compare_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)s);
}

#else
typedef int plugin_check_is_empty;
#endif
