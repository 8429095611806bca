/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of accesses that are not known at the start of their block, one for each piece of an access. */
#include "plugin.h"

#include "start.h"
#include "taint.h"
#include "qemu_plugin.h"

/* Locked instructions of which the machine is told together. */
#define LOCKS_UNTOLD 256

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
	plugin_start(c, s->block);
}

/* Plain accesses come in pieces of 8 bytes at most. */
static inline bool may_cross(uint64_t addr)
{
	return (addr & 63) > 64 - 8;
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
	xcore_store(&c->x, addr, s->flags & SITE_LOCKED ? LEAVE_LOCKED : 0);
}

/* What the inline paths below leave: not the last line, a crossing, registers to follow. */

static __attribute__((noinline)) void load_slow(struct plugin_core *c, uint32_t info,
						uint64_t addr, const struct plugin_site *s)
{
	load(c, s, addr);
	if (crosses(info, addr))
		load(c, s, plugin_next_line(addr));
}

static __attribute__((noinline)) void store_slow(struct plugin_core *c, uint32_t info,
						 uint64_t addr, const struct plugin_site *s)
{
	store(c, s, addr);
	if (crosses(info, addr))
		store(c, s, plugin_next_line(addr));
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
		xcore_stream(&c->x, plugin_next_line(addr), bytes - here);
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
			load(c, s, plugin_next_line(addr));
		return;
	}
	if (s->flags & SITE_LOCKED && !writes && ++c->locks - c->locks_told >= LOCKS_UNTOLD)
		plugin_core_tell_locked(c);
	c->completes = writes && c->locked == s;
	c->locked = writes ? NULL : s;
	store(c, s, addr);
	if (across)
		store(c, s, plugin_next_line(addr));
	c->completes = false;
	if (!across)
		return;
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
