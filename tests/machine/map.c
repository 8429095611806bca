/* SPDX-License-Identifier: BSD-2-Clause */
/* The address map: where pages go, that they stay there, and the way back. */
#include "machine/map.h"

#include <stdlib.h>

#include "base/error.h"
#include "check.h"

#define MB UINT64_C(1048576)

/* Which node the pages of a policy go to, touched by cores of both nodes in turn. */
static const struct row {
	int line;
	enum map_policy policy;
	uint32_t bound, space_node;
	unsigned want[4];
} rows[] = {
	{ LINE, MAP_TOUCH, 0, MAP_ANY_NODE, { 0, 1, 0, 1 } },
	{ LINE, MAP_BIND, 1, MAP_ANY_NODE, { 1, 1, 1, 1 } },
	{ LINE, MAP_BIND, 1, 0, { 0, 0, 0, 0 } },
	{ LINE, MAP_TOUCH, 0, 1, { 1, 1, 1, 1 } },
};

static void check_policies(void)
{
	for (const struct row *r = rows; r < rows + LEN(rows); r++) {
		struct map map;

		CHECK_EQ(r->line, map_init(&map, 2, 64 * MB, r->policy, r->bound), 0);
		map.space_node[7] = r->space_node;
		for (unsigned i = 0; i < 4; i++) {
			uint64_t line = 0x7f0000000 + i * 64;
			uint64_t at = map_translate(&map, map_user(7, line), i % 2);

			CHECK_EQ(r->line, map_node_of(&map, at), r->want[i]);
			/* Touched again from the other side, it stays. */
			CHECK_EQ(r->line, map_translate(&map, map_user(7, line), (i + 1) % 2), at);
		}
		map_release(&map);
	}
}

static void check_interleave(void)
{
	struct map map;
	unsigned on[2] = { 0, 0 };

	CHECK_EQ(__LINE__, map_init(&map, 2, 64 * MB, MAP_INTERLEAVE, 0), 0);
	for (unsigned i = 0; i < 100; i++)
		on[map_node_of(&map, map_translate(&map, map_user(0, i * 64), 0))]++;
	CHECK_EQ(__LINE__, on[0], 50);
	CHECK_EQ(__LINE__, on[1], 50);
	map_release(&map);
}

/* All of a small machine's memory: every page has one owner, nothing is given twice, and
 * what does not fit any more is an error. */
static void check_all_memory(void)
{
	enum { PAGES = 24 * 256 };	/* two nodes of 12 MB: no power of two */
	struct map map;
	bool *taken = calloc(PAGES, sizeof *taken);

	CHECK_EQ(__LINE__, map_init(&map, 2, PAGES / 2 * 4096, MAP_TOUCH, 0), 0);
	for (uint64_t i = 0; i < PAGES; i++) {
		uint64_t line = (i * 7919 << 6) + i % 64, user = 0;
		uint64_t at = map_translate(&map, map_user(i % 5, line), 0);

		CHECK_EQ(__LINE__, at >> 6 < PAGES && !taken[at >> 6], 1);
		CHECK_EQ(__LINE__, at % 64, line % 64);
		/* The first node is full half way; then the second takes over. */
		CHECK_EQ(__LINE__, map_node_of(&map, at), i >= PAGES / 2);
		taken[at >> 6] = true;
		CHECK_EQ(__LINE__, map_owner(&map, at, &user), 1);
		CHECK_EQ(__LINE__, user >> 48, i % 5);
		CHECK_EQ(__LINE__, user & ((UINT64_C(1) << 48) - 1), line);
	}
	CHECK_EQ(__LINE__, map.error, 0);
	map_translate(&map, map_user(0, UINT64_C(1) << 40), 0);
	CHECK_EQ(__LINE__, map.error, BXS_ENOMEM);
	map_release(&map);
	free(taken);
}

/* Spaces are apart, whatever their pages; the highest addresses work too. */
static void check_spaces(void)
{
	uint64_t top = (UINT64_C(1) << 48) - 1, user = 0;
	struct map map;

	CHECK_EQ(__LINE__, map_init(&map, 1, 64 * MB, MAP_TOUCH, 0), 0);
	CHECK(map_translate(&map, map_user(0, top), 0) != map_translate(&map, map_user(255, top), 0));
	CHECK_EQ(__LINE__, map_owner(&map, map_translate(&map, map_user(255, top), 0), &user), 1);
	CHECK_EQ(__LINE__, user >> 48, 255);
	CHECK_EQ(__LINE__, user & top, top);
	/* Nobody has touched this one. */
	CHECK_EQ(__LINE__, map_owner(&map, 63 * MB / 64, &user), 0);
	map_release(&map);
}

int main(void)
{
	check_policies();
	check_interleave();
	check_all_memory();
	check_spaces();
	return check_done();
}
