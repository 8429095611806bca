/* SPDX-License-Identifier: BSD-2-Clause */
#include "group.h"

static bool same_registers(const struct plugin_known *a, const struct plugin_known *b)
{
	return a->base == b->base && a->keep == b->keep && a->index == b->index &&
	       a->scale == b->scale;
}

static bool close_by(const struct plugin_known *a, const struct plugin_known *b)
{
	uint64_t by = b->disp - a->disp;

	return same_registers(a, b) && by + 63 < 127;
}

/* Is there a store near k further on?  Then its line is looked at as one to be written. */
static bool written_later(const struct plugin_block *b, const struct plugin_known *k)
{
	for (const struct plugin_known *o = k; o < b->known + b->n; o++) {
		if (plugin_is_store(o) && close_by(k, o))
			return true;
	}
	return false;
}

/* What room k leaves the group, if it joins; below 0: they are never all in one line. */
static int room_with(const struct group *g, const struct plugin_known *k)
{
	int behind = (int)(int64_t)(k->disp - g->lowest);
	int room = (int)g->room + (behind < 0 ? behind : 0), own = k->room - (behind > 0 ? behind : 0);

	return room < own ? room : own;
}

static bool joins(const struct group *g, const struct plugin_known *k)
{
	return close_by(g->first, k) && (g->written || !plugin_is_store(k)) && room_with(g, k) >= 0;
}

static void join(struct group *g, const struct plugin_known *k)
{
	g->room = (unsigned)room_with(g, k);
	if ((int64_t)(k->disp - g->lowest) < 0)
		g->lowest = k->disp;
	g->n++;
}

unsigned group_find(const struct plugin_block *b, struct group *group)
{
	unsigned groups = 0;

	for (const struct plugin_known *k = b->known; k < b->known + b->n; k++) {
		struct group *g = group + groups;

		if (groups && joins(g - 1, k)) {
			join(g - 1, k);
			continue;
		}
		*g = (struct group){ .first = k, .lowest = k->disp, .room = k->room, .n = 1,
				     .written = written_later(b, k) };
		groups++;
	}
	return groups;
}
