/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a slice does again, by hand: its data egress backs up, credits are out, the ages of a set change.  Clocks are 500 ps;
 * who is sent back tries again after 20 clocks.
 */
#include "rig.h"
#include "uncore/fabric_io.h"
#include "uncore/llc.h"

enum { CLOCK = 500, RETRY = 20 };

/* Lines of slice 0 in socket 0's memory: the n-th from `line` on of those that are `step` apart. */
static uint64_t find(uint64_t line, unsigned step, unsigned n)
{
	static struct llc hash;

	if (!hash.slices)
		CHECK_EQ(__LINE__, llc_init(&hash, RIG_CORES, 20), 0);
	for (;; line += step)
		if (llc_slice(&hash, line) == 0 && n-- == 0)
			return line;
}

static uint64_t line_of(unsigned n)
{
	return find(0x100000, 1, n);
}

/* The n-th line of the same set. */
static uint64_t rival(uint64_t line, unsigned n)
{
	return find(line, LLC_SETS, n);
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

int main(void)
{
	check_egress(true);
	check_egress(false);
	check_device_credit(true);
	check_device_credit(false);
	check_write_credits();
	check_ages();
	return check_done();
}
