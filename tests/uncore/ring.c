/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings stop by stop.  With 18 cores, clockwise from the bottom left:
 *
 *	ring 0	c3 c2 c1 c0 R3QPI R2PCIe SBo0 c4 c5 c6 c7 SBo1 HA0
 *	ring 1	c12 c11 c10 c9 c8 SBo2 c13 c14 c15 c16 c17 HA1 SBo3
 *
 * A stop counts what passes or ends there, an SBo what passes or starts there.
 */
#include <stdlib.h>

#include "check.h"
#include "signal/watch.h"
#include "signal_ids.h"
#include "uncore/ring/ring.h"
#include "uncore/ring/stop.h"

enum { KHZ = 2000000, PS = 500, HOP = 1, CROSS = 4 };
enum { UP, DOWN, R3, R2, HA, SBO, COUNTS };	/* slots at CBos by direction, and at others */

struct rig {
	struct ring ring;
	struct signal_clock clock;
	struct signal_port port[RING_STOPS];
	struct signal_watch watch[RING_STOPS][2];
	struct signal_alt even_odd_up, even_odd_down;
};

static const struct row {
	int line;
	uint8_t kind, from, to;
	unsigned clocks;		/* on the way */
	unsigned counts[COUNTS];
	bool whole;			/* 12 cores on one ring */
} rows[] = {
	{ LINE, RING_AD, 3, 3, 0, { 0 } },			/* the slice beside the core */
	{ LINE, RING_AD, 3, 0, 3, { [UP] = 3 } },		/* c2 c1 c0 */
	{ LINE, RING_AK, 0, 3, 3, { [DOWN] = 3 } },
	{ LINE, RING_BL, 3, 0, 3, { [UP] = 6 } },		/* a line is two slots */
	{ LINE, RING_AD, 0, 4, 4, { [DOWN] = 1, [R3] = 1, [R2] = 1, [SBO] = 1 } },
	{ LINE, RING_AD, 4, 7, 3, { [DOWN] = 3 } },		/* clockwise is down on the right */
	{ LINE, RING_IV, 7, 4, 3, { [UP] = 6 } },		/* two halves */
	{ LINE, RING_AD, 1, RING_R3QPI, 2, { [UP] = 1, [R3] = 1 } },
	{ LINE, RING_AD, RING_R3QPI, 1, 2, { [DOWN] = 2 } },	/* not counted where it starts */
	{ LINE, RING_AK, RING_HA, 3, 1, { [UP] = 1 } },
	{ LINE, RING_AK, 7, RING_HA, 2, { [HA] = 1, [SBO] = 1 } },
	/* Each kind by each stop: a line's two slots, two halves of IV, which no home agent hears. */
	{ LINE, RING_AK, 0, 4, 4, { [DOWN] = 1, [R3] = 1, [R2] = 1, [SBO] = 1 } },
	{ LINE, RING_BL, 0, 4, 4, { [DOWN] = 2, [R3] = 2, [R2] = 2, [SBO] = 2 } },
	{ LINE, RING_IV, 0, 4, 4, { [DOWN] = 2, [R3] = 2, [R2] = 2, [SBO] = 2 } },
	{ LINE, RING_BL, 7, 3, 3, { [UP] = 2, [HA] = 2, [SBO] = 2 } },
	{ LINE, RING_IV, 7, 3, 3, { [UP] = 2, [SBO] = 2 } },
	/* To the other ring: SBo0 takes it without counting, SBo2 sends it. */
	{ LINE, RING_AD, 0, 8, 3 + CROSS + 1, { [DOWN] = 1, [R3] = 1, [R2] = 1, [SBO] = 1 } },
	{ LINE, RING_BL, 13, 4, 1 + CROSS + 1, { [DOWN] = 2, [SBO] = 2 } },
	/* By the bottom: SBo1 and SBo3, HA1 passed on the way. */
	{ LINE, RING_AD, 7, 17, 1 + CROSS + 2, { [UP] = 1, [HA] = 1, [SBO] = 1 } },
	/* No SBos: c5 ... c0 R3QPI R2PCIe c6 ... c11 HA1 HA0, and the shorter way round. */
	{ LINE, RING_AD, 0, 8, 5, { [DOWN] = 3, [R3] = 1, [R2] = 1 }, true },
	{ LINE, RING_BL, 11, 5, 3, { [UP] = 2, [HA] = 4 }, true },
	{ LINE, RING_AK, RING_HA + 1, 5, 2, { [UP] = 1, [HA] = 1 }, true },
	{ LINE, RING_AD, 2, 10, 7, { [UP] = 2, [DOWN] = 3, [HA] = 2 }, true },
};

static void watch(struct rig *r, unsigned stop, unsigned kind)
{
	static const uint16_t first[] = { SIG_CBO_RING_AD, SIG_R3QPI_RING_AD, SIG_R2PCIE_RING_AD, SIG_HA_RING_AD,
					  SIG_SBO_RING_AD };
	unsigned class = stop < RING_R3QPI ? 0 : stop == RING_R3QPI ? 1 : stop == RING_R2PCIE ? 2 :
			 stop < RING_SBO ? 3 : 4;

	for (unsigned down = 0; down < 2; down++) {
		if (class == 3 && kind == RING_IV)
			continue;
		r->watch[stop][down] = (struct signal_watch){
			.alt = down ? &r->even_odd_down : &r->even_odd_up, .alts = 1,
		};
		signal_watch_hang(&r->port[stop], first[class] + kind, &r->watch[stop][down]);
	}
}

static void open_die(struct rig *r, unsigned kind, bool whole)
{
	struct ring_config config = {
		.cores = whole ? 12 : 18, .whole = whole, .has = 2, .uclk = calendar_rate(KHZ), .hop = HOP, .cross = CROSS,
	};

	memset(r, 0, sizeof *r);
	signal_clock_init(&r->clock, KHZ);
	r->even_odd_up.any = CBO_RING_AD_UP_EVEN | CBO_RING_AD_UP_ODD;
	r->even_odd_down.any = CBO_RING_AD_DOWN_EVEN | CBO_RING_AD_DOWN_ODD;
	ring_init(&r->ring, &config, NULL);
	for (unsigned i = 0; i < RING_STOPS; i++) {
		CHECK_EQ(__LINE__, signal_port_init(&r->port[i], 64, &r->clock), 0);
		r->port[i].horizon = UINT64_MAX;
		r->ring.port[i] = &r->port[i];
		if (kind < RING_KINDS)
			watch(r, i, kind);
	}
	ring_rewatch(&r->ring);
}

static void open_rig(struct rig *r, unsigned kind)
{
	open_die(r, kind, false);
}

static void close_rig(struct rig *r)
{
	for (unsigned i = 0; i < RING_STOPS; i++) {
		for (unsigned d = 0; d < 2; d++)
			signal_watch_free(&r->watch[i][d]);
		signal_port_free(&r->port[i]);
	}
}

static void check_row(const struct row *row)
{
	static struct rig r;
	unsigned got[COUNTS] = { 0 };

	open_die(&r, row->kind, row->whole);
	CHECK_EQ(row->line, ring_send(&r.ring, (enum ring_kind)row->kind, row->from, row->to, 100000) - 100000,
		 row->clocks * PS);
	for (unsigned i = 0; i < RING_STOPS; i++)
		for (unsigned d = 0; d < 2; d++) {
			unsigned what = i < RING_R3QPI ? UP + d : i == RING_R3QPI ? R3 : i == RING_R2PCIE ? R2 :
					i < RING_SBO ? HA : SBO;

			got[what] += (unsigned)r.watch[i][d].sum;
		}
	for (unsigned i = 0; i < COUNTS; i++)
		CHECK_EQ(row->line, got[i], row->counts[i]);
	close_rig(&r);
	/* Nobody watches: the same time. */
	open_die(&r, RING_KINDS, row->whole);
	CHECK_EQ(row->line, ring_send(&r.ring, (enum ring_kind)row->kind, row->from, row->to, 100000) - 100000,
		 row->clocks * PS);
	close_rig(&r);
}

/* All pairs of stops of dies of every size can be reached, both ways in the same time. */
static void check_routes(void)
{
	static struct ring r;

	for (unsigned cores = 1; cores <= 18; cores++) {
		struct ring_config config = {
			.cores = cores, .has = 2, .uclk = calendar_rate(KHZ), .hop = HOP, .cross = CROSS,
		};

		ring_init(&r, &config, NULL);
		for (unsigned a = 0; a < RING_SBO; a++)
			for (unsigned b = 0; b < RING_SBO; b++) {
				if ((a >= cores && a < RING_CBOS) || (b >= cores && b < RING_CBOS))
					continue;
				CHECK_EQ(__LINE__, ring_latency(&r, a, b), ring_latency(&r, b, a));
				CHECK_EQ(__LINE__, (ring_latency(&r, a, b) == 0) == (a == b), 1);
				CHECK_EQ(__LINE__, ring_latency(&r, a, b) <= (6 + CROSS + 6) * PS, 1);
			}
	}
}

/* An SBo takes a line in two clocks: ten lines that come at once leave two clocks apart. */
static void check_switch(void)
{
	static struct rig r;

	open_rig(&r, RING_KINDS);
	for (unsigned i = 0; i < 10; i++)
		CHECK_EQ(__LINE__, ring_send(&r.ring, RING_BL, 4, 13, 100000) - 100000, (1 + CROSS + 1 + 2 * i) * PS);
	/* The other direction is not in the way. */
	CHECK_EQ(__LINE__, ring_send(&r.ring, RING_BL, 13, 4, 100000) - 100000, (1 + CROSS + 1) * PS);
	close_rig(&r);
}

/* A CBo's stop has two credits for data: of three lines at once the third may bounce. */
static void check_credits(void)
{
	static struct rig r;
	struct signal_alt all = { 0 }, bounce = { .care = SBO_RXR_BL_BNC, .want = SBO_RXR_BL_BNC };
	struct signal_watch taken = { .alt = &all, .alts = 1 }, in_use = taken;
	struct signal_watch bounced = { .alt = &bounce, .alts = 1 }, left = bounced;

	open_rig(&r, RING_KINDS);
	signal_watch_hang(&r.port[4], SIG_CBO_SBO_ACQUIRE, &taken);
	signal_watch_hang(&r.port[4], SIG_CBO_SBO_CREDIT, &in_use);
	signal_watch_hang(&r.port[RING_SBO], SIG_SBO_RXR_BYPASS, &bounced);
	signal_watch_hang(&r.port[RING_SBO + 2], SIG_SBO_TXR_INSERT, &left);
	ring_rewatch(&r.ring);
	for (unsigned i = 0; i < 3; i++)
		ring_send(&r.ring, RING_BL, 4, 13, 100000);
	CHECK_EQ(__LINE__, taken.sum, 2);
	/* There (1), across (4), back (1); the second waits two clocks before it crosses. */
	CHECK_EQ(__LINE__, in_use.sum, (1 + CROSS + 1) + (1 + 2 + CROSS + 1));
	CHECK_EQ(__LINE__, bounced.sum, 1);
	CHECK_EQ(__LINE__, left.sum, 1);
	signal_watch_free(&taken);
	signal_watch_free(&in_use);
	signal_watch_free(&bounced);
	signal_watch_free(&left);
	close_rig(&r);
}

/* A home agent's stop has four for each SBo: of six lines at once, two wait there and not in the switch. */
static void check_home_credits(void)
{
	static struct rig r;
	struct signal_alt all = { 0 }, sbo1 = { .care = HA_SBO_STALL_SBO1_BL, .want = HA_SBO_STALL_SBO1_BL };
	struct signal_watch taken = { .alt = &all, .alts = 1 }, in_use = taken, queued = taken;
	struct signal_watch stall = { .alt = &sbo1, .alts = 1 };

	open_rig(&r, RING_KINDS);
	signal_watch_hang(&r.port[RING_HA], SIG_HA_SBO_ACQUIRED, &taken);
	signal_watch_hang(&r.port[RING_HA], SIG_HA_SBO_CREDITS, &in_use);
	signal_watch_hang(&r.port[RING_HA], SIG_HA_SBO_STALL, &stall);
	signal_watch_hang(&r.port[RING_SBO + 3], SIG_SBO_TXR, &queued);
	ring_rewatch(&r.ring);
	for (unsigned i = 0; i < 6; i++)
		CHECK_EQ(__LINE__, ring_send(&r.ring, RING_BL, RING_HA, 17, 100000) - 100000,
			 (1 + 2 * i + CROSS + 2) * PS);
	/* Line i crosses 2 i clocks late, so its credit is back after 6 + 2 i: the fifth waits for the
	 * first one's, the sixth for the second one's. */
	CHECK_EQ(__LINE__, taken.sum, 6);
	CHECK_EQ(__LINE__, stall.sum, 6 + 8);
	CHECK_EQ(__LINE__, in_use.sum, 6 + 8 + 10 + 12 + (14 - 6) + (16 - 8));
	CHECK_EQ(__LINE__, queued.sum, 2 + 4 + 6 + (8 - 6) + (10 - 8) + 6 * CROSS);
	signal_watch_free(&taken);
	signal_watch_free(&in_use);
	signal_watch_free(&queued);
	signal_watch_free(&stall);
	close_rig(&r);
}

/* A count of one signal of one stop. */
struct count {
	struct signal_alt alt;
	struct signal_watch watch;
};

static void count(struct rig *r, struct count *c, unsigned stop, unsigned sig, uint64_t flags)
{
	*c = (struct count){ .alt = { .care = flags, .want = flags } };
	c->watch.alt = &c->alt;
	c->watch.alts = 1;
	signal_watch_hang(&r->port[stop], sig, &c->watch);
	ring_rewatch(&r->ring);
}

/*
 * Forty lines from core 4 at once are at SBo0 a clock later; number i may cross 2i clocks after that.  Twelve wait in the egress
 * (24 clocks), twelve in the ingress; the others go round, 13 clocks a lap, until so many clocks are left.  Only the first two have
 * credits.
 */
static void check_full_switch(void)
{
	enum { LINES = 40, OUT = RING_SBO, IN = RING_SBO + 2 };
	static const struct { int line; uint8_t stop; uint16_t sig; uint64_t flags, want; } events[] = {
		/* Number 25 to 30 once, 31 to 37 twice, 38 and 39 three times. */
		{ LINE, OUT, SIG_SBO_BOUNCE, SBO_BOUNCE_BL_CORE, 6 + 14 + 6 },
		{ LINE, OUT, SIG_SBO_BOUNCE, 0, 6 + 14 + 6 },
		{ LINE, OUT, SIG_SBO_BOUNCE_CONTROL, 0, 3 * 13 },
		{ LINE, OUT, SIG_SBO_SINK_STARVED, SBO_SINK_STARVED_BL_CORE, 2 * 13 },
		/* Number 13 to 24: 2, 4 .. 24 clocks; the others 26, 28 .. 54 less their laps. */
		{ LINE, OUT, SIG_SBO_RXR, SBO_RXR_BL_BNC, 156 + 600 - 26 * 13 },
		{ LINE, OUT, SIG_SBO_RXR_INSERT, 0, LINES - 13 },
		{ LINE, OUT, SIG_SBO_RXR_BYPASS, 0, 13 },
		/* From 16 clocks on: 16 to 24, 29 to 36, 42 to 50. */
		{ LINE, OUT, SIG_SBO_BUSY_STARVED, SBO_BUSY_STARVED_BL_BNC, 8 + 7 + 8 },
		{ LINE, OUT, SIG_SBO_CRD_STARVED, 0, 0 },
		/* At clock 24 the first that has waited for twelve others, and 32 clocks later. */
		{ LINE, IN, SIG_SBO_TXR_ADS, SBO_TXR_ADS_BL, 2 },
		/* Number 9 from clock 16 on, the last until 78. */
		{ LINE, IN, SIG_SBO_TXR_STARVED, SBO_TXR_STARVED_BL, 78 - 16 },
		{ LINE, IN, SIG_SBO_TXR_INSERT, 0, LINES },
		/* 0, 2 .. 22 clocks, then 24; and four each through the switch. */
		{ LINE, IN, SIG_SBO_TXR, 0, 132 + (LINES - 12) * 24 + LINES * CROSS },
	};
	static struct rig r;
	static struct stop stop[RING_STOPS];
	static struct count counts[LEN(events)];

	open_rig(&r, RING_KINDS);
	for (unsigned i = 0; i < RING_STOPS; i++)
		stop_init(&stop[i], i);
	r.ring.stop = stop;
	for (unsigned i = 0; i < LEN(events); i++)
		count(&r, &counts[i], events[i].stop, events[i].sig, events[i].flags);
	for (unsigned i = 0; i < LINES; i++)
		CHECK_EQ(__LINE__, ring_send(&r.ring, RING_BL, 4, 13, 100000) - 100000, (1 + CROSS + 1 + 2 * i) * PS);
	for (unsigned i = 0; i < RING_STOPS; i++)
		stop_advance(&stop[i], &r.port[i], 10000000);
	for (unsigned i = 0; i < LEN(events); i++) {
		CHECK_EQ(events[i].line, counts[i].watch.sum, events[i].want);
		signal_watch_free(&counts[i].watch);
	}
	for (unsigned i = 0; i < RING_STOPS; i++)
		stop_free(&stop[i]);
	close_rig(&r);
}

/*
 * R3QPI has four credits for each ring and SBo, and each line crosses two clocks after the one before: of six the fifth waits
 * until the first is back, the sixth for the second.  To SBo0 it is two stops, so the first credit is out for 2 + 4 + 2
 * clocks; to SBo1, past HA0, six.  R2PCIe has two, a stop away; requests do not wait to cross, so the third waits for its
 * credit until it needs none.
 */
static const struct stall {
	int line;
	uint8_t kind, from, to, messages;
	uint16_t acquire, credit, stall;
	uint64_t taken, stalled;	/* flags; those of credits in use are the same */
	unsigned waits, held;
} stalls[] = {
	{ LINE, RING_BL, RING_R3QPI, 13, 6, SIG_R3QPI_SBO_ACQUIRE, SIG_R3QPI_SBO_CREDIT, SIG_R3QPI_SBO_STALL,
	  R3QPI_SBO_ACQUIRE_BL | R3QPI_SBO_ACQUIRE_SBO0, R3QPI_SBO_STALL_SBO0_BL,
	  8 + 10, 8 + 10 + 12 + 14 + (16 - 8) + (18 - 10) },
	{ LINE, RING_BL, RING_R3QPI, RING_HA + 1, 6, SIG_R3QPI_SBO_ACQUIRE, SIG_R3QPI_SBO_CREDIT, SIG_R3QPI_SBO_STALL,
	  R3QPI_SBO_ACQUIRE_BL | R3QPI_SBO_ACQUIRE_SBO1, R3QPI_SBO_STALL_SBO1_BL,
	  16 + 18, 16 + 18 + 20 + 22 + (24 - 16) + (26 - 18) },
	{ LINE, RING_AD, RING_R3QPI, 13, 4, SIG_R3QPI_SBO_ACQUIRE, SIG_R3QPI_SBO_CREDIT, SIG_R3QPI_SBO_STALL,
	  R3QPI_SBO_ACQUIRE_AD | R3QPI_SBO_ACQUIRE_SBO0, R3QPI_SBO_STALL_SBO0_AD, 0, 4 * 8 },
	{ LINE, RING_AD, RING_R2PCIE, 13, 3, SIG_R2PCIE_SBO_ACQUIRE, SIG_R2PCIE_SBO_CREDIT, SIG_R2PCIE_SBO_STALL,
	  R2PCIE_SBO_ACQUIRE_AD, R2PCIE_SBO_STALL_SBO0_AD, 6, 2 * 6 },
	{ LINE, RING_BL, RING_R2PCIE, 13, 2, SIG_R2PCIE_SBO_ACQUIRE, SIG_R2PCIE_SBO_CREDIT, SIG_R2PCIE_SBO_STALL,
	  R2PCIE_SBO_ACQUIRE_BL, R2PCIE_SBO_STALL_SBO0_BL, 0, 6 + 8 },
};

static void check_stalls(const struct stall *s)
{
	static struct rig r;
	struct count acquired, all, held, waits, any;

	open_rig(&r, RING_KINDS);
	count(&r, &acquired, s->from, s->acquire, s->taken);
	count(&r, &all, s->from, s->acquire, 0);
	count(&r, &held, s->from, s->credit, s->taken);
	count(&r, &waits, s->from, s->stall, s->stalled);
	count(&r, &any, s->from, s->stall, 0);
	for (unsigned i = 0; i < s->messages; i++)
		ring_send(&r.ring, (enum ring_kind)s->kind, s->from, s->to, 100000);
	CHECK_EQ(s->line, acquired.watch.sum, s->messages);
	CHECK_EQ(s->line, all.watch.sum, s->messages);
	CHECK_EQ(s->line, held.watch.sum, s->held);
	CHECK_EQ(s->line, waits.watch.sum, s->waits);
	CHECK_EQ(s->line, any.watch.sum, s->waits);
	signal_watch_free(&acquired.watch);
	signal_watch_free(&all.watch);
	signal_watch_free(&held.watch);
	signal_watch_free(&waits.watch);
	signal_watch_free(&any.watch);
	close_rig(&r);
}

/* A slice that may try again does so every 20 clocks while its line would wait; who has a credit need not. */
static void check_tries(void)
{
	static struct rig r;
	struct count bounced;

	open_rig(&r, RING_KINDS);
	count(&r, &bounced, RING_SBO, SIG_SBO_RXR_INSERT, SBO_RXR_BL_BNC);
	for (unsigned i = 0; i < 30; i++) {
		r.ring.retry = 20 * PS;
		ring_send(&r.ring, RING_BL, 4, 13, 100000);
		CHECK_EQ(__LINE__, r.ring.tries, 2 * i / 20);
	}
	CHECK_EQ(__LINE__, bounced.watch.sum, 0);
	signal_watch_free(&bounced.watch);
	close_rig(&r);
}

int main(void)
{
	for (const struct row *row = rows; row < rows + LEN(rows); row++)
		check_row(row);
	check_routes();
	check_switch();
	check_credits();
	check_home_credits();
	check_full_switch();
	for (const struct stall *s = stalls; s < stalls + LEN(stalls); s++)
		check_stalls(s);
	check_tries();
	return check_done();
}
