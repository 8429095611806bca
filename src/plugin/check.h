/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In a checked build every known access is compared with what the emulator really does: a
 * wrong address or size ends the program.
 */
#ifndef BXS_PLUGIN_CHECK_H
#define BXS_PLUGIN_CHECK_H

#include "plugin.h"

struct qemu_plugin_tb;
struct qemu_plugin_insn;

#ifdef BXS_CHECKED
/* At the border of a turn: the core has the newest data of as many lines as it has told, or the program ends. */
void plugin_check_owed(const struct plugin_core *c);
/* Hang the comparison on the start of block b, before its own call. */
void plugin_check_block(struct qemu_plugin_tb *tb, const struct plugin_block *b);
void plugin_check_note(unsigned vcpu, void *data, const uint64_t *reg);
/* ... and on the known access at s. */
void plugin_check_site(struct qemu_plugin_insn *insn, const struct plugin_site *s);
#else
static inline void plugin_check_owed(const struct plugin_core *c)
{
	(void)c;
}

static inline void plugin_check_block(struct qemu_plugin_tb *tb, const struct plugin_block *b)
{
	(void)tb, (void)b;
}

static inline void plugin_check_site(struct qemu_plugin_insn *insn, const struct plugin_site *s)
{
	(void)insn, (void)s;
}
#endif

#endif
