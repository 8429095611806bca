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

	if (ring_claim(s->segment, 0, &w) < 0)
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

static void test_slots(void)
{
	static struct ring_writer w[RING_SLOTS + 1];
	struct ring_segment *s, *again;
	char path[64];
	int fd;

	CHECK_EQ(__LINE__, ring_create(&fd, &s), 0);
	for (unsigned i = 0; i < RING_SLOTS; i++) {
		CHECK_EQ(__LINE__, atomic_load(&s->several), i > 1);
		CHECK_EQ(__LINE__, ring_claim(s, 0, w + i), 0);
		CHECK_EQ(__LINE__, w[i].ring - s->ring, i);
	}
	CHECK(ring_claim(s, 0, w + RING_SLOTS) < 0);
	CHECK_EQ(__LINE__, atomic_load(&s->lost), 1);
	/* Another process maps it by name. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	CHECK_EQ(__LINE__, ring_map(path, &again), 0);
	CHECK_EQ(__LINE__, atomic_load(&again->used), RING_SLOTS);
	ring_unmap(again);
	CHECK(ring_map("/nowhere", &again) < 0);
	ring_unmap(s);
	close(fd);
}

/* Who died with a ring is not taken for the holder of the next one's. */
static void test_holder(void)
{
	struct ring_segment *s;
	struct ring_writer w;
	pid_t child;
	int fd;

	CHECK_EQ(__LINE__, ring_create(&fd, &s), 0);
	CHECK_EQ(__LINE__, ring_holder(s->ring), 0);
	child = fork();
	if (child == 0)
		_exit(ring_claim(s, 0, &w) < 0);
	CHECK_EQ(__LINE__, waitpid(child, NULL, 0), child);
	CHECK_EQ(__LINE__, ring_holder(s->ring), child);
	atomic_store(&s->ring[0].state, RING_TAKEN);
	CHECK_EQ(__LINE__, atomic_load(&s->ring[0].pid), child);
	CHECK_EQ(__LINE__, ring_holder(s->ring), 0);
	atomic_store(&s->ring[0].state, RING_FREE);
	CHECK_EQ(__LINE__, ring_claim(s, 0, &w), 0);
	CHECK_EQ(__LINE__, ring_holder(s->ring), getpid());
	ring_release(&w);
	CHECK_EQ(__LINE__, ring_holder(s->ring), 0);
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
	test_slots();
	test_holder();
	return check_done();
}
