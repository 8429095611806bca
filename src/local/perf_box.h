/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that Linux counts for us, in the place of registers; for the files of the way by perf. */
#ifndef BXS_LOCAL_PERF_BOX_H
#define BXS_LOCAL_PERF_BOX_H

#include "catalog/linux.h"
#include "local/local_private.h"

enum { PERF_COUNTERS = 12, PERF_FILTERS = 4, PERF_CPU_COUNTERS = 8, OFFCORE_REGISTERS = 2 };

/* A counter, whose event is opened when it is enabled. */
struct perf_counter {
	uint64_t control;
	uint64_t offset;		/* value = offset + what the event has counted */
	int fd;				/* -1: no event */
	bool lost;			/* Linux would not have it, or takes turns with somebody else's */
};

/* A box of a socket as a PMU of Linux. */
struct perf_box {
	const struct cat_pmu *pmu;
	unsigned box, socket;
	uint32_t type;			/* for perf_event_open() */
	int cpu;			/* that stands for the socket */
	bool frozen;			/* by its own control */
	struct perf_counter counter[PERF_COUNTERS];	/* the last one is the fixed one */
	uint64_t filter[PERF_FILTERS];
};

/* A CPU's counters as events of its PMU. */
struct perf_cpu {
	int cpu;			/* Linux's number */
	uint64_t fixed_control, global_control, offcore[OFFCORE_REGISTERS];
	int fixed[FIXED_COUNTERS];	/* -1: no event */
	struct perf_counter counter[PERF_CPU_COUNTERS];
};

enum perf_how { PERF_ENABLED = 1, PERF_NOT_USER = 2, PERF_NOT_KERNEL = 4 };

/* Open an event that counts on a CPU, whoever runs there; how: enum perf_how.  A descriptor, or -1. */
int perf_open_event(uint32_t type, const uint64_t config[3], int cpu, unsigned how);
/* What it has counted; false: it has lost its counter meanwhile. */
bool perf_read_event(int fd, uint64_t *count);

/* Take the event's count and close it, if there is one. */
void perf_end_event(struct perf_counter *c);
/* The counter's value, of `width` bits; 0, or BXS_EFAULT: it has none. */
int perf_read_counter(struct perf_counter *c, unsigned width, uint64_t *value);
void perf_write_counter(struct perf_counter *c, uint64_t value);

void perf_cpu_init(struct perf_cpu *c, int cpu);
void perf_cpu_close(struct perf_cpu *c);
int perf_cpu_read(struct perf_cpu *c, const struct local_processor *p, uint32_t msr, uint64_t *value);
int perf_cpu_write(struct perf_cpu *c, uint32_t msr, uint64_t value);

void perf_box_init(struct perf_box *b);
void perf_box_close(struct perf_box *b);
/* stopped: the whole socket is. */
int perf_box_read(struct perf_box *b, const struct local_place *place, uint64_t *value);
int perf_box_write(struct perf_box *b, const struct local_place *place, uint64_t value, bool stopped);
/* The socket stops or goes on. */
void perf_box_stop(struct perf_box *b, bool stopped);

#endif
