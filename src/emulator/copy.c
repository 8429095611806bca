/* SPDX-License-Identifier: BSD-2-Clause */
/* An instruction of the program as it is, or as near to that as it can be elsewhere. */
#include <string.h>

#include "emulator/translate.h"

static unsigned choose_scratch(const struct qemu_plugin_insn *i)
{
	static const uint8_t order[] = { NATIVE_RBX, NATIVE_RSI, NATIVE_RDI, NATIVE_RCX, NATIVE_RDX, NATIVE_RAX, NATIVE_RBP, 8 };
	uint32_t used = native_registers(i);

	for (unsigned n = 0; n < sizeof order; n++) {
		if (!(used >> order[n] & 1))
			return order[n];
	}
	native_die("the instruction at %#lx leaves no register free", i->pc);
}

/* Number of the visible operand that is memory and needs a register to reach; -1: none does. */
static int far_operand(const struct qemu_plugin_insn *i, const uint8_t *copy)
{
	for (int n = 0; n < i->d.operand_count_visible; n++) {
		const ZydisDecodedOperand *o = i->op + n;
		int64_t by;

		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		by = (int64_t)(i->pc + (uint64_t)o->mem.disp.value - (uintptr_t)copy);
		if (native_base_of(&o->mem) && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
			return n;
		if (o->mem.base == ZYDIS_REGISTER_RIP && by != (int32_t)by)
			return n;
	}
	return -1;
}

static bool is_relative(const struct qemu_plugin_insn *i)
{
	for (int n = 0; n < i->d.operand_count_visible; n++) {
		if (i->op[n].type == ZYDIS_OPERAND_TYPE_MEMORY && i->op[n].mem.base == ZYDIS_REGISTER_RIP)
			return true;
	}
	return false;
}

/* The request's memory operand as one through `scratch`, which it is made to hold what it needs. */
static void go_through(struct translation *t, const struct qemu_plugin_insn *i, ZydisEncoderOperand *o,
		       const ZydisDecodedOperandMem *m, unsigned scratch)
{
	struct emit *e = &t->code;

	if (!native_base_of(m)) {
		native_put_operand(&t->code, scratch, m, 0, i);
		o->mem.base = native_wide(scratch);
		o->mem.index = ZYDIS_REGISTER_NONE;
		o->mem.scale = 0;
		o->mem.displacement = 0;
		return;
	}
	put_load(e, scratch, native_base_of(m));
	if (m->base && m->index) {
		ZydisDecodedOperandMem sum = { .base = m->base, .index = native_wide(scratch), .scale = 1 };

		native_put_operand(&t->code, scratch, &sum, 0, i);
	}
	if (m->base && !m->index) {
		o->mem.index = native_wide(scratch);
		o->mem.scale = 1;
	} else {
		o->mem.base = native_wide(scratch);
	}
}

static void put_far(struct translation *t, const struct qemu_plugin_insn *i, int n, struct native_place *place)
{
	unsigned scratch = choose_scratch(i);
	ZydisEncoderRequest r;

	if (!ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(&i->d, i->op, i->d.operand_count_visible, &r)))
		native_die("the instruction at %#lx cannot be changed", i->pc);
	r.prefixes &= ~(ZydisInstructionAttributes)ZYDIS_ATTRIB_HAS_SEGMENT;
	place->scratch = (uint8_t)scratch;
	put_save(&t->code, scratch, NATIVE_ENV(scratch[0]));
	go_through(t, i, &r.operands[n], &i->op[n].mem, scratch);
	native_put_encoded(&t->code, &r, i->pc);
	put_load(&t->code, scratch, NATIVE_ENV(scratch[0]));
}

static bool moves_states(const struct qemu_plugin_insn *i)
{
	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_XSAVE: case ZYDIS_MNEMONIC_XSAVE64: case ZYDIS_MNEMONIC_XSAVEOPT: case ZYDIS_MNEMONIC_XSAVEOPT64:
	case ZYDIS_MNEMONIC_XSAVEC: case ZYDIS_MNEMONIC_XSAVEC64: case ZYDIS_MNEMONIC_XRSTOR: case ZYDIS_MNEMONIC_XRSTOR64:
		return true;
	default:
		return false;
	}
}

/* This computer may have more states than the program has been told, and left room for. */
static void put_states(struct translation *t, const struct qemu_plugin_insn *i)
{
	struct emit *e = &t->code;

	put_save(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
	put_save(e, NATIVE_RDX, NATIVE_ENV(scratch[1]));
	put_constant(e, NATIVE_RAX, 7);
	put_constant(e, NATIVE_RDX, 0);
	put(e, (const char *)i->bytes, i->d.length);
	put_load(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
	put_load(e, NATIVE_RDX, NATIVE_ENV(scratch[1]));
}

void native_put_copy(struct translation *t, const struct qemu_plugin_insn *i, struct native_place *place)
{
	uint8_t *copy = t->code.at;
	int n = far_operand(i, copy);

	if (moves_states(i)) {
		put_states(t, i);
		return;
	}
	if (n >= 0) {
		put_far(t, i, n, place);
		return;
	}
	put(&t->code, (const char *)i->bytes, i->d.length);
	if (is_relative(i)) {
		uint32_t by;

		memcpy(&by, copy + i->d.raw.disp.offset, sizeof by);
		by += (uint32_t)(i->pc - (uintptr_t)copy);
		memcpy(copy + i->d.raw.disp.offset, &by, sizeof by);
	}
}
