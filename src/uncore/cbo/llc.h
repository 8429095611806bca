/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tags of a socket's last-level cache: which slice and set a line lives in, its
 * state, which cores may hold it, and who goes when a set is full.  No time, no signals.
 *
 * Laid out for the host's caches.  A set's row is two 64-byte lines side by side.  The first has 20 partial
 * tags, 20 bytes of state, which ways hold a line: a look-up that misses touches only that.  A hit also
 * reads the rest of the tag, which shares a word with the core-valid bits; 16 of these words fill the second
 * line, those of the other ways are kept apart, of four sets in a line.
 *
 * Replacement is quad-age LRU as measured on Haswell's family (nanoBench's notation
 * QLRU_H11_M1_R0_U0): a new line gets age 1; a hit turns age 3 and 2 into 1, else into 0;
 * the victim is the leftmost line of age 3, and if there is none all grow older
 * until there is one.
 */
#ifndef BXS_UNCORE_CBO_LLC_H
#define BXS_UNCORE_CBO_LLC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
	LLC_SETS = 2048,	/* of a slice */
	LLC_SET_BITS = 11,
	LLC_WAYS = 20,		/* of a row; more are as many lines in twice the sets */
	LLC_NEAR_WAYS = 16,	/* with all they have in the row */
	LLC_MAX_WAYS = 24,
	LLC_CORES = 18,		/* as many core-valid bits as a word has room for */
	LLC_MAX_SLICES = 18,
	LLC_LINE_BITS = 41,	/* physical lines: 47 bits of byte address */
	LLC_HASH_BITS = 12,
};

/* States of a line; the numbers are those of the CBo's state filter. */
enum llc_state { LLC_I, LLC_S, LLC_E, LLC_M, LLC_F };

/* One byte a line: age 7:6, holder's state 5:3, state 2:0. */
enum {
	LLC_STATE = 0x07,
	LLC_OWNED = 0x08,	/* one core got it exclusive: the one core-valid bit */
	LLC_DIRTY = 0x10,	/* and has written it */
	LLC_GONE = 0x20,	/* and has dropped it without telling the slice */
	LLC_AGE = 0xc0,
	LLC_AGE_1 = 0x40,
};

/* A way's word: tag's high bits << 18 | core-valid bits. */
struct llc_row {
	uint16_t tag[LLC_WAYS];
	uint8_t meta[LLC_WAYS];
	uint32_t lines;			/* ways that are not LLC_I, a bit each */
	uint32_t word[LLC_NEAR_WAYS];
};

/* Words of the other ways. */
struct llc_far {
	uint32_t word[LLC_WAYS - LLC_NEAR_WAYS];
};

struct llc {
	struct llc_row *row;		/* [slices * LLC_SETS] */
	struct llc_far *far;		/* of each row */
	unsigned slices, ways;
	uint32_t sets;			/* rows of a slice: LLC_SETS, or twice as many */
	uint32_t full;			/* llc_row.lines of a row without an empty way */
	uint8_t slice[1 << LLC_HASH_BITS];
};

/* A place in the cache; way is -1 when the line is not there. */
struct llc_place {
	struct llc_row *row;
	struct llc_far *far;
	int way;
};

/* A line driven out. */
struct llc_victim {
	uint64_t line;
	uint32_t cores;			/* core-valid bits */
	uint8_t meta;			/* LLC_I: the place was empty */
};

/* 0 or BXS_ENOMEM, BXS_EINVAL. */
int llc_init(struct llc *c, unsigned slices, unsigned ways);
void llc_free(struct llc *c);

/*
 * The slice of a line.  Each bit of the index is an exclusive or of address bits, as in the
 * published hashes of parts with two, four and eight slices.  With such a number the
 * slice is the index's low bits, and the bits just above the set's make sure that any
 * aligned block of lines spreads exactly; for other numbers the index goes through
 * a base sequence, as measured on parts with such numbers.  Which bits is our choice.
 */
static inline unsigned llc_hash(uint64_t line)
{
	/* Bits 0, 4, 7, 11, 17, 23, 30 and what follows each. */
	uint64_t h = line ^ line >> 4 ^ (line ^ line >> 6 ^ line >> 13) >> 17;

	h ^= (line ^ line >> 4) >> 7;
	return h & ((1 << LLC_HASH_BITS) - 1);
}

static inline unsigned llc_slice(const struct llc *c, uint64_t line)
{
	return c->slice[llc_hash(line)];
}

static inline uint32_t llc_index(const struct llc *c, unsigned slice, uint64_t line)
{
	return slice * c->sets + ((uint32_t)line & (c->sets - 1));
}

static inline void llc_prefetch(const struct llc *c, unsigned slice, uint64_t line)
{
	uint32_t i = llc_index(c, slice, line);

	__builtin_prefetch(&c->row[i], 1);
	__builtin_prefetch(c->row[i].word, 1);
	__builtin_prefetch(&c->far[i], 1);
}

/* One in five is far, so that a branch would be a guess. */
static inline uint32_t *llc_word(const struct llc_place *p, int way)
{
	uint32_t *near = p->row->word, *far = p->far->word;
	bool is_far = way >= LLC_NEAR_WAYS;
	uint32_t *from = is_far ? far : near;

	return &from[way - (is_far ? LLC_NEAR_WAYS : 0)];
}

/* 16 bits of the tag, with the upper ones folded in; tag bits 29:16 complete it. */
static inline uint16_t llc_partial(uint64_t line)
{
	uint64_t tag = line >> LLC_SET_BITS;

	return (uint16_t)(tag ^ tag >> 13);
}

static inline uint32_t llc_upper(uint64_t line)
{
	return (uint32_t)(line >> (LLC_SET_BITS + 16)) & 0x3fff;
}

/* Ways of the row whose partial tag is `partial`, as bits; above those anything. */
static inline uint32_t llc_match(const struct llc_row *row, uint16_t partial)
{
#ifdef __SSE2__
	__m128i want = _mm_set1_epi16((short)partial);
	__m128i a = _mm_cmpeq_epi16(_mm_load_si128((const __m128i *)&row->tag[0]), want);
	__m128i b = _mm_cmpeq_epi16(_mm_load_si128((const __m128i *)&row->tag[8]), want);
	__m128i c = _mm_cmpeq_epi16(_mm_loadl_epi64((const __m128i *)&row->tag[16]), want);

	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b)) | (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(c, c)) << 16;
#else
	uint32_t bits = 0;

	for (unsigned w = 0; w < LLC_WAYS; w++)
		bits |= (uint32_t)(row->tag[w] == partial) << w;
	return bits;
#endif
}

static inline struct llc_place llc_find(const struct llc *c, unsigned slice, uint64_t line)
{
	uint32_t i = llc_index(c, slice, line), upper = llc_upper(line);
	struct llc_place p = { &c->row[i], &c->far[i], -1 };

	for (uint32_t m = llc_match(p.row, llc_partial(line)) & p.row->lines; m; m &= m - 1) {
		int way = __builtin_ctz(m);

		if (*llc_word(&p, way) >> LLC_CORES == upper) {
			p.way = way;
			break;
		}
	}
	return p;
}

static inline enum llc_state llc_state(const struct llc_place *p)
{
	return p->way < 0 ? LLC_I : (enum llc_state)(p->row->meta[p->way] & LLC_STATE);
}

static inline uint32_t llc_cores(const struct llc_place *p)
{
	return *llc_word(p, p->way) & ((1u << LLC_CORES) - 1);
}

static inline void llc_set_cores(struct llc_place *p, uint32_t cores)
{
	uint32_t mask = (1u << LLC_CORES) - 1, *word = llc_word(p, p->way);

	*word = (*word & ~mask) | cores;
}

/* Set the state, which is not LLC_I, and clear or set LLC_OWNED, LLC_DIRTY, LLC_GONE; the age stays. */
static inline void llc_set(struct llc_place *p, unsigned state_and_flags)
{
	uint8_t *meta = &p->row->meta[p->way];

	*meta = (uint8_t)((*meta & LLC_AGE) | state_and_flags);
}

static inline unsigned llc_meta(const struct llc_place *p)
{
	return p->row->meta[p->way] & ~(unsigned)LLC_AGE;
}

/* The line is in the cache no longer. */
static inline void llc_drop(struct llc_place *p)
{
	llc_set(p, LLC_I);
	llc_set_cores(p, 0);
	p->row->lines &= ~(1u << p->way);
}

/* A hit makes the line young. */
static inline void llc_touch(struct llc_place *p)
{
	uint8_t *meta = &p->row->meta[p->way];

	*meta = (uint8_t)((*meta & ~LLC_AGE) | ((*meta & 0x80) >> 1));
}

/* A hit that leaves the line in this state, with these flags and core-valid bits. */
static inline void llc_hit(struct llc_place *p, unsigned state_and_flags, uint32_t cores)
{
	uint8_t *meta = &p->row->meta[p->way];

	*meta = (uint8_t)((*meta & 0x80) >> 1 | state_and_flags);
	llc_set_cores(p, cores);
}

/* The inverse of llc_partial() and llc_upper(). */
static inline uint64_t llc_line(const struct llc *c, const struct llc_place *p, int way)
{
	uint64_t upper = *llc_word(p, way) >> LLC_CORES, partial = p->row->tag[way];
	uint64_t high = (partial ^ upper << 3) & 0xfff8;	/* bits 15:3 see bits 28:16 */
	uint64_t tag = upper << 16 | high | ((partial ^ high >> 13) & 7);

	return tag << LLC_SET_BITS | (uint64_t)((p->row - c->row) & (LLC_SETS - 1));
}

/* The line goes into p->way; returns what was there. */
static inline struct llc_victim llc_replace(const struct llc *c, struct llc_place *p, uint64_t line, unsigned meta,
					    uint32_t cores)
{
	struct llc_victim v = {
		.line = llc_line(c, p, p->way),
		.cores = llc_cores(p),
		.meta = (uint8_t)(p->row->meta[p->way] & ~LLC_AGE),
	};

	p->row->tag[p->way] = llc_partial(line);
	p->row->meta[p->way] = (uint8_t)(LLC_AGE_1 | meta);
	*llc_word(p, p->way) = llc_upper(line) << LLC_CORES | cores;
	return v;
}

/* Ways of age 3, as bits; above those anything. */
static inline uint32_t llc_oldest(const struct llc_row *row)
{
#ifdef __SSE2__
	__m128i a = _mm_loadu_si128((const __m128i *)row->meta);
	__m128i b = _mm_loadl_epi64((const __m128i *)(row->meta + 16));

	/* Both bits of the age are set; a sum is a shift to the left. */
	a = _mm_and_si128(a, _mm_add_epi8(a, a));
	b = _mm_and_si128(b, _mm_add_epi8(b, b));
	return (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;
#else
	uint32_t bits = 0;

	for (unsigned way = 0; way < LLC_WAYS; way++)
		bits |= (uint32_t)((row->meta[way] & LLC_AGE) == LLC_AGE) << way;
	return bits;
#endif
}

/* Out of the fast path: a way that is empty, or the oldest once all have grown older. */
int llc_room(const struct llc *c, struct llc_row *row);

/*
 * Put the line where p, which did not find it, says, in state and flags `meta` with
 * core-valid bits `cores`, and set p->way.  Returns what had to go.
 */
static inline struct llc_victim llc_fill(const struct llc *c, struct llc_place *p, uint64_t line, unsigned meta,
					 uint32_t cores)
{
	uint32_t old = llc_oldest(p->row) & c->full;

	if (__builtin_expect(p->row->lines == c->full && old, 1))
		p->way = __builtin_ctz(old);
	else
		p->way = llc_room(c, p->row);
	return llc_replace(c, p, line, meta, cores);
}

/* The same for lines that may only go into the last n ways, of which the oldest must go. */
struct llc_victim llc_fill_last(const struct llc *c, struct llc_place *p, uint64_t line, unsigned meta, unsigned n);

#endif
