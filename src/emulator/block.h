/* SPDX-License-Identifier: BSD-2-Clause */
/* A block of the program's code on its way into the cache, as the plugin sees it. */
#ifndef BXS_NATIVE_BLOCK_H
#define BXS_NATIVE_BLOCK_H

#include <Zydis/Zydis.h>

#include "emulator/native.h"

struct qemu_plugin_insn {
	ZydisDecodedInstruction d;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	const uint8_t *bytes;
	uint64_t pc;
	qemu_plugin_mem_fn fn;		/* the plugin's, for accesses; NULL: none */
	void *data;
	qemu_plugin_exec_fn exec_fn;	/* before it; NULL: none */
	void *exec_data;
	bool live;			/* flags are read later that are set before */
	uint16_t dead;			/* registers that the block writes before it reads them, from here on */
};

struct qemu_plugin_tb {
	struct qemu_plugin_insn insn[NATIVE_INSNS];
	unsigned n;
	struct {
		qemu_plugin_exec_fn fn;
		void *data;
	} call[NATIVE_BLOCK_CALLS];	/* at its start */
	unsigned calls;
	uint64_t pc, end;
	bool restless;			/* its code changes too often to be watched */
	uint8_t bytes[(NATIVE_INSNS + 1) * ZYDIS_MAX_INSTRUCTION_LENGTH];
};

/* Decode what is at pc, up to where control goes elsewhere or the page ends.  False: it cannot be read. */
bool native_decode(struct qemu_plugin_tb *tb, uint64_t pc);

/* Is it a repeated string instruction? */
bool native_repeats(const struct qemu_plugin_insn *i);

/* Is it one that C code runs in the program's place (rare.c)? */
bool native_is_rare(const struct qemu_plugin_insn *i);

/* Does it read or write in fs or gs without naming an operand there, as string instructions do?  Those cannot be run. */
bool native_hides_segment(const struct qemu_plugin_insn *i);

/* Does the instruction end its block? */
bool native_ends_block(const struct qemu_plugin_insn *i);

/* Does a jump or call name where it leads; and where is that? */
bool native_names_target(const struct qemu_plugin_insn *i);
uint64_t native_target_of(const struct qemu_plugin_insn *i);

/* One of its accesses to memory. */
struct native_access {
	const ZydisDecodedOperandMem *mem;
	int64_t by;			/* to be added, for what is pushed */
	unsigned bytes;
	bool store;
};

/* Loads first.  How many; not more than NATIVE_ACCESSES. */
unsigned native_accesses(const struct qemu_plugin_insn *i, struct native_access *out);

/* The general registers that it names or uses, a bit each. */
uint32_t native_registers(const struct qemu_plugin_insn *i);

/* What the plugin's call for it is told of an access, or of each piece of 8 bytes of a wider one. */
uint32_t native_info(const struct native_access *a);

/* Number of a general register of any width, or NATIVE_NO_REGISTER. */
unsigned native_register(ZydisRegister r);

/* dead.c: registers that are not needed any more, before each instruction. */
void native_find_dead(struct qemu_plugin_tb *tb);

#endif
