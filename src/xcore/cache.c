// SPDX-License-Identifier: BSD-2-Clause
/* Private cache arrays: making them and choosing what leaves. */
#include "xcore/cache.h"

#include <stdlib.h>

#include "base/error.h"

int cache_init(struct cache *c, uint32_t bytes)
{
	uint32_t sets = bytes / (64 * CACHE_WAYS);

	if (!sets || (sets & (sets - 1)) || sets * 64 * CACHE_WAYS != bytes)
		return BXS_EINVAL;
	c->mask = sets - 1;
	c->set = calloc(sets, sizeof *c->set);
	return c->set ? 0 : BXS_ENOMEM;
}

void cache_done(struct cache *c)
{
	free(c->set);
	memset(c, 0, sizeof *c);
}

void cache_clear(struct cache *c)
{
	memset(c->set, 0, (c->mask + 1) * sizeof *c->set);
}

unsigned cache_victim(const struct cache *c, uint64_t line)
{
	const struct cache_set *s = c->set + cache_index(c, line);

	if (s->valid != 0xff)
		return (unsigned)__builtin_ctz(~(unsigned)s->valid);

	unsigned half = s->tree & 1;
	unsigned quarter = s->tree >> (1 + half) & 1;
	unsigned pair = s->tree >> (3 + 2 * half + quarter) & 1;

	return half << 2 | quarter << 1 | pair;
}
