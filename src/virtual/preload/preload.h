/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libboxscore-cpu.so, between its parts: page.c finds the CPU page, sites.c the instructions to replace, trap.c
 * answers them, memory.c does accesses to physical memory, affinity.c and threads.c keep which CPU a thread is on,
 * ioctl.c hands over nothing, status.c tells which CPUs there are to use, takeover.c holds the other functions of the
 * C library that it stands in for.
 *
 * Nothing here but status.c allocates from the C library or takes a lock of it: the handler runs
 * wherever a client executes CPUID.
 */
#ifndef BXS_PRELOAD_H
#define BXS_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <ucontext.h>

#include "virtual/cpu_page.h"

#define PRELOAD_EXPORT __attribute__((visibility("default")))

/* The processor to show; NULL: leave everything as it is. */
struct cpu_page *preload_page(void);

/* The function that stands behind ours of the same name. */
#define PRELOAD_NEXT(name) ((__typeof__(&name))preload_next(#name))
typedef void (*preload_function)(void);
preload_function preload_next(const char *name);

/* affinity.c */

struct preload_mask {
	uint64_t word[CPU_PAGE_WORDS];
};

/* The CPU that the calling thread is on: always one of its mask. */
uint32_t preload_cpu(void);
/* The CPUs that thread tid (0: the caller) may use; false: there is no such thread. */
bool preload_get_mask(pid_t tid, struct preload_mask *out);
/* 0, EINVAL (no CPU of the machine among them) or ESRCH. */
int preload_set_mask(pid_t tid, const struct preload_mask *mask);
/* A thread that starts, ends; a child after fork. */
void preload_thread_start(const struct preload_mask *mask);
void preload_thread_end(void);
void preload_forked(void);

/* clock.c */

/* The machine's time stamp counter now; false: nobody keeps it. */
bool preload_tsc(uint64_t *tsc);

/* sites.c */

enum site_kind { SITE_NONE, SITE_CPUID, SITE_RDTSC, SITE_RDTSCP, SITE_LOADED };

/* Replace the instructions of all objects that are new since the last call. */
void preload_scan(void);
/* What stood at this address. */
enum site_kind preload_site(uintptr_t address);

/* trap.c */

/* Take SIGILL or SIGSEGV; the client may go on to think that it has it. */
bool preload_trap(int sig);

/* memory.c */

/* Do the access to a mapping of physical memory that has faulted; false: it is none, or not to be done by hand. */
bool preload_memory(uintptr_t address, greg_t *regs);

/* frames.c: where functions start, as an object's .eh_frame_hdr says. */

struct frames {
	const uint8_t *table, *header;
	uint32_t count;
	uintptr_t text;
};

/* Of the header at `header` of size bytes; false: there is no sorted table. */
bool frames_open(struct frames *f, const uint8_t *header, size_t size);
/* The start of the function that holds address and its end; false: none is known. */
bool frames_find(const struct frames *f, uintptr_t address, uintptr_t *start, uintptr_t *end);

#endif
