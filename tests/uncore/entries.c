/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of a queue against a plain list of the times at which they become free. */
#include <string.h>

#include "check.h"
#include "uncore/entries.h"

enum { SIZE = 12, STEPS = 40000 };

static unsigned first(const uint64_t *list, unsigned n)
{
	unsigned best = 0;

	for (unsigned i = 1; i < n; i++)
		if (list[i] < list[best])
			best = i;
	return best;
}

/* Who comes finds the time right, if there is one to wait for, and room else, whichever entry that is. */
static void check_list(uint64_t seed, unsigned stay, unsigned held)
{
	struct entries e;
	uint64_t list[SIZE] = { 0 }, mine[SIZE], when = 0;
	unsigned n = SIZE, k = 0, waited = 0;

	entries_init(&e, SIZE);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t free, taken = 0;
		unsigned at;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		when += seed >> 60;
		for (unsigned j = 0; j < n; j++)
			taken += list[j] > when;
		CHECK_EQ(__LINE__, entries_taken(&e, when), taken);
		free = entries_take(&e, when);
		at = first(list, n);
		if (list[at] > when) {
			CHECK_EQ(__LINE__, free, list[at]);
			waited++;
		} else {
			CHECK_EQ(__LINE__, free <= when, 1);
			for (at = 0; at < n && list[at] != free; at++)
				;
		}
		CHECK_EQ(__LINE__, at < n, 1);
		list[at] = list[--n];
		mine[k++] = (free > when ? free : when) + 1 + (seed >> 33) % stay;
		/* Several may be held at a time, and come back in another order. */
		while (k > (seed >> 40 & held)) {
			at = (seed >> 50) % k;
			entries_give(&e, mine[at]);
			list[n++] = mine[at];
			mine[at] = mine[--k];
		}
	}
	CHECK_EQ(__LINE__, waited > 100 && waited < STEPS, 1);
}

int main(void)
{
	check_list(1, 150, 0);
	check_list(2, 150, 7);
	check_list(3, 90, 3);
	check_list(4, 1000, 1);
	return check_done();
}
