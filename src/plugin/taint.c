/* SPDX-License-Identifier: BSD-2-Clause */
#include "taint.h"

/* A load can only be held up by a miss that is still in the reorder buffer with it. */
#define REORDER_BUFFER 192

/* Whoever runs the next block has to notice. */
static void hold(struct plugin_core *c)
{
	bool held = c->x.held != 0;

	if (held != (c->tainted != 0))
		xcore_hold(&c->x, !held);
}

static void follow(struct plugin_core *c, const struct plugin_moves *m)
{
	if (!(c->tainted & m->from)) {
		c->tainted &= (uint16_t)~m->to;
		return;
	}
	for (unsigned i = 0; i < m->n; i++) {
		if (c->tainted & m->move[i].from)
			c->tainted |= m->move[i].to;
		else
			c->tainted &= (uint16_t)~m->move[i].to;
	}
}

static void follow_load(struct plugin_core *c, const struct plugin_site *s, bool missed, bool dependent)
{
	if (missed) {
		c->tainted = s->to;
		c->tainted_until = plugin_retired(c) + REORDER_BUFFER;
		c->at = s;
	} else if (dependent) {
		c->tainted |= s->to;
	} else if (!(s->flags & SITE_MIX)) {
		c->tainted &= (uint16_t)~s->to;
	}
}

void taint_load(struct plugin_core *c, const struct plugin_site *s, bool missed, bool dependent)
{
	follow_load(c, s, missed, dependent);
	hold(c);
}

/* From s on through the sites whose accesses are done, to the first one that is to come. */
static void walk(struct plugin_core *c, const struct plugin_site *s)
{
	for (; s && s->known != SITE_UNKNOWN; s = s->next) {
		if (s->flags & SITE_LOAD)
			follow_load(c, s, c->missed >> s->known & 1, c->dependent >> s->known & 1);
		follow(c, &s->after);
	}
	c->at = s;
}

/* Up to site s; NULL: to the end of the block.  Accesses in between have not happened. */
static void catch_up(struct plugin_core *c, const struct plugin_site *s)
{
	while (c->at && c->at != s) {
		follow(c, &c->at->after);
		walk(c, c->at->next);
	}
}

void taint_start_block(struct plugin_core *c, const struct plugin_block *b)
{
	follow(c, &b->before);
	walk(c, b->first);
	hold(c);
}

void taint_end_block(struct plugin_core *c)
{
	catch_up(c, NULL);
	hold(c);
}

bool taint_expired(struct plugin_core *c)
{
	if (plugin_retired(c) <= c->tainted_until)
		return false;
	c->tainted = 0;
	c->at = NULL;
	hold(c);
	return true;
}

unsigned taint_dependence(struct plugin_core *c, const struct plugin_site *s)
{
	uint64_t now = plugin_retired(c);

	if (taint_expired(c))
		return 0;
	if (c->at == s && c->at_retired == now)
		return c->tainted & s->address ? LEAVE_DEPENDENT : 0;
	if (s->flags & SITE_FIRST) {
		catch_up(c, NULL);
		follow(c, &s->block->before);
	} else {
		catch_up(c, s);
	}
	hold(c);
	c->at = s;
	c->at_retired = now;
	return c->tainted & s->address ? LEAVE_DEPENDENT : 0;
}
