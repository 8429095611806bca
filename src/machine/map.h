/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The address map: virtual pages of programs to physical pages of nodes, and back.
 *
 * Node n owns the physical addresses from n * memory on.  Its pages are given out
 * block by block (4 MB, in order); the order of the pages within a block is a fixed
 * permutation, so that neighbours of a program are scattered over cache sets,
 * channels and banks as on a machine that has been running for a while, yet the same in
 * every run.  A node that is full passes on to the next.
 */
#ifndef BXS_MACHINE_MAP_H
#define BXS_MACHINE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MAP_PAGE_SHIFT = 12,
	MAP_LINE_SHIFT = 6,
	MAP_PAGE_LINES = 1 << (MAP_PAGE_SHIFT - MAP_LINE_SHIFT),
	MAP_CHUNK_PAGES = 512,		/* pages whose frames lie together: 2 MB */
	MAP_LOOKASIDE = 256,
	MAP_BLOCK_PAGES = 1024,		/* given out together: 4 MB */
	MAP_BLOCK_BYTES = MAP_BLOCK_PAGES << MAP_PAGE_SHIFT,
	MAP_SPACES = 256,
	MAP_RANGES = 1024,		/* policies of parts of memory at most */
	MAP_SPACE_SHIFT = 48,		/* a line's user: space << 48 | virtual line */
};

#define MAP_ANY_NODE UINT32_MAX

static inline uint64_t map_user(unsigned space, uint64_t line)
{
	return (uint64_t)space << MAP_SPACE_SHIFT | line;
}

/* Programs lay their arrays at round addresses, so all bits of the key count. */
static inline unsigned map_slot(uint64_t key)
{
	return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 56) % MAP_LOOKASIDE;
}

/* The frames of 512 neighbouring virtual pages; 0: not mapped yet, else frame + 1. */
struct map_chunk {
	uint64_t key;			/* of its lines' users, what all have in common */
	uint32_t frame[MAP_CHUNK_PAGES];
};

/* Where the next page goes, when the specification or the program decides. */
enum map_policy { MAP_TOUCH, MAP_INTERLEAVE, MAP_BIND };

/* A program's memory policy for new pages.  nodes: a bit for each, 0: no policy.  MAP_BIND: the node of the core that touches the page,
 * if it is among them, else the first of them. */
struct map_wish {
	uint8_t policy, nodes;
};

/* The policy of a part of its memory: users `first` to `last`. */
struct map_range {
	uint64_t first, last;
	struct map_wish wish;
};

struct map_node {
	uint32_t given, frames;
};

struct map {
	struct map_chunk *lookaside[MAP_LOOKASIDE];
	struct map_chunk **table;	/* open addressing, power of two */
	uint32_t table_size, chunks;
	struct map_node node[8];
	uint64_t **back;		/* per block and page of the machine: the user of its first line, + 1, or 0 */
	uint32_t nodes, turn;
	uint64_t memory;		/* bytes of one node */
	uint32_t shift;			/* memory is 1 << shift; 0: it is no power of two */
	enum map_policy policy;
	uint32_t bound;			/* MAP_BIND: to which node */
	uint32_t space_node[MAP_SPACES];	/* MAP_ANY_NODE: policy decides */
	struct map_wish wish;		/* of the thread that is fed */
	struct map_range *range;	/* in the order in which they were set; the last one counts */
	uint32_t ranges;
	int error;			/* BXS_ENOMEM: simulated or real memory ran out */
	struct map_chunk spare;		/* nobody's; takes pages after real memory ran out */
};

/* memory is a multiple of 4 MB, nodes at most 8.  0 or BXS_ENOMEM. */
int map_init(struct map *map, unsigned nodes, uint64_t memory, enum map_policy policy,
	     unsigned bound);
void map_release(struct map *map);	/* what map_init took; a zeroed map is allowed */

/* Pages of these users that are new from here on.  0, or BXS_ENOMEM: out of memory, or of places for ranges. */
int map_wish_range(struct map *map, const struct map_range *range);

/* Slow half of map_translate. */
struct map_chunk *map_find(struct map *map, uint64_t key);
uint32_t map_place(struct map *map, uint64_t user, unsigned node);

static inline uint64_t map_key(uint64_t user)
{
	return user / (MAP_PAGE_LINES * MAP_CHUNK_PAGES);
}

static inline uint64_t map_page(uint64_t user)
{
	return user / MAP_PAGE_LINES % MAP_CHUNK_PAGES;
}

/* The physical line (address / 64) of a user's; a new page is placed for a core on `node`. */
static inline uint64_t map_translate(struct map *map, uint64_t user, unsigned node)
{
	uint64_t key = map_key(user);
	struct map_chunk *chunk = map->lookaside[map_slot(key)];
	uint32_t frame;

	if (__builtin_expect(chunk->key != key, 0))
		chunk = map_find(map, key);
	frame = chunk->frame[map_page(user)];
	if (__builtin_expect(frame == 0, 0))
		frame = map_place(map, user, node);
	return (uint64_t)(frame - 1) * MAP_PAGE_LINES | user % MAP_PAGE_LINES;
}

/* The same for a page that is mapped and looked at lately; false: not known so quickly. */
static inline bool map_lookup(const struct map *map, uint64_t user, uint64_t *out)
{
	uint64_t key = map_key(user);
	const struct map_chunk *chunk = map->lookaside[map_slot(key)];
	uint32_t frame = chunk->frame[map_page(user)];

	*out = (uint64_t)(frame - 1) * MAP_PAGE_LINES | user % MAP_PAGE_LINES;
	return chunk->key == key && frame;
}

/* Where the user of a physical line's page is kept; NULL: the block was never given out. */
static inline const uint64_t *map_back(const struct map *map, uint64_t line)
{
	uint64_t page = line / MAP_PAGE_LINES;
	const uint64_t *block = map->back[page / MAP_BLOCK_PAGES];

	return block ? &block[page % MAP_BLOCK_PAGES] : NULL;
}

/* Who uses physical line `line`?  false: nobody. */
static inline bool map_owner(const struct map *map, uint64_t line, uint64_t *user)
{
	const uint64_t *back = map_back(map, line);

	if (!back || !*back)
		return false;
	*user = *back - 1 + line % MAP_PAGE_LINES;
	return true;
}

/* map_owner() is going to be called for it: the host should load what it looks at. */
static inline void map_prefetch_owner(const struct map *map, uint64_t line)
{
	const uint64_t *back = map_back(map, line);

	if (back)
		__builtin_prefetch(back);
}

static inline unsigned map_node_of(const struct map *map, uint64_t line)
{
	uint64_t addr = line << MAP_LINE_SHIFT;

	return (unsigned)(map->shift ? addr >> map->shift : addr / map->memory);
}

#endif
