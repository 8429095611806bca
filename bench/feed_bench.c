/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the feed alone costs: a program traced with nobody listening, against the emulator alone.
 * usage: feed_bench [-e EMULATOR] PLUGIN PROGRAM [ARGUMENT...]
 * EMULATOR is the path of qemu-x86_64, or of boxscore-native, which has a plugin of its own whatever PLUGIN is.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "feed/ring.h"
#include "feed/target.h"

#define QEMU "/usr/bin/qemu-x86_64"

/* Processor time of the children that have ended: a busy machine disturbs it less than the clock. */
static double seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_CHILDREN, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

static pid_t start(char *const command[])
{
	pid_t pid = fork();

	if (pid == 0) {
		execv(command[0], command);
		_exit(127);
	}
	return pid;
}

/* Take and drop all records until the program ends; how many there were. */
static uint64_t swallow(struct ring_segment *s, pid_t pid)
{
	uint64_t records = 0;
	bool ended = false;

	for (;;) {
		bool any = false;

		for (unsigned i = 0; i < atomic_load(&s->used); i++) {
			struct ring *r = s->ring + i;
			uint64_t n = ring_waiting(r);

			if (n)
				ring_consume(r, atomic_load(&r->tail) + n);
			else if (atomic_load(&r->state) == RING_DONE)
				atomic_store(&r->state, RING_FREE);
			records += n;
			any |= n != 0;
		}
		if (any)
			continue;
		if (ended)
			return records;
		ended = waitpid(pid, NULL, WNOHANG) == pid;
		if (!ended)
			ring_sleep(s, 1000);
	}
}

int main(int argc, char **argv)
{
	static struct target t;
	struct ring_segment *s;
	char why[TARGET_PATH + 100] = "out of memory", path[64], *emulator = (char[]){ QEMU };
	double begin, plain, traced;
	uint64_t records;
	char **command;
	int fd;

	if (argc > 2 && !strcmp(argv[1], "-e")) {
		emulator = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: feed_bench [-e EMULATOR] PLUGIN PROGRAM [ARGUMENT...]\n");
		return 64;
	}
	if (access(emulator, X_OK) < 0) {
		fprintf(stderr, "feed_bench: %s: no such emulator (a path is needed)\n", emulator);
		return 69;
	}
	if (target_find(argv[2], &t, why, sizeof why) < 0 || ring_create(&fd, &s) < 0) {
		fprintf(stderr, "feed_bench: %s\n", why);
		return 69;
	}
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
	command = target_command(&t, argv + 2, &(struct target_emulator){ emulator, argv[1], path, "hsx", 0, NULL });
	if (!command)
		return 70;
	begin = seconds();
	records = swallow(s, start(command));
	traced = seconds() - begin;
	argv[1] = emulator;
	begin = seconds();
	waitpid(start(argv + 1), NULL, 0);
	plain = seconds() - begin;
	fprintf(stderr, "%s: plain %.3f s, traced %.3f s, ratio %.2f, %.1f M records\n", argv[2],
		plain, traced, traced / plain, (double)records / 1e6);
	return 0;
}
