/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a miss a core waits for: a window model of an out-of-order core.
 *
 * Instructions retire at a steady base rate and in order.  A demand miss holds its
 * place: the core runs on until its reorder window is full of younger instructions,
 * then stands until the miss is back.  A store waits in the store buffer instead, so
 * it holds a longer window.  Misses take fill buffers, and everything that leaves
 * takes an entry of the super queue; who finds them full waits for the first to come
 * free.
 *
 *	retired                              next instruction
 *	   |  miss A ........ miss B ........ |
 *	   |<------- window of A ------->|      A not back when the window ends: stall
 */
#ifndef BXS_MACHINE_TIMING_H
#define BXS_MACHINE_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "xcore/leave.h"

enum { TIMING_POOL_BITS = 4, TIMING_POOL = 1 << TIMING_POOL_BITS, TIMING_GROUP = 4, TIMING_WINDOW = 16, TIMING_WAITING = 4 };

/* Numbers of a core design. */
struct timing_design {
	uint16_t fill_buffers;		/* demand misses outstanding; at most TIMING_WINDOW */
	uint16_t super_queue;		/* all requests outstanding; at most TIMING_POOL */
	uint16_t reorder;		/* instructions that may wait behind a load */
	uint16_t store_reach;		/* instructions that may retire behind a store */
	uint16_t base_cpi;		/* clocks of 256 instructions without misses */
	uint16_t l2_hit;		/* clocks of 256 L1 misses that hit L2, overlap included */
	uint8_t l1_load, l2_load;	/* clocks until the next load has its address from a hit */
	uint8_t locked;			/* clocks of a locked instruction, besides its miss if it does */
};

/*
 * Until when entries are in use, in groups: who is free first of each group, and of all.  An entry is a time and, in the low bits,
 * its number; one that the pool does not have is never free.
 */
struct timing_pool {
	uint64_t entry[TIMING_POOL], group[TIMING_POOL / TIMING_GROUP], first;
};

/* Outstanding misses in program order, each back later than all before it. */
struct timing_window {
	struct timing_miss {
		uint64_t last;		/* the last instruction that may go ahead of it */
		uint64_t back;
	} miss[TIMING_WINDOW];
	uint8_t head, used;
};

struct timing {
	const struct timing_design *design;
	uint64_t now;			/* picoseconds */
	uint64_t retired;		/* instructions */
	uint64_t free_until;		/* so many retire before any outstanding miss can be in their way */
	uint64_t stalled;		/* picoseconds of `now` spent waiting for memory */
	uint32_t fraction;		/* of `now`, in 2^-16 picoseconds */
	uint32_t instruction_cost;	/* 2^-16 picoseconds */
	uint32_t l2_cost;
	uint32_t l1_chain, l2_chain;	/* likewise: of chained hits */
	uint32_t locked_cost;		/* likewise: of a locked instruction */
	uint64_t chained;		/* the chain that timing_chain() is told of next begins no earlier */
	uint64_t miss_back;		/* when the latest demand miss is back */
	uint64_t waited;		/* picoseconds of all demand misses, each from its leaving to its return */
	uint64_t waiting[TIMING_WAITING];	/* when the latest dependent misses could start */
	uint8_t waiting_next;
	struct timing_window loads, stores;
	struct timing_pool fill, super;
};

struct cat_core;

/* The timing of a core of the catalogue.  Assumed for all cores: three instructions retire in a clock without misses, one
 * instruction in six is a store, and an L2 hit costs three clocks, because the reorder window hides most of its latency. */
struct timing_design timing_of_core(const struct cat_core *core);

/* The core runs at khz from now on. */
void timing_clock(struct timing *t, uint32_t khz);
void timing_init(struct timing *t, const struct timing_design *design, uint32_t khz);

/* Retire `instructions`, of which l2_hits waited for the L2, as far as outstanding misses let. */
void timing_work(struct timing *t, uint32_t instructions, uint32_t l2_hits);

/* The work since the last of these calls was a chain of loads, of which so many hit L1 and L2. */
void timing_chain(struct timing *t, uint32_t l1, uint32_t l2);

/* Of the work since the last of these calls so many instructions were locked. */
void timing_locked(struct timing *t, uint32_t n);

/* What a request needs of the core, and holds: a bit each. */
enum {
	TIMING_SUPER = 1,	/* an entry of the super queue */
	TIMING_FILL = 2,	/* a fill buffer */
	TIMING_ORDERED = 4,	/* its place in the reorder buffer */
	TIMING_WAITS = 8,	/* nothing goes on until it is back */
	TIMING_SETTLES = 16,	/* and everything before it is back first */
	TIMING_BUFFERED = 32,	/* its place in the store buffer */
};

/* The same for a record of leave.h. */
enum timing_class {
	TIMING_NONE = 0,	/* nothing is sent */
	TIMING_LOAD = TIMING_SUPER | TIMING_FILL | TIMING_ORDERED,
	TIMING_STORE = TIMING_SUPER | TIMING_FILL | TIMING_BUFFERED,	/* retires without waiting */
	TIMING_AHEAD = TIMING_SUPER | TIMING_FILL,	/* the program's prefetches */
	TIMING_LOCKED = TIMING_SUPER | TIMING_FILL | TIMING_WAITS | TIMING_SETTLES,	/* the store of a locked instruction */
	TIMING_FETCH = TIMING_SUPER | TIMING_WAITS,	/* nothing to do until the code is there */
	TIMING_ASIDE = TIMING_SUPER,	/* the core's prefetches, write-backs */
	TIMING_ALONE = TIMING_SUPER | TIMING_WAITS | TIMING_SETTLES,	/* locks and devices */
};
enum timing_class timing_class(enum leave_kind kind);

/* When a request of this class leaves the core; the core waits for buffers. */
uint64_t timing_start(struct timing *t, enum timing_class class, bool dependent);
/* It was allowed to leave by timing_start(), left the core at `sent`, and is back at `back`. */
void timing_sent(struct timing *t, enum timing_class class, uint64_t sent, uint64_t back);

/* Wait for everything that is outstanding. */
void timing_settle(struct timing *t);

#endif
