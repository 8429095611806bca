/* SPDX-License-Identifier: BSD-2-Clause */
/* Feed records from a thread's ring into the machine and send snoops back. */
#include "base/bits.h"
#include "feed/run_private.h"
#include "feed/witness.h"
#include "machine/machine.h"

/* Every thread on a core has private caches of its own, so the other threads on thread i's core get the core's snoops, too. */
static void send_to_others(struct run *r, unsigned i, const struct ring_snoop *some, unsigned n)
{
	unsigned used = run_used(r);
	struct ring_snoop now[RUN_BLOCK];

	if (used <= r->cores && !r->crowded)
		return;
	for (unsigned k = 0; k < n; k++)
		now[k] = (struct ring_snoop){ .due = RING_NOW, .snoop = some[k].snoop };
	for (unsigned k = 0; k < used; k++) {
		struct ring *ring = run_ring(r, k);

		if (k != i && r->thread[k].core == r->thread[i].core && atomic_load(&ring->state) == RING_LIVE &&
		    !ring_send_snoops(ring, now, n))
			atomic_store(&ring->flood, 1);
	}
}

/*
 * Pass the snoops that the machine has for thread i's core on to the thread.  While no other thread can run, they are due in step with
 * the thread's records (see ring.h).  `first` points to record number `tail`; it and the following ones have just been fed.  NULL: other
 * cores' requests caused the snoops, and record `tail` is fed next.
 */
static void send_snoops(struct run *r, unsigned i, const struct leave_record *first, uint64_t tail)
{
	struct ring *ring = run_ring(r, i);
	const struct machine_snoop *snoop;
	unsigned n = machine_snoops(r->feed.machine, r->thread[i].core, &snoop);

	for (unsigned k = 0; k < n; ) {
		struct ring_snoop some[RUN_BLOCK];
		unsigned out = 0;

		for (; out < LEN(some) && k < n; k++) {
			uint64_t by = tail + (first ? (uint64_t)(snoop[k].record - first) : 0);

			some[out++] = (struct ring_snoop){ .due = r->thread[i].in_turn ? RING_NOW : by + RING_RECORDS, .snoop = snoop[k].snoop };
			if (r->witness && snoop[k].snoop.kind == LEAVE_SNOOP_EVICT)
				witness_evicted(r->witness, r->thread[i].core, &snoop[k].snoop);
		}
		/* A sleeping thread takes no snoops, so its ring may be full.  It will drop all its lines instead. */
		if (!ring_send_snoops(ring, some, out))
			atomic_store(&ring->flood, 1);
		send_to_others(r, i, some, out);
	}
}

/* Before record `tail` of thread i is fed: copy the rest of its block and the next block, from *copied on, and let the host prefetch
 * what the records of the next block need. */
static void take_blocks(struct run *r, unsigned i, uint64_t tail, uint64_t *copied, uint64_t *end)
{
	struct run_thread *t = &r->thread[i];
	uint64_t next = tail - tail % RUN_BLOCK + RUN_BLOCK, stop = next + RUN_BLOCK;
	const struct leave_record *rec = r->taken + next % RUN_TAKEN;

	if (*copied < stop)
		run_take(r, i, *copied, stop, end);
	*copied = stop;
	if (next < *end && next >= t->expected) {
		t->expected = stop < *end ? stop : *end;
		machine_expect(r->feed.machine, t->core, rec, rec + (t->expected - next));
	}
}

void run_meet(struct run *r, unsigned i)
{
	struct run_thread *t = &r->thread[i];
	uint32_t lives = atomic_load(&run_ring(r, i)->lives);

	if (t->lives == lives)
		return;
	*t = (struct run_thread){ .core = run_home(r, i), .tail = t->tail, .lives = lives, .wake_at = UINT64_MAX, .halted = t->halted || i > 0 };
	if (r->witness)
		witness_forget(r->witness, i);
	/* Threads that take turns are placed with their first turn. */
	if (atomic_load(&run_ring(r, i)->turn) == RING_FREELY)
		run_place(r, i);
}

uint64_t run_latest(const struct run *r)
{
	uint64_t time = machine_latest(r->feed.machine);

	return time > r->woken ? time : r->woken;
}

/* A LEAVE_WAKE at time `when`: either the thread of ring `line` can go on, or calls that would have blocked may succeed now. */
static void note_wake(struct run *r, uint64_t line, uint64_t when)
{
	unsigned used = run_used(r);

	for (unsigned i = 0; i < used; i++) {
		struct run_thread *t = &r->thread[i];
		bool event = (line & RING_EVENTS) && atomic_load(&run_ring(r, i)->turn) == RING_TRIES;

		if (line != i && !event)
			continue;
		run_meet(r, i);
		if (event)
			t->events |= line & (RING_IO | RING_CHILD);
		else
			t->woken = true;
		t->wake_at = when;
	}
}

static void consume(struct run *r, unsigned i, uint64_t tail)
{
	r->thread[i].tail = tail;
	ring_consume(run_ring(r, i), tail);
}

/*
 * Skip records that only halt a core that is halted already: its thread has ended or tried a call in vain.  Returns the number of the
 * first other record.
 */
static uint64_t sleep_on(struct run *r, unsigned i, uint64_t tail, uint64_t end)
{
	struct leave_record rec;

	for (; r->thread[i].halted && tail < end; tail++) {
		if (!run_record(r, i, tail, &rec) || rec.kind != LEAVE_HALT || rec.instructions || rec.l2_hits || rec.l1_misses)
			break;
	}
	return tail;
}

/* Note what the last record fed of thread i means for it and for other threads. */
static void note_last(struct run *r, unsigned i, const struct leave_record *last, uint64_t tail)
{
	uint64_t time = machine_core_time(r->feed.machine, r->thread[i].core);

	r->thread[i].halted = last->kind == LEAVE_HALT;
	r->marked = r->tells_marks && last->kind == LEAVE_REGION;
	r->mark_begins = r->marked && last->line;
	if (last->kind == LEAVE_WAKE)
		note_wake(r, last->line, time);
	consume(r, i, tail);
	if (time > r->reached)
		r->reached = time;
}

void run_feed_thread(struct run *r, unsigned i, uint64_t limit)
{
	struct machine *m = r->feed.machine;
	uint64_t first = r->thread[i].tail, waiting = run_waiting(r, i), end = first + (waiting < RUN_BATCH ? waiting : RUN_BATCH);
	uint64_t tail = sleep_on(r, i, first, end), copied = tail;
	unsigned core = r->thread[i].core;
	const struct leave_record *last = NULL;
	uint64_t from = machine_core_time(m, core);

	if (tail != first)
		consume(r, i, tail);
	if (tail == end)
		return;
	if (machine_snoops_pending(m, core))
		send_snoops(r, i, NULL, tail);
	if (r->wishes)
		machine_wish(m, r->thread[i].wish);
	do {
		const struct leave_record *rec = r->taken + tail % RUN_TAKEN, *next;
		uint64_t stop = tail - tail % RUN_BLOCK + RUN_BLOCK;

		if (copied < stop + RUN_BLOCK)
			take_blocks(r, i, tail, &copied, &end);
		if (tail == end)
			break;
		/* While threads spin, or for a witness, feed one record at a time: each may take a line from another thread. */
		next = machine_feed(m, core, rec, r->spins || r->witness ? rec + 1 : rec + ((stop < end ? stop : end) - tail), limit);
		if (r->witness)
			witness_record(r->witness, i, core, rec);
		if (r->spins)
			run_cut_spins(r, machine_core_time(m, core));
		if (machine_snoops_pending(m, core))
			send_snoops(r, i, rec, tail);
		tail += (uint64_t)(next - rec);
		last = next - 1;
	} while (tail < end && machine_core_time(m, core) < limit);
	if (!last)
		return;
	run_count(r, i, from);
	note_last(r, i, last, tail);
}

bool run_mark(struct feed *f, bool *begins)
{
	struct run *r = (struct run *)f;
	bool marked = r->marked;

	*begins = r->mark_begins;
	r->marked = false;
	return marked;
}

void run_send_snoops(struct run *r, unsigned i)
{
	if (machine_snoops_pending(r->feed.machine, r->thread[i].core))
		send_snoops(r, i, NULL, r->thread[i].tail);
}

bool run_spins(struct run *r, unsigned i)
{
	struct leave_record rec;

	return run_waiting(r, i) == 1 && run_record(r, i, r->thread[i].tail, &rec) && rec.kind == LEAVE_TICK &&
	       rec.flags == LEAVE_SPIN && !r->thread[i].halted;
}

static struct leave_record spin_of(struct run *r, unsigned i)
{
	struct leave_record rec;

	run_record(r, i, r->thread[i].tail, &rec);
	return rec;
}

/* When the spin that `rec` reports is over. */
static uint64_t end_of(const struct run *r, unsigned i, const struct leave_record *rec)
{
	const struct run_thread *t = &r->thread[i];
	uint64_t from = machine_core_time(r->feed.machine, t->core);
	uint64_t end = from + machine_span(r->feed.machine, t->core, rec->instructions);

	if (!t->cut || t->cut >= end)
		return end;
	return t->cut > from ? t->cut : from;
}

uint64_t run_spin_end(struct run *r, unsigned i)
{
	struct leave_record rec = spin_of(r, i);

	return end_of(r, i, &rec);
}

void run_feed_spin(struct run *r, unsigned i)
{
	struct machine *m = r->feed.machine;
	struct run_thread *t = &r->thread[i];
	struct leave_record rec = spin_of(r, i);
	uint64_t from = machine_core_time(m, t->core), span = machine_span(m, t->core, rec.instructions);
	uint64_t passes = end_of(r, i, &rec) - from;

	/* The program may have overwritten the record since run_spins() read it. */
	if (rec.kind != LEAVE_TICK)
		return;
	if (passes < span)
		rec.instructions = (uint32_t)((double)rec.instructions * (double)passes / (double)span);
	machine_access(m, t->core, &rec);
	run_count(r, i, from);
	t->cut = 0;
	consume(r, i, r->thread[i].tail + 1);
	if (machine_core_time(m, t->core) > r->reached)
		r->reached = machine_core_time(m, t->core);
}

void run_cut_spins(struct run *r, uint64_t when)
{
	unsigned used = run_used(r);

	for (unsigned i = 0; i < used; i++) {
		struct run_thread *t = &r->thread[i];

		if (!t->cut && machine_snoops_pending(r->feed.machine, t->core))
			t->cut = when;
	}
}
