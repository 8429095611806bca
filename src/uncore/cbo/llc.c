/* SPDX-License-Identifier: BSD-2-Clause */
/* The tags of a socket's last-level cache: setting up, hash of slices, victims. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "uncore/cbo/llc.h"

/*
 * The base sequence: every run of `slices` indices, aligned to it, holds each slice once,
 * in an order of its own; so small blocks spread evenly and no stride stays in one slice.
 */
static void base_sequence(struct llc *c)
{
	uint32_t random = 0x9e3779b9;
	uint8_t order[LLC_MAX_SLICES];
	bool power = (c->slices & (c->slices - 1)) == 0;

	for (unsigned i = 0; i < 1u << LLC_HASH_BITS; i++) {
		unsigned k = i % c->slices;

		if (power) {
			c->slice[i] = (uint8_t)(i & (c->slices - 1));
			continue;
		}
		for (unsigned j = 0; k == 0 && j < c->slices; j++)
			order[j] = (uint8_t)j;
		for (unsigned j = c->slices - 1; k == 0 && j > 0; j--) {
			random = random * 1664525 + 1013904223;
			unsigned other = (random >> 16) % (j + 1);
			uint8_t swap = order[j];

			order[j] = order[other];
			order[other] = swap;
		}
		c->slice[i] = order[k];
	}
}

/* Zeroed; in huge pages if the host has them, for look-ups are random. */
static void *allocate(size_t size)
{
	size_t page = (size_t)1 << 21, whole = (size + page - 1) / page * page;
	void *p = aligned_alloc(page, whole);

	if (!p)
		return NULL;
	madvise(p, whole, MADV_HUGEPAGE);
	memset(p, 0, size);
	return p;
}

int llc_init(struct llc *c, unsigned slices, unsigned ways)
{
	bool twice = ways > LLC_WAYS;
	size_t sets = (size_t)slices * LLC_SETS << twice;

	memset(c, 0, sizeof *c);
	if (slices < 1 || slices > LLC_MAX_SLICES || ways < 1 || ways > LLC_MAX_WAYS || (twice && ways % 2))
		return BXS_EINVAL;
	c->slices = slices;
	c->ways = ways >> twice;
	c->sets = LLC_SETS << twice;
	c->full = (1u << c->ways) - 1;
	c->row = allocate(sets * sizeof *c->row);
	c->far = allocate(sets * sizeof *c->far);
	if (!c->row || !c->far) {
		llc_free(c);
		return BXS_ENOMEM;
	}
	base_sequence(c);
	return 0;
}

void llc_free(struct llc *c)
{
	free(c->row);
	free(c->far);
	c->row = NULL;
	c->far = NULL;
}

/* Ages are the top bits, and none of them overflows, so whole bytes can be added. */
static void grow_older(struct llc_row *row, uint8_t by)
{
	for (unsigned way = 0; way < LLC_WAYS; way++)
		row->meta[way] = (uint8_t)(row->meta[way] + by);
}

int llc_room(const struct llc *c, struct llc_row *row)
{
	uint32_t empty = c->full & ~row->lines, old;

	if (empty) {
		row->lines |= empty & -empty;
		return __builtin_ctz(empty);
	}
	while ((old = llc_oldest(row) & c->full) == 0)
		grow_older(row, LLC_AGE_1);
	return __builtin_ctz(old);
}

struct llc_victim llc_fill_last(const struct llc *c, struct llc_place *p, uint64_t line, unsigned meta, unsigned n)
{
	int way = (int)c->ways - 1;

	/* Of places equally old the last one, so that an empty one comes first of all. */
	for (int i = way - 1; i >= 0 && i >= (int)(c->ways - n) && (p->row->meta[way] & LLC_STATE); i--)
		if (!(p->row->meta[i] & LLC_STATE) || (p->row->meta[i] & LLC_AGE) > (p->row->meta[way] & LLC_AGE))
			way = i;
	/* Who stays has seen one more come. */
	for (int i = (int)c->ways - 1; i >= 0 && i >= (int)(c->ways - n); i--)
		if (i != way && (p->row->meta[i] & LLC_AGE) != LLC_AGE)
			p->row->meta[i] = (uint8_t)(p->row->meta[i] + LLC_AGE_1);
	p->way = way;
	p->row->lines |= 1u << way;
	return llc_replace(c, p, line, meta, 0);
}
