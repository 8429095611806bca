/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One lane of a link by hand, at 8 GT/s and 2 GHz: a flit takes 500 ps, so does a clock.  From R3QPI to the
 * wire 4 ns, over it 13, out of the buffer to the ring 4; credits are back 17 ns after the buffer is left.
 */
#include "uncore/qpi/faults.h"

#include "check.h"
#include "meter.h"
#include "signal_ids.h"

enum { KHZ = 2000000, NS = 1000, FLIGHT = 13000 };
#define T UINT64_C(1000000)

struct bench {
	struct meter link[2], r3[2];	/* sender, receiver */
	struct qpi_end end[2];
	struct qpi_drain drain;
	struct qpi_trouble trouble;
	struct qpi_lane lane;
};

static void bench_open(struct bench *b, const struct qpi_conditions *is)
{
	memset(b, 0, sizeof *b);
	for (unsigned i = 0; i < 2; i++) {
		meter_init(&b->link[i], KHZ, SIG_QPI_COUNT);
		meter_init(&b->r3[i], KHZ, SIG_R3QPI_COUNT);
		qpi_end_init(&b->end[i], &b->r3[i].port);
		qpi_end_bind(&b->end[i], &b->link[i].port, 0, false);
	}
	b->lane = (struct qpi_lane){
		.drain = &b->drain, .from = &b->end[0], .to = &b->end[1], .uclk = calendar_rate(KHZ),
		.flit = calendar_rate(2000000), .out = 4 * NS, .flight = FLIGHT, .in = 4 * NS, .credit = 4 * NS,
	};
	qpi_trouble_init(&b->trouble, is, 0, 0);
	b->lane.trouble = b->trouble.always ? &b->trouble : NULL;
}

/* Counters are hung; returns after the last of them. */
static void bench_start(struct bench *b)
{
	qpi_rewatch(&b->lane);
	CHECK_EQ(__LINE__, b->lane.tell, QPI_TELL_ALL);
}

static uint64_t sent(struct bench *b, unsigned class, uint64_t when)
{
	struct qpi_packet p = { .class = (uint8_t)class };

	return qpi_send(&b->lane, p, 0, when, true);
}

static void bench_close(struct bench *b, uint64_t when)
{
	if (b->trouble.always)
		qpi_trouble_advance(&b->lane, &b->trouble, when);
	for (unsigned i = 0; i < 2; i++) {
		qpi_end_advance(&b->end[i], when);
		meter_close(&b->link[i], when);
		meter_close(&b->r3[i], when);
	}
}

static void bench_free(struct bench *b)
{
	qpi_trouble_free(&b->trouble);
	for (unsigned i = 0; i < 2; i++) {
		qpi_end_free(&b->end[i]);
		meter_free(&b->link[i]);
		meter_free(&b->r3[i]);
	}
}

/*
 * Room for one line only.  The first takes all shared credits, the second the one of its class, the third waits
 * for those of the first:
 *
 *	line	has credits	wire		arrives		credits back	on the ring
 *	1	4		4 .. 8.5	21.5		38.5		25.5
 *	2	4		8.5 .. 13	26		43		30
 *	3	38.5		38.5 .. 43	56		73		60
 */
static void check_credits(unsigned link)
{
	static const struct qpi_conditions is = { .vna = 9 };
	static const uint64_t links[] = { R3QPI_EMPTY_LINK0, R3QPI_EMPTY_LINK1 };
	struct bench b;
	unsigned reject, used, waited, shared, empty, consumed, vna, other, sending, sends;

	bench_open(&b, &is);
	qpi_trouble_free(&b.trouble);
	qpi_trouble_init(&b.trouble, &is, link, 0);
	reject = meter_add(&b.r3[0], SIG_R3QPI_VNA_REJECT, R3QPI_VNA_REJECT_DRS);
	used = meter_add(&b.r3[0], SIG_R3QPI_VN0_USED, R3QPI_VN0_USED_DRS);
	waited = meter_add(&b.r3[0], SIG_R3QPI_VN0_REJECT, R3QPI_VN0_REJECT_DRS);
	shared = meter_add(&b.r3[0], SIG_R3QPI_VNA_ACQUIRE, R3QPI_VNA_ACQUIRE_BL);
	empty = meter_add(&b.r3[0], SIG_R3QPI_EMPTY, R3QPI_EMPTY_VNA | links[link]);
	other = meter_add(&b.r3[0], SIG_R3QPI_EMPTY, links[!link]);
	sending = meter_add(&b.link[0], SIG_QPI_TXQ, 0);
	sends = meter_add(&b.link[0], SIG_QPI_TXQ_NE, 0);
	consumed = meter_add(&b.link[1], SIG_QPI_VN0_USED, QPI_VN0_USED_DRS);
	vna = meter_add(&b.link[1], SIG_QPI_VNA_USED, 0);
	bench_start(&b);
	CHECK_EQ(__LINE__, sent(&b, QPI_DRS, T), T + 25500);
	CHECK_EQ(__LINE__, sent(&b, QPI_DRS, T), T + 30000);
	CHECK_EQ(__LINE__, sent(&b, QPI_DRS, T), T + 60000);
	bench_close(&b, 2 * T);
	CHECK_EQ(__LINE__, b.r3[0].sum[reject], 2);
	CHECK_EQ(__LINE__, b.r3[0].sum[used], 1);
	CHECK_EQ(__LINE__, b.r3[0].sum[waited], 1);
	CHECK_EQ(__LINE__, b.r3[0].sum[shared], 2 * 9);
	/* From 4 to 38.5 and from there to 73. */
	CHECK_EQ(__LINE__, b.r3[0].sum[empty], 2 * 69);
	CHECK_EQ(__LINE__, b.r3[0].sum[other], 0);
	CHECK_EQ(__LINE__, b.link[1].sum[consumed], 1);
	CHECK_EQ(__LINE__, b.link[1].sum[vna], 2 * 9);
	/* The second waits for the wire, from 4 to 8.5. */
	CHECK_EQ(__LINE__, b.link[0].sum[sending], 9 * 9);
	CHECK_EQ(__LINE__, b.link[0].sum[sends], 9);
	bench_free(&b);
}

/* Each class has a credit of its own; it is gone from 4 ns, with the packet, to 35: half a clock on the wire
 * behind the one that took the shared credit. */
static void check_classes(void)
{
	static const struct { int line; uint8_t class; uint64_t used, empty, consumed; } rows[] = {
		{ LINE, QPI_SNP, R3QPI_VN0_USED_SNP, R3QPI_EMPTY_VN0_SNP, QPI_VN0_USED_SNP },
		{ LINE, QPI_HOM_REQ, R3QPI_VN0_USED_HOM, R3QPI_EMPTY_VN0_HOM, QPI_VN0_USED_HOM },
		{ LINE, QPI_HOM_RSP, R3QPI_VN0_USED_HOM, R3QPI_EMPTY_VN0_HOM, QPI_VN0_USED_HOM },
		{ LINE, QPI_NDR, R3QPI_VN0_USED_NDR, R3QPI_EMPTY_VN0_NDR, QPI_VN0_USED_NDR },
		{ LINE, QPI_NCS, R3QPI_VN0_USED_NCS, 0, QPI_VN0_USED_NCS },
	};
	static const struct qpi_conditions is = { .vna = 1 };

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct bench b;
		unsigned used, empty, consumed;

		bench_open(&b, &is);
		used = meter_add(&b.r3[0], SIG_R3QPI_VN0_USED, rows[i].used);
		empty = meter_add(&b.r3[0], SIG_R3QPI_EMPTY, rows[i].empty ? rows[i].empty : R3QPI_EMPTY_LINK1);
		consumed = meter_add(&b.link[1], SIG_QPI_VN0_USED, rows[i].consumed);
		bench_start(&b);
		sent(&b, rows[i].class, T);
		sent(&b, rows[i].class, T);
		bench_close(&b, 2 * T);
		CHECK_EQ(rows[i].line, b.r3[0].sum[used], 1);
		CHECK_EQ(rows[i].line, b.r3[0].sum[empty], rows[i].empty ? 62 : 0);
		CHECK_EQ(rows[i].line, b.link[1].sum[consumed], 1);
		bench_free(&b);
	}
}

/*
 * Each class has a credit on either network.  Room for one line: the first has it, the second takes the credit of VN0, the
 * third, which has been routed through, that of VN1; the fourth, too, waits for the shared ones to come back.
 *
 *	line	has credits	wire		arrives		on the ring
 *	3	4		13 .. 17.5	30.5		34.5
 *	4	38.5		38.5 .. 43	56		60
 */
static void check_networks(void)
{
	static const struct qpi_conditions is = { .vna = 9 };
	static const struct qpi_packet line = { .class = QPI_DRS }, on = { .class = QPI_DRS, .vn1 = true };
	struct bench b;
	unsigned used[2], reject[2], consumed[2], insert[2], level, ne;

	bench_open(&b, &is);
	for (unsigned vn = 0; vn < 2; vn++) {
		used[vn] = meter_add(&b.r3[0], vn ? SIG_R3QPI_VN1_USED : SIG_R3QPI_VN0_USED, R3QPI_VN1_USED_DRS);
		reject[vn] = meter_add(&b.r3[0], vn ? SIG_R3QPI_VN1_REJECT : SIG_R3QPI_VN0_REJECT, R3QPI_VN1_REJECT_DRS);
		consumed[vn] = meter_add(&b.link[1], vn ? SIG_QPI_VN1_USED : SIG_QPI_VN0_USED, QPI_VN1_USED_DRS);
		insert[vn] = meter_add(&b.r3[0], vn ? SIG_R3QPI_RXR1_INSERT : SIG_R3QPI_RXR_INSERT, R3QPI_RXR1_INSERT_DRS);
	}
	level = meter_add(&b.r3[0], SIG_R3QPI_RXR1, R3QPI_RXR1_DRS);
	ne = meter_add(&b.r3[0], SIG_R3QPI_RXR1_NE, R3QPI_RXR1_NE_DRS);
	bench_start(&b);
	CHECK_EQ(__LINE__, qpi_send(&b.lane, line, 0, T, true), T + 25500);
	CHECK_EQ(__LINE__, qpi_send(&b.lane, line, 0, T, true), T + 30000);
	CHECK_EQ(__LINE__, qpi_send(&b.lane, on, 0, T, true), T + 34500);
	CHECK_EQ(__LINE__, qpi_send(&b.lane, on, 0, T, true), T + 60000);
	bench_close(&b, 2 * T);
	for (unsigned vn = 0; vn < 2; vn++) {
		CHECK_EQ(__LINE__, b.r3[0].sum[used[vn]], 1);
		CHECK_EQ(__LINE__, b.link[1].sum[consumed[vn]], 1);
		CHECK_EQ(__LINE__, b.r3[0].sum[insert[vn]], 2);
		CHECK_EQ(__LINE__, b.r3[0].sum[reject[vn]], vn);
	}
	/* In the ingress for 4 ns, and for 38.5, both from the same time on. */
	CHECK_EQ(__LINE__, b.r3[0].sum[level], 2 * 4 + 77);
	CHECK_EQ(__LINE__, b.r3[0].sum[ne], 77);
	bench_free(&b);
}

/*
 * Lines of two links at one ring stop: the second has to wait for a clock or two to cross into R3QPI, as well on
 * a link that may damage packets, but does not.
 */
static void check_stalls(bool vn1, bool may_fail)
{
	const struct qpi_conditions is = { .vna = QPI_ROOM, .error = { may_fail, 5 } };
	const struct qpi_packet line = { .class = QPI_DRS, .vn1 = vn1 };
	struct bench b;
	unsigned stall, other;

	bench_open(&b, &is);
	stall = meter_add(&b.link[1], vn1 ? SIG_QPI_STALL_VN1 : SIG_QPI_STALL_VN0, QPI_STALL_VN1_DRS);
	other = meter_add(&b.link[1], vn1 ? SIG_QPI_STALL_VN0 : SIG_QPI_STALL_VN1, 0);
	bench_start(&b);
	/* What another link brings is there half a clock before. */
	calendar_book(&b.drain.ring[RING_BL], &b.lane.uclk, T + 21500, 2);
	CHECK_EQ(__LINE__, qpi_send(&b.lane, line, 0, T, true), T + 25500 + 2 * 500);
	/* The line itself takes two clocks of the ring, from 22500 on. */
	CHECK_EQ(__LINE__, calendar_book(&b.drain.ring[RING_BL], &b.lane.uclk, T + 22500, 1), 2 * 500);
	bench_close(&b, 2 * T);
	CHECK_EQ(__LINE__, b.link[1].sum[stall], 2);
	CHECK_EQ(__LINE__, b.link[1].sum[other], 0);
	bench_free(&b);
}

/* Every flit is damaged: a packet arrives the eighth time, after seven times there and back, and is still
 * one packet on both sides.  With no errors it takes 4 + 0.5 + 13 + 4 ns. */
static void check_errors(void)
{
	static const struct { int line; uint64_t below; unsigned tries; } rows[] = {
		{ LINE, UINT64_MAX, 8 }, { LINE, 0, 1 }, { LINE, 1, 1 },
	};

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct qpi_conditions is = { .vna = QPI_ROOM, .error = { rows[i].below, 5 } };
		unsigned errors, full, tx, rx, again = rows[i].tries - 1;
		struct bench b;

		bench_open(&b, &is);
		errors = meter_add(&b.link[1], SIG_QPI_CRC_ERROR, QPI_CRC_ERROR_NORMAL);
		full = meter_add(&b.link[0], SIG_QPI_RETRY, QPI_RETRY_FULL);
		tx = meter_add(&b.link[0], SIG_QPI_TX_FLIT, 0);
		rx = meter_add(&b.link[1], SIG_QPI_RX_FLIT, 0);
		bench_start(&b);
		CHECK_EQ(rows[i].line, sent(&b, QPI_SNP, T), T + 21500 + again * (2 * FLIGHT + 500));
		bench_close(&b, 2 * T);
		CHECK_EQ(rows[i].line, b.link[1].sum[errors], again);
		CHECK_EQ(rows[i].line, b.link[0].sum[full], again * 2 * FLIGHT / 500);
		CHECK_EQ(rows[i].line, b.link[0].sum[tx], 1);
		CHECK_EQ(rows[i].line, b.link[1].sum[rx], 1);
		bench_free(&b);
	}
}

/* One flit in a hundred: a hundred thousand snoops meet about a thousand errors (five standard
 * deviations are 158), the same again with the same seed. */
static void check_rate(void)
{
	enum { PACKETS = 100000 };
	uint64_t seen[3];

	for (unsigned run = 0; run < 3; run++) {
		struct qpi_conditions is = { .vna = QPI_ROOM, .error = { UINT64_MAX / 100, run == 2 ? 8 : 7 } };
		struct bench b;
		unsigned errors;

		bench_open(&b, &is);
		errors = meter_add(&b.link[1], SIG_QPI_CRC_ERROR, QPI_CRC_ERROR_NORMAL);
		bench_start(&b);
		for (unsigned i = 0; i < PACKETS; i++)
			sent(&b, QPI_SNP, T + i * UINT64_C(200000));
		bench_close(&b, T + PACKETS * UINT64_C(200000) + T);
		seen[run] = (uint64_t)b.link[1].sum[errors];
		CHECK_EQ(__LINE__, seen[run] > 1010 - 160 && seen[run] < 1010 + 160, 1);
		bench_free(&b);
	}
	CHECK_EQ(__LINE__, seen[0], seen[1]);
	CHECK_EQ(__LINE__, seen[0] != seen[2], 1);
}

/*
 * Half width from 1 us on, for nothing has been sent.  At 10 us a flit takes two clocks, 50 ns later it still
 * does, 200 ns later no more: full width came back 100 ns after the first one had its credits, at 10.104.
 * The last one is off the sender's wire at 10.2045, so it narrows again at 11.2045.
 */
static void check_narrow(void)
{
	static const struct qpi_conditions is = { .vna = QPI_ROOM, .narrows = true };
	struct bench b;
	unsigned tx, rx, l0;

	bench_open(&b, &is);
	tx = meter_add(&b.link[0], SIG_QPI_POWER, QPI_POWER_TX_L0P);
	rx = meter_add(&b.link[1], SIG_QPI_POWER, QPI_POWER_RX_L0P);
	l0 = meter_add(&b.link[0], SIG_QPI_POWER, QPI_POWER_TX_L0);
	bench_start(&b);
	CHECK_EQ(__LINE__, sent(&b, QPI_SNP, 10 * T), 10 * T + 22000);
	CHECK_EQ(__LINE__, sent(&b, QPI_SNP, 10 * T + 50000), 10 * T + 50000 + 22000);
	CHECK_EQ(__LINE__, sent(&b, QPI_SNP, 10 * T + 200000), 10 * T + 200000 + 21500);
	bench_close(&b, 20 * T);
	CHECK_EQ(__LINE__, b.link[0].sum[tx], 2 * (9104 + 8795) + 1);
	/* The other end is a flight behind, at the beginning and at the end. */
	CHECK_EQ(__LINE__, b.link[1].sum[rx], 2 * (9104 + 8795) + 1 - 26);
	CHECK_EQ(__LINE__, b.link[0].sum[l0], 2 * 20000);
	bench_free(&b);
}

/* A change of the ring's clock to 100 ns: what arrives at 17.5 waits, in the buffer; later packets do not. */
static void check_hold(void)
{
	static const struct { int line; uint8_t class; uint64_t flag; uint64_t stay; } rows[] = {
		{ LINE, QPI_SNP, QPI_RX_INSERT_SNP, 165 }, { LINE, QPI_HOM_REQ, QPI_RX_INSERT_HOM, 165 },
		{ LINE, QPI_NDR, QPI_RX_INSERT_NDR, 165 }, { LINE, QPI_NCS, QPI_RX_INSERT_NCS, 165 },
		{ LINE, QPI_NCB, QPI_RX_INSERT_NCB, 157 }, { LINE, QPI_DRS, QPI_RX_INSERT_DRS, 157 },
	};
	static const struct qpi_conditions is = { .vna = QPI_ROOM };

	for (unsigned i = 0; i < LEN(rows); i++) {
		unsigned flits = qpi_flits(rows[i].class, 0), insert, held, level, ne, any, gv, pending, back;
		struct bench b;

		bench_open(&b, &is);
		insert = meter_add(&b.link[1], SIG_QPI_RX_INSERT, rows[i].flag | QPI_RX_INSERT_VN0);
		level = meter_add(&b.link[1], SIG_QPI_RXQ, rows[i].flag | QPI_RXQ_VN0);
		ne = meter_add(&b.link[1], SIG_QPI_RXQ_NE_CLASS, rows[i].flag | QPI_RXQ_NE_CLASS_VN0);
		any = meter_add(&b.link[1], SIG_QPI_RXQ_NE, 0);
		pending = meter_add(&b.link[1], SIG_QPI_VNA_PENDING, 0);
		back = meter_add(&b.link[1], SIG_QPI_VNA_RETURN, 0);
		gv = meter_add(&b.link[1], SIG_QPI_STALL_VN0, QPI_STALL_VN0_GV);
		held = meter_add(&b.link[1], SIG_QPI_RX_BYPASS, 0);
		bench_start(&b);
		qpi_hold(&b.lane, &b.trouble, T + 100 * NS);
		CHECK_EQ(rows[i].line, sent(&b, rows[i].class, T), T + 104 * NS);
		CHECK_EQ(rows[i].line, sent(&b, QPI_SNP, T + 200 * NS), T + 221500);
		CHECK_EQ(rows[i].line, b.lane.trouble == NULL, 1);
		bench_close(&b, 2 * T);
		CHECK_EQ(rows[i].line, b.link[1].sum[insert], flits);
		CHECK_EQ(rows[i].line, b.link[1].sum[gv], rows[i].stay);
		CHECK_EQ(rows[i].line, b.link[1].sum[level], rows[i].stay * flits);
		CHECK_EQ(rows[i].line, b.link[1].sum[ne], rows[i].stay);
		CHECK_EQ(rows[i].line, b.link[1].sum[any], rows[i].stay);
		/* A credit for each flit is on its way back for 4 ns, those of the later snoop too. */
		CHECK_EQ(rows[i].line, b.link[1].sum[back], flits + 1);
		CHECK_EQ(rows[i].line, b.link[1].sum[pending], (flits + 1) * 8);
		CHECK_EQ(rows[i].line, b.link[1].sum[held], 1);
		bench_free(&b);
	}
}

/* Credits into R3QPI: all of a pool, but for 8 clocks one less for each packet; and the states of a link
 * that sleeps from 1000 to 1500 ns of 2000. */
static void check_standing(void)
{
	static const struct { int line; struct qpi_packet packet; uint64_t flag, taken; unsigned credits; } rows[] = {
		{ LINE, { .class = QPI_DRS }, QPI_CREDIT_FREE_BL_DRS, QPI_CREDIT_BL_DRS, 8 },
		{ LINE, { .class = QPI_NCB }, QPI_CREDIT_FREE_BL_NCB, QPI_CREDIT_BL_NCB, 2 },
		{ LINE, { .class = QPI_NCS }, QPI_CREDIT_FREE_BL_NCS, QPI_CREDIT_BL_NCS, 2 },
		{ LINE, { .class = QPI_HOM_RSP }, QPI_CREDIT_FREE_AD_HOM, QPI_CREDIT_AD_HOM, 28 },
		{ LINE, { .class = QPI_SNP }, QPI_CREDIT_FREE_AD_SNP, QPI_CREDIT_AD_SNP, 28 },
		{ LINE, { .class = QPI_NDR }, QPI_CREDIT_FREE_AK_NDR, QPI_CREDIT_AK_NDR, 6 },
		/* On its way to a third socket. */
		{ LINE, { .class = QPI_NDR, .through = true }, QPI_CREDIT_FREE_AD_NDR, QPI_CREDIT_AD_NDR, 8 },
	};
	static const struct qpi_conditions is = { .vna = QPI_ROOM };

	for (unsigned i = 0; i < LEN(rows); i++) {
		unsigned there, taken, l0, rx, l1;
		struct bench b;

		bench_open(&b, &is);
		there = meter_add(&b.link[1], SIG_QPI_CREDIT_FREE, rows[i].flag | QPI_CREDIT_FREE_VN0);
		taken = meter_add(&b.link[1], SIG_QPI_CREDIT, rows[i].taken | QPI_CREDIT_VN0);
		l0 = meter_add(&b.link[1], SIG_QPI_POWER, QPI_POWER_TX_L0);
		rx = meter_add(&b.link[1], SIG_QPI_POWER, QPI_POWER_RX_L0);
		l1 = meter_add(&b.link[1], SIG_QPI_POWER, QPI_POWER_L1);
		bench_start(&b);
		qpi_send(&b.lane, rows[i].packet, 0, 100 * NS, true);
		qpi_send(&b.lane, rows[i].packet, 0, 500 * NS, true);
		qpi_end_sleep(&b.end[1], 1000 * NS, true);
		qpi_end_sleep(&b.end[1], 1500 * NS, false);
		bench_close(&b, 2000 * NS);
		CHECK_EQ(rows[i].line, b.link[1].sum[there], rows[i].credits * 4000 - 2 * 8);
		CHECK_EQ(rows[i].line, b.link[1].sum[taken], 2);
		CHECK_EQ(rows[i].line, b.link[1].sum[l0], 3000);
		CHECK_EQ(rows[i].line, b.link[1].sum[rx], 3000);
		CHECK_EQ(rows[i].line, b.link[1].sum[l1], 1000);
		bench_free(&b);
	}
}

/* Lines of data for a core are tried to go to it at once: found in the table if it has said so, else not; a write-back is
 * no such line, nor is a completion. */
static void check_direct(void)
{
	static const struct { int line; struct qpi_packet packet; unsigned success, invalid; } rows[] = {
		{ LINE, { .class = QPI_DRS, .opcode = QPI_DATA_C, .core = true }, 1, 0 },
		{ LINE, { .class = QPI_DRS, .opcode = QPI_DATA_C_CMP, .core = true }, 1, 0 },
		{ LINE, { .class = QPI_DRS, .opcode = QPI_DATA_C }, 0, 1 },
		{ LINE, { .class = QPI_DRS, .opcode = QPI_WB_I_DATA }, 0, 0 },
		{ LINE, { .class = QPI_NDR, .opcode = QPI_CMP }, 0, 0 },
	};
	static const struct qpi_conditions is = { .vna = QPI_ROOM };

	for (unsigned i = 0; i < LEN(rows); i++) {
		struct bench b;
		unsigned success, any;

		bench_open(&b, &is);
		success = meter_add(&b.link[1], SIG_QPI_DIRECT2CORE, QPI_DIRECT2CORE_SUCCESS);
		any = meter_add(&b.link[1], SIG_QPI_DIRECT2CORE, 0);
		bench_start(&b);
		qpi_send(&b.lane, rows[i].packet, 0, T, true);
		bench_close(&b, 2 * T);
		CHECK_EQ(rows[i].line, b.link[1].sum[success], rows[i].success);
		CHECK_EQ(rows[i].line, b.link[1].sum[any], rows[i].success + rows[i].invalid);
		bench_free(&b);
	}
}

int main(void)
{
	check_credits(0);
	check_credits(1);
	check_classes();
	check_networks();
	check_stalls(false, false);
	check_stalls(false, true);
	check_stalls(true, false);
	check_stalls(true, true);
	check_errors();
	check_rate();
	check_narrow();
	check_hold();
	check_standing();
	check_direct();
	return check_done();
}
