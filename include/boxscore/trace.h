/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace files: what left the cores of a machine, in the order in which it was told.  `boxscore record` writes them,
 * `boxscore replay` and bxs_session_trace() run them.  Part of boxscore.h.
 */
#ifndef BOXSCORE_TRACE_H
#define BOXSCORE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What left the core.  Only what its private caches cannot answer does: a load that hits is not in a trace. */
enum bxs_trace_kind {
	BXS_TRACE_TICK,			/* no access: time passed.  line: loads that waited for the one before, hits of L1 and 2^24
					 * times those of L2; with flag 2: locked instructions */
	BXS_TRACE_DRD,			/* data read that missed L2 */
	BXS_TRACE_RFO,			/* store that missed L2, or hit a shared line */
	BXS_TRACE_CRD,			/* code fetch that missed L2 */
	BXS_TRACE_PF_DRD,		/* prefetches into L2: data, ownership, code */
	BXS_TRACE_PF_RFO,
	BXS_TRACE_PF_CRD,
	BXS_TRACE_PF_LLC_DRD,		/* prefetches into the last-level cache only */
	BXS_TRACE_PF_LLC_RFO,
	BXS_TRACE_PF_LLC_CRD,
	BXS_TRACE_ITOM,			/* ownership without data: the whole line will be written */
	BXS_TRACE_WB_M,			/* L2 evicts a modified line */
	BXS_TRACE_WB_E,			/* L2 evicts a clean exclusive line */
	BXS_TRACE_DIRTY,		/* an exclusive line is written for the first time: no message on the hardware */
	BXS_TRACE_WCIL,			/* streaming store, part of a line; the whole line */
	BXS_TRACE_WCILF,
	BXS_TRACE_CLFLUSH,
	BXS_TRACE_LOCK,			/* split or bus lock */
	BXS_TRACE_UC_READ,		/* uncacheable, for devices */
	BXS_TRACE_UC_WRITE,
	BXS_TRACE_HALT,			/* the core is idle until its next record */
	BXS_TRACE_AHEAD,		/* a prefetch that the program asks for */
	BXS_TRACE_WAKE,			/* the thread wakes another one; line: its number */
	BXS_TRACE_SLEEP,		/* the core sleeps for `sleep`; all else but `core` is 0 */
	BXS_TRACE_KINDS,
};

struct bxs_trace_record {
	enum bxs_trace_kind kind;
	unsigned core;			/* of the whole machine */
	/* Of an access, 1: it waits for the read before, 2: a prefetcher's read; of RFO and DIRTY, 1: a locked instruction's; of
	 * TICK, 1: the thread spins on a line, 2: see there.  At most 3. */
	unsigned flags;
	unsigned space;			/* address space: which program; at most 255 */
	uint64_t line;			/* virtual address / 64, below 2^48 */
	uint32_t instructions;		/* that the core has retired since its record before */
	uint16_t l2_hits, l1_misses;	/* demand misses of L1 that hit L2, and all misses of L1, since then */
	uint64_t sleep;			/* picoseconds, at most 2^56 */
};

typedef struct bxs_trace_writer bxs_trace_writer;
typedef struct bxs_trace_reader bxs_trace_reader;

/*
 * Begin a trace file of a machine, spec as for bxs_machine_new().  The caller ends the writer with bxs_trace_finish().
 * why: on failure a sentence, cut to size bytes.  BXS_ENOENT, BXS_EINVAL (spec), BXS_EIO, BXS_ENOMEM.
 */
int bxs_trace_create(const char *path, const char *spec, bxs_trace_writer **out, char *why, size_t size);
/* BXS_EINVAL: a value is out of its range or the machine has no such core, nothing is written, bxs_trace_write_why() says
 * which.  That the file cannot be written is said by bxs_trace_finish(). */
int bxs_trace_write(bxs_trace_writer *w, const struct bxs_trace_record *r);
/* Of the last bxs_trace_write() that failed; never NULL. */
const char *bxs_trace_write_why(const bxs_trace_writer *w);
/* Complete the file, and end w in any case.  BXS_EIO, with errno as the system set it: it is not complete. */
int bxs_trace_finish(bxs_trace_writer *w);

/* BXS_ENOENT, BXS_EIO, BXS_EINVAL (no trace, or another version), BXS_ENOMEM: a sentence in why. */
int bxs_trace_open(const char *path, bxs_trace_reader **out, char *why, size_t size);
void bxs_trace_close(bxs_trace_reader *r);	/* NULL is allowed */
/* Cores of the machine that it is of, and that machine's specification, which lives as long as r. */
unsigned bxs_trace_cores(const bxs_trace_reader *r);
const char *bxs_trace_spec(const bxs_trace_reader *r);
/* 1: *out is the next record; 0: the end; BXS_EINVAL: damaged there, BXS_EIO: bxs_trace_why() says where. */
int bxs_trace_next(bxs_trace_reader *r, struct bxs_trace_record *out);
const char *bxs_trace_why(const bxs_trace_reader *r);

#ifdef __cplusplus
}
#endif

#endif
