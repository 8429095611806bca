/* SPDX-License-Identifier: BSD-2-Clause */
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

#include "emulator/translate.h"

/* Has the program's code changed since it was translated?  Then out, to be translated anew. */
static void put_comparison(struct translation *t)
{
	uint8_t *copy = native_keep(t->tb->end - t->tb->pc);
	struct emit *e = &t->code;

	memcpy(copy, t->tb->bytes, t->tb->end - t->tb->pc);
	t->b->copy = copy;
	native_put_over(e, true);
	put_load(e, NATIVE_RDI, NATIVE_ENV(self));
	put_constant(e, NATIVE_RSI, (uintptr_t)t->b);
	native_put_call(e, (uintptr_t)native_compare);
	native_put_back(e, true);
	PUT(e, "\x65\xff\x24\x25");		/* jmp gs:[target] */
	put32(e, (uint32_t)NATIVE_ENV(target));
	t->b->changed = e->at;
	native_put_exit(t, NATIVE_JUMP, t->tb->pc);
	t->b->as_it_was = e->at;
}

/* The way in for who has come by a table: is it this block that he wanted? */
static void put_way_in(struct translation *t)
{
	struct emit *e = &t->code;
	bool near = t->b->pc <= INT32_MAX;

	t->b->indirect = e->at;
	put_load(e, NATIVE_RCX, NATIVE_ENV(pointer));
	if (near) {
		PUT(e, "\x48\x8d\x89");	/* lea rcx, [rcx - pc] */
		put32(e, 0 - (uint32_t)t->b->pc);
	} else {
		put_save(e, NATIVE_RAX, NATIVE_ENV(scratch[1]));
		put_constant(e, NATIVE_RAX, 0 - t->b->pc);
		PUT(e, "\x48\x8d\x0c\x01");	/* lea rcx, [rcx + rax] */
		put_load(e, NATIVE_RAX, NATIVE_ENV(scratch[1]));
	}
	put_apart(e, 7);
	PUT(e, "\xe3\x05");			/* jrcxz past the jump */
	put_jump_to(e, native_exit_indirect);
	put_load(e, NATIVE_RCX, NATIVE_ENV(scratch[0]));
	t->b->entry = e->at;
	if (t->tb->restless)
		put_comparison(t);
	native_put_comes_first(&t->in, t->tb);
	t->b->again = e->at;
	PUT(e, "\x65\x89\x04\x25");		/* mov gs:[poll], eax */
	put32(e, (uint32_t)NATIVE_POLL);
	t->b->poll_end = e->at;
}

static void put_insn(struct translation *t, unsigned n)
{
	const struct qemu_plugin_insn *i = t->tb->insn + n;
	struct native_place *place = t->b->place + n;

	*place = (struct native_place){ .from = (uint16_t)(i->pc - t->b->pc), .scratch = NATIVE_NO_REGISTER };
	if (!native_repeats(i))
		native_put_insn_calls(t, i);
	native_put_room(t, i);
	place->code = (uint32_t)(t->code.at - t->b->indirect);
	if (native_ends_block(i))
		native_put_end(t, i, place);
	else
		native_put_copy(t, i, place);
	if (!native_ends_block(i))
		place->size = (uint8_t)(t->code.at - t->b->indirect - place->code);
}

struct native_block *native_translate(uint64_t pc)
{
	static struct qemu_plugin_tb tb;
	static struct translation t;

	tb.restless = native_watch_in_vain(pc / NATIVE_PAGE) || native_watch_in_vain(pc / NATIVE_PAGE + 1);
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
	native_put_block_calls(&t);
	for (unsigned n = 0; n < tb.n; n++)
		put_insn(&t, n);
	if (!native_ends_block(tb.insn + tb.n - 1))
		native_put_jump(&t, JMP, tb.end);
	native_put_outs(&t.in);
	native_put_stubs(&t);
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
	put_load(&e, NATIVE_RCX, NATIVE_ENV(scratch[0]));
	native_put_way_out(&e, l);
	native_inline_shared(&e);
	native_code_used(e.at);
}
