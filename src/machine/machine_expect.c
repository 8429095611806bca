/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host is told to load before the records that look at it are fed, and what is found then already. */
#include "machine/private.h"

/* Is it a page that the map has at hand?  A record without a line has none. */
static __attribute__((noinline)) bool know_page(struct machine *m, struct machine_page *p, uint64_t word)
{
	uint64_t user = word & bits_low(MACHINE_USER_BITS), line;

	if (machine_kind(word) == LEAVE_TICK || !map_lookup(&m->map, user, &line))
		return false;
	p->number = user / MAP_PAGE_LINES;
	p->page = fabric_page(m->fabric, line);
	return true;
}

void machine_expect(struct machine *m, unsigned core, const struct leave_record *rec, const struct leave_record *end)
{
	struct machine_core *c = &m->core[core];
	unsigned node = c->node;

	if (!m->fabric)
		return;
	for (; rec < end; rec++) {
		uint64_t word = machine_word(rec);
		uint64_t number = (word & bits_low(MACHINE_USER_BITS)) / MAP_PAGE_LINES;
		struct machine_page *p = &m->page[map_slot(number) % MACHINE_PAGES];
		unsigned n = word % MAP_PAGE_LINES, slice;

		if (p->number != number && !know_page(m, p, word))
			continue;
		slice = fabric_prefetch(m->fabric, node, &p->page, n);
		*machine_expected(c, rec) = (struct machine_expected){ .word = word, .place = (p->page.line + n) << 8 | slice };
	}
}
