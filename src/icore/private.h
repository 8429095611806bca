/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the core share. */
#ifndef BXS_ICORE_PRIVATE_H
#define BXS_ICORE_PRIVATE_H

#include "ia64/machine.h"
#include "icore/icore.h"
#include "icore/numbers.h"
#include "signal_ids.h"

enum { KINDS = 512, TOLD = 4096, PENDING = 32, PREFETCHES = 8, FLD_FILLS = 16 };

/* Kinds of data references, as table 3-25 numbers them; the walker's own loads have none. */
enum { LOAD_INT = 1, LOAD_FP, LOAD_RSE, STORE_INT, STORE_FP, STORE_RSE, LFETCH, SEMAPHORE, HW_PREF = 10, LOAD_HPW };

/* What an instruction is to the pipeline (table 2-16). */
enum class {
	CLASS_NOP, CLASS_IALU, CLASS_MMALU, CLASS_PSMU, CLASS_IMULT, CLASS_IMOVFM, CLASS_CMP, CLASS_MOVTOPR, CLASS_MOVTOBR,
	CLASS_FMAC, CLASS_FCMP, CLASS_LOAD, CLASS_FLOAD, CLASS_STORE, CLASS_FSTORE, CLASS_SEMAPHORE, CLASS_LFETCH, CLASS_GETF,
	CLASS_SETF, CLASS_SLOW, CLASS_MOVTOAR, CLASS_CHK, CLASS_CHK_A, CLASS_BRANCH, CLASS_ALLOC, CLASS_RSE, CLASS_FENCE,
	CLASS_SERIALIZE, CLASS_FLUSH, CLASS_OTHER,
};

/* Ports that can take it. */
enum port { PORT_NONE, PORT_M, PORT_M0, PORT_MA, PORT_I, PORT_I0, PORT_A, PORT_AM, PORT_F, PORT_B };

/* A form, as far as it does not depend on registers; by number of the form. */
struct kind {
	uint8_t class, port, unit, run_size;
	bool known;
	uint8_t gr, fr;			/* sources: bit n for rn or fn */
	bool address, update;		/* r3 is an address, and written */
	bool to_gr, to_fr, to_fr2, to_pr;
	bool branch_br;			/* b2 is a source */
	uint8_t flops;
	uint16_t run;
};

/* What a register waits for. */
enum wait { WAIT_NONE, WAIT_HIT, WAIT_GR, WAIT_LOAD, WAIT_FP, WAIT_FCMP, WAIT_PR };

struct reg { uint64_t ready; uint8_t wait; uint8_t bypass; };	/* bypass: an address needs a cycle more */

/* A cache whose lines may be on their way: ready is when they are there. */
struct line { uint64_t tag; uint64_t ready; uint8_t valid, used, dirty, source, fetched, mark; };
struct cache { struct line *line; unsigned sets, ways; uint8_t shift; uint8_t victim; };

struct tlb { uint64_t page[128]; uint64_t stamp[128]; unsigned entries, last; };

/* Hints of an access: the fields of a DAHR (2.3.1.2). */
static inline unsigned hint_fld(unsigned hints) { return hints & 3; }
static inline unsigned hint_mld(unsigned hints) { return hints >> 2 & 3; }
static inline unsigned hint_prefetch(unsigned hints) { return hints >> 5 & 3; }
static inline unsigned hint_drop(unsigned hints) { return hints >> 7 & 3; }
enum { HINT_NRU = 1, HINT_NO_ALLOCATE = 2, HINT_LLC_NRU = 1 << 4, HINT_BLOCK = 1 << 9, HINT_SHARED = 1 << 10 };
enum { NO_FLD_MULTI = 1, NO_MLD_MULTI, NO_BUDDY };		/* of hint_prefetch() */
enum { DROP_TLB = 1, DROP_TLB_MLD, DROP_ANY, DROP_SHIFT = 7 };	/* of hint_drop() */

/* What a prefetch is queued for: the place of its events within their families (4.2.16). */
enum prefetch_kind {
	PREFETCH_LFETCH = 2, PREFETCH_COUNT, PREFETCH_BSPSTORE, PREFETCH_RSE_LOAD = 6, PREFETCH_RSE_STORE,
	PREFETCH_TARGET = 9, PREFETCH_FWD, PREFETCH_BWD, PREFETCH_BIDI, PREFETCH_MLD,
};

enum mark { MARK_NONE, MARK_FWD, MARK_BWD };	/* a line with which a run of neighbours ended */

struct prefetch {
	uint64_t address, ready;	/* it waits until then */
	int64_t stride;
	uint16_t hints;
	uint8_t kind, left, rejects;
	bool lfetch, exclusive, fill;	/* it asks for the line in the FLD */
	bool again, walked;		/* it comes for the second time; behind a page walk */
};

struct prefetch_queue { struct prefetch entry[PREFETCHES]; unsigned first, n; bool preempts; };

/* A line on its way to the FLD. */
struct fill { uint64_t line, ready; uint8_t mark; bool demoted; };
struct fills { struct fill entry[FLD_FILLS]; unsigned n; uint64_t next; struct fill last[2]; };

/* Entries in use until a cycle each, taken in order. */
struct queue { uint64_t until[PENDING], seen, last; unsigned size, shift; uint16_t high, low; };

/* An operation in the MLD's pipeline; fills: it reads a line for the FLD. */
enum { MLD_OPS = 16 };
struct mld_op { uint64_t cycle, address; bool store, fills; };

struct branch { uint64_t ip; uint8_t history, valid, shape; uint8_t counter[16]; uint64_t target; };

struct icore {
	struct icore_outside outside;
	uint64_t cycle;			/* the group at hand issues then */
	bool exact;
	bool detached;			/* what happens is not the instruction's at hand */
	uint64_t count[ICORE_CODES];
	struct icore_told told[TOLD];
	unsigned tolds;
	struct icore_instruction now;
	struct kind kind[KINDS];

	/* Bundles */
	uint64_t bundle;		/* address; UINT64_MAX: none yet */
	struct ia64_bundle words;
	unsigned stops;
	const char *template;

	/* The issue group */
	bool open, stop;		/* a group is at hand; it ends here */
	bool on_a;			/* the lfetch at hand took an A port */
	bool wide_branch;		/* the bundle has a branch that is no nop: the group ends with it */
	uint8_t m, i, a, f, b, bundles;	/* ports that are taken, and bundles */
	uint8_t why;			/* it ended for this: offset from IBL_ISSUE_STOP.NONE */

	/* Registers */
	struct reg gr[128], fr[128], pr[64], br[8];
	uint64_t unat, rsc;		/* ready */
	uint64_t fpsr_at, pfs_at, rse_at;	/* behind the cycles of their last writes */
	uint64_t hints_at[2];		/* behind the cycles of the last calls and writes of DAHRs */

	/* Fetching */
	uint64_t fetched, pair;		/* until when the front end was busy; the pair of bundles it brought last */
	uint64_t issued[16];		/* when the last sixteen bundles left the buffer */
	unsigned issued_next;
	bool led;			/* a branch led to the next bundle */
	struct cache fli, mli;
	struct tlb flitlb, mlitlb;

	/* Branches */
	struct branch *branches;
	uint64_t returns[8];
	unsigned returns_top;
	uint64_t zbb[4];
	unsigned zbb_next;
	uint64_t missed_bundle;		/* in which a branch was mispredicted */

	/* Data */
	struct cache fld, mld;
	struct tlb fldtlb, dtb;
	struct queue ozq, ozdata, fab, smq, drq, frq, wrq, wlb, snq;
	struct mld_op mld_ops[MLD_OPS];
	uint64_t mld_cycle;		/* in which the last mld_n operations issued */
	unsigned mld_n, mld_next;
	struct fills fills;
	struct prefetch_queue dpfq;
	struct ia64 *program;
	uint64_t store_cycle[2], store_at[2];
	unsigned store_next;
	uint64_t acquired, acquire_until;
	bool transfer;
	uint64_t transfer_until, transfer_page;	/* a DTB entry is on its way to the FLDTLB */
	uint64_t near_load;		/* when the last load issued that the FLD has not */
	uint64_t track[8];		/* lines that the MLD's prefetcher expects */
	unsigned track_next;
};

void icore_note(struct icore *c, unsigned code, uint64_t n, bool span, bool own);

static inline void tell(struct icore *c, unsigned code, uint64_t n)
{
	if (__builtin_expect(c->exact, 0))
		icore_note(c, code, n, false, true);
	else
		c->count[code] += n;
}

/* Of the machine, not of the instruction. */
static inline void tell_free(struct icore *c, unsigned code, uint64_t n)
{
	if (__builtin_expect(c->exact, 0))
		icore_note(c, code, n, false, false);
	else
		c->count[code] += n;
}

static inline void tell_cycles(struct icore *c, unsigned code, uint64_t n)
{
	if (__builtin_expect(c->exact, 0))
		icore_note(c, code, n, true, false);
	else
		c->count[code] += n;
}

/* issue.c: what is in the group at hand issues, for a reason of IBL_ISSUE_STOP; what follows is a group of its own. */
void icore_group_end(struct icore *c, unsigned stop);
/* n cycles pass without issue, for a reason (a code of CYC_BE_*); 0 cycles are allowed. */
void icore_lose(struct icore *c, unsigned any, unsigned code, uint64_t n);

/* The thread would leave the pipeline to the other one of the core, which does not run. */
void icore_drop_switch(struct icore *c);

/* kind.c */
const struct kind *icore_kind(struct icore *c, const struct ia64_op *op);

/* hazard.c: wait for the sources of an instruction; what it writes is ready then. */
void icore_wait(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, bool on);
void icore_produce(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k);

/* fetch.c: the bundle at ip comes into the buffer. */
void icore_fetch(struct icore *c, uint64_t ip);
/* The front end was led elsewhere: after `bubbles` cycles, or anew by the back end. */
void icore_resteer(struct icore *c, unsigned code, unsigned cause, unsigned bubbles);
void icore_refetch(struct icore *c);

/* branch.c */
void icore_branch(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k, bool on);

/* data.c: the cycle in which the datum is there; for stores that in which they are done. */
struct access { uint64_t address; unsigned size, type, hints; bool fp, store, exclusive, prefetch; };
uint64_t icore_access(struct icore *c, const struct access *a);
/* The translation; false: the FLD cannot have the line for lack of one. */
bool icore_translate(struct icore *c, const struct access *a);
/* The FLDTLB has it. */
bool icore_translated(struct icore *c, uint64_t address);
/* A transfer to the FLDTLB is over, if one was under way. */
void icore_transferred(struct icore *c);
void icore_dtb_put(struct icore *c, uint64_t page);
/* Its walk begins, and is over at the cycle that is answered. */
uint64_t icore_walk(struct icore *c, uint64_t page);
/* The operation enters the MLD's queue, where it finds room, and the MLD. */
uint64_t icore_issue(struct icore *c, const struct access *a);

/* mld.c: the cycle in which the datum is there for the MLD; DROPPED: a hint lets a prefetch end there. */
enum { DROPPED = 0 };
/* The cycle, not before `start`, in which its pipeline takes it. */
uint64_t icore_mld_issue(struct icore *c, const struct access *a, uint64_t start);
uint64_t icore_mld(struct icore *c, const struct access *a, uint64_t start);
/* The events of an answer from the ring; read: it was asked for reading. */
void icore_answer(struct icore *c, const struct icore_reply *reply, enum icore_ask ask, bool read);
/* fc: the line leaves. */
void icore_drop(struct icore *c, uint64_t address);

/* fld.c: the line of an address that the FLD has, NULL without. */
struct line *icore_fld(struct icore *c, uint64_t address);
/* Asks for the line, which the MLD has at a cycle; false: it is on its way, or there is no room for the request. */
bool icore_fld_fill(struct icore *c, const struct access *a, uint64_t ready, unsigned request, enum mark mark);
bool icore_fld_room(const struct icore *c, uint64_t address);
/* A hit: its line's place in the order of replacement, and the neighbours of the last of a run. */
void icore_fld_use(struct icore *c, struct line *line, const struct access *a);
/* An access that writes: a fill under way is not to be used. */
void icore_fld_write(struct icore *c, const struct access *a, const struct line *line);
/* A line leaves the FLD, or will not come: true if it was there. */
bool icore_fld_snoop(struct icore *c, uint64_t address);
/* Everything that is under way arrives. */
void icore_fld_finish(struct icore *c);

/* prefetch.c: the data prefetch queue (2.3.4.1). */
void icore_prefetch(struct icore *c, const struct prefetch *p);
/* One that the FLD starts; why: its code of FLD_HWPREF_INS. */
void icore_prefetch_target(struct icore *c, const struct prefetch *p, unsigned why);
void icore_prefetch_neighbours(struct icore *c, const struct access *a, enum prefetch_kind kind);
/* An lfetch in a memory pipe. */
void icore_prefetch_now(struct icore *c, const struct access *a);
/* Cycles pass from c->cycle on in which so many memory ports are free. */
void icore_prefetch_run(struct icore *c, uint64_t cycles, unsigned ports);

/* memory.c */
void icore_memory(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k);

/* Cycles from issue until the datum of a load is there. */
uint64_t icore_load(struct icore *c, const struct access *a);

/* order.c */
void icore_serialize(struct icore *c, const struct kind *k);
void icore_fence(struct icore *c);
void icore_flush_line(struct icore *c, struct ia64 *m, const struct ia64_op *op);

/* system.c: replays for state that is about to change, and what leaves the program. */
/* Results that were too small. */
void icore_tiny(struct icore *c, struct ia64 *m);
void icore_system(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k);

/* rse.c */
void icore_rse(struct icore *c, struct ia64 *m, const struct ia64_op *op, const struct kind *k);

/* parts.c */
bool icore_cache_init(struct cache *cache, unsigned sets, unsigned ways, unsigned shift);
struct line *icore_cache_find(struct cache *cache, uint64_t address);
/* A place for the line of address: what lay there is left in it. */
struct line *icore_cache_victim(struct cache *cache, uint64_t address);
void icore_cache_use(struct cache *cache, struct line *line, uint64_t address);
bool icore_tlb_find(struct tlb *tlb, uint64_t page, uint64_t stamp);
/* True: another page's entry made room. */
bool icore_tlb_put(struct tlb *tlb, uint64_t page, uint64_t stamp);
void icore_tlb_drop(struct tlb *tlb, uint64_t page);
/* The cycle, not before `cycle`, in which the queue has room. */
uint64_t icore_queue_room(const struct queue *q, uint64_t cycle);
/* From c->cycle on an entry is in use. */
void icore_queue_take(struct icore *c, struct queue *q, uint64_t until);
/* How many entries have been in use is told up to a cycle. */
void icore_queue_tell(struct icore *c, struct queue *q, uint64_t cycle);

#endif
