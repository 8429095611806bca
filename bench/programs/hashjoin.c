/* SPDX-License-Identifier: BSD-2-Clause */
/* Join of two tables by a hash table with open addressing: hashjoin [build-rows [probe-rows]]. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct slot {
	uint64_t key, value;	/* key 0: empty */
};

static uint64_t hash(uint64_t key)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return key ^ key >> 29;
}

int main(int argc, char **argv)
{
	size_t rows = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
	size_t probes = argc > 2 ? strtoul(argv[2], NULL, 0) : 4000000;
	size_t size = 1;
	uint64_t sum = 0;

	while (size < 2 * rows)
		size *= 2;

	struct slot *table = calloc(size, sizeof *table);

	if (!table)
		return 1;
	for (uint64_t k = 1; k <= rows; k++) {
		size_t i = hash(k) & (size - 1);

		while (table[i].key)
			i = (i + 1) & (size - 1);
		table[i] = (struct slot){ k, k * 3 };
	}
	for (uint64_t p = 0; p < probes; p++) {
		uint64_t key = hash(p) % (2 * rows) + 1;
		size_t i = hash(key) & (size - 1);

		while (table[i].key && table[i].key != key)
			i = (i + 1) & (size - 1);
		sum += table[i].value;
	}
	printf("%llu\n", (unsigned long long)sum);
	free(table);
	return 0;
}
