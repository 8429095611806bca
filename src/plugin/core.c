/* SPDX-License-Identifier: BSD-2-Clause */
/* The core of a thread: its life, and what leaves it for the ring. */
#include "plugin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared.h"
#include "start.h"
#include "turn.h"

/* The emulator hands callbacks a thread number and no context of ours. */
struct plugin_core *plugin_cores[PLUGIN_THREADS];

struct plugin_core plugin_nobody = { .x = { .left = INT32_MIN / 2 } };

_Thread_local struct plugin_core *plugin_here = &plugin_nobody;

_Thread_local struct ring_wishes plugin_wishes;

/* Records that gather before the consumer gets to see them: each time costs both sides a cache line. */
#define SHOW_EVERY 16

static void take_snoops(struct plugin_core *c)
{
	struct leave_snoop snoop;

	while (ring_take_snoop(&c->writer, &snoop))
		plugin_snoop(c, &snoop);
}

/* Show what there is; where threads take turns, is this one's over? */
static __attribute__((noinline)) void look_around(struct plugin_core *c, unsigned n)
{
	if (ring_detached(c->writer.segment))
		return;
	if (c->writer.head - c->writer.shown >= SHOW_EVERY)
		ring_publish(&c->writer, false);
	c->transferred |= c->ordered && n;
	if (c->turns && !c->quiet)
		plugin_turn_look(c);
}

/* Records that have to wait for a place, or for snoops that come before them. */
static __attribute__((noinline)) void write_slowly(struct plugin_core *c, const struct leave_record *rec, unsigned n)
{
	struct ring_writer *w = &c->writer;

	for (unsigned i = 0; i < n; i++) {
		if (!ring_ready(w, 1)) {
			if (ring_detached(w->segment))
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

	struct leave_record named[XCORE_RECORDS];

	if (__builtin_expect(plugin_shared_ranges != 0, 0)) {
		for (unsigned i = 0; i < n; i++) {
			named[i] = rec[i];
			plugin_shared_name(named + i);
		}
		rec = named;
	}
	if (__builtin_expect(ring_ready(w, n), 1)) {
		for (unsigned i = 0; i < n; i++)
			ring_write(w, rec + i);
	} else {
		write_slowly(c, rec, n);
	}
	if (__builtin_expect(!c->alone || w->head - w->shown >= SHOW_EVERY || !n, 0))
		look_around(c, n);
}

struct plugin_core *plugin_core_new(struct ring_segment *s, uint8_t space)
{
	struct plugin_core *c = plugin_memory_core(sizeof *c);
	struct xcore_config cfg = xcore_haswell();

	if (!c)
		return NULL;
	memset(c, 0, sizeof *c);
	c->process = getpid();
	cfg.space = space;
	cfg.leave = leave;
	cfg.ctx = c;
	if (xcore_init(&c->x, &cfg) < 0)
		goto fail;
	if (ring_claim(s, &plugin_wishes, &c->writer) < 0)
		goto fail;
	c->writer.ring->space = space;
	c->moves = c->writer.ring->moves;
	c->alone = true;
	if (atomic_load(&s->several))
		plugin_turn_join(c);
	return c;
fail:
	xcore_done(&c->x);
	/* Our own emulator's code looks at it all the same: as at plugin_nobody. */
	c->x.left = INT32_MIN / 2;
	plugin_memory_core_free(c);
	return NULL;
}

void plugin_core_free(struct plugin_core *c)
{
	if (!c)
		return;
	if (plugin_here == c)
		plugin_here = &plugin_nobody;
	xcore_done(&c->x);
	plugin_memory_core_free(c);
}

static void drop(void *ctx, const struct leave_record *rec, unsigned n)
{
	(void)ctx, (void)rec, (void)n;
}

void plugin_core_cut_off(struct plugin_core *c)
{
	c->x.leave = drop;
}

void plugin_core_tell_locked(struct plugin_core *c)
{
	uint32_t n = c->locks - c->locks_told;
	bool quiet = c->quiet;

	c->locks_told = c->locks;
	c->quiet = true;
	xcore_locked(&c->x, n);
	c->quiet = quiet;
}

void plugin_core_mark(struct plugin_core *c, unsigned kind, uint64_t line)
{
	struct leave_record rec = { .line = line, .kind = kind & 63, .space = c->x.space };

	c->quiet = true;
	plugin_core_tell_locked(c);
	xcore_flush(&c->x);
	if (kind != LEAVE_TICK)
		leave(c, &rec, 1);
	c->quiet = false;
}

void plugin_core_tell(struct plugin_core *c, unsigned flags)
{
	c->quiet = true;
	xcore_tell(&c->x, flags);
	c->quiet = false;
}

void plugin_core_region(struct plugin_core *c, bool begins)
{
	struct leave_record rec = { .line = begins, .kind = LEAVE_REGION, .space = c->x.space };

	c->quiet = true;
	plugin_core_tell_locked(c);
	xcore_tell(&c->x, 0);
	leave(c, &rec, 1);
	c->quiet = false;
}

void plugin_core_flush(struct plugin_core *c, unsigned kind)
{
	plugin_core_mark(c, kind, 0);
	ring_publish(&c->writer, true);
}
