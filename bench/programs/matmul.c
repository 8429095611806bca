/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain matrix multiplication: matmul [order]. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 512;
	double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b);
	double *c = calloc(n * n, sizeof *c);

	if (!a || !b || !c)
		return 1;
	for (size_t i = 0; i < n * n; i++) {
		a[i] = (double)(i % 7);
		b[i] = (double)(i % 5);
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			double f = a[i * n + k];

			for (size_t j = 0; j < n; j++)
				c[i * n + j] += f * b[k * n + j];
		}
	}
	printf("%g\n", c[n * n / 2]);
	free(a);
	free(b);
	free(c);
	return 0;
}
