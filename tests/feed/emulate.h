/* SPDX-License-Identifier: BSD-2-Clause */
/* The emulator's side of a call at the start of a block: the guest's registers are at rbp. */
#ifndef TEST_EMULATE_H
#define TEST_EMULATE_H

#include <stdint.h>

#include "feed/qemu_plugin.h"

void emulate_call(unsigned vcpu, void *data, const uint64_t *reg, qemu_plugin_exec_fn fn);

#ifdef __x86_64__
#define UNUSED __attribute__((unused))

__attribute__((naked)) void emulate_call(UNUSED unsigned vcpu, UNUSED void *data,
					 UNUSED const uint64_t *reg, UNUSED qemu_plugin_exec_fn fn)
{
	__asm__("push %rbp\n\tmov %rdx, %rbp\n\tcall *%rcx\n\tpop %rbp\n\tret");
}
#else
void emulate_call(unsigned vcpu, void *data, const uint64_t *reg, qemu_plugin_exec_fn fn)
{
	(void)reg;
	fn(vcpu, data);
}
#endif

#endif
