/* SPDX-License-Identifier: BSD-2-Clause */
/* Sort random integers with the library's qsort: sort [how-many]. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 4000000;
	int *a = malloc(n * sizeof *a);
	uint32_t x = 2463534242;

	if (!a || !n)
		return 1;
	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		a[i] = (int)(x >> 1);
	}
	qsort(a, n, sizeof *a, compare);
	printf("%d %d %d\n", a[0], a[n / 2], a[n - 1]);
	free(a);
	return 0;
}
