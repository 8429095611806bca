/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private caches and prefetchers of one simulated core, running where the program
 * runs: L1I, L1D, L2.  What the core does goes in as loads, stores, fetches and
 * retired instructions; what leaves it comes out as leave records.
 *
 *	load, store --> L1D --+
 *	                      +--> L2 --> leave records --> the uncore
 *	fetch --------> L1I --+          <-- snoops -------
 *
 * Write-back, write-allocate; L2 neither includes nor excludes the first level, as on
 * Haswell (Intel optimization manual, 2.3.5).  All three replace by tree pseudo-LRU
 * (measured on Haswell by Abel and Reineke, nanoBench).  A line is filled exclusive
 * until the uncore says that it is shared (LEAVE_SNOOP_SHARE); writing a shared
 * line leaves as LEAVE_RFO (LEAVE_ITOM if all of it will be written), the first write of an
 * exclusive line as LEAVE_DIRTY.  Clean lines are dropped in silence.
 *
 * No access allocates memory, and all is deterministic.
 */
#ifndef BXS_XCORE_H
#define BXS_XCORE_H

#include "base/bits.h"
#include "xcore/cache.h"
#include "xcore/leave.h"
#include "xcore/prefetch.h"

/* Where an access was satisfied. */
enum xcore_level { XCORE_L1, XCORE_L2, XCORE_UNCORE };

/* Takes n records in order; called at the end of an access, when the caches are at rest, so
 * that it may call xcore_snoop().  Now and then n is 0, to give just that occasion. */
typedef void (*xcore_leave_fn)(void *ctx, const struct leave_record *rec, unsigned n);

struct xcore_config {
	uint32_t l1d_bytes, l1i_bytes, l2_bytes;	/* powers of two; 8 ways */
	unsigned prefetch;		/* PREFETCH_* */
	bool clean_victims;		/* clean exclusive lines leave as LEAVE_WB_E */
	uint8_t space;			/* address space number in all records */
	uint32_t tick;			/* instructions after which a record leaves even without an access */
	xcore_leave_fn leave;
	void *ctx;
};

#define XCORE_TICK 20000

/* What every record sink must have room for: the most records one access can make. */
#define XCORE_RECORDS 64

/* Streaming stores gather in as many line buffers. */
#define XCORE_FILL_BUFFERS 10

struct xcore_gather {
	uint64_t line, written;		/* a bit for each byte of the line; 0: free */
};

/*
 * The two lines used last in each set of L1D: number 0 and, before it, 1.  Using one of them
 * again changes no state, and of the order of replacement only which of the two is the
 * newer; that is noted in `newer` and made good when the set is next looked at in earnest.
 * So this is all that most accesses look at, also of a program that goes through two arrays
 * in step.  Kept for caches of XCORE_SETS sets only; others do without.
 */
#define XCORE_SETS 64
#define XCORE_NO_LINE (UINT64_C(1) << 63)	/* no program has an address like that */

struct xcore_recent {
	_Alignas(64) uint64_t line[2];	/* addresses */
	uint64_t written[2];		/* the same if the line is modified, else XCORE_NO_LINE */
	uint8_t way[2];
	uint8_t newer;			/* 1: number 1 has been used since number 0 was */
};

/*
 * Lines that other cores use at the same time.  While the core runs among others (`orders`), each access to one of
 * them asks `order` first, which returns when the cores that are behind have caught up; so such a line is never among
 * those used last.  A line that nobody else has asked for while the core has waited XCORE_CALM times is an ordinary
 * one again.
 */
#define XCORE_CONTENDED 1024
#define XCORE_CALM 64

struct xcore_contended {
	uint64_t line;
	uint32_t left;			/* waits until it is ordinary again; 0: the place is free */
	bool lost;			/* another core has taken it to itself: who reads it now shares it */
};

/* Called before the access changes anything; the caches may change until it returns.  Has it waited? */
typedef bool (*xcore_order_fn)(void *ctx, uint64_t line, bool write);

struct xcore {
	struct xcore_recent recent[XCORE_SETS];
	/*
	 * The line used last in each set of L1I, and the one before, which may change places with it: then their ways
	 * do, too, and replacement hears of it when the set is next looked at in earnest.
	 */
	uint64_t last_fetch[XCORE_SETS], before_fetch[XCORE_SETS];
	uint8_t fetch_way[XCORE_SETS][2];
	/* Instructions: `span - left` have retired since the last record; xcore_attend() is due when none are left. */
	int32_t left, span;
	int32_t held;			/* taken off both: see xcore_hold() */
	uint32_t every, tick;
	uint16_t l2_hits, l1_misses;	/* since the last record */
	struct leave_record *next;	/* where the next one goes: in `out` */
	uint64_t told;			/* instructions in all records so far */
	int64_t owed;			/* in a checked build: lines told to be written, and neither given back nor taken away */
	struct cache l1d, l1i, l2;
	unsigned gathers;
	bool clean_victims;
	xcore_order_fn order;		/* NULL: no line is contended; see xcore_share() */
	uint64_t space;
	xcore_leave_fn leave;
	void *ctx;
	struct prefetch prefetch;
	struct xcore_gather gather[XCORE_FILL_BUFFERS];	/* oldest first */
	struct leave_record out[XCORE_RECORDS];
	struct xcore_contended contended[XCORE_CONTENDED];
};

/* Haswell's caches and prefetchers; leave, ctx and space are for the caller to fill. */
struct xcore_config xcore_haswell(void);
/* Those of an Itanium 9500, all of 8 ways: FLD, FLI, and the data cache of the middle level (MLD), in which code has no place of
 * its own; a miss there brings the other half of its 128 bytes. */
struct xcore_config xcore_poulson(void);

/* A core with empty caches.  0, BXS_ENOMEM, or BXS_EINVAL (sizes, no sink). */
int xcore_new(const struct xcore_config *cfg, struct xcore **out);
void xcore_free(struct xcore *c);		/* NULL is allowed */

/* The same in the caller's memory; done also after a failed init. */
int xcore_init(struct xcore *c, const struct xcore_config *cfg);
void xcore_done(struct xcore *c);

/* Forget all lines and training; nothing leaves. */
void xcore_clear(struct xcore *c);

/* What the uncore asks.  Not from inside an access, but from its leave function. */
void xcore_snoop(struct xcore *c, const struct leave_snoop *snoop);

/* How the core holds the line, in whichever of its caches it does so most. */
enum cache_state xcore_holds(const struct xcore *c, uint64_t line);

#ifdef BXS_CHECKED
/* So many lines are modified.  It is what the core owes the machine: what it has told to be written, less what it has written back and
 * what has been taken from it. */
unsigned xcore_modified(const struct xcore *c);
#endif

/* From here on the core runs among others: lines that snoops show to be contended are ordered by `order`. */
void xcore_share(struct xcore *c, xcore_order_fn order);

/* Loads since the last of these calls waited each for the one before; so many hit L1 and L2. */
void xcore_chained(struct xcore *c, uint32_t l1, uint32_t l2);

/* So many locked instructions have been done since the last of these calls. */
void xcore_locked(struct xcore *c, uint32_t n);

/* Tell what has been done since the last record, as a LEAVE_TICK; flags: LEAVE_SPIN or 0. */
void xcore_tell(struct xcore *c, unsigned flags);

/* Tell the rest: partly filled store buffers, instructions since the last record. */
void xcore_flush(struct xcore *c);

/* The whole work of an access; use the inline functions below. */
enum xcore_level xcore_load_slow(struct xcore *c, uint64_t addr, unsigned ip, unsigned flags);
enum xcore_level xcore_store_slow(struct xcore *c, uint64_t addr, unsigned flags);
enum xcore_level xcore_fill_slow(struct xcore *c, uint64_t addr);
enum xcore_level xcore_fetch_slow(struct xcore *c, uint64_t addr);
void xcore_attend(struct xcore *c);

/* Call the leave function after so many instructions at the latest (at most the configured
 * tick), with no records if there is none. */
void xcore_look_every(struct xcore *c, uint32_t instructions);

/* Make `left` fall far below 0, or undo that: who counts instructions by himself notices at once. */
void xcore_hold(struct xcore *c, bool on);

/* Instructions since the last record. */
static inline uint32_t xcore_retired(const struct xcore *c)
{
	return (uint32_t)(c->span - c->left);
}

/*
 * An access that changes nothing but which of two lines is the newer; false: it needs the
 * whole work.  state: CACHE_MODIFIED for a store, or 0.
 */
static inline bool xcore_again(struct xcore *c, uint64_t addr, unsigned state)
{
	struct xcore_recent *r = c->recent + (addr >> 6 & (XCORE_SETS - 1));
	const uint64_t *line = state ? r->written : r->line;
	bool newer = line[0] != (addr & ~UINT64_C(63));

	if (newer && line[1] != (addr & ~UINT64_C(63)))
		return false;
	r->newer = newer;
	return true;
}

static inline bool xcore_load_again(struct xcore *c, uint64_t addr)
{
	return xcore_again(c, addr, 0);
}

static inline bool xcore_store_again(struct xcore *c, uint64_t addr)
{
	return xcore_again(c, addr, CACHE_MODIFIED);
}

static inline bool xcore_can_fetch(const struct xcore *c, uint64_t line)
{
	return c->last_fetch[line % XCORE_SETS] == line;
}

/*
 * A load of bytes of one line; a load across lines is two.  ip: address of the instruction,
 * low 8 bits, for the stride prefetcher.  flags: LEAVE_DEPENDENT or 0, for the record of
 * a miss.
 *
 * Prefetchers see a load only when it is not to one of the two lines used last in its set.
 */
static inline enum xcore_level xcore_load(struct xcore *c, uint64_t addr, unsigned ip,
					  unsigned flags)
{
	if (__builtin_expect(xcore_load_again(c, addr), 1))
		return XCORE_L1;
	return xcore_load_slow(c, addr, ip, flags);
}

/* A store into one line, or a locked load, which takes ownership too. */
static inline enum xcore_level xcore_store(struct xcore *c, uint64_t addr, unsigned flags)
{
	if (__builtin_expect(xcore_store_again(c, addr), 1))
		return XCORE_L1;
	return xcore_store_slow(c, addr, flags);
}

/* A store by one that is going to write the whole line: what is missing leaves as LEAVE_ITOM. */
static inline enum xcore_level xcore_fill(struct xcore *c, uint64_t addr)
{
	if (__builtin_expect(xcore_store_again(c, addr), 1))
		return XCORE_L1;
	return xcore_fill_slow(c, addr);
}

/* Code is fetched from the line of addr. */
static inline enum xcore_level xcore_fetch(struct xcore *c, uint64_t addr)
{
	if (__builtin_expect(xcore_can_fetch(c, addr >> 6), 1))
		return XCORE_L1;
	return xcore_fetch_slow(c, addr);
}

/* n instructions retired. */
static inline void xcore_retire(struct xcore *c, uint32_t n)
{
	c->left -= (int32_t)n;
	if (__builtin_expect(c->left + c->held <= 0, 0))
		xcore_attend(c);
}

/* A streaming (non-temporal) store of `bytes` bytes inside one line: gathers, then leaves
 * as LEAVE_WCILF (whole line) or LEAVE_WCIL.  Copies of the line in the core go. */
void xcore_stream(struct xcore *c, uint64_t addr, unsigned bytes);

/* All that has gathered leaves (sfence, mfence, locked instructions). */
void xcore_fence(struct xcore *c);

/* Write back and drop the line everywhere (clflush). */
void xcore_evict(struct xcore *c, uint64_t addr);

/* Where a prefetch that the program asks for takes the line; T1 and T2 are one to these processors. */
enum xcore_into { XCORE_INTO_L1 = 1, XCORE_INTO_L2 = 2, XCORE_INTO_BOTH = 3 };	/* prefetchnta, t1, t0 */

/* flags as of a load.  Nothing happens to a line that L1D has. */
void xcore_prefetch(struct xcore *c, uint64_t addr, enum xcore_into into, unsigned flags);

/* A locked access across two lines, or a bus lock. */
void xcore_lock(struct xcore *c, uint64_t addr);

#endif
