/* SPDX-License-Identifier: BSD-2-Clause */
/* Where control goes from a block. */
#include <string.h>

#include "emulator/translate.h"

/* Ways out. */

static struct native_link *new_link(struct translation *t, enum native_exit kind, uint64_t target)
{
	struct native_link *l = native_keep(sizeof *l);

	*l = (struct native_link){ .kind = (uint8_t)kind, .target = target, .sibling = t->b->out };
	t->b->out = l;
	return l;
}

void native_put_way_out(struct emit *e, const struct native_link *l)
{
	put_note(e, NATIVE_ENV(link), (int32_t)(intptr_t)l);
	put_jump_to(e, native_exit_all);
}

/* Bytes that do nothing, so that behind `before` bytes there is a jump that may be patched in one piece, in one place with them. */
static void put_jump_room(struct emit *e, size_t before, size_t opcode)
{
	size_t n = 0;

	while (!emit_is_apart(e->at + n, before + opcode + 4) || ((uintptr_t)e->at + n + before + opcode) % 8 > 4)
		n++;
	put_nop(e, n);
}

void native_put_room(struct translation *t, const struct qemu_plugin_insn *i)
{
	const struct qemu_plugin_insn *next = i + 1;

	if (next == t->tb->insn + t->tb->n - 1 && next->d.meta.category == ZYDIS_CATEGORY_COND_BR)
		put_jump_room(&t->code, i->d.length, 2);
}

/* A jump, or one on a condition (0x0f is put before it), that may be patched in one piece. */
void native_put_jump(struct translation *t, unsigned condition, uint64_t target)
{
	struct emit *e = &t->code;
	struct native_link *l = new_link(t, NATIVE_JUMP, target);

	l->again = target == t->b->pc;
	put_jump_room(e, 0, condition == JMP ? 1 : 2);
	if (condition != JMP)
		put8(e, 0x0f);
	put8(e, condition);
	l->jump = e->at;
	put32(e, 0);
}

void native_put_exit(struct translation *t, enum native_exit kind, uint64_t target)
{
	native_put_way_out(&t->code, new_link(t, kind, target));
}

/* Behind the block: where its jumps lead as long as they are not linked. */
void native_put_stubs(struct translation *t)
{
	for (struct native_link *l = t->b->out; l; l = l->sibling) {
		uint32_t by;

		if (!l->jump)
			continue;
		l->stub = t->code.at;
		by = (uint32_t)(l->stub - (l->jump + 4));
		memcpy(l->jump, &by, sizeof by);
		native_put_way_out(&t->code, l);
	}
}

/* Where control goes. */

static void put_push(struct translation *t, uint64_t value)
{
	struct emit *e = &t->code;

	if (value <= INT32_MAX) {
		put8(e, 0x68);			/* push value */
		put32(e, (uint32_t)value);
		return;
	}
	put_save(e, NATIVE_RAX, NATIVE_ENV(scratch[1]));
	put_constant(e, NATIVE_RAX, value);
	PUT(e, "\x50");				/* push rax */
	put_load(e, NATIVE_RAX, NATIVE_ENV(scratch[1]));
}

/* rcx is put aside, the program's address is in it: by the thread's table, flags untouched. */
static void put_by_table(struct emit *e)
{
	put_save(e, NATIVE_RCX, NATIVE_ENV(pointer));
	PUT(e, "\x0f\xb7\xc9");			/* movzx ecx, cx */
	put_apart(e, 9);
	PUT(e, "\x65\xff\x24\xcd");		/* jmp gs:[rcx * 8 + table] */
	put32(e, (uint32_t)NATIVE_ENV(table));
}

static void put_aside(struct emit *e, struct native_place *place)
{
	put_save(e, NATIVE_RCX, NATIVE_ENV(scratch[0]));
	place->scratch = NATIVE_RCX;
}

static void put_return(struct translation *t, const struct qemu_plugin_insn *i, struct native_place *place)
{
	struct emit *e = &t->code;

	put_aside(e, place);
	PUT(e, "\x59");				/* pop rcx */
	if (i->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && i->d.operand_count_visible) {
		PUT(e, "\x48\x8d\xa4\x24");	/* lea rsp, [rsp + n] */
		put32(e, (uint32_t)i->op[0].imm.value.u);
	}
	put_by_table(e);
}

/* rcx = where an indirect jump or call leads */
static void put_target(struct translation *t, const struct qemu_plugin_insn *i)
{
	const ZydisDecodedOperand *o = i->op;
	struct emit *e = &t->code;

	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		unsigned reg = native_register(o->reg.value);

		put8(e, reg >= 8 ? 0x4c : 0x48);
		put8(e, 0x89);
		put8(e, 0xc1 | (reg & 7) << 3);		/* mov rcx, reg */
		return;
	}
	native_put_operand(e, NATIVE_RCX, &o->mem, 0, i);
	if (native_base_of(&o->mem)) {
		put_save(e, NATIVE_RAX, NATIVE_ENV(scratch[1]));
		put_load(e, NATIVE_RAX, native_base_of(&o->mem));
		PUT(e, "\x48\x8d\x0c\x01");		/* lea rcx, [rcx + rax] */
		put_load(e, NATIVE_RAX, NATIVE_ENV(scratch[1]));
	}
	PUT(e, "\x48\x8b\x09");			/* mov rcx, [rcx] */
}

static void put_indirect(struct translation *t, const struct qemu_plugin_insn *i, bool call, struct native_place *place)
{
	put_aside(&t->code, place);
	put_target(t, i);
	if (call)
		put_push(t, i->pc + i->d.length);
	put_by_table(&t->code);
}

static void put_condition(struct translation *t, const struct qemu_plugin_insn *i)
{
	uint64_t next = i->pc + i->d.length;

	if (i->d.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && i->d.opcode >= 0xe0 && i->d.opcode <= 0xe3) {
		/* loop, jrcxz: these only reach near */
		uint8_t *by;

		put(&t->code, (const char *)i->bytes, i->d.length - 1U);
		by = t->code.at;
		put8(&t->code, 0);
		native_put_jump(t, JMP, next);
		*by = (uint8_t)(t->code.at - (by + 1));
		native_put_jump(t, JMP, native_target_of(i));
		return;
	}
	native_put_jump(t, 0x80 | (i->d.opcode & 15), native_target_of(i));
	native_put_jump(t, JMP, next);
}

/* One round, if rcx is not 0; then the block that begins with the instruction. */
static void put_round(struct translation *t, const struct qemu_plugin_insn *i, struct native_place *place)
{
	uint64_t next = i->pc + i->d.length;
	struct emit *e = &t->code;
	uint8_t *none;
	bool narrow = i->d.address_width == 32;

	if (narrow)
		PUT(e, "\x67");
	PUT(e, "\xe3\x02");			/* jrcxz, or jecxz, to the jump out */
	PUT(e, "\xeb\x00");			/* jmp past it */
	none = e->at;
	native_put_jump(t, JMP, next);
	none[-1] = (uint8_t)(e->at - none);
	native_put_insn_calls(t, i);
	place->code = (uint32_t)(e->at - t->b->indirect);
	for (unsigned n = 0; n < i->d.length; n++) {
		if (i->bytes[n] != 0xf2 && i->bytes[n] != 0xf3)
			put8(e, i->bytes[n]);
	}
	if (narrow)
		PUT(e, "\x67\x8d\x49\xff");	/* lea ecx, [ecx - 1] */
	else
		PUT(e, "\x48\x8d\x49\xff");	/* lea rcx, [rcx - 1] */
	if (i->d.attributes & ZYDIS_ATTRIB_HAS_REPE)
		native_put_jump(t, JNE, next);
	else if (i->d.attributes & ZYDIS_ATTRIB_HAS_REPNE)
		native_put_jump(t, JE, next);
	native_put_jump(t, JMP, i->pc);
}

void native_put_end(struct translation *t, const struct qemu_plugin_insn *i, struct native_place *place)
{
	uint64_t next = i->pc + i->d.length;

	if (native_is_rare(i)) {
		native_put_exit(t, NATIVE_RARE, i->pc);
		return;
	}
	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
		native_put_exit(t, NATIVE_CALL_SYSTEM, next);
		return;
	case ZYDIS_MNEMONIC_CPUID:
		native_put_exit(t, NATIVE_CPUID, next);
		return;
	case ZYDIS_MNEMONIC_XGETBV:
		native_put_exit(t, NATIVE_XGETBV, next);
		return;
	case ZYDIS_MNEMONIC_INT1:
		native_put_exit(t, NATIVE_BREAK, next);
		return;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		native_put_exit(t, NATIVE_ILLEGAL, i->pc);
		return;
	case ZYDIS_MNEMONIC_INT3:
		native_put_exit(t, NATIVE_BREAK, next);
		return;
	case ZYDIS_MNEMONIC_RET:
		put_return(t, i, place);
		return;
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_CALL:
		if (!native_names_target(i)) {
			put_indirect(t, i, i->d.mnemonic == ZYDIS_MNEMONIC_CALL, place);
			return;
		}
		if (i->d.mnemonic == ZYDIS_MNEMONIC_CALL)
			put_push(t, next);
		native_put_jump(t, JMP, native_target_of(i));
		return;
	default:
		break;
	}
	if (native_hides_segment(i))
		native_put_exit(t, NATIVE_ILLEGAL, i->pc);
	else if (i->d.meta.category == ZYDIS_CATEGORY_COND_BR && native_names_target(i))
		put_condition(t, i);
	else if (native_repeats(i))
		put_round(t, i, place);
	else
		native_put_exit(t, NATIVE_ILLEGAL, i->pc);
}
