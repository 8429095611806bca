/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that under stat writes what it likes into the memory that it shares with the machine.
 *
 * usage: hostile WHAT [NUMBER [SEED]]
 *
 * WHAT is one of rows[], which damage one word; "records": so many random records that are none the less ones, in a ring of its
 * own; "noise": so many random words anywhere before the records; "stubborn": records for ever, and no signal ends it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feed/ring.h"

enum { OWN = 77, SPACE_LINES = 1 << 22 };

static struct ring_segment *segment;
static uint64_t seed = 1;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* Among the files of our parent, who is the machine. */
static int find_segment(void)
{
	char name[64], where[64];

	for (int fd = 0; fd < 64; fd++) {
		snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)getppid(), fd);
		ssize_t n = readlink(name, where, sizeof where - 1);

		where[n > 0 ? n : 0] = '\0';
		if (strncmp(where, "/memfd:boxscore", 15) == 0)
			return open(name, O_RDWR);
	}
	return -1;
}

/* Ring `OWN`, which the machine feeds like that of any thread that takes no turns. */
static struct ring *take_ring(void)
{
	struct ring *r = segment->ring + OWN;

	atomic_store(&segment->used, OWN + 1);
	atomic_store(&r->holder, getpid());
	atomic_store(&r->thread, getpid());
	atomic_fetch_add(&r->lives, 1);
	atomic_store(&r->state, RING_LIVE);
	return r;
}

static struct leave_record random_record(void)
{
	uint64_t a = draw(), b = draw();

	return (struct leave_record){
		.line = a % SPACE_LINES, .space = a >> 32, .kind = (a >> 40) % LEAVE_KINDS, .flags = a >> 50,
		.instructions = (uint32_t)(b % 100 ? b >> 40 & 0xff : b >> 40), .l2_hits = (uint16_t)(b >> 8 & 15), .l1_misses = (uint16_t)(b >> 16 & 15),
	};
}

static void write_records(uint64_t count)
{
	struct ring *r = take_ring();
	uint64_t head = atomic_load(&r->head);

	for (uint64_t i = 0; i < count; i++, head++) {
		while (head - atomic_load(&r->tail) >= RING_RECORDS)
			usleep(500);
		r->record[head % RING_RECORDS] = random_record();
		atomic_store(&r->head, head + 1);
	}
	atomic_store(&r->idle, 1);
	while (atomic_load(&r->tail) != head)
		usleep(500);
	atomic_store(&r->state, RING_DONE);
}

static void write_noise(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t a = draw();
		uint32_t *word = a % 8 ? (uint32_t *)&segment->ring[a / 8 % 3] : (uint32_t *)segment;
		uint64_t value = draw();

		word[draw() % (a % 8 ? offsetof(struct ring, record) / 4 : offsetof(struct ring_segment, ring) / 4)] =
			(uint32_t)(value % 4 ? value >> 32 & 7 : value >> 32);
		if (a % 64 == 0)
			usleep(200);
	}
}

static void one_record(struct leave_record rec)
{
	struct ring *r = take_ring();
	uint64_t head = atomic_load(&r->head);

	r->record[head % RING_RECORDS] = rec;
	atomic_store(&r->head, head + 1);
}

static void do_used(void) { atomic_store(&segment->used, 0x7fffffff); }
static void do_fewer(void) { atomic_store(&segment->used, 0); }
static void do_head(void) { atomic_store(&take_ring()->head, UINT64_C(1) << 40); }
static void do_back(void) { atomic_store(&take_ring()->head, UINT64_MAX); }
static void do_state(void) { atomic_store(&take_ring()->state, 99); }
static void do_turn(void) { atomic_store(&take_ring()->turn, 99); }
static void do_tries(void) { take_ring()->tries = 99; }
static void do_due(void) { take_ring()->due = UINT64_MAX; }
static void do_kind(void) { one_record((struct leave_record){ .kind = LEAVE_KINDS, .line = 1 }); }
static void do_last(void) { one_record((struct leave_record){ .kind = 63 }); }
static void do_work(void) { one_record((struct leave_record){ .kind = LEAVE_TICK, .instructions = UINT32_MAX }); }

static const struct {
	const char *name;
	void (*fn)(void);
} rows[] = {
	{ "used", do_used }, { "fewer", do_fewer }, { "head", do_head }, { "back", do_back }, { "state", do_state }, { "turn", do_turn },
	{ "tries", do_tries }, { "due", do_due }, { "kind", do_kind }, { "last", do_last }, { "work", do_work },
};

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	uint64_t number = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	int fd = find_segment();

	seed = argc > 3 ? strtoull(argv[3], NULL, 0) * 2 + 1 : 1;
	if (fd < 0 || ring_map(fd, &segment) < 0) {
		puts("not found");
		return 2;
	}
	if (!strcmp(what, "truncate"))
		return ftruncate(fd, 4096) == 0;
	if (!strcmp(what, "records")) {
		write_records(number);
	} else if (!strcmp(what, "noise")) {
		write_noise(number);
	} else if (!strcmp(what, "stubborn")) {
		for (int sig = 1; sig < 32; sig++)
			signal(sig, SIG_IGN);
		puts("ready");
		fflush(stdout);
		write_records(UINT64_MAX);
	} else {
		for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
			if (!strcmp(what, rows[i].name)) {
				rows[i].fn();
				pause();	/* nobody comes back from here but by being ended */
			}
		}
		return 64;
	}
	return 0;
}
