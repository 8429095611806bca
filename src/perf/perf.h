/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Linux 6.1 is to perf on a machine: its PMUs, perf_event_open() and what follows on the descriptor, and the driver
 * behind, which reaches the machine by its registers and by nothing else.
 *
 * Answers that a system call gives are 0 or a count, or -errno as the kernel has it.  One lock is over everything, so that
 * any thread may call; it is held while registers are accessed.
 */
#ifndef BXS_PERF_H
#define BXS_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/access.h"
#include "catalog/linux.h"

struct perf;
struct perf_event;

struct perf_config {
	struct access *registers;	/* of the machine */
	void (*hold)(void *ctx);	/* its time stands still from here */
	void (*release)(void *ctx);	/* to here: whatever a call does, it does at one moment */
	uint64_t (*now)(void *ctx);	/* its time, picoseconds; while it is held */
	void (*wake)(void *ctx);	/* groups begin to wait for their turn: perf_tick() is to be called; with the lock held */
	void *ctx;
	/* The counters that a CPU has for this event of its core, written as IA32_PERFEVTSELx, as a mask; 0: it knows no such event. */
	uint32_t (*counters)(void *ctx, uint64_t select);
	unsigned core_counters;		/* programmable ones of a CPU */
	unsigned family;		/* index into cat_families */
	unsigned sockets, cores, cpus;	/* cores of a socket; CPU n is core n % cores of socket n / cores, second threads follow */
};

/* Registers are read to find out which boxes there are, none is written.  0 or BXS_ENOMEM. */
int perf_new(const struct perf_config *config, struct perf **out);
void perf_free(struct perf *p);		/* with all events that are left; NULL is allowed */

/* The PMUs. */
struct perf_pmu {
	char name[24];			/* as in /sys/bus/event_source/devices */
	uint32_t type;			/* what attr.type says */
	enum perf_kind { PERF_UNCORE, PERF_CORE, PERF_CLOCK } kind;
	const struct cat_pmu *cat;	/* of the uncore; else NULL */
	unsigned box;
};
unsigned perf_pmu_count(const struct perf *p);
const struct perf_pmu *perf_pmu(const struct perf *p, unsigned i);
/* What the PMU of the cores calls an event, i from 0 on: "cpu-cycles" for "event=0x3c", those that the machine knows; NULL: no more. */
const char *perf_core_event(const struct perf *p, unsigned i, const char **value);
/* The CPU that stands for a socket in a PMU of the uncore. */
unsigned perf_socket_cpu(const struct perf *p, unsigned socket);

/* Who opens an event. */
struct perf_call {
	const void *attr;		/* `size` bytes as the caller has them, as many as its structure says */
	size_t size;
	int pid, cpu;
	unsigned long flags;
	uint64_t group;			/* perf_event_id() of what group_fd leads to; 0: it is -1 */
	int group_error, pid_error;	/* -EBADF, -EINVAL: it leads to no event of ours; -ESRCH: nobody has the pid */
	bool capable;			/* may look at all of the machine (CAP_PERFMON) */
};

/*
 * The checks of the structure that come first, for which alone its size matters: 0, -EINVAL, or -E2BIG (the caller's field
 * `size` is to be set to perf_attr_size()).
 */
int perf_flags_check(unsigned long flags);	/* comes before it: 0 or -EINVAL */
int perf_attr_check(const void *attr, size_t size);
uint32_t perf_attr_size(void);

/* 0 and *out, or -errno. */
int perf_event_new(struct perf *p, const struct perf_call *call, struct perf_event **out);
void perf_event_free(struct perf_event *e);

uint64_t perf_event_id(const struct perf_event *e);

/* As read(): how many bytes of buf are filled. */
long perf_event_read(struct perf_event *e, void *buf, size_t size);
/* As ioctl(): arg as it is given, in what it points to where the request's number says that it is handed over, out likewise. */
long perf_event_ioctl(struct perf_event *e, unsigned request, uint64_t arg, const void *in, void *out);

/*
 * To be called now and then: turns groups that do not fit at once, and looks at counters before they go round.  True: groups
 * wait for their turn, call again within a millisecond.
 */
bool perf_tick(struct perf *p);

#endif
