// SPDX-License-Identifier: BSD-2-Clause
/*
 * Translated code as sites.  The emulator translates under a lock of its own (its memory map
 * lock), so nothing here is called twice at once.
 */
#include "feed/plugin.h"

#include <stdlib.h>
#include <string.h>

#include "feed/plugin_decode.h"
#include "feed/qemu_plugin.h"

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
		struct arena *a = malloc(sizeof *a + ARENA_BYTES);

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
	while (arenas) {
		struct arena *next = arenas->next;

		free(arenas);
		arenas = next;
	}
}

/* A block under translation. */
struct block {
	struct qemu_plugin_tb *tb;
	unsigned n;
	struct decode d[BLOCK_MAX];
	struct plugin_site *site[BLOCK_MAX];	/* NULL: no access */
};

static bool has_access(const struct decode *d)
{
	return d->flags & (DECODE_LOAD | DECODE_STORE | DECODE_OTHER);
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
	};
	if (d->flags & DECODE_STREAM)
		s->flags |= SITE_STREAM;
	if (d->flags & DECODE_LOCKED)
		s->flags |= SITE_LOCKED;
	if (d->from)
		s->flags |= SITE_MIX;
	return s;
}

/* What the block does as a whole becomes the leader's. */
static void make_leader(const struct block *b, struct plugin_site *s)
{
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(b->tb, b->n - 1);
	uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(b->tb, 0));
	uint64_t end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);

	s->code = start >> 6;
	s->lines = (uint16_t)(((end - 1) >> 6) - (start >> 6) + 1);
	s->code2 = s->code + (s->lines > 1);
	s->plain_lead = s->lines <= 2 && !(b->d[b->n - 1].flags & DECODE_REPEAT);
	s->instructions = (uint16_t)b->n;
	if (b->d[b->n - 1].flags & DECODE_REPEAT) {
		s->flags |= b->n > 1 ? SITE_REPEAT_LAST : SITE_REPEAT_ONLY;
		s->repeat = qemu_plugin_insn_vaddr(last);
	}
}

/* Moves between sites; an access's own load is followed where it happens. */
static void make_moves(struct block *b, struct plugin_site *leader)
{
	struct plugin_move *move = arena_alloc(b->n * sizeof *move);
	struct plugin_moves first = { .move = move }, *now = &first;
	struct plugin_site *first_site = NULL;

	for (unsigned i = 0; i < b->n; i++) {
		struct plugin_site *s = b->site[i];

		if (s && !first_site)
			first_site = s;
		if (s) {
			now = &s->after;
			now->move = move;
		}
		if (b->d[i].to && !(s && (b->d[i].flags & DECODE_LOAD))) {
			*move++ = (struct plugin_move){ .from = b->d[i].from, .to = b->d[i].to };
			now->n++;
		}
	}
	if (first_site)
		first_site->before = first;
	else
		leader->after = first;
}

/*
 * Callbacks are registered for loads and stores alike: QEMU 7.2 takes the kinds one off
 * (asked for loads it calls for stores), and what an instruction does is known here.
 */
static void hang(const struct block *b, unsigned i, bool leader)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(b->tb, i);
	qemu_plugin_mem_fn fn = plugin_core_other;

	if (b->d[i].flags == DECODE_LOAD)
		fn = leader ? plugin_core_load_leader : plugin_core_load;
	else if (b->d[i].flags == DECODE_STORE)
		fn = leader ? plugin_core_store_leader : plugin_core_store;
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

void plugin_site_translate(struct qemu_plugin_tb *tb)
{
	struct block b = { .tb = tb, .n = count_instructions(tb) };
	struct plugin_site *leader;
	unsigned lead_at;

	if (!b.n || b.n > BLOCK_MAX)
		return;
	for (unsigned i = 0; i < b.n; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		b.d[i] = decode_instruction(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
		if (has_access(b.d + i))
			b.site[i] = new_site(&b, i);
	}
	lead_at = choose_leader(&b);
	if (lead_at < b.n) {
		leader = b.site[lead_at];
	} else {
		leader = arena_alloc(sizeof *leader);
		*leader = (struct plugin_site){ 0 };
		qemu_plugin_register_vcpu_tb_exec_cb(tb, plugin_core_block,
						     QEMU_PLUGIN_CB_NO_REGS, leader);
	}
	make_leader(&b, leader);
	make_moves(&b, leader);
	for (unsigned i = 0; i < b.n; i++) {
		if (b.site[i])
			hang(&b, i, i == lead_at);
	}
}
