/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings under stress: two threads that pause at random.  Nothing is lost or reordered, and
 * with one producer each snoop is applied at the same record in every run.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "feed/ring.h"

#define RECORDS 60000

struct side {
	struct ring_segment *segment;
	uint64_t seed;
	uint64_t hash;			/* of what the producer saw, and when */
	unsigned snoops;
	bool ended;
};

static void pause_at_random(uint64_t *seed)
{
	uint64_t dice = check_random(seed);

	if (dice % 1000 == 0)
		usleep(dice >> 32 & 127);
	else if (dice % 100 == 0)
		sched_yield();
}

static void *produce(void *arg)
{
	struct side *s = arg;
	struct ring_writer w;

	if (ring_claim(s->segment, NULL, &w) < 0)
		return NULL;
	for (uint64_t i = 0; i < RECORDS; i++) {
		struct leave_record rec = { .line = i & 0xffffffff, .kind = LEAVE_DRD };
		struct leave_snoop snoop;

		ring_wait(&w);
		while (ring_take_snoop(&w, &snoop)) {
			s->hash = (s->hash ^ snoop.line) * 1099511628211U;
			s->hash = (s->hash ^ i) * 1099511628211U;
			s->snoops++;
		}
		ring_write(&w, &rec);
		if (i % 3 == 0)
			ring_publish(&w, false);
		pause_at_random(&s->seed);
	}
	ring_release(&w);
	return NULL;
}

/* Sends a snoop back for some of the records. */
static void consume(struct ring_segment *s, uint64_t seed)
{
	struct ring *r = s->ring;
	uint64_t tail = 0;

	while (tail < RECORDS) {
		uint64_t n = ring_waiting(r);

		if (!n)
			ring_sleep(s, 1000);
		for (uint64_t end = tail + n; tail < end; tail++) {
			const struct leave_record *rec = ring_at(r, tail);
			struct ring_snoop snoop = { .due = tail + RING_RECORDS, .snoop = { .line = rec->line } };

			CHECK_EQ(__LINE__, rec->line, tail);
			for (unsigned k = 0; k < (rec->line * 7 & 3); k++)
				CHECK(ring_send_snoops(r, &snoop, 1));
			pause_at_random(&seed);
			if (tail % 17 == 0)
				ring_consume(r, tail + 1);
		}
		ring_consume(r, tail);
	}
}

/* The hash of one run. */
static uint64_t run(uint64_t seed, unsigned *snoops)
{
	struct side s = { .seed = seed * 7 + 1, .hash = 14695981039346656037U };
	pthread_t producer;
	int fd;

	CHECK_EQ(__LINE__, ring_create(&fd, &s.segment), 0);
	pthread_create(&producer, NULL, produce, &s);
	consume(s.segment, seed);
	pthread_join(producer, NULL);
	CHECK_EQ(__LINE__, atomic_load(&s.segment->ring[0].state), RING_DONE);
	ring_unmap(s.segment);
	close(fd);
	*snoops = s.snoops;
	return s.hash;
}

/*
 * Threads that take rings, write and leave again, in a program of several: whatever ring it went through, each record comes once.
 */
enum { THREADS = 4, ROUNDS = 100, MOST_RECORDS = 40 };

struct turnover {
	struct ring_segment *segment;
	uint64_t seed;
	uint64_t records, sum;		/* of lines written */
	uint64_t snoops;		/* taken, and they were sent in this order */
	bool failed;
	atomic_bool ended;
};

static void one_life(struct turnover *t)
{
	struct ring_writer w;
	uint64_t last = 0;

	t->failed |= ring_claim(t->segment, NULL, &w) < 0;
	for (unsigned n = check_random(&t->seed) % MOST_RECORDS; n && !t->failed; n--) {
		struct leave_record rec = { .line = check_random(&t->seed) & 0xffff, .kind = LEAVE_DRD };
		struct leave_snoop snoop;

		ring_wait(&w);
		if (ring_flooded(&w))
			last = 0;
		while (ring_take_snoop(&w, &snoop)) {
			t->failed |= snoop.line <= last;
			last = snoop.line;
			t->snoops++;
		}
		ring_write(&w, &rec);
		ring_publish(&w, false);
		t->records++;
		t->sum += rec.line;
		pause_at_random(&t->seed);
	}
	if (!t->failed)
		ring_release(&w);
}

static void *live_often(void *arg)
{
	struct turnover *t = arg;

	for (unsigned i = 0; i < ROUNDS; i++)
		one_life(t);
	atomic_store(&t->ended, true);
	return NULL;
}

/* Read what ring i holds, answer each record with a snoop, and free it when its thread has gone; the records. */
static uint64_t read_ring(struct ring *r, uint64_t *sum, uint64_t *sent)
{
	bool done = atomic_load(&r->state) == RING_DONE;
	uint64_t tail = atomic_load(&r->tail), n = ring_waiting(r);

	for (uint64_t end = tail + n; tail < end; tail++) {
		struct ring_snoop snoop = { .due = RING_NOW, .snoop = { .line = ++*sent & 0xffffffff } };

		*sum += ring_at(r, tail)->line;
		if (*sent % 500 == 0 || !ring_send_snoops(r, &snoop, 1))
			atomic_store(&r->flood, 1);
	}
	ring_consume(r, tail);
	if (done && !n)
		ring_free(r);
	return n;
}

static void test_turnover(void)
{
	struct turnover t[THREADS];
	pthread_t thread[THREADS];
	uint64_t records = 0, sum = 0, written = 0, sum_written = 0, sent = 0;
	unsigned held;
	struct ring_segment *s;
	int fd;

	CHECK_EQ(__LINE__, ring_create(&fd, &s), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		t[i] = (struct turnover){ .segment = s, .seed = i + 1 };
		pthread_create(thread + i, NULL, live_often, t + i);
	}
	do {
		held = 0;
		for (unsigned i = 0; i < THREADS; i++)
			held += !atomic_load(&t[i].ended);
		for (unsigned i = 0; i < atomic_load(&s->used); i++) {
			records += read_ring(s->ring + i, &sum, &sent);
			held += atomic_load(&s->ring[i].holder) != RING_NOBODY;
		}
		ring_sleep(s, 500);
	} while (held);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		CHECK(!t[i].failed);
		written += t[i].records;
		sum_written += t[i].sum;
	}
	CHECK(written > THREADS * ROUNDS * MOST_RECORDS / 3);
	CHECK_EQ(__LINE__, records, written);
	CHECK_EQ(__LINE__, sum, sum_written);
	ring_unmap(s);
	close(fd);
}

static void test_slots(void)
{
	static struct ring_writer w[RING_SLOTS + 1];
	struct ring_segment *s, *again;
	int fd;

	CHECK_EQ(__LINE__, ring_create(&fd, &s), 0);
	for (unsigned i = 0; i < RING_SLOTS; i++) {
		CHECK_EQ(__LINE__, atomic_load(&s->several), i > 1);
		CHECK_EQ(__LINE__, ring_claim(s, NULL, w + i), 0);
		CHECK_EQ(__LINE__, w[i].ring - s->ring, i);
	}
	CHECK(ring_claim(s, NULL, w + RING_SLOTS) < 0);
	CHECK_EQ(__LINE__, atomic_load(&s->lost), 1);
	/* Another process maps it, too. */
	CHECK_EQ(__LINE__, ring_map(fd, &again), 0);
	CHECK_EQ(__LINE__, atomic_load(&again->used), RING_SLOTS);
	ring_unmap(again);
	CHECK(ring_map(-1, &again) < 0);
	ring_unmap(s);
	close(fd);
}

enum death { WHILE_TAKING, WITH_RING, WITH_RECORD };

/* A process that dies there; what a thread does to take a ring begins with its holder. */
static pid_t dies(struct ring_segment *s, enum death when)
{
	struct leave_record rec = { .kind = LEAVE_DRD };
	struct ring_writer w;
	pid_t child = fork();

	if (child == 0 && when == WHILE_TAKING) {
		atomic_store(&s->used, 1);
		atomic_store(&s->ring[0].holder, getpid());
		_exit(0);
	}
	if (child == 0) {
		bool failed = ring_claim(s, NULL, &w) < 0;

		if (when == WITH_RECORD && !failed) {
			ring_write(&w, &rec);
			ring_publish(&w, true);
		}
		_exit(failed);
	}
	CHECK_EQ(__LINE__, waitpid(child, NULL, 0), child);
	return child;
}

/* A ring whose holder has died is the next one's, and what he wrote is not lost. */
static void test_holder(void)
{
	static const struct {
		int line;
		enum death when;
		unsigned state, records;	/* once he is buried */
	} rows[] = {
		{ LINE, WHILE_TAKING, RING_FREE, 0 },
		{ LINE, WITH_RING,    RING_DONE, 0 },
		{ LINE, WITH_RECORD,  RING_DONE, 1 },
	};

	for (size_t i = 0; i < LEN(rows); i++) {
		struct ring_segment *s;
		struct ring_writer w;
		pid_t child;
		int fd;

		CHECK_EQ(rows[i].line, ring_create(&fd, &s), 0);
		CHECK_EQ(rows[i].line, atomic_load(&s->ring->holder), RING_NOBODY);
		child = dies(s, rows[i].when);
		CHECK_EQ(rows[i].line, atomic_load(&s->ring->holder), child);
		/* It is still his. */
		CHECK_EQ(rows[i].line, ring_claim(s, NULL, &w), 0);
		CHECK_EQ(rows[i].line, w.ring - s->ring, 1);
		ring_bury(s->ring);
		CHECK_EQ(rows[i].line, atomic_load(&s->ring->state), rows[i].state);
		CHECK_EQ(rows[i].line, ring_waiting(s->ring), rows[i].records);
		ring_consume(s->ring, rows[i].records);
		if (rows[i].state == RING_DONE)
			ring_free(s->ring);
		CHECK_EQ(rows[i].line, atomic_load(&s->ring->holder), RING_NOBODY);
		CHECK_EQ(rows[i].line, ring_claim(s, NULL, &w), 0);
		CHECK_EQ(rows[i].line, w.ring - s->ring, 0);
		CHECK_EQ(rows[i].line, atomic_load(&s->ring->holder), getpid());
		ring_release(&w);
		CHECK_EQ(rows[i].line, atomic_load(&s->ring->state), RING_DONE);
		ring_unmap(s);
		close(fd);
	}
}

/* Who has the segment open cannot take memory away from the others. */
static void test_sealed(void)
{
	struct ring_segment *s;
	int fd;

	CHECK_EQ(__LINE__, ring_create(&fd, &s), 0);
	CHECK(ftruncate(fd, 0) < 0);
	CHECK(ftruncate(fd, (off_t)sizeof *s + 4096) < 0);
	ring_unmap(s);
	close(fd);
}

int main(void)
{
	unsigned snoops, first_snoops;
	uint64_t first = run(1, &first_snoops);

	for (uint64_t seed = 2; seed < 5; seed++) {
		CHECK_EQ(__LINE__, run(seed, &snoops), first);
		CHECK_EQ(__LINE__, snoops, first_snoops);
	}
	/* 0 + 3 + 2 + 1 for four records; those of the last RING_RECORDS are never due. */
	CHECK_EQ(__LINE__, first_snoops, (RECORDS - RING_RECORDS) / 4 * 6);
	test_turnover();
	test_slots();
	test_holder();
	test_sealed();
	return check_done();
}
