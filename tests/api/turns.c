/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the stated error of a scaled reading is worth.  Programs that go on in one way are measured in
 * four turns a box, and every reading of every box and interval is held against the truth: it has
 * to lie within the stated error 95 times in 100.  A program that does one thing after another gets a
 * larger error than one of the same length that does not.  So does what is rare and comes in clusters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxscore.h"
#include "check.h"

/* More events than a box has counters: four turns or more in each type. */
#define CBO "cbo.LLC_LOOKUP.*,cbo.TOR_INSERTS.ALL,cbo.TOR_INSERTS.MISS_LOCAL,cbo.LLC_VICTIMS.*,cbo.RING_BL_USED.*," \
	    "cbo.RxR_INSERTS.IRQ,cbo.TOR_OCCUPANCY.ALL"
#define IMC "imc.CAS_COUNT.*,imc.PRE_COUNT.*,imc.ACT_COUNT.*,imc.RPQ_INSERTS,imc.RPQ_CYCLES_NE,imc.MAJOR_MODES.*"
#define HA "ha.REQUESTS.*,ha.IMC_READS.*,ha.TRACKER_CYCLES_NE.*,ha.SNOOP_RESP.*,ha.RING_BL_USED.*"
#define LINK "qpi.RxL_FLITS_G0.*,qpi.RxL_FLITS_G1.*,qpi.TxL_FLITS_G0.*,qpi.TxL_FLITS_G1.*,qpi.RxL_OCCUPANCY"

struct tally {
	unsigned scaled, held;
	double error, value;		/* of the event that `phases` compares */
	const char *event;
	unsigned boxes, right;		/* of that event: scaled readings, and those within their error */
};

static int judge(void *ctx, const struct bxs_reading *r)
{
	struct tally *t = ctx;

	bool right = fabs(r->value - r->truth) <= r->error;

	if (t->event && strcmp(r->name, t->event) == 0) {
		t->error = r->error;
		t->value += r->value;
		t->boxes += r->validity == BXS_SCALED && (r->truth != 0 || r->value != 0);
		t->right += r->validity == BXS_SCALED && (r->truth != 0 || r->value != 0) && right;
	}
	/* Where nothing happens there is nothing to estimate. */
	if (r->validity != BXS_SCALED || (r->truth == 0 && r->value == 0))
		return 0;
	t->scaled++;
	t->held += right;
	return 0;
}

/* One run; interval 0: a single reading at the end. */
static void measure(const char *events, const char *kernel, uint64_t interval_ns, enum bxs_by by,
		    struct tally *t)
{
	bxs_machine *m = NULL;
	bxs_session *s = NULL;
	char why[200];
	int more = 1;

	CHECK_EQ(__LINE__, bxs_machine_new("hsx,cores=6", 0, &m, why, sizeof why), 0);
	CHECK_EQ(__LINE__, bxs_session_new(m, &s), 0);
	bxs_session_truth(s, true);
	bxs_session_turns(s, true, 0);
	CHECK_EQ(__LINE__, bxs_session_add(s, events), 0);
	CHECK_EQ(__LINE__, bxs_session_kernel(s, kernel), 0);
	CHECK_EQ(__LINE__, bxs_session_start(s), 0);
	for (uint64_t at = interval_ns; more; at += interval_ns) {
		more = bxs_session_run(s, interval_ns ? at : UINT64_MAX);
		CHECK_EQ(__LINE__, more ? bxs_session_read(s) : bxs_session_stop(s), 0);
		bxs_session_each(s, by, judge, t);
		bxs_session_next(s);
	}
	bxs_session_free(s);
	bxs_machine_free(m);
}

/* Steady programs. */
static const struct steady {
	int line;
	const char *events, *kernel;
	uint64_t interval_ns;
} steady[] = {
	{ LINE, CBO, "random:size=32M,count=40000,threads=4,writes=30,seed=%u", 0 },
	{ LINE, CBO, "random:size=32M,count=40000,threads=4,writes=30,seed=%u", 200000 },
	{ LINE, CBO, "random:size=4M,count=100000,threads=6,step=2,seed=%u", 200000 },
	{ LINE, IMC, "random:size=32M,count=40000,threads=4,writes=30,seed=%u", 0 },
	{ LINE, IMC, "chase:size=8M,threads=3,seed=%u", 1000000 },
	{ LINE, HA, "random:size=24M,count=30000,threads=4,writes=25,seed=%u", 0 },
	{ LINE, HA, "random:size=24M,count=30000,threads=4,writes=25,node=1,seed=%u", 300000 },
	{ LINE, LINK, "random:size=32M,count=30000,threads=4,writes=10,node=1,seed=%u", 0 },
	{ LINE, LINK, "random:size=32M,count=30000,threads=4,writes=10,node=1,seed=%u", 300000 },
};

static void check_steady(const struct steady *row)
{
	struct tally t = { 0 };

	for (unsigned seed = 1; seed <= 4; seed++) {
		char kernel[100];

		snprintf(kernel, sizeof kernel, row->kernel, seed);
		measure(row->events, kernel, row->interval_ns, BXS_BY_BOX, &t);
	}
	printf("%s, %s: %u of %u within the stated error\n", row->events, row->kernel, t.held, t.scaled);
	CHECK_EQ(row->line, t.scaled >= 100, 1);
	CHECK_EQ(row->line, t.held * 100 >= t.scaled * 95, 1);
}

/* Each box sees a few of them in its turns, or none; those of a run in which some box has seen any are to hold as well. */
static const struct bursty { int line; const char *events, *event; } bursts[] = {
	{ LINE, CBO ",cbo.RxR_INSERTS.IRQ_REJ", "cbo.RxR_INSERTS.IRQ_REJ" },
	{ LINE, IMC, "imc.CAS_COUNT.WR_RMM" },
	{ LINE, IMC, "imc.MAJOR_MODES.WRITE" },
};

static void check_bursts(const struct bursty *row)
{
	unsigned scaled = 0, held = 0;

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct tally t = { .event = row->event };
		char kernel[100];

		snprintf(kernel, sizeof kernel, "random:size=32M,count=40000,threads=4,writes=30,seed=%u", seed);
		measure(row->events, kernel, 0, BXS_BY_BOX, &t);
		scaled += t.value > 0 ? t.boxes : 0;
		held += t.value > 0 ? t.right : 0;
	}
	printf("%s: %u of %u within the stated error\n", row->event, held, scaled);
	CHECK_EQ(row->line, scaled >= 60, 1);
	CHECK_EQ(row->line, held * 100 >= scaled * 95, 1);
}

/*
 * Four passes over 2 MB: the first reads memory, the others the cache, so that what the memory does is
 * over after a part of the time; four passes over 32 MB read memory all the time.
 */
static void check_phases(void)
{
	struct tally phased = { .event = "imc.CAS_COUNT.RD" }, even = { .event = "imc.CAS_COUNT.RD" };

	measure(IMC, "chase:size=2M,passes=4", 0, BXS_BY_SUM, &phased);
	measure(IMC, "chase:size=32M", 0, BXS_BY_SUM, &even);
	CHECK(phased.value > 0 && even.value > 0);
	printf("stated error: %.1f%% phased, %.1f%% steady\n", 100 * phased.error / phased.value,
	       100 * even.error / even.value);
	CHECK(phased.error / phased.value > 3 * even.error / even.value);
}

int main(void)
{
	for (const struct steady *row = steady; row < steady + LEN(steady); row++)
		check_steady(row);
	for (const struct bursty *row = bursts; row < bursts + LEN(bursts); row++)
		check_bursts(row);
	check_phases();
	return check_done();
}
