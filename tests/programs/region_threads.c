/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Four threads or processes, one after the other, each with a marked region "work" of 1,000,000 rounds of two instructions, and
 * 3,000,000 behind it: region_threads threads|processes.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boxscore/region.h"

static void loop(unsigned n)
{
	__asm__ volatile("0:\tdec %0\n\tjnz 0b" : "+r"(n));
}

static void *work(void *arg)
{
	BXS_REGION_BEGIN("work");
	loop(1000000);
	BXS_REGION_END("work");
	loop(3000000);
	return arg;
}

static void in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL) != 0)
		_exit(1);
	pthread_join(thread, NULL);
}

static void in_process(void)
{
	pid_t child = fork();

	if (child < 0)
		_exit(1);
	if (child == 0) {
		work(NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 4; i++) {
		if (argc > 1 && strcmp(argv[1], "threads") == 0)
			in_thread();
		else
			in_process();
	}
	return 0;
}
