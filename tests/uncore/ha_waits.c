/* SPDX-License-Identifier: BSD-2-Clause */
/* What waits in a home agent, and where: for snoops, for its way out, in the egress; by hand, in clocks of 400 ps. */
#include "ha_rig.h"

#define START UINT64_C(1000000)

static struct ha_reply ask(struct rig *r, struct ha_request rq, unsigned answer, uint64_t answered)
{
	rq.line += LINES;
	if (answer != NONE) {
		rq.responses = 1;
		rq.response[0] = (struct ha_response){ answered, (uint8_t)answer, !rq.socket };
	}
	return ha_request(r->ha, &rq);
}

/* The first request waits for its snoop 100 clocks, the other socket's, 50 clocks later, as long. */
static void check_snoops(void)
{
	static const struct { int line; unsigned sig; uint64_t flags; unsigned want; } rows[] = {
		{ LINE, SIG_HA_SNOOP, HA_SNOOP_LOCAL, 100 }, { LINE, SIG_HA_SNOOP, HA_SNOOP_REMOTE, 100 },
		{ LINE, SIG_HA_SNOOP, 0, 200 },
		{ LINE, SIG_HA_SNOOP_NE, HA_SNOOP_NE_LOCAL, 100 }, { LINE, SIG_HA_SNOOP_NE, HA_SNOOP_NE_REMOTE, 100 },
		{ LINE, SIG_HA_SNOOP_NE, HA_SNOOP_NE_ALL, 150 },
	};
	struct rig r;

	rig_init(&r, HA_SNOOP_SOURCE);
	rig_start(&r, NULL);
	for (unsigned i = 0; i < LEN(rows); i++)
		meter_add(&r.m, rows[i].sig, rows[i].flags);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t when = START + i * 50 * PERIOD;

		ask(&r, (struct ha_request){ .line = i, .when = when, .opcode = HA_INV_ITOE, .socket = i ? OTHER : HOME },
		    HA_RSP_I, when + 100 * PERIOD);
	}
	rig_until(&r, 2 * START);
	for (unsigned i = 0; i < LEN(rows); i++)
		CHECK_EQ(rows[i].line, r.m.sum[i], rows[i].want);
	rig_free(&r);
}

/*
 * Data is back 49063 ps after a lone read (test of its latency), in clock 122 of it.  With nothing else to wait for it
 * leaves 8 clocks and two slots later; with the answer to its snoop in clock 250, after that one's 10.
 */
static void check_pending(void)
{
	static const struct { int line; uint8_t socket, answer; unsigned local, remote; } rows[] = {
		{ LINE, HOME, NONE, 10, 0 }, { LINE, HOME, HA_RSP_I, 260 - 122, 0 }, { LINE, OTHER, HA_RSP_I, 0, 260 - 122 },
		/* The other has it: memory's data waits until the completion goes, a slot and not two. */
		{ LINE, HOME, HA_RSP_FWD_S, 259 - 122, 0 },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		unsigned local, remote;
		struct rig r;

		rig_init(&r, HA_SNOOP_SOURCE);
		rig_start(&r, NULL);
		local = meter_add(&r.m, SIG_HA_PENDING, HA_PENDING_LOCAL);
		remote = meter_add(&r.m, SIG_HA_PENDING, HA_PENDING_REMOTE);
		ask(&r, (struct ha_request){ .when = START, .opcode = HA_RD_DATA, .socket = rows[i].socket },
		    rows[i].answer, START + 250 * PERIOD);
		rig_until(&r, 2 * START);
		CHECK_EQ(rows[i].line, r.m.sum[local], rows[i].local);
		CHECK_EQ(rows[i].line, r.m.sum[remote], rows[i].remote);
		rig_free(&r);
	}
}

/*
 * Eight messages for one ring at once, two schedulers: four each, which leave one after the other, a line in two clocks.
 * Who waits four clocks or more has starved; on AD nobody is told of.  A queue of two is full until one is left.
 *
 *	one slot	leave after 1, 2, 3, 4 clocks		full for 3	last starved
 *	two slots	2, 4, 6, 8				6		last three
 */
static const struct egress {
	int line;
	uint8_t opcode, socket;
	unsigned insert, occupancy, ne, full, slots;
	uint64_t starved;		/* flag */
	unsigned starve;
} egresses[] = {
	{ LINE, HA_INV_ITOE, HOME, SIG_HA_TX_AK, SIG_HA_TX_AK_OCCUPANCY, SIG_HA_TX_AK_NE, SIG_HA_TX_AK_FULL, 1,
	  HA_TX_STARVED_AK, 2 },
	{ LINE, HA_INV_ITOE, OTHER, SIG_HA_TX_AD, SIG_HA_TX_AD_OCCUPANCY, SIG_HA_TX_AD_NE, SIG_HA_TX_AD_FULL, 1, 0, 0 },
	{ LINE, HA_RD_DATA, HOME, SIG_HA_TX_BL, SIG_HA_TX_BL_OCCUPANCY, SIG_HA_TX_BL_NE, SIG_HA_TX_BL_FULL, 2,
	  HA_TX_STARVED_BL, 6 },
};

static void check_egress(const struct egress *e)
{
	enum { INSERT, OCCUPANCY, NE, FULL, SCHEDULED };
	const unsigned sig[SCHEDULED] = { e->insert, e->occupancy, e->ne, e->full };
	const unsigned want[SCHEDULED] = { 4, (1 + 2 + 3 + 4) * e->slots, 4 * e->slots, 3 * e->slots };
	unsigned starved, any;
	struct rig r;

	rig_init(&r, HA_SNOOP_SOURCE);
	r.hc.egress = 2;
	r.hc.starved = 4;
	rig_start(&r, NULL);
	/* SCHED0 and SCHED1, which are the last two flags of inserts and the only ones of the others. */
	for (unsigned i = 0; i < SCHEDULED; i++)
		for (unsigned s = 0; s < 2; s++)
			meter_add(&r.m, sig[i], (i != INSERT ? HA_TX_BL_NE_SCHED0 :
						 e->insert == SIG_HA_TX_AD ? HA_TX_AD_SCHED0 :
						 e->insert == SIG_HA_TX_AK ? HA_TX_AK_SCHED0 : HA_TX_BL_SCHED0) << s);
	starved = meter_add(&r.m, SIG_HA_TX_STARVED, e->starved);
	any = meter_add(&r.m, SIG_HA_TX_STARVED, 0);
	for (unsigned i = 0; i < 8; i++)
		ask(&r, (struct ha_request){ .line = i, .when = START, .opcode = e->opcode, .socket = e->socket },
		    HA_RSP_I, START + 1000 * PERIOD);
	rig_until(&r, 2 * START);
	for (unsigned i = 0; i < 2 * SCHEDULED; i++)
		CHECK_EQ(e->line, r.m.sum[i], want[i / 2]);
	CHECK_EQ(e->line, r.m.sum[starved], e->starve);
	CHECK_EQ(e->line, r.m.sum[any], e->starve);
	rig_free(&r);
}

/* Data goes past the CBo if the core asks for that, is of this socket, and nobody else has the line. */
static void check_direct(void)
{
	static const struct { int line; bool direct; uint8_t socket, answer; unsigned sent, instead; } rows[] = {
		{ LINE, true, HOME, HA_RSP_I, 1, 0 }, { LINE, false, HOME, HA_RSP_I, 0, 0 },
		{ LINE, true, HOME, HA_RSP_S, 0, 1 }, { LINE, true, OTHER, HA_RSP_I, 0, 0 },
		{ LINE, true, HOME, HA_RSP_FWD_S, 0, 0 },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		unsigned sent, instead;
		struct rig r;

		rig_init(&r, HA_SNOOP_SOURCE);
		rig_start(&r, NULL);
		sent = meter_add(&r.m, SIG_HA_DIRECT, 0);
		instead = meter_add(&r.m, SIG_HA_DIRECT_OVERRIDE, 0);
		ask(&r, (struct ha_request){ .when = START, .opcode = HA_RD_DATA, .socket = rows[i].socket,
					     .direct = rows[i].direct }, rows[i].answer, START);
		rig_until(&r, 2 * START);
		CHECK_EQ(rows[i].line, r.m.sum[sent], rows[i].sent);
		CHECK_EQ(rows[i].line, r.m.sum[instead], rows[i].instead);
		rig_free(&r);
	}
}

int main(void)
{
	check_snoops();
	check_pending();
	for (const struct egress *e = egresses; e < egresses + LEN(egresses); e++)
		check_egress(e);
	check_direct();
	return check_done();
}
