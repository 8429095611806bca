/* SPDX-License-Identifier: BSD-2-Clause */
/* Records in stretches: where machine_feed() stops, and that it is the same as one by one. */
#include "check.h"
#include "core_msr.h"

enum { RECORDS = 40, SPACE = 3 };

static struct machine *two_cores(void)
{
	struct machine *m = make_machine("hsx,sockets=1,cores=2");

	machine_idle(m, 0, 1000);
	machine_idle(m, 1, 1000);
	return m;
}

static void fill(struct leave_record *rec, enum leave_kind kind, uint64_t line, uint32_t instructions)
{
	for (unsigned i = 0; i < RECORDS; i++)
		rec[i] = (struct leave_record){
			.line = line + i, .space = SPACE, .kind = kind, .instructions = instructions,
		};
}

static void check_same(void)
{
	struct machine *once = two_cores(), *each = two_cores();
	struct leave_record rec[RECORDS];

	fill(rec, LEAVE_DRD, 1 << 20, 17);
	rec[9].kind = LEAVE_TICK;
	rec[20].kind = LEAVE_HALT;
	rec[30].flags = LEAVE_DEPENDENT;
	CHECK(machine_feed(once, 0, rec, rec + RECORDS, UINT64_MAX) == rec + RECORDS);
	for (unsigned i = 0; i < RECORDS; i++)
		machine_access(each, 0, rec + i);
	CHECK_EQ(__LINE__, machine_core_time(once, 0), machine_core_time(each, 0));
	CHECK_EQ(__LINE__, machine_horizon(once), machine_horizon(each));
	machine_free(once);
	machine_free(each);
}

/* Each record is the same work: a limit after three and a half of them stops behind the fourth. */
static void check_limit(void)
{
	struct machine *m = two_cores();
	struct leave_record rec[RECORDS];
	uint64_t begun = machine_core_time(m, 0), each;

	fill(rec, LEAVE_TICK, 0, 3000);
	machine_access(m, 0, rec);
	each = machine_core_time(m, 0) - begun;
	CHECK(machine_feed(m, 0, rec, rec + RECORDS, begun + each * 9 / 2) == rec + 4);
	/* At least one, even behind the limit, and never more than there are. */
	CHECK(machine_feed(m, 0, rec, rec + RECORDS, 0) == rec + 1);
	CHECK(machine_feed(m, 0, rec, rec + 2, UINT64_MAX) == rec + 2);
	machine_free(m);
}

/* Core 0 is asked for what core 1 takes, behind the last record it was fed, as core 1 is for what core 0 flushes; none for its own. */
static void check_snoops(void)
{
	struct machine *m = two_cores();
	struct leave_record rec[RECORDS], other[RECORDS], again[RECORDS];
	const struct machine_snoop *snoop;

	fill(rec, LEAVE_RFO, 5000, 10);
	fill(other, LEAVE_RFO, 5000 + RECORDS - 3, 10);
	CHECK(machine_feed(m, 0, rec, rec + RECORDS, UINT64_MAX) == rec + RECORDS);
	CHECK_EQ(__LINE__, machine_snoops_pending(m, 0), 0);
	CHECK(machine_feed(m, 1, other, other + RECORDS, UINT64_MAX) == other + RECORDS);
	CHECK_EQ(__LINE__, machine_snoops_pending(m, 0), 3);
	fill(again, LEAVE_RFO, 9000, 10);
	again[7] = (struct leave_record){ .line = 5001, .space = SPACE, .kind = LEAVE_CLFLUSH };
	again[9] = (struct leave_record){ .line = 5000 + RECORDS, .space = SPACE, .kind = LEAVE_CLFLUSH };
	CHECK(machine_feed(m, 0, again, again + RECORDS, UINT64_MAX) == again + RECORDS);
	CHECK_EQ(__LINE__, machine_snoops(m, 0, &snoop), 3);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(__LINE__, snoop[i].snoop.line, 5000 + RECORDS - 3 + i);
		CHECK_EQ(__LINE__, snoop[i].snoop.space, SPACE);
		CHECK_EQ(__LINE__, snoop[i].snoop.kind, LEAVE_SNOOP_INVALIDATE);
		CHECK(snoop[i].record == rec + RECORDS - 1);
	}
	/* That the three lines came out of the other core it hears, too. */
	CHECK_EQ(__LINE__, machine_snoops(m, 1, &snoop), 4);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(__LINE__, snoop[i].snoop.line, 5000 + RECORDS - 3 + i);
		CHECK_EQ(__LINE__, snoop[i].snoop.kind, LEAVE_SNOOP_CONTEND);
	}
	CHECK_EQ(__LINE__, snoop[3].snoop.line, 5000 + RECORDS);
	CHECK_EQ(__LINE__, snoop[3].snoop.kind, LEAVE_SNOOP_INVALIDATE);
	CHECK(snoop[3].record == other + RECORDS - 1);
	CHECK_EQ(__LINE__, machine_snoops(m, 0, &snoop), 0);
	machine_free(m);
}

/* What is expected, rightly or wrongly, changes nothing: neither lines of new pages nor others than come then, in other spaces,
 * lying where those lay. */
static void check_expected(void)
{
	static const struct { uint64_t expected, fed; unsigned space; } turns[] = {
		{ 1 << 20, 1 << 20, SPACE }, { 1 << 20, 2 << 20, SPACE }, { 2 << 20, 2 << 20, SPACE + 1 },
		{ 2 << 20, 1 << 20, SPACE }, { 1 << 20, (1 << 20) + RECORDS / 2, SPACE },
	};
	struct machine *told = two_cores(), *plain = two_cores();
	struct leave_record rec[RECORDS];

	for (unsigned t = 0; t < LEN(turns); t++) {
		fill(rec, LEAVE_DRD, turns[t].expected, 17);
		machine_expect(told, 0, rec, rec + RECORDS);
		fill(rec, t % 2 ? LEAVE_RFO : LEAVE_DRD, turns[t].fed, 17);
		for (unsigned i = 0; i < RECORDS; i++)
			rec[i].space = turns[t].space;
		CHECK(machine_feed(told, 0, rec, rec + RECORDS, UINT64_MAX) == rec + RECORDS);
		CHECK(machine_feed(plain, 0, rec, rec + RECORDS, UINT64_MAX) == rec + RECORDS);
		CHECK_EQ(__LINE__, machine_core_time(told, 0), machine_core_time(plain, 0));
		CHECK_EQ(__LINE__, machine_horizon(told), machine_horizon(plain));
	}
	machine_free(told);
	machine_free(plain);
}

/*
 * Core 1 has slept for half a millisecond; it takes 133 us to wake.  What core 0 does meanwhile comes in its order: it works
 * for 10 us more and halts, is in C3 from 100 us after that on, and when 80 more have passed, that long.
 */
static void check_waking(void)
{
	struct leave_record work = { .kind = LEAVE_TICK, .instructions = 3 * 2300 * 500 }, halt = { .kind = LEAVE_HALT };
	struct machine *m = two_cores();
	uint64_t now;

	machine_access(m, 1, &halt);
	machine_access(m, 0, &work);
	now = machine_core_time(m, 0);
	machine_idle(m, 1, 0);
	CHECK_EQ(__LINE__, machine_core_time(m, 1), now + 133000000);
	work.instructions = 3 * 2300 * 10;
	machine_access(m, 0, &work);
	machine_access(m, 0, &halt);
	now = machine_core_time(m, 0);
	machine_advance(m, now + 180000000);
	CHECK_EQ(__LINE__, get(m, 0, 0x3fc), 80 * 2300);
	/* One that runs, for another thread, does not halt. */
	now = machine_core_time(m, 1);
	machine_access(m, 1, &work);
	machine_idle(m, 1, 0);
	machine_access(m, 1, &work);
	CHECK_NEAR(__LINE__, machine_core_time(m, 1) - now, 2 * 10000000, 10);
	machine_free(m);
}

int main(void)
{
	check_same();
	check_expected();
	check_limit();
	check_snoops();
	check_waking();
	return check_done();
}
