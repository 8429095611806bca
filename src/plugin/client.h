/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface between boxscore-native and libboxscore-cpu.so for a client of `boxscore with` into which the library cannot be
 * preloaded, so that it runs under the emulator.  The emulator loads the library as a plain module, which replaces no function there,
 * and asks it for the results of the client's CPUID, RDTSC and system calls.
 */
#ifndef BXS_PLUGIN_CLIENT_H
#define BXS_PLUGIN_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result of a system call that was not made because a signal came first. */
#define CLIENT_UNMADE (-512)

/* What the library calls in the emulator.  Addresses belong to the client and may be invalid. */
struct client_host {
	int64_t (*kernel)(int64_t number, const uint64_t arg[6]);	/* 0 or more, a negative errno, or CLIENT_UNMADE */
	bool (*get)(void *to, uint64_t from, size_t n);
	bool (*put)(uint64_t to, const void *from, size_t n);
	const char *emulator;		/* path of its executable */
};

struct client_cpu {
	void (*cpuid)(uint32_t reg[4]);			/* EAX, EBX, ECX, EDX, in place */
	void (*tsc)(uint64_t *tsc, uint32_t *number);	/* what RDTSCP reads */
	/* The result of a system call, of execve() as well; false: make the call.  mask: the client's blocked signals. */
	bool (*call)(uint64_t number, const uint64_t arg[6], uint64_t mask, int64_t *result);
	int32_t (*thread)(void);			/* the calling thread's number, for the thread that it creates */
	void (*thread_start)(int32_t maker);
	void (*thread_end)(void);
	void (*unserved)(const char *program);		/* this program cannot run under the emulator either */
};

/* The only function that the library exports to the emulator.  NULL: there is no machine. */
typedef const struct client_cpu *client_open_fn(const struct client_host *host);
#define CLIENT_OPEN "boxscore_client"

#endif
