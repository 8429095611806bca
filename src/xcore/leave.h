/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What leaves a core: the records that private caches (src/xcore, where the program
 * runs) hand to the machine (src/machine), and what comes back.
 *
 * Only misses, write-backs and prefetches of the private caches become records;
 * a record also carries how much work the core did since the one before.
 */
#ifndef BXS_LEAVE_H
#define BXS_LEAVE_H

#include <stdint.h>

enum leave_kind {
	LEAVE_TICK,		/* no access: only time (instructions, hits) passed.  line: loads whose address the load
				 * before gave, hits of L1 and LEAVE_CHAIN_L2 times those of L2; with
				 * LEAVE_ATOMIC: locked instructions */
	LEAVE_DRD,		/* demand data read that missed L2 */
	LEAVE_RFO,		/* store that missed L2, or hit a shared line; written at once */
	LEAVE_CRD,		/* code fetch that missed L2 */
	LEAVE_PF_DRD,		/* prefetch into L2: data, ownership, code */
	LEAVE_PF_RFO,
	LEAVE_PF_CRD,
	LEAVE_PF_LLC_DRD,	/* prefetch into the last-level cache only */
	LEAVE_PF_LLC_RFO,
	LEAVE_PF_LLC_CRD,
	LEAVE_ITOM,		/* ownership without data: the whole line will be written */
	LEAVE_WB_M,		/* L2 evicts a modified line */
	LEAVE_WB_E,		/* L2 evicts a clean exclusive line */
	LEAVE_DIRTY,		/* a line held exclusive is written for the first time: no
				 * message on the hardware, but the machine must know who
				 * holds the data.  If others have read the line, and the core
				 * has not heard of that yet, it is a LEAVE_RFO */
	LEAVE_WCIL,		/* streaming store, part of a line */
	LEAVE_WCILF,		/* streaming store, whole line */
	LEAVE_CLFLUSH,
	LEAVE_LOCK,		/* split or bus lock */
	LEAVE_UC_READ,		/* uncacheable read and write, for devices */
	LEAVE_UC_WRITE,
	LEAVE_HALT,		/* the core goes idle until its next record */
	LEAVE_AHEAD,		/* a prefetch that the program asks for: a data read of which the core
				 * waits for no more than a fill buffer */
	LEAVE_WAKE,		/* no access: here the thread wakes another one; line: the number of that one's ring */
	LEAVE_REGION,		/* no access: here the region that is measured begins (line: 1) or ends (0) */
	LEAVE_KINDS,
};

enum {
	LEAVE_DEPENDENT = 1,	/* the address came out of the miss before: no overlap with it */
	LEAVE_LOCKED = 1,	/* of a LEAVE_RFO or LEAVE_DIRTY: for a locked instruction, which waits for the line and for all before it */
	LEAVE_SPIN = 1,		/* of a LEAVE_TICK: the thread did nothing but read a line that it waits for others to change */
	LEAVE_ATOMIC = 2,	/* of a LEAVE_TICK: it tells of locked instructions, which take the core some time even if they hit */
	LEAVE_SPECULATIVE = 2,	/* LEAVE_DRD of a first-level prefetcher: to the uncore and in time a
				 * demand read, but no load that retires */
};

/* Hits of L2 in the line of a LEAVE_TICK, which has room for so many of L1 */
#define LEAVE_CHAIN_L2 (UINT64_C(1) << 24)

/* 16 bytes, the unit that crosses between processes and lies in trace files. */
struct leave_record {
	uint64_t line : 48;	/* virtual address / 64 */
	uint64_t space : 8;	/* address space: which program */
	uint64_t kind : 6;
	uint64_t flags : 2;
	uint32_t instructions;	/* retired since the record before */
	uint16_t l2_hits;	/* demand L1 misses that hit L2 since the record before */
	uint16_t l1_misses;	/* code and data, since the record before; saturates */
};

/* What the uncore asks of a core's private caches. */
enum leave_snoop_kind {
	LEAVE_SNOOP_INVALIDATE,		/* for a request of another core or a device */
	LEAVE_SNOOP_SHARE,		/* likewise */
	LEAVE_SNOOP_GRANT,		/* the answer to a read: others have the line, too.  Not if it has been written since */
	LEAVE_SNOOP_EVICT,		/* the last-level cache drops the line */
	LEAVE_SNOOP_CONTEND,		/* nothing: the line that the core got was in another core's cache */
};

struct leave_snoop {
	uint64_t line : 48;
	uint64_t space : 8;
	uint64_t kind : 8;	/* enum leave_snoop_kind */
};

#endif
