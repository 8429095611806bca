/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of the core, as sums over what it did.  Codes: SDM volume 3, performance-monitoring events
 * of Haswell-EP, Sandy Bridge-EP and Nehalem; offcore response: the tables on MSR_OFFCORE_RSP_x there.  An event
 * that is not listed counts nothing; docs/model.md says which those are that clients program.
 */
#include "machine/core.h"

#include "base/bits.h"
#include "machine/private.h"

/* Rows and columns of the ledger, a bit each. */
#define K(kind) (UINT32_C(1) << (kind))
#define R(source, found) (UINT32_C(1) << ((source) * CORE_FOUND + (found)))
#define ANY_OF(source) (UINT32_C(0xf) << (source) * CORE_FOUND)

/* What the program or L1D fetches ahead is a demand to whoever counts requests, but not a load that has retired. */
#define L1_AHEAD (K(CORE_SPECULATIVE) | K(LEAVE_AHEAD))
#define DEMAND_DATA (K(LEAVE_DRD) | L1_AHEAD)
/* What L1D's prefetchers fetch stands for the load that comes behind and waits for it in the fill buffer. */
#define LOADS (K(LEAVE_DRD) | K(CORE_SPECULATIVE))
#define DEMAND (DEMAND_DATA | K(LEAVE_RFO) | K(LEAVE_CRD))
#define L2_PREFETCH (K(LEAVE_PF_DRD) | K(LEAVE_PF_RFO) | K(LEAVE_PF_CRD))
#define L3_PREFETCH (K(LEAVE_PF_LLC_DRD) | K(LEAVE_PF_LLC_RFO) | K(LEAVE_PF_LLC_CRD))

#define L3_HIT (ANY_OF(FABRIC_FROM_LLC) | ANY_OF(FABRIC_FROM_CORE))
#define L3_MISS (ANY_OF(FABRIC_FROM_LOCAL) | ANY_OF(FABRIC_FROM_REMOTE) | ANY_OF(FABRIC_FROM_PEER))
#define ANYWHERE (~UINT32_C(0))

/*
 * Memory's home sends the line, but if a snoop found it modified, it came from that cache: HITM of MSR_OFFCORE_RSP_x holds what is
 * written back on the way.
 */
#define MEMORY(source) (ANY_OF(source) & ~R(source, FABRIC_SNOOP_HITM))
#define REMOTE_HITM \
	(R(FABRIC_FROM_PEER, FABRIC_SNOOP_HITM) | R(FABRIC_FROM_LOCAL, FABRIC_SNOOP_HITM) | R(FABRIC_FROM_REMOTE, FABRIC_SNOOP_HITM))

/* Generations that have an encoding. */
enum { ALL = TIMING_NEHALEM | TIMING_SANDY_BRIDGE | TIMING_HASWELL, HSW = TIMING_HASWELL, SNB = TIMING_SANDY_BRIDGE,
       NHM = TIMING_NEHALEM, NEW = SNB | HSW, OLD = NHM | SNB };

/* What is added beside the ledger's cells. */
enum also { NOTHING, INSTRUCTIONS, CLOCKS, XCLKS, STALLS, L2_HITS, L1_DATA, PENDING };

/*
 * An event; `bits`: the umasks of this code may be ORed, and each bit must be in the list.  cmask: the
 * counter mask that belongs to the encoding.
 */
static const struct event {
	uint8_t generations, code, umask, cmask;
	bool bits;
	uint8_t also;
	uint32_t kinds, results;
} events[] = {
	{ ALL, 0x3c, 0x00, 0, false, CLOCKS, 0, 0 },				/* CPU_CLK_UNHALTED.THREAD_P */
	{ ALL, 0x3c, 0x01, 0, false, XCLKS, 0, 0 },				/* .REF_XCLK */
	{ ALL, 0xc0, 0x00, 0, false, INSTRUCTIONS, 0, 0 },			/* INST_RETIRED.ANY_P */
	{ ALL, 0xc0, 0x01, 0, false, INSTRUCTIONS, 0, 0 },			/* .PREC_DIST */
	{ ALL, 0x2e, 0x4f, 0, false, NOTHING, DEMAND, L3_HIT | L3_MISS },	/* LONGEST_LAT_CACHE.REFERENCE */
	{ ALL, 0x2e, 0x41, 0, false, NOTHING, DEMAND, L3_MISS },		/* .MISS */
	{ NEW, 0x48, 0x01, 0, false, PENDING, 0, 0 },			/* L1D_PEND_MISS.PENDING */
	{ ALL, 0x51, 0x01, 0, false, L1_DATA, L1_AHEAD, ANYWHERE },		/* L1D.REPLACEMENT */
	{ HSW, 0x24, 0x21, 0, false, NOTHING, DEMAND_DATA, ANYWHERE },	/* L2_RQSTS.DEMAND_DATA_RD_MISS */
	{ HSW, 0x24, 0x22, 0, false, NOTHING, K(LEAVE_RFO), ANYWHERE },	/* .RFO_MISS */
	{ HSW, 0x24, 0x24, 0, false, NOTHING, K(LEAVE_CRD), ANYWHERE },	/* .CODE_RD_MISS */
	{ HSW, 0x24, 0x27, 0, false, NOTHING, DEMAND, ANYWHERE },		/* .ALL_DEMAND_MISS */
	{ HSW, 0x24, 0x30, 0, false, NOTHING, L2_PREFETCH | L3_PREFETCH, ANYWHERE },	/* .L2_PF_MISS */
	{ HSW, 0x24, 0x3f, 0, false, NOTHING, DEMAND | L2_PREFETCH | L3_PREFETCH, ANYWHERE },	/* .MISS */
	{ HSW, 0x24, 0xe7, 0, false, L2_HITS, DEMAND, ANYWHERE },		/* .ALL_DEMAND_REFERENCES */
	{ NHM, 0x24, 0x02, 0, true, NOTHING, DEMAND_DATA, ANYWHERE },	/* L2_RQSTS.LD_MISS */
	{ OLD, 0x24, 0x08, 0, true, NOTHING, K(LEAVE_RFO), ANYWHERE },	/* .RFO_MISS */
	{ OLD, 0x24, 0x20, 0, true, NOTHING, K(LEAVE_CRD), ANYWHERE },	/* .CODE_RD_MISS, .IFETCH_MISS */
	{ OLD, 0x24, 0x80, 0, true, NOTHING, L2_PREFETCH | L3_PREFETCH, ANYWHERE },	/* .PF_MISS, .PREFETCH_MISS */
	{ NHM, 0x24, 0xff, 0, false, L2_HITS, DEMAND | L2_PREFETCH | L3_PREFETCH, ANYWHERE },	/* .REFERENCES */
	{ ALL, 0xf0, 0x40, 0, false, NOTHING, K(LEAVE_WB_M), ANYWHERE },	/* L2_TRANS.L2_WB */
	{ ALL, 0xf1, 0x07, 0, false, NOTHING, DEMAND | L2_PREFETCH, ANYWHERE },	/* L2_LINES_IN.ALL */
	{ HSW, 0xf2, 0x06, 0, false, NOTHING, K(LEAVE_WB_M), ANYWHERE },	/* L2_LINES_OUT.DEMAND_DIRTY */
	{ OLD, 0xf2, 0x02, 0, false, NOTHING, K(LEAVE_WB_M), ANYWHERE },
	{ SNB, 0xf2, 0x0a, 0, false, NOTHING, K(LEAVE_WB_M), ANYWHERE },	/* .DIRTY_ALL */
	{ ALL, 0xb0, 0x01, 0, true, NOTHING, DEMAND_DATA, ANYWHERE },	/* OFFCORE_REQUESTS.DEMAND_DATA_RD */
	{ ALL, 0xb0, 0x02, 0, true, NOTHING, K(LEAVE_CRD), ANYWHERE },	/* .DEMAND_CODE_RD */
	{ ALL, 0xb0, 0x04, 0, true, NOTHING, K(LEAVE_RFO) | K(LEAVE_ITOM), ANYWHERE },	/* .DEMAND_RFO */
	{ ALL, 0xb0, 0x08, 0, false, NOTHING, DEMAND_DATA | K(LEAVE_PF_DRD) | K(LEAVE_PF_LLC_DRD),
	  ANYWHERE },							/* .ALL_DATA_RD */
	{ NEW, 0xd1, 0x02, 0, true, L2_HITS, 0, 0 },				/* MEM_LOAD_UOPS_RETIRED.L2_HIT */
	{ NEW, 0xd1, 0x04, 0, true, NOTHING, K(LEAVE_DRD), L3_HIT },		/* .L3_HIT */
	{ HSW, 0xd1, 0x08, 0, false, L2_HITS, K(LEAVE_DRD), ANYWHERE },	/* .L1_MISS */
	{ HSW, 0xd1, 0x48, 0, false, L2_HITS, LOADS, ANYWHERE },		/* .L1_MISS and .HIT_LFB */
	{ HSW, 0xd1, 0x10, 0, false, NOTHING, K(LEAVE_DRD), ANYWHERE },	/* .L2_MISS */
	{ NEW, 0xd1, 0x20, 0, true, NOTHING, K(LEAVE_DRD), L3_MISS },	/* .L3_MISS */
	/* MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_MISS, .XSNP_HIT, .XSNP_HITM, .XSNP_NONE */
	{ NEW, 0xd2, 0x01, 0, true, NOTHING, K(LEAVE_DRD), R(FABRIC_FROM_CORE, FABRIC_SNOOP_MISS) },
	{ NEW, 0xd2, 0x02, 0, true, NOTHING, K(LEAVE_DRD), R(FABRIC_FROM_CORE, FABRIC_SNOOP_HIT) },
	{ NEW, 0xd2, 0x04, 0, true, NOTHING, K(LEAVE_DRD), R(FABRIC_FROM_CORE, FABRIC_SNOOP_HITM) },
	{ NEW, 0xd2, 0x08, 0, true, NOTHING, K(LEAVE_DRD), ANY_OF(FABRIC_FROM_LLC) },
	/* MEM_LOAD_UOPS_L3_MISS_RETIRED.LOCAL_DRAM, .REMOTE_DRAM, .REMOTE_HITM, .REMOTE_FWD */
	{ NEW, 0xd3, 0x01, 0, true, NOTHING, K(LEAVE_DRD), MEMORY(FABRIC_FROM_LOCAL) },
	{ NEW, 0xd3, 0x04, 0, true, NOTHING, K(LEAVE_DRD), MEMORY(FABRIC_FROM_REMOTE) },
	{ HSW, 0xd3, 0x10, 0, true, NOTHING, K(LEAVE_DRD), REMOTE_HITM },
	{ HSW, 0xd3, 0x20, 0, true, NOTHING, K(LEAVE_DRD), R(FABRIC_FROM_PEER, FABRIC_SNOOP_HIT) },
	{ SNB, 0xd4, 0x02, 0, false, NOTHING, K(LEAVE_DRD), L3_MISS },	/* MEM_LOAD_UOPS_MISC_RETIRED.LLC_MISS */
	/* MEM_LOAD_RETIRED.L2_HIT, .L3_UNSHARED_HIT, .OTHER_CORE_L2_HIT_HITM, .L3_MISS */
	{ NHM, 0xcb, 0x02, 0, true, L2_HITS, 0, 0 },
	{ NHM, 0xcb, 0x04, 0, true, NOTHING, K(LEAVE_DRD), ANY_OF(FABRIC_FROM_LLC) },
	{ NHM, 0xcb, 0x08, 0, true, NOTHING, K(LEAVE_DRD), ANY_OF(FABRIC_FROM_CORE) },
	{ NHM, 0xcb, 0x10, 0, true, NOTHING, K(LEAVE_DRD), L3_MISS },
	{ ALL, 0xa2, 0x01, 0, false, STALLS, 0, 0 },				/* RESOURCE_STALLS.ANY */
	{ NEW, 0xa3, 0x04, 4, false, STALLS, 0, 0 },				/* CYCLE_ACTIVITY.CYCLES_NO_EXECUTE */
	{ NEW, 0xa3, 0x05, 5, false, STALLS, 0, 0 },				/* .STALLS_L2_PENDING */
	{ NEW, 0xa3, 0x06, 6, false, STALLS, 0, 0 },				/* .STALLS_LDM_PENDING */
	{ HSW, 0xa3, 0x0c, 12, false, STALLS, 0, 0 },			/* .STALLS_L1D_PENDING */
};

/* The kinds that each request bit of MSR_OFFCORE_RSP_x takes. */
static const uint32_t requests[] = {
	[0] = DEMAND_DATA, [1] = K(LEAVE_RFO) | K(LEAVE_ITOM), [2] = K(LEAVE_CRD), [3] = K(LEAVE_WB_M),
	[4] = K(LEAVE_PF_DRD), [5] = K(LEAVE_PF_RFO), [6] = K(LEAVE_PF_CRD), [7] = K(LEAVE_PF_LLC_DRD),
	[8] = K(LEAVE_PF_LLC_RFO), [9] = K(LEAVE_PF_LLC_CRD), [10] = K(LEAVE_LOCK),
	[11] = K(LEAVE_WCIL) | K(LEAVE_WCILF), [15] = K(LEAVE_UC_READ) | K(LEAVE_UC_WRITE) | K(LEAVE_CLFLUSH),
};

enum {
	RSP_ANY = 16,
	RSP_L3_HIT_LO = 18, RSP_L3_HIT_HI = 21,		/* M, E, S, F */
	RSP_LOCAL = 22,
	RSP_REMOTE_LO = 27, RSP_REMOTE_HI = 29,		/* by how many hops */
	RSP_CLEAN_LO = 31, RSP_CLEAN_HI = 33,		/* no snoop, none needed, in vain */
	RSP_HIT_LO = 34, RSP_HIT_HI = 35,
	RSP_HITM = 36,
};

/* Where a response mask lets the line come from: the supplier and what snoops found have to hold both. */
static uint32_t responses(uint64_t rsp)
{
	uint32_t suppliers = 0, found = 0;

	if (bits_get(rsp, RSP_ANY, RSP_ANY))
		return ANYWHERE;
	/* The states of the line are not told apart: all of them, or none. */
	if (bits_get(rsp, RSP_L3_HIT_HI, RSP_L3_HIT_LO) == 0xf)
		suppliers |= L3_HIT;
	if (bits_get(rsp, RSP_LOCAL, RSP_LOCAL))
		suppliers |= ANY_OF(FABRIC_FROM_LOCAL);
	if (bits_get(rsp, RSP_REMOTE_HI, RSP_REMOTE_LO))
		suppliers |= ANY_OF(FABRIC_FROM_REMOTE) | ANY_OF(FABRIC_FROM_PEER);
	for (unsigned s = 0; s <= FABRIC_FROM_DEVICE; s++) {
		if (bits_get(rsp, RSP_CLEAN_HI, RSP_CLEAN_LO))
			found |= R(s, FABRIC_NOT_SNOOPED) | R(s, FABRIC_SNOOP_MISS);
		if (bits_get(rsp, RSP_HIT_HI, RSP_HIT_LO))
			found |= R(s, FABRIC_SNOOP_HIT);
		if (bits_get(rsp, RSP_HITM, RSP_HITM))
			found |= R(s, FABRIC_SNOOP_HITM);
	}
	return suppliers & found;
}

/* Nehalem's register has eight kinds of requests, and suppliers that hold what snoops found. */
enum { NHM_REQUESTS = 7, NHM_OTHER = 7, NHM_RESPONSES = 8 };

static const uint32_t nehalem_responses[] = {
	ANY_OF(FABRIC_FROM_LLC),
	R(FABRIC_FROM_CORE, FABRIC_SNOOP_HIT) | R(FABRIC_FROM_CORE, FABRIC_SNOOP_MISS),
	R(FABRIC_FROM_CORE, FABRIC_SNOOP_HITM),
	0,
	ANY_OF(FABRIC_FROM_PEER), ANY_OF(FABRIC_FROM_REMOTE), ANY_OF(FABRIC_FROM_LOCAL), ANY_OF(FABRIC_FROM_DEVICE),
};

static uint64_t sum(const struct core_ledger *l, uint32_t kinds, uint32_t results)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < CORE_KINDS; k++)
		for (unsigned r = 0; kinds >> k & 1 && r < CORE_RESULTS; r++)
			if (results >> r & 1)
				n += l->sent[k][r];
	return n;
}

static unsigned generation(const struct machine *m)
{
	return m->core[0].timing.design->generation;
}

static uint64_t nehalem_offcore(const struct core_ledger *l, uint64_t rsp)
{
	uint32_t kinds = 0, results = 0;

	for (unsigned i = 0; i < NHM_REQUESTS; i++)
		if (rsp >> i & 1)
			kinds |= requests[i];
	for (unsigned i = NHM_REQUESTS; rsp >> NHM_OTHER & 1 && i < LEN(requests); i++)
		kinds |= requests[i];
	for (unsigned i = 0; i < LEN(nehalem_responses); i++)
		if (rsp >> (NHM_RESPONSES + i) & 1)
			results |= nehalem_responses[i];
	return sum(l, kinds, results);
}

uint64_t core_offcore_reserved(const struct machine *m)
{
	return ~(generation(m) == TIMING_NEHALEM ? UINT64_C(0xf7ff) : UINT64_C(0x3fffff8fff));
}

static uint64_t offcore_count(const struct machine *m, unsigned core, uint64_t rsp)
{
	const struct core_ledger *l = &m->core[core].ledger;
	uint32_t kinds = 0;

	if (generation(m) == TIMING_NEHALEM)
		return nehalem_offcore(l, rsp);
	for (unsigned i = 0; i < LEN(requests); i++)
		if (rsp >> i & 1)
			kinds |= requests[i];
	return sum(l, kinds, responses(rsp));
}

/* Clocks of all fill buffers that hold a load: from when L1 is known to miss to the answer of L2 or of the uncore. */
static uint64_t pending(const struct machine *m, unsigned core)
{
	const struct machine_core *c = &m->core[core];
	const struct timing_design *d = c->timing.design;

	return core_waited(m, core) + sum(&c->ledger, LOADS, ANYWHERE) * (MACHINE_LOOKUP - d->l1_load) +
	       c->ledger.l2_hits * (d->l2_load - d->l1_load);
}

static uint64_t also(const struct machine *m, unsigned core, enum also what)
{
	const struct machine_core *c = &m->core[core];
	uint64_t code;

	switch (what) {
	case NOTHING:
		return 0;
	case INSTRUCTIONS:
		return c->timing.retired;
	case CLOCKS:
		return core_cycles(m, core);
	case XCLKS:
		return core_clocks(core_awake(m, core), core_bus_khz(m)) / 1000;
	case STALLS:
		return core_clocks(c->timing.stalled, c->khz / 1000);
	case L2_HITS:
		return c->ledger.l2_hits;
	case L1_DATA:
		/* Code that misses L1 and hits L2 is not known apart from data. */
		code = sum(&c->ledger, K(LEAVE_CRD), ANYWHERE);
		return c->ledger.l1_misses > code ? c->ledger.l1_misses - code : 0;
	case PENDING:
		return pending(m, core);
	}
	return 0;
}

static uint64_t count(const struct machine *m, unsigned core, const struct event *e)
{
	return sum(&m->core[core].ledger, e->kinds, e->results) + also(m, core, (enum also)e->also);
}

/* Is this an event of the list, or several of one code whose umasks are bits?  What it has counted on a core, into *n. */
static bool listed(const struct machine *m, unsigned core, unsigned code, unsigned umask, unsigned cmask, uint64_t *n)
{
	unsigned known = 0;

	*n = 0;
	for (const struct event *e = events; e < events + LEN(events); e++) {
		if (!(e->generations & generation(m)) || e->code != code || e->cmask != cmask)
			continue;
		if (e->umask == umask) {
			*n = count(m, core, e);
			return true;
		}
		if (e->bits && umask & e->umask) {
			*n += count(m, core, e);
			known |= e->umask;
		}
	}
	return umask && known == umask;
}

/* PERFEVTSEL. */
enum { SEL_USR = 16, SEL_EDGE = 18, SEL_ANY = 21, SEL_INV = 23, SEL_CMASK_LO = 24, SEL_CMASK_HI = 31 };
enum { OFFCORE_0 = 0xb7, OFFCORE_1 = 0xbb };

/* Nehalem has one such event. */
static bool is_offcore(const struct machine *m, unsigned code, unsigned umask, unsigned cmask)
{
	return (code == OFFCORE_0 || (code == OFFCORE_1 && generation(m) != TIMING_NEHALEM)) && umask == 1 && cmask == 0;
}

const char *machine_core_silent(const struct machine *m, uint64_t select)
{
	unsigned code = (unsigned)bits_get(select, 7, 0), umask = (unsigned)bits_get(select, 15, 8);
	unsigned cmask = (unsigned)bits_get(select, SEL_CMASK_HI, SEL_CMASK_LO);
	uint64_t n;

	if (!(select >> SEL_USR & 1))
		return "programs run in ring 3, and its user bit is 0";
	if (select >> SEL_EDGE & 1 || select >> SEL_INV & 1)
		return "edge and invert are not modelled";
	if (is_offcore(m, code, umask, cmask) || listed(m, 0, code, umask, cmask, &n))
		return NULL;
	return "this event, umask and counter mask are not modelled";
}

/* Events that hardware counts with some of the counters only (Linux, arch/x86/events/intel/core.c). */
static const struct only {
	uint8_t generations, code, umask, cmask, counters;
} only[] = {
	{ NEW, 0x48, 0x01, 0, 4 },		/* L1D_PEND_MISS.PENDING */
	{ HSW, 0xa3, 0x0c, 12, 4 },		/* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	{ SNB, 0xa3, 0x06, 6, 4 },
	{ NEW, 0xc0, 0x01, 0, 2 },		/* INST_RETIRED.PREC_DIST */
	{ NHM, 0x51, 0x01, 0, 3 },		/* L1D.REPLACEMENT */
};

unsigned core_event_counters(const struct machine *m, uint64_t select)
{
	for (const struct only *o = only; o < only + LEN(only); o++)
		if (o->generations & generation(m) && o->code == bits_get(select, 7, 0) &&
		    o->umask == bits_get(select, 15, 8) && o->cmask == bits_get(select, SEL_CMASK_HI, SEL_CMASK_LO))
			return o->counters;
	return 0;
}

uint64_t core_event_count(const struct machine *m, const struct core_place *at, uint64_t select,
			  const uint64_t offcore[CORE_OFFCORE])
{
	unsigned code = (unsigned)bits_get(select, 7, 0), umask = (unsigned)bits_get(select, 15, 8);
	unsigned cmask = (unsigned)bits_get(select, SEL_CMASK_HI, SEL_CMASK_LO);
	bool usr = select >> SEL_USR & 1, any = select >> SEL_ANY & 1;
	uint64_t n;

	/* Programs run in ring 3, and what happens in one clock is not known. */
	if (!usr || select >> SEL_EDGE & 1 || select >> SEL_INV & 1 || (at->second && !any))
		return 0;
	if (is_offcore(m, code, umask, cmask))
		return offcore_count(m, at->core, offcore[code == OFFCORE_1]);
	return listed(m, at->core, code, umask, cmask, &n) ? n : 0;
}
