/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of the fabric, worked out by hand: what each step of a script adds to the
 * signals of slices and links.  Steps run one at a time on an otherwise idle machine.
 */
#include "rig.h"

/* What is counted: one column of the tables below. */
enum {
	LOOK, LOOK_READ, LOOK_WRITE, LOOK_SNOOP, VICTIM_M, VICTIM_E, TOR, TOR_MISS, TOR_EVICT, TOR_WB, RFO_HIT_S,
	WAS_FSE, ALIAS, COLUMNS,
};

static const struct { unsigned sig; uint64_t care; } columns[COLUMNS] = {
	[LOOK] = { SIG_CBO_LOOKUP, 0 },
	[LOOK_READ] = { SIG_CBO_LOOKUP, CBO_LOOKUP_DATA_READ },
	[LOOK_WRITE] = { SIG_CBO_LOOKUP, CBO_LOOKUP_WRITE },
	[LOOK_SNOOP] = { SIG_CBO_LOOKUP, CBO_LOOKUP_REMOTE_SNOOP },
	[VICTIM_M] = { SIG_CBO_VICTIM, CBO_VICTIM_M },
	[VICTIM_E] = { SIG_CBO_VICTIM, CBO_VICTIM_E },
	[TOR] = { SIG_CBO_TOR_INSERT, 0 },
	[TOR_MISS] = { SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_MISS },
	[TOR_EVICT] = { SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_EVICT },
	[TOR_WB] = { SIG_CBO_TOR_INSERT, CBO_TOR_INSERT_WB },
	[RFO_HIT_S] = { SIG_CBO_MISC, CBO_MISC_RFO_HIT_S },
	[WAS_FSE] = { SIG_CBO_MISC, CBO_MISC_RSPI_WAS_FSE },
	[ALIAS] = { SIG_CBO_MISC, CBO_MISC_WC_ALIASING },
};

/* Requests that reach home agents, in the order of struct step's home. */
static const unsigned homes[] = { HA_RD_DATA, HA_RD_CODE, HA_RD_INV_OWN, HA_INV_ITOE, HA_WB_MTOI };
enum { HOMES = LEN(homes) };

/* A step and what it adds in the whole machine. */
struct step {
	int line;
	uint8_t socket, core, kind;
	uint64_t at;
	uint8_t grant, source;
	uint8_t snoops;			/* of cores */
	uint8_t home[HOMES];
	uint8_t count[COLUMNS];
};

#define A 0x1000
#define B 0x3000
#define R (RIG_REMOTE | 0x2000)
#define N FABRIC_NONE
#define S FABRIC_SHARED
#define E FABRIC_EXCLUSIVE
#define M FABRIC_MODIFIED
#define LLC FABRIC_FROM_LLC
#define CORE FABRIC_FROM_CORE
#define LOCAL FABRIC_FROM_LOCAL
#define FAR FABRIC_FROM_REMOTE
#define PEER FABRIC_FROM_PEER
#define DO(s, c, k, a, g, from, snooped) LINE, .socket = s, .core = c, .kind = LEAVE_##k, .at = a, .grant = g, \
	.source = from, .snoops = snooped
#define HOME(...) .home = { __VA_ARGS__ }
#define HIT_READ .count = { [LOOK] = 1, [LOOK_READ] = 1, [TOR] = 1 }

/* One socket: cores 0, 5 and 12 and one line. */
static const struct step alone[] = {
	{ DO(0, 0, DRD, A, E, LOCAL, 0), HOME(1), .count = { 1, 1, [TOR] = 1, [TOR_MISS] = 1 } },
	{ DO(0, 0, DRD, A, E, LLC, 0), HIT_READ },		/* its own line again */
	{ DO(0, 0, DIRTY, A, N, LLC, 0) },			/* no message */
	{ DO(0, 5, DRD, A, S, CORE, 1), HIT_READ },		/* out of core 0's cache; now shared, M */
	{ DO(0, 12, DRD, A, S, LLC, 0), HIT_READ },
	{ DO(0, 5, RFO, A, E, CORE, 2), .count = { [LOOK] = 1, [TOR] = 1 } },	/* 0 and 12 lose it */
	{ DO(0, 5, DIRTY, A, N, LLC, 0) },
	{ DO(0, 5, WB_M, A, N, LLC, 0), .count = { [LOOK] = 1, [LOOK_WRITE] = 1, [TOR] = 1, [TOR_WB] = 1 } },
	{ DO(0, 5, DRD, A, E, LLC, 0), HIT_READ },		/* nobody else: exclusive again */
	{ DO(0, 5, WB_E, A, N, LLC, 0) },			/* dropped silently; snoops are in vain */
	{ DO(0, 0, DRD, A, E, CORE, 0), .count = { 1, 1, [TOR] = 1, [WAS_FSE] = 0 } },	/* M: no FSE */
	{ DO(0, 0, PF_LLC_DRD, A, N, LLC, 0), HIT_READ },
	/* The core that flushes has none any more, and is not asked. */
	{ DO(0, 0, CLFLUSH, A, N, LOCAL, 0), HOME(0, 0, 0, 1, 1), .count = { 1, [TOR] = 1, [TOR_MISS] = 1 } },
	/* What another core has written goes to memory, what one has only asked for does not. */
	{ DO(0, 5, RFO, A, E, LOCAL, 0), HOME(0, 0, 1), .count = { [LOOK] = 1, [TOR] = 1, [TOR_MISS] = 1 } },
	{ DO(0, 5, DIRTY, A, N, LLC, 0) },
	{ DO(0, 0, CLFLUSH, A, N, LOCAL, 1), HOME(0, 0, 0, 1, 1), .count = { 1, [TOR] = 1, [TOR_MISS] = 1 } },
	{ DO(0, 5, AHEAD, A, E, LOCAL, 0), HOME(1), .count = { 1, 1, [TOR] = 1, [TOR_MISS] = 1 } },
	{ DO(0, 0, CLFLUSH, A, N, LOCAL, 1), HOME(0, 0, 0, 1), .count = { 1, [TOR] = 1, [TOR_MISS] = 1 } },
	/* Code is shared from the start; the first store needs more than the slice has. */
	{ DO(0, 3, CRD, A, S, LOCAL, 0), HOME(0, 1), .count = { 1, [TOR] = 1, [TOR_MISS] = 1 } },
	{ DO(0, 4, RFO, A, E, LOCAL, 1), HOME(0, 0, 0, 1), .count = { 1, [TOR] = 1, [TOR_MISS] = 1, [RFO_HIT_S] = 1 } },
	/* Streaming stores: onto an E line, a line that is not there, an M line. */
	{ DO(0, 7, WCILF, A, N, LOCAL, 1), HOME(0, 0, 0, 0, 2),
	  .count = { [LOOK] = 1, [LOOK_WRITE] = 1, [TOR] = 1, [TOR_MISS] = 1, [TOR_WB] = 1 } },
	{ DO(0, 7, WCIL, A, N, LOCAL, 0), HOME(0, 0, 0, 1, 1),
	  .count = { [LOOK] = 1, [LOOK_WRITE] = 1, [TOR] = 1, [TOR_MISS] = 1, [TOR_WB] = 1 } },
	{ DO(0, 7, ITOM, A, E, LOCAL, 0), HOME(0, 0, 0, 1), .count = { [LOOK] = 1, [TOR] = 1, [TOR_MISS] = 1 } },
	{ DO(0, 7, WB_M, A, N, LLC, 0), .count = { [LOOK] = 1, [LOOK_WRITE] = 1, [TOR] = 1, [TOR_WB] = 1 } },
	{ DO(0, 7, WCILF, A, N, LOCAL, 0), HOME(0, 0, 0, 0, 2),
	  .count = { [LOOK] = 1, [LOOK_WRITE] = 1, [TOR] = 1, [TOR_MISS] = 1, [TOR_WB] = 1, [ALIAS] = 1 } },
	/* A write-back that finds its line gone goes on to memory. */
	{ DO(0, 7, WB_M, A, N, LLC, 0), HOME(0, 0, 0, 0, 1),
	  .count = { [LOOK] = 1, [LOOK_WRITE] = 1, [TOR] = 1, [TOR_MISS] = 1, [TOR_WB] = 1 } },
	/* An exclusive clean line, dropped silently, then asked for by another core. */
	{ DO(0, 1, DRD, A, E, LOCAL, 0), HOME(1), .count = { 1, 1, [TOR] = 1, [TOR_MISS] = 1 } },
	{ DO(0, 1, WB_E, A, N, LLC, 0) },
	{ DO(0, 2, DRD, A, E, CORE, 0), .count = { 1, 1, [TOR] = 1, [WAS_FSE] = 1 } },
	/* Devices: no look-up. */
	{ DO(0, 2, UC_READ, A, N, FABRIC_FROM_DEVICE, 0), .count = { [TOR] = 1, [TOR_MISS] = 1 } },
	{ DO(0, 2, UC_WRITE, A, N, FABRIC_FROM_DEVICE, 0), .count = { [TOR] = 1, [TOR_MISS] = 1, [TOR_WB] = 1 } },
};

#define SNOOPED(...) .count = { [LOOK_SNOOP] = 1, [TOR_MISS] = 1, [TOR] = 2, [LOOK] = 2, __VA_ARGS__ }

/* Two sockets: a line at home in socket 0, one in socket 1. */
static const struct step pair[] = {
	{ DO(0, 0, DRD, A, E, LOCAL, 0), HOME(1), SNOOPED([LOOK_READ] = 1) },
	{ DO(1, 0, DRD, A, S, PEER, 1), HOME(1), SNOOPED([LOOK_READ] = 1) },	/* E there: forwarded, F here */
	{ DO(1, 1, DRD, A, S, LLC, 0), HIT_READ },
	{ DO(0, 0, RFO, A, E, LOCAL, 2), HOME(0, 0, 0, 1), SNOOPED([RFO_HIT_S] = 1) },
	{ DO(0, 0, DIRTY, A, N, LLC, 0) },
	{ DO(1, 3, RFO, A, E, PEER, 1), HOME(0, 0, 1), SNOOPED(0) },	/* M forwarded */
	{ DO(1, 3, DIRTY, A, N, LLC, 0) },
	{ DO(0, 0, DRD, A, S, LOCAL, 1), HOME(1), SNOOPED([LOOK_READ] = 1) },	/* M there: by way of home */
	{ DO(0, 2, DRD, R, E, FAR, 0), HOME(1), SNOOPED([LOOK_READ] = 1) },
	{ DO(0, 2, CLFLUSH, R, N, FAR, 0), HOME(0, 0, 0, 1), SNOOPED(0) },
	{ DO(0, 2, ITOM, R, E, FAR, 0), HOME(0, 0, 0, 1), SNOOPED(0) },
	{ DO(1, 2, CRD, R, S, LOCAL, 1), HOME(0, 1), SNOOPED(0) },	/* ITOM line counts as written */
	/* A flush reaches what a core of the other socket has written, which its answer takes home; nobody has it then. */
	{ DO(1, 0, RFO, B, E, FAR, 0), HOME(0, 0, 1), SNOOPED(0) },
	{ DO(1, 0, DIRTY, B, N, LLC, 0) },
	{ DO(0, 0, CLFLUSH, B, N, LOCAL, 1), HOME(0, 0, 0, 1), SNOOPED(0) },
	{ DO(1, 0, DRD, B, E, FAR, 0), HOME(1), SNOOPED([LOOK_READ] = 1) },
};

static void watch_all(struct rig *r, unsigned sockets)
{
	for (unsigned s = 0; s < sockets; s++)
		for (unsigned c = 0; c < COLUMNS; c++)
			rig_watch(r, s, "cbo", columns[c].sig, columns[c].care, columns[c].care);
}

static void run_steps(const struct step *steps, size_t n, unsigned sockets, enum fabric_snoop mode)
{
	struct rig r;
	uint64_t before[COLUMNS] = { 0 };
	unsigned asked[HOMES] = { 0 }, snoops = 0;

	rig_open(&r, sockets, RIG_CORES, 20, mode);
	watch_all(&r, sockets);
	for (const struct step *p = steps; p < steps + n; p++) {
		struct fabric_reply reply = rig_do(&r, p->socket, p->core, (enum leave_kind)p->kind, p->at);

		CHECK_EQ(p->line, reply.grant, p->grant);
		CHECK_EQ(p->line, reply.source, p->source);
		CHECK_EQ(p->line, r.snoops - snoops, p->snoops);
		snoops = r.snoops;
		for (unsigned h = 0; h < HOMES; h++) {
			unsigned now = r.ha[0].seen[homes[h]] + r.ha[1].seen[homes[h]];

			CHECK_EQ(p->line, now - asked[h], p->home[h]);
			asked[h] = now;
		}
		for (unsigned c = 0; c < COLUMNS; c++) {
			uint64_t now = 0;

			for (unsigned s = 0; s < sockets; s++)
				now += rig_sum(&r, s, "cbo", columns[c].sig, columns[c].care, columns[c].care);
			CHECK_EQ(p->line, now - before[c], p->count[c]);
			before[c] = now;
		}
	}
	rig_close(&r);
}

int main(void)
{
	run_steps(alone, LEN(alone), 1, FABRIC_SNOOP_SOURCE);
	run_steps(pair, LEN(pair), 2, FABRIC_SNOOP_SOURCE);
	run_steps(pair, LEN(pair), 2, FABRIC_SNOOP_HOME);
	return check_done();
}
