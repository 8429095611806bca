/* SPDX-License-Identifier: BSD-2-Clause */
/* What the prefetchers of a core remember, and which lines they ask for. */
#include "xcore/prefetch.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

void prefetch_init(struct prefetch *p, unsigned enabled)
{
	memset(p, 0, sizeof *p);
	p->enabled = enabled;
	for (unsigned i = 0; i < PREFETCH_STREAMS; i++)
		p->page[i] = UINT64_MAX;
}

bool prefetch_stride(struct prefetch *p, uint64_t addr, unsigned ip, uint64_t *want)
{
	struct prefetch_stride *e = p->stride + (ip & 255);
	uint8_t page = (uint8_t)(addr >> 12 ^ addr >> 20);
	uint16_t at = addr & 4095;
	int stride = at - e->last;

	if (!(p->enabled & PREFETCH_STRIDE))
		return false;
	/* Into the next page: the stride goes on where the old page ended. */
	if (page != e->page) {
		e->page = page;
		e->last = at;
		return false;
	}
	e->last = at;
	if (stride == 0 || abs(stride) > PREFETCH_MAX_STRIDE)
		return false;
	if (stride != e->stride) {
		e->stride = (int16_t)stride;
		e->sure = 0;
		return false;
	}
	if (e->sure < 3)
		e->sure++;
	*want = addr + (uint64_t)(int64_t)stride;
	return e->sure >= 2 && *want >> 12 == addr >> 12 && *want >> 6 != addr >> 6;
}

static int find_stream(const struct prefetch *p, uint64_t page)
{
	uint8_t hint = (uint8_t)page;
	uint32_t mask = 0;

#ifdef __SSE2__
	__m128i key = _mm_set1_epi8((char)hint);

	for (unsigned i = 0; i < PREFETCH_STREAMS; i += 16) {
		__m128i have = _mm_loadu_si128((const __m128i *)(p->hint + i));

		mask |= (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(have, key)) << i;
	}
#else
	for (unsigned i = 0; i < PREFETCH_STREAMS; i++)
		mask |= (uint32_t)(p->hint[i] == hint) << i;
#endif
	for (; mask; mask &= mask - 1) {
		int i = __builtin_ctz(mask);

		if (p->page[i] == page)
			return i;
	}
	return -1;
}

/* Up to PREFETCH_BURST lines further, not more than PREFETCH_AHEAD before the access. */
static unsigned extend(struct prefetch_stream *s, uint64_t page, uint64_t *want)
{
	int last = s->last, step = s->step, front = s->front;
	unsigned n = 0;

	if ((front - last) * step < 0)
		front = last;
	while (n < PREFETCH_BURST && (front - last) * step < PREFETCH_AHEAD) {
		if (front + step < 0 || front + step > 63)
			break;
		front += step;
		want[n++] = page << 6 | (uint64_t)front;
	}
	s->front = (int8_t)front;
	return n;
}

unsigned prefetch_stream(struct prefetch *p, uint64_t line, uint64_t *want)
{
	uint64_t page = line >> 6;
	int at = (int)(line & 63);

	if (!(p->enabled & PREFETCH_STREAM))
		return 0;

	int i = find_stream(p, page);

	if (i < 0) {
		i = (int)p->next_stream;
		p->next_stream = (p->next_stream + 1) % PREFETCH_STREAMS;
		p->hint[i] = (uint8_t)page;
		p->page[i] = page;
		p->stream[i] = (struct prefetch_stream){ .last = (uint8_t)at, .front = (int8_t)at };
		return 0;
	}

	struct prefetch_stream *s = p->stream + i;
	int step = (at > s->last) - (at < s->last);

	if (!step)
		return 0;
	if (step != s->step) {
		s->step = (int8_t)step;
		s->sure = 0;
		s->front = (int8_t)at;
	}
	s->last = (uint8_t)at;
	if (s->sure < 3)
		s->sure++;
	return s->sure >= 2 ? extend(s, page, want) : 0;
}
