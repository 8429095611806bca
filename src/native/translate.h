/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the translation share. */
#ifndef BXS_NATIVE_TRANSLATE_H
#define BXS_NATIVE_TRANSLATE_H

#include "native/block.h"
#include "native/emit.h"

/* An instruction of Zydis's making; pc: on behalf of which one of the program. */
void native_put_encoded(struct emit *e, const ZydisEncoderRequest *r, uint64_t pc);

/* All registers aside, and onto the stack of C code; a call of it; and back.  flags: they are to be kept. */
void native_put_over(struct emit *e, bool flags);
void native_put_call(struct emit *e, uint64_t fn);
void native_put_back(struct emit *e, bool flags);

/* The calls of an instruction that gathers, or loads or stores under a mask.  False: it does not. */
bool native_put_masked(struct emit *e, const struct qemu_plugin_insn *i);

#endif
