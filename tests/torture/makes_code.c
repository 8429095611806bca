/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes code anew all the time, in as many threads as it is told, and starts children meanwhile; each piece of code is run and
 * its result compared with what was to come of it.
 *
 * usage: makes_code THREADS ROUNDS
 */
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECES = 500, MOST = 16 };

extern char **environ;
static int rounds;

/* eax = the sum of `from` and what follows it: one addition each, 5 bytes of code. */
static uint32_t make(uint8_t *code, uint32_t from)
{
	uint32_t sum = 0;

	memcpy(code, "\x31\xc0", 2);			/* xor eax, eax */
	code += 2;
	for (uint32_t n = from; n < from + PIECES; n++) {
		*code++ = 0x05;				/* add eax, n */
		memcpy(code, &n, sizeof n);
		code += sizeof n;
		sum += n;
	}
	*code = 0xc3;
	return sum;
}

static void *work(void *arg)
{
	uint32_t seed = (uint32_t)(uintptr_t)arg * 7919;
	uint8_t *code = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t wrong = 0;

	for (int i = 0; i < rounds; i++) {
		uint8_t *at = code + i % 16 * 4096;
		uint32_t sum = make(at, seed + (uint32_t)i), (*run)(void);

		memcpy(&run, &at, sizeof run);
		wrong += run() != sum;
	}
	return (void *)wrong;
}

static int children(void)
{
	char *const command[] = { "true", NULL };
	int wrong = 0, status;
	pid_t pid;

	for (int i = 0; i < 5; i++) {
		wrong += posix_spawnp(&pid, "true", NULL, NULL, command, environ) != 0 || waitpid(pid, &status, 0) != pid || status;
		pid = fork();
		if (!pid)
			_exit(work((void *)(uintptr_t)i) != NULL);
		wrong += waitpid(pid, &status, 0) != pid || status;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[1]) : 1, wrong = 0;
	pthread_t thread[MOST];

	rounds = argc > 2 ? atoi(argv[2]) : 1000;
	for (int i = 0; i < threads && i < MOST; i++)
		pthread_create(thread + i, NULL, work, (void *)(uintptr_t)i);
	wrong += children();
	for (int i = 0; i < threads && i < MOST; i++) {
		void *out;

		pthread_join(thread[i], &out);
		wrong += (int)(uintptr_t)out;
	}
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
