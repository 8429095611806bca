/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens to a core now and then: ticks, snoops, streaming stores, flushes, locks. */
#include "xcore/private.h"

#include <string.h>

/* xcore_attend() is due when `at` have retired since the last record. */
static void attend_at(struct xcore *c, uint32_t at)
{
	uint32_t retired = xcore_retired(c);

	c->left = (int32_t)(at - retired) - c->held;
	c->span = c->left + (int32_t)retired;
}

void xcore_attend(struct xcore *c)
{
	uint32_t retired = xcore_retired(c);

	if (retired >= c->tick) {
		emit(c, 0, LEAVE_TICK, 0);
		drain(c);
	} else {
		attend_at(c, retired + c->every < c->tick ? retired + c->every : c->tick);
		c->leave(c->ctx, c->out, 0);
	}
}

void xcore_look_every(struct xcore *c, uint32_t instructions)
{
	c->every = instructions < c->tick ? instructions : c->tick;
	if (c->left + c->held > (int32_t)c->every)
		attend_at(c, xcore_retired(c) + c->every);
}

void xcore_hold(struct xcore *c, bool on)
{
	int32_t held = on ? INT32_MAX / 2 : 0;

	c->left -= held - c->held;
	c->span -= held - c->held;
	c->held = held;
}

/* Take line out of a cache or change its state; what it was. */
static enum cache_state change(struct xcore *c, struct cache *a, uint64_t line,
			       enum cache_state to)
{
	struct cache_set *s = cache_set(a, line);
	int way = cache_find(s, line);
	enum cache_state was;

	if (way < 0)
		return CACHE_NONE;
	was = cache_state(s, (unsigned)way);
	if (a == &c->l1i && !to) {
		settle_l1i(c, line);
		forget_l1i(c, line);
	}
	if (a == &c->l1d)
		change_l1d(c, line, (unsigned)way, to);
	else
		cache_set_state(s, (unsigned)way, to);
	return was;
}

/* The same everywhere; was it modified anywhere? */
static __attribute__((noinline)) bool change_all(struct xcore *c, uint64_t line, enum cache_state to)
{
	bool modified = change(c, &c->l1d, line, to) == CACHE_MODIFIED;

	modified |= change(c, &c->l2, line, to) == CACHE_MODIFIED;
	change(c, &c->l1i, line, to);
	return modified;
}

static enum cache_state state_in(const struct cache *a, uint64_t line)
{
	const struct cache_set *s = cache_set(a, line);
	int way = cache_find(s, line);

	return way < 0 ? CACHE_NONE : cache_state(s, (unsigned)way);
}

enum cache_state xcore_holds(const struct xcore *c, uint64_t line)
{
	enum cache_state data = state_in(&c->l1d, line), l2 = state_in(&c->l2, line), code = state_in(&c->l1i, line);

	data = data > l2 ? data : l2;
	return data > code ? data : code;
}

#ifdef BXS_CHECKED
static unsigned modified_in(const struct cache *a, const struct cache *but)
{
	unsigned n = 0;

	for (uint64_t set = 0; set <= a->mask; set++) {
		for (unsigned way = 0; way < CACHE_WAYS; way++) {
			uint64_t entry = a->set[set].entry[way];

			n += cache_entry_state(entry) == CACHE_MODIFIED && !(but && state_in(but, cache_entry_line(entry)) == CACHE_MODIFIED);
		}
	}
	return n;
}

unsigned xcore_modified(const struct xcore *c)
{
	return modified_in(&c->l1d, NULL) + modified_in(&c->l2, &c->l1d);
}
#endif

/* The core has gone on since it asked: what it has written since is its own. */
static void accept_share(struct xcore *c, uint64_t line)
{
	if (xcore_holds(c, line) != CACHE_MODIFIED)
		change_all(c, line, CACHE_SHARED);
}

void xcore_share(struct xcore *c, xcore_order_fn order)
{
	c->order = order;
}

/* Another core uses line, too. */
static void contend(struct xcore *c, uint64_t line, bool lost)
{
	struct xcore_recent *r = recent_of(c, line);

	if (!c->order)
		return;
	*contended_at(c, line) = (struct xcore_contended){ .line = line, .left = XCORE_CALM, .lost = lost };
	settle_l1d(c, line);
	for (unsigned i = 0; i < 2; i++) {
		if (r->line[i] == line << 6)
			forget(r, i);
	}
}

void xcore_snoop(struct xcore *c, const struct leave_snoop *snoop)
{
	enum cache_state to = snoop->kind == LEAVE_SNOOP_SHARE ? CACHE_SHARED : CACHE_NONE;
	bool modified;

	if (snoop->space != c->space)
		return;
	if (snoop->kind == LEAVE_SNOOP_CONTEND) {
		contend(c, snoop->line, false);
		return;
	}
	if (!cache_any(cache_set(&c->l1d, snoop->line), cache_set(&c->l2, snoop->line), cache_set(&c->l1i, snoop->line),
		       snoop->line))
		return;
	if (snoop->kind == LEAVE_SNOOP_GRANT) {
		accept_share(c, snoop->line);
		return;
	}
	modified = change_all(c, snoop->line, to);
	owe(c, -modified);
	if (snoop->kind == LEAVE_SNOOP_INVALIDATE || (modified && snoop->kind == LEAVE_SNOOP_SHARE))
		contend(c, snoop->line, !to);
}

/* Buffer i leaves. */
static void spill(struct xcore *c, unsigned i)
{
	struct xcore_gather *g = c->gather + i;

	emit(c, g->line, g->written == UINT64_MAX ? LEAVE_WCILF : LEAVE_WCIL, 0);
	c->gathers--;
	memmove(g, g + 1, (c->gathers - i) * sizeof *g);
}

void xcore_spill_line(struct xcore *c, uint64_t line)
{
	for (unsigned i = 0; i < c->gathers; i++) {
		if (c->gather[i].line == line) {
			spill(c, i);
			return;
		}
	}
}

void xcore_fence(struct xcore *c)
{
	while (c->gathers)
		spill(c, 0);
	drain(c);
}

void xcore_stream(struct xcore *c, uint64_t addr, unsigned bytes)
{
	uint64_t line = addr >> 6;
	unsigned i = 0;

	while (i < c->gathers && c->gather[i].line != line)
		i++;
	if (i == c->gathers) {
		if (change_all(c, line, CACHE_NONE))
			emit(c, line, LEAVE_WB_M, 0);
		if (i == XCORE_FILL_BUFFERS) {
			spill(c, 0);
			i--;
		}
		c->gather[i] = (struct xcore_gather){ .line = line };
		c->gathers++;
	}
	c->gather[i].written |= bits_low(bytes) << (addr & 63);
	if (c->gather[i].written == UINT64_MAX)
		spill(c, i);
	drain(c);
}

void xcore_evict(struct xcore *c, uint64_t addr)
{
	uint64_t line = addr >> 6;

	xcore_spill_line(c, line);
	if (change_all(c, line, CACHE_NONE))
		emit(c, line, LEAVE_WB_M, 0);
	emit(c, line, LEAVE_CLFLUSH, 0);
	drain(c);
}

void xcore_lock(struct xcore *c, uint64_t addr)
{
	emit(c, addr >> 6, LEAVE_LOCK, 0);
	drain(c);
}

void xcore_chained(struct xcore *c, uint32_t l1, uint32_t l2)
{
	if (l1 || l2)
		emit(c, l1 + l2 * LEAVE_CHAIN_L2, LEAVE_TICK, 0);
	drain(c);
}

void xcore_locked(struct xcore *c, uint32_t n)
{
	if (n)
		emit(c, n, LEAVE_TICK, LEAVE_ATOMIC);
	drain(c);
}

void xcore_tell(struct xcore *c, unsigned flags)
{
	if (xcore_retired(c) || c->l2_hits || c->l1_misses)
		emit(c, 0, LEAVE_TICK, flags);
	drain(c);
}

void xcore_flush(struct xcore *c)
{
	while (c->gathers)
		spill(c, 0);
	xcore_tell(c, 0);
}
