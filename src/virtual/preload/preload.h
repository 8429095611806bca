/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libboxscore-cpu.so, between its parts: page.c finds the CPU page, sites.c the instructions to replace, trap.c
 * answers them, clock.c, wait.c and poll.c keep the machine's time, memory.c does accesses to physical memory, affinity.c and threads.c keep which CPU a thread is on,
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

enum { PRELOAD_SECOND = 1000000000 };	/* in nanoseconds */

static inline uint64_t preload_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * PRELOAD_SECOND + (uint64_t)t->tv_nsec;
}

static inline struct timespec preload_time(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / PRELOAD_SECOND), .tv_nsec = (long)(ns % PRELOAD_SECOND) };
}

/* The machine's time stamp counter now; false: nobody keeps it. */
bool preload_tsc(uint64_t *tsc);
/* What clock shows on the machine, in nanoseconds; false: it shows the world's time. */
bool preload_clock(clockid_t clock, uint64_t *ns);
/* The C library's own clock, ours being in its place. */
int preload_real_clock(clockid_t clock, struct timespec *t);
/* Could it be waited for?  Before 1970 and in some centuries it cannot. */
bool preload_is_time(const struct timespec *t);

/*
 * wait.c: waiting for a moment of the machine's clock.  As of a sleep, a share of it has to pass on the machine, and a
 * millisecond at least: some clients round to those, and would wait for ever.
 */
struct preload_wait {
	clockid_t clock;
	uint64_t distance;	/* to wait in the world before the machine's clock is looked at; 0: that is over */
	uint64_t over;		/* what clock shows when the wait may end */
	uint64_t before, moved;	/* what it showed last, and the world's time since which it has shown that */
};

/* Until clock shows `when`, in nanoseconds; false: it shows the world's time, and the C library may wait by itself. */
bool preload_wait_begin(struct preload_wait *w, clockid_t clock, uint64_t when);
/* For how many nanoseconds of the world to wait before asking again; 0: it is over. */
uint64_t preload_wait_step(struct preload_wait *w);

/* takeover.c: a system call as it is; its result, or -1 with errno. */
long preload_kernel(long number, const long arg[6]);
/* futex.c: a call of futex(2), whose time is the machine's. */
long preload_futex(const long arg[6]);

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
