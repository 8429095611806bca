/* SPDX-License-Identifier: BSD-2-Clause */
/* The HitME cache: sets of entries in the order of their use. */
#include "uncore/ha/hitme.h"

#include <stdlib.h>
#include <string.h>

bool hitme_init(struct hitme *h, unsigned entries)
{
	*h = (struct hitme){ .sets = entries / HITME_WAYS };
	if (!entries)
		return true;
	if (entries % HITME_WAYS || (h->sets & (h->sets - 1)))
		return false;
	h->set = calloc(h->sets, sizeof *h->set);
	return h->set != NULL;
}

void hitme_free(struct hitme *h)
{
	free(h->set);
	h->set = NULL;
}

static struct hitme_entry *set_of(const struct hitme *h, uint64_t line)
{
	return h->set[(line ^ line >> 11) & (h->sets - 1)];
}

/* Entry `way` becomes the first of its set. */
static struct hitme_entry *use(struct hitme_entry *set, unsigned way)
{
	struct hitme_entry e = set[way];

	memmove(set + 1, set, way * sizeof *set);
	set[0] = e;
	return set;
}

struct hitme_entry *hitme_find(struct hitme *h, uint64_t line)
{
	struct hitme_entry *set;

	if (!h->set)
		return NULL;
	set = set_of(h, line);
	for (unsigned i = 0; i < HITME_WAYS; i++)
		if (set[i].line == line + 1)
			return use(set, i);
	return NULL;
}

struct hitme_entry *hitme_add(struct hitme *h, uint64_t line)
{
	struct hitme_entry *e = use(set_of(h, line), HITME_WAYS - 1);

	*e = (struct hitme_entry){ .line = line + 1 };
	return e;
}

void hitme_drop(struct hitme *h, struct hitme_entry *e)
{
	struct hitme_entry *set = set_of(h, e->line - 1);

	memmove(set, set + 1, (HITME_WAYS - 1) * sizeof *set);
	set[HITME_WAYS - 1] = (struct hitme_entry){ .line = 0 };
}
