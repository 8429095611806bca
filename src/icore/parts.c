/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches, TLBs and queues: what they hold, whatever it is. */
#include <stdlib.h>

#include "icore/private.h"

bool icore_cache_init(struct cache *cache, unsigned sets, unsigned ways, unsigned shift)
{
	*cache = (struct cache){ .line = calloc((size_t)sets * ways, sizeof *cache->line), .sets = sets, .ways = ways,
				 .shift = (uint8_t)shift };
	return cache->line != NULL;
}

static struct line *set_of(struct cache *cache, uint64_t address)
{
	return &cache->line[(address >> cache->shift) % cache->sets * cache->ways];
}

struct line *icore_cache_find(struct cache *cache, uint64_t address)
{
	struct line *set = set_of(cache, address);

	for (unsigned w = 0; w < cache->ways; w++)
		if (set[w].valid && set[w].tag == address >> cache->shift)
			return &set[w];
	return NULL;
}

/* Not recently used: marks, all taken back when the last one is set (2.9.2). */
void icore_cache_use(struct cache *cache, struct line *line, uint64_t address)
{
	struct line *set = set_of(cache, address);
	bool all = true;

	if (line->used)
		return;
	line->used = 1;
	for (unsigned w = 0; w < cache->ways; w++)
		all &= set[w].used;
	for (unsigned w = 0; all && w < cache->ways; w++)
		set[w].used = &set[w] == line;
}

struct line *icore_cache_victim(struct cache *cache, uint64_t address)
{
	struct line *set = set_of(cache, address);

	for (unsigned w = 0; w < cache->ways; w++)
		if (!set[w].valid)
			return &set[w];
	for (unsigned w = 0; w < cache->ways; w++)
		if (!set[w].used)
			return &set[w];
	return &set[cache->victim++ % cache->ways];
}

bool icore_tlb_find(struct tlb *tlb, uint64_t page, uint64_t stamp)
{
	if (tlb->stamp[tlb->last] && tlb->page[tlb->last] == page) {
		tlb->stamp[tlb->last] = stamp;
		return true;
	}
	for (unsigned i = 0; i < tlb->entries; i++)
		if (tlb->page[i] == page && tlb->stamp[i]) {
			tlb->stamp[i] = stamp;
			tlb->last = i;
			return true;
		}
	return false;
}

bool icore_tlb_put(struct tlb *tlb, uint64_t page, uint64_t stamp)
{
	unsigned oldest = 0;
	bool full;

	for (unsigned i = 0; i < tlb->entries; i++)
		if (tlb->stamp[i] < tlb->stamp[oldest])
			oldest = i;
	full = tlb->stamp[oldest] != 0;
	tlb->page[oldest] = page;
	tlb->stamp[oldest] = stamp;
	tlb->last = oldest;
	return full;
}

void icore_tlb_drop(struct tlb *tlb, uint64_t page)
{
	for (unsigned i = 0; i < tlb->entries; i++)
		if (tlb->page[i] == page)
			tlb->stamp[i] = 0;
}

uint64_t icore_queue_room(const struct queue *q, uint64_t cycle)
{
	uint64_t until = UINT64_MAX;

	for (unsigned i = 0; i < q->size; i++)
		until = q->until[i] < until ? q->until[i] : until;
	return until > cycle ? until : cycle;
}

/* n entries in use for some cycles, its low bits an event of their own. */
static void tell_entries(struct icore *c, const struct queue *q, unsigned n, uint64_t cycles)
{
	if (__builtin_expect(!c->exact, 1)) {
		c->count[q->low] += (n & ((1u << q->shift) - 1)) * cycles;
		c->count[q->high] += (n >> q->shift) * cycles;
		return;
	}
	for (unsigned i = 0; i < (n & ((1u << q->shift) - 1)); i++)
		tell_cycles(c, q->low, cycles);
	for (unsigned i = 0; i < n >> q->shift; i++)
		tell_cycles(c, q->high, cycles);
}

void icore_queue_tell(struct icore *c, struct queue *q, uint64_t cycle)
{
	uint64_t now = c->cycle;

	while (q->seen < cycle && q->seen < q->last) {
		uint64_t next = cycle;
		unsigned n = 0;

		for (unsigned i = 0; i < q->size; i++)
			if (q->until[i] > q->seen) {
				n++;
				next = q->until[i] < next ? q->until[i] : next;
			}
		c->cycle = q->seen;
		tell_entries(c, q, n, next - q->seen);
		q->seen = next;
	}
	c->cycle = now;
	if (q->seen < cycle)
		q->seen = cycle;
}

void icore_queue_take(struct icore *c, struct queue *q, uint64_t until)
{
	unsigned first = 0;

	icore_queue_tell(c, q, c->cycle);
	for (unsigned i = 0; i < q->size; i++)
		if (q->until[i] < q->until[first])
			first = i;
	q->until[first] = until;
	if (until > q->last)
		q->last = until;
}
