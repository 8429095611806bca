/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's general registers at the start of a block.
 *
 * Version 1 of the plugin interface does not show them.  But QEMU's code generator for x86-64
 * hosts keeps the state of the guest's processor at rbp while translated code runs
 * (TCG_AREG0), that state begins with the sixteen registers and the instruction pointer (CPUX86State), and
 * at the start of a block all of them are there and not in host registers.  So a call at the
 * start of a block finds them at rbp.  Whether this emulator does it so is tried on the first
 * block that runs: its address must stand where the instruction pointer should.
 */
#ifndef BXS_PLUGIN_REGISTERS_H
#define BXS_PLUGIN_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct qemu_plugin_tb;

/* The beginning of that state, as far as it is looked at. */
struct plugin_registers {
	uint64_t general[16];
	uint64_t pointer, flags;
	uint64_t conditions[3];		/* the other flags, in pieces */
	uint32_t operation;
	int32_t direction;		/* 1: string instructions go upwards */
};

/* Does a call at the start of a block find the registers? */
extern bool plugin_registers_found;

/* Try it with this block; once, with the first one that is translated. */
void plugin_registers_try(struct qemu_plugin_tb *tb);

/*
 * The call to hang on a repeated string instruction, with the site as data: plugin_core_fill() with the
 * registers.  They are all there, since such an instruction is translated as a jump if rcx is 0, and then one round.
 */
void plugin_registers_fill(unsigned vcpu, uint32_t info, uint64_t addr, void *data);

/* Calls to hang on a block, with the block as data: plugin_core_known() with the registers; in a
 * checked build, plugin_check_note() with them. */
void plugin_registers_call(unsigned vcpu, void *data);
void plugin_registers_check(unsigned vcpu, void *data);

#endif
