/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream triad, a = b + s * c, over three arrays: triad [MiB-an-array [rounds]]. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 0) : 64;
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 4;
	size_t n = (mib << 20) / sizeof(double);
	double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);

	if (!a || !b || !c)
		return 1;
	for (size_t i = 0; i < n; i++) {
		a[i] = 0;
		b[i] = (double)i;
		c[i] = 1;
	}
	for (unsigned r = 0; r < rounds; r++) {
		for (size_t i = 0; i < n; i++)
			a[i] = b[i] + 3 * c[i];
	}
	printf("%g\n", a[n / 2]);
	free(a);
	free(b);
	free(c);
	return 0;
}
