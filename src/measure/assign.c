/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counter assignment, exact: events that must be together are merged into parts,
 * parts are placed into turns by depth-first search, and a turn is feasible if
 * its events can be matched to counters and agree on their filters.  The search
 * starts at the fewest turns that could do and adds one when it has tried
 * everything, so the first answer is the best one.  A pattern can ask for hundreds of
 * events; after a fixed number of steps first-fit decides instead.
 */
#include "measure/assign_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { STEPS_MAX = 100000 };

struct part {
	unsigned first, count;		/* range of solve.member */
	unsigned counted;		/* members that need a counter */
	uint32_t reach;			/* OR of their counters */
};

struct solve {
	const struct assign_want *want;
	unsigned n, parts, turns, steps;
	unsigned *member;		/* indices of wants, part after part */
	struct part *part;
	unsigned *turn_of;		/* of a part */
	unsigned *list;			/* turns x n: members of each turn */
	unsigned *filled;		/* how many of them */
	uint8_t *counter, *way;		/* scratch: of each member of a list */
};

/* The part that each want belongs to: groups and followers are merged. */
static unsigned root(unsigned *parent, unsigned i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static void merge(unsigned *parent, unsigned a, unsigned b)
{
	a = root(parent, a);
	b = root(parent, b);
	if (a < b)
		parent[b] = a;
	else
		parent[a] = b;
}

static unsigned collect(unsigned *parent, unsigned n, unsigned of, unsigned *list)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		if (root(parent, i) == of)
			list[count++] = i;
	return count;
}

/* Bundles hold together when they can. */
static void merge_bundles(const struct assign_want *want, unsigned n, unsigned *parent,
			  unsigned *list, unsigned *saved, uint8_t *counter, uint8_t *way)
{
	for (unsigned i = 0; i < n; i++) {
		if (!want[i].bundle)
			continue;

		bool first = true;

		for (unsigned k = 0; k < i; k++)
			first &= want[k].bundle != want[i].bundle;
		if (!first)
			continue;
		memcpy(saved, parent, n * sizeof *parent);
		for (unsigned k = i + 1; k < n; k++)
			if (want[k].bundle == want[i].bundle)
				merge(parent, i, k);
		if (!assign_fits(want, list, collect(parent, n, root(parent, i), list), counter, way))
			memcpy(parent, saved, n * sizeof *parent);
	}
}

static int make_parts(struct solve *s, unsigned *parent, unsigned *saved, struct assign_conflict *why)
{
	unsigned at = 0;

	for (unsigned i = 0; i < s->n; i++)
		parent[i] = i;
	for (unsigned i = 0; i < s->n; i++) {
		if (s->want[i].follows >= 0)
			merge(parent, i, (unsigned)s->want[i].follows);
		for (unsigned k = 0; k < i && s->want[i].group; k++)
			if (s->want[k].group == s->want[i].group)
				merge(parent, i, k);
	}
	merge_bundles(s->want, s->n, parent, s->member, saved, s->counter, s->way);
	for (unsigned i = 0; i < s->n; i++) {
		if (root(parent, i) != i)
			continue;

		struct part *p = s->part + s->parts++;

		p->first = at;
		p->count = collect(parent, s->n, i, s->member + at);
		for (unsigned k = at; k < at + p->count; k++) {
			p->counted += s->want[s->member[k]].counters != 0;
			p->reach |= s->want[s->member[k]].counters;
		}
		if (!assign_fits(s->want, s->member + at, p->count, s->counter, s->way)) {
			assign_explain(s->want, s->member + at, p->count, why);
			return BXS_ECONFLICT;
		}
		at += p->count;
	}
	return 0;
}

/* Hard parts first: few counters to choose from, many members. */
static int harder(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int cx = x->counted ? __builtin_popcount(x->reach) : ASSIGN_COUNTERS;
	int cy = y->counted ? __builtin_popcount(y->reach) : ASSIGN_COUNTERS;

	if (x->counted != y->counted)
		return x->counted < y->counted ? 1 : -1;
	if (cx != cy)
		return cx < cy ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

static bool put(struct solve *s, unsigned part, unsigned turn)
{
	const struct part *p = s->part + part;
	unsigned *list = s->list + (size_t)turn * s->n;

	memcpy(list + s->filled[turn], s->member + p->first, p->count * sizeof *list);
	if (!assign_fits(s->want, list, s->filled[turn] + p->count, s->counter, s->way))
		return false;
	s->filled[turn] += p->count;
	s->turn_of[part] = turn;
	return true;
}

/* -1: gave up, 0: impossible in this many turns, 1: done. */
static int search(struct solve *s, unsigned part, unsigned used, unsigned turns)
{
	if (part == s->parts)
		return 1;
	if (++s->steps > STEPS_MAX)
		return -1;
	/* A turn that is still empty is like any other empty turn: try one of them. */
	for (unsigned t = 0; t < turns && t <= used; t++) {
		if (!put(s, part, t))
			continue;

		int found = search(s, part + 1, t == used ? used + 1 : used, turns);

		if (found)
			return found;
		s->filled[t] -= s->part[part].count;
	}
	return 0;
}

static unsigned first_fit(struct solve *s)
{
	unsigned turns = 0;

	memset(s->filled, 0, s->n * sizeof *s->filled);
	for (unsigned p = 0; p < s->parts; p++) {
		unsigned t = 0;

		while (!put(s, p, t))
			t++;
		if (t >= turns)
			turns = t + 1;
	}
	return turns;
}

static unsigned fewest_turns(struct solve *s)
{
	unsigned counted = 0, upper = first_fit(s), best = 1;
	uint32_t all = 0;

	for (unsigned i = 0; i < s->n; i++) {
		counted += s->want[i].counters != 0;
		all |= s->want[i].counters;
	}

	unsigned counters = (unsigned)__builtin_popcount(all);

	if (counters && counted > counters)
		best = (counted + counters - 1) / counters;
	for (unsigned turns = best; turns < upper; turns++) {
		memset(s->filled, 0, s->n * sizeof *s->filled);
		s->steps = 0;

		int found = search(s, 0, 0, turns);

		if (found == 1)
			return turns;
		if (found < 0)
			break;
	}
	return first_fit(s);
}

/* list: room for all. */
static int check_pairs(const struct assign_want *want, unsigned n, unsigned *list, struct assign_conflict *why)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		if (!want[i].loose)
			list[count++] = i;
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < i; k++) {
			if (assign_pair_fits(want, list[k], list[i]))
				continue;
			assign_explain(want, list, count, why);
			return BXS_ETURNS;
		}
	return 0;
}

static void write_places(struct solve *s, struct assign_place *place)
{
	for (unsigned t = 0; t < s->turns; t++) {
		unsigned *list = s->list + (size_t)t * s->n;

		memset(s->counter, 0, 2 * (size_t)s->n);
		assign_fits(s->want, list, s->filled[t], s->counter, s->way);
		for (unsigned i = 0; i < s->filled[t]; i++)
			place[list[i]] = (struct assign_place){ t, s->counter[i], s->way[i] };
	}
}

int assign_counters(const struct assign_want *want, unsigned n, bool turns_allowed,
		    struct assign_place *place, unsigned *turns, struct assign_conflict *why)
{
	struct solve s = { .want = want, .n = n };
	unsigned *memory = calloc((size_t)n * n + 5 * (size_t)n + 1, sizeof *memory);
	int err = BXS_ENOMEM;

	s.part = calloc(n + 1, sizeof *s.part);
	s.counter = calloc(2 * (size_t)n + 1, sizeof *s.counter);
	if (!memory || !s.counter || !s.part)
		goto out;
	s.way = s.counter + n;
	s.member = memory;
	s.turn_of = memory + n;
	s.filled = memory + 2 * (size_t)n;
	s.list = memory + 5 * (size_t)n;
	err = make_parts(&s, memory + 3 * (size_t)n, memory + 4 * (size_t)n, why);
	if (err == 0 && !turns_allowed)
		err = check_pairs(want, n, s.list, why);
	if (err < 0)
		goto out;
	qsort(s.part, s.parts, sizeof *s.part, harder);
	s.turns = fewest_turns(&s);
	write_places(&s, place);
	*turns = s.turns;
out:
	free(memory);
	free(s.counter);
	free(s.part);
	return err;
}
