/* SPDX-License-Identifier: BSD-2-Clause */
/* The tags of a socket's last-level cache: setting up, hash of slices, victims. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "uncore/llc.h"

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
	c->set_bits = LLC_SET_BITS + twice;
	c->row = allocate(sets * sizeof *c->row);
	c->rest = allocate(sets * sizeof *c->rest);
	if (!c->row || !c->rest) {
		llc_free(c);
		return BXS_ENOMEM;
	}
	base_sequence(c);
	return 0;
}

void llc_free(struct llc *c)
{
	free(c->row);
	free(c->rest);
	c->row = NULL;
	c->rest = NULL;
}

#ifdef __SSE2__
/* Ways whose meta byte has `want` under `mask`, as bits. */
static uint32_t ways_with(const struct llc_row *row, uint8_t mask, uint8_t want)
{
	__m128i m = _mm_set1_epi8((char)mask), w = _mm_set1_epi8((char)want);
	__m128i a = _mm_loadu_si128((const __m128i *)row->meta);
	__m128i b = _mm_loadl_epi64((const __m128i *)(row->meta + 16));

	a = _mm_cmpeq_epi8(_mm_and_si128(a, m), w);
	b = _mm_cmpeq_epi8(_mm_and_si128(b, m), w);
	return (uint32_t)_mm_movemask_epi8(a) | ((uint32_t)_mm_movemask_epi8(b) & 0xf) << 16;
}

/* Ages are the top bits, and none of them overflows, so whole bytes can be added.  The
 * upper half of the second load is the row's unused word. */
static void grow_older(struct llc_row *row, uint8_t by)
{
	__m128i n = _mm_set1_epi8((char)by);
	__m128i a = _mm_loadu_si128((const __m128i *)row->meta);
	__m128i b = _mm_loadl_epi64((const __m128i *)(row->meta + 16));

	_mm_storeu_si128((__m128i *)row->meta, _mm_add_epi8(a, n));
	_mm_storel_epi64((__m128i *)(row->meta + 16), _mm_add_epi8(b, n));
}
#else
static uint32_t ways_with(const struct llc_row *row, uint8_t mask, uint8_t want)
{
	uint32_t bits = 0;

	for (unsigned way = 0; way < LLC_WAYS; way++)
		bits |= (uint32_t)((row->meta[way] & mask) == want) << way;
	return bits;
}

static void grow_older(struct llc_row *row, uint8_t by)
{
	for (unsigned way = 0; way < LLC_WAYS; way++)
		row->meta[way] = (uint8_t)(row->meta[way] + by);
}
#endif

static int victim_way(const struct llc *c, struct llc_row *row)
{
	uint32_t ways = (1u << c->ways) - 1;
	uint32_t empty = ways_with(row, LLC_STATE, LLC_I) & ways, old;

	if (empty)
		return __builtin_ctz(empty);
	for (unsigned by = 0;; by += LLC_AGE_1) {
		old = ways_with(row, LLC_AGE, (uint8_t)(LLC_AGE - by)) & ways;
		if (old) {
			if (by)
				grow_older(row, (uint8_t)by);
			return __builtin_ctz(old);
		}
	}
}

/* The inverse of llc_partial() and llc_upper(). */
static uint64_t line_of(const struct llc *c, const struct llc_place *p, int way)
{
	uint64_t upper = p->rest->word[way] >> LLC_CORES, partial = p->row->tag[way];
	uint64_t high = (partial ^ upper << 3) & 0xfff8;	/* bits 15:3 see bits 28:16 */
	uint64_t tag = upper << 16 | high | ((partial ^ high >> 13) & 7);

	return tag << LLC_SET_BITS | (uint64_t)((p->row - c->row) & (LLC_SETS - 1));
}

/* The line goes into `way`. */
static struct llc_victim replace(const struct llc *c, struct llc_place *p, int way, uint64_t line, unsigned meta,
				 uint32_t cores)
{
	struct llc_victim v = {
		.line = line_of(c, p, way),
		.cores = p->rest->word[way] & ((1u << LLC_CORES) - 1),
		.meta = (uint8_t)(p->row->meta[way] & ~LLC_AGE),
	};

	p->way = way;
	p->row->tag[way] = llc_partial(line);
	p->row->meta[way] = (uint8_t)(LLC_AGE_1 | meta);
	p->rest->word[way] = llc_upper(line) << LLC_CORES | cores;
	return v;
}

struct llc_victim llc_fill(const struct llc *c, struct llc_place *p, uint64_t line, unsigned meta,
			   uint32_t cores)
{
	return replace(c, p, victim_way(c, p->row), line, meta, cores);
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
	return replace(c, p, way, line, meta, 0);
}
