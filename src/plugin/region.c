/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mark is a short jump over "bxs-region", + or -, the region's name and a zero, all of which it passes.  A jump ends its block,
 * and a block is counted before its last instruction comes; so what the mark's call tells is exactly what was before it, the jump
 * included.
 */
#include "region.h"

#include <string.h>

#include "life.h"
#include "plugin.h"
#include "qemu_plugin.h"

#define SHORT_JUMP 0xeb

static const char sign[] = "bxs-region";
static char begins;		/* its address says that the mark begins the region */

static void tell(unsigned vcpu, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];

	if (c)
		plugin_core_region(c, data != NULL);
}

void plugin_region_find(struct qemu_plugin_insn *insn)
{
	const char *name = plugin_life.segment ? plugin_life.segment->region : "";
	size_t len = strnlen(name, RING_REGION), jumps = sizeof sign - 1 + 1 + len + 1;
	const uint8_t *code = qemu_plugin_insn_data(insn);
	char behind[sizeof sign + RING_REGION + 2];

	if (!len || len == RING_REGION || qemu_plugin_insn_size(insn) != 2 || code[0] != SHORT_JUMP || code[1] != jumps ||
	    !plugin_peek(qemu_plugin_insn_vaddr(insn) + 2, behind, jumps))
		return;
	if (memcmp(behind, sign, sizeof sign - 1) != 0 || memcmp(behind + sizeof sign, name, len + 1) != 0)
		return;
	if (behind[sizeof sign - 1] == '+' || behind[sizeof sign - 1] == '-')
		qemu_plugin_register_vcpu_insn_exec_cb(insn, tell, QEMU_PLUGIN_CB_NO_REGS,
						       behind[sizeof sign - 1] == '+' ? &begins : NULL);
}
