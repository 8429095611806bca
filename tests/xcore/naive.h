/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private caches again, as plainly as the words describe them: the reference that the
 * fast ones are compared with.  No prefetchers.
 */
#ifndef TEST_NAIVE_H
#define TEST_NAIVE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "xcore/leave.h"

enum naive_state { NAIVE_I, NAIVE_S, NAIVE_E, NAIVE_M };

struct naive_way {
	uint64_t line;
	enum naive_state state;
};

/* tree[set][node]: 1 when the colder half is the upper one; node 1 is the root, the children of
 * n are 2n and 2n + 1. */
struct naive_cache {
	unsigned sets;
	struct naive_way way[512][8];
	int tree[512][8];
};

struct naive {
	struct naive_cache l1d, l1i, l2;
	unsigned l1_misses, l2_hits;
	unsigned n;
	struct leave_record out[64];
};

static struct naive_way *naive_find(struct naive_cache *c, uint64_t line)
{
	for (unsigned w = 0; w < 8; w++) {
		struct naive_way *at = &c->way[line % c->sets][w];

		if (at->state != NAIVE_I && at->line == line)
			return at;
	}
	return NULL;
}

static void naive_use(struct naive_cache *c, struct naive_way *at)
{
	unsigned set = (unsigned)(at->line % c->sets);
	unsigned way = (unsigned)(at - c->way[set]), node = 1;

	for (int bit = 2; bit >= 0; bit--) {
		unsigned upper = way >> bit & 1;

		c->tree[set][node] = !upper;
		node = 2 * node + upper;
	}
}

/* The way that line will take, its old content in *old. */
static void naive_insert(struct naive_cache *c, uint64_t line, enum naive_state state,
			 struct naive_way *old)
{
	unsigned set = (unsigned)(line % c->sets), way = 8, node = 1;

	for (unsigned w = 8; w-- > 0;) {
		if (c->way[set][w].state == NAIVE_I)
			way = w;
	}
	if (way == 8) {
		while (node < 8)
			node = 2 * node + (unsigned)c->tree[set][node];
		way = node - 8;
	}
	*old = c->way[set][way];
	c->way[set][way] = (struct naive_way){ line, state };
	naive_use(c, &c->way[set][way]);
}

static void naive_tell(struct naive *n, uint64_t line, enum leave_kind kind)
{
	n->out[n->n++] = (struct leave_record){ .line = line & 0xffffffffffff, .kind = kind & 63 };
}

static void naive_to_l2(struct naive *n, uint64_t line, enum naive_state state)
{
	struct naive_way old, *l1;

	naive_insert(&n->l2, line, state, &old);
	if (old.state == NAIVE_I)
		return;
	l1 = naive_find(&n->l1d, old.line);
	if (l1 && old.state == NAIVE_M)
		l1->state = NAIVE_M;
	if (!l1 && old.state == NAIVE_M)
		naive_tell(n, old.line, LEAVE_WB_M);
}

static void naive_to_l1d(struct naive *n, uint64_t line, enum naive_state state)
{
	struct naive_way old, *l2;

	naive_insert(&n->l1d, line, state, &old);
	if (old.state != NAIVE_M)
		return;
	l2 = naive_find(&n->l2, old.line);
	if (l2)
		l2->state = NAIVE_M;
	else
		naive_to_l2(n, old.line, NAIVE_M);
}

static void naive_load(struct naive *n, uint64_t line)
{
	struct naive_way *at = naive_find(&n->l1d, line);
	enum naive_state state = NAIVE_E;

	if (at) {
		naive_use(&n->l1d, at);
		return;
	}
	n->l1_misses++;
	at = naive_find(&n->l2, line);
	if (at) {
		n->l2_hits++;
		naive_use(&n->l2, at);
		state = at->state;
	} else {
		naive_tell(n, line, LEAVE_DRD);
		naive_to_l2(n, line, NAIVE_E);
	}
	naive_to_l1d(n, line, state);
}

static void naive_store(struct naive *n, uint64_t line)
{
	struct naive_way *at = naive_find(&n->l1d, line);

	if (at) {
		if (at->state == NAIVE_S)
			naive_tell(n, line, LEAVE_RFO);
		if (at->state == NAIVE_E)
			naive_tell(n, line, LEAVE_DIRTY);
		at->state = NAIVE_M;
		naive_use(&n->l1d, at);
		return;
	}
	n->l1_misses++;
	at = naive_find(&n->l2, line);
	if (at) {
		n->l2_hits++;
		naive_use(&n->l2, at);
		if (at->state == NAIVE_S) {
			naive_tell(n, line, LEAVE_RFO);
			at->state = NAIVE_E;
		} else if (at->state == NAIVE_E) {
			naive_tell(n, line, LEAVE_DIRTY);
		}
	} else {
		naive_tell(n, line, LEAVE_RFO);
		naive_to_l2(n, line, NAIVE_E);
	}
	naive_to_l1d(n, line, NAIVE_M);
}

static void naive_fetch(struct naive *n, uint64_t line)
{
	struct naive_way *at = naive_find(&n->l1i, line), old;

	if (at) {
		naive_use(&n->l1i, at);
		return;
	}
	n->l1_misses++;
	naive_insert(&n->l1i, line, NAIVE_S, &old);
	at = naive_find(&n->l2, line);
	if (at) {
		n->l2_hits++;
		naive_use(&n->l2, at);
		return;
	}
	naive_tell(n, line, LEAVE_CRD);
	naive_to_l2(n, line, NAIVE_S);
}

static void naive_snoop(struct naive *n, uint64_t line, enum naive_state to)
{
	struct naive_cache *all[] = { &n->l1d, &n->l1i, &n->l2 };

	for (unsigned i = 0; i < 3; i++) {
		struct naive_way *at = naive_find(all[i], line);

		if (at)
			at->state = to;
	}
}

#endif
