/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the machine asks of a core reaches every thread that runs on it: threads written here by hand, a record at a time, on a
 * socket of one core, whose slice gives up lines that they hold.  And one that wakes is behind what others do meanwhile.
 */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "feed/run_private.h"
#include "machine/core_msr.h"
#include "machine/machine.h"
#include "make_machine.h"

enum {
	SLICE_LINES = 2560 * 1024 / 64,
	LINES = 3 * SLICE_LINES,
	FEW = 2000,		/* lines of one who then only listens */
	THREADS = 3,
	AT = 1 << 20,		/* the first line */
};

struct thread {
	struct ring_writer writer;
	uint8_t asked[LINES];		/* how often to give up the line */
	unsigned shared;
};

static void listen_to(struct run *r, struct thread *all, unsigned who)
{
	struct thread *t = all + who;
	struct leave_snoop snoop;

	run_send_snoops(r, who);
	while (ring_take_any(&t->writer, &snoop)) {
		if (snoop.kind == LEAVE_SNOOP_EVICT)
			t->asked[snoop.line - AT]++;
		else
			t->shared++;
	}
}

static void read_lines(struct run *r, struct thread *all, unsigned who, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		struct leave_record rec = { .line = AT + i, .kind = LEAVE_DRD, .instructions = 10 };

		for (unsigned k = 0; k < THREADS; k++)
			listen_to(r, all, k);
		ring_write(&all[who].writer, &rec);
		ring_publish(&all[who].writer, true);
		if (i % 100 == 99 || i + 1 == to) {
			CHECK_EQ(__LINE__, run_feed(&r->feed, UINT64_MAX), FEED_ASLEEP);
			CHECK_EQ(__LINE__, ring_waiting(all[who].writer.ring), 0);
		}
	}
	for (unsigned k = 0; k < THREADS; k++)
		listen_to(r, all, k);
}

static struct thread *claim_all(struct run *r)
{
	struct thread *t = calloc(THREADS, sizeof *t);

	if (!t)
		abort();
	for (unsigned i = 0; i < THREADS; i++) {
		CHECK_EQ(__LINE__, ring_claim(r->segment, NULL, &t[i].writer), 0);
		/* None is waited for, or gets the turn. */
		ring_end_turn(&t[i].writer, RING_AWAY);
	}
	return t;
}

static void begin(struct run *r, const char *machine)
{
	struct run_config cfg = { 0 };

	*r = (struct run){
		.feed = { .machine = make_machine(machine), .live = true }, .pid = getpid(), .signals = -1, .fd = -1, .status = -1,
	};
	run_map_cores(r, &cfg);
	CHECK_EQ(__LINE__, ring_create(&r->fd, &r->segment), 0);
}

static void finish(struct run *r)
{
	ring_unmap(r->segment);
	close(r->fd);
	machine_free(r->feed.machine);
}

/*
 * `first` reads a few lines, then `second` more than the slice holds.  Each line is brought once, so what has been asked
 * back and what the slice can hold is all there is; and both threads hear the same.
 */
static void test_shared(unsigned first, unsigned second)
{
	struct run r;
	unsigned few = 0, all = 0, differ = 0, twice = 0;
	struct thread *t;

	begin(&r, "hsx,sockets=1,cores=1");
	CHECK_EQ(__LINE__, r.cores, 1);
	t = claim_all(&r);
	read_lines(&r, t, first, 0, FEW);
	read_lines(&r, t, second, FEW, LINES);
	for (unsigned i = 0; i < LINES; i++) {
		few += i < FEW && t[first].asked[i];
		all += t[first].asked[i];
		twice += t[first].asked[i] > 1;
		for (unsigned k = 0; k < THREADS; k++)
			differ += t[k].asked[i] != t[first].asked[i];
	}
	CHECK_EQ(__LINE__, few, FEW);
	CHECK_EQ(__LINE__, twice, 0);
	CHECK_EQ(__LINE__, differ, 0);
	CHECK(all >= LINES - SLICE_LINES);
	free(t);
	finish(&r);
}

/* Work of so many microseconds, at 2.3 GHz, or (0) a halt. */
static void write_work(struct thread *t, uint32_t us)
{
	struct leave_record rec = { .kind = us ? LEAVE_TICK : LEAVE_HALT, .instructions = us * 3 * 2300 };

	ring_write(&t->writer, &rec);
	ring_publish(&t->writer, true);
}

/*
 * Thread 1 has slept for half a millisecond, its core takes 133 us to wake.  Thread 0 works for 10 us in these, then its core
 * halts, is in C3 from 100 us after that on, and when 80 more have passed, that long.
 */
static void test_waking(void)
{
	struct machine *m;
	struct thread *t;
	struct run r;

	begin(&r, "hsx,sockets=1,cores=2");
	m = r.feed.machine;
	t = claim_all(&r);
	write_work(&t[1], 1);
	CHECK_EQ(__LINE__, run_feed(&r.feed, UINT64_MAX), FEED_ASLEEP);
	write_work(&t[0], 500);
	CHECK_EQ(__LINE__, run_feed(&r.feed, UINT64_MAX), FEED_ASLEEP);
	write_work(&t[1], 1);
	write_work(&t[0], 10);
	write_work(&t[0], 0);
	CHECK_EQ(__LINE__, run_feed(&r.feed, UINT64_MAX), FEED_ASLEEP);
	CHECK(machine_core_time(m, 1) > machine_core_time(m, 0) + 100000000);
	machine_advance(m, machine_core_time(m, 0) + 180000000);
	CHECK_EQ(__LINE__, get(m, 0, 0x3fc), 80 * 2300);
	free(t);
	finish(&r);
}

int main(void)
{
	test_shared(0, 1);
	test_shared(1, 0);
	test_shared(1, 2);
	test_waking();
	return check_done();
}
