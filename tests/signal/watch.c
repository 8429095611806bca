/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watches: what is accepted, and that sweeping runs gives what stepping every clock
 * gives, whatever the order in which occurrences are told.
 */
#include "signal/watch.h"

#include <stdlib.h>

#include "check.h"
#include "draw.h"

enum { CLOCKS = 400, ROUNDS = 400, PERIOD = 1000 };

static const struct signal_alt everything;

struct bench {
	struct signal_clock clock;
	struct signal_port port;
	struct signal_watch watch;
	int64_t raw[CLOCKS];		/* the truth, clock by clock */
};

static void bench_start(struct bench *b, struct chain chain)
{
	memset(b, 0, sizeof *b);
	signal_clock_init(&b->clock, 1000000);
	CHECK(signal_port_init(&b->port, 4, &b->clock) == 0);
	b->watch = (struct signal_watch){ .alt = &everything, .alts = 1, .chain = chain };
	signal_watch_hang(&b->port, 1, &b->watch);
}

static void bench_end(struct bench *b)
{
	signal_watch_unhang(&b->port, 1, &b->watch);
	signal_watch_free(&b->watch);
	signal_port_free(&b->port);
}

static int64_t bench_close(struct bench *b, uint64_t to)
{
	int64_t sum = signal_watch_close(&b->port, &b->watch, to);

	signal_port_close(&b->port, to);
	return sum;
}

/* One occurrence at or after the first open clock, told to the port and noted in the truth. */
static void tell(struct bench *b)
{
	unsigned at = (unsigned)b->port.closed + draw(CLOCKS - (unsigned)b->port.closed);
	unsigned n = 1 + draw(4), to = at + draw(20);

	if (to > CLOCKS)
		to = CLOCKS;
	switch (draw(3)) {
	case 0:
		signal_pulse(&b->port, 1, (uint64_t)at * PERIOD + draw(PERIOD), n, 0, NULL);
		b->raw[at] += n;
		break;
	case 1:
		signal_span(&b->port, 1, (uint64_t)at * PERIOD, (uint64_t)to * PERIOD, n, 0, NULL);
		for (unsigned k = at; k < to; k++)
			b->raw[k] += n;
		break;
	default:
		signal_level(&b->port, 1, (uint64_t)at * PERIOD, n, 0, NULL);
		for (unsigned k = at; k < CLOCKS; k++)
			b->raw[k] += n;
		break;
	}
}

/* What stepping the chain through the truth gives from `from` to `to`. */
static int64_t stepped(const struct bench *b, struct chain *c, uint64_t from, uint64_t to)
{
	int64_t sum = 0;

	for (uint64_t k = from; k < to; k++)
		sum += chain_step(c, b->raw[k]);
	return sum;
}

/* When the truth reaches `room`, as signal_watch_reach() should say. */
static uint64_t reached(const struct bench *b, struct chain c, uint64_t from, uint64_t to,
			int64_t room)
{
	for (uint64_t k = from; k < to; k++) {
		room -= chain_step(&c, b->raw[k]);
		if (room <= 0)
			return k + 1;
	}
	return SIGNAL_EVER;
}

static void random_rounds(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct chain c = { .threshold = (uint16_t)draw(6), .invert = draw(2),
				   .edge = draw(2) };
		struct bench b;

		bench_start(&b, c);
		while (b.port.closed < CLOCKS) {
			uint64_t from = b.port.closed, to = from + 1 + draw(120);
			int64_t room;

			if (to > CLOCKS)
				to = CLOCKS;
			/* A promise that the next close keeps. */
			if (draw(2))
				b.port.horizon = to;
			for (unsigned n = draw(30); n; n--)
				tell(&b);
			room = 1 + draw(200);
			if (b.watch.sum == 0)
				CHECK_EQ(__LINE__, signal_watch_reach(&b.port, &b.watch, to,
								      (uint64_t)room),
					 reached(&b, c, from, to, room));
			CHECK_EQ(__LINE__, bench_close(&b, to), stepped(&b, &c, from, to));
		}
		bench_end(&b);
	}
}

/* Three ranks at once are one cycle; four pulses of one thing are four. */
static void once(void)
{
	for (unsigned threshold = 0; threshold < 2; threshold++) {
		struct bench b;

		bench_start(&b, (struct chain){ .threshold = (uint16_t)threshold });
		b.watch.once = true;
		b.port.horizon = 1000;
		signal_span(&b.port, 1, 0, 10 * PERIOD, 1, 0, NULL);
		signal_span(&b.port, 1, 5 * PERIOD, 15 * PERIOD, 1, 0, NULL);
		signal_pulse(&b.port, 1, 7 * PERIOD, 1, 0, NULL);
		signal_level(&b.port, 1, 20 * PERIOD, 1, 0, NULL);
		signal_level(&b.port, 1, 22 * PERIOD, 1, 0, NULL);
		CHECK_EQ(__LINE__, bench_close(&b, 25), 15 + 5);
		signal_level(&b.port, 1, 30 * PERIOD, -2, 0, NULL);
		CHECK_EQ(__LINE__, bench_close(&b, 40), 5);
		signal_pulse(&b.port, 1, 40 * PERIOD, 4, 0, NULL);
		CHECK_EQ(__LINE__, bench_close(&b, 41), threshold ? 1 : 4);
		bench_end(&b);
	}
}

/* What is told of a closed clock falls into the first open one. */
static void late(void)
{
	struct bench b;

	bench_start(&b, (struct chain){ .threshold = 2 });
	CHECK_EQ(__LINE__, bench_close(&b, 10), 0);
	signal_pulse(&b.port, 1, 3 * PERIOD, 1, 0, NULL);
	signal_pulse(&b.port, 1, 10 * PERIOD, 1, 0, NULL);
	signal_span(&b.port, 1, 2 * PERIOD, 12 * PERIOD, 1, 0, NULL);
	/* clock 10 sees 3, clock 11 sees 1 */
	CHECK_EQ(__LINE__, bench_close(&b, 20), 1);
	/* A threshold has looked at closed clocks already. */
	signal_span(&b.port, 1, 2 * PERIOD, 12 * PERIOD, 5, 0, NULL);
	CHECK_EQ(__LINE__, bench_close(&b, 30), 0);
	bench_end(&b);
}

/* From clock 5 on what is closed may still be told of: a threshold looks again, and counts what it missed. */
static void late_again(void)
{
	struct bench b;

	bench_start(&b, (struct chain){ .threshold = 2 });
	signal_span(&b.port, 1, 6 * PERIOD, 9 * PERIOD, 1, 0, NULL);
	signal_port_late(&b.port, 5 * PERIOD);
	CHECK_EQ(__LINE__, bench_close(&b, 10), 0);
	/* Clocks 3 and 4 are gone, 6 to 8 see 2, and so do 10 and 11 in the end. */
	signal_span(&b.port, 1, 3 * PERIOD, 12 * PERIOD, 1, 0, NULL);
	CHECK_EQ(__LINE__, signal_watch_reach(&b.port, &b.watch, 20, 3), 11);
	CHECK_EQ(__LINE__, signal_watch_reach(&b.port, &b.watch, 20, 4), SIGNAL_EVER);
	CHECK_EQ(__LINE__, bench_close(&b, 11), 3);
	signal_pulse(&b.port, 1, 10 * PERIOD, 1, 0, NULL);
	signal_pulse(&b.port, 1, 11 * PERIOD, 1, 0, NULL);
	signal_port_late(&b.port, UINT64_MAX);
	CHECK_EQ(__LINE__, bench_close(&b, 20), 2);
	signal_span(&b.port, 1, 15 * PERIOD, 20 * PERIOD, 2, 0, NULL);
	CHECK_EQ(__LINE__, bench_close(&b, 30), 0);
	bench_end(&b);
}

/* Counted clocks that were none are owed: 10 empty ones, of which 4 were not. */
static void late_owed(void)
{
	struct bench b;

	bench_start(&b, (struct chain){ .threshold = 1, .invert = true });
	signal_port_late(&b.port, 0);
	CHECK_EQ(__LINE__, bench_close(&b, 10), 10);
	signal_span(&b.port, 1, 2 * PERIOD, 6 * PERIOD, 1, 0, NULL);
	CHECK_EQ(__LINE__, bench_close(&b, 13), 0);
	CHECK_EQ(__LINE__, signal_watch_reach(&b.port, &b.watch, 20, 3), 17);
	CHECK_EQ(__LINE__, bench_close(&b, 20), 6);
	bench_end(&b);
}

/* Who is hung later has of late clocks what is told late, and nothing of what stands. */
static void late_hung(void)
{
	struct bench b;

	bench_start(&b, (struct chain){ .threshold = 2 });
	signal_watch_unhang(&b.port, 1, &b.watch);
	signal_level(&b.port, 1, 0, 2, 0, NULL);
	signal_level(&b.port, 1, 8 * PERIOD, -1, 0, NULL);
	signal_port_late(&b.port, 5 * PERIOD);
	signal_port_close(&b.port, 10);
	signal_watch_hang(&b.port, 1, &b.watch);
	signal_span(&b.port, 1, 2 * PERIOD, 9 * PERIOD, 1, 0, NULL);
	CHECK_EQ(__LINE__, bench_close(&b, 20), 1);
	bench_end(&b);
}

/* One occurrence of any open or late clock. */
static void tell_late(struct bench *b)
{
	unsigned open = (unsigned)(b->port.late < b->port.closed ? b->port.late : b->port.closed);
	unsigned at = open + draw(CLOCKS - open), to = at + 1 + draw(20), n = 1 + draw(3);

	to = to < CLOCKS ? to : CLOCKS;
	if (draw(2)) {
		signal_pulse(&b->port, 1, (uint64_t)at * PERIOD + draw(PERIOD), n, 0, NULL);
		b->raw[at] += n;
		return;
	}
	signal_span(&b->port, 1, (uint64_t)at * PERIOD, (uint64_t)to * PERIOD, n, 0, NULL);
	for (unsigned k = at; k < to; k++)
		b->raw[k] += n;
}

/* However it is closed ahead, in the end every clock has been counted as it was. */
static void late_rounds(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct chain c = { .threshold = (uint16_t)draw(6), .invert = draw(2), .edge = draw(2) };
		struct bench b;
		int64_t counted = 0;
		uint64_t late = 0;

		bench_start(&b, c);
		while (b.port.closed < CLOCKS) {
			uint64_t to = b.port.closed + 1 + draw(60);

			for (unsigned n = draw(6); n; n--)
				tell_late(&b);
			to = to < CLOCKS ? to : CLOCKS;
			late = late + draw((unsigned)(to - late + 1));
			signal_port_late(&b.port, to == CLOCKS ? UINT64_MAX : late * PERIOD);
			counted += bench_close(&b, to);
		}
		CHECK_EQ(__LINE__, counted - b.watch.counted, stepped(&b, &c, 0, CLOCKS));
		bench_end(&b);
	}
}

/* A sum has the whole of a stay, a state only what clocks are still open. */
static void late_sum(void)
{
	struct bench b;

	bench_start(&b, (struct chain){ 0 });
	CHECK_EQ(__LINE__, bench_close(&b, 10), 0);
	signal_span(&b.port, 1, 2 * PERIOD, 7 * PERIOD, 3, 0, NULL);
	CHECK_EQ(__LINE__, signal_watch_reach(&b.port, &b.watch, 20, 16), SIGNAL_EVER);
	CHECK_EQ(__LINE__, signal_watch_reach(&b.port, &b.watch, 20, 15), 11);
	CHECK_EQ(__LINE__, bench_close(&b, 11), 3 * 5);
	signal_span(&b.port, 1, 8 * PERIOD, 15 * PERIOD, 1, 0, NULL);
	CHECK_EQ(__LINE__, bench_close(&b, 13), 3 + 2);
	CHECK_EQ(__LINE__, bench_close(&b, 20), 2);
	signal_state(&b.port, 1, 12 * PERIOD, 22 * PERIOD, 0, NULL);
	signal_state(&b.port, 1, 3 * PERIOD, 20 * PERIOD, 0, NULL);
	CHECK_EQ(__LINE__, bench_close(&b, 30), 2);
	bench_end(&b);
}

/* A watch hung later sees the levels that stand, and those announced. */
static void standing(void)
{
	struct bench b;

	bench_start(&b, (struct chain){ 0 });
	signal_watch_unhang(&b.port, 1, &b.watch);
	signal_level(&b.port, 1, 5 * PERIOD, 3, 0, NULL);
	signal_level(&b.port, 1, 15 * PERIOD, -1, 0, NULL);
	signal_level(&b.port, 2, 5 * PERIOD, 100, 0, NULL);
	signal_port_close(&b.port, 10);
	signal_watch_hang(&b.port, 1, &b.watch);
	CHECK_EQ(__LINE__, bench_close(&b, 20), 5 * 3 + 5 * 2);
	signal_level(&b.port, 1, 25 * PERIOD, -2, 0, NULL);
	CHECK_EQ(__LINE__, bench_close(&b, 30), 5 * 2);
	CHECK_EQ(__LINE__, bench_close(&b, 40), 0);
	bench_end(&b);
}

/* However often a level changes, what the port keeps stays small. */
static void compact(void)
{
	struct bench b;

	bench_start(&b, (struct chain){ 0 });
	for (uint64_t k = 1; k < 10000; k++) {
		signal_level(&b.port, 1, k * PERIOD, k & 1 ? 1 : -1, k & 1, NULL);
		signal_level(&b.port, 1, k * PERIOD, k & 1 ? -1 : 1, k & 1, NULL);
		bench_close(&b, k + 1);
		if (b.port.standings > 200)
			break;
	}
	CHECK(b.port.standings <= 200);
	bench_end(&b);
}

static const struct accept_row {
	int line;
	struct signal_alt alt;
	struct signal_test test;	/* used when alt.tests is 1 */
	uint64_t flags;
	struct signal_tag tag;
	unsigned want;
} accepts[] = {
	{ LINE, { 0 }, { 0 }, 0x7, { 0 }, 1 },
	{ LINE, { .care = 3, .want = 1 }, { 0 }, 0x1, { 0 }, 1 },
	{ LINE, { .care = 3, .want = 1 }, { 0 }, 0x5, { 0 }, 1 },
	{ LINE, { .care = 3, .want = 1 }, { 0 }, 0x3, { 0 }, 0 },
	{ LINE, { .any = 6 }, { 0 }, 0x2, { 0 }, 1 },
	{ LINE, { .any = 6 }, { 0 }, 0x1, { 0 }, 0 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_OPC, .mask = UINT64_MAX,
	  .value = 0x182 }, 0, { .opc = 0x182 }, 1 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_OPC, .mask = UINT64_MAX,
	  .value = 0x182 }, 0, { .opc = 0x181 }, 0 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_EQ, .tag = SIGNAL_TAG_ADDR, .mask = 0xffc0,
	  .value = 0x1240 }, 0, { .addr = 0xf127f }, 1 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_NID, .value = 0x5 }, 0,
	  { .nid = 2 }, 1 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_NID, .value = 0x5 }, 0,
	  { .nid = 1 }, 0 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_BIT, .tag = SIGNAL_TAG_NID,
	  .value = UINT64_MAX }, 0, { .nid = 64 }, 0 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_ANY, .tag = SIGNAL_TAG_NC,
	  .value = UINT64_MAX }, 0, { .nc = 1 }, 1 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_ANY, .tag = SIGNAL_TAG_NC,
	  .value = UINT64_MAX }, 0, { 0 }, 0 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_PACKET, .mask = 0x1e00, .value = 0x1c00 }, 0,
	  { .packet = { 0x1c00, 0 } }, 1 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_PACKET, .mask = 0x1e00, .value = 0x1c00 }, 0,
	  { .packet = { 0x1c00, 0x1c00 | SIGNAL_SLOT } }, 2 },
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_PACKET, .mask = 0x1e00, .value = 0x1c00 }, 0,
	  { .packet = { 0, 0x1c00 | SIGNAL_SLOT } }, 1 },
	/* An empty second slot is no packet, even for a mask that lets all pass. */
	{ LINE, { .tests = 1 }, { .kind = SIGNAL_TEST_PACKET }, 0, { .packet = { 0, 0 } }, 1 },
};

static void acceptance(void)
{
	for (const struct accept_row *r = accepts; r < accepts + LEN(accepts); r++) {
		struct signal_alt alt = r->alt;
		struct bench b;

		bench_start(&b, (struct chain){ 0 });
		alt.test = &r->test;
		b.watch.alt = &alt;
		signal_pulse(&b.port, 1, 0, 10, r->flags, &r->tag);
		/* Another signal of the port is none of its business. */
		signal_pulse(&b.port, 2, 0, 10, r->flags, &r->tag);
		CHECK_EQ(r->line, bench_close(&b, 1), 10 * r->want);
		bench_end(&b);
	}
}

/* Alternatives are tried until one accepts: an occurrence counts once. */
static void alternatives(void)
{
	static const struct signal_alt alts[] = {
		{ .care = 1, .want = 1 }, { .care = 2, .want = 2 },
	};
	struct bench b;

	bench_start(&b, (struct chain){ 0 });
	b.watch.alt = alts;
	b.watch.alts = LEN(alts);
	for (uint64_t flags = 0; flags < 4; flags++)
		signal_pulse(&b.port, 1, 0, UINT64_C(1) << 4 * flags, flags, NULL);
	CHECK_EQ(__LINE__, bench_close(&b, 1), 0x1110);
	bench_end(&b);
}

/* Nobody listens: nothing is kept. */
static void unwatched(void)
{
	struct bench b;

	bench_start(&b, (struct chain){ 0 });
	CHECK(b.port.any && signal_watched(&b.port, 1) && !signal_watched(&b.port, 0));
	signal_watch_unhang(&b.port, 1, &b.watch);
	CHECK(!b.port.any && !signal_watched(&b.port, 1));
	signal_pulse(&b.port, 1, 0, 10, 0, NULL);
	signal_watch_hang(&b.port, 1, &b.watch);
	CHECK_EQ(__LINE__, bench_close(&b, 1), 0);
	bench_end(&b);
}

int main(void)
{
	random_rounds();
	once();
	late();
	late_again();
	late_owed();
	late_hung();
	late_rounds();
	late_sum();
	standing();
	compact();
	acceptance();
	alternatives();
	unwatched();
	return check_done();
}
