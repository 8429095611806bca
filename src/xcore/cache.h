/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One private cache as an array: 8 ways, tree pseudo-LRU, states.  A look-up compares
 * 16 bits of eight line numbers at once and proves a match with the whole number.
 *
 * An entry is line << 2 | state; state 0 is an empty way.
 */
#ifndef BXS_XCORE_CACHE_H
#define BXS_XCORE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define CACHE_WAYS 8

/*
 * How a core holds a line.  MODIFIED says that the machine has been told that this core
 * has the newest data, in whichever of its caches.
 */
enum cache_state { CACHE_NONE, CACHE_SHARED, CACHE_EXCLUSIVE, CACHE_MODIFIED };

/* Two cache lines of the host, of which a look-up that misses takes the first only. */
struct cache_set {
	_Alignas(128) uint16_t hint[CACHE_WAYS];
	uint8_t tree;		/* pseudo-LRU: bit 0 the root, 1-2 its children, 3-6 theirs */
	uint8_t valid;		/* a bit for each way in use */
	_Alignas(64) uint64_t entry[CACHE_WAYS];
};

struct cache {
	struct cache_set *set;
	uint64_t mask;		/* sets - 1 */
};

/* bytes: a power of two, at least 512.  0 or BXS_ENOMEM, BXS_EINVAL. */
int cache_init(struct cache *c, uint32_t bytes);
void cache_done(struct cache *c);
void cache_clear(struct cache *c);

/* Of each state of a tree: the way it leads to, and what it is when that has been used. */
struct cache_turn {
	uint8_t way, tree;
};

extern const struct cache_turn cache_turn[128];

static inline struct cache_set *cache_set(const struct cache *c, uint64_t line)
{
	return c->set + (line & c->mask);
}

static inline enum cache_state cache_entry_state(uint64_t entry)
{
	return (enum cache_state)(entry & 3);
}

static inline uint64_t cache_entry_line(uint64_t entry)
{
	return entry >> 2;
}

static inline enum cache_state cache_state(const struct cache_set *s, unsigned way)
{
	return cache_entry_state(s->entry[way]);
}

/* Above the bits by which sets are chosen, or most of them. */
static inline uint16_t cache_hint(uint64_t line)
{
	return (uint16_t)(line >> 6);
}

/* Two bits for each way whose hint is `hint`. */
static inline unsigned cache_candidates(const struct cache_set *s, uint16_t hint)
{
#ifdef __SSE2__
	__m128i have = _mm_load_si128((const __m128i *)s->hint);

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi16(have, _mm_set1_epi16((short)hint)));
#else
	unsigned mask = 0;

	for (unsigned w = 0; w < CACHE_WAYS; w++)
		mask |= s->hint[w] == hint ? 3U << 2 * w : 0;
	return mask;
#endif
}

/* May one of three sets hold line? */
static inline bool cache_any(const struct cache_set *a, const struct cache_set *b, const struct cache_set *c, uint64_t line)
{
	uint16_t hint = cache_hint(line);

	return cache_candidates(a, hint) | cache_candidates(b, hint) | cache_candidates(c, hint);
}

/* The way of the set that holds line, or -1. */
static inline int cache_find(const struct cache_set *s, uint64_t line)
{
	for (unsigned m = cache_candidates(s, cache_hint(line)); m; m &= m - 1, m &= m - 1) {
		unsigned way = (unsigned)__builtin_ctz(m) >> 1;
		uint64_t state = s->entry[way] ^ line << 2;

		if (state - 1 < 3)
			return (int)way;
	}
	return -1;
}

/* Make way the most recently used one: the three nodes above it lead away from it. */
static inline void cache_touch(struct cache_set *s, unsigned way)
{
	static const uint8_t keep[CACHE_WAYS] = { 0x74, 0x74, 0x6c, 0x6c, 0x5a, 0x5a, 0x3a, 0x3a };
	static const uint8_t away[CACHE_WAYS] = { 0x0b, 0x03, 0x11, 0x01, 0x24, 0x04, 0x40, 0x00 };

	s->tree = (uint8_t)((s->tree & keep[way]) | away[way]);
}

/* Line comes into the way that the tree leads to, or an empty one, most recently used.  *old: the
 * entry that was there. */
static inline unsigned cache_put(struct cache_set *s, uint64_t line, enum cache_state state, uint64_t *old)
{
	struct cache_turn turn = cache_turn[s->tree];
	unsigned way = turn.way;

	if (__builtin_expect(s->valid == 0xff, 1)) {
		s->tree = turn.tree;
	} else {
		way = (unsigned)__builtin_ctz(~(unsigned)s->valid);
		s->valid |= (uint8_t)(1U << way);
		cache_touch(s, way);
	}
	*old = s->entry[way];
	s->hint[way] = cache_hint(line);
	s->entry[way] = line << 2 | state;
	return way;
}

/* Another state for the line in way; CACHE_NONE empties it. */
static inline void cache_set_state(struct cache_set *s, unsigned way, enum cache_state state)
{
	s->entry[way] = state ? (s->entry[way] & ~UINT64_C(3)) | state : 0;
	if (!state)
		s->valid &= (uint8_t)~(1U << way);
}

#endif
