/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers, and loads and stores under a mask: one access for each element that the mask asks for. */
#include <string.h>

#include "emulator/translate.h"

struct masked {
	qemu_plugin_mem_fn fn;
	void *data;
	int64_t disp;
	uint8_t base, scale;		/* base: a general register, or 16 */
	uint8_t index_bytes;		/* 0: the elements lie side by side */
	uint8_t bytes, elements;
	bool store;
};

/* A gather's. */
static bool shape(const struct qemu_plugin_insn *i, struct masked *g)
{
	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_VPGATHERDD: case ZYDIS_MNEMONIC_VGATHERDPS:
		g->index_bytes = 4;
		g->bytes = 4;
		break;
	case ZYDIS_MNEMONIC_VPGATHERDQ: case ZYDIS_MNEMONIC_VGATHERDPD:
		g->index_bytes = 4;
		g->bytes = 8;
		break;
	case ZYDIS_MNEMONIC_VPGATHERQD: case ZYDIS_MNEMONIC_VGATHERQPS:
		g->index_bytes = 8;
		g->bytes = 4;
		break;
	case ZYDIS_MNEMONIC_VPGATHERQQ: case ZYDIS_MNEMONIC_VGATHERQPD:
		g->index_bytes = 8;
		g->bytes = 8;
		break;
	default:
		return false;
	}
	g->elements = (uint8_t)(i->d.avx.vector_length / 8 / (g->bytes > g->index_bytes ? g->bytes : g->index_bytes));
	return i->d.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX;
}

/* As it is laid out in memory: the elements from the address on, byte by byte where the mask is. */
static bool shape_in_row(const struct qemu_plugin_insn *i, struct masked *g)
{
	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_MASKMOVDQU: case ZYDIS_MNEMONIC_VMASKMOVDQU:
		g->bytes = 1;
		g->elements = 16;
		g->store = true;
		return true;
	case ZYDIS_MNEMONIC_VPMASKMOVD: case ZYDIS_MNEMONIC_VMASKMOVPS:
		g->bytes = 4;
		break;
	case ZYDIS_MNEMONIC_VPMASKMOVQ: case ZYDIS_MNEMONIC_VMASKMOVPD:
		g->bytes = 8;
		break;
	default:
		return false;
	}
	g->elements = (uint8_t)(i->d.avx.vector_length / 8 / g->bytes);
	g->store = i->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
	return true;
}

static uint64_t offset_of(const struct native_env *env, const struct masked *g, unsigned n)
{
	const uint8_t *index = env->masked[0] + n * g->index_bytes;
	int64_t wide;
	int32_t narrow;

	if (!g->index_bytes)
		return n * g->bytes;
	if (g->index_bytes == 8) {
		memcpy(&wide, index, sizeof wide);
	} else {
		memcpy(&narrow, index, sizeof narrow);
		wide = narrow;
	}
	return (uint64_t)(wide * g->scale + g->disp);
}

static void do_masked(struct native_env *env, const struct masked *g)
{
	uint64_t base = g->index_bytes ? g->base < 16 ? env->general[g->base] : 0 : env->address[0];
	uint32_t info = native_info(&(struct native_access){ .bytes = g->bytes, .store = g->store });

	for (unsigned n = 0; n < g->elements; n++) {
		if (env->masked[1][(n + 1U) * g->bytes - 1] & 0x80)
			g->fn(env->vcpu, info, base + offset_of(env, g, n), g->data);
	}
}

/* movdqu gs:[at], a vector register; or all 32 bytes of it by vmovdqu */
static void put_vector(struct emit *e, const struct qemu_plugin_insn *i, ZydisRegister r, int32_t at)
{
	bool wide = i->d.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX;
	ZydisEncoderRequest q = { .machine_mode = ZYDIS_MACHINE_MODE_LONG_64, .operand_count = 2,
				  .mnemonic = wide ? ZYDIS_MNEMONIC_VMOVDQU : ZYDIS_MNEMONIC_MOVDQU,
				  .prefixes = ZYDIS_ATTRIB_HAS_SEGMENT_GS };

	q.operands[0].type = ZYDIS_OPERAND_TYPE_MEMORY;
	q.operands[0].mem.displacement = at;
	q.operands[0].mem.size = wide ? 32 : 16;
	q.operands[1].type = ZYDIS_OPERAND_TYPE_REGISTER;
	q.operands[1].reg.value = (ZydisRegister)((wide ? ZYDIS_REGISTER_YMM0 : ZYDIS_REGISTER_XMM0) + ZydisRegisterGetId(r));
	native_put_encoded(e, &q, i->pc);
}

static void put_masked(struct emit *e, const struct qemu_plugin_insn *i, const struct masked *found, ZydisRegister mask)
{
	struct masked *g = native_keep(sizeof *g);

	*g = *found;
	native_put_over(e, i->live);
	put_vector(e, i, mask, NATIVE_ENV(masked[1]));
	put_load(e, NATIVE_RDI, NATIVE_ENV(self));
	put_constant(e, NATIVE_RSI, (uintptr_t)g);
	native_put_call(e, (uintptr_t)do_masked);
	native_put_back(e, i->live);
}

static bool put_in_row(struct emit *e, const struct qemu_plugin_insn *i, struct masked *found)
{
	struct native_access a[NATIVE_ACCESSES];

	if (!shape_in_row(i, found) || !native_accesses(i, a))
		return false;
	put_spill(e, NATIVE_RDX);
	native_put_address(e, NATIVE_RDX, a, i);
	put_save(e, NATIVE_RDX, NATIVE_ENV(address[0]));
	put_fill(e, NATIVE_RDX);
	put_masked(e, i, found, i->op[1].reg.value);
	return true;
}

bool native_put_masked(struct emit *e, const struct qemu_plugin_insn *i)
{
	const ZydisDecodedOperandMem *m = &i->op[1].mem;
	struct masked found = { .fn = i->fn, .data = i->data };

	if (put_in_row(e, i, &found))
		return true;
	if (i->op[1].type != ZYDIS_OPERAND_TYPE_MEMORY || m->type != ZYDIS_MEMOP_TYPE_VSIB || !shape(i, &found))
		return false;
	found.disp = m->disp.has_displacement ? m->disp.value : 0;
	found.base = (uint8_t)native_register(m->base);
	found.scale = m->scale;
	put_vector(e, i, m->index, NATIVE_ENV(masked[0]));
	put_masked(e, i, &found, i->op[2].reg.value);
	return true;
}
