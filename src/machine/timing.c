/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window model of an out-of-order core.  Called for every record of every core, so
 * the common cases touch a few words and take no division.
 */
#include "machine/timing.h"

#include <string.h>

#include "base/bits.h"
#include "catalog/product.h"

enum { PER = 256 };		/* what base_cpi and l2_hit count */

struct timing_design timing_of_core(const struct cat_core *core)
{
	return (struct timing_design){
		.fill_buffers = core->fill_buffers,
		.super_queue = core->super_queue,
		.reorder = core->reorder,
		.store_reach = core->stores * 6,
		.base_cpi = PER / 3,
		.l2_hit = 3 * PER,
		.l1_load = core->l1_load,
		.l2_load = core->l2_load,
		.locked = core->locked,
	};
}

static uint32_t cost(unsigned clocks_per, uint32_t khz)
{
	return (uint32_t)(((uint64_t)clocks_per * 1000000000 << 16) / PER / khz);
}

void timing_clock(struct timing *t, uint32_t khz)
{
	t->instruction_cost = cost(t->design->base_cpi, khz);
	t->l2_cost = cost(t->design->l2_hit, khz);
	t->l1_chain = cost(t->design->l1_load * PER, khz);
	t->l2_chain = cost(t->design->l2_load * PER, khz);
	t->locked_cost = cost(t->design->locked * PER, khz);
}

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t least(const uint64_t *of)
{
	_Static_assert(TIMING_GROUP == 4 && TIMING_POOL / TIMING_GROUP == 4, "groups and their members alike");
	return lesser(lesser(of[0], of[1]), lesser(of[2], of[3]));
}

static void pool_init(struct timing_pool *p, unsigned size)
{
	for (unsigned i = 0; i < TIMING_POOL; i++)
		p->entry[i] = i < size ? i : UINT64_MAX;
	for (unsigned i = 0; i < LEN(p->group); i++)
		p->group[i] = least(&p->entry[i * TIMING_GROUP]);
	p->first = least(p->group);
}

void timing_init(struct timing *t, const struct timing_design *design, uint32_t khz)
{
	memset(t, 0, sizeof *t);
	pool_init(&t->fill, design->fill_buffers);
	pool_init(&t->super, design->super_queue);
	t->free_until = UINT64_MAX;
	t->design = design;
	timing_clock(t, khz);
}

enum timing_class timing_class(enum leave_kind kind)
{
	static const uint8_t class[64] = {
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
		[LEAVE_AHEAD] = TIMING_AHEAD,
	};

	return class[kind % LEN(class)];
}

/* With a branch, though it goes either way half of the time: guessed right, nothing waits for the sum of all waits before. */
static inline void stall_until(struct timing *t, uint64_t when)
{
	if (when > t->now) {
		t->stalled += when - t->now;
		t->now = when;
		t->fraction = 0;
	}
}

/* Time passes, in 2^-16 picoseconds. */
static inline void pass(struct timing *t, uint64_t time)
{
	uint64_t sum = t->fraction + time;

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
	pass(t, (to - t->retired) * t->instruction_cost);
	t->retired = to;
}

/* The same as timing_work() where an outstanding miss may be in the way. */
__attribute__((cold, noinline)) static void work_behind(struct timing *t, uint64_t to, uint32_t l2_hits)
{
	struct timing_miss *first;

	pass(t, (uint64_t)l2_hits * t->l2_cost);
	for (;;) {
		struct timing_miss *store = oldest(t, &t->stores);

		first = oldest(t, &t->loads);
		if (!first || (store && store->last < first->last))
			first = store;
		if (!first || first->last >= to)
			break;
		if (first->last > t->retired)
			retire(t, first->last);
		stall_until(t, first->back);
	}
	t->free_until = first ? first->last : UINT64_MAX;
	retire(t, to);
}

void timing_work(struct timing *t, uint32_t instructions, uint32_t l2_hits)
{
	uint64_t to = t->retired + instructions;

	if (__builtin_expect(to > t->free_until, 0)) {
		work_behind(t, to, l2_hits);
		return;
	}
	t->retired = to;
	pass(t, (uint64_t)instructions * t->instruction_cost + (uint64_t)l2_hits * t->l2_cost);
}

void timing_locked(struct timing *t, uint32_t n)
{
	pass(t, (uint64_t)n * t->locked_cost);
}

/* What the core did meanwhile is in the chain's shadow.  Misses of the chain and its hits come after each other. */
void timing_chain(struct timing *t, uint32_t l1, uint32_t l2)
{
	uint64_t hits = ((uint64_t)l1 * t->l1_chain + (uint64_t)l2 * t->l2_chain) >> 16;
	uint64_t back = (t->miss_back > t->chained ? t->miss_back : t->chained) + hits;

	if (back > t->now) {
		t->now = back;
		t->fraction = 0;
	}
	t->chained = t->now;
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
	if (t->retired + reach < t->free_until)
		t->free_until = t->retired + reach;
}

static inline uint64_t pool_time(uint64_t entry)
{
	return entry >> TIMING_POOL_BITS;
}

/* Wait until an entry is free. */
static inline void pool_wait(struct timing *t, const struct timing_pool *p)
{
	stall_until(t, pool_time(p->first));
}

/* Take the entry that is free first, or has been for longest. */
static inline void pool_take(struct timing_pool *p, uint64_t until)
{
	unsigned n = p->first % TIMING_POOL;

	p->entry[n] = until << TIMING_POOL_BITS | n;
	p->group[n / TIMING_GROUP] = least(&p->entry[n - n % TIMING_GROUP]);
	p->first = least(p->group);
}

/* Wait until all are. */
static void pool_settle(struct timing *t, const struct timing_pool *p)
{
	for (unsigned i = 0; i < TIMING_POOL; i++)
		if (p->entry[i] < UINT64_MAX)
			stall_until(t, pool_time(p->entry[i]));
}

void timing_settle(struct timing *t)
{
	pool_settle(t, &t->super);
	pool_settle(t, &t->fill);
	t->loads.used = t->stores.used = 0;
	t->free_until = UINT64_MAX;
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
	if (class & ~TIMING_SUPER) {
		if (class & TIMING_SETTLES)
			timing_settle(t);
		if (class & TIMING_FILL)
			pool_wait(t, &t->fill);
	}
	if (class & TIMING_SUPER)
		pool_wait(t, &t->super);
	return class && dependent ? dependent_start(t) : t->now;
}

void timing_sent(struct timing *t, enum timing_class class, uint64_t sent, uint64_t back)
{
	if (class & ~TIMING_SUPER) {
		if (class & TIMING_WAITS) {
			stall_until(t, back);
			return;
		}
		if (class & TIMING_ORDERED) {
			t->waited += back - sent;
			hold(t, &t->loads, t->design->reorder, back);
			t->miss_back = back;
		} else if (class & TIMING_BUFFERED) {
			hold(t, &t->stores, t->design->store_reach, back);
		}
		pool_take(&t->fill, back);
	}
	if (class & TIMING_SUPER)
		pool_take(&t->super, back);
}
