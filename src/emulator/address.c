/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of accesses: as instructions would make them. */
#include "emulator/translate.h"

void native_put_encoded(struct emit *e, const ZydisEncoderRequest *r, uint64_t pc)
{
	ZyanUSize n = 15;

	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(r, e->at, &n)))
		native_die("the instruction at %#lx cannot be changed", pc);
	e->at += n;
}

ZydisRegister native_wide(unsigned reg)
{
	return (ZydisRegister)(ZYDIS_REGISTER_RAX + reg);
}

static ZydisRegister widened(ZydisRegister r)
{
	return r ? ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r) : r;
}

/* reg = the address of a memory operand, but for what a segment adds. */
void native_put_operand(struct emit *e, unsigned reg, const ZydisDecodedOperandMem *m, int64_t by,
			const struct qemu_plugin_insn *i)
{
	ZydisEncoderRequest r = { .machine_mode = ZYDIS_MACHINE_MODE_LONG_64, .mnemonic = ZYDIS_MNEMONIC_LEA,
				  .operand_count = 2 };
	int64_t disp = m->disp.has_displacement ? m->disp.value : 0;

	if (m->base == ZYDIS_REGISTER_RIP || (!m->base && !m->index)) {
		put_constant(e, reg, (uint64_t)(disp + by) + (m->base ? i->pc + i->d.length : 0));
		return;
	}
	r.operands[0].type = ZYDIS_OPERAND_TYPE_REGISTER;
	r.operands[0].reg.value = native_wide(reg);
	r.operands[1].type = ZYDIS_OPERAND_TYPE_MEMORY;
	r.operands[1].mem.base = m->base;
	r.operands[1].mem.index = m->index;
	r.operands[1].mem.scale = m->index ? m->scale : 0;
	r.operands[1].mem.displacement = disp + by;
	r.operands[1].mem.size = 8;
	if (i->d.address_width == 32) {
		/* Sums of 32 bits are those of 64, cut off. */
		r.operands[0].reg.value = (ZydisRegister)(ZYDIS_REGISTER_EAX + reg);
		r.operands[1].mem.base = widened(m->base);
		r.operands[1].mem.index = widened(m->index);
	}
	native_put_encoded(e, &r, i->pc);
}

int32_t native_base_of(const ZydisDecodedOperandMem *m)
{
	return m->segment == ZYDIS_REGISTER_FS ? NATIVE_ENV(fs) : m->segment == ZYDIS_REGISTER_GS ? NATIVE_ENV(gs) : 0;
}

void native_put_address(struct emit *e, unsigned reg, const struct native_access *a, const struct qemu_plugin_insn *i)
{
	native_put_operand(e, reg, a->mem, a->by, i);
	if (native_base_of(a->mem))
		put_env(e, 0x03, reg, native_base_of(a->mem));	/* add reg, gs:[base] */
}
