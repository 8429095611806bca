// SPDX-License-Identifier: BSD-2-Clause
/*
 * Translating a block: its instructions as they are, but for
 *
 *	calls of the plugin		at the start, and before instructions with an access
 *	addresses relative to rip	the distance from the copy, or through a register
 *	the segment fs			its base added through a register
 *	jumps, calls, returns		to the translation of where they lead
 *	repeated string instructions	one round; then the block that begins with it
 *
 * A register that is needed is put aside in native_env.scratch, never on the program's stack.
 */
#include <string.h>

#include "feed/plugin_registers.h"
#include "native/block.h"
#include "native/emit.h"
#include "native/inline.h"
#include "native/translate.h"

#define PUT(e, bytes) put(e, bytes, sizeof(bytes) - 1)

enum { NO_REGISTER = 16 };

/* Registers that C code may change. */
static const uint8_t changed[] = { NATIVE_RAX, NATIVE_RCX, NATIVE_RDX, NATIVE_RSI, NATIVE_RDI, 8, 9, 10, 11 };

struct translation {
	struct emit code;
	struct native_block *b;
	struct qemu_plugin_tb *tb;
	struct inline_code in;
};

/* Ways out. */

static struct native_link *new_link(struct translation *t, enum native_exit kind, uint64_t target)
{
	struct native_link *l = native_keep(sizeof *l);

	*l = (struct native_link){ .kind = (uint8_t)kind, .target = target, .sibling = t->b->out };
	t->b->out = l;
	return l;
}

static void put_way_out(struct emit *e, const struct native_link *l)
{
	put_note(e, NATIVE_ENV(link), (int32_t)(intptr_t)l);
	put_jump_to(e, native_exit_all);
}

/* A jump, or one on a condition (0x0f is put before it), that may be patched in one piece. */
static void put_jump(struct translation *t, unsigned condition, uint64_t target)
{
	struct emit *e = &t->code;
	struct native_link *l = new_link(t, NATIVE_JUMP, target);
	size_t before = condition == JMP ? 1 : 2;

	while (((uintptr_t)e->at + before) % 8 > 4)
		put8(e, 0x90);
	if (condition != JMP)
		put8(e, 0x0f);
	put8(e, condition);
	l->jump = e->at;
	put32(e, 0);
}

static void put_exit(struct translation *t, enum native_exit kind, uint64_t target)
{
	put_way_out(&t->code, new_link(t, kind, target));
}

/* Behind the block: where its jumps lead as long as they are not linked. */
static void put_stubs(struct translation *t)
{
	for (struct native_link *l = t->b->out; l; l = l->sibling) {
		uint32_t by;

		if (!l->jump)
			continue;
		l->stub = t->code.at;
		by = (uint32_t)(l->stub - (l->jump + 4));
		memcpy(l->jump, &by, sizeof by);
		put_way_out(&t->code, l);
	}
}

/* Addresses. */

void native_put_encoded(struct emit *e, const ZydisEncoderRequest *r, uint64_t pc)
{
	ZyanUSize n = 15;

	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(r, e->at, &n)))
		native_die("the instruction at %#lx cannot be changed", pc);
	e->at += n;
}

static ZydisRegister wide(unsigned reg)
{
	return (ZydisRegister)(ZYDIS_REGISTER_RAX + reg);
}

static ZydisRegister widened(ZydisRegister r)
{
	return r ? ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r) : r;
}

/* reg = the address of a memory operand, but for what a segment adds. */
static void put_address(struct emit *e, unsigned reg, const ZydisDecodedOperandMem *m, int64_t by,
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
	r.operands[0].reg.value = wide(reg);
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

static bool in_fs(const ZydisDecodedOperandMem *m)
{
	return m->segment == ZYDIS_REGISTER_FS;
}

void native_put_address(struct emit *e, unsigned reg, const struct native_access *a, const struct qemu_plugin_insn *i)
{
	put_address(e, reg, a->mem, a->by, i);
	if (in_fs(a->mem))
		put_env(e, 0x03, reg, NATIVE_ENV(fs));	/* add reg, gs:[fs] */
}

/* Calls of the plugin. */

static void put_save_flags(struct emit *e)
{
	PUT(e, "\x9f\x0f\x90\xc0");		/* lahf; seto al */
	put_save(e, NATIVE_RAX, NATIVE_ENV(saved_flags));
}

static void put_load_flags(struct emit *e)
{
	put_load(e, NATIVE_RAX, NATIVE_ENV(saved_flags));
	PUT(e, "\x04\x7f\x9e");			/* add al, 127; sahf */
}

/* Onto the stack of C code. */
static void put_go_over(struct emit *e)
{
	put_keep_vectors(e);
	put_load(e, NATIVE_RBP, NATIVE_ENV(self));
	put_load(e, NATIVE_RSP, NATIVE_ENV(host_sp));
}

void native_put_over(struct emit *e, bool flags)
{
	for (unsigned reg = 0; reg < 16; reg++)
		put_spill(e, reg);
	if (flags)
		put_save_flags(e);
	put_go_over(e);
}

static void put_number(struct emit *e)
{
	PUT(e, "\x65\x8b\x3c\x25");		/* mov edi, gs:[vcpu] */
	put32(e, (uint32_t)NATIVE_ENV(vcpu));
}

void native_put_call(struct emit *e, uint64_t fn)
{
	put_constant(e, NATIVE_RAX, fn);
	PUT(e, "\xff\xd0");			/* call rax */
}

void native_put_back(struct emit *e, bool flags)
{
	put_kept_vectors(e);
	if (flags)
		put_load_flags(e);
	for (unsigned n = 0; n < sizeof changed; n++)
		put_fill(e, changed[n]);
	put_fill(e, NATIVE_RBP);
	put_fill(e, NATIVE_RSP);
}

static uint64_t address_of_exec(qemu_plugin_exec_fn fn)
{
	uint64_t at;

	memcpy(&at, &fn, sizeof at);
	return at;
}

static uint64_t address_of_mem(qemu_plugin_mem_fn fn)
{
	uint64_t at;

	memcpy(&at, &fn, sizeof at);
	return at;
}

static void put_block_calls(struct translation *t)
{
	struct emit *e = &t->code;
	bool live = t->tb->insn[0].live;

	if (!t->tb->calls)
		return;
	if (t->tb->calls == 1 && native_inline_block(t->tb->call[0].fn)) {
		native_put_block(&t->in, t->tb->call[0].data, live);
		return;
	}
	native_put_over(e, live);
	for (unsigned n = 0; n < t->tb->calls; n++) {
		if (native_inline_block(t->tb->call[n].fn))
			t->tb->call[n].fn = plugin_registers_call;
		put_number(e);
		put_constant(e, NATIVE_RSI, (uintptr_t)t->tb->call[n].data);
		native_put_call(e, address_of_exec(t->tb->call[n].fn));
	}
	native_put_back(e, live);
}

/* Before an instruction. */
static void put_exec_call(struct translation *t, const struct qemu_plugin_insn *i)
{
	struct emit *e = &t->code;

	native_put_over(e, i->live);
	put_number(e);
	put_constant(e, NATIVE_RSI, (uintptr_t)i->exec_data);
	native_put_call(e, address_of_exec(i->exec_fn));
	native_put_back(e, i->live);
}

/* Many calls for one access that is wider than registers are. */
static void call_often(qemu_plugin_mem_fn fn, uint32_t info, uint64_t address, void *data, unsigned pieces, unsigned vcpu)
{
	for (unsigned n = 0; n < pieces; n++)
		fn(vcpu, info, address + 8 * n, data);
}

static uint32_t info_of(const struct native_access *a)
{
	unsigned shift = 0;

	while (shift < 3 && 2U << shift <= a->bytes)
		shift++;
	return shift | (a->store ? 0x80 : 0);
}

static void put_access_calls(struct translation *t, const struct qemu_plugin_insn *i, const struct native_access *a,
			     unsigned k)
{
	struct emit *e = &t->code;
	unsigned pieces = (a->bytes + 7) / 8;

	if (pieces > 4) {
		put_constant(e, NATIVE_RDI, address_of_mem(i->fn));
		put_constant(e, NATIVE_RSI, info_of(a));
		put_load(e, NATIVE_RDX, NATIVE_ENV(address[0]) + 8 * (int32_t)k);
		put_constant(e, NATIVE_RCX, (uintptr_t)i->data);
		put_constant(e, 8, pieces);
		PUT(e, "\x65\x44\x8b\x0c\x25");	/* mov r9d, gs:[vcpu] */
		put32(e, (uint32_t)NATIVE_ENV(vcpu));
		native_put_call(e, (uintptr_t)call_often);
		return;
	}
	for (unsigned piece = 0; piece < pieces; piece++) {
		put_number(e);
		put_constant(e, NATIVE_RSI, info_of(a));
		put_load(e, NATIVE_RDX, NATIVE_ENV(address[0]) + 8 * (int32_t)k);
		if (piece) {
			PUT(e, "\x48\x83\xc2");	/* add rdx, 8 * piece */
			put8(e, 8 * piece);
		}
		put_constant(e, NATIVE_RCX, (uintptr_t)i->data);
		native_put_call(e, address_of_mem(i->fn));
	}
}

static void put_insn_calls(struct translation *t, const struct qemu_plugin_insn *i)
{
	struct native_access a[NATIVE_ACCESSES];
	unsigned n = i->fn ? native_accesses(i, a) : 0;
	struct emit *e = &t->code;

	if (i->fn && native_put_masked(e, i))
		return;
	if (!n || (native_inline_access(i->fn) && native_put_access(&t->in, i, a, n)))
		return;
	for (unsigned reg = 0; reg < 16; reg++)
		put_spill(e, reg);
	for (unsigned k = 0; k < n; k++) {
		if (k)
			put_fill(e, NATIVE_RDX);
		put_address(&t->code, NATIVE_RDX, a[k].mem, a[k].by, i);
		if (in_fs(a[k].mem)) {
			put_load(e, NATIVE_RCX, NATIVE_ENV(fs));
			PUT(e, "\x48\x8d\x14\x0a");	/* lea rdx, [rdx + rcx] */
			put_fill(e, NATIVE_RCX);
		}
		put_save(e, NATIVE_RDX, NATIVE_ENV(address[0]) + 8 * (int32_t)k);
	}
	if (i->live)
		put_save_flags(e);
	put_go_over(e);
	for (unsigned k = 0; k < n; k++)
		put_access_calls(t, i, a + k, k);
	native_put_back(e, i->live);
}

/* Instructions. */

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
		if (in_fs(&o->mem) && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
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

	if (!in_fs(m)) {
		put_address(&t->code, scratch, m, 0, i);
		o->mem.base = wide(scratch);
		o->mem.index = ZYDIS_REGISTER_NONE;
		o->mem.scale = 0;
		o->mem.displacement = 0;
		return;
	}
	put_load(e, scratch, NATIVE_ENV(fs));
	if (m->base && m->index) {
		ZydisDecodedOperandMem sum = { .base = m->base, .index = wide(scratch), .scale = 1 };

		put_address(&t->code, scratch, &sum, 0, i);
	}
	if (m->base && !m->index) {
		o->mem.index = wide(scratch);
		o->mem.scale = 1;
	} else {
		o->mem.base = wide(scratch);
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

static void put_copy(struct translation *t, const struct qemu_plugin_insn *i, struct native_place *place)
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

/* rax and rcx are put aside, the program's address is in rcx: by the thread's table, flags untouched. */
static void put_by_table(struct emit *e)
{
	put_save(e, NATIVE_RCX, NATIVE_ENV(pointer));
	PUT(e, "\x0f\xb7\xc1");			/* movzx eax, cx */
	PUT(e, "\x65\xff\x24\xc5");		/* jmp gs:[rax * 8 + table] */
	put32(e, (uint32_t)NATIVE_ENV(table));
}

static void put_aside(struct emit *e)
{
	put_save(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
	put_save(e, NATIVE_RCX, NATIVE_ENV(scratch[1]));
}

static void put_return(struct translation *t, const struct qemu_plugin_insn *i)
{
	struct emit *e = &t->code;

	put_aside(e);
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
	ZydisEncoderRequest r = { .machine_mode = ZYDIS_MACHINE_MODE_LONG_64, .mnemonic = ZYDIS_MNEMONIC_MOV,
				  .operand_count = 2 };
	const ZydisDecodedOperand *o = i->op;

	r.operands[0].type = ZYDIS_OPERAND_TYPE_REGISTER;
	r.operands[0].reg.value = ZYDIS_REGISTER_RCX;
	r.operands[1].type = o->type;
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		r.operands[1].reg.value = o->reg.value;
	} else {
		put_address(&t->code, NATIVE_RAX, &o->mem, 0, i);
		if (in_fs(&o->mem)) {
			put_load(&t->code, NATIVE_RCX, NATIVE_ENV(fs));
			PUT(&t->code, "\x48\x8d\x04\x08");	/* lea rax, [rax + rcx] */
		}
		r.operands[1].mem.base = ZYDIS_REGISTER_RAX;
		r.operands[1].mem.size = 8;
	}
	native_put_encoded(&t->code, &r, i->pc);
}

static void put_indirect(struct translation *t, const struct qemu_plugin_insn *i, bool call)
{
	put_aside(&t->code);
	put_target(t, i);
	if (call) {
		/* scratch[1] holds rcx, so rax serves. */
		put_constant(&t->code, NATIVE_RAX, i->pc + i->d.length);
		PUT(&t->code, "\x50");		/* push rax */
	}
	put_by_table(&t->code);
}

static bool names_target(const struct qemu_plugin_insn *i)
{
	return i->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && i->op[0].imm.is_relative;
}

static uint64_t target_of(const struct qemu_plugin_insn *i)
{
	return i->pc + i->d.length + (uint64_t)i->op[0].imm.value.s;
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
		put_jump(t, JMP, next);
		*by = (uint8_t)(t->code.at - (by + 1));
		put_jump(t, JMP, target_of(i));
		return;
	}
	put_jump(t, 0x80 | (i->d.opcode & 15), target_of(i));
	put_jump(t, JMP, next);
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
	put_jump(t, JMP, next);
	none[-1] = (uint8_t)(e->at - none);
	put_insn_calls(t, i);
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
		put_jump(t, JNE, next);
	else if (i->d.attributes & ZYDIS_ATTRIB_HAS_REPNE)
		put_jump(t, JE, next);
	put_jump(t, JMP, i->pc);
}

static void put_end(struct translation *t, const struct qemu_plugin_insn *i, struct native_place *place)
{
	uint64_t next = i->pc + i->d.length;

	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
		put_exit(t, NATIVE_CALL_SYSTEM, next);
		return;
	case ZYDIS_MNEMONIC_CPUID:
		put_exit(t, NATIVE_CPUID, next);
		return;
	case ZYDIS_MNEMONIC_XGETBV:
		put_exit(t, NATIVE_XGETBV, next);
		return;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		put_exit(t, NATIVE_ILLEGAL, i->pc);
		return;
	case ZYDIS_MNEMONIC_INT3:
		put_exit(t, NATIVE_BREAK, next);
		return;
	case ZYDIS_MNEMONIC_RET:
		if (i->d.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			break;
		put_return(t, i);
		return;
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_CALL:
		if (i->d.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			break;
		if (!names_target(i)) {
			put_indirect(t, i, i->d.mnemonic == ZYDIS_MNEMONIC_CALL);
			return;
		}
		if (i->d.mnemonic == ZYDIS_MNEMONIC_CALL)
			put_push(t, next);
		put_jump(t, JMP, target_of(i));
		return;
	default:
		break;
	}
	if (i->d.meta.category == ZYDIS_CATEGORY_COND_BR && names_target(i))
		put_condition(t, i);
	else if (i->d.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		put_round(t, i, place);
	else
		put_exit(t, NATIVE_ILLEGAL, i->pc);
}

/* The way in for who has come by a table: is it this block that he wanted? */
static void put_way_in(struct translation *t)
{
	struct emit *e = &t->code;

	t->b->indirect = e->at;
	put8(e, 0x48);
	put8(e, 0xb8);				/* mov rax, -pc */
	put64(e, 0 - t->b->pc);
	PUT(e, "\x48\x8d\x0c\x01");		/* lea rcx, [rcx + rax] */
	PUT(e, "\xe3\x05");			/* jrcxz past the jump */
	put_jump_to(e, native_exit_indirect);
	put_load(e, NATIVE_RCX, NATIVE_ENV(scratch[1]));
	put_load(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
	t->b->entry = e->at;
	PUT(e, "\x65\x89\x04\x25");		/* mov gs:[poll], eax */
	put32(e, (uint32_t)NATIVE_POLL);
	t->b->poll_end = e->at;
}

static void put_insn(struct translation *t, unsigned n)
{
	const struct qemu_plugin_insn *i = t->tb->insn + n;
	struct native_place *place = t->b->place + n;

	*place = (struct native_place){ .from = (uint16_t)(i->pc - t->b->pc), .scratch = NO_REGISTER };
	if (i->exec_fn)
		put_exec_call(t, i);
	if (!(i->d.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)))
		put_insn_calls(t, i);
	place->code = (uint32_t)(t->code.at - t->b->indirect);
	if (native_ends_block(i))
		put_end(t, i, place);
	else
		put_copy(t, i, place);
}

struct native_block *native_translate(uint64_t pc)
{
	static struct qemu_plugin_tb tb;
	static struct translation t;

	if (!native_decode(&tb, pc))
		return NULL;
	if (native_hooks.translate)
		native_hooks.translate(0, &tb);
	t.tb = &tb;
	t.in.outs = 0;
	t.b = native_keep(sizeof *t.b);
	*t.b = (struct native_block){ .pc = pc, .end = tb.end, .places = tb.n };
	t.b->place = native_keep(tb.n * sizeof *t.b->place);
	t.code.at = native_code_room();
	t.in.code = &t.code;
	put_way_in(&t);
	put_block_calls(&t);
	for (unsigned n = 0; n < tb.n; n++)
		put_insn(&t, n);
	if (!native_ends_block(tb.insn + tb.n - 1))
		put_jump(&t, JMP, tb.end);
	native_put_outs(&t.in);
	put_stubs(&t);
	t.b->code_end = t.code.at;
	native_code_used(t.code.at);
	return t.b;
}

void native_translate_shared(void)
{
	static struct native_link indirect = { .kind = NATIVE_INDIRECT };
	struct native_link *l = native_keep(sizeof *l);
	struct emit e = { native_code_room() };

	*l = indirect;
	native_exit_all = native_spill;
	native_exit_indirect = e.at;
	put_load(&e, NATIVE_RCX, NATIVE_ENV(scratch[1]));
	put_load(&e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
	put_way_out(&e, l);
	native_inline_shared(&e);
	native_code_used(e.at);
}
