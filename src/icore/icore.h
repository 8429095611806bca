/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core of an Itanium 9500 as a pipeline: how many cycles the instructions of a program take, and why.
 *
 * The executor (src/ia64) tells of every instruction before it executes; the core puts it into an issue group, lets it wait for
 * what it waits for, and keeps caches, TLBs, predictors and queues.  docs/reference/model-ia64.md has the rules and their sources.
 *
 *	ia64_run --> icore_retire --> issue.c     groups, ports, cycles and their reasons
 *	                              hazard.c    registers that are not ready yet
 *	                              fetch.c     FLI, MLI, instruction TLBs, the instruction buffer
 *	                              branch.c    predictions
 *	                              data.c      FLD, MLD, data TLBs, queues --> struct icore_outside
 *	ring --> icore_snoop -------> snoop.c     lines that others ask for
 *
 * What happens is counted by the event's code (POULSON_CORE_ in signal_ids.h).  Time is in cycles of the core since it began.
 */
#ifndef BXS_ICORE_H
#define BXS_ICORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ia64;
struct ia64_op;
struct icore;

enum { ICORE_CODES = 0x1000 };

/* What the core asks of the ring. */
enum icore_ask {
	ICORE_READ, ICORE_READ_SHARED, ICORE_OWN, ICORE_CODE, ICORE_PREFETCH, ICORE_PREFETCH_OWN, ICORE_PREFETCH_CODE, ICORE_WRITE_BACK,
};

/* Where a line came from: the codes of table 3-18. */
enum icore_source {
	ICORE_FROM_MLD = 0x02, ICORE_FROM_LLC = 0x14, ICORE_FROM_SNOOP = 0x15, ICORE_FROM_CORE = 0x16, ICORE_FROM_DRAM = 0x18, ICORE_FROM_FAR = 0x1c,
};

struct icore_reply {
	uint32_t latency;		/* cycles until the line is there */
	enum icore_source source;
	bool shared;
};

/* Beyond the core: a line is an address / 64 as the program has it. */
struct icore_outside {
	void *ctx;
	struct icore_reply (*request)(void *ctx, uint64_t cycle, uint64_t line, enum icore_ask ask);
};

/* One thing that was told while every occurrence matters: n times in cycle `at`, or once in each of n cycles from there. */
struct icore_told {
	uint64_t at;
	uint32_t n;
	uint16_t code;
	bool span;
	bool own;			/* it belongs to the instruction: its tags narrow it */
};

enum icore_unit { ICORE_M, ICORE_I, ICORE_F, ICORE_B, ICORE_A };

/* The instruction that has been told of last. */
struct icore_instruction {
	uint64_t ip, bits;		/* the bundle's address; the 41 bits */
	uint8_t slot, unit, window;	/* enum icore_unit; the bundle's number within its issue group */
	bool on, nop, rse;
	uint8_t flops;
	/* Its reference to data, table 3-25's kinds by number; 0: none. */
	uint8_t type, tlb, source, alat;	/* tlb: 1 FLDTLB, 2 DTB, 3 walker; alat: 1 missed, 2 hit */
	uint16_t hints;
	uint64_t address;
	uint32_t latency;
	/* Its branch: btype as pmu/door.h has it, 255: none. */
	uint8_t btype;
	bool taken, path_right, target_right, reached;
	uint64_t target;
	bool check;			/* a chk that failed */
	/* The fetch of its bundle: 0 for the FLI. */
	uint32_t fetch_latency;
	uint8_t fetch_tlb, fetch_source;
};

struct icore *icore_new(const struct icore_outside *outside);		/* NULL: out of memory */
void icore_free(struct icore *c);					/* NULL is allowed */

/* For struct ia64_observer: the context is the core. */
void icore_retire(void *core, struct ia64 *m, const struct ia64_op *op, uint64_t ip, bool on);

/* What the ring asks of the core about a line. */
enum icore_snoop_kind { ICORE_SNOOP_CODE, ICORE_SNOOP_DATA, ICORE_SNOOP_OWN, ICORE_SNOOP_EVICT };

/*
 * Another core reads or writes the line, or it leaves the last-level cache: the core may keep it shared, or not at all.  The snoop
 * is in the core for some cycles from one on.  True: the line was modified, and goes to the ring.
 */
bool icore_snoop(struct icore *c, uint64_t line, enum icore_snoop_kind kind, uint64_t cycle, unsigned cycles);

/* It has nothing more to do: what is under way is accounted for.  It may go on in a cycle, not before icore_cycles(). */
void icore_halt(struct icore *c);
void icore_wake(struct icore *c, uint64_t cycle);

/* Cycles so far; those of the issue group at hand are complete. */
uint64_t icore_cycles(const struct icore *c);

/*
 * How often each event has happened since this was last cleared, by code; the caller clears what it has taken.  While the core
 * is exact what happens goes into the list instead, which icore_told_clear() empties.
 */
uint64_t *icore_counts(struct icore *c);
void icore_exact(struct icore *c, bool exact);
const struct icore_told *icore_told(const struct icore *c, unsigned *n);
void icore_told_clear(struct icore *c);
const struct icore_instruction *icore_instruction(const struct icore *c);

#endif
