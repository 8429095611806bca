/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that cannot be copied into translated code: those that load the segments fs and gs or tell of them, change the code
 * segment, return from interrupts, or raise one; and those that read a clock or random numbers that are not this computer's.  (SDM
 * volume 2, each under its name; which selectors exist is Linux's choice.)
 */
#include <string.h>

#include "emulator/client.h"
#include "emulator/block.h"
#include "emulator/chance.h"
#include "emulator/clock.h"

enum {
	SI_FROM_KERNEL = 0x80,
	CODE_64 = 0x33, CODE_32 = 0x23, DATA = 0x2b,	/* selectors of Linux's for programs */
	RIGHTS = 3,			/* bits of a selector that tell whose it is */
};

/* Of the flags: what POPF and IRET set for a program; one is always set, and interrupts are on. */
enum { FLAGS_SET = 0x244dd5, FLAGS_ALWAYS = 0x202, FLAG_CARRY = 1, FLAGS_ARITHMETIC = 0x8d5 };

/* General protection. */
static void refuse(struct native_env *env)
{
	native_raise(env, SIGSEGV, SI_FROM_KERNEL, 0);
}

static void refuse_access(struct native_env *env, uint64_t at)
{
	native_raise(env, SIGSEGV, SEGV_MAPERR, at);
}

static bool is_canonical(uint64_t at)
{
	return (uint64_t)((int64_t)(at << 16) >> 16) == at;
}

static uint64_t value_of(const struct native_env *env, ZydisRegister r)
{
	unsigned n = native_register(r);

	return n == NATIVE_NO_REGISTER ? 0 : env->general[n];
}

static uint64_t address_of(const struct native_env *env, const struct qemu_plugin_insn *i, const ZydisDecodedOperandMem *m)
{
	uint64_t at = (m->disp.has_displacement ? (uint64_t)m->disp.value : 0) + value_of(env, m->index) * m->scale;

	at += m->base == ZYDIS_REGISTER_RIP || m->base == ZYDIS_REGISTER_EIP ? i->pc + i->d.length : value_of(env, m->base);
	if (i->d.address_width == 32)
		at = (uint32_t)at;
	return at + (m->segment == ZYDIS_REGISTER_FS ? env->fs : m->segment == ZYDIS_REGISTER_GS ? env->gs : 0);
}

/* Into a general register: 32 bits clear what is above, 16 leave it. */
static void set(struct native_env *env, ZydisRegister r, unsigned width, uint64_t value)
{
	uint64_t *reg = env->general + native_register(r);

	if (width == 16)
		memcpy(reg, &value, 2);
	else
		*reg = width == 32 ? (uint32_t)value : value;
}

/* The next `words` of the stack, of so many bytes each.  False: there is nothing. */
static bool look(struct native_env *env, uint64_t *to, unsigned words, unsigned bytes)
{
	uint64_t at = env->general[NATIVE_RSP];

	for (unsigned n = 0; n < words; n++) {
		to[n] = 0;
		if (!native_get(to + n, at + n * bytes, bytes)) {
			refuse_access(env, at + n * bytes);
			return false;
		}
	}
	return true;
}

static bool push(struct native_env *env, uint64_t value, unsigned bytes)
{
	uint64_t at = env->general[NATIVE_RSP] - bytes;

	if (!native_put(at, &value, bytes)) {
		refuse_access(env, at);
		return false;
	}
	env->general[NATIVE_RSP] = at;
	return true;
}

/* Bases. */

static void move_base(struct native_env *env, const struct qemu_plugin_insn *i)
{
	bool fs = i->d.mnemonic == ZYDIS_MNEMONIC_RDFSBASE || i->d.mnemonic == ZYDIS_MNEMONIC_WRFSBASE;
	bool reads = i->d.mnemonic == ZYDIS_MNEMONIC_RDFSBASE || i->d.mnemonic == ZYDIS_MNEMONIC_RDGSBASE;
	uint64_t *base = fs ? &env->fs : &env->gs, value = value_of(env, i->op[0].reg.value);

	if (i->d.operand_width == 32)
		value = (uint32_t)value;
	if (!native_has_bases()) {
		native_raise(env, SIGILL, ILL_ILLOPN, i->pc);
		return;
	}
	if (!reads && !is_canonical(value)) {
		refuse(env);
		return;
	}
	if (reads)
		set(env, i->op[0].reg.value, i->d.operand_width, *base);
	else
		*base = value;
	env->pointer += i->d.length;
}

/* Is there a segment to be read by this selector? */
static bool is_readable(uint16_t selector)
{
	bool readable;

	__asm__("verr %1" : "=@ccz"(readable) : "r"(selector));
	return readable;
}

/* All segments that a program can name begin at 0; no segment does, too. */
static bool load_selector(struct native_env *env, bool gs, uint16_t selector)
{
	if ((selector & ~RIGHTS) && !is_readable(selector)) {
		refuse(env);
		return false;
	}
	env->selector[gs] = selector;
	*(gs ? &env->gs : &env->fs) = 0;
	return true;
}

static bool is_segment(const ZydisDecodedOperand *o, bool *gs)
{
	*gs = o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == ZYDIS_REGISTER_GS;
	return *gs || (o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == ZYDIS_REGISTER_FS);
}

static void move_selector(struct native_env *env, const struct qemu_plugin_insn *i)
{
	bool gs, loads = is_segment(i->op, &gs);
	const ZydisDecodedOperand *o = i->op + loads;
	uint16_t selector;
	uint64_t at = 0;

	if (!loads)
		is_segment(i->op + 1, &gs);
	if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
		at = address_of(env, i, &o->mem);
	selector = loads ? (uint16_t)value_of(env, at ? ZYDIS_REGISTER_NONE : o->reg.value) : env->selector[gs];
	if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && !(loads ? native_get(&selector, at, 2) : native_put(at, &selector, 2))) {
		refuse_access(env, at);
		return;
	}
	if (loads && !load_selector(env, gs, selector))
		return;
	if (!loads && o->type == ZYDIS_OPERAND_TYPE_REGISTER)
		set(env, o->reg.value, i->d.operand_width, selector);
	env->pointer += i->d.length;
}

static void stack_selector(struct native_env *env, const struct qemu_plugin_insn *i)
{
	unsigned bytes = i->d.operand_width == 16 ? 2 : 8;
	uint64_t word;
	bool gs;

	is_segment(i->op, &gs);
	if (i->d.mnemonic == ZYDIS_MNEMONIC_PUSH) {
		if (push(env, env->selector[gs], bytes))
			env->pointer += i->d.length;
		return;
	}
	if (!look(env, &word, 1, bytes) || !load_selector(env, gs, (uint16_t)word))
		return;
	env->general[NATIVE_RSP] += bytes;
	env->pointer += i->d.length;
}

/* A far pointer: the offset, behind it the selector. */
static bool get_far(struct native_env *env, const struct qemu_plugin_insn *i, const ZydisDecodedOperandMem *m, uint64_t *offset,
		    uint16_t *selector)
{
	uint64_t at = address_of(env, i, m);
	unsigned bytes = i->d.operand_width / 8;

	*offset = 0;
	if (native_get(offset, at, bytes) && native_get(selector, at + bytes, 2))
		return true;
	refuse_access(env, at);
	return false;
}

static void load_far(struct native_env *env, const struct qemu_plugin_insn *i)
{
	uint64_t offset;
	uint16_t selector;

	if (!get_far(env, i, &i->op[1].mem, &offset, &selector) ||
	    !load_selector(env, i->d.mnemonic == ZYDIS_MNEMONIC_LGS, selector))
		return;
	set(env, i->op[0].reg.value, i->d.operand_width, offset);
	env->pointer += i->d.length;
}

/* Control. */

/* May the program go on in this segment?  32-bit code cannot be run here. */
static bool is_code(struct native_env *env, uint16_t selector)
{
	if ((selector | RIGHTS) == CODE_64)
		return true;
	if (selector == CODE_32)
		native_raise(env, SIGILL, ILL_ILLOPN, env->pointer);
	else
		refuse(env);
	return false;
}

static void far_return(struct native_env *env, const struct qemu_plugin_insn *i)
{
	unsigned bytes = i->d.operand_width / 8;
	uint64_t word[2];

	if (!look(env, word, 2, bytes) || !is_code(env, (uint16_t)word[1]))
		return;
	env->general[NATIVE_RSP] += 2 * bytes;
	if (i->d.operand_count_visible)
		env->general[NATIVE_RSP] += i->op[0].imm.value.u;
	env->pointer = word[0];
}

static void interrupt_return(struct native_env *env, const struct qemu_plugin_insn *i)
{
	uint64_t word[5];			/* rip, cs, flags, rsp, ss */

	if (!look(env, word, 5, i->d.operand_width / 8) || !is_code(env, (uint16_t)word[1]))
		return;
	if ((word[4] & 0xffff) != DATA) {
		refuse(env);
		return;
	}
	env->pointer = word[0];
	env->flags = (word[2] & FLAGS_SET) | FLAGS_ALWAYS;
	env->general[NATIVE_RSP] = word[3];
}

static void far_jump(struct native_env *env, const struct qemu_plugin_insn *i)
{
	unsigned bytes = i->d.operand_width / 8;
	uint64_t offset, sp = env->general[NATIVE_RSP];
	uint16_t selector;

	if (!get_far(env, i, &i->op[0].mem, &offset, &selector) || !is_code(env, selector))
		return;
	if (i->d.mnemonic == ZYDIS_MNEMONIC_CALL) {
		if (!push(env, CODE_64, bytes))
			return;
		if (!push(env, i->pc + i->d.length, bytes)) {
			env->general[NATIVE_RSP] = sp;
			return;
		}
	}
	env->pointer = offset;
}

static void interrupt(struct native_env *env, const struct qemu_plugin_insn *i)
{
	unsigned number = (unsigned)i->op[0].imm.value.u & 0xff;

	if (number != 3 && number != 0x80) {
		refuse(env);
		return;
	}
	env->pointer += i->d.length;
	if (number == 3)
		native_raise(env, SIGTRAP, SI_FROM_KERNEL, 0);
	else
		native_syscall_32(env);
}

static void read_tsc(struct native_env *env, const struct qemu_plugin_insn *i)
{
	uint64_t tsc;
	uint32_t cpu;
	bool client = native_client_tsc(&tsc, &cpu);

	if (!client)
		tsc = native_clock_tsc(env);
	if (i->d.mnemonic == ZYDIS_MNEMONIC_RDTSCP) {
		if (!client && !native_cpu_number(env, &cpu))
			__asm__ volatile("rdtscp" : "=c"(cpu) : : "rax", "rdx");
		env->general[NATIVE_RCX] = cpu;
	}
	env->general[NATIVE_RAX] = (uint32_t)tsc;
	env->general[NATIVE_RDX] = tsc >> 32;
	env->pointer += i->d.length;
}

/* It never fails, of which the carry tells; the other arithmetic flags are clear. */
static void read_random(struct native_env *env, const struct qemu_plugin_insn *i)
{
	set(env, i->op[0].reg.value, i->d.operand_width, native_chance());
	env->flags = (env->flags & ~(uint64_t)FLAGS_ARITHMETIC) | FLAG_CARRY;
	env->pointer += i->d.length;
}

static bool reach(struct qemu_plugin_insn *i, uint64_t pc, uint8_t *bytes, size_t room)
{
	size_t have = room - native_copy(bytes, (const void *)(uintptr_t)pc, room);
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	i->pc = pc;
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, have, &i->d, i->op)) && native_is_rare(i);
}

void native_rare(struct native_env *env)
{
	struct qemu_plugin_insn i;
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];

	/* Another thread may have put something else there: that is translated next. */
	if (!reach(&i, env->pointer, bytes, sizeof bytes))
		return;
	if (i.d.meta.category == ZYDIS_CATEGORY_RDWRFSGS)
		move_base(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_RDTSC || i.d.mnemonic == ZYDIS_MNEMONIC_RDTSCP)
		read_tsc(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_RDRAND || i.d.mnemonic == ZYDIS_MNEMONIC_RDSEED)
		read_random(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_MOV)
		move_selector(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_PUSH || i.d.mnemonic == ZYDIS_MNEMONIC_POP)
		stack_selector(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_LFS || i.d.mnemonic == ZYDIS_MNEMONIC_LGS)
		load_far(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_RET)
		far_return(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_JMP || i.d.mnemonic == ZYDIS_MNEMONIC_CALL)
		far_jump(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_INT)
		interrupt(env, &i);
	else if (i.d.mnemonic == ZYDIS_MNEMONIC_SYSEXIT || i.d.mnemonic == ZYDIS_MNEMONIC_SYSRET)
		refuse(env);
	else
		interrupt_return(env, &i);
}
