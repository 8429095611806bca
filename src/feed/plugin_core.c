// SPDX-License-Identifier: BSD-2-Clause
/*
 * What runs with every memory access of the traced program: from the emulator's callback
 * through the private caches to the ring.
 */
#include "feed/plugin.h"

#include <stdlib.h>

#include "feed/qemu_plugin.h"

/* A load can only be held up by a miss that is still in the reorder buffer with it. */
#define REORDER_BUFFER 192

/* The emulator hands callbacks a thread number and no context of ours. */
struct plugin_core *plugin_cores[PLUGIN_THREADS];

/* In a program of several threads, how often a core that hits its caches looks for snoops. */
#define LOOK_EVERY 256

static void leave(void *ctx, const struct leave_record *rec, unsigned n)
{
	struct plugin_core *c = ctx;
	struct leave_snoop snoop;

	if (atomic_load_explicit(&c->writer.segment->detached, memory_order_relaxed))
		return;
	for (unsigned i = 0; i < n; i++) {
		ring_wait(&c->writer);
		while (ring_take_snoop(&c->writer, &snoop))
			xcore_snoop(&c->x, &snoop);
		ring_write(&c->writer, rec + i);
		c->told += rec[i].instructions;
	}
	ring_publish(&c->writer, false);
	if (!atomic_load_explicit(&c->writer.segment->several, memory_order_relaxed))
		return;
	if (c->x.every != LOOK_EVERY)
		xcore_look_every(&c->x, LOOK_EVERY);
	if (ring_flooded(&c->writer))
		xcore_clear(&c->x);
	while (ring_take_snoop(&c->writer, &snoop))
		xcore_snoop(&c->x, &snoop);
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
	xcore_done(&c->x);
	free(c);
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

static uint64_t retired(const struct plugin_core *c)
{
	return c->told + c->x.retired;
}

/* The leader's work: count the block and fetch its code. */

/* A repeated instruction retires once, however many rounds it takes. */
static void count_repeated(struct plugin_core *c, const struct plugin_site *s)
{
	if ((s->flags & SITE_REPEAT_ONLY) && c->repeating == s->repeat &&
	    c->repeated_at == retired(c))
		return;
	xcore_retire(&c->x, s->instructions);
	c->repeating = s->repeat;
	c->repeated_at = retired(c);
}

/* Everything but the plain case. */
static __attribute__((noinline)) void lead_slow(struct plugin_core *c, const struct plugin_site *s)
{
	if (s->flags & (SITE_REPEAT_LAST | SITE_REPEAT_ONLY))
		count_repeated(c, s);
	else
		xcore_retire(&c->x, s->instructions);
	for (unsigned i = 0; i < s->lines; i++)
		xcore_fetch(&c->x, (s->code + i) << 6);
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
	if (__builtin_expect(s->plain_lead && xcore_can_fetch(&c->x, s->code) &&
			     xcore_can_fetch(&c->x, s->code2) &&
			     c->x.retired + s->instructions < c->x.attend, 1))
		c->x.retired += s->instructions;
	else
		lead_slow(c, s);
}

/* Following values from a missing load into addresses; only for a while after a miss. */

static void follow(struct plugin_core *c, const struct plugin_moves *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		if (c->tainted & m->move[i].from)
			c->tainted |= m->move[i].to;
		else
			c->tainted &= (uint16_t)~m->move[i].to;
	}
}

/* Is the access at s made with a value out of the last missing load? */
static unsigned dependence(struct plugin_core *c, const struct plugin_site *s)
{
	if (retired(c) > c->tainted_until) {
		c->tainted = 0;
		c->pending = NULL;
		return 0;
	}
	if (c->pending)
		follow(c, c->pending);
	follow(c, &s->before);
	c->pending = &s->after;
	return c->tainted & s->address ? LEAVE_DEPENDENT : 0;
}

/* A load has put its value into s->to. */
static void taint(struct plugin_core *c, const struct plugin_site *s, bool missed, unsigned dep)
{
	if (missed) {
		c->tainted = s->to;
		c->tainted_until = retired(c) + REORDER_BUFFER;
		c->pending = &s->after;
	} else if (dep) {
		c->tainted |= s->to;
	} else if (!(s->flags & SITE_MIX)) {
		c->tainted &= (uint16_t)~s->to;
	}
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

static void load(struct plugin_core *c, const struct plugin_site *s, uint64_t addr)
{
	unsigned dep = c->tainted ? dependence(c, s) : 0;
	bool missed = xcore_load(&c->x, addr, s->ip, dep) == XCORE_UNCORE;

	if (missed || c->tainted)
		taint(c, s, missed, dep);
}

static void store(struct plugin_core *c, const struct plugin_site *s, uint64_t addr)
{
	if (c->tainted)
		dependence(c, s);
	xcore_store(&c->x, addr, 0);
}

/* What the inline paths below leave: not the last line, a crossing, registers to follow. */

static __attribute__((noinline)) void load_slow(struct plugin_core *c, uint32_t info,
						uint64_t addr, const struct plugin_site *s)
{
	load(c, s, addr);
	if (may_cross(addr) && (addr & 63) + (1U << qemu_plugin_mem_size_shift(info)) > 64)
		load(c, s, next_line(addr));
}

static __attribute__((noinline)) void store_slow(struct plugin_core *c, uint32_t info,
						 uint64_t addr, const struct plugin_site *s)
{
	store(c, s, addr);
	if (may_cross(addr) && (addr & 63) + (1U << qemu_plugin_mem_size_shift(info)) > 64)
		store(c, s, next_line(addr));
}

static inline void any_load(struct plugin_core *c, uint32_t info, uint64_t addr,
			    const struct plugin_site *s)
{
	if (__builtin_expect(!xcore_can_load(&c->x, addr >> 6) || c->tainted || may_cross(addr), 0))
		load_slow(c, info, addr, s);
}

static inline void any_store(struct plugin_core *c, uint32_t info, uint64_t addr,
			     const struct plugin_site *s)
{
	if (__builtin_expect(!xcore_can_store(&c->x, addr >> 6) || c->tainted || may_cross(addr), 0))
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

void plugin_core_block(unsigned vcpu, void *data)
{
	struct plugin_core *c = plugin_cores[vcpu];
	const struct plugin_site *s = data;

	if (!c)
		return;
	lead(c, s);
	if (__builtin_expect(c->tainted, 0))
		dependence(c, s);
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
		lead(c, data);
		any_store(c, info, addr, data);
	}
}
