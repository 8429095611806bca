// SPDX-License-Identifier: BSD-2-Clause
/*
 * The window model of an out-of-order core.  Called for every record of every core, so
 * the common cases touch a few words and take no division.
 */
#include "machine/timing.h"

#include <string.h>

#include "base/bits.h"

enum { PER = 256 };		/* what base_cpi and l2_hit count */

/*
 * Haswell: 192 reorder entries, 10 line fill buffers, 16 entries between L2 and ring,
 * 42 store buffer entries at one store in six instructions.  Three instructions a clock
 * without misses; an L2 hit costs 11 clocks, of which the window hides most.
 */
const struct timing_design timing_haswell = {
	.generation = TIMING_HASWELL,
	.bus_khz = 100000,
	.fill_buffers = 10,
	.super_queue = 16,
	.reorder = 192,
	.store_reach = 42 * 6,
	.base_cpi = PER / 3,
	.l2_hit = 3 * PER,
};

/* Sandy Bridge, likewise: 168 instructions in the reorder buffer, 36 store buffer entries. */
const struct timing_design timing_sandy_bridge = {
	.generation = TIMING_SANDY_BRIDGE,
	.bus_khz = 100000,
	.fill_buffers = 10,
	.super_queue = 16,
	.reorder = 168,
	.store_reach = 36 * 6,
	.base_cpi = PER / 3,
	.l2_hit = 3 * PER,
};

/* Nehalem: 128 instructions in the reorder buffer, 32 store buffer entries. */
const struct timing_design timing_nehalem = {
	.generation = TIMING_NEHALEM,
	.bus_khz = 133333,
	.fill_buffers = 10,
	.super_queue = 16,
	.reorder = 128,
	.store_reach = 32 * 6,
	.base_cpi = PER / 3,
	.l2_hit = 3 * PER,
};

static uint32_t cost(unsigned clocks_per, uint32_t khz)
{
	return (uint32_t)(((uint64_t)clocks_per * 1000000000 << 16) / PER / khz);
}

void timing_clock(struct timing *t, uint32_t khz)
{
	t->instruction_cost = cost(t->design->base_cpi, khz);
	t->l2_cost = cost(t->design->l2_hit, khz);
}

static void lane_clear(struct timing_lane *l)
{
	l->head = l->tail = 0;
	l->until[0] = UINT64_MAX;
}

void timing_init(struct timing *t, const struct timing_design *design, uint32_t khz)
{
	memset(t, 0, sizeof *t);
	for (unsigned i = 0; i < LEN(t->super.lane); i++) {
		lane_clear(&t->super.lane[i]);
		lane_clear(&t->fill.lane[i]);
	}
	t->design = design;
	timing_clock(t, khz);
}

enum timing_class timing_class(enum leave_kind kind)
{
	static const uint8_t class[LEAVE_KINDS] = {
		[LEAVE_TICK] = TIMING_NONE,
		[LEAVE_DRD] = TIMING_LOAD,
		[LEAVE_RFO] = TIMING_STORE,
		[LEAVE_CRD] = TIMING_FETCH,
		[LEAVE_PF_DRD] = TIMING_ASIDE,
		[LEAVE_PF_RFO] = TIMING_ASIDE,
		[LEAVE_PF_CRD] = TIMING_ASIDE,
		[LEAVE_PF_LLC_DRD] = TIMING_ASIDE,
		[LEAVE_PF_LLC_RFO] = TIMING_ASIDE,
		[LEAVE_PF_LLC_CRD] = TIMING_ASIDE,
		[LEAVE_ITOM] = TIMING_STORE,
		[LEAVE_WB_M] = TIMING_ASIDE,
		[LEAVE_WB_E] = TIMING_ASIDE,
		[LEAVE_DIRTY] = TIMING_NONE,
		[LEAVE_WCIL] = TIMING_STORE,
		[LEAVE_WCILF] = TIMING_STORE,
		[LEAVE_CLFLUSH] = TIMING_STORE,
		[LEAVE_LOCK] = TIMING_ALONE,
		[LEAVE_UC_READ] = TIMING_ALONE,
		[LEAVE_UC_WRITE] = TIMING_ALONE,
		[LEAVE_HALT] = TIMING_NONE,
	};

	return kind < LEAVE_KINDS ? class[kind] : TIMING_NONE;
}

static inline void stall_until(struct timing *t, uint64_t when)
{
	if (when > t->now) {
		t->stalled += when - t->now;
		t->now = when;
		t->fraction = 0;
	}
}

/* Time passes for n things of a cost each. */
static inline void spend(struct timing *t, uint64_t n, uint32_t each)
{
	uint64_t sum = t->fraction + n * each;

	t->now += sum >> 16;
	t->fraction = sum & 0xffff;
}

/* The oldest miss of a window that is not back yet; NULL: none. */
static inline struct timing_miss *oldest(struct timing *t, struct timing_window *w)
{
	while (w->used && w->miss[w->head].back <= t->now) {
		w->head = (w->head + 1) % TIMING_WINDOW;
		w->used--;
	}
	return w->used ? &w->miss[w->head] : NULL;
}

static inline void retire(struct timing *t, uint64_t to)
{
	spend(t, to - t->retired, t->instruction_cost);
	t->retired = to;
}

void timing_work(struct timing *t, uint32_t instructions, uint32_t l2_hits)
{
	uint64_t to = t->retired + instructions;

	if (l2_hits)
		spend(t, l2_hits, t->l2_cost);
	for (;;) {
		struct timing_miss *load = oldest(t, &t->loads);
		struct timing_miss *store = oldest(t, &t->stores);
		struct timing_miss *first = load;

		if (!load || (store && store->last < load->last))
			first = store;
		if (!first || first->last >= to)
			break;
		if (first->last > t->retired)
			retire(t, first->last);
		stall_until(t, first->back);
	}
	retire(t, to);
}

/*
 * Instructions behind this one may retire up to `reach` ahead of its return.  What a
 * window holds has a fill buffer too, so there is room.
 */
static inline void hold(struct timing *t, struct timing_window *w, unsigned reach, uint64_t back)
{
	/* Retirement is in order: behind a miss that is back later this one is not seen. */
	if (oldest(t, w) && w->miss[(w->head + w->used - 1) % TIMING_WINDOW].back >= back)
		return;
	w->miss[(w->head + w->used) % TIMING_WINDOW] = (struct timing_miss){
		.last = t->retired + reach,
		.back = back,
	};
	w->used++;
}

static inline uint64_t lane_first(const struct timing_lane *l)
{
	return l->until[l->head % TIMING_POOL];
}

static uint64_t lane_last(const struct timing_lane *l)
{
	return l->head == l->tail ? 0 : l->until[(l->tail - 1) % TIMING_POOL];
}

/* Wait until a pool of `size` entries has room. */
static inline void pool_wait(struct timing *t, struct timing_pool *p, unsigned size)
{
	struct timing_lane *a = &p->lane[0], *b = &p->lane[1];

	if (a->tail - a->head + b->tail - b->head >= size) {
		uint64_t first = lane_first(a), other = lane_first(b);

		stall_until(t, first < other ? first : other);
	}
	while (lane_first(a) <= t->now)
		a->head++;
	while (lane_first(b) <= t->now)
		b->head++;
}

/* Mostly the newest is the last to end, or the last of those that end sooner. */
static inline void pool_take(struct timing_pool *p, uint64_t until)
{
	struct timing_lane *l = &p->lane[0];
	uint32_t at = l->tail;

	if (at != l->head && l->until[(at - 1) % TIMING_POOL] > until) {
		l = &p->lane[1];
		for (at = l->tail; at != l->head && l->until[(at - 1) % TIMING_POOL] > until; at--)
			l->until[at % TIMING_POOL] = l->until[(at - 1) % TIMING_POOL];
	}
	l->until[at % TIMING_POOL] = until;
	l->until[++l->tail % TIMING_POOL] = UINT64_MAX;
}

static void pool_settle(struct timing *t, struct timing_pool *p)
{
	for (unsigned i = 0; i < LEN(p->lane); i++) {
		stall_until(t, lane_last(&p->lane[i]));
		lane_clear(&p->lane[i]);
	}
}

void timing_settle(struct timing *t)
{
	pool_settle(t, &t->super);
	pool_settle(t, &t->fill);
	t->loads.used = t->stores.used = 0;
}

/*
 * A dependent miss starts when the one before it is back; the core itself runs on.  It
 * may not run on for ever: only so many chains are followed at once.
 */
static uint64_t dependent_start(struct timing *t)
{
	uint64_t *slot = &t->waiting[t->waiting_next];

	stall_until(t, *slot);
	t->waiting_next = (t->waiting_next + 1) % TIMING_WAITING;
	*slot = t->miss_back > t->now ? t->miss_back : t->now;
	return *slot;
}

/* What requests of a class need and do. */
enum {
	TAKES_SUPER = 1, TAKES_FILL = 2, IS_LOAD = 4,
	WAITS = 8,		/* nothing goes on until it is back */
	SETTLES = 16,		/* and everything before it is back first */
};

static const uint8_t traits[] = {
	[TIMING_NONE] = 0,
	[TIMING_LOAD] = TAKES_SUPER | TAKES_FILL | IS_LOAD,
	[TIMING_STORE] = TAKES_SUPER | TAKES_FILL,
	[TIMING_FETCH] = TAKES_SUPER | WAITS,
	[TIMING_ASIDE] = TAKES_SUPER,
	[TIMING_ALONE] = TAKES_SUPER | WAITS | SETTLES,
};

uint64_t timing_start(struct timing *t, enum timing_class class, bool dependent)
{
	unsigned is = traits[class];

	if (!is)
		return t->now;
	if (is & SETTLES)
		timing_settle(t);
	if (is & TAKES_FILL)
		pool_wait(t, &t->fill, t->design->fill_buffers);
	pool_wait(t, &t->super, t->design->super_queue);
	return dependent ? dependent_start(t) : t->now;
}

void timing_sent(struct timing *t, enum timing_class class, uint64_t back)
{
	unsigned is = traits[class];

	if (!is)
		return;
	if (is & WAITS) {
		stall_until(t, back);
		return;
	}
	if (is & TAKES_FILL) {
		if (is & IS_LOAD) {
			hold(t, &t->loads, t->design->reorder, back);
			t->miss_back = back;
		} else {
			hold(t, &t->stores, t->design->store_reach, back);
		}
		pool_take(&t->fill, back);
	}
	pool_take(&t->super, back);
}
