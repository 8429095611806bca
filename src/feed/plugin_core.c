// SPDX-License-Identifier: BSD-2-Clause
/*
 * What runs with every memory access of the traced program: from the emulator's callback
 * through the private caches to the ring.
 */
#include "feed/plugin.h"

#include <stdlib.h>

#include "feed/plugin_taint.h"
#include "feed/qemu_plugin.h"

/* The emulator hands callbacks a thread number and no context of ours. */
struct plugin_core *plugin_cores[PLUGIN_THREADS];

/* Stands for cores that are not known: none of its instructions are left. */
static struct plugin_core nobody = { .x = { .left = INT32_MIN / 2 } };

_Thread_local struct plugin_core *plugin_here = &nobody;

/* In a program of several threads, how often a core that hits its caches looks for snoops. */
#define LOOK_EVERY 256

/* Records that gather before the consumer gets to see them: each time costs both sides a cache line. */
#define SHOW_EVERY 16

static void take_snoops(struct plugin_core *c)
{
	struct leave_snoop snoop;

	while (ring_take_snoop(&c->writer, &snoop))
		xcore_snoop(&c->x, &snoop);
}

/* Once there are several threads: show what there is, do what the others want. */
static __attribute__((noinline)) void look_around(struct plugin_core *c)
{
	struct ring_segment *s = c->writer.segment;

	if (atomic_load_explicit(&s->detached, memory_order_relaxed))
		return;
	ring_publish(&c->writer, false);
	c->alone = !atomic_load_explicit(&s->several, memory_order_relaxed);
	if (c->alone)
		return;
	if (c->x.every != LOOK_EVERY)
		xcore_look_every(&c->x, LOOK_EVERY);
	if (ring_flooded(&c->writer))
		xcore_clear(&c->x);
	take_snoops(c);
}

/* Records that have to wait for a place, or for snoops that come before them. */
static __attribute__((noinline)) void write_slowly(struct plugin_core *c, const struct leave_record *rec, unsigned n)
{
	struct ring_writer *w = &c->writer;

	for (unsigned i = 0; i < n; i++) {
		if (!ring_ready(w, 1)) {
			if (atomic_load_explicit(&w->segment->detached, memory_order_relaxed))
				return;
			ring_wait(w);
			take_snoops(c);
		}
		ring_write(w, rec + i);
	}
}

static void leave(void *ctx, const struct leave_record *rec, unsigned n)
{
	struct plugin_core *c = ctx;
	struct ring_writer *w = &c->writer;

	if (__builtin_expect(ring_ready(w, n), 1)) {
		for (unsigned i = 0; i < n; i++)
			ring_write(w, rec + i);
	} else {
		write_slowly(c, rec, n);
	}
	if (__builtin_expect(!c->alone || w->head - w->shown >= SHOW_EVERY || !n, 0))
		look_around(c);
}

struct plugin_core *plugin_core_new(struct ring_segment *s, uint8_t space)
{
	struct plugin_core *c = aligned_alloc(64, (sizeof *c + 63) & ~(size_t)63);
	struct xcore_config cfg = xcore_haswell();

	if (!c)
		return NULL;
	memset(c, 0, sizeof *c);
	cfg.space = space;
	cfg.leave = leave;
	cfg.ctx = c;
	if (xcore_init(&c->x, &cfg) < 0)
		goto fail;
	if (ring_claim(s, space, &c->writer) < 0)
		goto fail;
	return c;
fail:
	xcore_done(&c->x);
	free(c);
	return NULL;
}

void plugin_core_free(struct plugin_core *c)
{
	if (!c)
		return;
	if (plugin_here == c)
		plugin_here = &nobody;
	xcore_done(&c->x);
	free(c);
}

static void drop(void *ctx, const struct leave_record *rec, unsigned n)
{
	(void)ctx, (void)rec, (void)n;
}

void plugin_core_cut_off(struct plugin_core *c)
{
	c->x.leave = drop;
}

void plugin_core_flush(struct plugin_core *c, unsigned kind)
{
	xcore_flush(&c->x);
	if (kind != LEAVE_TICK) {
		struct leave_record rec = { .kind = kind & 63, .space = c->x.space };

		leave(c, &rec, 1);
	}
	ring_publish(&c->writer, true);
}

/* The start of a block: count it and fetch its code. */

/* A repeated instruction retires once, however many rounds it takes. */
static void count_repeated(struct plugin_core *c, const struct plugin_block *b)
{
	if ((b->flags & BLOCK_REPEAT_ONLY) && c->repeating == b->repeat &&
	    c->repeated_at == plugin_retired(c))
		return;
	xcore_retire(&c->x, b->instructions);
	c->repeating = b->repeat;
	c->repeated_at = plugin_retired(c);
}

/* Everything but the plain case. */
static __attribute__((noinline)) void start_slow(struct plugin_core *c, const struct plugin_block *b)
{
	if (b->flags & (BLOCK_REPEAT_LAST | BLOCK_REPEAT_ONLY))
		count_repeated(c, b);
	else
		xcore_retire(&c->x, b->instructions);
	for (unsigned i = 0; i < b->lines; i++)
		xcore_fetch(&c->x, (b->code + i) << 6);
}

static inline void start(struct plugin_core *c, const struct plugin_block *b)
{
	c->latest = NULL;
	if (__builtin_expect(b->plain && xcore_can_fetch(&c->x, b->code) &&
			     xcore_can_fetch(&c->x, b->code2) &&
			     c->x.left + c->x.held > b->instructions, 1))
		c->x.left -= b->instructions;
	else
		start_slow(c, b);
}

static inline void lead(struct plugin_core *c, const struct plugin_site *s)
{
	if (s->parts > 1) {
		/* The pieces of one access come in a row; the first one counts. */
		if (c->piece_of == s && c->pieces_left) {
			c->pieces_left--;
			return;
		}
		c->piece_of = s;
		c->pieces_left = s->parts - 1U;
	}
	start(c, s->block);
}

/* Plain accesses come in pieces of 8 bytes at most. */
static inline bool may_cross(uint64_t addr)
{
	return (addr & 63) > 64 - 8;
}

static inline uint64_t next_line(uint64_t addr)
{
	return (addr | 63) + 1;
}

static bool crosses(uint32_t info, uint64_t addr)
{
	return may_cross(addr) && (addr & 63) + (1U << qemu_plugin_mem_size_shift(info)) > 64;
}

/* A load while values of another one are followed. */
static void load_following(struct plugin_core *c, const struct plugin_site *s, uint64_t addr)
{
	unsigned dep = taint_dependence(c, s);
	bool missed = xcore_load(&c->x, addr, s->ip, dep) == XCORE_UNCORE;

	if (missed || c->tainted)
		taint_load(c, s, missed, dep);
	c->at_retired = plugin_retired(c);
}

static void load(struct plugin_core *c, const struct plugin_site *s, uint64_t addr)
{
	if (c->tainted) {
		load_following(c, s, addr);
	} else if (xcore_load(&c->x, addr, s->ip, 0) == XCORE_UNCORE) {
		taint_load(c, s, true, false);
		c->at_retired = plugin_retired(c);
	}
}

static void store(struct plugin_core *c, const struct plugin_site *s, uint64_t addr)
{
	if (c->tainted)
		taint_dependence(c, s);
	xcore_store(&c->x, addr, 0);
}

/* What the inline paths below leave: not the last line, a crossing, registers to follow. */

static __attribute__((noinline)) void load_slow(struct plugin_core *c, uint32_t info,
						uint64_t addr, const struct plugin_site *s)
{
	load(c, s, addr);
	if (crosses(info, addr))
		load(c, s, next_line(addr));
}

static __attribute__((noinline)) void store_slow(struct plugin_core *c, uint32_t info,
						 uint64_t addr, const struct plugin_site *s)
{
	store(c, s, addr);
	if (crosses(info, addr))
		store(c, s, next_line(addr));
}

static inline void any_load(struct plugin_core *c, uint32_t info, uint64_t addr,
			    const struct plugin_site *s)
{
	if (__builtin_expect(c->tainted || may_cross(addr) || !xcore_load_again(&c->x, addr), 0))
		load_slow(c, info, addr, s);
}

static inline void any_store(struct plugin_core *c, uint32_t info, uint64_t addr,
			     const struct plugin_site *s)
{
	if (__builtin_expect(c->tainted || may_cross(addr) || !xcore_store_again(&c->x, addr), 0))
		store_slow(c, info, addr, s);
}

static void stream(struct plugin_core *c, uint64_t addr, unsigned bytes)
{
	unsigned here = 64 - (unsigned)(addr & 63);

	xcore_stream(&c->x, addr, bytes < here ? bytes : here);
	if (bytes > here)
		xcore_stream(&c->x, next_line(addr), bytes - here);
}

/* Locked, streaming, and what the decoder does not follow. */
void plugin_core_other(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];
	const struct plugin_site *s = data;
	unsigned bytes = 1U << qemu_plugin_mem_size_shift(info);
	bool writes = qemu_plugin_mem_is_store(info);
	bool across = (addr & 63) + bytes > 64;

	if (!c)
		return;
	if (writes && (s->flags & SITE_STREAM)) {
		stream(c, addr, bytes);
		return;
	}
	if (s->flags & SITE_LOCKED)
		xcore_fence(&c->x);
	if (!writes && !(s->flags & SITE_LOCKED)) {
		load(c, s, addr);
		if (across)
			load(c, s, next_line(addr));
		return;
	}
	store(c, s, addr);
	if (!across)
		return;
	store(c, s, next_line(addr));
	if (!writes)
		xcore_lock(&c->x, addr);
}

void plugin_core_fence(unsigned vcpu, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];

	(void)data;
	if (c)
		xcore_fence(&c->x);
}

/* Known accesses. */

static inline bool can_access(struct plugin_core *c, const struct plugin_known *k, uint64_t addr)
{
	return (addr & 63) <= k->room && xcore_again(&c->x, addr, k->state);
}

/* One line of a known access.  Has a load missed? */
static bool access_line(struct plugin_core *c, const struct plugin_site *s, uint64_t addr, unsigned dep)
{
	bool missed = false;

	if (s->flags & SITE_LOAD)
		missed = xcore_load(&c->x, addr, s->ip, dep) == XCORE_UNCORE;
	if (s->flags & SITE_STORE)
		xcore_store(&c->x, addr, 0);
	return missed;
}

/* One known access, whole.  Has a load missed? */
static bool access_known(struct plugin_core *c, const struct plugin_known *k, uint64_t addr, unsigned dep)
{
	bool missed;

	if (can_access(c, k, addr))
		return false;
	missed = access_line(c, k->site, addr, dep);
	if ((addr & 63) > k->room)
		missed |= access_line(c, k->site, next_line(addr), dep);
	return missed;
}

/* While values of a load are followed. */
static __attribute__((noinline)) void rest_following(struct plugin_core *c, const struct plugin_block *b,
						     const uint64_t *reg)
{
	uint64_t missed = 0, dependent = 0, bit = 1;
	uint16_t tainted;

	if (!taint_expired(c))
		taint_end_block(c);
	c->at = NULL;
	tainted = c->tainted;
	if (!b->n && !(tainted & b->touched))
		return;
	for (const struct plugin_known *k = b->known; k < b->known + b->n; k++, bit <<= 1) {
		unsigned dep = tainted & k->registers ? LEAVE_DEPENDENT : 0;

		dependent |= dep ? bit : 0;
		if (access_known(c, k, plugin_known_at(k, reg), dep))
			missed |= bit;
	}
	c->missed = missed;
	c->dependent = dependent;
	if (missed || tainted & b->touched)
		taint_start_block(c, b);
}

/* Nothing is to be followed of a load into a vector register. */
static bool follows(struct plugin_core *c, const struct plugin_known *k, bool missed)
{
	if (!missed || !k->site->to)
		return false;
	c->missed = UINT64_C(1) << k->site->known;
	return true;
}

void plugin_core_fetch(struct plugin_core *c, uint64_t line)
{
	c->latest = NULL;
	xcore_fetch_slow(&c->x, line << 6);
}

bool plugin_core_miss(struct plugin_core *c, const struct plugin_known *k, uint64_t addr)
{
	c->latest = NULL;
	return follows(c, k, access_known(c, k, addr, 0));
}

bool plugin_core_miss_load(struct plugin_core *c, const struct plugin_known *k, uint64_t addr)
{
	c->latest = NULL;
	return follows(c, k, xcore_load_slow(&c->x, addr, k->site->ip, 0) == XCORE_UNCORE);
}

bool plugin_core_miss_store(struct plugin_core *c, const struct plugin_known *k, uint64_t addr)
{
	(void)k;
	c->latest = NULL;
	xcore_store_slow(&c->x, addr, 0);
	return false;
}

void plugin_core_rest(struct plugin_core *c, const struct plugin_block *b, unsigned from,
		      const uint64_t *reg)
{
	uint64_t missed = c->missed, bit = UINT64_C(1) << (from & 63);

	c->at = NULL;
	for (const struct plugin_known *k = b->known + from; k < b->known + b->n; k++, bit <<= 1) {
		if (access_known(c, k, plugin_known_at(k, reg), 0))
			missed |= bit;
	}
	if (!(missed & b->loads))
		return;
	c->missed = missed;
	c->dependent = 0;
	taint_start_block(c, b);
}

void plugin_core_known(unsigned vcpu, void *data, const uint64_t *reg)
{
	struct plugin_core *c = plugin_cores[vcpu];
	const struct plugin_block *b = data;
	const struct plugin_known *k = b->known, *end = k + b->n;

	if (!c)
		return;
	start(c, b);
	if (c->tainted) {
		rest_following(c, b, reg);
		return;
	}
	while (k < end && can_access(c, k, plugin_known_at(k, reg)))
		k++;
	if (k < end) {
		c->missed = 0;
		plugin_core_rest(c, b, (unsigned)(k - b->known), reg);
	}
}

void plugin_core_due(unsigned vcpu, void *data, const uint64_t *reg)
{
	struct plugin_core *c = plugin_cores[vcpu];

	plugin_here = c ? c : &nobody;
	if (c)
		plugin_core_known(vcpu, data, reg);
	else
		nobody.x.left = INT32_MIN / 2;
}

/* The start of a block without known accesses, of which no site leads. */
void plugin_core_block(unsigned vcpu, void *data)
{
	plugin_core_known(vcpu, data, NULL);
}

void plugin_core_load(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];

	if (__builtin_expect(c != NULL, 1))
		any_load(c, info, addr, data);
}

void plugin_core_load_leader(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];

	if (__builtin_expect(c != NULL, 1)) {
		plugin_here = c;
		lead(c, data);
		any_load(c, info, addr, data);
	}
}

void plugin_core_store(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];

	if (__builtin_expect(c != NULL, 1))
		any_store(c, info, addr, data);
}

void plugin_core_store_leader(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];

	if (__builtin_expect(c != NULL, 1)) {
		plugin_here = c;
		lead(c, data);
		any_store(c, info, addr, data);
	}
}
