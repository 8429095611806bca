/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between boxscore-native and libboxscore-cpu.so, when a client of `boxscore with` runs under the emulator because the library
 * cannot be preloaded into it.  The emulator loads the library as a plain module, in which it stands in for nothing, and
 * asks it for what the client's CPUID, RDTSC and system calls answer.
 */
#ifndef BXS_PLUGIN_CLIENT_H
#define BXS_PLUGIN_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a system call answers beside the kernel's results: it was not made, because a signal came first. */
#define CLIENT_UNMADE (-512)

/* What the library needs of the emulator; addresses are the client's and may be bad. */
struct client_host {
	int64_t (*kernel)(int64_t number, const uint64_t arg[6]);	/* 0 or more, a negative errno, or CLIENT_UNMADE */
	bool (*get)(void *to, uint64_t from, size_t n);
	bool (*put)(uint64_t to, const void *from, size_t n);
	const char *emulator;		/* its file */
};

struct client_cpu {
	void (*cpuid)(uint32_t reg[4]);			/* EAX, EBX, ECX, EDX, in place */
	void (*tsc)(uint64_t *tsc, uint32_t *number);	/* what RDTSCP reads */
	/* The answer to a call, executing another program included; false: the kernel's is right.  mask: of the client's signals. */
	bool (*call)(uint64_t number, const uint64_t arg[6], uint64_t mask, int64_t *result);
	int32_t (*thread)(void);			/* a number of the calling thread, for the one that it makes */
	void (*thread_start)(int32_t maker);
	void (*thread_end)(void);
	void (*unserved)(const char *program);		/* this program cannot run under the emulator either */
};

/* The library's only function for the emulator.  NULL: there is no machine to show. */
typedef const struct client_cpu *client_open_fn(const struct client_host *host);
#define CLIENT_OPEN "boxscore_client"

#endif
