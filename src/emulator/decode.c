/* SPDX-License-Identifier: BSD-2-Clause */
/* From bytes to a block, with Zydis; and what the plugin may ask about it. */
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "emulator/block.h"
#include "emulator/chance.h"
#include "emulator/client.h"
#include "emulator/clock.h"

enum { STORES = 0x80 };		/* in what a call for an access is told of it, beside the logarithm of its bytes */

/* Code in pages that may be run, but not read.  The process has no memory under
 * its own number once its first thread has ended, but under that of any thread that lives. */
static size_t ask_kernel(uint64_t pc, uint8_t *to, size_t room)
{
	size_t first = NATIVE_PAGE - pc % NATIVE_PAGE;
	struct iovec here = { to, first < room ? first : room }, there = { (void *)(uintptr_t)pc, here.iov_len };
	ssize_t got = process_vm_readv(gettid(), &here, 1, &there, 1, 0);

	return got < 0 ? 0 : (size_t)got;
}

/* Memory of the program, as far as there is any. */
static size_t peek(uint64_t pc, uint8_t *to, size_t room)
{
	size_t got = room - native_copy(to, (const void *)(uintptr_t)pc, room);

	return got ? got : ask_kernel(pc, to, room);
}

bool native_repeats(const struct qemu_plugin_insn *i)
{
	return i->d.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static bool is_base(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && (o->reg.value == ZYDIS_REGISTER_FS || o->reg.value == ZYDIS_REGISTER_GS);
}

bool native_is_rare(const struct qemu_plugin_insn *i)
{
	if (i->d.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || i->d.meta.category == ZYDIS_CATEGORY_RDWRFSGS)
		return true;
	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_IRET: case ZYDIS_MNEMONIC_IRETD: case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSEXIT: case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_LFS: case ZYDIS_MNEMONIC_LGS:
		return true;
	case ZYDIS_MNEMONIC_RDTSC: case ZYDIS_MNEMONIC_RDTSCP:
		return native_is_client() || native_has_clock();
	case ZYDIS_MNEMONIC_RDRAND: case ZYDIS_MNEMONIC_RDSEED:
		if (!native_has_seed())
			native_chance_note();
		return native_has_seed();
	case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_POP:
		return is_base(i->op) || (i->d.operand_count_visible > 1 && is_base(i->op + 1));
	default:
		return false;
	}
}

bool native_hides_segment(const struct qemu_plugin_insn *i)
{
	for (unsigned n = i->d.operand_count_visible; n < i->d.operand_count; n++) {
		const ZydisDecodedOperand *o = i->op + n;

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS))
			return true;
	}
	return false;
}

bool native_ends_block(const struct qemu_plugin_insn *i)
{
	if (native_is_rare(i) || native_hides_segment(i))
		return true;
	switch (i->d.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
		return true;
	default:
		break;
	}
	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_XGETBV:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return true;
	default:
		return native_repeats(i);
	}
}

/* Flags that are certainly set, whatever they were. */
static uint32_t sets_flags(const struct qemu_plugin_insn *i)
{
	const ZydisAccessedFlags *f = i->d.cpu_flags;

	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_SHL: case ZYDIS_MNEMONIC_SHR: case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL: case ZYDIS_MNEMONIC_ROR: case ZYDIS_MNEMONIC_RCL: case ZYDIS_MNEMONIC_RCR:
	case ZYDIS_MNEMONIC_SHLD: case ZYDIS_MNEMONIC_SHRD:
		return 0;	/* not by nothing */
	default:
		break;
	}
	if (!f || native_ends_block(i))
		return 0;
	return f->modified | f->set_0 | f->set_1 | f->undefined;
}

enum { FLAGS = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF,
       LOOK_AHEAD = 8 };

static ZydisDecoder decoder;

uint64_t native_target_of(const struct qemu_plugin_insn *i)
{
	return i->pc + i->d.length + (uint64_t)i->op[0].imm.value.s;
}

bool native_names_target(const struct qemu_plugin_insn *i)
{
	return i->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && i->op[0].imm.is_relative;
}

/* Flags that may be read at pc before they are set. */
static uint32_t live_at(uint64_t pc)
{
	uint32_t unset = FLAGS, live = 0;
	uint8_t bytes[16 * LOOK_AHEAD];
	size_t have = 0, at = 0;

	for (unsigned n = 0; n < LOOK_AHEAD && unset; n++) {
		struct qemu_plugin_insn i;

		if (at + 16 > have) {
			pc += at;
			at = 0;
			have = peek(pc, bytes, sizeof bytes);
		}
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes + at, have - at, &i.d, i.op)))
			break;
		i.pc = pc + at;
		if (i.d.cpu_flags)
			live |= i.d.cpu_flags->tested & unset;
		unset &= ~sets_flags(&i);
		at += i.d.length;
		if (!native_ends_block(&i))
			continue;
		if ((i.d.mnemonic != ZYDIS_MNEMONIC_JMP && i.d.mnemonic != ZYDIS_MNEMONIC_CALL) || !native_names_target(&i))
			break;
		pc = native_target_of(&i);
		at = have = 0;
	}
	return live | unset;
}

/* ... behind the last instruction of a block. */
static uint32_t live_behind(const struct qemu_plugin_tb *tb)
{
	const struct qemu_plugin_insn *last = tb->insn + tb->n - 1;

	if (!native_ends_block(last))
		return live_at(tb->end);
	if (!native_names_target(last))
		return FLAGS;
	if (last->d.mnemonic == ZYDIS_MNEMONIC_JMP || last->d.mnemonic == ZYDIS_MNEMONIC_CALL)
		return live_at(native_target_of(last));
	return live_at(native_target_of(last)) | live_at(tb->end);
}

static void find_live(struct qemu_plugin_tb *tb)
{
	uint32_t live = tb->n ? live_behind(tb) : FLAGS;

	for (unsigned n = tb->n; n-- > 0;) {
		struct qemu_plugin_insn *i = tb->insn + n;

		live &= ~sets_flags(i);
		if (i->d.cpu_flags)
			live |= i->d.cpu_flags->tested & FLAGS;
		/* Between it and what is before it. */
		i->live = live != 0;
	}
}

/* It may change what comes next. */
static bool stores(const struct qemu_plugin_insn *i)
{
	for (unsigned n = 0; n < i->d.operand_count; n++) {
		if (i->op[n].type == ZYDIS_OPERAND_TYPE_MEMORY && i->op[n].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return true;
	}
	return false;
}

/* What comes next may be anything. */
static void need_all(struct qemu_plugin_tb *tb)
{
	for (unsigned n = 0; n < tb->n; n++) {
		tb->insn[n].live = true;
		tb->insn[n].dead = 0;
	}
}

bool native_decode(struct qemu_plugin_tb *tb, uint64_t pc)
{
	size_t have = peek(pc, tb->bytes, sizeof tb->bytes), at = 0;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	tb->n = tb->calls = 0;
	tb->pc = pc;
	while (tb->n < NATIVE_INSNS) {
		struct qemu_plugin_insn *i = tb->insn + tb->n;

		if (tb->n && (pc + at) / NATIVE_PAGE != pc / NATIVE_PAGE)
			break;
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, tb->bytes + at, have - at, &i->d, i->op)))
			break;
		i->bytes = tb->bytes + at;
		i->pc = pc + at;
		i->fn = NULL;
		i->exec_fn = NULL;
		at += i->d.length;
		tb->n++;
		if (native_ends_block(i) || (tb->restless && stores(i)))
			break;
	}
	tb->end = pc + at;
	find_live(tb);
	native_find_dead(tb);
	if (tb->restless)
		need_all(tb);
	return tb->n > 0;
}

unsigned native_register(ZydisRegister r)
{
	r = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
	return r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15 ? (unsigned)(r - ZYDIS_REGISTER_RAX) : NATIVE_NO_REGISTER;
}

uint32_t native_registers(const struct qemu_plugin_insn *i)
{
	uint32_t used = 1U << NATIVE_RSP;

	for (unsigned n = 0; n < i->d.operand_count; n++) {
		const ZydisDecodedOperand *o = i->op + n;

		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
			used |= 1U << native_register(o->reg.value);
		else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			used |= 1U << native_register(o->mem.base) | 1U << native_register(o->mem.index);
	}
	return used & 0xffff;
}

static bool accesses(const ZydisDecodedOperand *o, uint32_t actions)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_MEM && (o->actions & actions);
}

static void add_accesses(const struct qemu_plugin_insn *i, uint32_t actions, struct native_access *out, unsigned *n)
{
	for (unsigned k = 0; k < i->d.operand_count && *n < NATIVE_ACCESSES; k++) {
		const ZydisDecodedOperand *o = i->op + k;
		bool store = actions == ZYDIS_OPERAND_ACTION_MASK_WRITE;

		if (!accesses(o, actions))
			continue;
		out[*n] = (struct native_access){ .mem = &o->mem, .bytes = o->size / 8, .store = store };
		if (store && o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && o->mem.base == ZYDIS_REGISTER_RSP)
			out[*n].by = -(int64_t)(o->size / 8);
		++*n;
	}
}

/* Does it only say something about a line, for the caches? */
static bool hints(const struct qemu_plugin_insn *i)
{
	switch (i->d.mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH: case ZYDIS_MNEMONIC_CLFLUSHOPT: case ZYDIS_MNEMONIC_CLWB:
	case ZYDIS_MNEMONIC_PREFETCHNTA: case ZYDIS_MNEMONIC_PREFETCHT0: case ZYDIS_MNEMONIC_PREFETCHT1:
	case ZYDIS_MNEMONIC_PREFETCHT2:
		return true;
	default:
		return false;
	}
}

unsigned native_accesses(const struct qemu_plugin_insn *i, struct native_access *out)
{
	unsigned n = 0;

	if (hints(i)) {
		out[0] = (struct native_access){ .mem = &i->op[0].mem, .bytes = 1 };
		return 1;
	}
	add_accesses(i, ZYDIS_OPERAND_ACTION_MASK_READ, out, &n);
	add_accesses(i, ZYDIS_OPERAND_ACTION_MASK_WRITE, out, &n);
	return n;
}

/* The plugin's questions. */

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->n;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i)
{
	return (struct qemu_plugin_insn *)(uintptr_t)(tb->insn + i);
}

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->bytes;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->d.length;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->pc;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_fn fn, int flags, void *data)
{
	(void)flags;
	if (tb->calls == NATIVE_BLOCK_CALLS)
		native_die("the plugin makes too many calls a block");
	tb->call[tb->calls].fn = fn;
	tb->call[tb->calls++].data = data;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_fn fn, int flags, int rw, void *data)
{
	(void)flags, (void)rw;
	insn->fn = fn;
	insn->data = data;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_fn fn, int flags, void *data)
{
	(void)flags;
	insn->exec_fn = fn;
	insn->exec_data = data;
}

uint32_t native_info(const struct native_access *a)
{
	unsigned shift = 0;

	while (shift < 3 && 2U << shift <= a->bytes)
		shift++;
	return shift | (a->store ? STORES : 0);
}

unsigned qemu_plugin_mem_size_shift(uint32_t info)
{
	return info & (STORES - 1);
}

bool qemu_plugin_mem_is_store(uint32_t info)
{
	return info & STORES;
}
