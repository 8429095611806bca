/* SPDX-License-Identifier: BSD-2-Clause */
#include "registers.h"

#include "plugin.h"
#include "qemu_plugin.h"

/* A function of assembler alone cannot say that it ignores them. */
#define UNUSED __attribute__((unused))

bool plugin_registers_found;

#ifdef __x86_64__
void plugin_registers_compare(unsigned vcpu, void *data, const struct plugin_registers *reg);
void plugin_registers_try_call(unsigned vcpu, void *data);

void plugin_registers_compare(unsigned vcpu, void *data, const struct plugin_registers *reg)
{
	(void)vcpu;
	plugin_registers_found = reg->pointer == (uint64_t)(uintptr_t)data;
}

/* Hand rbp on as the third argument, before anything can change it. */
__attribute__((naked)) void plugin_registers_try_call(UNUSED unsigned vcpu, UNUSED void *data)
{
	__asm__("mov %rbp, %rdx\n\tjmp plugin_registers_compare");
}

__attribute__((naked)) void plugin_registers_call(UNUSED unsigned vcpu, UNUSED void *data)
{
	__asm__("mov %rbp, %rdx\n\tjmp plugin_core_known");
}

__attribute__((naked)) void plugin_registers_fill(UNUSED unsigned vcpu, UNUSED uint32_t info, UNUSED uint64_t addr,
						   UNUSED void *data)
{
	__asm__("mov %rbp, %r8\n\tjmp plugin_core_fill");
}

#ifdef BXS_CHECKED
__attribute__((naked)) void plugin_registers_check(UNUSED unsigned vcpu, UNUSED void *data)
{
	__asm__("mov %rbp, %rdx\n\tjmp plugin_check_note");
}
#endif

void plugin_registers_try(struct qemu_plugin_tb *tb)
{
	static bool tried;
	uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));

	if (tried)
		return;
	tried = true;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, plugin_registers_try_call, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)start);
}
#else
/* Other hosts keep them elsewhere: every access has a call of its own there. */
void plugin_registers_try(struct qemu_plugin_tb *tb)
{
	(void)tb;
}

void plugin_registers_call(unsigned vcpu, void *data)
{
	plugin_core_block(vcpu, data);
}

void plugin_registers_fill(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	plugin_core_other(vcpu, info, addr, data);
}
#endif
