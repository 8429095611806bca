// SPDX-License-Identifier: BSD-2-Clause
#include "native/inline.h"

#include <string.h>

#include "feed/plugin.h"
#include "feed/plugin_group.h"
#include "feed/plugin_stub.h"
#include "native/inline_look.h"

/* The calls that plugin_site.c hangs on code, to be known again. */

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

static void put_first(struct inline_code *c, const struct plugin_known *k, bool written, uint8_t **no)
{
	put_known(c->code, c->borrowed[0], k, k->disp);
	put_set(c->code, c->borrowed[1], c->borrowed[0]);
	put_compare(c, 0, written, k->room, no);
	put_newer(c, 0);
}

static void put_group(struct inline_code *c, const struct plugin_block *b, const struct group *g, unsigned i)
{
	struct inline_out *o = way_out(c, (struct inline_out){ .kind = OUT_KNOWN, .data = g->first, .written = g->written });
	struct emit *e = c->code;
	unsigned a = c->borrowed[0], d = c->borrowed[1];

	put_first(c, g->first, g->written, &o->from);
	o->back = e->at;
	if (b->loops)
		put_save(e, c->borrowed[2], CORE(noted) + 8 * (int32_t)i);
	for (const struct plugin_known *k = g->first + 1; k < g->first + g->n; k++) {
		o = way_out(c, (struct inline_out){ .kind = OUT_KNOWN, .data = k, .neighbour = true, .written = plugin_is_store(k) });
		put_lea(e, d, a, NATIVE_NO_REGISTER, 0, (int32_t)(k->disp - g->first->disp));
		put_limit(e, d, k->room, &o->from);
		o->back = e->at;
	}
}

/* The same block again, all groups in the lines where they were?  Then to `done`. */
static void put_again(struct inline_code *c, const struct plugin_block *b, const struct group *group, unsigned n,
		      uint8_t **done)
{
	struct emit *e = c->code;
	uint8_t *no = NULL;

	PUT(e, "\x65\x48\x81\x3c\x25");			/* cmp qword gs:[latest], b */
	put32(e, (uint32_t)CORE(latest));
	put32(e, (uint32_t)(uintptr_t)b);
	jump(e, JNE, &no);
	for (unsigned i = 0; i < n; i++) {
		unsigned a = c->borrowed[i & 1];

		put_known(e, a, group[i].first, group[i].lowest);
		put_env(e, 0x2b, a, CORE(noted) + 8 * (int32_t)i);	/* sub a, gs:[noted] */
		put_limit(e, a, group[i].room, &no);
	}
	jump(e, JMP, done);
	land(e, no);
}

void native_put_block(struct inline_code *c, const struct plugin_block *b, bool live)
{
	struct group group[PLUGIN_KNOWN_MAX];
	unsigned n = group_find(b, group), first = c->outs;
	struct emit *e = c->code;
	uint8_t *done = NULL;
	uint32_t used = 1U << NATIVE_RSP | 1U << 12;
	struct inline_out *o;

	for (const struct plugin_known *k = b->known; k < b->known + b->n; k++)
		used |= k->registers;
	borrow(c, used, n ? 2 + b->loops : 0);
	c->live = live;
	put_borrow(c);
	o = way_out(c, (struct inline_out){ .kind = OUT_DUE, .data = b });
	put_count(e, b->instructions, &o->from);
	if (b->loops)
		put_again(c, b, group, n, &done);
	put_latest(e, b);
	put_line(c, b->code, (struct inline_out){ .kind = OUT_FETCH });
	if (b->lines > 1)
		put_line(c, b->code2, (struct inline_out){ .kind = OUT_FETCH });
	for (unsigned i = 0; i < n; i++)
		put_group(c, b, group + i, i);
	land(e, done);
	for (unsigned i = first; i < c->outs; i++)
		c->out[i].end = e->at;
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
	borrow(c, 1U << NATIVE_RSP | 1U << 12 | 1U << native_register(a->mem->base) | 1U << native_register(a->mem->index), 2);
	c->live = i->live;
	put_borrow(c);
	native_put_address(e, c->borrowed[0], a, i);
	put_save(e, c->borrowed[0], NATIVE_ENV(slow_address));
	if (leads) {
		lead = way_out(c, (struct inline_out){ .kind = OUT_LEAD, .data = kept });
		put_count(e, site->block->instructions, &lead->from);
		put_latest(e, NULL);
		for (uint64_t line = site->block->code; line < site->block->code + site->block->lines; line++)
			put_line(c, line, (struct inline_out){ .kind = OUT_LEAD, .data = kept });
	} else {
		o = way_out(c, (struct inline_out){ .kind = OUT_ACCESS, .data = kept });
		PUT(e, "\x65\x83\x3c\x25");		/* cmp dword gs:[left], 0 */
		put32(e, (uint32_t)CORE(x.left));
		put8(e, 0);
		jump(e, JLE, &o->from);
	}
	put_set(e, c->borrowed[1], c->borrowed[0]);
	put_compare(c, 0, a->store, room, &other);
	put_newer(c, 0);
	{
		uint8_t *done = NULL;

		jump(e, JMP, &done);
		land(e, other);
		put_load(e, c->borrowed[0], NATIVE_ENV(slow_address));
		o = way_out(c, (struct inline_out){ .kind = OUT_ACCESS, .data = kept });
		put_compare(c, 1, a->store, room, &o->from);
		put_newer(c, 1);
		land(e, done);
	}
	for (unsigned k = first; k < c->outs; k++)
		c->out[k].end = e->at;
	put_return_all(c);
	return true;
}

/* Behind the block. */

static void put_go(struct emit *e, const struct inline_out *o, const void *data, const uint8_t *back)
{
	put_give_back(e, o->borrowed);
	put_note(e, NATIVE_ENV(slow_data), (int32_t)(intptr_t)data);
	put_note(e, NATIVE_ENV(slow_back), (int32_t)(intptr_t)back);
	put_jump_to(e, inline_shared[o->kind]);
}

/* A known access: the second of the two lines, then C. */
static void put_known_out(struct inline_code *c, const struct inline_out *o)
{
	const struct plugin_known *k = o->data;
	uint8_t *no = NULL, *miss = NULL, *done = NULL, *landing;
	struct emit *e = c->code;
	unsigned a = o->borrowed[0];

	memcpy(c->borrowed, o->borrowed, sizeof c->borrowed);
	if (o->neighbour) {
		put_first(c, k, o->written, &no);
		jump(e, JMP, &done);
		land(e, no);
	}
	put_known(e, a, k, k->disp);
	put_compare(c, 1, o->written, k->room, &miss);
	put_newer(c, 1);
	land(e, done);
	if (o->neighbour) {
		put_constant(e, a, NO_NEIGHBOUR);
		put_latest(e, NULL);
	}
	put_jump_to(e, o->back);
	landing = e->at;
	put_constant(e, a, NO_NEIGHBOUR);
	put_jump_to(e, o->back);
	land(e, miss);
	put_known(e, a, k, k->disp);
	put_save(e, a, NATIVE_ENV(slow_address));
	put_note(e, NATIVE_ENV(slow_end), (int32_t)(intptr_t)o->end);
	put_go(e, o, k, landing);
}

void native_put_outs(struct inline_code *c)
{
	struct emit *e = c->code;

	for (unsigned n = 0; n < c->outs; n++) {
		const struct inline_out *o = c->out + n;

		land(e, o->from);
		switch ((enum out_kind)o->kind) {
		case OUT_KNOWN:
			put_known_out(c, o);
			break;
		case OUT_FETCH: {
			uint64_t *line = native_keep(sizeof *line);

			*line = o->line;
			put_go(e, o, line, o->back);
			break;
		}
		default:
			put_go(e, o, o->data, o->end);
			break;
		}
	}
	c->outs = 0;
}
