/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulator/inline.h"

#include <string.h>

#include "plugin/plugin.h"
#include "plugin/group.h"
#include "plugin/stub.h"
#include "emulator/inline_look.h"

/* The calls that plugin/site.c hangs on code, to be known again. */

static void stands_for_block(unsigned vcpu, void *data)
{
	(void)vcpu, (void)data;
}

static void stands_for_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)vcpu, (void)info, (void)address, (void)data;
}

static void stands_for_leader(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)vcpu, (void)address, (void)data;
	__asm__ volatile("" : : "r"(info));	/* not the same function as the one above */
}

qemu_plugin_exec_fn plugin_stub_make(const struct plugin_block *b)
{
	return b->n <= 32 ? stands_for_block : NULL;
}

qemu_plugin_mem_fn plugin_stub_access(const struct plugin_site *s, bool leads)
{
	(void)s;
	return leads ? stands_for_leader : stands_for_access;
}

void plugin_stub_flush(void)
{
}

bool native_inline_block(qemu_plugin_exec_fn fn)
{
	return fn == stands_for_block;
}

bool native_inline_access(qemu_plugin_mem_fn fn)
{
	return fn == stands_for_access || fn == stands_for_leader;
}

/* A block's start. */

/* In the line used last of its set, with so much room behind disp? */
void inline_put_look(struct inline_code *c, const struct plugin_known *k, uint64_t disp, unsigned room, bool written,
		     uint8_t **no)
{
	put_known(c->code, c->borrowed.reg[0], k, disp);
	put_set(c->code, c->borrowed.reg[1], c->borrowed.reg[0]);
	put_compare(c, 0, written, room, no);
	put_newer(c, 0);
}

/* One look for all of them, if they are in one line that was used last. */
static void put_group(struct inline_code *c, const struct plugin_block *b, const struct group *g, unsigned i)
{
	struct emit *e = c->code;
	struct inline_out *o;

	if (g->n == 1) {
		o = way_out(c, (struct inline_out){ .kind = OUT_KNOWN, .data = g->first, .written = g->written });
	} else {
		struct group *kept = native_keep(sizeof *kept);

		*kept = *g;
		o = way_out(c, (struct inline_out){ .kind = OUT_GROUP, .data = kept });
	}
	inline_put_look(c, g->first, g->lowest, g->room, g->written, &o->from);
	o->back = e->at;
	if (b->loops)
		put_save(e, c->borrowed.reg[2], CORE(noted) + 8 * (int32_t)i);
}

/* The same block again, all groups in the lines where they were?  One register does. */
static void put_again(struct inline_code *c, const struct plugin_block *b, uint8_t **no)
{
	struct group group[PLUGIN_KNOWN_MAX];
	unsigned n = group_find(b, group), a = c->borrowed.reg[0];
	struct emit *e = c->code;

	PUT(e, "\x65\x48\x81\x3c\x25");			/* cmp qword gs:[latest], b */
	put32(e, (uint32_t)CORE(latest));
	put32(e, (uint32_t)(uintptr_t)b);
	jump(e, JNE, no);
	for (unsigned i = 0; i < n; i++) {
		put_known(e, a, group[i].first, group[i].lowest);
		put_env(e, 0x2b, a, CORE(noted) + 8 * (int32_t)i);	/* sub a, gs:[noted] */
		put_limit(e, a, group[i].room, no);
	}
}

void native_put_comes_first(struct inline_code *c, const struct qemu_plugin_tb *tb)
{
	const struct plugin_block *b = tb->call[0].data;

	if (tb->calls == 1 && native_inline_block(tb->call[0].fn) && b->loops)
		put_latest(c->code, NULL);
}

/* The block's code and its known accesses. */
void inline_put_whole(struct inline_code *c, const struct plugin_block *b)
{
	struct group group[PLUGIN_KNOWN_MAX];
	unsigned n = group_find(b, group);

	put_line(c, b->code, (struct inline_out){ .kind = OUT_FETCH });
	if (b->lines > 1)
		put_line(c, b->code2, (struct inline_out){ .kind = OUT_FETCH });
	for (unsigned i = 0; i < n; i++)
		put_group(c, b, group + i, i);
}

void inline_set_end(struct inline_code *c, unsigned first, uint8_t *end)
{
	for (unsigned i = first; i < c->outs; i++)
		c->out[i].end = end;
}

uint32_t inline_known_registers(const struct plugin_block *b)
{
	uint32_t used = 1U << NATIVE_RSP | 1U << 12;

	for (const struct plugin_known *k = b->known; k < b->known + b->n; k++)
		used |= k->registers;
	return used;
}

void native_put_block(struct inline_code *c, const struct plugin_block *b, const struct qemu_plugin_insn *insn)
{
	struct emit *e = c->code;
	unsigned first = c->outs;
	struct inline_out *o;

	borrow(c, inline_known_registers(b), insn->dead, !b->n ? 0 : b->loops ? 1 : 2);
	c->live = insn->live;
	put_borrow(c);
	o = way_out(c, (struct inline_out){ .kind = OUT_DUE, .data = b });
	put_count(e, b->instructions, &o->from);
	if (b->loops) {
		o = way_out(c, (struct inline_out){ .kind = OUT_WHOLE, .data = b });
		put_again(c, b, &o->from);
		o->back = e->at;
	} else {
		inline_put_whole(c, b);
	}
	inline_set_end(c, first, e->at);
	put_return_all(c);
}

/* Single accesses. */

static const struct inline_site *keep_site(const struct qemu_plugin_insn *i, const struct native_access *a)
{
	struct inline_site *s = native_keep(sizeof *s);

	*s = (struct inline_site){ .site = i->data, .info = native_info(a),
				   .pieces = (uint8_t)((a->bytes + 7) / 8), .store = a->store };
	return s;
}

bool native_put_access(struct inline_code *c, const struct qemu_plugin_insn *i, const struct native_access *a, unsigned n)
{
	const struct plugin_site *site = i->data;
	struct inline_out *lead = NULL, *o;
	bool leads = i->fn == stands_for_leader;
	const struct inline_site *kept;
	uint8_t *other = NULL;
	struct emit *e = c->code;
	unsigned first = c->outs, room = 64 - a->bytes;

	if (n != 1 || a->bytes > 64 || !a->bytes)
		return false;
	kept = keep_site(i, a);
	borrow(c, 1U << NATIVE_RSP | 1U << 12 | 1U << native_register(a->mem->base) | 1U << native_register(a->mem->index), i->dead, 2);
	c->live = i->live;
	put_borrow(c);
	native_put_address(e, c->borrowed.reg[0], a, i);
	put_save(e, c->borrowed.reg[0], NATIVE_ENV(slow_address));
	if (leads) {
		lead = way_out(c, (struct inline_out){ .kind = OUT_LEAD, .data = kept });
		put_count(e, site->block->instructions, &lead->from);
		for (uint64_t line = site->block->code; line < site->block->code + site->block->lines; line++)
			put_line(c, line, (struct inline_out){ .kind = OUT_LEAD, .data = kept });
	} else {
		o = way_out(c, (struct inline_out){ .kind = OUT_ACCESS, .data = kept });
		PUT(e, "\x65\x83\x3c\x25");		/* cmp dword gs:[left], 0 */
		put32(e, (uint32_t)CORE(x.left));
		put8(e, 0);
		jump(e, JLE, &o->from);
	}
	put_set(e, c->borrowed.reg[1], c->borrowed.reg[0]);
	put_compare(c, 0, a->store, room, &other);
	put_newer(c, 0);
	{
		uint8_t *done = NULL;

		jump(e, JMP, &done);
		land(e, other);
		put_load(e, c->borrowed.reg[0], NATIVE_ENV(slow_address));
		o = way_out(c, (struct inline_out){ .kind = OUT_ACCESS, .data = kept });
		put_compare(c, 1, a->store, room, &o->from);
		put_newer(c, 1);
		land(e, done);
	}
	inline_set_end(c, first, e->at);
	put_return_all(c);
	return true;
}
