/* SPDX-License-Identifier: BSD-2-Clause */
/* A home agent with a directory among four sockets: HitME cache, broadcasts ahead of the directory, coherence. */
#include <stdlib.h>

#include "ha_rig.h"

enum { NODES = 4, STEP = 2000000 };

/* The answer of each socket that is asked; 0: RspI. */
struct bench {
	struct rig r;
	uint8_t answer[NODES];
	unsigned asked;
	uint64_t asked_at, now, came;	/* answers come so long after they were asked for */
};

static unsigned answers(void *ctx, struct ha *ha, const struct ha_request *rq, unsigned sockets, uint64_t when,
			struct ha_response *out)
{
	struct bench *b = ctx;
	unsigned n = 0;

	(void)ha;
	(void)rq;
	if (!b->asked)
		b->asked_at = when;
	CHECK_EQ(__LINE__, b->asked & sockets, 0);
	b->asked |= sockets;
	for (unsigned i = 0; i < NODES; i++)
		if (sockets >> i & 1)
			out[n++] = (struct ha_response){
				.when = when + b->came, .kind = b->answer[i] ? b->answer[i] : HA_RSP_I, .socket = (uint8_t)i,
			};
	return n;
}

static void bench_start(struct bench *b, unsigned hitme, unsigned osb)
{
	memset(b, 0, sizeof *b);
	rig_init(&b->r, HA_SNOOP_DIRECTORY);
	b->r.hc.peers = NODES - 1;
	b->r.hc.hitme = (uint16_t)hitme;
	b->r.hc.osb = (uint16_t)osb;
	b->now = STEP;
	b->came = 1000;
	rig_start(&b->r, answers);
	ha_world(b->r.ha, &(struct ha_world){ .ctx = b, .snoop = answers });
}

static struct ha_reply bench_ask(struct bench *b, unsigned opcode, unsigned socket, uint64_t line)
{
	struct ha_request rq = {
		.line = LINES + line, .when = b->now, .opcode = (uint8_t)opcode, .socket = (uint8_t)socket,
	};
	struct ha_reply reply;

	b->asked = 0;
	reply = ha_request(b->r.ha, &rq);
	b->now += STEP;
	rig_until(&b->r, b->now - STEP / 2);
	return reply;
}

static const struct { unsigned sig; uint64_t flags; } meters[] = {
	{ SIG_HA_HITME_LOOKUP, HA_HITME_LOOKUP_READ_OR_INVITOE }, { SIG_HA_HITME_HIT, HA_HITME_HIT_READ_OR_INVITOE },
	{ SIG_HA_HITME_PRESENT, HA_HITME_PRESENT_READ_OR_INVITOE },
	{ SIG_HA_HITME_LOOKUP, HA_HITME_LOOKUP_RSP }, { SIG_HA_HITME_HIT, HA_HITME_HIT_RSP },
	{ SIG_HA_HITME_LOOKUP, HA_HITME_LOOKUP_RSPFWDI_LOCAL }, { SIG_HA_HITME_HIT, HA_HITME_HIT_RSPFWDI_LOCAL },
	{ SIG_HA_HITME_LOOKUP, HA_HITME_LOOKUP_RSPFWDI_REMOTE }, { SIG_HA_HITME_HIT, HA_HITME_HIT_RSPFWDI_REMOTE },
	{ SIG_HA_HITME_LOOKUP, HA_HITME_LOOKUP_RSPFWDS }, { SIG_HA_HITME_HIT, HA_HITME_HIT_RSPFWDS },
	{ SIG_HA_HITME_LOOKUP, HA_HITME_LOOKUP_WBMTOI }, { SIG_HA_HITME_HIT, HA_HITME_HIT_WBMTOI },
	{ SIG_HA_DIR_LOOKUP, 0 }, { SIG_HA_DIR_UPDATE, HA_DIR_UPDATE_SET }, { SIG_HA_DIR_UPDATE, HA_DIR_UPDATE_CLEAR },
	{ SIG_HA_IMC_WRITE, 0 }, { SIG_HA_BYPASS, 0 },
};

enum { A = 1 << 0, B = 1 << 1, C = 1 << 2, D = 1 << 3 };	/* sockets; B is the home */

struct step {
	uint8_t opcode, socket, answer[NODES];
	uint8_t asked;		/* sockets that must be asked, and no others */
	uint8_t want[LEN(meters)];
	bool shared;
};

/* The columns of want: READ look-ups, hits, presence bits; RSP look-ups, hits; RSPFWDI_LOCAL; RSPFWDI_REMOTE; RSPFWDS; WBMTOI;
 * directory looked up, set, cleared; writes of memory, reads. */
static const struct row {
	int line;
	struct step step[7];
} rows[] = {
	/* A line goes from home to A, D, C and back.  First directory I: only the home's caches are asked. */
	{ LINE, {
		{ HA_RD_INV_OWN, 0, { 0, HA_RSP_FWD_I }, B, .want = { 1,0,0, 0,0, 0,0, 1,0, 0,0, 0,0, 1,1,0, 1,1 } },
		/* Now an entry says A, and nobody else is asked. */
		{ HA_RD_INV_OWN, 3, { HA_RSP_FWD_I }, A, .want = { 1,1,1, 0,0, 0,0, 1,1, 0,0, 0,0, 0,0,0, 0,1 } },
		{ HA_RD_INV_OWN, 2, { 0, 0, 0, HA_RSP_FWD_I }, D, .want = { 1,1,1, 0,0, 0,0, 1,1, 0,0, 0,0, 0,0,0, 0,1 } },
		/* To the home: the entry goes, and memory says nobody again. */
		{ HA_RD_INV_OWN, 1, { 0, 0, HA_RSP_FWD_I }, C, .want = { 1,1,1, 0,0, 1,1, 0,0, 0,0, 0,0, 0,0,1, 1,1 } },
		/* Its own write-back finds nothing. */
		{ HA_WB_MTOI, 1, { 0 }, 0, .want = { 0,0,0, 0,0, 0,0, 0,0, 0,0, 1,0, 0,0,0, 1,0 } },
		{ HA_RD_DATA, 1, { 0 }, 0, .want = { 1,0,0, 0,0, 0,0, 0,0, 0,0, 0,0, 1,0,0, 0,1 } },
	} },
	/* A owns it after a read (any); the home takes it without an entry: now one is made, and memory's
	 * bits stay as they are.  The write-back clears both. */
	{ LINE, {
		{ HA_RD_DATA, 0, { 0 }, B, .want = { 1,0,0, 1,0, 0,0, 0,0, 0,0, 0,0, 1,1,0, 1,1 } },
		{ HA_RD_INV_OWN, 1, { HA_RSP_FWD_I }, A | C | D, .want = { 1,0,0, 2,2, 1,0, 0,0, 0,0, 0,0, 1,0,0, 0,1 } },
		/* C wants it: the home alone is asked, though memory says any. */
		{ HA_RD_DATA, 2, { 0, HA_RSP_S_WB }, B, .want = { 1,1,1, 1,1, 0,0, 0,0, 0,0, 0,0, 0,0,0, 1,1 }, .shared = true },
		/* Shared by two: reads ask nobody. */
		{ HA_RD_DATA, 3, { 0 }, 0, .want = { 1,1,2, 0,0, 0,0, 0,0, 0,0, 0,0, 0,0,0, 0,1 }, .shared = true },
		{ HA_RD_CODE, 0, { 0 }, 0, .want = { 1,1,3, 0,0, 0,0, 0,0, 0,0, 0,0, 0,0,0, 0,1 }, .shared = true },
		/* A claims it: the other three are asked, no data is read. */
		{ HA_INV_ITOE, 0, { 0, HA_RSP_I, HA_RSP_I, HA_RSP_I }, B | C | D,
		  .want = { 1,1,4, 3,3, 0,0, 0,0, 0,0, 0,0, 0,0,0, 0,0 } },
		{ HA_WB_MTOI, 0, { 0 }, 0, .want = { 0,0,0, 0,0, 0,0, 0,0, 0,0, 1,1, 0,0,1, 1,0 } },
	} },
	/* A clean line is forwarded to be shared: an entry with both; who drops it is found out once. */
	{ LINE, {
		{ HA_RD_DATA, 0, { 0 }, B, .want = { 1,0,0, 1,0, 0,0, 0,0, 0,0, 0,0, 1,1,0, 1,1 } },
		{ HA_RD_DATA, 2, { HA_RSP_FWD_S }, A | B | D, .want = { 1,0,0, 2,1, 0,0, 0,0, 1,0, 0,0, 1,0,0, 0,1 }, .shared = true },
		{ HA_RD_INV_OWN, 3, { 0, 0, HA_RSP_FWD_I }, A | C, .want = { 1,1,2, 1,1, 0,0, 1,1, 0,0, 0,0, 0,0,0, 0,1 } },
		{ HA_RD_DATA, 0, { 0, 0, 0, HA_RSP_I }, D, .want = { 1,1,1, 1,1, 0,0, 0,0, 0,0, 0,0, 0,0,0, 0,1 } },
		{ HA_RD_DATA, 2, { HA_RSP_FWD_S }, A, .want = { 1,1,1, 0,0, 0,0, 0,0, 1,1, 0,0, 0,0,0, 0,1 }, .shared = true },
		/* A look without a copy changes nothing. */
		{ HA_RD_CUR, 3, { 0 }, 0, .want = { 1,1,2, 0,0, 0,0, 0,0, 0,0, 0,0, 0,0,0, 0,1 }, .shared = true },
		{ HA_RD_DATA, 1, { 0 }, 0, .want = { 1,1,2, 0,0, 0,0, 0,0, 0,0, 0,0, 0,0,0, 0,1 }, .shared = true },
	} },
};

static void run(const struct row *row)
{
	struct bench b;

	bench_start(&b, 64, 0);
	for (unsigned i = 0; i < LEN(meters); i++)
		meter_add(&b.r.m, meters[i].sig, meters[i].flags);
	for (const struct step *s = row->step; s < row->step + LEN(row->step) && s->want[0] + s->want[11]; s++) {
		int64_t before[LEN(meters)];
		bool data = s->opcode != HA_INV_ITOE && s->opcode != HA_WB_MTOI;
		struct ha_reply reply;

		memcpy(before, b.r.m.sum, sizeof before);
		memcpy(b.answer, s->answer, sizeof b.answer);
		reply = bench_ask(&b, s->opcode, s->socket, 77);
		CHECK_EQ(row->line, b.asked, s->asked);
		CHECK_EQ(row->line, reply.shared, s->shared);
		/* Whom nobody asks may be the one that forwards the line. */
		CHECK_EQ(row->line, reply.unasked, s->shared && s->asked == 0);
		CHECK_EQ(row->line, reply.data != 0, data && !reply.peer);
		for (unsigned i = 0; i < LEN(meters); i++)
			if (b.r.m.sum[i] - before[i] != s->want[i]) {
				printf("step %u, meter %u:\n", (unsigned)(s - row->step), i);
				CHECK_EQ(row->line, b.r.m.sum[i] - before[i], s->want[i]);
			}
	}
	rig_free(&b.r);
}

/* Nine lines of one set: the one not used for longest is forgotten. */
static void check_ways(void)
{
	struct bench b;
	unsigned hit;

	bench_start(&b, 8, 0);
	hit = meter_add(&b.r.m, SIG_HA_HITME_HIT, HA_HITME_HIT_READ_OR_INVITOE);
	b.answer[1] = HA_RSP_FWD_I;
	for (unsigned i = 0; i < 8; i++)
		bench_ask(&b, HA_RD_INV_OWN, 0, i);
	b.answer[1] = 0;
	bench_ask(&b, HA_RD_CUR, 2, 0);			/* used again */
	CHECK_EQ(__LINE__, b.r.m.sum[hit], 1);
	b.answer[1] = HA_RSP_FWD_I;
	bench_ask(&b, HA_RD_INV_OWN, 0, 8);		/* in place of line 1 */
	b.answer[1] = 0;
	for (unsigned i = 0; i < 9; i++)
		bench_ask(&b, HA_RD_CUR, 2, i);
	CHECK_EQ(__LINE__, b.r.m.sum[hit], 1 + 8);
	/* What is forgotten is still guarded: memory says any, so all are asked. */
	bench_ask(&b, HA_RD_DATA, 2, 1);
	CHECK_EQ(__LINE__, b.asked, A | B | D);
	rig_free(&b.r);
}

static const struct { unsigned sig; uint64_t flags; } broadcasts[] = {
	{ SIG_HA_OSB, HA_OSB_READS_LOCAL }, { SIG_HA_OSB, HA_OSB_INVITOE_LOCAL }, { SIG_HA_OSB, HA_OSB_REMOTE },
	{ SIG_HA_OSB, HA_OSB_CANCELLED }, { SIG_HA_OSB, HA_OSB_READS_LOCAL_USEFUL }, { SIG_HA_OSB, HA_OSB_REMOTE_USEFUL },
	{ SIG_HA_OSB_EDR, 0 }, { SIG_HA_OSB_EDR, HA_OSB_EDR_READS_LOCAL_I }, { SIG_HA_OSB_EDR, HA_OSB_EDR_READS_REMOTE_I },
	{ SIG_HA_OSB_EDR, HA_OSB_EDR_READS_LOCAL_S }, { SIG_HA_OSB_EDR, HA_OSB_EDR_READS_REMOTE_S },
};

/* One line, asked for one after the other: all are asked each time, before memory has answered. */
static void check_broadcast(void)
{
	static const struct {
		int line;
		uint8_t opcode, socket, answer[NODES], want[LEN(broadcasts)];
	} steps[] = {
		{ LINE, HA_RD_DATA, 1, { 0 }, { 1,0,0,0, 0,0, 1,1,0,0,0 } },
		{ LINE, HA_INV_ITOE, 1, { 0 }, { 0,1,0,0, 0,0, 0,0,0,0,0 } },
		{ LINE, HA_RD_CODE, 0, { 0 }, { 0,0,1,0, 0,0, 1,0,1,0,0 } },
		/* Shared now: a read at home need not ask, one from elsewhere only the home. */
		{ LINE, HA_RD_DATA, 1, { HA_RSP_S }, { 1,0,0,0, 0,0, 1,0,0,1,0 } },
		{ LINE, HA_RD_DATA, 2, { HA_RSP_S }, { 0,0,1,0, 0,0, 1,0,0,0,1 } },
		/* It pays where the directory wants it. */
		{ LINE, HA_RD_INV_OWN, 3, { 0 }, { 0,0,1,0, 0,1, 0,0,0,0,0 } },
		{ LINE, HA_RD_DATA, 1, { 0 }, { 1,0,0,0, 1,0, 0,0,0,0,0 } },
	};
	struct bench b;

	bench_start(&b, 0, 4);
	for (unsigned i = 0; i < LEN(broadcasts); i++)
		meter_add(&b.r.m, broadcasts[i].sig, broadcasts[i].flags);
	for (unsigned k = 0; k < LEN(steps); k++) {
		int64_t before[LEN(broadcasts)];
		uint64_t came = b.now;

		memcpy(before, b.r.m.sum, sizeof before);
		memcpy(b.answer, steps[k].answer, sizeof b.answer);
		bench_ask(&b, steps[k].opcode, steps[k].socket, 5);
		CHECK_EQ(steps[k].line, b.asked, 15 & ~(1u << steps[k].socket));
		/* 8 clocks, and a slot for each message. */
		CHECK_EQ(steps[k].line, b.asked_at, came + (8 + 3) * PERIOD);
		for (unsigned i = 0; i < LEN(broadcasts); i++)
			CHECK_EQ(steps[k].line, b.r.m.sum[i] - before[i], steps[k].want[i]);
	}
	rig_free(&b.r);
}

/* Data that needs no answer does not wait for late ones, the completion does; and with as many
 * requests under way as are quiet nobody is asked ahead. */
static void check_early(void)
{
	enum { LATE = 400000 };
	struct bench b;
	unsigned cancelled, early;

	bench_start(&b, 0, 2);
	b.came = LATE;
	cancelled = meter_add(&b.r.m, SIG_HA_OSB, HA_OSB_CANCELLED);
	early = meter_add(&b.r.m, SIG_HA_OSB_EDR, HA_OSB_EDR_READS_LOCAL_I);
	for (unsigned i = 0; i < 3; i++) {
		struct ha_request rq = { .line = LINES + 2 * i, .when = STEP, .opcode = HA_RD_DATA, .socket = 1 };
		struct ha_reply reply;

		b.asked = 0;
		reply = ha_request(b.r.ha, &rq);
		CHECK_EQ(__LINE__, b.asked, i < 2 ? A | C | D : 0);
		CHECK_EQ(__LINE__, reply.data < STEP + LATE / 2, 1);
		/* 8 clocks each before and behind, the slots of three snoops and a completion. */
		if (i == 0)
			CHECK_EQ(__LINE__, reply.done, STEP + (8 + 3 + 8 + 1) * PERIOD + LATE);
		CHECK_EQ(__LINE__, reply.apart, i < 2);
		if (i == 2)
			CHECK_EQ(__LINE__, reply.done, reply.data);
	}
	rig_until(&b.r, 2 * STEP);
	CHECK_EQ(__LINE__, b.r.m.sum[cancelled], 1);
	CHECK_EQ(__LINE__, b.r.m.sum[early], 2);
	rig_free(&b.r);
}

int main(void)
{
	for (const struct row *row = rows; row < rows + LEN(rows); row++)
		run(row);
	check_ways();
	check_broadcast();
	check_early();
	return check_done();
}
