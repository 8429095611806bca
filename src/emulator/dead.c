/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers whose value nobody reads any more: a block writes them before it reads them.  Told apart are the lowest
 * eight bits of a register and the rest, as compilers set a byte and then widen it.
 */
#include "emulator/block.h"

enum { ALL = 0xffff };

/* Bits 0 to 15 stand for the lowest eight bits of registers, 16 to 31 for the rest. */
static uint32_t pieces(ZydisRegister r, bool written)
{
	unsigned n = native_register(r);
	uint32_t low = 1U << n, rest = low << 16;

	if (n == NATIVE_NO_REGISTER)
		return 0;
	switch (ZydisRegisterGetClass(r)) {
	case ZYDIS_REGCLASS_GPR8:
		if (r >= ZYDIS_REGISTER_AH && r <= ZYDIS_REGISTER_BH)
			return written ? 0 : rest;
		return low;
	case ZYDIS_REGCLASS_GPR16:
		return written ? low : low | rest;
	default:
		return low | rest;
	}
}

/* A register less itself, or the like: nothing, whatever it held. */
static bool clears(const struct qemu_plugin_insn *i)
{
	return (i->d.mnemonic == ZYDIS_MNEMONIC_XOR || i->d.mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       i->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER && i->op[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       i->op[0].reg.value == i->op[1].reg.value && i->d.operand_width >= 32;
}

static uint32_t read_pieces(const struct qemu_plugin_insn *i)
{
	uint32_t read = 0;

	if (clears(i))
		return 0;
	for (unsigned n = 0; n < i->d.operand_count; n++) {
		const ZydisDecodedOperand *o = i->op + n;

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			read |= pieces(o->mem.base, false) | pieces(o->mem.index, false);
		else if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->actions != ZYDIS_OPERAND_ACTION_WRITE)
			read |= pieces(o->reg.value, false);
	}
	return read;
}

static uint32_t written_pieces(const struct qemu_plugin_insn *i)
{
	uint32_t written = 0;

	for (unsigned n = 0; n < i->d.operand_count; n++) {
		const ZydisDecodedOperand *o = i->op + n;

		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && (o->actions & ZYDIS_OPERAND_ACTION_WRITE))
			written |= pieces(o->reg.value, true);
	}
	return written;
}

void native_find_dead(struct qemu_plugin_tb *tb)
{
	uint32_t live = UINT32_MAX;

	for (unsigned n = tb->n; n-- > 0;) {
		struct qemu_plugin_insn *i = tb->insn + n;

		if (native_ends_block(i))
			live = UINT32_MAX;
		else
			live = (live & ~written_pieces(i)) | read_pieces(i);
		i->dead = ~(live | live >> 16) & ALL;
	}
}
