/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues of a home agent: who waits in them, for how long, and what a crowd comes to. */
#include "ha_rig.h"

/* Two tracker entries: the third request waits until the first has left. */
static void check_tracker(void)
{
	struct rig r;
	unsigned full, gp, ne, local, remote, bt, bt_local, bt_remote, bt_ne, ne_local, ne_remote, bypass;
	uint64_t done[3], from = 1000000 / PERIOD, clock[3];

	rig_init(&r, HA_SNOOP_SOURCE);
	r.hc.trackers = 2;
	r.hc.reserved = 1;
	rig_start(&r, NULL);
	full = meter_add(&r.m, SIG_HA_TRACKER_FULL, HA_TRACKER_FULL_ALL);
	gp = meter_add(&r.m, SIG_HA_TRACKER_FULL, HA_TRACKER_FULL_GP);
	ne = meter_add(&r.m, SIG_HA_TRACKER_NE, HA_TRACKER_NE_ALL);
	local = meter_add(&r.m, SIG_HA_TRACKER, HA_TRACKER_READ_LOCAL);
	remote = meter_add(&r.m, SIG_HA_TRACKER, HA_TRACKER_READ_REMOTE);
	bt = meter_add(&r.m, SIG_HA_BT, 0);
	bt_local = meter_add(&r.m, SIG_HA_BT, HA_BT_READ_LOCAL);
	bt_remote = meter_add(&r.m, SIG_HA_BT, HA_BT_READ_REMOTE);
	bt_ne = meter_add(&r.m, SIG_HA_BT_NE, HA_BT_NE_ALL);
	ne_local = meter_add(&r.m, SIG_HA_BT_NE, HA_BT_NE_LOCAL);
	ne_remote = meter_add(&r.m, SIG_HA_BT_NE, HA_BT_NE_REMOTE);
	bypass = meter_add(&r.m, SIG_HA_ENTRY, HA_ENTRY_BYPASS);
	for (unsigned i = 0; i < 3; i++) {
		done[i] = rig_ask(&r, i, HA_RD_DATA, i == 1 ? OTHER : HOME, 1000000).done;
		clock[i] = done[i] / PERIOD;
	}
	rig_until(&r, 3000000);
	/* Lines 0 and 1 are on different channels, so that the second is done like the first. */
	CHECK_EQ(__LINE__, clock[1] == clock[0] && clock[2] > clock[0] + 100, 1);
	CHECK_EQ(__LINE__, r.m.sum[full], clock[0] - from);
	CHECK_EQ(__LINE__, r.m.sum[gp], clock[2] - from);
	CHECK_EQ(__LINE__, r.m.sum[ne], clock[2] - from);
	CHECK_EQ(__LINE__, r.m.sum[local], clock[0] - from + clock[2] - clock[0]);
	CHECK_EQ(__LINE__, r.m.sum[remote], clock[1] - from);
	/* The first found all empty and went past the scheduler: it is not in the backup tracker. */
	CHECK_EQ(__LINE__, r.m.sum[bt], clock[1] - from + clock[2] - from);
	CHECK_EQ(__LINE__, r.m.sum[bt_local], clock[2] - from);
	CHECK_EQ(__LINE__, r.m.sum[bt_remote], clock[1] - from);
	CHECK_EQ(__LINE__, r.m.sum[bt_ne], clock[2] - from);
	CHECK_EQ(__LINE__, r.m.sum[ne_local], clock[2] - from);
	CHECK_EQ(__LINE__, r.m.sum[ne_remote], clock[1] - from);
	/* The third had to wait for its entry. */
	CHECK_EQ(__LINE__, r.m.sum[bypass], 2);
	rig_free(&r);
}

/* Two entries, taken; a third request waits for the second of them, and a clock longer, because a
 * write-back comes in just then. */
static void check_hazard(void)
{
	for (unsigned data = 0; data < 2; data++) {
		struct rig r;
		unsigned wait, lost, response;
		uint64_t free, wrote;

		rig_init(&r, HA_SNOOP_SOURCE);
		r.hc.trackers = 2;
		r.hc.reserved = 0;
		rig_start(&r, NULL);
		wait = meter_add(&r.m, SIG_HA_ENTRY_WAIT, 0);
		lost = meter_add(&r.m, SIG_HA_NOT_ISSUED, HA_NOT_ISSUED_DATA | HA_NOT_ISSUED_WRITE_BACK);
		response = meter_add(&r.m, SIG_HA_NOT_ISSUED, HA_NOT_ISSUED_RESPONSE);
		rig_ask(&r, 0, HA_RD_DATA, HOME, 50000);
		free = rig_ask(&r, 2, HA_RD_DATA, HOME, 50000).done;	/* of the same channel: later */
		wrote = free + (data ? 0 : 2 * PERIOD);
		rig_ask(&r, 4, HA_WB_MTOI, HOME, wrote);
		rig_ask(&r, 1, HA_RD_DATA, HOME, 60000);
		rig_until(&r, 3000000);
		CHECK_EQ(__LINE__, r.m.sum[wait], free / PERIOD + data - 60000 / PERIOD);
		CHECK_EQ(__LINE__, r.m.sum[lost], data);
		CHECK_EQ(__LINE__, r.m.sum[response], 0);
		rig_free(&r);
	}
}

/* Two requests for one line follow each other; it is a conflict if two sockets ask. */
static void check_conflict(void)
{
	for (unsigned other = 0; other < 2; other++) {
		struct rig r;
		unsigned conflict;
		uint64_t first, second;

		rig_init(&r, HA_SNOOP_SOURCE);
		rig_start(&r, NULL);
		conflict = meter_add(&r.m, SIG_HA_CONFLICT, 0);
		first = rig_ask(&r, 5, HA_RD_DATA, HOME, 1000000).done;
		second = rig_ask(&r, 5, HA_RD_DATA, other ? OTHER : HOME, 1004000).done;
		rig_until(&r, 3000000);
		/* A row hit, yet not before the first is through. */
		CHECK_EQ(__LINE__, second > first + 8 * PERIOD + 8 * PERIOD, 1);
		CHECK_EQ(__LINE__, r.m.sum[conflict], other ? first / PERIOD - 1004000 / PERIOD : 0);
		rig_free(&r);
	}
}

/* Many requests: what comes in at one end goes out at the others. */
static void check_crowd(void)
{
	enum { N = 20000 };
	struct rig r;
	unsigned taken, not_taken, reads, writes, bl, ak, ad, tad[2], tracker, occupancy, pulses;
	unsigned rd, wr, read_hit, write_hit, insert, no_credit;
	uint64_t seed = 88172645463325252, when = 1000000, end = 0, stay = 0, lines[2] = { 0 };
	unsigned asked[3] = { 0 };

	rig_init(&r, HA_SNOOP_SOURCE);
	rig_start(&r, NULL);
	taken = meter_add(&r.m, SIG_HA_BYPASS, HA_BYPASS_TAKEN);
	not_taken = meter_add(&r.m, SIG_HA_BYPASS, HA_BYPASS_NOT_TAKEN);
	reads = meter_add(&r.m, SIG_HA_IMC_READ, 0);
	writes = meter_add(&r.m, SIG_HA_IMC_WRITE, 0);
	bl = meter_add(&r.m, SIG_HA_TX_BL, 0);
	ak = meter_add(&r.m, SIG_HA_TX_AK, 0);
	ad = meter_add(&r.m, SIG_HA_TX_AD, HA_TX_AD_NDR);
	tad[0] = meter_add(&r.m, SIG_HA_TAD, HA_TAD_REGION0);
	tad[1] = meter_add(&r.m, SIG_HA_TAD, HA_TAD_REGION1);
	tracker = meter_add(&r.m, SIG_HA_TRACKER, 0);
	occupancy = meter_add(&r.m, SIG_HA_TX_BL_OCCUPANCY, 0);
	pulses = meter_add(&r.m, SIG_HA_PACKET, HA_PACKET_AD);
	no_credit = meter_add(&r.m, SIG_HA_RPQ_NO_CREDIT, 0);
	rd = meter_add(&r.d, SIG_IMC_CAS, IMC_CAS_RD_REG);
	wr = meter_add(&r.d, SIG_IMC_CAS, IMC_CAS_WR);
	read_hit = meter_add(&r.d, SIG_IMC_WPQ_READ_HIT, 0);
	write_hit = meter_add(&r.d, SIG_IMC_WPQ_WRITE_HIT, 0);
	insert = meter_add(&r.d, SIG_IMC_RPQ_INSERT, 0);
	for (unsigned i = 0; i < N; i++) {
		static const uint8_t opcode[] = { HA_RD_DATA, HA_WB_MTOI, HA_INV_ITOE };
		unsigned kind = check_random(&seed) % 8 < 5 ? 0 : 1 + check_random(&seed) % 2;
		uint64_t line = (i * 577 + check_random(&seed) % 64) % LINES, done;

		when += 8000 + check_random(&seed) % 8000;
		asked[kind]++;
		lines[line >= LINES / 4]++;
		done = rig_ask(&r, line, opcode[kind], check_random(&seed) % 2, when).done;
		stay += done / PERIOD - when / PERIOD;
		end = done > end ? done : end;
	}
	rig_until(&r, end + 50000000);
	CHECK_EQ(__LINE__, r.m.sum[reads] + r.m.sum[taken], asked[0]);
	CHECK_EQ(__LINE__, r.m.sum[reads], r.m.sum[not_taken]);
	CHECK_EQ(__LINE__, r.m.sum[writes], asked[1]);
	CHECK_EQ(__LINE__, r.m.sum[bl], asked[0]);
	CHECK_EQ(__LINE__, r.m.sum[ak] + r.m.sum[ad], asked[1] + asked[2]);
	CHECK_EQ(__LINE__, r.m.sum[tad[0]], lines[0]);
	CHECK_EQ(__LINE__, r.m.sum[tad[1]], lines[1]);
	CHECK_EQ(__LINE__, r.m.sum[tracker], stay);
	CHECK_EQ(__LINE__, r.m.sum[pulses], N);
	/* Two slots for each line, and it rarely waits for them. */
	CHECK_EQ(__LINE__, r.m.sum[occupancy] >= 2 * r.m.sum[bl], 1);
	CHECK_EQ(__LINE__, r.m.sum[occupancy] < 3 * r.m.sum[bl], 1);
	CHECK_EQ(__LINE__, r.d.sum[rd] + r.d.sum[read_hit], asked[0]);
	CHECK_EQ(__LINE__, r.d.sum[wr] + r.d.sum[write_hit], asked[1]);
	CHECK_EQ(__LINE__, r.d.sum[insert], asked[0]);
	CHECK_EQ(__LINE__, r.m.sum[no_credit], 0);
	rig_free(&r);
}

/* A crowd before few entries: whoever waits, waits as long whether somebody listens or not. */
static uint64_t crowd_times(bool plain, int64_t *lost)
{
	struct rig r;
	uint64_t seed = 88172645463325252, when = 1000000, times = 0;

	rig_init(&r, HA_SNOOP_SOURCE);
	r.hc.trackers = 12;
	rig_start(&r, NULL);
	if (plain)
		ha_rewatch(r.ha);
	else
		meter_add(&r.m, SIG_HA_NOT_ISSUED, 0);
	for (unsigned i = 0; i < 20000; i++) {
		struct ha_request rq = {
			.line = LINES + check_random(&seed) % LINES, .when = when - check_random(&seed) % 8 * 1000,
			.opcode = check_random(&seed) % 4 ? HA_RD_DATA : HA_WB_MTOI, .socket = HOME,
		};

		rq.responses = rq.opcode == HA_RD_DATA;
		rq.response[0] = (struct ha_response){ rq.when + 30000 + check_random(&seed) % 40000, HA_RSP_I, OTHER };
		times = (times ^ ha_request(r.ha, &rq).done) * UINT64_C(0x100000001b3);
		when += check_random(&seed) % 16000;
	}
	rig_until(&r, when + 50000000);
	*lost = r.m.sum[0];
	rig_free(&r);
	return times;
}

static void check_same(void)
{
	int64_t lost[2];

	CHECK_EQ(__LINE__, crowd_times(true, &lost[0]), crowd_times(false, &lost[1]));
	CHECK_EQ(__LINE__, lost[1] > 50, 1);
}

/* One credit for reads: none is left while a read is in the queue, and until it is back. */
static void check_credits(void)
{
	struct rig r;
	unsigned none[2], write;

	rig_init(&r, HA_SNOOP_SOURCE);
	r.ic.rpq = 1;
	r.ic.wpq = 3;
	r.ic.wmm_high = 3;
	r.ic.wmm_low = 0;
	rig_start(&r, NULL);
	none[0] = meter_add(&r.m, SIG_HA_RPQ_NO_CREDIT, HA_RPQ_NO_CREDIT_CHN0);
	none[1] = meter_add(&r.m, SIG_HA_RPQ_NO_CREDIT, HA_RPQ_NO_CREDIT_CHN1);
	write = meter_add(&r.m, SIG_HA_WPQ_NO_CREDIT, HA_WPQ_NO_CREDIT_CHN0);
	/* Issued at dclk 1071, CAS at 1092, credit at 1098: 1004063 to 1029375 ps. */
	rig_ask(&r, 0, HA_RD_DATA, HOME, 1000000);
	rig_until(&r, 1900000);
	CHECK_EQ(__LINE__, r.m.sum[none[0]], 1029376 / PERIOD - 1004064 / PERIOD);
	CHECK_EQ(__LINE__, r.m.sum[none[1]], 0);
	/* Three writes for channel 0 and one row of it, posted at dclk 2137 (2003437 ps): the queue
	 * is full, and drains at once: ACT 2137 + 8, CAS 2160, credit 2166 (2030625 ps). */
	for (unsigned i = 0; i < 3; i++)
		rig_ask(&r, LINES / 2 + 8 * i, HA_WB_MTOI, HOME, 2000000);
	rig_until(&r, 2900000);
	CHECK_EQ(__LINE__, r.m.sum[write], 2030625 / PERIOD - 2003437 / PERIOD);
	rig_free(&r);
}

/* Sixteen credits for a link: with the sixteenth message under way there is none, until fewer are. */
static void check_link_credits(void)
{
	struct rig r;
	unsigned none[2], other;

	rig_init(&r, HA_SNOOP_SOURCE);
	rig_start(&r, NULL);
	none[0] = meter_add(&r.m, SIG_HA_IGR_NO_CREDIT, HA_IGR_NO_CREDIT_BL_QPI1);
	none[1] = meter_add(&r.m, SIG_HA_IGR_NO_CREDIT, HA_IGR_NO_CREDIT_AD_QPI1);
	other = meter_add(&r.m, SIG_HA_IGR_NO_CREDIT, 0);
	for (unsigned i = 0; i < 17; i++) {
		uint64_t from = 1000000 + i * PERIOD;

		ha_link_credit(r.ha, true, 1, from, from + 100 * PERIOD);
		if (i < 15)
			ha_link_credit(r.ha, false, 1, from, from + 100 * PERIOD);
	}
	rig_until(&r, 2000000);
	/* The sixteenth comes in clock 15; after the first has gone in 100 there are sixteen left, until 101. */
	CHECK_EQ(__LINE__, r.m.sum[none[0]], 101 - 15);
	CHECK_EQ(__LINE__, r.m.sum[none[1]], 0);
	CHECK_EQ(__LINE__, r.m.sum[other], 101 - 15);
	rig_free(&r);
}

/* Every answer of memory is damaged: the eighth is right all the same. */
static void check_retry(void)
{
	struct rig r;
	unsigned retry, reads, bypass, insert;
	uint64_t data;

	rig_init(&r, HA_SNOOP_SOURCE);
	rig_start(&r, NULL);
	retry = meter_add(&r.m, SIG_HA_RETRY, 0);
	reads = meter_add(&r.m, SIG_HA_IMC_READ, 0);
	bypass = meter_add(&r.m, SIG_HA_BYPASS, HA_BYPASS_TAKEN);
	insert = meter_add(&r.d, SIG_IMC_RPQ_INSERT, 0);
	rig_ask(&r, 0, HA_RD_DATA, HOME, 1000000);
	ha_errors(r.ha, chance_start(UINT64_MAX, 1, 0));
	data = rig_ask(&r, 0, HA_RD_DATA, HOME, 2000000).data;
	rig_ask(&r, 1, HA_WB_MTOI, HOME, 3000000);
	rig_until(&r, 4000000);
	CHECK_EQ(__LINE__, r.m.sum[retry], 7);
	CHECK_EQ(__LINE__, r.m.sum[reads] + r.m.sum[bypass], 1 + 8);
	CHECK_EQ(__LINE__, r.d.sum[insert], 1 + 8);
	/* As check_latency(), from dclk 2137 on 48. Each time again: 8 uclk make 4 dclk, 33 for a row hit past
	 * the scheduler: 2444, at 2291249.3 ps. */
	CHECK_EQ(__LINE__, data, 2291250 + 8 * PERIOD + 2 * PERIOD);
	rig_free(&r);
}

int main(void)
{
	check_tracker();
	check_hazard();
	check_conflict();
	check_crowd();
	check_same();
	check_credits();
	check_link_credits();
	check_retry();
	return check_done();
}
