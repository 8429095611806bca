/* SPDX-License-Identifier: BSD-2-Clause */
/* The address map: placing pages on nodes, finding them again in both directions. */
#include "machine/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
	FIRST_TABLE = 1024,
	/* SCATTER is odd, so multiplying permutes the pages of a block; SHIFT makes blocks
	 * differ. */
	SCATTER = 667, SHIFT = 389,
};

static uint32_t scattered(uint32_t n)
{
	uint32_t block = n / MAP_BLOCK_PAGES;

	return block * MAP_BLOCK_PAGES +
	       ((n % MAP_BLOCK_PAGES) * SCATTER + block * SHIFT) % MAP_BLOCK_PAGES;
}

int map_init(struct map *map, unsigned nodes, uint64_t memory, enum map_policy policy,
	     unsigned bound)
{
	uint32_t frames = (uint32_t)(memory >> MAP_PAGE_SHIFT);

	memset(map, 0, sizeof *map);
	map->nodes = nodes;
	map->memory = memory;
	map->shift = memory & (memory - 1) ? 0 : (uint32_t)__builtin_ctzll(memory);
	map->policy = policy;
	map->bound = bound;
	for (unsigned i = 0; i < MAP_SPACES; i++)
		map->space_node[i] = MAP_ANY_NODE;
	map->table = calloc(FIRST_TABLE, sizeof *map->table);
	if (!map->table)
		return BXS_ENOMEM;
	map->table_size = FIRST_TABLE;
	for (unsigned i = 0; i < MAP_LOOKASIDE; i++)
		map->lookaside[i] = &map->spare;
	map->spare.key = UINT64_MAX;
	for (unsigned i = 0; i < nodes; i++)
		map->node[i].frames = frames;
	map->back = calloc((size_t)nodes * frames / MAP_BLOCK_PAGES, sizeof *map->back);
	if (!map->back)
		return BXS_ENOMEM;
	return 0;
}

void map_release(struct map *map)
{
	for (uint32_t i = 0; i < map->table_size; i++)
		free(map->table[i]);
	free(map->table);
	for (unsigned i = 0; map->back && i < map->nodes; i++) {
		const struct map_node *node = &map->node[i];

		for (uint32_t n = 0; n < node->given; n += MAP_BLOCK_PAGES)
			free(map->back[(i * node->frames + n) / MAP_BLOCK_PAGES]);
	}
	free(map->back);
	free(map->range);
	memset(map, 0, sizeof *map);
}

static uint32_t slot_of(const struct map *map, uint64_t key)
{
	return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (map->table_size - 1);
}

static void insert(struct map *map, struct map_chunk *chunk)
{
	uint32_t slot = slot_of(map, chunk->key);

	while (map->table[slot])
		slot = (slot + 1) & (map->table_size - 1);
	map->table[slot] = chunk;
}

static bool grow(struct map *map)
{
	struct map_chunk **old = map->table;
	uint32_t size = map->table_size;
	struct map_chunk **table = calloc((size_t)size * 2, sizeof *table);

	if (!table)
		return false;
	map->table = table;
	map->table_size = size * 2;
	for (uint32_t i = 0; i < size; i++)
		if (old[i])
			insert(map, old[i]);
	free(old);
	return true;
}

struct map_chunk *map_find(struct map *map, uint64_t key)
{
	struct map_chunk **near = &map->lookaside[map_slot(key)];
	struct map_chunk *chunk;

	for (uint32_t slot = slot_of(map, key); map->table[slot];
	     slot = (slot + 1) & (map->table_size - 1)) {
		if (map->table[slot]->key == key)
			return *near = map->table[slot];
	}
	if (map->chunks * 2 >= map->table_size && !grow(map)) {
		map->error = BXS_ENOMEM;
		return &map->spare;
	}
	chunk = calloc(1, sizeof *chunk);
	if (!chunk) {
		map->error = BXS_ENOMEM;
		return &map->spare;
	}
	chunk->key = key;
	insert(map, chunk);
	map->chunks++;
	return *near = chunk;
}

int map_wish_range(struct map *map, const struct map_range *range)
{
	if (!map->range)
		map->range = calloc(MAP_RANGES, sizeof *map->range);
	if (!map->range || map->ranges == MAP_RANGES)
		return BXS_ENOMEM;
	map->range[map->ranges++] = *range;
	return 0;
}

/* The policy of the last range that holds the user, else that of the thread. */
static struct map_wish wish_for(const struct map *map, uint64_t user)
{
	for (uint32_t i = map->ranges; i-- > 0;) {
		const struct map_range *r = &map->range[i];

		if (user >= r->first && user <= r->last)
			return r->wish.nodes ? r->wish : map->wish;
	}
	return map->wish;
}

static unsigned wished_node(struct map *map, struct map_wish wish, unsigned node)
{
	unsigned skip;

	if (wish.policy != MAP_INTERLEAVE)
		return wish.nodes >> node & 1 ? node : (unsigned)__builtin_ctz(wish.nodes);
	skip = map->turn++ % (unsigned)__builtin_popcount(wish.nodes);
	for (node = 0; !(wish.nodes >> node & 1) || skip--; node++)
		;
	return node;
}

/* The node for a new page that a core on `node` touches: by the program's policy, else by the machine's. */
static unsigned wanted_node(struct map *map, uint64_t user, unsigned node)
{
	unsigned space = (unsigned)(user >> MAP_SPACE_SHIFT);
	struct map_wish wish = wish_for(map, user);

	if (wish.nodes)
		return wished_node(map, wish, node);
	if (map->space_node[space] != MAP_ANY_NODE)
		return map->space_node[space];
	switch (map->policy) {
	case MAP_BIND:
		return map->bound;
	case MAP_INTERLEAVE:
		return map->turn++ % map->nodes;
	case MAP_TOUCH:
		break;
	}
	return node;
}

/* Take the next page of a node; its number within the machine, or UINT32_MAX. */
static uint32_t take_page(struct map *map, unsigned n, uint64_t user)
{
	struct map_node *node = &map->node[n];
	uint64_t **block;
	uint32_t frame;

	if (node->given == node->frames)
		return UINT32_MAX;
	frame = n * node->frames + scattered(node->given);
	block = &map->back[frame / MAP_BLOCK_PAGES];
	if (!*block) {
		*block = calloc(MAP_BLOCK_PAGES, sizeof **block);
		if (!*block)
			return UINT32_MAX;
	}
	(*block)[frame % MAP_BLOCK_PAGES] = user - user % MAP_PAGE_LINES + 1;
	node->given++;
	return frame;
}

uint32_t map_place(struct map *map, uint64_t user, unsigned node)
{
	struct map_chunk *chunk = map_find(map, map_key(user));
	unsigned first = wanted_node(map, user, node);
	uint32_t frame = UINT32_MAX;

	for (unsigned i = 0; i < map->nodes && frame == UINT32_MAX; i++)
		frame = take_page(map, (first + i) % map->nodes, user);
	if (frame == UINT32_MAX) {
		/* Go on in the first page, so that the run can end in order. */
		map->error = BXS_ENOMEM;
		frame = 0;
	}
	return chunk->frame[map_page(user)] = frame + 1;
}
