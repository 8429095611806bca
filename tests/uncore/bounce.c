/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops that have no room, by hand.  Clocks are 500 ps; each ring of 18 cores has 13 stops, so a lap is 13 clocks.  A slice
 * has 20 entries for requests, 20 places for those that wait, 8 for those of devices, and raises distress with
 * 16 of the 20 (7 of the 8) taken.
 */
#include "rig.h"
#include "uncore/io/io.h"
#include "uncore/cbo/llc.h"
#include "uncore/qpi/r3.h"
#include "uncore/ring/sink.h"

enum { CLOCK = 500, LAP = 13, TOR = 20, IRQ = 20, MARK = 16, PRQ = 8, SNOOPS = 16, ANSWER = 42 };

/* Places of a queue of three, one after the other: who comes when, waits until when, goes round how often before. */
static void check_sink(void)
{
	static const struct { int line; unsigned when, until, laps; } rows[] = {
		{ LINE, 0, 10, 0 }, { LINE, 1, 12, 0 }, { LINE, 2, 30, 0 },
		{ LINE, 5, 14, 2 },		/* the place that is free at 10: by at 9, in at 13 */
		{ LINE, 5, 40, 2 },		/* free at 12: at 13 */
		{ LINE, 5, 50, 3 },		/* free at 14: at 17 */
		{ LINE, 29, 60, 1 },		/* free at 30: at 33 */
		{ LINE, 100, 101, 0 },		/* all have gone */
	};
	struct sink s = { .next = 0 };

	for (unsigned i = 0; i < LEN(rows); i++) {
		uint64_t laps = sink_laps(&s, 3, rows[i].when, 4);

		CHECK_EQ(rows[i].line, laps, rows[i].laps);
		CHECK(sink_crowded(&s, 3, rows[i].when) || laps == 0);
		sink_take(&s, rows[i].when, rows[i].until);
	}
}

/* One place: who is told first and comes later is in nobody's way before. */
static void check_sink_order(void)
{
	static const struct { int line; unsigned when, until, free; } rows[] = {
		{ LINE, 100, 200, 100 },
		{ LINE, 50, 90, 50 },		/* told later, gone before */
		{ LINE, 90, 95, 90 },
		{ LINE, 60, 80, 90 },		/* the one of 50 to 90 is in its way, no other */
		{ LINE, 100, 300, 200 },
		{ LINE, 150, 350, 300 },	/* behind both of 100 */
		{ LINE, 96, 97, 96 },
	};
	struct sink s = { .next = 0 };

	for (unsigned i = 0; i < LEN(rows); i++) {
		uint64_t free = sink_free(&s, 1, rows[i].when);

		CHECK_EQ(rows[i].line, free, rows[i].free);
		CHECK(sink_crowded(&s, 1, rows[i].when) || free == rows[i].when);
		sink_take(&s, rows[i].when, rows[i].until);
	}
}

/* How long at least so many of five are taken: until the second of them, or the fourth, has gone. */
static void check_mark(void)
{
	static const unsigned until[] = { 70, 40, 60, 50, 80 };
	struct sink s = { .next = 0 };

	for (unsigned i = 0; i < LEN(until); i++) {
		CHECK_EQ(__LINE__, sink_above(&s, 4, 10), 10);
		sink_take(&s, 10, until[i]);
		if (i >= 3)
			break;
	}
	CHECK_EQ(__LINE__, sink_above(&s, 4, 10), 40);	/* four, until the first has gone */
	sink_take(&s, 10, until[4]);
	CHECK_EQ(__LINE__, sink_above(&s, 4, 10), 50);	/* five, until two have */
	CHECK_EQ(__LINE__, sink_above(&s, 5, 10), 40);
	CHECK_EQ(__LINE__, sink_above(&s, 5, 40), 40);
}

/* The n-th line of a slice, in socket 0's memory. */
static uint64_t line_of(unsigned slice, unsigned n)
{
	static struct llc hash;
	uint64_t line = 0x100000;

	if (!hash.slices)
		CHECK_EQ(__LINE__, llc_init(&hash, RIG_CORES, 20), 0);
	for (;; line++)
		if (llc_slice(&hash, line) == slice && n-- == 0)
			return line;
}

static struct rig r;

static uint64_t send(unsigned core, enum leave_kind kind, uint64_t line, uint64_t when)
{
	struct fabric_request rq = { .line = line, .when = when, .core = (uint8_t)core, .kind = (uint8_t)kind };

	return fabric_request(r.f, &rq).when;
}

static void hear(const char *type, unsigned sig, uint64_t flags)
{
	rig_watch(&r, 0, type, sig, flags, flags);
}

/* While things still happen; and when all is over, lengths of states too. */
static uint64_t so_far(const char *type, unsigned sig, uint64_t flags)
{
	return rig_sum(&r, 0, type, sig, flags, flags);
}

static uint64_t heard(const char *type, unsigned sig, uint64_t flags)
{
	fabric_advance(r.f, 1000000000);
	return so_far(type, sig, flags);
}

static uint64_t slots(void)
{
	return so_far("cbo", SIG_CBO_RING_AD, 0) + so_far("r3qpi", SIG_R3QPI_RING_AD, 0) +
	       so_far("r2pcie", SIG_R2PCIE_RING_AD, 0) + so_far("ha", SIG_HA_RING_AD, 0) + so_far("sbo", SIG_SBO_RING_AD, 0);
}

static void hear_all(void)
{
	static const struct { const char *type; unsigned sig; uint64_t flags; } all[] = {
		{ "cbo", SIG_CBO_BOUNCE, CBO_BOUNCE_AD }, { "cbo", SIG_CBO_BOUNCE, CBO_BOUNCE_IV },
		{ "cbo", SIG_CBO_BOUNCE, 0 }, { "cbo", SIG_CBO_BOUNCE_CONTROL, 0 },
		{ "cbo", SIG_CBO_SINK_STARVED, CBO_SINK_STARVED_AD }, { "cbo", SIG_CBO_SINK_STARVED, CBO_SINK_STARVED_IV },
		{ "cbo", SIG_CBO_FAST, 0 }, { "sbo", SIG_SBO_FAST, 0 }, { "cbo", SIG_CBO_SRC_THRTL, 0 },
		{ "cbo", SIG_CBO_TXR_STARVED, CBO_TXR_STARVED_AD_CORE }, { "cbo", SIG_CBO_TXR_ADS, CBO_TXR_ADS_AD },
		{ "cbo", SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_IRQ }, { "cbo", SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_IPQ },
		{ "cbo", SIG_CBO_INT_STARVED, CBO_INT_STARVED_IRQ }, { "cbo", SIG_CBO_INT_STARVED, CBO_INT_STARVED_PRQ },
		{ "cbo", SIG_CBO_RXR, CBO_RXR_IRQ }, { "cbo", SIG_CBO_RXR, CBO_RXR_IRQ_REJ },
		{ "cbo", SIG_CBO_RXR, CBO_RXR_IPQ }, { "cbo", SIG_CBO_RXR, CBO_RXR_PRQ_REJ },
		{ "cbo", SIG_CBO_RING_AD, 0 }, { "r3qpi", SIG_R3QPI_RING_AD, 0 }, { "r2pcie", SIG_R2PCIE_RING_AD, 0 },
		{ "ha", SIG_HA_RING_AD, 0 }, { "sbo", SIG_SBO_RING_AD, 0 },
		{ "r2pcie", SIG_R2PCIE_NACK, R2PCIE_NACK_DN_AD }, { "r2pcie", SIG_R2PCIE_NACK, R2PCIE_NACK_UP_AD },
	};

	for (unsigned i = 0; i < LEN(all); i++)
		hear(all[i].type, all[i].sig, all[i].flags);
}

/* How long a miss of slice 0 holds its entry, and takes, alone. */
static uint64_t entry_held(uint64_t *takes)
{
	uint64_t held;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	hear("cbo", SIG_CBO_TOR, 0);
	*takes = send(13, LEAVE_DRD, line_of(0, 0), 1000000) - 1000000;
	held = heard("cbo", SIG_CBO_TOR, 0);
	rig_close(&r);
	return held;
}

/* Misses take all entries of slice 0, one in each of the 20 clocks before `when`; then n more come at once, and wait. */
static void crowd(unsigned n, uint64_t when)
{
	for (unsigned i = 0; i < TOR + n; i++)
		send(13, LEAVE_DRD, line_of(0, i), i < TOR ? when - (TOR - i) * CLOCK : when);
}

/* Who waits, waits for the entry that was taken 20 before.  With 20 of them waiting, the next one finds no place
 * before the first has gone. */
static void check_requests(bool listen)
{
	uint64_t alone, held = entry_held(&alone), first = held - TOR, laps = (first + LAP - 1) / LAP;
	uint64_t used, other, when = 1000000;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	if (listen)
		hear_all();
	crowd(IRQ, when);
	used = slots();
	CHECK_EQ(__LINE__, so_far("cbo", SIG_CBO_BOUNCE, 0), 0);
	/* It gets the entry of the 21st, which got that of the first. */
	CHECK_EQ(__LINE__, send(13, LEAVE_DRD, line_of(0, TOR + IRQ), when) - when, alone + (2 * held - TOR) * CLOCK);
	if (listen) {
		other = slots() - used;
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_BOUNCE, CBO_BOUNCE_AD), laps);
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_BOUNCE_CONTROL, 0), laps * LAP);
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_SINK_STARVED, CBO_SINK_STARVED_AD), (laps - 1) * LAP);
		/* Of 20, the fifth to go leaves 15; the one that bounced has the place of the first. */
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_FAST, 0), 8 * (first + 5));
		CHECK_EQ(__LINE__, heard("sbo", SIG_SBO_FAST, 0), 4 * (first + 5));
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_SRC_THRTL, 0), 0);
		/* The same message without bouncing, the next day. */
		used = slots();
		send(13, LEAVE_DRD, line_of(0, TOR + IRQ + 1), 500000000);
		CHECK_EQ(__LINE__, other, slots() - used + laps * LAP);
	}
	rig_close(&r);
}

/*
 * The wires go up when the 16th request has to wait, and down when the first has gone.  A core of that ring that wants to
 * send 20 clocks later holds back: it lets one request out after 32 clocks, one after 32 more, and so on; all others go when
 * the wires are down.
 */
static void check_throttle(bool listen)
{
	/* From core 13 to slice 0 it is a stop, four clocks through the switch, three stops. */
	uint64_t when = 1000000, takes, held = entry_held(&takes), down = held - TOR + 8 - 20, first, got[4];

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	if (listen)
		hear_all();
	for (unsigned i = 0; i < 4; i++)
		send(1, LEAVE_DRD, line_of(5, i), 10000 + 100000 * i);
	for (unsigned i = 0; i < 2; i++)
		send(14, LEAVE_DRD, line_of(5, 4), 600000 + 100000 * i);
	first = send(1, LEAVE_DRD, line_of(5, 0), 800000) - 800000;
	crowd(MARK, when);
	when += 20 * CLOCK;
	for (unsigned i = 0; i < 4; i++)
		got[i] = (send(1, LEAVE_DRD, line_of(5, i), when) - first - when) / CLOCK;
	CHECK(down > 96 && down < 96 + 16);
	CHECK_EQ(__LINE__, got[0], 32);
	CHECK_EQ(__LINE__, got[1], 64);
	CHECK_EQ(__LINE__, got[2], 96);
	CHECK_EQ(__LINE__, got[3], down);
	/* The other ring does not hold back. */
	first = send(14, LEAVE_DRD, line_of(5, 4), 1500000) - 1500000;
	CHECK_EQ(__LINE__, send(14, LEAVE_DRD, line_of(5, 4), when + 5 * CLOCK), first + when + 5 * CLOCK);
	if (listen) {
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_SRC_THRTL, 0), down);
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_TXR_STARVED, CBO_TXR_STARVED_AD_CORE), 3 * 16);
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_TXR_ADS, CBO_TXR_ADS_AD), 3);
		CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_BOUNCE, 0), 0);
	}
	rig_close(&r);
}

/* A core answers 16 snoops at a time, each in 42 clocks; the 17th and 18th, 16 and 17 clocks after the first, wait for the
 * first and second to be answered: two laps. */
static void check_snoops(void)
{
	uint64_t laps = (ANSWER - SNOOPS + LAP - 1) / LAP;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	hear_all();
	for (unsigned i = 0; i < SNOOPS + 2; i++)
		send(2, LEAVE_DRD, line_of(6, i), 10000 + 1000000 * i);
	for (unsigned i = 0; i < SNOOPS + 2; i++)
		send(3, LEAVE_CLFLUSH, line_of(6, i), 100000000);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_BOUNCE, CBO_BOUNCE_IV), 2 * laps);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_BOUNCE, CBO_BOUNCE_AD), 0);
	/* One after the other, a clock apart, so together a clock more than one. */
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_BOUNCE_CONTROL, 0), laps * LAP + 1);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_SINK_STARVED, CBO_SINK_STARVED_IV), (laps - 1) * LAP + 1);
	rig_close(&r);
}

/* Requests of the I/O have places of their own; R2PCIe hears of those that bounce. */
static void check_devices(void)
{
	uint64_t bounced, when = 1000000;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	hear_all();
	for (unsigned i = 0; i < TOR; i++)
		send(0, LEAVE_DRD, line_of(0, i), when);
	for (unsigned i = 0; i <= PRQ; i++) {
		struct fabric_io io = { .line = line_of(0, 100 + i), .when = when, .kind = FABRIC_IO_READ };

		CHECK_EQ(__LINE__, so_far("cbo", SIG_CBO_BOUNCE, 0), 0);
		fabric_io(r.f, &io);
	}
	bounced = heard("cbo", SIG_CBO_BOUNCE, CBO_BOUNCE_AD);
	CHECK(bounced > 0);
	/* From R2PCIe to the slice of core 0 is counter-clockwise, which is down on the left. */
	CHECK_EQ(__LINE__, heard("r2pcie", SIG_R2PCIE_NACK, R2PCIE_NACK_DN_AD), bounced);
	CHECK_EQ(__LINE__, heard("r2pcie", SIG_R2PCIE_NACK, R2PCIE_NACK_UP_AD), 0);
	rig_close(&r);
}

/* Lines of all slices for writes of a device at once: acknowledgements of slices near and far meet at R2PCIe, which takes one every
 * two clocks and lets two wait.  Nothing else is on the AK ring, so what is seen there is what ends there, or bounces. */
static void check_acks(void)
{
	uint64_t acks, bounced, lines = 120;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned i = 0; i < lines; i++)
		send(0, LEAVE_PF_LLC_RFO, 0x100000 + i, 10000 + 1000000 * i);
	hear("r2pcie", SIG_R2PCIE_RING_AK, 0);
	hear("r2pcie", SIG_R2PCIE_AK_BOUNCE, 0);
	hear("r2pcie", SIG_R2PCIE_AK_BOUNCE, R2PCIE_AK_BOUNCE_UP);
	hear("r2pcie", SIG_R2PCIE_AK_BOUNCE, R2PCIE_AK_BOUNCE_DN);
	hear("irp", SIG_IRP_AK_INSERT, 0);
	for (unsigned i = 0; i < lines; i++) {
		struct fabric_io io = { .line = 0x100000 + i, .when = 500000000, .kind = FABRIC_IO_WRITE };

		fabric_io(r.f, &io);
	}
	fabric_io_advance(r.f, 900000000);
	acks = so_far("irp", SIG_IRP_AK_INSERT, 0);
	bounced = so_far("r2pcie", SIG_R2PCIE_AK_BOUNCE, 0);
	CHECK_EQ(__LINE__, acks, 2 * lines);	/* owned, and written */
	CHECK(bounced > 0);
	CHECK_EQ(__LINE__, so_far("r2pcie", SIG_R2PCIE_RING_AK, 0), acks + bounced);
	CHECK_EQ(__LINE__, so_far("r2pcie", SIG_R2PCIE_AK_BOUNCE, R2PCIE_AK_BOUNCE_UP) +
		 so_far("r2pcie", SIG_R2PCIE_AK_BOUNCE, R2PCIE_AK_BOUNCE_DN), bounced);
	rig_close(&r);
}

/*
 * Writes one by one at the pace of a link, every other line out of memory.  Its acknowledgement comes long after those of the
 * writes behind it: that it will have to wait then is no reason for these to bounce now.
 */
static void check_acks_in_turn(void)
{
	uint64_t lines = 2000, bounced;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned i = 0; i < lines; i += 2)
		send(0, LEAVE_PF_LLC_RFO, 0x100000 + i, 10000 + 1000000 * i);
	hear("r2pcie", SIG_R2PCIE_AK_BOUNCE, 0);
	for (unsigned i = 0; i < lines; i++) {
		struct fabric_io io = { .line = 0x100000 + i, .when = 3000000000 + 4000 * i, .kind = FABRIC_IO_WRITE };

		fabric_io(r.f, &io);
	}
	fabric_io_advance(r.f, 4000000000);
	bounced = so_far("r2pcie", SIG_R2PCIE_AK_BOUNCE, 0);
	printf("acknowledgements that bounce: %u of %u\n", (unsigned)bounced, (unsigned)(2 * lines));
	CHECK(bounced * 25 < 2 * lines);
	rig_close(&r);
}

/* Credits of R3QPI for a slice, of which there are two, and for a home agent, of which there are four: when none is left. */
static void check_r3_credits(void)
{
	static const struct { unsigned from, to; } stays[] = { { 0, 10 }, { 2, 8 }, { 5, 20 }, { 6, 7 }, { 30, 40 } };
	static const struct { int line; unsigned credit; uint64_t empty; } rows[] = {
		{ LINE, R3_CBO, 8 }, { LINE, R3_CBO + 17, 8 },		/* two or more: 2 to 10 */
		{ LINE, R3_HA, 1 }, { LINE, R3_R2_NCB, 1 }, { LINE, R3_R2_NCS, 1 },	/* four: 6 to 7 */
	};

	rig_open(&r, 1, 1, 20, FABRIC_SNOOP_SOURCE);
	for (unsigned i = 0; i < LEN(rows); i++) {
		struct signal_port *p = &r.port[0][0].port;
		struct r3 r3;

		for (unsigned k = 0; r.port[0][k].type && strcmp(r.port[0][k].type, "r3qpi") != 0; k++)
			p = &r.port[0][k + 1].port;
		hear("r3qpi", SIG_R3QPI_NO_CREDIT, UINT64_C(1) << rows[i].credit);
		r3_init(&r3);
		for (unsigned k = 0; k < LEN(stays); k++)
			r3_use(&r3, p, rows[i].credit, 100000 * i + stays[k].from * CLOCK, 100000 * i + stays[k].to * CLOCK);
		r3_advance(&r3, p, 100000 * i + 50 * CLOCK);
		CHECK_EQ(rows[i].line, so_far("r3qpi", SIG_R3QPI_NO_CREDIT, UINT64_C(1) << rows[i].credit), rows[i].empty);
		r3_free(&r3);
	}
	rig_close(&r);
}

/* Those for R2PCIe: who finds all four taken waits for the first that is back.  Each kind has its own. */
static void check_r3_waits(void)
{
	static const struct { int line; unsigned from, to; bool none; } uses[] = {
		{ LINE, 0, 10, false }, { LINE, 2, 8, false }, { LINE, 5, 20, false }, { LINE, 6, 12, false },
		{ LINE, 7, 15, true },		/* the one that is back at 8 */
		{ LINE, 9, 11, true },		/* at 10 */
		{ LINE, 11, 30, false }, { LINE, 11, 30, true }, { LINE, 30, 40, false },
	};
	struct r3 r3;

	rig_open(&r, 1, 1, 20, FABRIC_SNOOP_SOURCE);
	r3_init(&r3);
	for (unsigned i = 0; i < LEN(uses); i++)
		for (unsigned credit = R3_R2_NCB; credit <= R3_R2_NCS; credit++)
			CHECK_EQ(uses[i].line, r3_use_for_io(&r3, &r.port[0][0].port, credit, uses[i].from * CLOCK, uses[i].to * CLOCK),
				 uses[i].none);
	r3_free(&r3);
	rig_close(&r);
}

/* A request for a line that is on its way is tried every 20 clocks, and starves from the fourth try on. */
static void check_tries(void)
{
	uint64_t line = line_of(0, 0);
	struct fabric_io io = { .line = line_of(0, 1), .when = 5050000, .kind = FABRIC_IO_READ };

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	hear_all();
	send(0, LEAVE_DRD, line, 1000000);
	send(1, LEAVE_DRD, line, 1001000);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_INT_STARVED, CBO_INT_STARVED_IRQ) + 4 * 20,
		 heard("cbo", SIG_CBO_RXR, CBO_RXR_IRQ_REJ));
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_INT_STARVED, CBO_INT_STARVED_PRQ), 0);
	/* Too late to starve: the line is there before the fourth try. */
	send(0, LEAVE_DRD, io.line, 5000000);
	fabric_io(r.f, &io);
	CHECK(heard("cbo", SIG_CBO_RXR, CBO_RXR_PRQ_REJ) > 0);
	CHECK(heard("cbo", SIG_CBO_RXR, CBO_RXR_PRQ_REJ) <= 4 * 20);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_INT_STARVED, CBO_INT_STARVED_PRQ), 0);
	rig_close(&r);
}

/* Fourteen requests and, behind them, a device's want the pipeline at once: those that wait more than 8 clocks, and only if
 * another queue got it in between, are starved by others. */
static void check_arbitration(void)
{
	struct fabric_io io = { .line = line_of(0, 50), .kind = FABRIC_IO_READ };
	uint64_t when = 1000000, prq;

	rig_open(&r, 1, RIG_CORES, 20, FABRIC_SNOOP_SOURCE);
	hear_all();
	hear("cbo", SIG_CBO_RXR, CBO_RXR_PRQ);
	hear("cbo", SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_PRQ);
	for (unsigned i = 0; i < 14; i++)
		send(0, LEAVE_DRD, line_of(0, i), when);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_RXR, CBO_RXR_IRQ), 13 * 14 / 2);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_IRQ), 0);	/* among themselves */
	io.when = when - 6 * CLOCK;	/* out of the IRP in 10 clocks and a stop away, where the core is out in 5 */
	fabric_io(r.f, &io);
	prq = heard("cbo", SIG_CBO_RXR, CBO_RXR_PRQ);
	CHECK(prq > 8);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_PRQ), prq - 8);
	/* The next core's request comes after the device's. */
	send(0, LEAVE_DRD, line_of(0, 14), when);
	CHECK_EQ(__LINE__, heard("cbo", SIG_CBO_EXT_STARVED, CBO_EXT_STARVED_IRQ), 15 - 8);
	rig_close(&r);
}

int main(void)
{
	check_sink();
	check_sink_order();
	check_mark();
	check_requests(true);
	check_requests(false);
	check_throttle(true);
	check_throttle(false);
	check_snoops();
	check_devices();
	check_acks();
	check_acks_in_turn();
	check_r3_credits();
	check_r3_waits();
	check_tries();
	check_arbitration();
	return check_done();
}
