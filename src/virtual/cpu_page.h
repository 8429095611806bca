/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor that a client believes to run on: a file that `boxscore with` writes and
 * every client maps.  The preloaded library (src/virtual/preload) answers CPUID from its leaves
 * and RDTSC from its clock; which CPU a thread has pinned itself to stands in its table of
 * threads, so that it outlives exec.
 *
 * The environment variable CPU_PAGE_VARIABLE holds the path of the file; without it, or with
 * a file that does not hold a page, the library does nothing.
 *
 * The machine may be slower than the world.  A client's time of day goes with its time stamp counter, so that
 * what it divides by either is right.  How long it sleeps is the world's affair, but a share of that, `sleeps`, has to pass on
 * the machine.
 *
 * Logical CPUs are numbered as Linux does: core c of socket s is s * cores + c; second threads
 * follow after all cores of the machine.
 */
#ifndef BXS_VIRTUAL_CPU_PAGE_H
#define BXS_VIRTUAL_CPU_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

#define CPU_PAGE_VARIABLE "BOXSCORE_CPU"
#define CPU_PAGE_MAGIC UINT64_C(0x31757063736f7862)	/* "boxscpu1" */

enum {
	CPU_PAGE_CPUS = 1024,		/* as many as a cpu_set_t holds */
	CPU_PAGE_WORDS = CPU_PAGE_CPUS / 64,
	CPU_PAGE_LEAVES = 64,
	CPU_PAGE_THREADS = 1024,
	CPU_PAGE_WHOLE = 1000000,	/* a sleep, in millionths */
	CPU_PAGE_PATH = 4096,
};

#define CPU_ANY_SUBLEAF UINT32_MAX

/* Where the number of the CPU that asks stands in a leaf. */
enum cpu_leaf_own { CPU_OWN_NOTHING, CPU_OWN_APIC, CPU_OWN_X2APIC };

/* One leaf of CPUID.  Leaves that are not listed read as the highest basic one, subleaves that
 * are not listed read 0. */
struct cpu_leaf {
	uint32_t leaf, subleaf;		/* CPU_ANY_SUBLEAF: ECX does not matter */
	uint32_t eax, ebx, ecx, edx;
	uint32_t own;			/* CPU_OWN_APIC: its APIC id in EBX 31:24; CPU_OWN_X2APIC: in EDX,
					 * and ECX 7:0 is the subleaf */
};

/* What a thread asked for with sched_setaffinity(). */
struct cpu_thread {
	_Atomic int32_t tid;		/* 0: free */
	uint32_t unused;
	_Atomic uint64_t mask[CPU_PAGE_WORDS];
};

/* The machine's time stamp counter at any moment of CLOCK_MONOTONIC: `tsc` at `from`, from there on rate / 2^32 a nanosecond,
 * never beyond `limit`. */
struct cpu_clock_line {
	_Atomic uint64_t tsc, from, rate, limit;
};

/*
 * Of two lines that one holds whose number is `version`, modulo 2.  Who writes the next fills the other and then counts `version`
 * up, so that readers get on when it is stopped in between.  The counter never runs backwards.  Version 0: clients read the host's.
 */
struct cpu_clock {
	_Atomic uint64_t version;
	struct cpu_clock_line line[2];
};

/* The first program that is shown this computer instead: state 0: there is none, 1: `name` is being written, 2: it is there. */
struct cpu_unserved {
	_Atomic uint32_t state;
	uint32_t way;			/* enum client_way (client_program.h): why */
	char name[256];
};

struct cpu_page {
	uint64_t magic;
	uint32_t size;			/* of this structure */
	uint32_t cpus;			/* logical ones */
	uint32_t sockets, cores, threads;	/* cores of a socket, threads of a core */
	uint32_t nodes;			/* NUMA nodes, an equal number a socket */
	uint32_t highest;		/* highest basic leaf */
	uint32_t leaves;
	uint32_t tsc_khz;		/* of the time stamp counter */
	uint64_t memory;		/* bytes, of all sockets */
	uint32_t sleeps;		/* millionths of a client's sleep that last until they have passed on the machine */
	uint32_t world_date;		/* CLOCK_REALTIME, for timestamps, is this computer's */
	/* Nanoseconds of the machine that pass in one of a client's sleep, times 2^32, as a long sleep has found it; 0: none has yet. */
	_Atomic uint64_t pace;
	/* Where a client's sleep ends, on the time stamp counter: there the machine stands for it for a while.  0: nobody sleeps. */
	_Atomic uint64_t stop;
	/* What CLOCK_MONOTONIC and CLOCK_REALTIME showed, in nanoseconds, when the counter was 0. */
	uint64_t monotonic, realtime;
	struct cpu_leaf leaf[CPU_PAGE_LEAVES];
	uint32_t x2apic[CPU_PAGE_CPUS];
	/* For programs that are executed: files of the emulator (empty: there is none) and of the library. */
	char emulator[CPU_PAGE_PATH], library[CPU_PAGE_PATH];
	struct cpu_unserved unserved;
	struct cpu_clock clock;
	struct cpu_thread thread[CPU_PAGE_THREADS];
};

/* The NUMA node of a logical CPU. */
static inline uint32_t cpu_node(const struct cpu_page *p, uint32_t cpu)
{
	uint32_t all = p->sockets * p->cores;

	return cpu % all / (all / p->nodes);
}

#endif
