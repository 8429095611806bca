// SPDX-License-Identifier: BSD-2-Clause
/* A program's memory: pages of 16 KiB by number, with permissions. */
#include <stdlib.h>

#include "machine.h"

static struct page **chain_of(struct ia64 *m, uint64_t number)
{
	return &m->pages[(number ^ number >> 35) & (PAGE_CHAINS - 1)];
}

static struct page *find(struct ia64 *m, uint64_t number)
{
	struct page *page = *chain_of(m, number);

	while (page && page->number != number)
		page = page->next;
	return page;
}

struct page *memory_page(struct ia64 *m, uint64_t address, unsigned prot)
{
	uint64_t number = address >> PAGE_BITS;
	struct page *page = find(m, number);

	if (!page || (page->prot & prot) != prot)
		return NULL;
	if (prot == IA64_READ)
		m->tlb_read[number & (TLB_ENTRIES - 1)] = page;
	if (prot == IA64_WRITE)
		m->tlb_write[number & (TLB_ENTRIES - 1)] = page;
	return page;
}

static struct page *make(struct ia64 *m, uint64_t number)
{
	struct page **chain = chain_of(m, number), *page = calloc(1, sizeof *page);

	if (page) {
		page->number = number;
		page->next = *chain;
		*chain = page;
	}
	return page;
}

bool memory_map(struct ia64 *m, uint64_t start, uint64_t size, unsigned prot)
{
	if (size > UINT64_C(1) << 32 || start + size < start)
		return false;
	for (uint64_t number = start >> PAGE_BITS; size && number <= (start + size - 1) >> PAGE_BITS; number++) {
		struct page *page = find(m, number);

		if (!page)
			page = make(m, number);
		if (!page)
			return false;
		page->prot |= prot;
	}
	return true;
}

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

bool memory_protect(struct ia64 *m, uint64_t start, uint64_t size, unsigned prot)
{
	uint64_t first = start >> PAGE_BITS, end = first + (size >> PAGE_BITS);

	for (uint64_t number = first; number < end; number++)
		if (!find(m, number))
			return false;
	for (uint64_t number = first; number < end; number++) {
		struct page *page = find(m, number);

		forget(m, page);
		page->prot = prot;
	}
	return true;
}

static void drop(struct page *page)
{
	free(page->code);
	free(page);
}

/* A page that executes is kept until nothing can return to it. */
void memory_unmap(struct ia64 *m, uint64_t start, uint64_t size)
{
	for (uint64_t number = start >> PAGE_BITS; number < (start + size) >> PAGE_BITS; number++) {
		struct page *page = find(m, number), **link = chain_of(m, number);

		if (!page)
			continue;
		while (*link != page)
			link = &(*link)->next;
		*link = page->next;
		forget(m, page);
		if (page->code) {
			page->next = m->dropped;
			m->dropped = page;
		} else {
			drop(page);
		}
	}
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
}
