/* SPDX-License-Identifier: BSD-2-Clause */
/* Code behind a block: what the looks in it do not find at once. */
#include "plugin/group.h"
#include "emulator/inline_look.h"

static void put_go(struct emit *e, const struct inline_out *o, enum out_kind kind, const void *data, const uint8_t *back)
{
	put_give_back(e, &o->borrowed);
	put_note(e, NATIVE_ENV(slow_data), (int32_t)(intptr_t)data);
	put_note(e, NATIVE_ENV(slow_back), (int32_t)(intptr_t)back);
	put_jump_to(e, inline_shared[kind]);
}

/* In the second of the two lines of the set that has just been looked at? */
static void put_second_look(struct inline_code *c, const struct plugin_known *k, uint64_t disp, unsigned room, bool written,
			    uint8_t **no)
{
	put_known(c->code, c->borrowed.reg[0], k, disp);
	put_compare(c, 1, written, room, no);
	put_newer(c, 1);
}

/* C does a known access. */
static void put_miss(struct emit *e, const struct inline_out *o, const struct plugin_known *k, const uint8_t *back)
{
	unsigned a = o->borrowed.reg[0];

	put_known(e, a, k, k->disp);
	put_save(e, a, NATIVE_ENV(slow_address));
	put_note(e, NATIVE_ENV(slow_end), (int32_t)(intptr_t)o->end);
	put_go(e, o, OUT_KNOWN, k, back);
}

/* Where C comes back to: what comes next must look for itself. */
static const uint8_t *put_landing(struct emit *e, const struct inline_out *o, uint8_t **next)
{
	const uint8_t *at = e->at;

	put_constant(e, o->borrowed.reg[0], NO_NEIGHBOUR);
	jump(e, JMP, next);
	return at;
}

/* A known access: the second of the two lines, then C. */
static void put_known_out(struct inline_code *c, const struct inline_out *o)
{
	const struct plugin_known *k = o->data;
	uint8_t *no = NULL, *miss = NULL, *done = NULL, *back = NULL;
	const uint8_t *landing;
	struct emit *e = c->code;
	unsigned a = o->borrowed.reg[0];

	c->borrowed = o->borrowed;
	if (o->neighbour) {
		inline_put_look(c, k, k->disp, k->room, o->written, &no);
		jump(e, JMP, &done);
		land(e, no);
	}
	put_second_look(c, k, k->disp, k->room, o->written, &miss);
	land(e, done);
	if (o->neighbour) {
		put_constant(e, a, NO_NEIGHBOUR);
		if (k->site->block->loops)
			put_latest(e, NULL);
	}
	put_jump_to(e, o->back);
	landing = put_landing(e, o, &back);
	land_at(back, o->back);
	land(e, miss);
	put_miss(e, o, k, landing);
}

/* A group: all of it in the second line, or else one after the other, the first and who is not in its line. */
static void put_group_out(struct inline_code *c, const struct inline_out *of)
{
	const struct group *g = of->data;
	unsigned a = of->borrowed.reg[0], d = of->borrowed.reg[1], first = c->outs;
	struct emit *e = c->code;
	uint8_t *no = NULL, *across = NULL, *next = NULL;
	const uint8_t *landing;
	struct inline_out *o;

	c->borrowed = of->borrowed;
	put_second_look(c, g->first, g->lowest, g->room, g->written, &no);
	put_jump_to(e, of->back);
	landing = put_landing(e, of, &next);
	land(e, no);
	put_known(e, a, g->first, g->lowest);
	put_within(e, a);
	put_limit(e, a, g->room, &across);
	put_miss(e, of, g->first, landing);
	land(e, across);
	o = way_out(c, (struct inline_out){ .kind = OUT_KNOWN, .data = g->first, .written = g->written });
	inline_put_look(c, g->first, g->first->disp, g->first->room, g->written, &o->from);
	o->back = e->at;
	land(e, next);
	for (const struct plugin_known *k = g->first + 1; k < g->first + g->n; k++) {
		o = way_out(c, (struct inline_out){ .kind = OUT_KNOWN, .data = k, .neighbour = true, .written = plugin_is_store(k) });
		put_lea(e, d, a, NATIVE_NO_REGISTER, 0, (int32_t)(k->disp - g->first->disp));
		put_limit(e, d, k->room, &o->from);
		o->back = e->at;
	}
	put_jump_to(e, of->back);
	inline_set_end(c, first, of->end);
}

/* A block that loops, when something is not as it was in the round before. */
static void put_whole_out(struct inline_code *c, const struct inline_out *o)
{
	const struct plugin_block *b = o->data;
	unsigned first = c->outs;
	struct emit *e = c->code;

	borrow(c, inline_known_registers(b), o->borrowed.dead, b->n ? INLINE_BORROWED : 0);
	put_lent(e, &c->borrowed, 1, put_spill);
	put_latest(e, b);
	inline_put_whole(c, b);
	put_lent(e, &c->borrowed, 1, put_fill);
	put_jump_to(e, o->back);
	inline_set_end(c, first, o->end);
}

/* A line of code: the second of the two of its set, which then becomes the first, or C. */
static void put_fetch_out(struct emit *e, const struct inline_out *o)
{
	uint64_t *line = native_keep(sizeof *line);
	unsigned set = o->line % XCORE_SETS;
	int32_t last = CORE(x.last_fetch) + 8 * (int32_t)set, before = CORE(x.before_fetch) + 8 * (int32_t)set;
	uint8_t *no = NULL;

	*line = o->line;
	if (o->line <= INT32_MAX) {
		put_same_line(e, before, o->line);
		jump(e, JNE, &no);
		put_save(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
		put_load(e, NATIVE_RAX, last);
		put_save(e, NATIVE_RAX, before);
		put_load(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
		put_note(e, last, (int32_t)o->line);
		PUT(e, "\x65\x66\xc1\x04\x25");	/* rol word gs:[fetch_way], 8 */
		put32(e, (uint32_t)CORE(x.fetch_way) + 2 * set);
		put8(e, 8);
		put_jump_to(e, o->back);
		land(e, no);
	}
	put_go(e, o, OUT_FETCH, line, o->back);
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
		case OUT_GROUP:
			put_group_out(c, o);
			break;
		case OUT_WHOLE:
			put_whole_out(c, o);
			break;
		case OUT_FETCH:
			put_fetch_out(e, o);
			break;
		default:
			put_go(e, o, (enum out_kind)o->kind, o->data, o->end);
			break;
		}
	}
	c->outs = 0;
}
