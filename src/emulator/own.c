/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which memory is the program's: ranges in order, none of which touches the next.  All else that is mapped is this emulator's,
 * and to the program as if it were not there.
 */
#include <string.h>

#include "emulator/native.h"

enum { RANGES = 1 << 16 };

struct range {
	uint64_t from, to;
};

static struct {
	struct range range[RANGES];
	size_t n;
} own;

/* The first range that ends behind `at`. */
static size_t first_behind(uint64_t at)
{
	size_t low = 0, high = own.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (own.range[mid].to <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void replace(size_t at, size_t gone, const struct range *by, size_t n)
{
	if (own.n - gone + n > RANGES)
		native_die("too many mappings");
	memmove(own.range + at + n, own.range + at + gone, (own.n - at - gone) * sizeof *by);
	memcpy(own.range + at, by, n * sizeof *by);
	own.n += n - gone;
}

void native_own(uint64_t from, uint64_t to)
{
	struct range r = { from, to };
	size_t at, end;

	native_lock();
	/* One that ends where this begins, too. */
	at = end = from ? first_behind(from - 1) : 0;
	while (end < own.n && own.range[end].from <= to) {
		r.from = own.range[end].from < r.from ? own.range[end].from : r.from;
		r.to = own.range[end].to > r.to ? own.range[end].to : r.to;
		end++;
	}
	replace(at, end - at, &r, 1);
	native_unlock();
}

void native_disown(uint64_t from, uint64_t to)
{
	struct range rest[2];
	size_t at, end, n = 0;

	native_lock();
	at = end = first_behind(from);
	while (end < own.n && own.range[end].from < to) {
		if (own.range[end].from < from)
			rest[n++] = (struct range){ own.range[end].from, from };
		if (own.range[end].to > to)
			rest[n++] = (struct range){ to, own.range[end].to };
		end++;
	}
	replace(at, end - at, rest, n);
	native_unlock();
}

bool native_next_own(uint64_t *from, uint64_t *to)
{
	size_t at;
	bool any;

	native_lock();
	at = first_behind(*from);
	any = *from < *to && at < own.n && own.range[at].from < *to;
	if (any) {
		*from = own.range[at].from > *from ? own.range[at].from : *from;
		*to = own.range[at].to < *to ? own.range[at].to : *to;
	}
	native_unlock();
	return any;
}

bool native_owns(uint64_t from, uint64_t to)
{
	uint64_t first = from, end = to;

	return native_next_own(&first, &end) && first == from && end == to;
}
