/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translated code as sites.  The emulator translates under a lock of its own (its memory map
 * lock), so nothing here is called twice at once.
 */
#include "plugin.h"

#include <stdlib.h>

#include "check.h"
#include "decode.h"
#include "follow.h"
#include "region.h"
#include "registers.h"
#include "stub.h"
#include "qemu_plugin.h"

bool plugin_hears_hints;

#define BLOCK_MAX 512			/* instructions the emulator puts in one block */
#define ARENA_BYTES (1U << 20)

/* Sites live until the emulator drops all translated code. */
struct arena {
	struct arena *next;
	size_t used;
	_Alignas(16) unsigned char bytes[];
};

static struct arena *arenas;

static void *arena_alloc(size_t size)
{
	void *p;

	size = (size + 15) & ~(size_t)15;
	if (!arenas || arenas->used + size > ARENA_BYTES) {
		struct arena *a = plugin_memory_sites(sizeof *a + ARENA_BYTES);

		if (!a)
			abort();	/* the emulator would, too: it has no way to go on */
		a->next = arenas;
		a->used = 0;
		arenas = a;
	}
	p = arenas->bytes + arenas->used;
	arenas->used += size;
	return p;
}

void plugin_site_flush(void)
{
	for (unsigned i = 0; i < PLUGIN_THREADS; i++) {
		if (plugin_cores[i])
			plugin_core_forget_sites(plugin_cores[i]);
	}
	plugin_stub_flush();
	while (arenas) {
		struct arena *next = arenas->next;

		plugin_memory_sites_free(arenas);
		arenas = next;
	}
}

/* A block under translation. */
struct block {
	struct qemu_plugin_tb *tb;
	unsigned n;
	struct decode d[BLOCK_MAX];
	struct operand_value at[BLOCK_MAX];	/* of known accesses */
	uint8_t bytes[BLOCK_MAX];		/* 0: not known */
	struct plugin_site *site[BLOCK_MAX];	/* NULL: no access */
	struct plugin_block *out;
};

static bool has_access(const struct decode *d)
{
	return d->flags & (DECODE_LOAD | DECODE_STORE | DECODE_OTHER | DECODE_AHEAD | (plugin_hears_hints ? DECODE_FLUSH : 0));
}

/* One plain load or store that certainly happens, but for its pieces. */
static bool is_plain(const struct decode *d)
{
	return d->flags == DECODE_LOAD || d->flags == DECODE_STORE;
}

/*
 * The access to count the block by: a plain one, best in one piece, since the emulator calls
 * back for each piece.  b->n: there is none.
 */
static unsigned choose_leader(const struct block *b)
{
	unsigned best = b->n;

	for (unsigned i = 0; i < b->n; i++) {
		const struct decode *d = b->d + i;

		if (!is_plain(d) || !d->parts)
			continue;
		if (d->parts == 1)
			return i;
		if (best == b->n)
			best = i;
	}
	return best;
}

static struct plugin_site *new_site(const struct block *b, unsigned i)
{
	struct plugin_site *s = arena_alloc(sizeof *s);
	const struct decode *d = b->d + i;

	*s = (struct plugin_site){
		.parts = d->parts, .address = d->address, .to = d->flags & DECODE_LOAD ? d->to : 0,
		.ip = (uint8_t)qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(b->tb, i)),
		.block = b->out, .known = SITE_UNKNOWN,
	};
	if (d->flags & DECODE_LOAD)
		s->flags |= SITE_LOAD;
	if (d->flags & DECODE_STORE)
		s->flags |= SITE_STORE;
	if (d->flags & DECODE_STREAM)
		s->flags |= SITE_STREAM;
	if (d->flags & DECODE_LOCKED)
		s->flags |= SITE_LOCKED;
	if (d->flags & DECODE_COPY)
		s->flags |= SITE_COPY;
	if (d->flags & DECODE_FLUSH)
		s->flags |= SITE_FLUSH;
	if (d->flags & DECODE_AHEAD_L1)
		s->flags |= SITE_AHEAD_L1;
	if (d->flags & DECODE_AHEAD_L2)
		s->flags |= SITE_AHEAD_L2;
	if (d->from)
		s->flags |= SITE_MIX;
	return s;
}

static struct plugin_block *new_block(const struct block *b)
{
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(b->tb, b->n - 1);
	uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(b->tb, 0));
	uint64_t end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);
	struct plugin_block *out = arena_alloc(sizeof *out);

	*out = (struct plugin_block){
		.code = start >> 6, .lines = (uint16_t)(((end - 1) >> 6) - (start >> 6) + 1),
		.instructions = (uint16_t)b->n,
	};
	out->code2 = out->code + (out->lines > 1);
	return out;
}

static void end_block(const struct block *b)
{
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(b->tb, b->n - 1);
	bool repeats = b->d[b->n - 1].flags & DECODE_REPEAT;

	b->out->plain = b->out->lines <= 2 && !repeats;
	for (unsigned i = 0; i < b->n; i++)
		b->out->touched |= b->d[i].from | b->d[i].to | b->d[i].address;
	if (repeats) {
		b->out->flags = b->n > 1 ? BLOCK_REPEAT_LAST : BLOCK_REPEAT_ONLY;
		b->out->repeat = qemu_plugin_insn_vaddr(last);
	}
}

/* Does the last instruction jump to the first one? */
static bool jumps_back(const struct block *b)
{
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(b->tb, b->n - 1);
	uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(b->tb, 0));
	size_t size = qemu_plugin_insn_size(last);
	int64_t by;

	return decode_jump(qemu_plugin_insn_data(last), size, &by) &&
	       qemu_plugin_insn_vaddr(last) + size + (uint64_t)by == start;
}

static bool knows_all(const struct block *b)
{
	for (unsigned i = 0; i < b->n; i++) {
		if (b->site[i] && !b->bytes[i])
			return false;
	}
	return true;
}

/* Moves between sites; an access's own load is followed where it happens. */
static void make_moves(struct block *b)
{
	struct plugin_move *move = arena_alloc(b->n * sizeof *move);
	struct plugin_moves *now = &b->out->before;
	struct plugin_site *before = NULL;

	now->move = move;
	for (unsigned i = 0; i < b->n; i++) {
		struct plugin_site *s = b->site[i];

		if (s) {
			now = &s->after;
			now->move = move;
			if (before)
				before->next = s;
			else
				b->out->first = s;
			before = s;
		}
		if (b->d[i].to && !(s && (b->d[i].flags & DECODE_LOAD))) {
			*move++ = (struct plugin_move){ .from = b->d[i].from, .to = b->d[i].to };
			now->n++;
			now->from |= b->d[i].from;
			now->to |= b->d[i].to;
		}
	}
}

/* Which accesses can be told from the registers at the start.  Those behind a flush must not come before it. */
static void find_known(struct block *b)
{
	struct follow follow;

	follow_start(&follow);
	for (unsigned i = 0; i < b->n && b->out->n < PLUGIN_KNOWN_MAX; i++) {
		if (b->site[i] && b->site[i]->flags & SITE_FLUSH)
			break;

		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(b->tb, i);
		size_t size = qemu_plugin_insn_size(insn);
		uint64_t next = qemu_plugin_insn_vaddr(insn) + size;
		struct operand o = operand_decode(qemu_plugin_insn_data(insn), size, b->d + i);

		if (b->site[i] && follow_address(&follow, &o, next, b->at + i)) {
			b->bytes[i] = o.bytes;
			b->site[i]->known = b->out->n++;
		}
		follow_step(&follow, &o, next);
	}
}

/* A prefetch that is not known, and of which there will be no call. */
static void drop_unheard(struct block *b)
{
	for (unsigned i = 0; i < b->n && !plugin_hears_hints; i++) {
		if (b->site[i] && b->site[i]->flags & SITE_AHEAD && !b->bytes[i])
			b->site[i] = NULL;
	}
}

static struct plugin_known make_known(const struct operand_value *at, unsigned bytes,
				      const struct plugin_site *s)
{
	struct plugin_known k = {
		.disp = (uint64_t)at->disp, .room = (uint8_t)(64 - bytes), .site = s,
		.state = s->flags & SITE_STORE ? CACHE_MODIFIED : 0,
	};

	if (at->base < OPERAND_NONE) {
		k.base = at->base;
		k.keep = UINT64_MAX;
		k.registers |= (uint16_t)(1U << at->base);
	}
	if (at->index < OPERAND_NONE) {
		k.index = at->index;
		k.scale = (uint8_t)(1U << at->shift);
		k.registers |= (uint16_t)(1U << at->index);
	}
	return k;
}

static void list_known(const struct block *b)
{
	struct plugin_known *k = arena_alloc(b->out->n * sizeof *k);

	b->out->known = k;
	for (unsigned i = 0; i < b->n; i++) {
		if (!b->bytes[i])
			continue;
		if (b->site[i]->to)
			b->out->loads |= UINT64_C(1) << b->site[i]->known;
		*k++ = make_known(b->at + i, b->bytes[i], b->site[i]);
	}
}

/*
 * Callbacks are registered for loads and stores alike: QEMU 7.2 takes the kinds one off
 * (asked for loads it calls for stores), and what an instruction does is known here.
 */
static void hang(const struct block *b, unsigned i, bool leader)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(b->tb, i);
	qemu_plugin_mem_fn fn = NULL;

	if (is_plain(b->d + i) && (!leader || (b->out->plain && b->d[i].parts == 1)))
		fn = plugin_stub_access(b->site[i], leader);
	if (b->site[i]->flags & (SITE_FLUSH | SITE_AHEAD))
		fn = plugin_core_hint;
	if (!fn && b->d[i].flags == DECODE_LOAD)
		fn = leader ? plugin_core_load_leader : plugin_core_load;
	else if (!fn && b->d[i].flags == DECODE_STORE)
		fn = leader ? plugin_core_store_leader : plugin_core_store;
	else if (!fn && (b->d[i].flags & DECODE_FILL) && plugin_registers_found)
		fn = plugin_registers_fill;
	else if (!fn)
		fn = plugin_core_other;
	qemu_plugin_register_vcpu_mem_cb(insn, fn, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
					 b->site[i]);
}

/*
 * How many instructions the block runs.  QEMU 7.2 starts to decode an instruction that
 * reaches into the next page, then leaves it to the next block, but still lists here
 * what it has seen of it.
 */
static unsigned count_instructions(const struct qemu_plugin_tb *tb)
{
	unsigned n = (unsigned)qemu_plugin_tb_n_insns(tb);
	const struct qemu_plugin_insn *last;

	if (n < 2)
		return n;
	last = qemu_plugin_tb_get_insn(tb, n - 1);
	return decode_is_whole(qemu_plugin_insn_data(last), qemu_plugin_insn_size(last)) ? n : n - 1;
}

/* The site that leads, where no access is known; and which site is called first. */
static unsigned choose_start(const struct block *b)
{
	unsigned lead_at = b->out->n ? b->n : choose_leader(b);

	plugin_check_block(b->tb, b->out);
	if (lead_at == b->n) {
		qemu_plugin_exec_fn fn = b->out->plain ? plugin_stub_make(b->out) : NULL;

		if (!fn)
			fn = b->out->n ? plugin_registers_call : plugin_core_block;
		qemu_plugin_register_vcpu_tb_exec_cb(b->tb, fn, QEMU_PLUGIN_CB_NO_REGS, b->out);
	}
	for (unsigned i = 0; lead_at < b->n; i++) {
		if (b->site[i]) {
			b->site[i]->flags |= SITE_FIRST;
			break;
		}
	}
	return lead_at;
}

void plugin_site_translate(struct qemu_plugin_tb *tb)
{
	struct block b;				/* large: only what the block needs of it is set */
	unsigned lead_at;

	b.tb = tb;
	b.n = count_instructions(tb);
	plugin_registers_try(tb);
	if (!b.n || b.n > BLOCK_MAX)
		return;
	b.out = new_block(&b);
	for (unsigned i = 0; i < b.n; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		b.bytes[i] = 0;
		b.site[i] = NULL;
		b.d[i] = decode_instruction(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
		if (has_access(b.d + i))
			b.site[i] = new_site(&b, i);
	}
	end_block(&b);
	plugin_region_find(qemu_plugin_tb_get_insn(tb, b.n - 1));
	if (plugin_registers_found)
		find_known(&b);
	drop_unheard(&b);
	make_moves(&b);
	list_known(&b);
	b.out->loops = jumps_back(&b) && knows_all(&b);
	lead_at = choose_start(&b);
	for (unsigned i = 0; i < b.n; i++) {
		if (b.site[i] && b.bytes[i])
			plugin_check_site(qemu_plugin_tb_get_insn(tb, i), b.site[i]);
		else if (b.site[i])
			hang(&b, i, i == lead_at);
		else if (b.d[i].flags & DECODE_FENCE)
			qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i), plugin_core_fence,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}
