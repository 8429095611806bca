/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine is made of: for the files of this layer only. */
#ifndef BXS_MACHINE_PRIVATE_H
#define BXS_MACHINE_PRIVATE_H

#include <string.h>

#include "base/bits.h"
#include "machine/core.h"
#include "machine/devices.h"
#include "machine/families.h"
#include "machine/machine.h"
#include "machine/map.h"
#include "machine/timing.h"
#include "uncore/router/bridge.h"
#include "uncore/fabric.h"
#include "uncore/io/io.h"
#include "uncore/ha/ha.h"
#include "uncore/imc/imc.h"
#include "uncore/power/pcu.h"
#include "uncore/poulson/p9500.h"
#include "uncore/io/ubox.h"

/* Picoseconds after which time is closed, whoever waits: what the PMU remembers stays small.  Where nobody asks when things
 * happen, it remembers next to nothing. */
#define MACHINE_CLOSE_EVERY UINT64_C(50000000)
#define MACHINE_CLOSE_PLAIN UINT64_C(400000000)

enum {
	MACHINE_SOCKETS = 8,
	MACHINE_LOOKUP = 12,	/* core clocks until L2 is known to miss */
	MACHINE_PAGES = 256,	/* that are known at once */
	MACHINE_EXPECTED = 32,	/* records that are fed, and those behind them */
	MACHINE_USER_BITS = 56,	/* of a record's first word: line and space, as the map has them; kind and flags are above */
};

/* Snoops that wait for the core's private caches to take them; their lines are physical until somebody asks. */
struct machine_inbox {
	struct machine_snoop *snoop;
	uint32_t used, room;
};

/* A page that was looked at lately. */
struct machine_page {
	uint64_t number;		/* its first line's user / MAP_PAGE_LINES */
	struct fabric_page page;
};

/* Where the line of a record lies, found when the record was to be expected. */
struct machine_expected {
	uint64_t word;			/* the record's first */
	uint64_t place;			/* line << 8 | slice */
};

struct machine_core {
	struct timing timing;
	uint8_t socket, node;
	uint8_t number;			/* within the node */
	bool idle;
	bool waking;			/* will run at timing.now: what comes before that is still to be done */
	uint64_t slept;			/* picoseconds of timing.now that it was idle, or its clock stood still */
	uint32_t khz;			/* it runs at, since it had run for `ran`, in `clocks` clocks */
	uint64_t ran, clocks;
	uint64_t waited, wait_clocks;	/* likewise: of the timing's `waited` */
	uint32_t lookup;		/* picoseconds it takes to find that L2 misses */
	const struct leave_record *fed;	/* the last record */
	struct machine_inbox inbox;
	struct machine_expected expected[MACHINE_EXPECTED];	/* by where the records lie */
	struct core_ledger ledger;
	struct core_heat heat;
};

struct machine_access {
	struct access access;		/* first: the seam hands out its address */
	struct machine *machine;
};

struct machine {
	struct spec spec;
	const struct families_entry *family;	/* NULL: PMU only */
	struct pmu *pmu;
	struct map map;
	struct machine_page page[MACHINE_PAGES];
	struct timing_design core_design;
	struct machine_core *core;
	struct core_registers *registers;	/* of each logical CPU */
	unsigned sockets, cores;	/* of the machine */
	bool msrs;			/* its cores have machine-specific registers */
	unsigned nodes;			/* each has memory of its own: sockets, or clusters of them */
	unsigned together;		/* cores of a node */
	uint64_t now;			/* closed up to here */
	uint64_t horizon;
	uint64_t late;			/* as the PMU was told; see pmu_late() */
	uint64_t current;		/* time of the core that was fed last */
	uint64_t faults_at, faults;	/* when some were last asked for, and which; see faults.c */
	uint64_t next_close;		/* when `current` gets here, devices work or time is closed behind it */
	uint64_t close_at;		/* the latter */
	bool drop_snoops;
	bool exact;			/* pmu_exact(), as the hardware knows it */
	int error;
	_Atomic bool interrupted;	/* set by a signal handler or another thread */

	machine_tap_fn tap;
	void *tap_ctx;
	struct machine_access seam;

	struct p9500 *p9500;		/* hardware of the Itanium 9500; NULL without */
	struct itanium_cores *itanium_cores;	/* a program runs on them; NULL: kernels and traces drive the machine */

	/* Hardware of the Xeons; NULL without. */
	struct fabric *fabric;
	struct bridge *bridge;			/* or NULL */
	struct pcu *pcu;
	struct ha *ha[MACHINE_SOCKETS * 2];
	struct imc *imc[MACHINE_SOCKETS * 2 * HA_CHANNELS];
	struct ha_map ha_map[MACHINE_SOCKETS];
	struct devices devices;
};

static inline uint64_t machine_word(const struct leave_record *rec)
{
	uint64_t word;

	_Static_assert(sizeof *rec == 16, "the first word ends in line and space");
	memcpy(&word, rec, sizeof word);
	return word;
}

static inline enum leave_kind machine_kind(uint64_t word)
{
	return (enum leave_kind)(word >> MACHINE_USER_BITS & bits_low(6));
}

static inline struct machine_expected *machine_expected(struct machine_core *c, const struct leave_record *rec)
{
	return &c->expected[(uintptr_t)rec / sizeof *rec % MACHINE_EXPECTED];
}

/* A core's caches get to see this before their next access. */
void machine_ask_core(struct machine *m, unsigned core, uint64_t line, enum leave_snoop_kind kind);

/* The time of the running core that is furthest behind, if that is before `until`, or `until`. */
uint64_t machine_slowest(const struct machine *m, uint64_t until);

/* Devices and power control move on to `until`. */
void machine_move_on(struct machine *m, uint64_t until);

extern const struct access_ops machine_access_ops;

#endif
