/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flits by hand: what each kind of transaction sends in both directions, one class at a
 * time, and that whatever one socket sends the other receives.
 */
#include "rig.h"

enum { SNP, HOM_REQ, HOM_NONREQ, DRS_DATA, DRS_NONDATA, NDR, DATA, CLASSES };

static const uint64_t classes[CLASSES] = {
	QPI_TX_FLIT_SNP, QPI_TX_FLIT_HOM_REQ, QPI_TX_FLIT_HOM_NONREQ, QPI_TX_FLIT_DRS_DATA,
	QPI_TX_FLIT_DRS_NONDATA, QPI_TX_FLIT_NDR_AK, QPI_TX_FLIT_DATA,
};

#define A 0x1000			/* at home in socket 0 */
#define B (RIG_REMOTE | 0x1001)		/* at home in socket 1 */
#define DO(s, k, a) LINE, s, LEAVE_##k, a
#define LINE_OF_DATA [DRS_DATA] = 8, [DRS_NONDATA] = 1, [DATA] = 8

/* Flits that socket 0 and socket 1 send because of a request. */
static const struct step {
	int line;
	uint8_t socket, kind;
	uint64_t at;
	uint8_t sent[2][CLASSES];
} source[] = {
	/* Local memory: one snoop, one response. */
	{ DO(0, DRD, A), { { [SNP] = 1 }, { [HOM_NONREQ] = 1 } } },
	/* Hits stay in the socket. */
	{ DO(0, DRD, A), { { 0 }, { 0 } } },
	{ DO(0, RFO, A), { { 0 }, { 0 } } },
	/* Remote memory: request and snoop there, line here; the response stays there. */
	{ DO(0, DRD, B), { { [SNP] = 1, [HOM_REQ] = 1 }, { LINE_OF_DATA } } },
	/* The home's own core reads it: forwarded by socket 0, which answers to socket 1. */
	{ DO(1, DRD, B), { { [HOM_NONREQ] = 1, LINE_OF_DATA }, { [SNP] = 1 } } },
	/* Ownership of what both share: no data. */
	{ DO(0, RFO, B), { { [SNP] = 1, [HOM_REQ] = 1 }, { [NDR] = 1 } } },
	{ DO(0, DIRTY, B), { { 0 }, { 0 } } },
	/* Read of what socket 0 has written: it writes back to its home, which sends it on. */
	{ DO(1, DRD, B), { { [HOM_NONREQ] = 1, LINE_OF_DATA }, { [SNP] = 1 } } },
	/* Read of a line of socket 0 that socket 0 has written: written back and sent on there. */
	{ DO(0, DIRTY, A), { { 0 }, { 0 } } },
	{ DO(1, DRD, A), { { LINE_OF_DATA }, { [SNP] = 1, [HOM_REQ] = 1 } } },
	/* Streaming store to remote memory: ownership, then the line, then two completions. */
	{ DO(0, WCILF, B | 0x40), { { [SNP] = 1, [HOM_REQ] = 2, LINE_OF_DATA }, { [NDR] = 2 } } },
	/* Part of a line: two more flits of byte enables. */
	{ DO(0, WCIL, B | 0x40), { { [SNP] = 1, [HOM_REQ] = 2, [DRS_DATA] = 8, [DRS_NONDATA] = 3, [DATA] = 8 },
				   { [NDR] = 2 } } },
	/* A streaming store to local memory only asks. */
	{ DO(0, WCILF, A | 0x40), { { [SNP] = 1 }, { [HOM_NONREQ] = 1 } } },
}, home[] = {
	/* Home snoop: the home agent asks; a remote request needs no snoop of its requester. */
	{ DO(0, DRD, A), { { [SNP] = 1 }, { [HOM_NONREQ] = 1 } } },
	{ DO(0, DRD, B), { { [HOM_REQ] = 1 }, { LINE_OF_DATA } } },
	{ DO(1, RFO, B), { { [HOM_NONREQ] = 1, LINE_OF_DATA }, { [SNP] = 1 } } },
	/* Forwarded by the home's own slice: data, and the completion after it. */
	{ DO(0, RFO, B), { { [HOM_REQ] = 1 }, { [NDR] = 1, LINE_OF_DATA } } },
};

static void run_steps(const struct step *steps, size_t n, enum fabric_snoop mode)
{
	struct rig r;
	uint64_t before[2][CLASSES] = { { 0 } };

	rig_open(&r, 2, RIG_CORES, 20, mode);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned c = 0; c < CLASSES; c++) {
			rig_watch(&r, s, "qpi", SIG_QPI_TX_FLIT, classes[c], classes[c]);
			rig_watch(&r, s, "qpi", SIG_QPI_RX_FLIT, classes[c], classes[c]);
		}
	for (const struct step *p = steps; p < steps + n; p++) {
		rig_do(&r, p->socket, 3, (enum leave_kind)p->kind, p->at);
		for (unsigned s = 0; s < 2; s++)
			for (unsigned c = 0; c < CLASSES; c++) {
				uint64_t tx = rig_sum(&r, s, "qpi", SIG_QPI_TX_FLIT, classes[c], classes[c]);
				uint64_t rx = rig_sum(&r, !s, "qpi", SIG_QPI_RX_FLIT, classes[c], classes[c]);

				CHECK_EQ(p->line, tx - before[s][c], p->sent[s][c]);
				CHECK_EQ(p->line, rx, tx);
				before[s][c] = tx;
			}
	}
	rig_close(&r);
}

/* In each clock each of two links carries a flit one way and one the other, and where there is none an idle one; none while they are
 * shut down. */
static void check_idle(enum fabric_snoop mode)
{
	static const uint64_t kinds[] = { QPI_TX_FLIT_IDLE, QPI_TX_FLIT_DATA, 0 };
	enum { CLOCK = 500, SLEEPS = 3000 };
	struct rig r;

	rig_open(&r, 2, RIG_CORES, 20, mode);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned k = 0; k < LEN(kinds); k++) {
			rig_watch(&r, s, "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_IDLE | QPI_TX_FLIT_DATA, kinds[k]);
			rig_watch(&r, s, "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_IDLE | QPI_RX_FLIT_DATA, kinds[k]);
		}
	for (unsigned i = 0; i < 40; i++) {
		uint64_t clocks, slept = i < 20 ? 0 : 9 * 2000 + SLEEPS;

		rig_do(&r, i % 2, 3, i % 3 ? LEAVE_DRD : LEAVE_RFO, (i % 5 ? B : A) + 64 * i);
		if (i == 10)
			fabric_links_sleep(r.f, r.now, true);
		if (i == 20)
			fabric_links_sleep(r.f, r.now - 2000 * CLOCK + SLEEPS * CLOCK, false);
		if (i >= 10 && i < 20)
			continue;
		fabric_advance(r.f, r.now + SLEEPS * CLOCK);
		clocks = r.now / CLOCK + SLEEPS - slept;
		for (unsigned s = 0; s < 2; s++) {
			uint64_t tx = 0, rx = 0;

			for (unsigned k = 0; k < LEN(kinds); k++) {
				tx += rig_sum(&r, s, "qpi", SIG_QPI_TX_FLIT, QPI_TX_FLIT_IDLE | QPI_TX_FLIT_DATA, kinds[k]);
				rx += rig_sum(&r, s, "qpi", SIG_QPI_RX_FLIT, QPI_RX_FLIT_IDLE | QPI_RX_FLIT_DATA, kinds[k]);
			}
			CHECK_EQ(__LINE__, tx, 2 * clocks);
			CHECK_EQ(__LINE__, rx, 2 * clocks);
		}
	}
	rig_close(&r);
}

/* Headers as the match registers see them: which packets a match of class, opcode and data
 * state finds (Table 2-176). */
static void check_headers(void)
{
	static const struct { int line; uint64_t match, mask; unsigned found; } rows[] = {
		{ LINE, 0x1c00, 0x1f80, 1 },	/* DRS.AnyDataC */
		{ LINE, 0x1c40 | UINT64_C(4) << 48, 0x1fe0 | UINT64_C(0xf) << 48, 1 },	/* DataC_E_Cmp */
		{ LINE, 0x1c00 | UINT64_C(1) << 48, 0x1fe0 | UINT64_C(0xf) << 48, 0 },	/* DataC_F */
		{ LINE, 0x1c00 | 0 << 13, 0x1e00 | 0x1f << 13, 1 },	/* DRS to node 0 */
		{ LINE, 0x1c00 | 1 << 13, 0x1e00 | 0x1f << 13, 0 },	/* DRS to node 1 */
		{ LINE, 0x0040, 0x1fe0, 0 },	/* HOM0 RdData: socket 1 receives it */
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct rig r;
		struct signal_test test = {
			.kind = SIGNAL_TEST_PACKET, .mask = rows[i].mask, .value = rows[i].match,
		};
		uint64_t found = 0;

		rig_open(&r, 2, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
		rig_watch(&r, 0, "qpi", SIG_QPI_PACKET, QPI_PACKET_TX, 0);
		for (unsigned c = 0; c < r.counts; c++) {
			r.count[c].alt.test = &test;
			r.count[c].alt.tests = 1;
		}
		rig_do(&r, 0, 3, LEAVE_DRD, B);
		found = rig_sum(&r, 0, "qpi", SIG_QPI_PACKET, QPI_PACKET_TX, 0);
		CHECK_EQ(rows[i].line, found, rows[i].found);
		rig_close(&r);
	}
}

/* A snoop waits 8 clocks in the ring stop for the link layer: two are 16 entries' clocks, and what they
 * share of them the queue is not empty only once.  Told in any order, and at 2 GHz a clock is 500 ps. */
static void check_queue(void)
{
	static const struct { int line; unsigned snoops, step; uint64_t later, level, ne; } rows[] = {
		{ LINE, 1, 0, 0, 8, 8 },
		{ LINE, 2, 2, 0, 16, 8 },	/* from stops as far away */
		{ LINE, 2, 2, 1500, 16, 11 },
		{ LINE, 2, 2, 4000, 16, 16 },
		{ LINE, 2, 0x41, 0, 16, 16 },	/* its slice is nearer by 14 clocks: it comes first */
		{ LINE, 2, 0x41, 5000, 16, 12 },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct rig r;
		uint64_t ne;

		rig_open(&r, 2, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
		rig_watch(&r, 0, "r3qpi", SIG_R3QPI_RXR, R3QPI_RXR_SNP, R3QPI_RXR_SNP);
		rig_watch(&r, 0, "r3qpi", SIG_R3QPI_RXR_NE, R3QPI_RXR_NE_SNP, R3QPI_RXR_NE_SNP);
		for (unsigned k = 0; k < rows[i].snoops; k++) {
			r.now = 1000000 + k * rows[i].later;
			rig_do(&r, 0, 3, LEAVE_DRD, A + k * rows[i].step);	/* over the same link */
		}
		fabric_advance(r.f, 2000000);
		ne = rig_sum(&r, 0, "r3qpi", SIG_R3QPI_RXR_NE, R3QPI_RXR_NE_SNP, R3QPI_RXR_NE_SNP);
		CHECK_EQ(rows[i].line, rig_sum(&r, 0, "r3qpi", SIG_R3QPI_RXR, R3QPI_RXR_SNP, R3QPI_RXR_SNP),
			 rows[i].level);
		CHECK_EQ(rows[i].line, ne, rows[i].ne);
		rig_close(&r);
	}
}

/* A link is full at one flit every half nanosecond (8 GT/s): lines that are all asked for
 * at once come 9 flits apart. */
static void check_bandwidth(void)
{
	enum { LINES = 400 };
	static const struct { int line; uint64_t stall, queue; bool meets; } waits[] = {
		/* Data of two links for one ring; requests all went the other way. */
		{ LINE, QPI_RX_STALL_DRS, QPI_RXQ_DRS, true },
		{ LINE, QPI_RX_STALL_NDR, QPI_RXQ_NDR, false },
	};
	struct rig r;
	uint64_t last = 0;

	rig_open(&r, 2, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned i = 0; i < LEN(waits); i++) {
		rig_watch(&r, 0, "qpi", SIG_QPI_RX_STALL, waits[i].stall, waits[i].stall);
		rig_watch(&r, 0, "qpi", SIG_QPI_RXQ, waits[i].queue, waits[i].queue);
	}
	for (unsigned i = 0; i < LINES; i++) {
		struct fabric_request rq = {
			.line = RIG_REMOTE | i, .socket = 0, .core = (uint8_t)(i % 18), .kind = LEAVE_DRD,
		};
		uint64_t when = fabric_request(r.f, &rq).when;

		last = when > last ? when : last;
	}
	fabric_advance(r.f, last + 1000000);
	for (unsigned i = 0; i < LEN(waits); i++) {
		uint64_t stall = rig_sum(&r, 0, "qpi", SIG_QPI_RX_STALL, waits[i].stall, waits[i].stall);
		uint64_t flits = rig_sum(&r, 0, "qpi", SIG_QPI_RXQ, waits[i].queue, waits[i].queue);

		/* Clocks with flits waiting are no more than flits waiting, clock by clock. */
		CHECK_EQ(waits[i].line, stall <= flits && (stall > 0) == (flits > 0), 1);
		CHECK_EQ(waits[i].line, stall > 0, waits[i].meets);
	}
	/* Two links; what does not fit on the wire waits, and waits no longer than that. */
	CHECK_EQ(__LINE__, last > LINES / 2 * 9 * 500, 1);
	CHECK_EQ(__LINE__, last < LINES / 2 * 9 * 500 * 5 / 4 + 250000, 1);
	rig_close(&r);
}

int main(void)
{
	run_steps(source, LEN(source), FABRIC_SNOOP_SOURCE);
	run_steps(home, LEN(home), FABRIC_SNOOP_HOME);
	check_idle(FABRIC_SNOOP_SOURCE);
	check_idle(FABRIC_SNOOP_HOME);
	check_headers();
	check_queue();
	check_bandwidth();
	return check_done();
}
