/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counter assignment: how many turns a set of events needs, that every placing keeps
 * the rules, and who is named when there is none.
 */
#include <string.h>

#include "base/error.h"
#include "check.h"
#include "measure/assign.h"

enum { MAX = 40 };

/* Filter values, as settings of the same 9 bits of register 7, and of bits above them. */
static const struct event_setting opc1 = { .value = 0x182, .reg = 7, .hi = 28, .lo = 20 };
static const struct event_setting opc2 = { .value = 0x180, .reg = 7, .hi = 28, .lo = 20 };
static const struct event_setting low8 = { .value = 0x82, .reg = 7, .hi = 27, .lo = 20 };
static const struct event_setting nid1 = { .value = 0x1, .reg = 7, .hi = 15, .lo = 0 };
static const struct event_setting other = { .value = 0x1, .reg = 8, .hi = 28, .lo = 20 };
static const struct event_setting mine = { .reg = 7, .hi = 15, .lo = 0, .symbol = EVENT_MY_NODE };

#define ANY { .counters = 0xf, .follows = -1 }
#define ON(mask) { .counters = mask, .follows = -1 }
/* The same on the first of two selections, 16 bits apart. */
static const struct event_setting evt1 = { .value = 1, .reg = 9, .hi = 3, .lo = 0, .shift = 16 };
static const struct event_setting evt2 = { .value = 2, .reg = 9, .hi = 3, .lo = 0, .shift = 16 };
static const struct event_setting evt3 = { .value = 3, .reg = 9, .hi = 3, .lo = 0, .shift = 16 };
#define WAYS(set) { .counters = 0xf, .follows = -1, .two_ways = true, .settings = 1, .setting = &(set) }
#define WITH(set) { .counters = 0xf, .follows = -1, .settings = 1, .setting = &(set) }
#define GROUP(g, mask) { .counters = mask, .follows = -1, .group = g }
#define LOOSE(mask) { .counters = mask, .follows = -1, .loose = true }

static const struct row {
	int line;
	unsigned n;
	struct assign_want want[8];
	bool allowed;
	unsigned turns;			/* 0: err, the first named is a and the last b */
	enum assign_reason reason;
	unsigned a, b;
	int err;
} rows[] = {
	{ LINE, 1, { ANY }, false, 1, 0, 0, 0, 0 },
	{ LINE, 4, { ANY, ANY, ANY, ANY }, false, 1, 0, 0, 0, 0 },
	{ LINE, 5, { ANY, ANY, ANY, ANY, ANY }, false, 2, 0, 0, 0, 0 },
	/* The picky ones come last, and still get their counters. */
	{ LINE, 4, { ANY, ANY, ON(3), ON(1) }, false, 1, 0, 0, 0, 0 },
	{ LINE, 4, { ON(6), ON(3), ON(12), ON(9) }, false, 1, 0, 0, 0, 0 },
	/* Two that both need counter 0. */
	{ LINE, 2, { ON(1), ON(1) }, false, 0, ASSIGN_COUNTER, 0, 1, BXS_ETURNS },
	{ LINE, 2, { ON(1), ON(1) }, true, 2, 0, 0, 0, 0 },
	{ LINE, 2, { LOOSE(1), ON(1) }, false, 2, 0, 0, 0, 0 },
	/* No pair fights, but three cannot share two counters. */
	{ LINE, 3, { ON(3), ON(3), ON(3) }, false, 2, 0, 0, 0, 0 },
	/* A filter holds one value. */
	{ LINE, 2, { WITH(opc1), WITH(opc1) }, false, 1, 0, 0, 0, 0 },
	{ LINE, 3, { ANY, WITH(opc1), WITH(opc2) }, false, 0, ASSIGN_FILTER, 1, 2, BXS_ETURNS },
	{ LINE, 3, { ANY, WITH(opc1), WITH(opc2) }, true, 2, 0, 0, 0, 0 },
	{ LINE, 2, { WITH(opc1), WITH(nid1) }, false, 1, 0, 0, 0, 0 },
	{ LINE, 2, { WITH(opc1), WITH(other) }, false, 1, 0, 0, 0, 0 },
	{ LINE, 2, { WITH(opc1), WITH(low8) }, false, 1, 0, 0, 0, 0 },
	{ LINE, 2, { WITH(opc2), WITH(low8) }, false, 0, ASSIGN_FILTER, 0, 1, BXS_ETURNS },
	{ LINE, 2, { WITH(nid1), WITH(mine) }, false, 0, ASSIGN_FILTER, 0, 1, BXS_ETURNS },
	/* Fixed counters cost nothing. */
	{ LINE, 6, { ANY, ON(0), ANY, ON(0), ANY, ANY }, false, 1, 0, 0, 0, 0 },
	/* A follower needs its leader on counter 0, and nobody else there. */
	{ LINE, 2, { ON(1), { .counters = 0xf, .follows = 0 } }, false, 1, 0, 0, 0, 0 },
	{ LINE, 2, { ANY, { .counters = 0xf, .follows = 0 } }, false, 1, 0, 0, 0, 0 },
	{ LINE, 3, { ON(1), { .counters = 0xf, .follows = 0 }, ON(1) }, false, 0, ASSIGN_COUNTER, 0, 2, BXS_ETURNS },
	{ LINE, 3, { ON(1), { .counters = 0x1, .follows = 0 }, ANY }, false, 0, ASSIGN_COUNTER, 0, 1, BXS_ECONFLICT },
	/* Groups hold together or fail. */
	{ LINE, 6, { GROUP(1, 0xf), ANY, ANY, ANY, ANY, GROUP(1, 0xf) }, false, 2, 0, 0, 0, 0 },
	{ LINE, 5, { GROUP(1, 0xf), GROUP(1, 0xf), GROUP(1, 0xf), GROUP(1, 0xf), GROUP(1, 0xf) },
	  true, 0, ASSIGN_CROWD, 0, 4, BXS_ECONFLICT },
	{ LINE, 3, { GROUP(1, 1), ANY, GROUP(1, 1) }, true, 0, ASSIGN_COUNTER, 0, 2, BXS_ECONFLICT },
	/* Two selections hold two values at once, not three. */
	{ LINE, 3, { WAYS(evt1), WAYS(evt2), ANY }, false, 1, 0, 0, 0, 0 },
	{ LINE, 2, { WAYS(evt1), WITH(evt2) }, false, 1, 0, 0, 0, 0 },
	{ LINE, 3, { WAYS(evt1), WAYS(evt2), WAYS(evt3) }, false, 2, 0, 0, 0, 0 },
	/* First-fit would need three turns here: {a,b} and {c} conflict in pairs by opcode. */
	{ LINE, 8, { WITH(opc1), WITH(opc2), WITH(opc1), WITH(opc2), WITH(opc1), WITH(opc2), WITH(opc1),
		     WITH(opc2) }, true, 2, 0, 0, 0, 0 },
};

/* What every placing must keep. */
static void check_rules(int line, const struct assign_want *want, unsigned n,
			const struct assign_place *place, unsigned turns)
{
	for (unsigned i = 0; i < n; i++) {
		CHECK_EQ(line, place[i].turn < turns, 1);
		if (want[i].counters)
			CHECK_EQ(line, want[i].counters >> place[i].counter & 1, 1);
		if (want[i].follows >= 0) {
			CHECK_EQ(line, place[want[i].follows].turn, place[i].turn);
			CHECK_EQ(line, place[want[i].follows].counter, 0);
		}
		for (unsigned k = 0; k < i; k++) {
			bool same = place[i].turn == place[k].turn;

			if (want[i].group && want[i].group == want[k].group)
				CHECK_EQ(line, same, 1);
			if (!same)
				continue;
			if (want[i].counters && want[k].counters)
				CHECK_EQ(line, place[i].counter != place[k].counter, 1);
			if (want[i].settings && want[k].settings && place[i].way == place[k].way &&
			    want[i].setting->reg == want[k].setting->reg &&
			    want[i].setting->lo == want[k].setting->lo &&
			    want[i].setting->hi == want[k].setting->hi)
				CHECK_EQ(line, want[i].setting->value, want[k].setting->value);
		}
	}
}

static void check_rows(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct assign_place place[8];
		struct assign_conflict why = { 0 };
		unsigned turns = 0;
		int err = assign_counters(r->want, r->n, r->allowed, place, &turns, &why);

		CHECK_EQ(r->line, err, r->err);
		CHECK_EQ(r->line, turns, r->turns);
		if (err == 0) {
			check_rules(r->line, r->want, r->n, place, turns);
		} else {
			CHECK_EQ(r->line, why.reason, r->reason);
			CHECK_EQ(r->line, why.event[0], r->a);
			CHECK_EQ(r->line, why.event[why.n - 1], r->b);
		}
	}
}

/* All that fight over the same are named, and of a crowd none without which it would still be one. */
static const struct named {
	int line;
	struct assign_want want[6];
	unsigned n;
	int err;
	unsigned names, event[6];
} named[] = {
	{ LINE, { ON(1), ANY, ON(1), ON(2), ON(1) }, 5, BXS_ETURNS, 3, { 0, 2, 4 } },
	{ LINE, { ON(1), ON(2), ON(1), ON(2), ON(2) }, 5, BXS_ETURNS, 2, { 0, 2 } },
	{ LINE, { ON(1), LOOSE(1), ON(1) }, 3, BXS_ETURNS, 2, { 0, 2 } },
	{ LINE, { WITH(opc1), ON(1), WITH(opc2), WITH(opc1) }, 4, BXS_ETURNS, 2, { 0, 2 } },
	{ LINE, { GROUP(1, 1), GROUP(1, 1), ANY }, 3, BXS_ECONFLICT, 2, { 0, 1 } },
	{ LINE, { GROUP(1, 3), GROUP(1, 0xf), GROUP(1, 3), ANY, GROUP(1, 3) }, 5, BXS_ECONFLICT, 3, { 0, 2, 4 } },
};

static void check_named(void)
{
	for (const struct named *r = named; r < named + LEN(named); r++) {
		struct assign_place place[6];
		struct assign_conflict why;
		unsigned turns;

		CHECK_EQ(r->line, assign_counters(r->want, r->n, false, place, &turns, &why), r->err);
		CHECK_EQ(r->line, why.n, r->names);
		for (unsigned i = 0; i < r->names; i++)
			CHECK_EQ(r->line, why.event[i], r->event[i]);
	}
}

/* Bundles stay together when they can, and are split when they cannot. */
static void check_bundles(void)
{
	struct assign_want want[] = { ANY, ANY, ANY, ANY, ANY, WITH(opc1), WITH(opc2) };
	struct assign_place place[LEN(want)];
	struct assign_conflict why;
	unsigned turns;

	want[0].bundle = want[4].bundle = 1;
	want[5].bundle = want[6].bundle = 2;
	want[5].loose = want[6].loose = true;
	CHECK_EQ(__LINE__, assign_counters(want, LEN(want), false, place, &turns, &why), 0);
	CHECK_EQ(__LINE__, turns, 2);
	CHECK_EQ(__LINE__, place[0].turn, place[4].turn);
	CHECK(place[5].turn != place[6].turn);
	check_rules(__LINE__, want, LEN(want), place, turns);
}

/* Many events: 40 of which each fourth needs counter 0 make ten turns, not more. */
static void check_many(void)
{
	struct assign_want want[MAX];
	struct assign_place place[MAX];
	struct assign_conflict why;
	unsigned turns;

	for (unsigned i = 0; i < MAX; i++)
		want[i] = (struct assign_want){ .counters = i % 4 ? 0xe : 0x1, .follows = -1, .loose = true };
	CHECK_EQ(__LINE__, assign_counters(want, MAX, false, place, &turns, &why), 0);
	CHECK_EQ(__LINE__, turns, 10);
	check_rules(__LINE__, want, MAX, place, turns);
}

int main(void)
{
	check_rows();
	check_named();
	check_bundles();
	check_many();
	return check_done();
}
