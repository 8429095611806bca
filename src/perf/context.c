/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who counts when.  Groups go on counters as a whole: pinned ones first, then the others in the order of their turns, until one
 * does not fit.  Then every few milliseconds of the machine's time the first that counts goes behind all others.
 */
#include <stddef.h>

#include "perf/perf_private.h"

#define TURN UINT64_C(4000000000)		/* perf_event_mux_interval_ms, picoseconds */
#define LOOK UINT64_C(60000000000000)		/* the driver looks at counters every minute */

/* One event of a group; one that is switched off does not stand in the way. */
static bool event_in(struct perf_event *e, uint64_t now)
{
	if (e->state <= PERF_OFF)
		return true;
	perf_event_state(e, PERF_ACTIVE, now);
	if (e->context->ops->add(e) == 0)
		return true;
	perf_event_state(e, PERF_WAITING, now);
	return false;
}

static void event_out(struct perf_event *e, uint64_t now)
{
	if (e->state != PERF_ACTIVE)
		return;
	e->context->ops->remove(e);
	perf_event_state(e, PERF_WAITING, now);
}

static void group_out(struct perf_event *leader, uint64_t now)
{
	if (leader->state != PERF_ACTIVE)
		return;
	event_out(leader, now);
	for (struct perf_event *s = leader->siblings; s; s = s->next)
		event_out(s, now);
}

/* All or none. */
static bool group_in(struct perf_event *leader, uint64_t now)
{
	bool fits = event_in(leader, now);

	for (struct perf_event *s = leader->siblings; s && fits; s = s->next)
		fits = event_in(s, now);
	if (!fits)
		group_out(leader, now);
	return fits;
}

static bool exclusive_on(const struct perf_context *c)
{
	for (const struct perf_event *l = c->leaders; l; l = l->next)
		if (l->state == PERF_ACTIVE && l->attr.exclusive)
			return true;
	return false;
}

static bool may_try(const struct perf_context *c, const struct perf_event *leader)
{
	return !exclusive_on(c) && !(leader->attr.exclusive && c->ons);
}

static void wait_for_turn(struct perf_context *c)
{
	if (!c->turn)
		c->perf->config.wake(c->perf->config.ctx);
	c->turn = true;
}

static void all_in(struct perf_context *c, uint64_t now)
{
	bool room = true;

	for (struct perf_event *l = c->leaders; l; l = l->next) {
		if (l->state != PERF_WAITING)
			continue;
		if ((room || l->attr.pinned) && may_try(c, l) && group_in(l, now))
			continue;
		if (l->attr.pinned) {
			perf_event_state(l, PERF_ERROR, now);
			continue;
		}
		room = false;
		wait_for_turn(c);
	}
}

/* Stop all groups; pinned: also those that are pinned. */
static void all_out(struct perf_context *c, bool pinned, uint64_t now)
{
	c->turn = false;
	for (struct perf_event *l = c->leaders; l; l = l->next)
		if (pinned || !l->attr.pinned)
			group_out(l, now);
}

/* Schedule all groups anew while the box is frozen; pinned: also those that are pinned. */
static void again(struct perf_context *c, bool pinned, uint64_t now)
{
	c->ops->freeze(c, true);
	all_out(c, pinned, now);
	all_in(c, now);
	c->ops->freeze(c, false);
	c->turned = now;
}

/* Behind those of its kind. */
static void append(struct perf_context *c, struct perf_event *leader)
{
	struct perf_event **at = &c->leaders;

	while (*at && (!leader->attr.pinned || (*at)->attr.pinned))
		at = &(*at)->next;
	leader->next = *at;
	*at = leader;
}

static void unlink_from(struct perf_event **list, struct perf_event *e)
{
	while (*list && *list != e)
		list = &(*list)->next;
	if (*list)
		*list = e->next;
	e->next = NULL;
}

void perf_context_enter(struct perf_event *e)
{
	struct perf_context *c = e->context;
	uint64_t now = perf_now(c->perf);

	e->stamp = now;
	if (e->leader == e) {
		append(c, e);
	} else {
		struct perf_event **at = &e->leader->siblings;

		while (*at)
			at = &(*at)->next;
		*at = e;
	}
	if (e->state > PERF_OFF && e->leader->state > PERF_OFF)
		again(c, e->leader->attr.pinned, now);
}

void perf_context_enable(struct perf_event *e)
{
	uint64_t now = perf_now(e->perf);

	if (e->state >= PERF_WAITING)
		return;
	perf_event_state(e, PERF_WAITING, now);
	/* A sibling waits for its leader. */
	if (e->leader == e || e->leader->state == PERF_ACTIVE)
		again(e->context, e->leader->attr.pinned, now);
}

void perf_context_disable(struct perf_event *e)
{
	struct perf_context *c = e->context;
	uint64_t now = perf_now(e->perf);

	if (e->state < PERF_WAITING)
		return;
	if (e->state == PERF_ACTIVE) {
		c->ops->freeze(c, true);
		if (e->leader == e)
			group_out(e, now);
		else
			event_out(e, now);
		c->ops->freeze(c, false);
	}
	perf_event_state(e, PERF_OFF, now);
}

/* Siblings of a leader that goes are leaders from now on. */
static void set_free(struct perf_event *leader)
{
	struct perf_event *s, *next;

	for (s = leader->siblings; s; s = next) {
		next = s->next;
		perf_event_times(s, perf_now(s->perf));
		s->leader = s;
		s->next = NULL;
		append(leader->context, s);
	}
	leader->siblings = NULL;
}

void perf_context_leave(struct perf_event *e)
{
	perf_context_disable(e);
	if (e->leader == e) {
		set_free(e);
		unlink_from(&e->context->leaders, e);
		if (e->context->leaders)
			wait_for_turn(e->context);
	} else {
		unlink_from(&e->leader->siblings, e);
	}
}

/* The first active group that is not pinned goes to the end of the list. */
static void rotate(struct perf_context *c)
{
	struct perf_event *l = c->leaders;

	while (l && (l->attr.pinned || l->state != PERF_ACTIVE))
		l = l->next;
	if (!l)
		return;
	unlink_from(&c->leaders, l);
	append(c, l);
}

bool perf_context_tick(struct perf_context *c, uint64_t now)
{
	if (c->turn && now - c->turned >= TURN) {
		/* The order is by who counts now, so it changes before they stop. */
		rotate(c);
		again(c, false, now);
	}
	if (c->ons && now - c->looked >= LOOK) {
		for (unsigned i = 0; i < c->ons; i++)
			c->ops->update(c->on[i]);
		c->looked = now;
	}
	return c->turn;
}
