/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin's calls at a block's start and for single accesses as code in the midst of the program's: what
 * plugin/stub.c makes for QEMU, but with the program's registers where they are, the core at gs, and no call as long as
 * everything is in the lines used last.
 *
 * A few registers are borrowed: their values are in native_env.general meanwhile.  What is not as usual goes to
 * code behind the block, from there through one of the shared routines to C, and back.
 */
#ifndef BXS_NATIVE_INLINE_H
#define BXS_NATIVE_INLINE_H

#include "emulator/block.h"
#include "emulator/emit.h"

struct plugin_block;
struct plugin_site;

enum { INLINE_OUTS = 400, INLINE_BORROWED = 3 };

/* The plugin's calls that are made so: for whom to recognise them by. */
bool native_inline_block(qemu_plugin_exec_fn fn);
bool native_inline_access(qemu_plugin_mem_fn fn);

/* Registers, or NATIVE_NO_REGISTER. */
struct inline_borrowed {
	uint8_t reg[INLINE_BORROWED];
	uint16_t dead;			/* registers that need not be given back, and are not used either */
};

/* What is done behind the block. */
struct inline_out {
	uint8_t kind;			/* enum out_kind */
	uint8_t *from, *back;
	const void *data;		/* line, known access, or site */
	uint64_t line;
	struct inline_borrowed borrowed;
	bool neighbour, written;
	uint8_t *end;			/* of all that the block's start does */
};

struct inline_code {
	struct emit *code;
	struct inline_out out[INLINE_OUTS];
	unsigned outs;
	struct inline_borrowed borrowed;
	bool live;			/* flags are to be kept */
};

void native_inline_shared(struct emit *e);
/* What only who comes to a block from elsewhere needs, not who comes from its own end. */
void native_put_comes_first(struct inline_code *c, const struct qemu_plugin_tb *tb);
void native_put_block(struct inline_code *c, const struct plugin_block *b, const struct qemu_plugin_insn *first);
/* False: the access is not one for this. */
bool native_put_access(struct inline_code *c, const struct qemu_plugin_insn *i, const struct native_access *a, unsigned n);
/* translate.c: reg = the address of the access; flags are lost where fs is in it. */
void native_put_address(struct emit *e, unsigned reg, const struct native_access *a, const struct qemu_plugin_insn *i);
void native_put_outs(struct inline_code *c);

#endif
