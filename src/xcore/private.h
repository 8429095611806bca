/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the hot way of an access (xcore.c) and all else that a core does (xcore_rare.c) share: records,
 * and the lines used last.
 */
#ifndef BXS_XCORE_PRIVATE_H
#define BXS_XCORE_PRIVATE_H

#include <stddef.h>
#include <string.h>

#include "xcore/xcore.h"

static inline void forget(struct xcore_recent *r, unsigned i)
{
	r->line[i] = r->written[i] = XCORE_NO_LINE;
}

static inline struct xcore_recent *recent_of(struct xcore *c, uint64_t line)
{
	return c->recent + line % XCORE_SETS;
}

static inline void copy_recent(struct xcore_recent *r, unsigned to, const struct xcore_recent *of, unsigned from)
{
	r->line[to] = of->line[from];
	r->written[to] = of->written[from];
	r->way[to] = of->way[from];
}

/* The order of replacement of line's set of L1D as it has become through xcore_again(). */
static inline struct cache_set *settle_l1d(struct xcore *c, uint64_t line)
{
	struct xcore_recent *r = recent_of(c, line);
	struct cache_set *s = cache_set(&c->l1d, line);

	if (r->newer) {
		struct xcore_recent was = *r;

		r->newer = 0;
		copy_recent(r, 0, &was, 1);
		copy_recent(r, 1, &was, 0);
		cache_touch(s, r->way[0]);
	}
	return s;
}

static inline void set_recent(struct xcore_recent *r, unsigned i, uint64_t line, enum cache_state state)
{
	r->line[i] = line << 6;
	r->written[i] = state == CACHE_MODIFIED ? line << 6 : XCORE_NO_LINE;
}

static inline struct xcore_contended *contended_at(struct xcore *c, uint64_t line)
{
	return c->contended + line % XCORE_CONTENDED;
}

static inline bool is_contended(struct xcore *c, uint64_t line)
{
	const struct xcore_contended *k = contended_at(c, line);

	return k->line == line && k->left;
}

/* Line in way of L1D, in this state, has been used; its set is settled. */
static inline void note_l1d(struct xcore *c, uint64_t line, unsigned way, enum cache_state state)
{
	struct xcore_recent *r = recent_of(c, line);

	if (c->l1d.mask != XCORE_SETS - 1)
		return;
	if (r->line[0] != line << 6)
		copy_recent(r, 1, r, 0);
	set_recent(r, 0, line, state);
	r->way[0] = (uint8_t)way;
	if (__builtin_expect(c->order != NULL, 0) && is_contended(c, line))
		forget(r, 0);
}

/* The state of line changes behind the back of the program. */
static inline void change_l1d(struct xcore *c, uint64_t line, unsigned way, enum cache_state state)
{
	struct xcore_recent *r = recent_of(c, line);

	cache_set_state(settle_l1d(c, line), way, state);
	for (unsigned i = 0; i < 2; i++) {
		if (r->line[i] == line << 6 && state)
			set_recent(r, i, line, state);
		else if (r->line[i] == line << 6)
			forget(r, i);
	}
}

/* The order of replacement of line's set of L1I as it has become. */
static inline struct cache_set *settle_l1i(struct xcore *c, uint64_t line)
{
	struct cache_set *s = cache_set(&c->l1i, line);

	if (c->last_fetch[line % XCORE_SETS] != XCORE_NO_LINE)
		cache_touch(s, c->fetch_way[line % XCORE_SETS][0]);
	return s;
}

/* Line is not to be taken for one that is there. */
static inline void forget_l1i(struct xcore *c, uint64_t line)
{
	unsigned set = line % XCORE_SETS;

	if (c->last_fetch[set] == line)
		c->last_fetch[set] = XCORE_NO_LINE;
	if (c->before_fetch[set] == line)
		c->before_fetch[set] = XCORE_NO_LINE;
}

/* As if a record had just been told. */
static inline void begin_span(struct xcore *c, uint32_t left)
{
	c->left = c->span = (int32_t)left - c->held;
}

/* In a checked build: the machine has been told, or has asked, something that changes which lines the core has the newest data of. */
static inline void owe(struct xcore *c, int lines)
{
#ifdef BXS_CHECKED
	c->owed += lines;
#else
	(void)c, (void)lines;
#endif
}

/* A record is written as two words: first its bit fields, then its counts. */
static inline void emit(struct xcore *c, uint64_t line, enum leave_kind kind, unsigned flags)
{
	uint32_t retired = xcore_retired(c);
	uint64_t word[2] = {
		(line & bits_low(48)) | c->space << 48 | (uint64_t)kind << 56 | (uint64_t)flags << 62,
		retired | (uint64_t)c->l2_hits << 32 | (uint64_t)c->l1_misses << 48,
	};

	_Static_assert(sizeof word == sizeof *c->next, "a record is two words");
	owe(c, (kind == LEAVE_RFO || kind == LEAVE_ITOM || kind == LEAVE_DIRTY) - (kind == LEAVE_WB_M));
	memcpy(c->next++, word, sizeof word);
	c->told += retired;
	c->l2_hits = c->l1_misses = 0;
	begin_span(c, c->every);
}

static inline void drain(struct xcore *c)
{
	ptrdiff_t n = c->next - c->out;

	if (n) {
		c->next = c->out;
		c->leave(c->ctx, c->out, (unsigned)n);
	}
}

/* Write combining buffers leave, oldest first: that of line alone, or all (xcore_rare.c). */
void xcore_spill_line(struct xcore *c, uint64_t line);

#endif
