/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-ups and replacement of an Itanium 9500's last-level cache. */
#include "uncore/poulson/tags.h"

#include <stdlib.h>

#include "base/error.h"

enum { SET_BITS = 11, SLICE_BITS = 3 };

int tags_init(struct tags *t, unsigned slices)
{
	if (slices == 0 || slices > TAGS_SLICES)
		return BXS_EINVAL;
	*t = (struct tags){ .slices = slices, .slice_mask = TAGS_SLICES - 1 };
	t->way = calloc((size_t)slices * TAGS_SETS * TAGS_WAYS, sizeof *t->way);
	return t->way ? 0 : BXS_ENOMEM;
}

void tags_free(struct tags *t)
{
	free(t->way);
	t->way = NULL;
}

/* Each bit of the hash is an exclusive or of address bits that lie a prime number of bits apart. */
static uint64_t hash(uint64_t line)
{
	return line ^ line >> 14 ^ line >> 25 ^ line >> 37;
}

unsigned tags_slice(const struct tags *t, uint64_t line)
{
	unsigned slice = (unsigned)((hash(line) ^ hash(line) >> SLICE_BITS ^ hash(line) >> 2 * SLICE_BITS ^
				     hash(line) >> (SET_BITS + 1)) & t->slice_mask);

	/* A part without all slices deals the missing ones' lines out to the others. */
	return slice < t->slices ? slice : (unsigned)(hash(line) >> SLICE_BITS) % t->slices;
}

static uint64_t *set_of(const struct tags *t, unsigned slice, uint64_t line)
{
	unsigned set = (unsigned)(hash(line) >> SLICE_BITS ^ hash(line) << (SET_BITS - SLICE_BITS)) % TAGS_SETS;

	return &t->way[((size_t)slice * TAGS_SETS + set) * TAGS_WAYS];
}

uint64_t *tags_find(const struct tags *t, unsigned slice, uint64_t line)
{
	uint64_t *set = set_of(t, slice, line);

	for (unsigned i = 0; i < TAGS_WAYS; i++)
		if (set[i] >> TAGS_LINE_SHIFT == line && tags_state(&set[i]) != TAGS_I)
			return &set[i];
	return NULL;
}

/* When all lines of a set are recently used, only this one is (2.3.4.2.2 says so of the MLD). */
static void use(uint64_t *set, uint64_t *word)
{
	uint64_t all = TAGS_USED;

	*word |= TAGS_USED;
	for (unsigned i = 0; i < TAGS_WAYS; i++)
		all &= set[i];
	for (unsigned i = 0; all && i < TAGS_WAYS; i++)
		if (&set[i] != word)
			set[i] &= ~(uint64_t)TAGS_USED;
}

void tags_touch(const struct tags *t, unsigned slice, uint64_t *word)
{
	use(set_of(t, slice, *word >> TAGS_LINE_SHIFT), word);
}

static uint64_t *victim_of(uint64_t *set)
{
	uint64_t *old = set;

	for (unsigned i = TAGS_WAYS; i-- > 0; ) {
		if (tags_state(&set[i]) == TAGS_I)
			return &set[i];
		if (!(set[i] & TAGS_USED))
			old = &set[i];
	}
	return old;
}

uint64_t tags_fill(const struct tags *t, unsigned slice, uint64_t line, uint64_t flags)
{
	uint64_t *set = set_of(t, slice, line), *word = victim_of(set), old = *word;

	*word = line << TAGS_LINE_SHIFT | flags;
	use(set, word);
	return old;
}

void tags_prefetch(const struct tags *t, unsigned slice, uint64_t line)
{
	const uint64_t *set = set_of(t, slice, line);

	for (unsigned i = 0; i < TAGS_WAYS; i += 8)
		__builtin_prefetch(&set[i]);
}
