/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the core PMU of an Itanium 9500.  Sections are those of its reference manual.
 *
 * A box "core" is one thread; boxes 2c and 2c + 1 share core c.
 */
#ifndef BXS_PMU_POULSON_CORE_H
#define BXS_PMU_POULSON_CORE_H

#include "pmu/door.h"
#include "pmu/engine.h"

/* Numbers of registers (table 3-5). */
enum {
	PMC_STATUS = 0, PMC_IEAR_CFG = 32, PMC_DEAR_CFG = 34, PMC_ETB_CFG = 37, PMC_IPEAR_CFG = 38,
	PMC_OPM0_MSK = 40, PMC_OPM0_MAT = 41, PMC_OPM1_MSK = 42, PMC_OPM1_MAT = 43,
	PMC_IAM_CFG = 48, PMC_OPM_CFG = 49, PMC_DAM_CFG = 50, PMC_IVAEV_MSK = 52, PMC_BEMT_CTL = 53,
	PMC_COUNT = 54,
	PMD_IEAR_STAT = 32, PMD_IEAR_IADDR = 33, PMD_DEAR_STAT = 34, PMD_DEAR_DADDR = 35,
	PMD_DEAR_IADDR = 36, PMD_ETB_BUFIDX = 37, PMD_ETB = 64, PMD_ETBEXT = 128,
	PMD_COUNT = PMD_ETBEXT + 24,
	ETB_ENTRIES = 24, CHANNELS = 4,
};

/* Codes of events that are told without being named (table 4-1). */
enum {
	EV_CPU_OP_CYCLES = 0x002, EV_CYCLES_HALTED = 0x003, EV_CYCLES_TAGGED = 0x004,
	EV_INST_TAGGED = 0x005,		/* and three more, one for each channel */
	EV_SQUASHED = 0x009, EV_NOP = 0x00a, EV_INST_FP = 0x00b, EV_FLOP = 0x00c, EV_INST_M = 0x00d,
	EV_EAR_ETB = 0x018, EV_EAR_DATA = 0x019,
	EV_CPL_CHANGE = 0x01a,		/* and from level 0 to 3 */
	EV_INTERRUPT_MASKED = 0x01f, EV_INTERRUPT = 0x020,
	EV_BE_BUBBLE = 0x024, EV_IBD_STALL = 0x025, EV_EXE_REPLAY = 0x03a, EV_DET_REPLAY = 0x04a,
	EV_WB2_REPLAY = 0x055, EV_WB2_FLUSH = 0x065, EV_FLUSH_XPN = 0x066, EV_FLUSH_BRU = 0x067,
	EV_DATA_REF = 0x0dd, EV_REF_LOAD = 0x0e8, EV_REF_STORE = 0x0e9, EV_BGND = 0x143,
	EV_SWITCH_DISABLED = 0x13a, EV_FAIR_GREEN = 0x149,
	EV_EAR_INST = 0x871, EV_SAME_THREAD = 0x874, EV_FE_CYCLES = 0x875,
	EV_REF_LOAD_UC = 0xca4, EV_REF_STORE_UC = 0xca5,
	EV_DPFQ_MLD = 0x094, EV_ASYNC = 0x10a, EV_ASYNC_LAST = 0x129,
	EV_RSE_CURRENT = 0x153, EV_RSE_DIRTY = 0x155,	/* upper bits, lower bits */
	EV_RSE_REF = 0x158, EV_BE_SWITCH = 0x12a, EV_FE_SWITCH = 0x876, EV_FLI_READ = 0x859, EV_LLC_MISS_READ = 0xc4c,
	EV_UNCORE_FREEZE = 0xc9b,
	EV_CODES = 0x1000,
};

/*
 * What was true of the thread when something happened: the flags of the signal that tells it.
 * The first four bits are the privilege level, one of them set, as in a control's plm.
 */
enum {
	FLAG_VM = 1 << 4, FLAG_UP = 1 << 5, FLAG_PP = 1 << 6, FLAG_HALTED = 1 << 7,
	FLAG_OTHER = 1 << 8,		/* it happened on the other thread of the core */
};

/* By which tag an event can be narrowed (the columns IAR/OPC/DAR/DREF of chapter 4). */
enum narrowing { NARROW_NONE, NARROW_RANGE, NARROW_TAG, NARROW_DATA };

struct core_event {
	uint16_t index;			/* of the type's events, plus 1; 0: no such code */
	uint8_t narrow;
	char mt;			/* A, C or F (4.1.2); 0: not printed */
	bool prefetch;			/* narrowed by address range 1 */
	bool some;			/* a part of what it counts escapes opcode, address and kind of data */
	bool ring;			/* of the ring interface: buddy lines are hardware prefetches, whatever asked */
	int8_t late;			/* L - P (3.3.12.3) */
	uint16_t sum;			/* a switch of threads: the event that sums them up; 0: none */
	bool sum_other;			/* of the other thread */
};

/* Tags of one occurrence (figure 3-5). */
struct core_tags {
	bool range[CHANNELS];		/* instruction address */
	bool tag[CHANNELS];		/* with opcode */
	bool data;			/* with data address and kind of reference */
	bool ring;			/* the same, as the ring interface has it */
	bool free;			/* of the part that escapes where the manual says "some" */
};

struct core_level {
	uint16_t code;
	int64_t n;
};

enum { LEVELS = 128, OWN_LEVELS = 8 };

struct etb {
	uint64_t target, clock;		/* of a source whose target is not yet written */
	bool pending, mistaken;
	uint64_t last;			/* IP-EAR: clock of the entry before */
	uint64_t last_ip;
	uint64_t freeze_at;		/* IP-EAR: clock at which it stops */
	bool stopping, stopped, flushed;
};

/* The branches told of one bundle in one clock. */
struct core_bundle {
	uint64_t ip, clock;
	bool some;
	bool taken;			/* one of them was predicted taken */
	bool wrong;			/* one of them was mispredicted */
};

struct core_thread {
	struct box *box;
	struct core_thread *other;	/* of the same core */
	struct core_event *event;	/* by code; of thread 0 of the socket, who owns it */
	uint64_t *pmc[PMC_COUNT], *pmd[PMD_COUNT];	/* NULL: a counter, or no register */

	uint64_t psr[DOOR_ATTRIBUTE_COUNT];	/* what `thread` lines set */
	uint64_t at;			/* what it tells happens then, if clocks are not closed beyond */
	bool line;			/* the interrupt line is raised and nobody took notice */
	bool tagging;			/* CPU_OP_CYCLES.TAGGED counts */
	uint64_t reasons_until, stops_until;	/* clocks up to which cycles have reasons, issue stops */
	struct core_bundle bundle;
	uint64_t busy;			/* D-EAR: clock up to which a load is followed */
	uint32_t skip, random;		/* D-EAR: loads that it lets go by */
	struct etb etb;
	struct core_level level[LEVELS];	/* told by the console */
	struct core_level told[LEVELS + OWN_LEVELS];		/* standing in the ports, with told_flags */
	unsigned levels, tolds;
	uint64_t told_flags;
};

static inline struct core_thread *core_of(const struct box *b)
{
	return b->own;
}

static inline uint64_t core_now(const struct core_thread *t)
{
	uint64_t now = t->box->socket->pmu->now;

	return t->at > now ? t->at : now;
}

/* The clock under way. */
static inline uint64_t core_clock(const struct core_thread *t)
{
	return signal_clocks(t->box->port.clock, core_now(t));
}

/* May a monitor with configuration cfg watch the thread now?  (3.3.1, without the freeze) */
bool core_allows(const struct core_thread *t, uint64_t cfg);
/* Frozen by PMC0.fr. */
static inline bool core_frozen(const struct core_thread *t)
{
	return t->box->frozen;
}

/* poulson_core.c: the operations of a thread, see pmu/ops.h */
void core_decode(const struct pmu_type *t, uint64_t ctl, struct pmu_selection *s);
void core_narrow(struct box *b, struct counter *c, const struct cat_event *e);
int core_init(struct box *b);
void core_release(struct box *b);
void core_restart(struct box *b);
uint64_t core_shown(struct box *b, uint32_t slot, uint64_t value);
bool core_undefined(const struct box *b, uint32_t slot);
void core_wrote(struct box *b, uint32_t slot, uint64_t old, uint64_t written);
void core_overflowed(struct box *b, struct counter *c, uint64_t when);
/* The enable of the uncore's counters went low: of a thread 0, for whichever is in front. */
void core_uncore_froze(struct box *b);
int core_raise(struct box *b, const struct cat_event *e, const struct cat_umask *u, bool level, uint64_t n);

/* poulson_count.c */

/* Event `code` happened n times, now; tags as they were, NULL: all of them. */
void core_count(struct core_thread *t, uint32_t code, uint64_t n, const struct core_tags *tags);
/* n in each of the next `clocks` clocks. */
void core_count_span(struct core_thread *t, uint32_t code, uint64_t n, uint64_t clocks,
		     const struct core_tags *tags);
/* What stands for clocks on end is worked out again: before and after a change of state. */
void core_levels_down(struct core_thread *t);
void core_levels_up(struct core_thread *t);
/* Raise the interrupt if the line asks for it and the thread lets it in. */
void core_interrupt(struct core_thread *t);

/* poulson_cycle.c: 0, or BXS_EINVAL with a sentence in why */
int core_account(struct core_thread *t, const struct door *d, const struct core_tags *tags, char *why,
		size_t size);

/* poulson_branch.c */
void core_branch(struct core_thread *t, const struct door *d, const struct core_tags *tags);

/* poulson_tag.c */

/* Does any filter keep something out? */
bool core_filters(const struct core_thread *t);
void core_tag(const struct core_thread *t, const struct door *d, struct core_tags *out);

/* poulson_ear.c */
void core_iear(struct core_thread *t, const struct door *d, const struct core_tags *tags);
void core_dear(struct core_thread *t, const struct door *d, const struct core_tags *tags);

/* poulson_etb.c */
void core_etb_branch(struct core_thread *t, const struct door *d, const struct core_tags *tags);
void core_etb_flow(struct core_thread *t, const struct door *d);	/* chk, rfi, interrupt */
void core_etb_settle(struct core_thread *t);		/* before software looks */
void core_ipear_retire(struct core_thread *t, const struct door *d, const struct core_tags *tags);
void core_ipear_settle(struct core_thread *t);
void core_ipear_freeze(struct core_thread *t, uint64_t clock);
void core_ipear_cut(struct core_thread *t);		/* the thread's state changed */
bool core_ipear_on(const struct core_thread *t);

/* poulson_tell.c */
int core_tell(struct pmu *p, const struct door *d, char *why, size_t size);

#endif
