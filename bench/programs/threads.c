/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that share nothing, the same accesses in one thread, and a token between threads.
 *
 * usage: threads own|alone|token THREADS COUNT
 *
 * own: each thread makes COUNT random accesses to a megabyte of its own; alone: one thread makes them all, one part after the other;
 * token: each thread passes a word on COUNT times.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, PART = 1 << 20 };

static unsigned threads;
static long count;
static uint64_t sums[MOST][16];		/* each in lines of its own */
static struct {
	_Alignas(128) atomic_ulong word;
	char rest[120];
} token;

/* Reads and writes words of the part in an order that no prefetcher knows. */
static void use_part(unsigned n)
{
	uint64_t *part = aligned_alloc(PART, PART), at = n + 1, sum = 0;

	if (!part)
		abort();
	memset(part, (int)n + 1, PART);
	for (long i = 0; i < count; i++) {
		at = at * UINT64_C(6364136223846793005) + 1442695040888963407;
		sum += part[at >> 47]++;
	}
	free(part);
	sums[n][0] = sum;
}

static void pass_token(unsigned me)
{
	for (long i = 0; i < count; i++) {
		while (atomic_load(&token.word) % threads != me)
			__builtin_ia32_pause();
		atomic_fetch_add(&token.word, 1);
	}
}

static void (*work)(unsigned me);

static void *begin(void *arg)
{
	work((unsigned)(uintptr_t)arg);
	return NULL;
}

static void run_threads(void)
{
	pthread_t thread[MOST];

	for (unsigned i = 1; i < threads; i++) {
		if (pthread_create(thread + i, NULL, begin, (void *)(uintptr_t)i))
			abort();
	}
	work(0);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	threads = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
	count = argc == 4 ? atol(argv[3]) : 0;
	if (threads < 1 || threads > MOST)
		return 2;
	work = strcmp(argv[1], "token") ? use_part : pass_token;
	if (strcmp(argv[1], "alone")) {
		run_threads();
	} else {
		for (unsigned i = 0; i < threads; i++)
			use_part(i);
	}
	for (unsigned i = 0; i < threads; i++)
		sum += sums[i][0];
	printf("%llx %lu\n", (unsigned long long)sum, atomic_load(&token.word));
	return 0;
}
