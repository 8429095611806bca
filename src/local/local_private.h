/* SPDX-License-Identifier: BSD-2-Clause */
/* For the files of this folder. */
#ifndef BXS_LOCAL_PRIVATE_H
#define BXS_LOCAL_PRIVATE_H

#include <stdio.h>

#include "local/local.h"

enum { LOCAL_WHY = 300 };

/* MSRs of a core that measuring uses (SDM volume 4, table 2-2). */
enum {
	MSR_TSC = 0x10, MSR_PLATFORM_INFO = 0xce, MSR_FIXED_CTR0 = 0x309, MSR_FIXED_CTR_CTRL = 0x38d, MSR_PERF_GLOBAL_CTRL = 0x38f,
	FIXED_COUNTERS = 3,
};

/* A register that the catalogue knows. */
struct local_place {
	uint64_t key;			/* of its address, without the socket */
	uint32_t reg;			/* index into cat_regs */
	uint16_t box;
	uint8_t element;
};

/* A way to the registers. */
struct local_door {
	const char *name;
	/* 0, or BXS_ENOTSUP with what is missing and what would help in why, or BXS_ENOMEM. */
	int (*open)(struct local *l, char *why, size_t size);
	void (*close)(struct local *l);
	/* place: the catalogue's register there; NULL: it has none.  0 or BXS_EFAULT. */
	int (*read)(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t *value);
	int (*write)(struct local *l, const struct access_address *at, const struct local_place *place, uint64_t value);
	bool shared;			/* somebody else (the kernel) sees to it that users do not disturb each other */
};

extern const struct local_door local_direct, local_perf;

struct local_journal;

struct local {
	struct access access;
	struct local_processor processor;
	int *cpu;			/* Linux's numbers by local_slot(); -1: offline, or no such CPU */
	struct local_place *place;
	unsigned places;
	const struct local_door *door;
	void *state;			/* the door's */
	struct local_journal *journal;
	bool force;
	unsigned put_back;
	uint64_t began;			/* nanoseconds of CLOCK_MONOTONIC */
	char why[LOCAL_WHY];
};

/* local.c: nanoseconds of CLOCK_MONOTONIC. */
uint64_t local_now(void);

/* sysfs.c: the first line of a file without its end; false: it cannot be read.  And a number in it. */
bool local_line(const char *path, char *out, size_t size);
bool local_number(const char *path, unsigned *out);

/* How l->cpu and what runs beside it are numbered: by socket, and in it first threads of all cores before the second ones. */
static inline unsigned local_slot(const struct local *l, unsigned socket, unsigned thread)
{
	return socket * 2 * l->processor.cores + thread;
}

static inline unsigned local_slots(const struct local *l)
{
	return local_slot(l, l->processor.sockets, 0);
}

/* processor.c */
void local_find_processor(struct local_processor *out);
/* Fill l->cpu and the numbers of l->processor.  0 or BXS_ENOMEM. */
int local_find_cpus(struct local *l);
/* Thread `thread` of a socket; -1: there is none. */
int local_cpu(const struct local *l, unsigned socket, unsigned thread);

/* places.c */
int local_find_places(struct local *l);		/* 0 or BXS_ENOMEM */
/* The register at an address, or NULL if the catalogue has none there.  Turns the address of an MSR that each CPU has into one in CAT_CPU. */
const struct local_place *local_place_at(const struct local *l, struct access_address *at);

/* manners.c */
/* To be called before a register is written; saves the registers of its box or CPU the first time.  0, BXS_ENOMEM, or BXS_ECONFLICT with a sentence in l->why:
 * somebody counts there. */
int local_enter(struct local *l, const struct access_address *at, const struct local_place *place);
void local_restore(struct local *l);
/* Restore the registers that killed processes left changed.  Returns their number. */
unsigned local_replay_journals(struct local *l);
/* The same for a journal's lines after the first, up to one that is damaged. */
unsigned local_replay_lines(struct local *l, FILE *f);

#endif
