/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a structure that follows transactions by address: miss address file, in-flight memory table,
 * request table.  An entry belongs to one line until a time.  Entries are taken in turn, so that all are used.
 */
#ifndef BXS_UNCORE_POULSON_TABLE_H
#define BXS_UNCORE_POULSON_TABLE_H

#include <stdint.h>

enum { TABLE_MOST = 64 };

struct table {
	unsigned size, next;
	uint64_t line[TABLE_MOST], until[TABLE_MOST];
};

static inline void table_init(struct table *t, unsigned size)
{
	*t = (struct table){ .size = size };
	for (unsigned i = 0; i < size; i++)
		t->line[i] = UINT64_MAX;
}

/* The entry that is free at `when`, in turn, or the one that becomes free first. */
static inline unsigned table_pick(const struct table *t, uint64_t when)
{
	unsigned first = t->next;

	for (unsigned n = 0, i = t->next; n < t->size; n++, i = i + 1 == t->size ? 0 : i + 1) {
		if (t->until[i] <= when)
			return i;
		if (t->until[i] < t->until[first])
			first = i;
	}
	return first;
}

/* Entry i, which table_pick() chose, belongs to `line` until `until`. */
static inline void table_take(struct table *t, unsigned i, uint64_t line, uint64_t until)
{
	t->line[i] = line;
	t->until[i] = until;
	t->next = i + 1 == t->size ? 0 : i + 1;
}

/* The entry of `line` that lasts longest beyond `when`; -1: there is none. */
static inline int table_find(const struct table *t, uint64_t line, uint64_t when)
{
	int found = -1;

	for (unsigned i = 0; i < t->size; i++)
		if (t->line[i] == line && t->until[i] > when && (found < 0 || t->until[i] > t->until[found]))
			found = (int)i;
	return found;
}

#endif
