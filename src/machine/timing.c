// SPDX-License-Identifier: BSD-2-Clause
/*
 * The window model of an out-of-order core.  Called for every record of every core, so
 * the common cases touch a few words and take no division.
 */
#include "machine/timing.h"

#include <string.h>

enum { PER = 256 };		/* what base_cpi and l2_hit count */

/*
 * Haswell: 192 reorder entries, 10 line fill buffers, 16 entries between L2 and ring,
 * 42 store buffer entries at one store in six instructions.  Three instructions a clock
 * without misses; an L2 hit costs 11 clocks, of which the window hides most.
 */
const struct timing_design timing_haswell = {
	.fill_buffers = 10,
	.super_queue = 16,
	.reorder = 192,
	.store_reach = 42 * 6,
	.base_cpi = PER / 3,
	.l2_hit = 3 * PER,
};

/* Sandy Bridge, likewise: 168 instructions in the reorder buffer, 36 store buffer entries. */
const struct timing_design timing_sandy_bridge = {
	.fill_buffers = 10,
	.super_queue = 16,
	.reorder = 168,
	.store_reach = 36 * 6,
	.base_cpi = PER / 3,
	.l2_hit = 3 * PER,
};

/* Nehalem: 128 instructions in the reorder buffer, 32 store buffer entries. */
const struct timing_design timing_nehalem = {
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

void timing_init(struct timing *t, const struct timing_design *design, uint32_t khz)
{
	memset(t, 0, sizeof *t);
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

static void stall_until(struct timing *t, uint64_t when)
{
	if (when > t->now) {
		t->stalled += when - t->now;
		t->now = when;
		t->fraction = 0;
	}
}

/* Time passes for n things of a cost each. */
static void spend(struct timing *t, uint64_t n, uint32_t each)
{
	uint64_t sum = t->fraction + n * each;

	t->now += sum >> 16;
	t->fraction = sum & 0xffff;
}

/* The oldest miss of a window that is not back yet; NULL: none. */
static struct timing_miss *oldest(struct timing *t, struct timing_window *w)
{
	while (w->used && w->miss[w->head].back <= t->now) {
		w->head = (w->head + 1) % TIMING_WINDOW;
		w->used--;
	}
	return w->used ? &w->miss[w->head] : NULL;
}

static void retire(struct timing *t, uint64_t to)
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
static void hold(struct timing *t, struct timing_window *w, unsigned reach, uint64_t back)
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

/* Wait until a pool of `size` entries has room. */
static void pool_wait(struct timing *t, struct timing_pool *p, unsigned size)
{
	if (p->used >= size)
		stall_until(t, p->until[p->head]);
	while (p->used && p->until[p->head] <= t->now) {
		p->head = (p->head + 1) % TIMING_POOL;
		p->used--;
	}
}

/* Mostly the newest is the last to end, so sorting in from behind is a step or two. */
static void pool_take(struct timing_pool *p, uint64_t until)
{
	unsigned head = p->head, at = head + p->used;

	p->used++;
	for (; at != head; at--) {
		uint64_t before = p->until[(at - 1) % TIMING_POOL];

		if (before <= until)
			break;
		p->until[at % TIMING_POOL] = before;
	}
	p->until[at % TIMING_POOL] = until;
}

static uint64_t last_of(const struct timing_pool *p)
{
	return p->used ? p->until[(p->head + p->used - 1u) % TIMING_POOL] : 0;
}

void timing_settle(struct timing *t)
{
	stall_until(t, last_of(&t->super));
	stall_until(t, last_of(&t->fill));
	t->loads.used = t->stores.used = 0;
	t->super.used = t->fill.used = 0;
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

uint64_t timing_start(struct timing *t, enum timing_class class, bool dependent)
{
	switch (class) {
	case TIMING_NONE:
		return t->now;
	case TIMING_LOAD:
	case TIMING_STORE:
		pool_wait(t, &t->fill, t->design->fill_buffers);
		break;
	case TIMING_ALONE:
		timing_settle(t);
		break;
	case TIMING_FETCH:
	case TIMING_ASIDE:
		break;
	}
	pool_wait(t, &t->super, t->design->super_queue);
	return dependent ? dependent_start(t) : t->now;
}

void timing_sent(struct timing *t, enum timing_class class, uint64_t back)
{
	switch (class) {
	case TIMING_NONE:
		return;
	case TIMING_LOAD:
		hold(t, &t->loads, t->design->reorder, back);
		pool_take(&t->fill, back);
		t->miss_back = back;
		break;
	case TIMING_STORE:
		hold(t, &t->stores, t->design->store_reach, back);
		pool_take(&t->fill, back);
		break;
	case TIMING_FETCH:
	case TIMING_ALONE:
		stall_until(t, back);
		return;
	case TIMING_ASIDE:
		break;
	}
	pool_take(&t->super, back);
}
