/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libboxscore-cpu.so, between its parts: page.c finds the CPU page, sites.c the instructions to replace, trap.c
 * answers them, clock.c, wait.c and poll.c keep the machine's time, memory.c does accesses to physical memory, affinity.c and threads.c keep which CPU a thread is on,
 * execute.c sees to programs that are executed, client.c answers the emulator of those that the library cannot be in (calls.c
 * their system calls), ioctl.c hands over nothing, status.c tells which CPUs there are to use, takeover.c holds the other functions of the
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
#include "virtual/preload/sites.h"

#define PRELOAD_EXPORT __attribute__((visibility("default")))

/* The processor to show; NULL: leave everything as it is. */
struct cpu_page *preload_page(void);
/* What CPU_PAGE_VARIABLE said. */
const char *preload_page_name(void);

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
/* Sleep for so long in the world: 0 or an error, with what is left (NULL: not asked for).  mask: signals that are held back meanwhile;
 * NULL: as they are. */
typedef int preload_nap_fn(const struct timespec *time, struct timespec *left, const sigset_t *mask);
/* The C library's, or what the emulator has for it. */
extern preload_nap_fn *preload_nap;
/* The clock that a call of clock_nanosleep() is about. */
clockid_t preload_sleep_clock(clockid_t clock, int flags);
/* As clock_nanosleep() by such a clock, which is the machine's: 0 or an error number. */
int preload_sleep(clockid_t clock, int flags, const struct timespec *when, struct timespec *left);
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
/* timer.c: what a timer of this clock that is set to a moment of the machine is set to in the world. */
struct itimerspec preload_timer(clockid_t clock, const struct itimerspec *wanted);
clockid_t preload_timer_file_clock(int fd);
/* sizes.c: the machine's memory, in what the kernel has answered. */
struct sysinfo;
void preload_fill_sysinfo(struct sysinfo *info);
/* calls.c: see client.h. */
struct client_host;
bool preload_call(const struct client_host *host, uint64_t number, const uint64_t arg[6], int64_t *result);
/* futex.c: a call of futex(2), whose time is the machine's. */
long preload_futex(const long arg[6]);

/* sites.c */

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

#endif
