/* SPDX-License-Identifier: BSD-2-Clause */
/* Directory words in memory, and which of them are in the directory cache. */
#include "uncore/poulson/dcache.h"

#include <stdlib.h>

#include "base/error.h"

int dcache_init(struct dcache *d, uint64_t lines)
{
	*d = (struct dcache){ .blocks = lines / DCACHE_BLOCK + 1 };
	d->block = calloc(d->blocks, sizeof *d->block);
	return d->block ? 0 : BXS_ENOMEM;
}

void dcache_free(struct dcache *d)
{
	for (uint64_t i = 0; d->block && i < d->blocks; i++)
		free(d->block[i]);
	free(d->block);
	d->block = NULL;
}

unsigned dcache_get(const struct dcache *d, uint64_t line)
{
	const uint16_t *block = d->block[line / DCACHE_BLOCK];

	return block ? block[line % DCACHE_BLOCK] : 0;
}

void dcache_put(struct dcache *d, uint64_t line, unsigned word)
{
	uint16_t **block = &d->block[line / DCACHE_BLOCK];

	if (!*block && word)
		*block = calloc(DCACHE_BLOCK, sizeof **block);
	if (*block)
		(*block)[line % DCACHE_BLOCK] = (uint16_t)word;
	else
		d->lost |= word != 0;
}

/* The lowest bits tell home agent and channel. */
static unsigned set_of(uint64_t line)
{
	return (unsigned)(line >> 2 ^ line >> 11 ^ line >> 20) % DCACHE_SETS;
}

int dcache_find(const struct dcache *d, uint64_t line)
{
	const uint64_t *tag = d->tag[set_of(line)];

	for (int w = 0; w < DCACHE_WAYS; w++)
		if (tag[w] == line + 1)
			return w;
	return -1;
}

unsigned dcache_alloc(struct dcache *d, uint64_t line, bool *evicted)
{
	unsigned set = set_of(line), way = d->turn[set];

	for (unsigned w = 0; w < DCACHE_WAYS; w++)
		if (!d->tag[set][w])
			way = w;
	*evicted = d->tag[set][way] != 0;
	if (*evicted)
		d->turn[set] = (uint8_t)((way + 1) % DCACHE_WAYS);
	d->tag[set][way] = line + 1;
	return way;
}

void dcache_drop(struct dcache *d, uint64_t line, int way)
{
	d->tag[set_of(line)][way] = 0;
}
