/* SPDX-License-Identifier: BSD-2-Clause */
/* Can these events be counted in one turn?  On which counters, with which of their settings; and why not. */

#include <string.h>

#include "base/bits.h"
#include "measure/assign_private.h"

/* Two settings of bits that both have, with different values there. */
static bool differ(const struct event_setting *x, const struct event_setting *y)
{
	unsigned hi = x->hi < y->hi ? x->hi : y->hi;
	unsigned lo = x->lo > y->lo ? x->lo : y->lo;

	if (x->reg != y->reg || x->element != y->element || hi < lo)
		return false;
	return x->symbol != y->symbol ||
	       bits_get(x->value << x->lo, hi, lo) != bits_get(y->value << y->lo, hi, lo);
}

/* The first setting of a, in one way, that clashes with one of b in another; *other: that one. */
static bool clash(const struct assign_want *a, unsigned way_a, const struct assign_want *b,
		  unsigned way_b, struct event_setting *at, struct event_setting *other)
{
	for (unsigned i = 0; i < a->settings; i++)
		for (unsigned k = 0; k < b->settings; k++) {
			struct event_setting x, y;

			if (a->setting[i].reg != b->setting[k].reg)
				continue;
			x = event_setting_way(a->setting + i, way_a);
			y = event_setting_way(b->setting + k, way_b);
			if (!differ(&x, &y))
				continue;
			*at = x;
			*other = y;
			return true;
		}
	return false;
}

/* An event, by its place in a list, and the counters it can have. */
struct choice {
	uint32_t can;
	unsigned at;
};

/* Events on counters so far: choice[on[c]] sits on counter c. */
struct match {
	const struct choice *choice;
	unsigned on[ASSIGN_COUNTERS];
	uint32_t taken, tried;
};

/* A counter for choice k: a free one, or else by moving others along to ones that they can have as well. */
static bool seat(struct match *m, unsigned k)
{
	uint32_t free = m->choice[k].can & ~m->taken & ~m->tried;

	if (free) {
		m->on[__builtin_ctz(free)] = k;
		m->taken |= free & -free;
		return true;
	}
	for (uint32_t can = m->choice[k].can & ~m->tried; can; can &= m->choice[k].can & ~m->tried) {
		unsigned c = (unsigned)__builtin_ctz(can);

		m->tried |= UINT32_C(1) << c;
		if (!seat(m, m->on[c]))
			continue;
		m->on[c] = k;
		return true;
	}
	return false;
}

static bool match(const struct choice *choice, unsigned n, uint8_t *counter)
{
	struct match m = { .choice = choice };

	for (unsigned k = 0; k < n; k++) {
		m.tried = 0;
		if (!seat(&m, k))
			return false;
	}
	for (unsigned c = 0; c < ASSIGN_COUNTERS; c++)
		if (m.taken >> c & 1)
			counter[choice[m.on[c]].at] = (uint8_t)c;
	return true;
}

/* Who sits on counter 0 because another event watches it; -1: nobody, -2: two of them. */
static int leader(const struct assign_want *want, const unsigned *list, unsigned n)
{
	int lead = -1;

	for (unsigned i = 0; i < n; i++) {
		int follows = want[list[i]].follows;

		if (follows < 0 || follows == lead)
			continue;
		if (lead >= 0)
			return -2;
		lead = follows;
	}
	return lead;
}

/* A way for list[i] and those behind it that agrees with all before them. */
static bool agree(const struct assign_want *want, const unsigned *list, unsigned n, unsigned i,
		  uint8_t *way)
{
	const struct assign_want *w;

	if (i == n)
		return true;
	w = want + list[i];
	for (way[i] = 0; way[i] <= w->two_ways; way[i]++) {
		struct event_setting at, other;
		unsigned k = 0;

		while (k < i && !clash(want + list[k], way[k], w, way[i], &at, &other))
			k++;
		if (k == i && agree(want, list, n, i + 1, way))
			return true;
	}
	return false;
}

/* Can these events be counted in one turn?  Then counter[i] and way[i] are for list[i]. */
bool assign_fits(const struct assign_want *want, const unsigned *list, unsigned n, uint8_t *counter,
		 uint8_t *way)
{
	struct choice order[ASSIGN_COUNTERS] = { { 0, 0 } };
	unsigned counted = 0;
	int lead = leader(want, list, n);

	if (lead == -2)
		return false;
	for (unsigned i = 0; i < n; i++) {
		uint32_t can = want[list[i]].counters;
		unsigned k = counted;

		if (!can)
			continue;
		if (counted++ == ASSIGN_COUNTERS)
			return false;
		if (lead >= 0)
			can &= (int)list[i] == lead ? UINT32_C(1) : ~UINT32_C(1);
		/* Those with the fewest choices first. */
		for (; k > 0 && __builtin_popcount(order[k - 1].can) > __builtin_popcount(can); k--)
			order[k] = order[k - 1];
		order[k] = (struct choice){ can, i };
	}
	return match(order, counted, counter) && agree(want, list, n, 0, way);
}

bool assign_pair_fits(const struct assign_want *want, unsigned a, unsigned b)
{
	unsigned list[2] = { a, b };
	uint8_t counter[2], way[2];

	return assign_fits(want, list, 2, counter, way);
}

/* Do two events keep each other out of a turn?  Then why, in c. */
static bool exclude(const struct assign_want *want, unsigned a, unsigned b, struct assign_conflict *c)
{
	uint32_t both = want[a].counters & want[b].counters;
	uint8_t way[2];

	if (!agree(want, (unsigned[2]){ a, b }, 2, 0, way)) {
		c->reason = ASSIGN_FILTER;
		clash(want + a, 0, want + b, 0, &c->at, &c->other);
		return true;
	}
	c->reason = ASSIGN_COUNTER;
	c->counter = both ? (unsigned)__builtin_ctz(both) : 0;
	return !assign_pair_fits(want, a, b);
}

static void name(struct assign_conflict *why, unsigned event)
{
	if (why->n < ASSIGN_NAMED)
		why->event[why->n] = event;
	why->n++;
}

/* Does the event keep out all that are named, for the same bits or the same counter? */
static bool is_one_more(const struct assign_want *want, const struct assign_conflict *why, unsigned event)
{
	for (unsigned i = 0; i < why->n && i < ASSIGN_NAMED; i++) {
		struct assign_conflict c = { 0 };

		if (why->event[i] == event || !exclude(want, why->event[i], event, &c) || c.reason != why->reason)
			return false;
		if (c.reason == ASSIGN_COUNTER ? c.counter != why->counter
					       : c.at.reg != why->at.reg || c.at.element != why->at.element ||
						 c.at.hi != why->at.hi || c.at.lo != why->at.lo)
			return false;
	}
	return true;
}

/* Of a list that does not fit those that do not fit by themselves, though all but any one of them would. */
static void name_crowd(const struct assign_want *want, const unsigned *list, unsigned n, struct assign_conflict *why)
{
	enum { MOST = 2 * ASSIGN_COUNTERS };
	unsigned set[MOST], rest[MOST];
	uint8_t counter[MOST], way[MOST];

	n = n < MOST ? n : MOST;
	memcpy(set, list, n * sizeof *set);
	for (unsigned i = n; i-- > 0;) {
		memcpy(rest, set, i * sizeof *set);
		memcpy(rest + i, set + i + 1, (n - i - 1) * sizeof *set);
		if (!assign_fits(want, rest, n - 1, counter, way))
			memcpy(set, rest, --n * sizeof *set);
	}
	for (unsigned i = 0; i < n; i++)
		name(why, set[i]);
}

void assign_explain(const struct assign_want *want, const unsigned *list, unsigned n,
		    struct assign_conflict *why)
{
	*why = (struct assign_conflict){ .n = 0 };
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++) {
			if (!exclude(want, list[i], list[k], why))
				continue;
			name(why, list[i]);
			name(why, list[k]);
			for (unsigned m = 0; m < n; m++)
				if (is_one_more(want, why, list[m]))
					name(why, list[m]);
			return;
		}
	why->reason = ASSIGN_CROWD;
	name_crowd(want, list, n, why);
}
