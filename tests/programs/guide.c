/* SPDX-License-Identifier: BSD-2-Clause */
/* The program that documents measure: some milliseconds of machine time, a part of them in the region "sort". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "boxscore/region.h"

enum { WORDS = 1 << 16, ROUNDS = 16 };

static uint64_t words[WORDS];

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = i * UINT64_C(0x9e3779b97f4a7c15);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < WORDS; i++)
			sum += words[i] ^ round;
	BXS_REGION_BEGIN("sort");
	qsort(words, WORDS, sizeof *words, by_value);
	BXS_REGION_END("sort");
	printf("%llu\n", (unsigned long long)(sum + words[0]));
	return 0;
}
