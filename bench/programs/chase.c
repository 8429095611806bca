/* SPDX-License-Identifier: BSD-2-Clause */
/* Pointer chase in random order, one pointer a line: chase [MiB [steps]]. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct line {
	struct line *next;
	char pad[64 - sizeof(void *)];
};

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 0) : 64;
	size_t steps = argc > 2 ? strtoul(argv[2], NULL, 0) : 4000000;
	size_t n = (mib << 20) / sizeof(struct line);
	struct line *lines = aligned_alloc(64, n * sizeof *lines);
	uint64_t state = 88172645463325252;

	if (!lines || n < 2)
		return 1;
	for (size_t i = 0; i < n; i++)
		lines[i].next = lines + i;
	/* Sattolo's shuffle: one cycle through all lines. */
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = random_next(&state) % i;
		struct line *t = lines[i].next;

		lines[i].next = lines[j].next;
		lines[j].next = t;
	}

	struct line *at = lines;

	for (size_t i = 0; i < steps; i++)
		at = at->next;
	printf("%zu\n", (size_t)(at - lines));
	free(lines);
	return 0;
}
