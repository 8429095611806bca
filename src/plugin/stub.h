/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code of our own for the start of a block, and for accesses that have a call of their
 * own: what block.c and access.c do when everything is in the lines used last, without loops
 * and look-ups of constants.  Whatever is not so is left to them.
 */
#ifndef BXS_PLUGIN_STUB_H
#define BXS_PLUGIN_STUB_H

#include "qemu_plugin.h"

struct plugin_block;
struct plugin_site;

/*
 * The call to hang on block b, with b as its data.  The code lives until plugin_stub_flush().
 * NULL: no memory that may be executed, or not an x86-64 host.
 */
qemu_plugin_exec_fn plugin_stub_make(const struct plugin_block *b);

/*
 * The call to hang on the plain load or store s, with s as its data.  leads: it counts its block, which is
 * plain.  NULL as above.
 */
qemu_plugin_mem_fn plugin_stub_access(const struct plugin_site *s, bool leads);

/* All stubs go. */
void plugin_stub_flush(void);

#endif
