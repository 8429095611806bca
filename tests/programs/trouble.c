// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that gets into trouble as real ones do, and checks itself: processes that end or are stopped while their threads
 * are at work.
 *
 * usage: trouble [NAME...]: these checks, or all.  Prints what fails; the exit status is how many failed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define MEMORY ((size_t)64 << 20)

static volatile char *memory;

/* A line after the other, none of them in a cache. */
static void *work(void *arg)
{
	for (size_t i = 0; !arg || i < (uintptr_t)arg; i++)
		memory[i * 4160 % MEMORY]++;
	return NULL;
}

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

/* Into the midst of three threads' work. */
static void start_work(unsigned us)
{
	pthread_t t;

	for (unsigned i = 0; i < 3; i++)
		pthread_create(&t, NULL, work, NULL);
	usleep(us);
}

/* The process ends, or is replaced, while its threads work. */
static void endings(void)
{
	for (unsigned i = 0; i < 40; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			start_work(1000 + 97 * i);
			if (i % 2)
				exit(5);
			execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
		}
		CHECK(status_of(pid) == 5 << 8);
	}
}

/* Work goes on while another process of the program is stopped. */
static void stopped(void)
{
	pid_t pid = fork();

	if (pid == 0)
		work(NULL);
	usleep(20000);
	kill(pid, SIGSTOP);
	work((void *)(uintptr_t)100000);
	kill(pid, SIGCONT);
	kill(pid, SIGTERM);
	CHECK(status_of(pid) == SIGTERM);
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "endings", endings }, { "stopped", stopped },
};

int main(int argc, char **argv)
{
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		bool wanted = argc == 1;

		for (int a = 1; a < argc; a++)
			wanted |= !strcmp(argv[a], all[i].name);
		if (wanted)
			all[i].run();
	}
	return failures;
}
