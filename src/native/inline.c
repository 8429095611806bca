// SPDX-License-Identifier: BSD-2-Clause
#include "native/inline.h"

#include <string.h>

#include "base/bits.h"
#include "feed/plugin.h"
#include "feed/plugin_group.h"
#include "feed/plugin_stub.h"

#define PUT(e, bytes) put(e, bytes, sizeof(bytes) - 1)
#define CORE(member) (NATIVE_ENV(core) + (int32_t)offsetof(struct plugin_core, member))

enum { NO_REGISTER = 16, NO_NEIGHBOUR = 0x40000000 };
enum out_kind { OUT_DUE, OUT_FETCH, OUT_KNOWN, OUT_LEAD, OUT_ACCESS, OUT_REST, OUT_KINDS };

/* What C gets to know of an access that has a call of its own. */
struct inline_site {
	const struct plugin_site *site;
	uint32_t info;
	uint8_t pieces;
	bool store;
};

/* Where the code of the shared routines begins, by what C does in them. */
static uint8_t *shared[OUT_KINDS];

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

/* What C does; returns where to go on. */

static uint8_t *slow_due(struct native_env *env)
{
	const struct plugin_block *b = env->slow_data;

	env->core.x.left += b->instructions;
	plugin_core_due(env->vcpu, (void *)(uintptr_t)b, env->general);
	return env->slow_back;
}

static uint8_t *slow_fetch(struct native_env *env)
{
	const uint64_t *line = env->slow_data;

	plugin_core_fetch(&env->core, *line);
	return env->slow_back;
}

static uint8_t *slow_known(struct native_env *env)
{
	const struct plugin_known *k = env->slow_data;
	unsigned flags = k->site->flags & (SITE_LOAD | SITE_STORE);
	uint64_t at = env->slow_address;
	bool follow;

	if ((at & 63) > k->room || (flags != SITE_LOAD && flags != SITE_STORE))
		follow = plugin_core_miss(&env->core, k, at);
	else
		follow = flags == SITE_LOAD ? plugin_core_miss_load(&env->core, k, at) : plugin_core_miss_store(&env->core, k, at);
	/* What follows a value needs all registers. */
	return follow ? shared[OUT_REST] : env->slow_back;
}

static uint8_t *slow_rest(struct native_env *env)
{
	const struct plugin_known *k = env->slow_data;
	const struct plugin_block *b = k->site->block;

	plugin_core_rest(&env->core, b, (unsigned)(k + 1 - b->known), env->general);
	return env->slow_end;
}

static uint8_t *slow_lead(struct native_env *env)
{
	const struct inline_site *i = env->slow_data;

	__builtin_prefetch((const void *)(uintptr_t)env->slow_address);
	env->core.x.left += i->site->block->instructions;
	(i->store ? plugin_core_store_leader : plugin_core_load_leader)(env->vcpu, i->info, env->slow_address,
									(void *)(uintptr_t)i->site);
	return env->slow_back;
}

static uint8_t *slow_access(struct native_env *env)
{
	const struct inline_site *i = env->slow_data;

	__builtin_prefetch((const void *)(uintptr_t)env->slow_address);
	for (unsigned n = 0; n < i->pieces; n++)
		(i->store ? plugin_core_store : plugin_core_load)(env->vcpu, i->info, env->slow_address + 8 * n,
								  (void *)(uintptr_t)i->site);
	return env->slow_back;
}

/* C leaves rbx, rbp and r12 to r15 as they are. */
static bool is_changed(unsigned reg)
{
	return reg != NATIVE_RBX && reg != NATIVE_RBP && reg < 12;
}

/* all: fn looks at the program's registers */
static void put_shared(struct emit *e, uint8_t *(*fn)(struct native_env *env), bool all)
{
	uint64_t at;

	memcpy(&at, &fn, sizeof at);
	for (unsigned reg = 0; reg < 16; reg++) {
		if (all || is_changed(reg))
			put_spill(e, reg);
	}
	put_keep_vectors(e);
	put_load(e, NATIVE_RDI, NATIVE_ENV(self));
	put_load(e, NATIVE_RSP, NATIVE_ENV(host_sp));
	put_constant(e, NATIVE_RAX, at);
	PUT(e, "\xff\xd0");			/* call rax */
	put_save(e, NATIVE_RAX, NATIVE_ENV(target));
	put_kept_vectors(e);
	for (unsigned reg = 0; reg < 16; reg++) {
		if (is_changed(reg))
			put_fill(e, reg);
	}
	PUT(e, "\x65\xff\x24\x25");		/* jmp gs:[target] */
	put32(e, (uint32_t)NATIVE_ENV(target));
}

void native_inline_shared(struct emit *e)
{
	static uint8_t *(*const fn[])(struct native_env *) = {
		[OUT_DUE] = slow_due, [OUT_FETCH] = slow_fetch, [OUT_KNOWN] = slow_known, [OUT_LEAD] = slow_lead,
		[OUT_ACCESS] = slow_access, [OUT_REST] = slow_rest,
	};

	for (unsigned k = 0; k < OUT_KINDS; k++) {
		shared[k] = e->at;
		put_shared(e, fn[k], k == OUT_DUE || k == OUT_REST);
	}
}

/* Instructions with registers of our choice. */

static void put_rex(struct emit *e, bool wide, unsigned reg, unsigned index, unsigned base)
{
	put8(e, 0x40 | (wide ? 8 : 0) | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
}

/* op reg, gs:[index + at] */
static void put_indexed(struct emit *e, unsigned opcode, unsigned reg, unsigned index, int32_t at)
{
	put8(e, 0x65);
	put_rex(e, true, reg, 0, index);
	put8(e, opcode);
	put8(e, 0x80 | (reg & 7) << 3 | (index & 7));
	put32(e, (uint32_t)at);
}

static bool is_near(uint64_t n)
{
	return (int64_t)n == (int32_t)n;
}

/* lea reg, [base + index * scale + disp]; NO_REGISTER: none */
static void put_lea(struct emit *e, unsigned reg, unsigned base, unsigned index, unsigned scale, int32_t disp)
{
	unsigned shift = scale ? (unsigned)__builtin_ctz(scale) : 0;

	put_rex(e, true, reg, index == NO_REGISTER ? 0 : index, base == NO_REGISTER ? 0 : base);
	put8(e, 0x8d);
	put8(e, (base == NO_REGISTER ? 0x04 : 0x84) | (reg & 7) << 3);
	put8(e, shift << 6 | (index == NO_REGISTER ? 4 : index & 7) << 3 | (base == NO_REGISTER ? 5 : base & 7));
	put32(e, (uint32_t)disp);
}

/* reg = where the access lies, at another displacement */
static void put_known(struct emit *e, unsigned reg, const struct plugin_known *k, uint64_t disp)
{
	unsigned base = k->keep ? k->base : NO_REGISTER, index = k->scale ? k->index : NO_REGISTER;

	if (base == NO_REGISTER && index == NO_REGISTER) {
		put_constant(e, reg, disp);
	} else if (is_near(disp)) {
		put_lea(e, reg, base, index, k->scale, (int32_t)disp);
	} else {
		put_constant(e, reg, disp);
		if (base != NO_REGISTER)
			put_lea(e, reg, base, reg, 1, 0);
		if (index != NO_REGISTER)
			put_lea(e, reg, reg, index, k->scale, 0);
	}
}

/* to = the place of the set of `from` among the recent lines */
static void put_set(struct emit *e, unsigned to, unsigned from)
{
	put_rex(e, false, from, 0, to);
	put8(e, 0x89);
	put8(e, 0xc0 | (from & 7) << 3 | (to & 7));	/* mov */
	put_rex(e, false, 0, 0, to);
	put8(e, 0x81);
	put8(e, 0xe0 | (to & 7));			/* and to, set */
	put32(e, (XCORE_SETS - 1) << 6);
}

static void put_limit(struct emit *e, unsigned reg, unsigned room, uint8_t **no)
{
	put_rex(e, true, 0, 0, reg);
	put8(e, 0x83);
	put8(e, 0xf8 | (reg & 7));			/* cmp reg, room */
	put8(e, room);
	jump(e, JA, no);
}

/* c->borrowed[0] -= recent line `i` of the set in [1], which goes into [2] if there is one; jump unless there is room. */
static void put_compare(struct inline_code *c, unsigned i, bool written, unsigned room, uint8_t **no)
{
	struct emit *e = c->code;
	int32_t at = (written ? CORE(x.recent[0].written) : CORE(x.recent[0].line)) + 8 * (int32_t)i;
	unsigned a = c->borrowed[0], set = c->borrowed[1], line = c->borrowed[2];

	if (line != NO_REGISTER) {
		put_indexed(e, 0x8b, line, set, at);	/* mov line, gs:[set + at] */
		put_rex(e, true, line, 0, a);
		put8(e, 0x29);
		put8(e, 0xc0 | (line & 7) << 3 | (a & 7));	/* sub a, line */
	} else {
		put_indexed(e, 0x2b, a, set, at);	/* sub a, gs:[set + at] */
	}
	put_limit(e, a, room, no);
}

static void put_newer(struct inline_code *c, unsigned newer)
{
	struct emit *e = c->code;
	unsigned set = c->borrowed[1];

	put8(e, 0x65);
	put_rex(e, false, 0, 0, set);
	put8(e, 0xc6);
	put8(e, 0x80 | (set & 7));			/* mov byte gs:[set + newer], */
	put32(e, (uint32_t)CORE(x.recent[0].newer));
	put8(e, newer);
}

static void put_count(struct emit *e, unsigned instructions, uint8_t **none)
{
	PUT(e, "\x65\x81\x2c\x25");			/* sub dword gs:[left], instructions */
	put32(e, (uint32_t)CORE(x.left));
	put32(e, instructions);
	jump(e, JLE, none);
}

static void put_latest(struct emit *e, const struct plugin_block *b)
{
	put_note(e, CORE(latest), (int32_t)(intptr_t)b);
}

static struct inline_out *way_out(struct inline_code *c, struct inline_out o)
{
	if (c->outs == INLINE_OUTS)
		native_die("a block of code has too many accesses");
	memcpy(o.borrowed, c->borrowed, sizeof o.borrowed);
	c->out[c->outs] = o;
	return &c->out[c->outs++];
}

static void put_line(struct inline_code *c, uint64_t line, struct inline_out o)
{
	struct inline_out *out = way_out(c, o);
	struct emit *e = c->code;
	int32_t at = CORE(x.last_fetch) + 8 * (int32_t)(line % XCORE_SETS);

	out->line = line;
	if (line <= INT32_MAX) {
		PUT(e, "\x65\x48\x81\x3c\x25");		/* cmp qword gs:[last_fetch], line */
		put32(e, (uint32_t)at);
		put32(e, (uint32_t)line);
	} else {
		put_save(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
		put_constant(e, NATIVE_RAX, line);
		put_env(e, 0x39, NATIVE_RAX, at);	/* cmp gs:[last_fetch], rax */
		put_load(e, NATIVE_RAX, NATIVE_ENV(scratch[0]));
	}
	jump(e, JNE, &out->from);
	out->back = e->at;
}

/* Borrowing. */

static void borrow(struct inline_code *c, uint32_t used, unsigned n)
{
	static const uint8_t order[] = { NATIVE_RDX, NATIVE_RCX, NATIVE_RSI, NATIVE_RDI, NATIVE_RAX, 8, 9, 10, 11, NATIVE_RBX,
					 NATIVE_RBP, 13, 14, 15 };
	unsigned found = 0;

	memset(c->borrowed, NO_REGISTER, sizeof c->borrowed);
	for (unsigned i = 0; i < sizeof order && found < n; i++) {
		if (!(used >> order[i] & 1))
			c->borrowed[found++] = order[i];
	}
	if (found < n)
		native_die("a block of code leaves no register free");
}

static void put_borrow(struct inline_code *c)
{
	struct emit *e = c->code;

	for (unsigned n = 0; n < sizeof c->borrowed; n++) {
		if (c->borrowed[n] != NO_REGISTER)
			put_spill(e, c->borrowed[n]);
	}
	if (!c->live)
		return;
	put_spill(e, NATIVE_RAX);
	PUT(e, "\x9f\x0f\x90\xc0");			/* lahf; seto al */
	put_save(e, NATIVE_RAX, NATIVE_ENV(saved_flags));
	put_fill(e, NATIVE_RAX);
}

static void put_give_back(struct emit *e, const uint8_t *borrowed)
{
	for (unsigned n = 0; n < 3; n++) {
		if (borrowed[n] != NO_REGISTER)
			put_fill(e, borrowed[n]);
	}
}

static void put_return_all(struct inline_code *c)
{
	struct emit *e = c->code;

	if (c->live) {
		put_load(e, NATIVE_RAX, NATIVE_ENV(saved_flags));
		PUT(e, "\x04\x7f\x9e");			/* add al, 127; sahf */
		put_fill(e, NATIVE_RAX);
	}
	put_give_back(e, c->borrowed);
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
		put_lea(e, d, a, NO_REGISTER, 0, (int32_t)(k->disp - g->first->disp));
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
	unsigned shift = 0;

	while (shift < 3 && 2U << shift <= a->bytes)
		shift++;
	*s = (struct inline_site){ .site = i->data, .info = shift | (a->store ? 0x80 : 0),
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
	put_jump_to(e, shared[o->kind]);
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
