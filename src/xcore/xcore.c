/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core's private caches: what happens when an access does not hit one of the lines used last.
 * Records gather in `out` during an access and leave at its end.
 */
#include "xcore/private.h"

/* What a request wants of a line.  WANT_FILL: to own it, but not its data; WANT_AHEAD: data, but later. */
enum want { WANT_DATA, WANT_OWN, WANT_CODE, WANT_FILL, WANT_AHEAD };

static inline bool wants_own(enum want want)
{
	return want == WANT_OWN || want == WANT_FILL;
}

static inline enum leave_kind own_kind(enum want want)
{
	return want == WANT_FILL ? LEAVE_ITOM : LEAVE_RFO;
}

/* Who asks: the program, which needs it at once or later, or a prefetcher of the first level. */
enum who { BY_DEMAND, BY_PROGRAM_AHEAD, BY_L1_PREFETCH };

/* Line in way of L1I has been used; its set is settled. */
static inline void note_l1i(struct xcore *c, uint64_t line, unsigned way)
{
	unsigned set = line % XCORE_SETS;

	if (c->l1i.mask != XCORE_SETS - 1)
		return;
	c->before_fetch[set] = c->last_fetch[set];
	c->fetch_way[set][1] = c->fetch_way[set][0];
	c->last_fetch[set] = line;
	c->fetch_way[set][0] = (uint8_t)way;
}

/* Counts of a record stay at the greatest number it has room for. */
static inline void count(uint16_t *n)
{
	*n = (uint16_t)(*n + (*n != UINT16_MAX));
}

/*
 * A victim of L2 that a first level still holds stays in the core; the first level's copy then
 * stands for its state.
 */
static void leave_l2(struct xcore *c, uint64_t old)
{
	uint64_t gone = cache_entry_line(old);
	bool modified = cache_entry_state(old) == CACHE_MODIFIED;
	int l1 = cache_find(cache_set(&c->l1d, gone), gone);

	if (l1 >= 0 && modified)
		change_l1d(c, gone, (unsigned)l1, CACHE_MODIFIED);
	if (l1 >= 0)
		return;
	if (modified)
		emit(c, gone, LEAVE_WB_M, 0);
	else if (cache_find(cache_set(&c->l1i, gone), gone) < 0)
		emit(c, gone, LEAVE_WB_E, 0);
}

/* Line comes into set s of L2. */
static inline void put_l2(struct xcore *c, struct cache_set *s, uint64_t line, enum cache_state state)
{
	enum cache_state was;
	uint64_t old;

	cache_put(s, line, state, &old);
	was = cache_entry_state(old);
	if (was == CACHE_MODIFIED || (was == CACHE_EXCLUSIVE && c->clean_victims))
		leave_l2(c, old);
}

/* A line that was modified leaves L1D. */
static void leave_l1d(struct xcore *c, uint64_t gone)
{
	struct cache_set *s = cache_set(&c->l2, gone);
	int way = cache_find(s, gone);

	if (way >= 0)
		cache_set_state(s, (unsigned)way, CACHE_MODIFIED);
	else
		put_l2(c, s, gone, CACHE_MODIFIED);
}

/* Line comes into set s of L1D, which is settled. */
static inline void put_l1d(struct xcore *c, struct cache_set *s, uint64_t line, enum cache_state state,
			   enum who who)
{
	struct xcore_recent *r = recent_of(c, line);
	uint64_t old;
	unsigned way = cache_put(s, line, state, &old);

	note_l1d(c, line, way, state);
	if (r->line[1] == cache_entry_line(old) << 6)
		forget(r, 1);
	/* The first use of a line that was fetched ahead must be seen by the prefetchers. */
	if (who != BY_DEMAND)
		forget(r, 0);
	if (cache_entry_state(old) == CACHE_MODIFIED)
		leave_l1d(c, cache_entry_line(old));
}

/* In which state a line comes that is read.  The answer may say otherwise later (LEAVE_SNOOP_GRANT). */
static inline enum cache_state state_of_read(struct xcore *c, uint64_t line)
{
	struct xcore_contended *k;

	if (__builtin_expect(!c->order || !is_contended(c, line), 1))
		return CACHE_EXCLUSIVE;
	k = contended_at(c, line);
	if (!k->lost)
		return CACHE_EXCLUSIVE;
	k->lost = false;
	return CACHE_SHARED;
}

/* A prefetcher of L2 fetches line, unless it is there. */
static void fill_ahead(struct xcore *c, uint64_t line, enum want want, bool far)
{
	static const uint8_t near_kind[] = { LEAVE_PF_DRD, LEAVE_PF_RFO, LEAVE_PF_CRD };
	static const uint8_t far_kind[] = { LEAVE_PF_LLC_DRD, LEAVE_PF_LLC_RFO, LEAVE_PF_LLC_CRD };
	struct cache_set *s = cache_set(&c->l2, line);

	if (cache_find(s, line) >= 0)
		return;
	emit(c, line, far ? far_kind[want] : near_kind[want], 0);
	if (!far)
		put_l2(c, s, line, want == WANT_CODE ? CACHE_SHARED : want == WANT_DATA ? state_of_read(c, line) : CACHE_EXCLUSIVE);
}

/* What L2's prefetchers make of a request for line. */
static inline void train_l2(struct xcore *c, uint64_t line, enum want want, bool missed)
{
	uint64_t ahead[PREFETCH_BURST];
	unsigned n = prefetch_stream(&c->prefetch, line, ahead);
	bool far = n && prefetch_far(&c->prefetch);

	for (unsigned i = 0; i < n; i++)
		fill_ahead(c, ahead[i], want, far);
	if (missed && (c->prefetch.enabled & PREFETCH_PAIR))
		fill_ahead(c, line ^ 1, want, false);
}

/* L2 has it.  Ownership that it lacks is asked for; what E becomes M is told. */
static inline enum cache_state hit_l2(struct xcore *c, struct cache_set *s, uint64_t line, unsigned way,
			       enum want want, unsigned flags, enum xcore_level *level)
{
	enum cache_state state = cache_state(s, way);

	cache_touch(s, way);
	*level = XCORE_L2;
	if (!wants_own(want))
		return state;
	if (state == CACHE_SHARED) {
		emit(c, line, own_kind(want), flags);
		cache_set_state(s, way, CACHE_EXCLUSIVE);
		*level = XCORE_UNCORE;
	} else if (state == CACHE_EXCLUSIVE) {
		emit(c, line, LEAVE_DIRTY, flags);
	}
	return CACHE_MODIFIED;
}

static inline __attribute__((always_inline)) enum cache_state
miss_l2(struct xcore *c, struct cache_set *s, uint64_t line, enum want want, unsigned flags, enum xcore_level *level)
{
	static const uint8_t kind[] = { LEAVE_DRD, LEAVE_RFO, LEAVE_CRD, LEAVE_ITOM, LEAVE_AHEAD };
	enum cache_state state = want == WANT_CODE ? CACHE_SHARED : wants_own(want) ? CACHE_EXCLUSIVE : state_of_read(c, line);

	emit(c, line, kind[want], flags);
	put_l2(c, s, line, state);
	*level = XCORE_UNCORE;
	return wants_own(want) ? CACHE_MODIFIED : state;
}

/*
 * The first level asks L2.  Returns the state in which the first level gets the line;
 * *level says where it came from.
 */
static inline __attribute__((always_inline)) enum cache_state
ask_l2(struct xcore *c, uint64_t line, enum want want, enum who who, unsigned flags, enum xcore_level *level)
{
	struct cache_set *s = cache_set(&c->l2, line);
	int way = cache_find(s, line);
	bool hit = way >= 0;
	enum cache_state state;

	if (hit) {
		if (who == BY_DEMAND)
			count(&c->l2_hits);
		state = hit_l2(c, s, line, (unsigned)way, want, flags, level);
	} else {
		if (__builtin_expect(c->gathers, 0) && who != BY_L1_PREFETCH)
			xcore_spill_line(c, line);
		state = miss_l2(c, s, line, want, who == BY_L1_PREFETCH ? LEAVE_SPECULATIVE : flags, level);
	}
	/* Prefetchers are not told of a line that nobody needs the data of. */
	if (want == WANT_FILL)
		return state;
	prefetch_request(&c->prefetch, !hit);
	train_l2(c, line, want == WANT_AHEAD ? WANT_DATA : want, !hit);
	return state;
}

/* A prefetcher of L1D fetches the line of addr, unless it is there. */
static void fill_l1d_ahead(struct xcore *c, uint64_t line)
{
	struct cache_set *s = settle_l1d(c, line);
	enum xcore_level level;

	if (cache_find(s, line) >= 0)
		return;
	put_l1d(c, s, line, ask_l2(c, line, WANT_DATA, BY_L1_PREFETCH, 0, &level), BY_L1_PREFETCH);
}

static inline void train_l1d(struct xcore *c, uint64_t addr, unsigned ip)
{
	uint64_t line = addr >> 6, want;

	if (prefetch_next(&c->prefetch, line))
		fill_l1d_ahead(c, line + 1);
	if (prefetch_stride(&c->prefetch, addr, ip, &want))
		fill_l1d_ahead(c, want >> 6);
}

/* An access to line waits for the cores that are behind, if they use the line, too. */
static inline void put_in_order(struct xcore *c, uint64_t line, bool write)
{
	if (__builtin_expect(c->order != NULL, 0) && is_contended(c, line)) {
		struct xcore_contended *k = contended_at(c, line);

		if (c->order(c->ctx, line, write) && k->line == line && k->left)
			k->left--;
	}
}

enum xcore_level xcore_load_slow(struct xcore *c, uint64_t addr, unsigned ip, unsigned flags)
{
	enum xcore_level level = XCORE_L1;
	uint64_t line = addr >> 6;
	struct cache_set *s;
	int way;

	put_in_order(c, line, false);
	s = settle_l1d(c, line);
	way = cache_find(s, line);
	if (way >= 0) {
		cache_touch(s, (unsigned)way);
		note_l1d(c, line, (unsigned)way, cache_state(s, (unsigned)way));
	} else {
		count(&c->l1_misses);
		put_l1d(c, s, line, ask_l2(c, line, WANT_DATA, BY_DEMAND, flags, &level), BY_DEMAND);
	}
	train_l1d(c, addr, ip);
	drain(c);
	return level;
}

/* For L1D alone: what L2 has comes from there, what it has not does not go there, and its prefetchers hear nothing. */
static enum cache_state ask_past_l2(struct xcore *c, uint64_t line, unsigned flags)
{
	struct cache_set *s = cache_set(&c->l2, line);
	int way = cache_find(s, line);
	enum xcore_level level;

	if (way >= 0)
		return hit_l2(c, s, line, (unsigned)way, WANT_AHEAD, flags, &level);
	xcore_spill_line(c, line);
	emit(c, line, LEAVE_AHEAD, flags);
	return CACHE_EXCLUSIVE;
}

void xcore_prefetch(struct xcore *c, uint64_t addr, enum xcore_into into, unsigned flags)
{
	uint64_t line = addr >> 6;
	struct cache_set *s = settle_l1d(c, line);
	int way = cache_find(s, line);
	enum cache_state state;
	enum xcore_level level;

	if (way >= 0) {
		cache_touch(s, (unsigned)way);
		note_l1d(c, line, (unsigned)way, cache_state(s, (unsigned)way));
		return;
	}
	if (into & XCORE_INTO_L2)
		state = ask_l2(c, line, WANT_AHEAD, BY_PROGRAM_AHEAD, flags, &level);
	else
		state = ask_past_l2(c, line, flags);
	if (into & XCORE_INTO_L1)
		put_l1d(c, s, line, state, BY_PROGRAM_AHEAD);
	drain(c);
}

static inline __attribute__((always_inline)) enum xcore_level
store(struct xcore *c, uint64_t addr, enum want want, unsigned flags)
{
	enum xcore_level level = XCORE_L1;
	uint64_t line = addr >> 6;
	struct cache_set *s;
	int way;

	put_in_order(c, line, true);
	s = settle_l1d(c, line);
	way = cache_find(s, line);
	if (way < 0) {
		count(&c->l1_misses);
		put_l1d(c, s, line, ask_l2(c, line, want, BY_DEMAND, flags, &level), BY_DEMAND);
		drain(c);
		return level;
	}

	enum cache_state state = cache_state(s, (unsigned)way);

	if (state == CACHE_SHARED) {
		emit(c, line, own_kind(want), flags);
		level = XCORE_UNCORE;
	} else if (state == CACHE_EXCLUSIVE) {
		emit(c, line, LEAVE_DIRTY, flags);
	}
	cache_set_state(s, (unsigned)way, CACHE_MODIFIED);
	cache_touch(s, (unsigned)way);
	note_l1d(c, line, (unsigned)way, CACHE_MODIFIED);
	drain(c);
	return level;
}

enum xcore_level xcore_store_slow(struct xcore *c, uint64_t addr, unsigned flags)
{
	return store(c, addr, WANT_OWN, flags);
}

enum xcore_level xcore_fill_slow(struct xcore *c, uint64_t addr)
{
	return store(c, addr, WANT_FILL, 0);
}

enum xcore_level xcore_fetch_slow(struct xcore *c, uint64_t addr)
{
	enum xcore_level level = XCORE_L1;
	uint64_t line = addr >> 6;
	struct cache_set *s = settle_l1i(c, line);
	int way = cache_find(s, line);
	uint64_t old;

	if (way >= 0) {
		cache_touch(s, (unsigned)way);
		note_l1i(c, line, (unsigned)way);
		return level;
	}
	count(&c->l1_misses);
	/* Code is never dirty here: the victim needs no home.  Data that is fetched as code
	 * stays with L1D. */
	way = (int)cache_put(s, line, CACHE_SHARED, &old);
	forget_l1i(c, cache_entry_line(old));
	note_l1i(c, line, (unsigned)way);
	ask_l2(c, line, WANT_CODE, BY_DEMAND, 0, &level);
	drain(c);
	return level;
}
