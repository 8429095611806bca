/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The demonstration program: a[i] = b[i] + s * c[i] over three arrays of 32 MB, which do not fit the
 * last-level cache of one socket (45 MB).  It says what must move, so that the readings can be checked.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 4 << 20, ROUNDS = 2 };

int main(void)
{
	double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), *c = malloc(N * sizeof *c);

	if (!a || !b || !c) {
		free(a);
		free(b);
		free(c);
		return 1;
	}
	for (size_t i = 0; i < N; i++) {
		b[i] = (double)i;
		c[i] = 1.0;
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < N; i++)
			a[i] = b[i] + 3.0 * c[i];
		/* Without this the compiler sees that the rounds do the same and does one. */
		__asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
	}
	printf("a[%d] = %g; filling reads 64 MB for ownership and writes 64 MB; each of %d rounds reads 96 MB "
	       "and writes 32 MB\n", N - 1, a[N - 1], ROUNDS);
	free(a);
	free(b);
	free(c);
	return 0;
}
