/* SPDX-License-Identifier: BSD-2-Clause */
/* Known accesses of a block that follow each other and are near each other: a group, mostly in one line. */
#ifndef BXS_PLUGIN_GROUP_H
#define BXS_PLUGIN_GROUP_H

#include <stdbool.h>

#include "plugin.h"

struct group {
	const struct plugin_known *first;
	uint64_t lowest;			/* disp of the one that lies lowest */
	unsigned room;				/* for that, so that all are in its line */
	unsigned n;
	bool written;				/* by one of them, or near it later in the block */
};

static inline bool plugin_is_store(const struct plugin_known *k)
{
	return k->state != 0;
}

/* The groups of b, at most PLUGIN_KNOWN_MAX; how many. */
unsigned group_find(const struct plugin_block *b, struct group *group);

#endif
