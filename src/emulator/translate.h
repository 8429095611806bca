/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the translation share. */
#ifndef BXS_NATIVE_TRANSLATE_H
#define BXS_NATIVE_TRANSLATE_H

#include "emulator/block.h"
#include "emulator/emit.h"
#include "emulator/inline.h"

/* A block under translation. */
struct translation {
	struct emit code;
	struct native_block *b;
	struct qemu_plugin_tb *tb;
	struct inline_code in;
};

/* address.c */

/* An instruction of Zydis's making; pc: on behalf of which one of the program. */
void native_put_encoded(struct emit *e, const ZydisEncoderRequest *r, uint64_t pc);
/* Number n as a register of 64 bits. */
ZydisRegister native_wide(unsigned n);
/* reg = the address of a memory operand of i, `by` added, but for what a segment adds. */
void native_put_operand(struct emit *e, unsigned reg, const ZydisDecodedOperandMem *m, int64_t by,
			const struct qemu_plugin_insn *i);
/* Where the env has the base of the operand's segment; 0: that is always 0. */
int32_t native_base_of(const ZydisDecodedOperandMem *m);

/* calls.c */

/* All registers aside, and onto the stack of C code; a call of it; and back.  flags: they are to be kept. */
void native_put_over(struct emit *e, bool flags);
void native_put_call(struct emit *e, uint64_t fn);
void native_put_back(struct emit *e, bool flags);
/* What the plugin has hung on the block's start; on an instruction, to come before it. */
void native_put_block_calls(struct translation *t);
void native_put_insn_calls(struct translation *t, const struct qemu_plugin_insn *i);

/* masked.c: the calls of an instruction that gathers, or loads or stores under a mask.  False: it does not. */
bool native_put_masked(struct emit *e, const struct qemu_plugin_insn *i);

/* copy.c: an instruction that ends no block. */
void native_put_copy(struct translation *t, const struct qemu_plugin_insn *i, struct native_place *place);

/* control.c */

/* A jump, or one on a condition (JE and so on), that may be linked. */
void native_put_jump(struct translation *t, unsigned condition, uint64_t target);
/* Bytes that do nothing before a comparison that the processor joins to the jump behind it. */
void native_put_room(struct translation *t, const struct qemu_plugin_insn *i);
/* The instruction that ends the block. */
void native_put_end(struct translation *t, const struct qemu_plugin_insn *i, struct native_place *place);
/* Behind the block: where its jumps lead as long as they are not linked. */
void native_put_stubs(struct translation *t);
/* Out of the cache, to go on at the target. */
void native_put_exit(struct translation *t, enum native_exit kind, uint64_t target);
/* Out of the cache by this way. */
void native_put_way_out(struct emit *e, const struct native_link *l);

#endif
