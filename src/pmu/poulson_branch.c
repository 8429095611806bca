/* SPDX-License-Identifier: BSD-2-Clause */
/* Itanium 9500: the events of branches that retire (4.2.6). */
#include "pmu/poulson_core.h"

/* First codes; within each the classes follow each other: any, IP-relative, return, other indirect. */
enum {
	EV_PATH = 0x808,	/* 4 a class: wrong and not taken, wrong and taken, right and ... */
	EV_UNKNOWN = 0x818,	/* 2 a class: all, taken */
	EV_PRED = 0x820,	/* 4 a class: all, right, wrong path, wrong target */
	EV_ENC = 0x830,		/* the same for bundles that are encoded, overfull, both */
};

static unsigned class_of(uint64_t type)
{
	enum { CALL = 2, RET = 3 };

	return type <= CALL ? 1 : type == RET ? 2 : 3;
}

/*
 * The branches of a bundle go through together.  Only the first of them that is mispredicted counts as such,
 * and behind one that was predicted taken the front end has no prediction: these count as right.
 */
struct bundle {
	bool unknown, reported;
};

static struct bundle enter(struct core_thread *t, const struct door *d)
{
	uint64_t clock = core_clock(t), ip = d->v[DOOR_IP_] >> 4;
	struct core_bundle *b = &t->bundle;

	if (b->ip != ip || b->clock != clock || !b->some)
		*b = (struct core_bundle){ .ip = ip, .clock = clock, .some = true };
	return (struct bundle){ b->taken, b->wrong };
}

void core_branch(struct core_thread *t, const struct door *d, const struct core_tags *tags)
{
	const uint64_t *v = d->v;
	bool taken = v[DOOR_TAKEN_], path = v[DOOR_PATH_], at = !taken || v[DOOR_TARGETS_];
	struct bundle b = enter(t, d);
	unsigned result, class = class_of(v[DOOR_BTYPE_]);

	/* Predicted taken, as far as anybody predicted. */
	t->bundle.taken |= !b.unknown && path == taken;
	if (!v[DOOR_REACHED_] || v[DOOR_FAULT_])
		return;
	if (b.unknown || b.reported)
		path = at = true;
	t->bundle.wrong |= !path || !at;
	result = !path ? 2 : at ? 1 : 3;
	for (unsigned c = 0; c <= class; c += class) {
		core_count(t, EV_PATH + 4 * c + 2 * path + taken, 1, tags);
		core_count(t, EV_PRED + 4 * c, 1, tags);
		core_count(t, EV_PRED + 4 * c + result, 1, tags);
		if (b.unknown)
			core_count(t, EV_UNKNOWN + 2 * c, 1, tags);
		if (b.unknown && taken)
			core_count(t, EV_UNKNOWN + 2 * c + 1, 1, tags);
	}
	if (v[DOOR_BUNDLE_]) {
		core_count(t, EV_ENC + 4 * ((uint32_t)v[DOOR_BUNDLE_] - 1), 1, tags);
		core_count(t, EV_ENC + 4 * ((uint32_t)v[DOOR_BUNDLE_] - 1) + result, 1, tags);
	}
}
