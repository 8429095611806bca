/* SPDX-License-Identifier: BSD-2-Clause */
/* An OpenMP team adds up an array that no cache holds.  usage: reduce THREADS PASSES */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGS = 1 << 18 };		/* 2 MB */

static _Alignas(64) long array[LONGS];

int main(int argc, char **argv)
{
	long sum = 0;

	if (argc != 3)
		return 2;
	omp_set_num_threads(atoi(argv[1]));
	for (long k = atol(argv[2]); k > 0; k--) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
		for (int i = 0; i < LONGS; i++)
			sum += ++array[i];
	}
	printf("%ld\n", sum);
	return 0;
}
