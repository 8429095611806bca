/* SPDX-License-Identifier: BSD-2-Clause */
/* The emulator's side of a call at the start of a block, or of one for an access: the guest's registers are at rbp. */
#ifndef TEST_EMULATE_H
#define TEST_EMULATE_H

#include <stdint.h>

#include "plugin/qemu_plugin.h"

void emulate_call(unsigned vcpu, void *data, const void *reg, qemu_plugin_exec_fn fn);
void emulate_access(unsigned vcpu, uint32_t info, uint64_t addr, void *data, const void *reg, qemu_plugin_mem_fn fn);

#ifdef __x86_64__
#define UNUSED __attribute__((unused))

__attribute__((naked)) void emulate_call(UNUSED unsigned vcpu, UNUSED void *data,
					 UNUSED const void *reg, UNUSED qemu_plugin_exec_fn fn)
{
	__asm__("push %rbp\n\tmov %rdx, %rbp\n\tcall *%rcx\n\tpop %rbp\n\tret");
}

__attribute__((naked)) void emulate_access(UNUSED unsigned vcpu, UNUSED uint32_t info, UNUSED uint64_t addr,
					   UNUSED void *data, UNUSED const void *reg, UNUSED qemu_plugin_mem_fn fn)
{
	__asm__("push %rbp\n\tmov %r8, %rbp\n\tcall *%r9\n\tpop %rbp\n\tret");
}
#else
void emulate_call(unsigned vcpu, void *data, const void *reg, qemu_plugin_exec_fn fn)
{
	(void)reg;
	fn(vcpu, data);
}

void emulate_access(unsigned vcpu, uint32_t info, uint64_t addr, void *data, const void *reg, qemu_plugin_mem_fn fn)
{
	(void)reg;
	fn(vcpu, info, addr, data);
}
#endif

#endif
