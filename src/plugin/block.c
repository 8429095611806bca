/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls at the start of a block: it is counted, its code fetched, and the accesses are done that are known there. */
#include "plugin.h"

#include "start.h"
#include "taint.h"

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

void plugin_start_slow(struct plugin_core *c, const struct plugin_block *b)
{
	if (b->flags & (BLOCK_REPEAT_LAST | BLOCK_REPEAT_ONLY))
		count_repeated(c, b);
	else
		xcore_retire(&c->x, b->instructions);
	for (unsigned i = 0; i < b->lines; i++)
		xcore_fetch(&c->x, (b->code + i) << 6);
}

static inline bool can_access(struct plugin_core *c, const struct plugin_known *k, uint64_t addr)
{
	return (addr & 63) <= k->room && xcore_again(&c->x, addr, k->state);
}

/* One line of a known access.  Has a load missed? */
static bool access_line(struct plugin_core *c, const struct plugin_site *s, uint64_t addr, unsigned dep)
{
	bool missed = false;

	if (s->flags & SITE_AHEAD)
		plugin_ahead(c, s, addr, dep);
	if (s->flags & SITE_LOAD)
		missed = xcore_load(&c->x, addr, s->ip, dep) == XCORE_UNCORE;
	if (s->flags & SITE_STORE)
		xcore_store(&c->x, addr, 0);
	return missed;
}

/* What misses the simulated caches misses this computer's as well, soon: let its memory work meanwhile. */
static inline void warm(uint64_t addr)
{
	__builtin_prefetch((const void *)(uintptr_t)addr);
}

/* One known access, whole.  Has a load missed? */
static bool access_known(struct plugin_core *c, const struct plugin_known *k, uint64_t addr, unsigned dep)
{
	bool missed;

	if (can_access(c, k, addr))
		return false;
	warm(addr);
	missed = access_line(c, k->site, addr, dep);
	if ((addr & 63) > k->room)
		missed |= access_line(c, k->site, plugin_next_line(addr), dep);
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
	warm(addr);
	return follows(c, k, xcore_load_slow(&c->x, addr, k->site->ip, 0) == XCORE_UNCORE);
}

bool plugin_core_miss_store(struct plugin_core *c, const struct plugin_known *k, uint64_t addr)
{
	(void)k;
	c->latest = NULL;
	warm(addr);
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
	plugin_start(c, b);
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

	plugin_here = c ? c : &plugin_nobody;
	if (c)
		plugin_core_known(vcpu, data, reg);
	else
		plugin_nobody.x.left = INT32_MIN / 2;
}

/* The start of a block without known accesses, of which no site leads. */
void plugin_core_block(unsigned vcpu, void *data)
{
	plugin_core_known(vcpu, data, NULL);
}
