/* SPDX-License-Identifier: BSD-2-Clause */
/* A queue's depth, told in any order and swept ahead at times, against a plain list of its clocks. */
#include "uncore/depth.h"

#include "check.h"
#include "draw.h"
#include "signal/watch.h"

enum { CLOCKS = 20000, ROUNDS = 60, PERIOD = 1000, NOT_EMPTY = 1, FULL = 2 };

static const struct signal_alt everything;

struct bench {
	struct signal_clock clock;
	struct signal_port port;
	struct signal_watch watch[4];		/* a sum and a threshold, of not empty and of full */
	int64_t got[4];
	struct depth depth;
	uint8_t held[CLOCKS];
};

static void start(struct bench *b)
{
	memset(b, 0, sizeof *b);
	signal_clock_init(&b->clock, 1000000);
	CHECK(signal_port_init(&b->port, 4, &b->clock) == 0);
	for (unsigned i = 0; i < LEN(b->watch); i++) {
		b->watch[i] = (struct signal_watch){ .alt = &everything, .alts = 1, .chain = { .threshold = i & 1 } };
		signal_watch_hang(&b->port, i / 2 ? FULL : NOT_EMPTY, &b->watch[i]);
	}
	b->depth = (struct depth){ .signal = { NOT_EMPTY, FULL }, .full = 3 };
}

static void end(struct bench *b)
{
	depth_free(&b->depth);
	for (unsigned i = 0; i < LEN(b->watch); i++) {
		signal_watch_unhang(&b->port, i / 2 ? FULL : NOT_EMPTY, &b->watch[i]);
		signal_watch_free(&b->watch[i]);
	}
	signal_port_free(&b->port);
}

/* Clocks below `to` are closed, but from `late` on somebody may still come. */
static void close_at(struct bench *b, uint64_t late, uint64_t to)
{
	signal_port_late(&b->port, late < to ? late * PERIOD : UINT64_MAX);
	if (b->depth.on)
		depth_sweep(&b->depth, &b->port, to);
	for (unsigned i = 0; i < LEN(b->watch); i++)
		b->got[i] += signal_watch_close(&b->port, &b->watch[i], to);
	signal_port_close(&b->port, to);
}

static void stay(struct bench *b, unsigned from, unsigned to)
{
	to = to < CLOCKS ? to : CLOCKS;
	depth_stay(&b->depth, &b->port, (uint64_t)from * PERIOD, (uint64_t)to * PERIOD);
	for (unsigned k = from; k < to; k++)
		b->held[k]++;
}

/* Whoever is slowest is at `late`; some are ahead of it, and each read closes a little more than they have done. */
static void check_round(unsigned every)
{
	struct bench b;
	uint64_t late = 0, want[2] = { 0, 0 };

	start(&b);
	while (late < CLOCKS) {
		for (unsigned n = draw(30); n; n--) {
			unsigned from = (unsigned)late + draw(300);

			if (from < CLOCKS)
				stay(&b, from, from + 1 + draw(every ? 40 : 100));
		}
		late += 1 + draw(200);
		if (draw(every + 1) == 0)
			close_at(&b, late < CLOCKS ? late : CLOCKS, late + 700 < CLOCKS ? late + draw(700) : CLOCKS);
	}
	close_at(&b, CLOCKS, CLOCKS);
	for (unsigned k = 0; k < CLOCKS; k++) {
		want[0] += b.held[k] > 0;
		want[1] += b.held[k] >= 3;
	}
		CHECK(want[1] > 0 && want[1] < want[0] && want[0] < CLOCKS);
	for (unsigned i = 0; i < LEN(b.watch); i++)
		CHECK_EQ(__LINE__, b.got[i], want[i / 2]);
	end(&b);
}

/* Told by hand: 10 to 20 and, when 15 is closed on trial, 12 to 30 as well, of which 20 to 30 are new. */
static void by_hand(void)
{
	struct bench b;

	start(&b);
	stay(&b, 10, 20);
	close_at(&b, 5, 15);
	CHECK_EQ(__LINE__, b.got[0], 5);
	CHECK_EQ(__LINE__, b.got[1], 5);
	stay(&b, 8, 30);
	close_at(&b, 15, 18);
	CHECK_EQ(__LINE__, b.got[0], 10);
	CHECK_EQ(__LINE__, b.got[1], 10);
	stay(&b, 17, 18);
	close_at(&b, 40, 40);
	CHECK_EQ(__LINE__, b.got[0], 22);
	CHECK_EQ(__LINE__, b.got[1], 22);
	CHECK_EQ(__LINE__, b.got[2], 1);
	CHECK_EQ(__LINE__, b.got[3], 1);
	end(&b);
}

int main(void)
{
	by_hand();
	for (unsigned round = 0; round < ROUNDS; round++)
		check_round(round % 6);
	return check_done();
}
