/* SPDX-License-Identifier: BSD-2-Clause */
/* Private cache arrays: making them, and which way each state of the tree leads to. */
#include "xcore/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Bit 0 says which half, bit 1 + half which pair of it, bit 3 + pair which way; then these three lead to
 * the other side. */
const struct cache_turn cache_turn[128] = {
	{ 0, 0x0b }, { 4, 0x24 }, { 2, 0x11 }, { 4, 0x26 }, { 0, 0x0f }, { 6, 0x40 }, { 2, 0x15 }, { 6, 0x42 },
	{ 1, 0x03 }, { 4, 0x2c }, { 2, 0x19 }, { 4, 0x2e }, { 1, 0x07 }, { 6, 0x48 }, { 2, 0x1d }, { 6, 0x4a },
	{ 0, 0x1b }, { 4, 0x34 }, { 3, 0x01 }, { 4, 0x36 }, { 0, 0x1f }, { 6, 0x50 }, { 3, 0x05 }, { 6, 0x52 },
	{ 1, 0x13 }, { 4, 0x3c }, { 3, 0x09 }, { 4, 0x3e }, { 1, 0x17 }, { 6, 0x58 }, { 3, 0x0d }, { 6, 0x5a },
	{ 0, 0x2b }, { 5, 0x04 }, { 2, 0x31 }, { 5, 0x06 }, { 0, 0x2f }, { 6, 0x60 }, { 2, 0x35 }, { 6, 0x62 },
	{ 1, 0x23 }, { 5, 0x0c }, { 2, 0x39 }, { 5, 0x0e }, { 1, 0x27 }, { 6, 0x68 }, { 2, 0x3d }, { 6, 0x6a },
	{ 0, 0x3b }, { 5, 0x14 }, { 3, 0x21 }, { 5, 0x16 }, { 0, 0x3f }, { 6, 0x70 }, { 3, 0x25 }, { 6, 0x72 },
	{ 1, 0x33 }, { 5, 0x1c }, { 3, 0x29 }, { 5, 0x1e }, { 1, 0x37 }, { 6, 0x78 }, { 3, 0x2d }, { 6, 0x7a },
	{ 0, 0x4b }, { 4, 0x64 }, { 2, 0x51 }, { 4, 0x66 }, { 0, 0x4f }, { 7, 0x00 }, { 2, 0x55 }, { 7, 0x02 },
	{ 1, 0x43 }, { 4, 0x6c }, { 2, 0x59 }, { 4, 0x6e }, { 1, 0x47 }, { 7, 0x08 }, { 2, 0x5d }, { 7, 0x0a },
	{ 0, 0x5b }, { 4, 0x74 }, { 3, 0x41 }, { 4, 0x76 }, { 0, 0x5f }, { 7, 0x10 }, { 3, 0x45 }, { 7, 0x12 },
	{ 1, 0x53 }, { 4, 0x7c }, { 3, 0x49 }, { 4, 0x7e }, { 1, 0x57 }, { 7, 0x18 }, { 3, 0x4d }, { 7, 0x1a },
	{ 0, 0x6b }, { 5, 0x44 }, { 2, 0x71 }, { 5, 0x46 }, { 0, 0x6f }, { 7, 0x20 }, { 2, 0x75 }, { 7, 0x22 },
	{ 1, 0x63 }, { 5, 0x4c }, { 2, 0x79 }, { 5, 0x4e }, { 1, 0x67 }, { 7, 0x28 }, { 2, 0x7d }, { 7, 0x2a },
	{ 0, 0x7b }, { 5, 0x54 }, { 3, 0x61 }, { 5, 0x56 }, { 0, 0x7f }, { 7, 0x30 }, { 3, 0x65 }, { 7, 0x32 },
	{ 1, 0x73 }, { 5, 0x5c }, { 3, 0x69 }, { 5, 0x5e }, { 1, 0x77 }, { 7, 0x38 }, { 3, 0x6d }, { 7, 0x3a },
};

int cache_init(struct cache *c, uint32_t bytes)
{
	uint32_t sets = bytes / (64 * CACHE_WAYS);

	if (!sets || (sets & (sets - 1)) || sets * 64 * CACHE_WAYS != bytes)
		return BXS_EINVAL;
	c->mask = sets - 1;
	c->set = aligned_alloc(_Alignof(struct cache_set), sets * sizeof *c->set);
	if (!c->set)
		return BXS_ENOMEM;
	cache_clear(c);
	return 0;
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
