/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a slice does again, by hand: its data egress backs up, credits are out, the ages of a set change.  Clocks are 500 ps;
 * who is sent back tries again after 20 clocks.
 */
#include "rig.h"
#include "uncore/io/io.h"
#include "uncore/cbo/llc.h"

enum { CLOCK = 500, RETRY = 20 };

/* Lines of a slice in socket 0's memory: the n-th from `line` on of those that are `step` apart. */
static uint64_t find(unsigned slice, uint64_t line, unsigned step, unsigned n)
{
	static struct llc hash;

	if (!hash.slices)
		CHECK_EQ(__LINE__, llc_init(&hash, RIG_CORES, 20), 0);
	for (;; line += step)
		if (llc_slice(&hash, line) == slice && n-- == 0)
			return line;
}

static uint64_t line_of(unsigned n)
{
	return find(0, 0x100000, 1, n);
}

/* The n-th line of the same set. */
static uint64_t rival(uint64_t line, unsigned n)
{
	return find(0, line, LLC_SETS, n);
}

static struct rig r;

static uint64_t send(unsigned core, enum leave_kind kind, uint64_t line, uint64_t when)
{
	struct fabric_request rq = { .line = line, .when = when, .core = (uint8_t)core, .kind = (uint8_t)kind };

	return fabric_request(r.f, &rq).when;
}

static const struct { unsigned sig; uint64_t flags; } heard[] = {
	{ SIG_CBO_IRQ_RETRY, 0 }, { SIG_CBO_IRQ_RETRY, CBO_IRQ_RETRY_FULL }, { SIG_CBO_IRQ_RETRY, CBO_IRQ_RETRY_IIO_CREDITS },
	{ SIG_CBO_ISMQ_RETRY, CBO_ISMQ_RETRY_WB_CREDITS }, { SIG_CBO_TOR, CBO_TOR_EVICT },
	{ SIG_CBO_TXR_STARVED, CBO_TXR_STARVED_BL }, { SIG_CBO_TXR_ADS, CBO_TXR_ADS_BL },
	{ SIG_CBO_QLRU, CBO_QLRU_AGE2 }, { SIG_CBO_QLRU, CBO_QLRU_AGE3 }, { SIG_CBO_QLRU, CBO_QLRU_LRU_DECREMENT },
	{ SIG_CBO_QLRU, CBO_QLRU_VICTIM_NON_ZERO }, { SIG_CBO_QLRU, CBO_QLRU_AGE0 | CBO_QLRU_AGE1 },
};

static void open_rig(unsigned ways, bool listen)
{
	rig_open(&r, 1, RIG_CORES, ways, FABRIC_SNOOP_SOURCE);
	for (unsigned i = 0; listen && i < LEN(heard); i++)
		rig_watch(&r, 0, "cbo", heard[i].sig, heard[i].flags, heard[i].flags);
}

static uint64_t sum(unsigned sig, uint64_t flags)
{
	fabric_advance(r.f, 1000000000);
	return rig_sum(&r, 0, "cbo", sig, flags, flags);
}

/*
 * Hits come a clock apart, their data leaves two clocks apart: number i waits i clocks.  It starves after 16; the first that
 * would wait more than 32 is let out, those behind it find 16 lines in the egress and are sent back once.
 */
static void check_egress(bool listen)
{
	uint64_t alone, when = 10000000;

	open_rig(20, listen);
	for (unsigned i = 0; i < 36; i++)
		send(0, LEAVE_DRD, line_of(i), 10000 + 100000 * i);
	alone = send(0, LEAVE_DRD, line_of(0), 9000000) - 9000000;
	for (unsigned i = 0; i < 36; i++) {
		uint64_t waits = send(0, LEAVE_DRD, line_of(i), when + i * CLOCK) - when - i * CLOCK - alone;

		CHECK_EQ(__LINE__, waits, (i == 33 ? 32 : i) * CLOCK);
	}
	if (listen) {
		CHECK_EQ(__LINE__, sum(SIG_CBO_TXR_ADS, CBO_TXR_ADS_BL), 1);
		CHECK_EQ(__LINE__, sum(SIG_CBO_IRQ_RETRY, CBO_IRQ_RETRY_FULL), 2);
		CHECK_EQ(__LINE__, sum(SIG_CBO_IRQ_RETRY, 0), 2);
		/* Number 17 from clock 33 to 34, and so on; number 33 until clock 65. */
		CHECK_EQ(__LINE__, sum(SIG_CBO_TXR_STARVED, CBO_TXR_STARVED_BL), 65 - 33);
	}
	rig_close(&r);
}

/*
 * Core 0 has a line of its own slice, core 1 wants it twice, a clock apart.  The first time core 0 is asked: 42 clocks, 20 more if it
 * has written to the line, and 8 until the data leaves; as long the second request is sent back, every 20 clocks.  Then it looks at the
 * tags again, 9, and its data leaves after 8, or after core 0 has been asked again.
 */
static const struct asked {
	int line;
	uint8_t has, first, second;
	bool written;
	unsigned tries, later;
} asks[] = {
	{ LINE, LEAVE_DRD, LEAVE_DRD, LEAVE_DRD, false, 3, 9 + 8 },		/* (50 - 1) / 20 */
	{ LINE, LEAVE_RFO, LEAVE_DRD, LEAVE_DRD, true, 4, 9 + 8 },		/* (70 - 1) / 20 */
	{ LINE, LEAVE_RFO, LEAVE_RFO, LEAVE_DRD, true, 4, 9 + 8 },
	{ LINE, LEAVE_DRD, LEAVE_DRD, LEAVE_RFO, false, 3, 9 + 42 + 8 },
};

static void check_asked(const struct asked *a, bool listen)
{
	uint64_t when = 10000000, first, alone;

	open_rig(20, listen);
	if (listen)
		rig_watch(&r, 0, "cbo", SIG_CBO_IRQ_RETRY, CBO_IRQ_RETRY_ADDR_CONFLICT, CBO_IRQ_RETRY_ADDR_CONFLICT);
	send(1, LEAVE_CRD, line_of(1), 1000000);
	alone = send(1, LEAVE_CRD, line_of(1), 2000000) - 2000000;
	send(0, (enum leave_kind)a->has, line_of(0), 3000000);
	if (a->written)
		send(0, LEAVE_DIRTY, line_of(0), 3000000);
	first = send(1, (enum leave_kind)a->first, line_of(0), when);
	CHECK_EQ(a->line, send(1, (enum leave_kind)a->second, line_of(0), when + CLOCK) - first, a->later * CLOCK);
	/* Other lines are let in, and this one afterwards. */
	CHECK_EQ(a->line, send(1, LEAVE_CRD, line_of(1), when + 2 * CLOCK) - when - 2 * CLOCK, alone);
	CHECK_EQ(a->line, send(1, LEAVE_CRD, line_of(0), when + 1000000) - when - 1000000, alone);
	if (listen) {
		CHECK_EQ(a->line, sum(SIG_CBO_IRQ_RETRY, CBO_IRQ_RETRY_ADDR_CONFLICT), a->tries);
		CHECK_EQ(a->line, sum(SIG_CBO_IRQ_RETRY, 0), a->tries);
	}
	rig_close(&r);
}

/* Two cores read a device through one slice.  Its credit comes back after two stops there and two back; who comes a clock
 * after the first is sent back once. */
static void check_device_credit(bool listen)
{
	uint64_t first;

	open_rig(20, listen);
	first = send(0, LEAVE_UC_READ, line_of(0), 1000000);
	CHECK_EQ(__LINE__, send(0, LEAVE_UC_READ, line_of(1), 1000000) - first, (1 + RETRY) * CLOCK);
	/* Four clocks later it is there. */
	first = send(0, LEAVE_UC_READ, line_of(0), 9000000);
	CHECK_EQ(__LINE__, send(0, LEAVE_UC_READ, line_of(1), 9000000 + 4 * CLOCK) - first, 4 * CLOCK);
	if (listen) {
		CHECK_EQ(__LINE__, sum(SIG_CBO_IRQ_RETRY, CBO_IRQ_RETRY_IIO_CREDITS), 1);
		CHECK_EQ(__LINE__, sum(SIG_CBO_IRQ_RETRY, 0), 1);
	}
	rig_close(&r);
}

/* Modified lines of n sets, of which the slice keeps one each, are driven out a clock apart.  Returns for how long they have
 * entries. */
static uint64_t drive_out(unsigned n, uint64_t *tries)
{
	uint64_t clocks;

	open_rig(1, true);
	for (unsigned i = 0; i < n; i++) {
		uint64_t line = line_of(i);

		send(0, LEAVE_RFO, line, 1000000 * (i + 1));
		send(0, LEAVE_DIRTY, line, 1000000 * (i + 1));
		send(0, LEAVE_WB_M, line, 1000000 * (i + 1) + 500000);
	}
	for (unsigned i = 0; i < n; i++)
		send(0, LEAVE_DRD, rival(line_of(i), 1), 100000000 + i * CLOCK);
	*tries = sum(SIG_CBO_ISMQ_RETRY, CBO_ISMQ_RETRY_WB_CREDITS);
	clocks = sum(SIG_CBO_TOR, CBO_TOR_EVICT);
	rig_close(&r);
	return clocks;
}

/* A slice has four credits for them; the fifth waits until the first is back, and has its entry so much longer. */
static void check_write_credits(void)
{
	uint64_t tries, alone = drive_out(1, &tries), credit = alone - 2, wants;

	CHECK_EQ(__LINE__, tries, 0);
	CHECK_EQ(__LINE__, drive_out(4, &tries), 4 * alone);
	CHECK_EQ(__LINE__, tries, 0);
	/* It comes four clocks after the first. */
	wants = (credit - 4 + RETRY - 1) / RETRY;
	CHECK_EQ(__LINE__, drive_out(5, &tries), 5 * alone + wants * RETRY);
	CHECK_EQ(__LINE__, tries, wants);
}

/* A set of two lines, A, B, C, D one after the other.  A new line gets age 2, a hit makes 3 of 3 and 2, else 2; who is of age 0
 * goes, and if nobody is, all go down until somebody is. */
static void check_ages(void)
{
	static const struct {
		int line;
		uint8_t kind, which;
		uint8_t age2, age3, down, young;	/* so far */
	} steps[] = {
		{ LINE, LEAVE_DRD, 0, 1, 0, 0, 0 },
		{ LINE, LEAVE_DRD, 1, 2, 0, 0, 0 },		/* A2 B2 */
		{ LINE, LEAVE_DRD, 0, 2, 1, 0, 0 },		/* A3 B2 */
		{ LINE, LEAVE_PF_LLC_DRD, 2, 3, 1, 2, 0 },	/* down by two: A1, C2 in place of B0 */
		{ LINE, LEAVE_DRD, 0, 4, 1, 2, 0 },		/* A2 C2 */
		{ LINE, LEAVE_RFO, 0, 4, 2, 2, 0 },		/* A3 C2 */
		{ LINE, LEAVE_DIRTY, 0, 4, 2, 2, 0 },		/* no message, no look-up */
		{ LINE, LEAVE_WB_M, 0, 4, 2, 2, 0 },		/* what cores give back is not made young */
		{ LINE, LEAVE_KINDS, 3, 5, 2, 3, 1 },		/* a device's: C goes, though of age 2; A down by one */
	};

	open_rig(2, true);
	for (unsigned i = 0; i < LEN(steps); i++) {
		uint64_t line = rival(line_of(0), steps[i].which), when = 1000000 * (i + 1);
		struct fabric_io io = { .line = line, .when = when, .kind = FABRIC_IO_WRITE };

		if (steps[i].kind == LEAVE_KINDS)
			fabric_io(r.f, &io);
		else
			send(0, (enum leave_kind)steps[i].kind, line, when);
		CHECK_EQ(steps[i].line, rig_sum(&r, 0, "cbo", SIG_CBO_QLRU, CBO_QLRU_AGE2, CBO_QLRU_AGE2), steps[i].age2);
		CHECK_EQ(steps[i].line, rig_sum(&r, 0, "cbo", SIG_CBO_QLRU, CBO_QLRU_AGE3, CBO_QLRU_AGE3), steps[i].age3);
		CHECK_EQ(steps[i].line, rig_sum(&r, 0, "cbo", SIG_CBO_QLRU, CBO_QLRU_LRU_DECREMENT, CBO_QLRU_LRU_DECREMENT),
			 steps[i].down);
		CHECK_EQ(steps[i].line, rig_sum(&r, 0, "cbo", SIG_CBO_QLRU, CBO_QLRU_VICTIM_NON_ZERO, CBO_QLRU_VICTIM_NON_ZERO),
			 steps[i].young);
	}
	rig_close(&r);
}

/*
 * Slices of one ring send four lines to the other ring, the next two clocks after the one before.  `behind` lines of a core are at
 * the same switch before them: it takes one every two clocks, so each of the four waits there for twice as many clocks.  The slice
 * has two credits for data, out from when a line leaves until it has waited, is across (4) and the credit has gone back the
 * stop that the line came (1 + 1).  So two go at once; the third and fourth, at clock 4 and 6, look again after 20 clocks, and so on, while
 * they would still be waiting.  The two credits are back at clock 2 x behind + 6 and + 8:
 *
 *	behind	wait	back		the third, from 4 on	the fourth, from 6 on
 *	0	0	6, 8		goes without		has one
 *	9	18	24, 26		goes without		goes without
 *	10	20	26, 28		tries at 24		tries at 26, has one
 *	20	40	46, 48		24, 44			26, 46, has one
 *	30	60	66, 68		24, 44, 64		26, 46, 66, has one
 *	31	62	68, 70		24, 44, 64		26, 46, 66
 */
static const struct backlog {
	int line;
	unsigned behind, tries, credits;
} backlogs[] = {
	{ LINE, 0, 0, 3 }, { LINE, 9, 0, 2 }, { LINE, 10, 2, 3 }, { LINE, 20, 4, 3 }, { LINE, 30, 6, 3 }, { LINE, 31, 6, 2 },
};

enum { LINES = 4 };

static void hear(unsigned sig, uint64_t flags)
{
	rig_watch(&r, 0, "cbo", sig, flags, flags);
}

static void open_switches(bool listen)
{
	rig_open(&r, 1, RIG_CORES, 1, FABRIC_SNOOP_SOURCE);
	if (!listen)
		return;
	hear(SIG_CBO_IRQ_RETRY, 0);
	hear(SIG_CBO_IRQ_RETRY, CBO_IRQ_RETRY_BL_SBO);
	hear(SIG_CBO_ISMQ_RETRY, 0);
	hear(SIG_CBO_ISMQ_RETRY, CBO_ISMQ_RETRY_BL_SBO);
	hear(SIG_CBO_RXR_INSERT, CBO_RXR_INSERT_IRQ_REJ);
	hear(SIG_CBO_SBO_ACQUIRE, CBO_SBO_ACQUIRE_BL);
}

/* Lines that a core gives back at once to three slices of the other ring; none of them has its line any more. */
static void give_back(unsigned core, const uint8_t to[3], unsigned n, uint64_t when)
{
	for (unsigned i = 0; i < n; i++)
		send(core, LEAVE_WB_M, find(to[i % 3], 0x800000, 1, i / 3), when);
}

/* What one slice's stop has had. */
static uint64_t credits_of(unsigned slice)
{
	for (unsigned i = 0; i < r.counts; i++)
		if (r.count[i].port == &r.port[0][slice].port && r.count[i].sig == SIG_CBO_SBO_ACQUIRE)
			return (uint64_t)r.count[i].watch.sum;
	return UINT64_MAX;
}

static void check_backlog(const struct backlog *b, bool ismq)
{
	CHECK_EQ(b->line, sum(SIG_CBO_IRQ_RETRY, CBO_IRQ_RETRY_BL_SBO), ismq ? 0 : b->tries);
	CHECK_EQ(b->line, sum(SIG_CBO_IRQ_RETRY, 0), ismq ? 0 : b->tries);
	CHECK_EQ(b->line, sum(SIG_CBO_RXR_INSERT, CBO_RXR_INSERT_IRQ_REJ), ismq ? 0 : b->tries);
	CHECK_EQ(b->line, sum(SIG_CBO_ISMQ_RETRY, CBO_ISMQ_RETRY_BL_SBO), ismq ? b->tries : 0);
	CHECK_EQ(b->line, sum(SIG_CBO_ISMQ_RETRY, 0), ismq ? b->tries : 0);
}

/*
 * Core 13 reads four lines of slice 4 again.  A request is there after 5 clocks in the core and 6 on the way, its data leaves 9
 * clocks for tags and 8 for data later, and is at SBo0 after one; core 5's lines after 5 and two.
 */
static void check_reads_behind(const struct backlog *b, bool listen)
{
	static const uint8_t to[] = { 13, 14, 8 };
	uint64_t when = 10000000, alone;

	open_switches(listen);
	for (unsigned i = 0; i < LINES; i++)
		send(13, LEAVE_DRD, find(4, 0x100000, 1, i), 10000 + 1000000 * i);
	alone = send(13, LEAVE_DRD, find(4, 0x100000, 1, 0), 9000000) - 9000000;
	CHECK(!listen || credits_of(4) == 1);
	give_back(5, to, b->behind, when + (5 + 6 + 9 + 8 + 1 - 5 - 2) * CLOCK);
	for (unsigned i = 0; i < LINES; i++) {
		uint64_t at = when + 2 * i * CLOCK;

		CHECK_EQ(b->line, send(13, LEAVE_DRD, find(4, 0x100000, 1, i), at) - at, alone + 2 * b->behind * CLOCK);
	}
	if (listen)
		check_backlog(b, false);
	CHECK(!listen || credits_of(4) == 1 + b->credits);
	rig_close(&r);
}

/*
 * Core 7's reads drive four modified lines out of slice 17.  A request is there after 5 + 6 clocks, leaves it after 9 and 16, is at the
 * home agent after 6 and 10, which needs 80 and sends the line after 8; 6 clocks and 4 later it is in the slice, and what was in
 * its place leaves after 2.
 */
static void check_victims_behind(const struct backlog *b)
{
	static const uint8_t to[] = { 7, 3, 6 };
	uint64_t when = 100000000;

	open_switches(true);
	for (unsigned i = 0; i < LINES; i++) {
		uint64_t line = find(17, 0x100000, 1, i), at = 1000000 * (i + 1);

		send(7, LEAVE_RFO, line, at);
		send(7, LEAVE_DIRTY, line, at);
		send(7, LEAVE_WB_M, line, at + 500000);
	}
	give_back(16, to, b->behind, when + (5 + 6 + 9 + 16 + 6 + 10 + 80 + 8 + 6 + 4 + 2 + 1 - 5 - 2) * CLOCK);
	for (unsigned i = 0; i < LINES; i++)
		send(7, LEAVE_DRD, find(17, find(17, 0x100000, 1, i), LLC_SETS, 1), when + 2 * i * CLOCK);
	check_backlog(b, true);
	CHECK_EQ(b->line, credits_of(17), b->credits);
	rig_close(&r);
}

int main(void)
{
	check_egress(true);
	check_egress(false);
	for (const struct asked *a = asks; a < asks + LEN(asks); a++) {
		check_asked(a, true);
		check_asked(a, false);
	}
	check_device_credit(true);
	check_device_credit(false);
	check_write_credits();
	check_ages();
	for (const struct backlog *b = backlogs; b < backlogs + LEN(backlogs); b++) {
		check_reads_behind(b, true);
		check_reads_behind(b, false);
		check_victims_behind(b);
	}
	return check_done();
}
