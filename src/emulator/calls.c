/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's calls: at the start of a block, before an instruction, for its accesses. */
#include "plugin/registers.h"
#include "emulator/inline.h"
#include "emulator/translate.h"

/* Registers that C code may change. */
static const uint8_t changed[] = { NATIVE_RAX, NATIVE_RCX, NATIVE_RDX, NATIVE_RSI, NATIVE_RDI, 8, 9, 10, 11 };

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

void native_put_block_calls(struct translation *t)
{
	struct emit *e = &t->code;
	bool live = t->tb->insn[0].live;

	if (!t->tb->calls)
		return;
	if (t->tb->calls == 1 && native_inline_block(t->tb->call[0].fn)) {
		native_put_block(&t->in, t->tb->call[0].data, t->tb->insn);
		return;
	}
	native_put_over(e, live);
	for (unsigned n = 0; n < t->tb->calls; n++) {
		if (native_inline_block(t->tb->call[n].fn))
			t->tb->call[n].fn = plugin_registers_call;
		put_number(e);
		put_constant(e, NATIVE_RSI, (uintptr_t)t->tb->call[n].data);
		native_put_call(e, (uintptr_t)t->tb->call[n].fn);
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
	native_put_call(e, (uintptr_t)i->exec_fn);
	native_put_back(e, i->live);
}

/* Many calls for one access that is wider than registers are. */
static void call_often(qemu_plugin_mem_fn fn, uint32_t info, uint64_t address, void *data, unsigned pieces, unsigned vcpu)
{
	for (unsigned n = 0; n < pieces; n++)
		fn(vcpu, info, address + 8 * n, data);
}

static void put_access_calls(struct translation *t, const struct qemu_plugin_insn *i, const struct native_access *a,
			     unsigned k)
{
	struct emit *e = &t->code;
	unsigned pieces = (a->bytes + 7) / 8;

	if (pieces > 4) {
		put_constant(e, NATIVE_RDI, (uintptr_t)i->fn);
		put_constant(e, NATIVE_RSI, native_info(a));
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
		put_constant(e, NATIVE_RSI, native_info(a));
		put_load(e, NATIVE_RDX, NATIVE_ENV(address[0]) + 8 * (int32_t)k);
		if (piece) {
			PUT(e, "\x48\x83\xc2");	/* add rdx, 8 * piece */
			put8(e, 8 * piece);
		}
		put_constant(e, NATIVE_RCX, (uintptr_t)i->data);
		native_put_call(e, (uintptr_t)i->fn);
	}
}

static void put_accesses(struct translation *t, const struct qemu_plugin_insn *i)
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
		native_put_operand(&t->code, NATIVE_RDX, a[k].mem, a[k].by, i);
		if (native_base_of(a[k].mem)) {
			put_load(e, NATIVE_RCX, native_base_of(a[k].mem));
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

void native_put_insn_calls(struct translation *t, const struct qemu_plugin_insn *i)
{
	if (i->exec_fn)
		put_exec_call(t, i);
	put_accesses(t, i);
}
