// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program's memory: ranges of pages that it may use, in order and apart from each other, and those pages of 16 KiB that it has
 * touched.
 */
#include <stdlib.h>

#include "machine.h"

static struct page **link_of(struct ia64 *m, uint64_t number)
{
	struct page **link = &m->pages[(number ^ number >> 35) & (PAGE_CHAINS - 1)];

	while (*link && (*link)->number != number)
		link = &(*link)->next;
	return link;
}

/* The first range that ends behind a page; it need not begin before it. */
static unsigned find_range(const struct ia64 *m, uint64_t number)
{
	unsigned low = 0, high = m->ranges;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (m->range[middle].end <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A page that is touched for the first time. */
static struct page *make(struct ia64 *m, struct page **link, uint64_t number)
{
	unsigned i = find_range(m, number);
	struct page *page;

	if (i == m->ranges || m->range[i].first > number)
		return NULL;
	page = calloc(1, sizeof *page);
	m->exhausted = !page;
	if (!page)
		return NULL;
	page->number = number;
	page->prot = m->range[i].prot;
	*link = page;
	return page;
}

struct page *memory_page(struct ia64 *m, uint64_t address, unsigned prot)
{
	uint64_t number = address >> PAGE_BITS;
	struct page **link = link_of(m, number), *page = *link ? *link : make(m, link, number);

	if (!page || (page->prot & prot) != prot)
		return NULL;
	if (prot == IA64_READ)
		m->tlb_read[number & (TLB_ENTRIES - 1)] = page;
	if (prot == IA64_WRITE)
		m->tlb_write[number & (TLB_ENTRIES - 1)] = page;
	return page;
}

/* --- Ranges --- */

static bool insert(struct ia64 *m, unsigned i, struct range new)
{
	struct range *more = realloc(m->range, (m->ranges + 1) * sizeof *more);

	if (!more)
		return false;
	m->range = more;
	memmove(more + i + 1, more + i, (m->ranges - i) * sizeof *more);
	more[i] = new;
	m->ranges++;
	return true;
}

/* No range reaches across a border any more. */
static bool split(struct ia64 *m, uint64_t at)
{
	unsigned i = find_range(m, at);

	if (i == m->ranges || m->range[i].first >= at)
		return true;
	if (!insert(m, i, m->range[i]))
		return false;
	m->range[i].end = m->range[i + 1].first = at;
	return true;
}

static void join(struct ia64 *m)
{
	unsigned n = 0;

	for (unsigned i = 1; i < m->ranges; i++) {
		struct range *last = &m->range[n], *r = &m->range[i];

		if (r->first == last->end && r->prot == last->prot)
			last->end = r->end;
		else
			m->range[++n] = *r;
	}
	m->ranges = m->ranges ? n + 1 : 0;
}

/* --- Pages that are there --- */

static void forget(struct ia64 *m, const struct page *page)
{
	unsigned entry = page->number & (TLB_ENTRIES - 1);

	if (m->tlb_read[entry] == page)
		m->tlb_read[entry] = NULL;
	if (m->tlb_write[entry] == page)
		m->tlb_write[entry] = NULL;
	if (m->code_page == page)
		m->code_left = true;
}

static void drop(struct page *page)
{
	free(page->code);
	free(page);
}

static void add_prot(struct ia64 *m, struct page **link, unsigned prot)
{
	(void)m;
	(*link)->prot |= prot;
}

static void set_prot(struct ia64 *m, struct page **link, unsigned prot)
{
	forget(m, *link);
	(*link)->prot = prot;
}

static void clear(struct ia64 *m, struct page **link, unsigned prot)
{
	(void)m;
	(void)prot;
	memset((*link)->data, 0, PAGE_SIZE);
}

/* A page that executes is kept until nothing can return to it. */
static void take_out(struct ia64 *m, struct page **link, unsigned prot)
{
	struct page *page = *link;

	(void)prot;
	*link = page->next;
	forget(m, page);
	if (page->code) {
		page->next = m->dropped;
		m->dropped = page;
	} else {
		drop(page);
	}
}

/* Call fn for each page from first to before end, by number or by what is there, whichever is less. */
static void each(struct ia64 *m, uint64_t first, uint64_t end, void (*fn)(struct ia64 *, struct page **, unsigned), unsigned prot)
{
	for (uint64_t number = first; end - first <= PAGE_CHAINS && number < end; number++) {
		struct page **link = link_of(m, number);

		if (*link)
			fn(m, link, prot);
	}
	for (unsigned i = 0; end - first > PAGE_CHAINS && i < PAGE_CHAINS; i++)
		for (struct page **link = &m->pages[i], *page; (page = *link);) {
			if (page->number >= first && page->number < end)
				fn(m, link, prot);
			if (*link == page)
				link = &page->next;
		}
}

/* --- What a kernel does --- */

static bool fill_gaps(struct ia64 *m, uint64_t first, uint64_t end, unsigned prot)
{
	unsigned i = find_range(m, first);

	for (uint64_t at = first; at < end; i++) {
		uint64_t next = i < m->ranges && m->range[i].first < end ? m->range[i].first : end;

		if (next == at)
			m->range[i].prot |= prot;
		else if (!insert(m, i, (struct range){ at, next, prot }))
			return false;
		at = m->range[i].end;
	}
	return true;
}

bool memory_map(struct ia64 *m, uint64_t start, uint64_t size, unsigned prot)
{
	uint64_t first = start >> PAGE_BITS, end = ((start + size - 1) >> PAGE_BITS) + 1;

	if (size > UINT64_C(1) << 32 || start + size < start)
		return false;
	if (!size)
		return true;
	if (!split(m, first) || !split(m, end) || !fill_gaps(m, first, end, prot))
		return false;
	join(m);
	each(m, first, end, add_prot, prot);
	return true;
}

static bool is_mapped(const struct ia64 *m, uint64_t first, uint64_t end)
{
	unsigned i = find_range(m, first);

	for (; first < end && i < m->ranges && m->range[i].first <= first; i++)
		first = m->range[i].end;
	return first >= end;
}

bool memory_protect(struct ia64 *m, uint64_t start, uint64_t size, unsigned prot)
{
	uint64_t first = start >> PAGE_BITS, end = first + (size >> PAGE_BITS);

	if (!is_mapped(m, first, end) || !split(m, first) || !split(m, end))
		return false;
	for (unsigned i = find_range(m, first); i < m->ranges && m->range[i].first < end; i++)
		m->range[i].prot = prot;
	join(m);
	each(m, first, end, set_prot, prot);
	return true;
}

bool memory_unmap(struct ia64 *m, uint64_t start, uint64_t size)
{
	uint64_t first = start >> PAGE_BITS, end = first + (size >> PAGE_BITS);
	unsigned from, to;

	if (!split(m, first) || !split(m, end))
		return false;
	from = find_range(m, first);
	for (to = from; to < m->ranges && m->range[to].first < end;)
		to++;
	memmove(m->range + from, m->range + to, (m->ranges - to) * sizeof *m->range);
	m->ranges -= to - from;
	each(m, first, end, take_out, 0);
	return true;
}

void memory_clear(struct ia64 *m, uint64_t start, uint64_t size)
{
	each(m, start >> PAGE_BITS, (start + size) >> PAGE_BITS, clear, 0);
}

static void drop_chain(struct page *page)
{
	for (struct page *next; page; page = next) {
		next = page->next;
		drop(page);
	}
}

void memory_free(struct ia64 *m)
{
	for (unsigned i = 0; i < PAGE_CHAINS; i++)
		drop_chain(m->pages[i]);
	drop_chain(m->dropped);
	free(m->range);
}
